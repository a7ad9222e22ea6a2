/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The mount command that VDSM makes of a connection (storageServer.py: NFSConnection,
 * MountConnection; mount.py: _mount()). Custom options are passed on unchanged, with their blanks;
 * only empty options are dropped. Contradictions are not detected. */
#include <stdio.h>

#include "plugin/ovirt/internal.h"

#define TIMEO_DEFAULT   "100" /* tenths of a second */
#define RETRANS_DEFAULT "3"

/* One option of a list, split at commas as VDSM does: quotes have no meaning. */
struct piece {
	const char *start;
	size_t len;
};

static bool next_piece(const char **cursor, struct piece *out)
{
	while (**cursor == ',')
		++*cursor;
	out->start = *cursor;
	out->len = strcspn(*cursor, ",");
	*cursor += out->len;
	return out->len;
}

static bool is_piece(const struct piece *piece, const char *word)
{
	return piece->len == strlen(word) && !strncmp(piece->start, word, piece->len);
}

static bool has_piece(const char *options, const char *word)
{
	struct piece piece;

	while (next_piece(&options, &piece))
		if (is_piece(&piece, word))
			return true;
	return false;
}

static bool is_number(const char *text)
{
	return *text && strlen(text) < 10 && !text[strspn(text, "0123456789")];
}

/* "4.2" is nfsvers=4,minorversion=2. @buf is empty if the engine says auto. */
static int version_text(const char *version, char buf[48])
{
	char words[16];
	char *minor;

	buf[0] = '\0';
	if (!strcmp(version, "auto"))
		return 0;
	snprintf(words, sizeof(words), "%s", version);
	minor = strchr(words, '.');
	if (minor)
		*minor++ = '\0';
	if (strlen(version) >= sizeof(words) || !is_number(words) ||
	    (minor && !is_number(minor)))
		return err_set(EINVAL,
			       "VDSM rejects the NFS version '%.40s', and with it all "
			       "connections of the call",
			       version);
	snprintf(buf, 48, ",nfsvers=%s%s%s", words, minor ? ",minorversion=" : "",
		 minor ? minor : "");
	return 0;
}

/* VDSM compares sets. */
static bool is_default(const char *conf_options)
{
	const char *cursor = conf_options;
	struct piece piece;

	while (next_piece(&cursor, &piece))
		if (!is_piece(&piece, "soft") && !is_piece(&piece, "nosharecache"))
			return false;
	return has_piece(conf_options, "soft") && has_piece(conf_options, "nosharecache");
}

/* NULL: no memory. */
static char *join(const char *head, const char *options, bool nolock)
{
	size_t room = strlen(head) + strlen(options) + sizeof(",nolock") + 1;
	char *text = malloc(room);
	struct piece piece;
	size_t used;

	if (!text)
		return NULL;
	used = (size_t)snprintf(text, room, "%s", head);
	while (next_piece(&options, &piece))
		used += (size_t)snprintf(text + used, room - used, ",%.*s",
					 (int)piece.len, piece.start);
	if (nolock)
		strcpy(text + used, ",nolock");
	return text;
}

static int nfs_options(const struct ovirt_connection *connection, char **out)
{
	const char *version = connection->version ? connection->version : "3";
	const char *options = connection->options ? connection->options : "";
	const char *timeo = connection->timeo ? connection->timeo : TIMEO_DEFAULT;
	const char *retrans = connection->retrans ? connection->retrans : RETRANS_DEFAULT;
	bool may_be_v3 = !strcmp(version, "auto") || !strcmp(version, "3");
	char head[160], versions[48];
	int rc = version_text(version, versions);

	if (rc)
		return rc;
	if (!is_number(timeo) || !is_number(retrans))
		return err_set(EINVAL, "VDSM takes only numbers for timeo and retrans");
	snprintf(head, sizeof(head), "soft,nosharecache,timeo=%s,retrans=%s%s", timeo,
		 retrans, versions);
	*out = join(head, options,
		    may_be_v3 && !has_piece(options, "lock") &&
			    !has_piece(options, "nolock"));
	return *out ? 0 : err_set(ENOMEM, "no memory");
}

int ovirt_command_options(const struct ovirt_connection *connection, char **out)
{
	const char *conf = connection->conf_options, *options = connection->options;

	if (connection->type == OVIRT_NFS && conf && !connection->version &&
	    !connection->timeo && !connection->retrans && !is_default(conf))
		options = conf;
	else if (connection->type == OVIRT_NFS)
		return nfs_options(connection, out);
	*out = strdup(options ? options : "");
	return *out ? 0 : err_set(ENOMEM, "no memory");
}

static bool add(struct ovirt_command *command, const char *word)
{
	command->argv[command->argc] = strdup(word);
	return command->argv[command->argc++];
}

int ovirt_command(const struct ovirt_connection *connection,
		  const struct ovirt_domain *domain, struct ovirt_command *out)
{
	const char *type = connection->type == OVIRT_NFS ? "nfs" : connection->vfs_type;
	_cleanup_free_ char *options = NULL;
	int rc = ovirt_command_options(connection, &options);
	bool good;

	memset(out, 0, sizeof(*out));
	if (rc)
		return rc;
	good = add(out, "/usr/bin/mount") && add(out, "-t") && add(out, type);
	if (*options)
		good = good && add(out, "-o") && add(out, options);
	if (good && add(out, domain->spec) && add(out, domain->dir))
		return 0;
	ovirt_command_fini(out);
	return err_set(ENOMEM, "no memory");
}

void ovirt_command_fini(struct ovirt_command *command)
{
	while (command->argc)
		free(command->argv[--command->argc]);
}

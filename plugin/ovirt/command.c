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
struct ovirt_command_piece {
	const char *start;
	size_t len;
};

static bool ovirt_command_next(const char **cursor, struct ovirt_command_piece *out)
{
	while (**cursor == ',')
		++*cursor;
	out->start = *cursor;
	out->len = strcspn(*cursor, ",");
	*cursor += out->len;
	return out->len;
}

static bool ovirt_command_is(const struct ovirt_command_piece *piece, const char *word)
{
	return piece->len == strlen(word) && !strncmp(piece->start, word, piece->len);
}

static bool ovirt_command_has(const char *options, const char *word)
{
	struct ovirt_command_piece piece;

	while (ovirt_command_next(&options, &piece))
		if (ovirt_command_is(&piece, word))
			return true;
	return false;
}

static bool ovirt_command_is_number(const char *text)
{
	return *text && strlen(text) < 10 && !text[strspn(text, "0123456789")];
}

/* "4.2" is nfsvers=4,minorversion=2. @buf is empty if the engine says auto. */
static int ovirt_command_version(const char *version, char buf[48])
{
	char words[16];
	char *minor;

	buf[0] = '\0';
	if (!strcmp(version, "auto"))
		return 0;
	str_copy(words, sizeof(words), version);
	minor = strchr(words, '.');
	if (minor)
		*minor++ = '\0';
	if (strlen(version) >= sizeof(words) || !ovirt_command_is_number(words) ||
	    (minor && !ovirt_command_is_number(minor)))
		return err_set(EINVAL,
			       "VDSM rejects the NFS version '%.40s', and with it all "
			       "connections of the call",
			       version);
	snprintf(buf, 48, ",nfsvers=%s%s%s", words, minor ? ",minorversion=" : "",
		 minor ? minor : "");
	return 0;
}

/* VDSM compares sets. */
static bool ovirt_command_is_default(const char *conf_options)
{
	const char *cursor = conf_options;
	struct ovirt_command_piece piece;

	while (ovirt_command_next(&cursor, &piece))
		if (!ovirt_command_is(&piece, "soft") && !ovirt_command_is(&piece, "nosharecache"))
			return false;
	return ovirt_command_has(conf_options, "soft") &&
	       ovirt_command_has(conf_options, "nosharecache");
}

static int ovirt_command_nfs_options(const struct ovirt_connection *connection, char **out)
{
	const char *version = connection->version ? connection->version : "3";
	const char *options = connection->options ? connection->options : "";
	const char *timeo = connection->timeo ? connection->timeo : TIMEO_DEFAULT;
	const char *retrans = connection->retrans ? connection->retrans : RETRANS_DEFAULT;
	bool nolock = (!strcmp(version, "auto") || !strcmp(version, "3")) &&
		      !ovirt_command_has(options, "lock") && !ovirt_command_has(options, "nolock");
	size_t used, room = strlen(options);
	char head[160], versions[48];
	struct ovirt_command_piece piece;
	int rc = ovirt_command_version(version, versions);

	if (rc)
		return rc;
	if (!ovirt_command_is_number(timeo) || !ovirt_command_is_number(retrans))
		return err_set(EINVAL, "VDSM takes only numbers for timeo and retrans");
	snprintf(head, sizeof(head), "soft,nosharecache,timeo=%s,retrans=%s%s", timeo, retrans,
		 versions);
	room += strlen(head) + sizeof(",nolock") + 1;
	*out = malloc(room);
	if (!*out)
		return err_no_memory();
	used = (size_t)snprintf(*out, room, "%s", head);
	while (ovirt_command_next(&options, &piece))
		used += (size_t)snprintf(*out + used, room - used, ",%.*s", (int)piece.len,
					 piece.start);
	if (nolock)
		snprintf(*out + used, room - used, ",nolock");
	return 0;
}

int ovirt_command_options(const struct ovirt_connection *connection, char **out)
{
	const char *conf = connection->conf_options, *options = connection->options;

	if (connection->type == OVIRT_NFS && conf && !connection->version && !connection->timeo &&
	    !connection->retrans && !ovirt_command_is_default(conf))
		options = conf;
	else if (connection->type == OVIRT_NFS)
		return ovirt_command_nfs_options(connection, out);
	*out = strdup(options ? options : "");
	return *out ? 0 : err_no_memory();
}

static bool ovirt_command_add(struct ovirt_command *command, const char *word)
{
	command->argv[command->argc] = strdup(word);
	return command->argv[command->argc++];
}

int ovirt_command(const struct ovirt_connection *connection, const struct ovirt_domain *domain,
		  struct ovirt_command *out)
{
	const char *type = connection->type == OVIRT_NFS ? "nfs" : connection->vfs_type;
	_cleanup_free_ char *options = NULL;
	int rc = ovirt_command_options(connection, &options);
	bool good;

	memset(out, 0, sizeof(*out));
	if (rc)
		return rc;
	good = ovirt_command_add(out, "/usr/bin/mount") && ovirt_command_add(out, "-t") &&
	       ovirt_command_add(out, type);
	if (*options)
		good = good && ovirt_command_add(out, "-o") && ovirt_command_add(out, options);
	if (good && ovirt_command_add(out, domain->spec) && ovirt_command_add(out, domain->dir))
		return 0;
	ovirt_command_fini(out);
	return err_no_memory();
}

void ovirt_command_fini(struct ovirt_command *command)
{
	while (command->argc)
		free(command->argv[--command->argc]);
}

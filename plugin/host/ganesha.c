/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFS-Ganesha: whether it is installed, and the RDMA settings in ganesha.conf. Only the block
 * NFS_CORE_PARAM of that file matters, in the syntax of src/config_parsing/conf_lex.l:
 *
 *	NFS_CORE_PARAM {
 *		Protocols = 3, 4, NFSRDMA;	# or RPCRDMA; NFS_Protocols is another name
 *		NFS_RDMA_Port = 20049;		# since 6.0
 *		NFS_RDMA_Protocol_Versions = 3, 4.0;	# since 6.0
 *	}
 *
 * Names and values are case-insensitive; "#" starts a comment; %include "FILE" is allowed between
 * blocks. %url and %dir are not followed: their settings are unknown. */
#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#include "plugin/host/internal.h"
#include "rpcrdma/nfs/nfs.h"

#define UNIT      "nfs-ganesha.service"
#define CONF      "etc/ganesha/ganesha.conf"
#define CONF_MAX  (256 * 1024)
#define FILES_MAX 16 /* in total, with included ones */

struct ganesha_parser {
	const struct host *host;
	struct host_ganesha *out;
	unsigned int files;
};

struct ganesha_lexer {
	const char *at;
	const char *file;
	unsigned int line;
	char token[128]; /* one character, or a word; empty: end of file */
	bool quoted;
};

/* --- tokens ------------------------------------------------------------------------------- */

static void ganesha_skip_blanks(struct ganesha_lexer *lexer)
{
	bool comment = false;

	for (; *lexer->at && (comment || isspace((unsigned char)*lexer->at) || *lexer->at == '#');
	     lexer->at++) {
		comment = *lexer->at != '\n' && (comment || *lexer->at == '#');
		lexer->line += *lexer->at == '\n';
	}
}

static void ganesha_token_set(struct ganesha_lexer *lexer, const char *text, size_t len)
{
	char cut[sizeof(lexer->token)];

	snprintf(cut, sizeof(cut), "%.*s", (int)(len < sizeof(cut) ? len : sizeof(cut) - 1), text);
	text_copy(lexer->token, sizeof(lexer->token), cut);
}

/* Returns false at the end. Tokens that are too long are truncated. */
static bool ganesha_token_next(struct ganesha_lexer *lexer)
{
	static const char single[] = "{}=;,";
	size_t len;

	ganesha_skip_blanks(lexer);
	lexer->token[0] = '\0';
	lexer->quoted = *lexer->at == '"' || *lexer->at == '\'';
	if (lexer->quoted) {
		const char quote[] = { *lexer->at, '\0' };

		len = strcspn(++lexer->at, quote);
		ganesha_token_set(lexer, lexer->at, len);
		for (; len; len--)
			lexer->line += *lexer->at++ == '\n';
		lexer->at += *lexer->at != '\0';
		return true;
	}
	len = *lexer->at && strchr(single, *lexer->at) ? 1
						       : strcspn(lexer->at, "{}=;,#\"' \t\r\n\f\v");
	ganesha_token_set(lexer, lexer->at, len);
	lexer->at += len;
	return len;
}

static bool ganesha_token_is(const struct ganesha_lexer *lexer, const char *token)
{
	return !lexer->quoted && !strcasecmp(lexer->token, token);
}

/* --- NFS_CORE_PARAM ------------------------------------------------------------------------ */

static void ganesha_add_word(char *list, size_t cap, const char *word)
{
	size_t used = strlen(list);

	if (used) {
		text_copy(list + used, cap - used, ", ");
		used = strlen(list);
	}
	text_copy(list + used, cap - used, word);
}

/* KEY = VALUE[, VALUE...]; The lexer is after the "=". */
static void ganesha_parse_values(struct ganesha_lexer *lexer, const char *key,
				 struct host_ganesha *out)
{
	bool protocols = !strcasecmp(key, "Protocols") || !strcasecmp(key, "NFS_Protocols");
	bool versions = !strcasecmp(key, "NFS_RDMA_Protocol_Versions");

	if (protocols) {
		snprintf(out->where, sizeof(out->where), "/%.100s:%u", lexer->file, lexer->line);
		out->protocols[0] = '\0';
		out->rdma = false;
	}
	if (versions)
		out->versions[0] = '\0';
	while (ganesha_token_next(lexer) && !ganesha_token_is(lexer, ";") &&
	       !ganesha_token_is(lexer, "}")) {
		if (ganesha_token_is(lexer, ","))
			continue;
		if (protocols)
			ganesha_add_word(out->protocols, sizeof(out->protocols), lexer->token);
		if (versions)
			ganesha_add_word(out->versions, sizeof(out->versions), lexer->token);
		if (protocols)
			out->rdma |= !strcasecmp(lexer->token, "nfsrdma") ||
				     !strcasecmp(lexer->token, "rpcrdma");
		if (!strcasecmp(key, "NFS_RDMA_Port"))
			out->port = (unsigned int)strtoul(lexer->token, NULL, 0);
	}
}

/* Parses the text between { and }; nested blocks are skipped. */
static void ganesha_parse_block(struct ganesha_lexer *lexer, bool core, struct host_ganesha *out)
{
	char key[sizeof(lexer->token)] = "";
	unsigned int depth = 1;

	while (depth && ganesha_token_next(lexer)) {
		if (ganesha_token_is(lexer, "{")) {
			depth++;
		} else if (ganesha_token_is(lexer, "}")) {
			depth--;
		} else if (ganesha_token_is(lexer, "=") && core && depth == 1) {
			ganesha_parse_values(lexer, key, out);
			/* A value may lack its semicolon. */
			depth -= ganesha_token_is(lexer, "}");
		} else {
			memcpy(key, lexer->token, sizeof(key));
		}
	}
}

/* --- files -------------------------------------------------------------------------------- */

static int ganesha_read_conf(struct ganesha_parser *parser, const char *file);

static void ganesha_set_left_out(struct ganesha_parser *parser, const char *what, const char *name)
{
	if (!*parser->out->left_out)
		snprintf(parser->out->left_out, sizeof(parser->out->left_out), "%s %.100s", what,
			 name);
}

/* A relative name is relative to the directory of the first file. */
static void ganesha_include(struct ganesha_parser *parser, const char *name)
{
	char path[256];

	if (*name == '/')
		str_copy(path, sizeof(path), name + strspn(name, "/"));
	else
		snprintf(path, sizeof(path), "etc/ganesha/%s", name);
	if (!*name || parser->files == FILES_MAX || ganesha_read_conf(parser, path))
		ganesha_set_left_out(parser, "%include", name);
}

static int ganesha_read_conf(struct ganesha_parser *parser, const char *file)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	struct ganesha_lexer lexer = { .file = file, .line = 1 };
	char name[sizeof(lexer.token)] = "";
	int rc;

	parser->files++;
	rc = host_read_included(parser->host, file, CONF, CONF_MAX, &text);
	if (rc)
		return rc;
	lexer.at = text.text;
	while (ganesha_token_next(&lexer)) {
		if (ganesha_token_is(&lexer, "{")) {
			ganesha_parse_block(&lexer, !strcasecmp(name, "NFS_CORE_PARAM"),
					    parser->out);
		} else if (ganesha_token_is(&lexer, "%include")) {
			ganesha_token_next(&lexer);
			ganesha_include(parser, lexer.token);
		} else if (ganesha_token_is(&lexer, "%url") || ganesha_token_is(&lexer, "%dir")) {
			memcpy(name, lexer.token, sizeof(name));
			ganesha_token_next(&lexer);
			ganesha_set_left_out(parser, name, lexer.token);
		} else {
			memcpy(name, lexer.token, sizeof(name));
		}
	}
	return 0;
}

static bool ganesha_any_exists(const struct host *host, const char *const *paths)
{
	for (; *paths; paths++)
		if (!host_exists(host, *paths))
			return true;
	return false;
}

int host_ganesha(const struct host *host, struct host_ganesha *out)
{
	static const char *const programs[] = { "usr/bin/ganesha.nfsd", "usr/sbin/ganesha.nfsd",
						NULL };
	static const char *const pids[] = { "run/ganesha/ganesha.pid", "run/ganesha.pid",
					    "var/run/ganesha.pid", NULL };
	struct ganesha_parser parser = { .host = host, .out = out };
	enum unit_state state;
	int rc;

	memset(out, 0, sizeof(*out));
	out->port = NFS_RDMA_PORT;
	out->running = ganesha_any_exists(host, pids);
	if (!host_unit_state(host, UNIT, &state)) {
		out->enabled = state == UNIT_ENABLED;
		out->installed = state != UNIT_MISSING;
	}
	out->installed |= ganesha_any_exists(host, programs) || out->running;
	if (!out->installed)
		return 0;
	host_package(host, "nfs-ganesha", out->version, sizeof(out->version));
	snprintf(out->where, sizeof(out->where), "/" CONF);
	rc = ganesha_read_conf(&parser, CONF);
	out->has_conf = rc != -ENOENT;
	return rc == -ENOENT ? 0 : rc;
}

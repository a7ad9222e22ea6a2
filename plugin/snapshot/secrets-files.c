/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What may be kept of a line of each file that is not a list of settings. Words that no check reads
 * become placeholders where the line must stay one of its kind, or are left out. */
#include <ctype.h>
#include <strings.h>

#include "plugin/host/text.h"
#include "plugin/libvirt/libvirt.h"
#include "plugin/options/options.h"
#include "plugin/snapshot/secrets.h"

#define UNUSED(row, state) ((void)(row), (void)(state))

static void files_put_path(const char *path, FILE *out)
{
	if (*path == '/' || !strcmp(path, "none"))
		fputs(path, out);
	else
		secrets_put_hidden(path, out);
}

/* --- mounts ---------------------------------------------------------------------------- */

/* Options of other file systems may be passwords; so may comments. */
void secrets_fstab_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			FILE *out)
{
	char *source = word_next(&line), *target = source ? word_next(&line) : NULL;
	char *type = target ? word_next(&line) : NULL, *word;
	unsigned int i;

	UNUSED(row, state);
	if (!type || *source == '#' || strncmp(type, "nfs", 3))
		return;
	fputs(strchr(source, ':') ? source : text_placeholder(strlen(source)), out);
	fputc(' ', out);
	files_put_path(target, out);
	fprintf(out, " %s", strlen(type) <= 8 ? type : "nfsx");
	for (i = 0; (word = word_next(&line)); i++) {
		fputc(' ', out);
		if (!i)
			public_options(out, word);
		else if (!word[strspn(word, "0123456789")])
			fputs(word, out);
		else
			secrets_put_hidden(word, out);
	}
}

static size_t files_word_end(const char *line, size_t at)
{
	at += strspn(line + at, " \t");
	return at + strcspn(line + at, " \t");
}

/* Disks are kept without options, because they may be mounted where NFS should be
 * (mount.missing). For others, the two ids suffice to know what is mounted on what. */
void secrets_mountinfo_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			    FILE *out)
{
	size_t end = files_word_end(line, files_word_end(line, 0)), source;
	const char *type = strstr(line, " - ");

	UNUSED(row, state);
	if (type && !strncmp(type, " - nfs", 6)) {
		fputs(line, out);
		return;
	}
	if (strspn(line, "0123456789 ") < end)
		return;
	if (type) {
		source = files_word_end(line, (size_t)(type - line) + 3);
		if (!strncmp(line + source, " /dev/", 6))
			end = files_word_end(line, source);
	}
	fwrite(line, 1, end, out);
}

/* One paragraph for each mount with statistics, one line for the others. */
void secrets_mountstats_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			     FILE *out)
{
	(void)row;
	if (!strncmp(line, "device ", 7))
		state->number = strstr(line, " with fstype nfs") != NULL;
	if (state->number)
		fputs(line, out);
}

/* libmount's own list: keeps NFS mounts, which have "SRC=HOST:/PATH". */
void secrets_utab_line(const struct secrets_row *row, char *line, struct secrets_state *state,
		       FILE *out)
{
	char *word, *source = NULL, *target = NULL, *options = NULL;

	UNUSED(row, state);
	while ((word = word_next(&line))) {
		if (!strncmp(word, "SRC=", 4))
			source = word + 4;
		else if (!strncmp(word, "TARGET=", 7))
			target = word + 7;
		else if (!strncmp(word, "ATTRS=", 6))
			options = word + 6;
	}
	if (!source || !target || !options || !strstr(source, ":/"))
		return;
	fprintf(out, "SRC=%s TARGET=", source);
	files_put_path(target, out);
	fputs(" ATTRS=", out);
	public_options(out, options);
}

/* NFS storages of Proxmox VE. Storages of plugins may have a password. */
void secrets_storage_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			  FILE *out)
{
	static const struct secrets_key keys[] = {
		{ NULL, "path", FORM_PATH },       { NULL, "server", FORM_WORDS },
		{ NULL, "options", FORM_OPTIONS }, { NULL, "content", FORM_WORDS },
		{ NULL, "export", FORM_PATH },     { NULL, "nodes", FORM_WORDS },
		{ NULL, "disable", FORM_HIDDEN },
	};
	bool indented = isblank((unsigned char)*line);
	char *word = word_next(&line);
	size_t i;

	(void)row;
	if (!word || *word == '#')
		return;
	line = text_trim(line);
	if (!indented) {
		state->number = !strcmp(word, "nfs:");
		if (state->number && *line) {
			fputs("nfs: ", out);
			secrets_put_form(FORM_WORD, line, out);
		}
		return;
	}
	for (i = 0; state->number && i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].key, word))
			continue;
		fprintf(out, "\t%s", word);
		if (*line)
			fputc(' ', out);
		if (*line)
			secrets_put_form(keys[i].form, line, out);
	}
}

/* --- the kernel ------------------------------------------------------------------------ */

/* What modprobe-conf.c reads. A parameter has blanks only in quotes, at any position (next_arg() in
 * the kernel's lib/cmdline.c). */
void secrets_cmdline_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			  FILE *out)
{
	size_t len;
	char *value;

	UNUSED(row, state);
	while (*(line += strspn(line, " \t"))) {
		bool quoted = false, last;

		for (len = 0; line[len] && (quoted || !isspace((unsigned char)line[len])); len++)
			quoted ^= line[len] == '"';
		last = !line[len];
		line[len] = '\0';
		value = strchr(line, '=');
		if (value && (!strncmp(line, "modprobe.blacklist=", 19) ||
			      !strncmp(line, "module_blacklist=", 17))) {
			fprintf(out, "%.*s", (int)(value + 1 - line), line);
			secrets_put_form(FORM_WORDS, value + 1, out);
		} else {
			secrets_put_hidden(line, out);
		}
		fputs(last ? "" : " ", out);
		line += len + !last;
	}
}

/* Only whether an option is on. */
void secrets_kconfig_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			  FILE *out)
{
	size_t len = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789_");

	UNUSED(row, state);
	if (!strncmp(line, "CONFIG_", 7) &&
	    (!strcmp(line + len, "=y") || !strcmp(line + len, "=m")))
		fputs(line, out);
}

static bool files_is_module(const char *name)
{
	return strlen(name) < 56 &&
	       !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789_-*?.:,")];
}

/* "blacklist NAME", "install NAME COMMAND"; of the command, whether it loads anything. */
void secrets_modprobe_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			   FILE *out)
{
	static const char *const nothing[] = { "false", "true", ":", "exit", "echo" };
	char *word = word_next(&line), *name = word ? word_next(&line) : NULL, *command;
	size_t i;

	UNUSED(row, state);
	if (!name || !files_is_module(name))
		return;
	if (!strcmp(word, "blacklist"))
		fprintf(out, "blacklist %s", name);
	if (strcmp(word, "install"))
		return;
	fprintf(out, "install %s", name);
	command = word_next(&line);
	for (i = 0; command && i < ARRAY_SIZE(nothing); i++)
		if (!strcmp(text_base_name(command), nothing[i]))
			break;
	if (command)
		fprintf(out, " %s", i < ARRAY_SIZE(nothing) ? nothing[i] : "xxxx");
}

void secrets_module_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			 FILE *out)
{
	char *name = word_next(&line);

	UNUSED(row, state);
	if (name && *name != '#' && *name != ';' && files_is_module(name))
		fputs(name, out);
}

/* The first word of a file with one line. */
void secrets_word_line(const struct secrets_row *row, char *line, struct secrets_state *state,
		       FILE *out)
{
	char *word = state->number++ ? NULL : word_next(&line);

	(void)row;
	if (word)
		secrets_put_form(FORM_WORD, word, out);
}

/* --- the system ------------------------------------------------------------------------ */

/* "/srv/vm 192.0.2.0/24(rw,...)": the path; of what is exported now, the first client too. */
void secrets_exports_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			  FILE *out)
{
	char *path = word_next(&line), *client, *options;

	(void)state;
	if (!path || *path == '#')
		return;
	if (*path == '"' && path[1] == '/')
		fputs(path, out);
	else
		files_put_path(path, out);
	client = word_next(&line);
	options = client ? strrchr(client, '(') : NULL;
	if (!options || strcmp(row->pattern, "var/lib/nfs/etab"))
		return;
	*options = '\0';
	fputc(' ', out);
	fputs(client[strspn(client, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_-.:/*?@[]")]
		      ? text_placeholder(strlen(client))
		      : client,
	      out);
	fputs("()", out);
}

/* The names of interfaces; readers do not use their configuration. */
void secrets_interfaces_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			     FILE *out)
{
	char *word = word_next(&line), *name = word ? word_next(&line) : NULL;

	UNUSED(row, state);
	if (!name || strcmp(word, "iface"))
		return;
	fputs("iface ", out);
	secrets_put_form(FORM_WORD, name, out);
}

/* The sections of devices (managers.c); below them there may be keys of a wireless network. */
void secrets_netplan_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			  FILE *out)
{
	static const char *const sections[] = { "ethernets:", "bonds:", "bridges:", "vlans:" };
	size_t i;

	UNUSED(row, state);
	line = text_trim(line);
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		if (!strncmp(line, sections[i], strlen(sections[i])))
			fprintf(out, "  %s", sections[i]);
}

/* limits.conf(5), of locked memory: domain, type, item, value. */
void secrets_limits_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			 FILE *out)
{
	char *words[4];
	size_t i;

	UNUSED(row, state);
	line[strcspn(line, "#")] = '\0';
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		words[i] = word_next(&line);
		if (!words[i])
			return;
	}
	if (strcmp(words[2], "memlock"))
		return;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		fputs(i ? " " : "", out);
		secrets_put_form(FORM_WORD, words[i], out);
	}
}

/* services(5): a name, a port, and other names. */
void secrets_services_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			   FILE *out)
{
	char *name, *port, *word;

	UNUSED(row, state);
	line[strcspn(line, "#")] = '\0';
	name = word_next(&line);
	port = name ? word_next(&line) : NULL;
	if (!port || port[strspn(port, "0123456789")] != '/')
		return;
	secrets_put_form(FORM_WORD, name, out);
	fprintf(out, " %.*s/", (int)strspn(port, "0123456789"), port);
	secrets_put_form(FORM_WORD, strchr(port, '/') + 1, out);
	while ((word = word_next(&line))) {
		fputc(' ', out);
		secrets_put_form(FORM_WORD, word, out);
	}
}

/* What fabric-udev-*.c look for in a rule. */
void secrets_udev_line(const struct secrets_row *row, char *line, struct secrets_state *state,
		       FILE *out)
{
	static const char address[] = "ATTR{address}==\"";
	static const char *const modes[] = { "ATTR{mode}=\"connected\"",
					     "ATTR{mode}=\"datagram\"" };
	const char *at = strstr(line, address);
	size_t i, len;

	UNUSED(row, state);
	if (line[strspn(line, " \t")] == '#')
		return;
	if (at) {
		at += sizeof(address) - 1;
		len = strspn(at, "0123456789abcdefABCDEF:*?");
		fprintf(out, "%s%.*s\", ", address, (int)len, at);
	}
	if (strstr(line, "NAME=\""))
		fputs("NAME=\"xxxx\", ", out);
	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (strstr(line, modes[i]))
			fprintf(out, "%s, ", modes[i]);
	if (strstr(line, "connected") && strstr(line, "/mode"))
		fputs("RUN+=\"connected /mode\"", out);
}

/* Whether VDSM's own file is patched (platform.c). */
void secrets_vdsm_source_line(const struct secrets_row *row, char *line,
			      struct secrets_state *state, FILE *out)
{
	UNUSED(row, state);
	if (strstr(line, "DEFAULT_OPTIONS") && strstr(line, "rdma"))
		fputs("DEFAULT_OPTIONS rdma", out);
}

/* --- whole texts ----------------------------------------------------------------------- */

struct ganesha_text {
	const char *at;
	FILE *out;
	char token[512];
	char quote; /* '\0': none */
	bool cut;
};

/* As ganesha_token_next() in ganesha.c. Newlines are written: findings cite line numbers. */
static bool ganesha_text_next(struct ganesha_text *text)
{
	bool comment = false;
	size_t len;

	for (; *text->at && (comment || isspace((unsigned char)*text->at) || *text->at == '#');
	     text->at++) {
		comment = *text->at != '\n' && (comment || *text->at == '#');
		if (*text->at == '\n')
			fputc('\n', text->out);
	}
	text->quote = *text->at == '"' || *text->at == '\'' ? *text->at : '\0';
	if (text->quote)
		len = strcspn(++text->at, (const char[]){ text->quote, '\0' });
	else
		len = *text->at && strchr("{}=;,", *text->at)
			      ? 1
			      : strcspn(text->at, "{}=;,#\"' \t\r\n\f\v");
	text->cut = len >= sizeof(text->token);
	snprintf(text->token, sizeof(text->token), "%.*s", (int)(text->cut ? 0 : len), text->at);
	text->at += len;
	if (text->quote)
		text->at += *text->at != '\0';
	return len || text->quote;
}

static bool ganesha_text_is(const struct ganesha_text *text, const char *token)
{
	return !text->quote && !strcasecmp(text->token, token);
}

static void ganesha_text_put(const struct ganesha_text *text, enum secrets_form form)
{
	char copy[sizeof(text->token)];
	const char *p;

	str_copy(copy, sizeof(copy), text->token);
	fputs(" ", text->out);
	if (text->quote)
		fputc(text->quote, text->out);
	if (text->cut || (text->quote && strpbrk(copy, "\n")))
		fputs("xxxx", text->out);
	else if (*copy)
		secrets_put_form(form, copy, text->out);
	/* A quoted text may have lines. */
	for (p = text->token; text->quote && *p; p++)
		if (*p == '\n')
			fputc('\n', text->out);
	if (text->quote)
		fputc(text->quote, text->out);
}

static void ganesha_text_put_mark(const struct ganesha_text *text)
{
	fputs(text->token, text->out);
}

static bool ganesha_text_is_mark(const struct ganesha_text *text)
{
	return !text->quote && text->token[0] && strchr("{}=;,", text->token[0]);
}

/* KEY = VALUE[, VALUE...]; after the "=". */
static void ganesha_text_values(struct ganesha_text *text, bool known)
{
	ganesha_text_put_mark(text);
	while (ganesha_text_next(text)) {
		if (ganesha_text_is_mark(text))
			ganesha_text_put_mark(text);
		else
			ganesha_text_put(text, known ? FORM_WORD : FORM_HIDDEN);
		if (ganesha_text_is(text, ";") || ganesha_text_is(text, "}"))
			return;
	}
}

/* As ganesha_parse_block(): only NFS_CORE_PARAM has anything that is read. */
static void ganesha_text_block(struct ganesha_text *text, bool core)
{
	static const char *const keys[] = { "Protocols", "NFS_Protocols",
					    "NFS_RDMA_Protocol_Versions", "NFS_RDMA_Port" };
	unsigned int depth = 1;
	bool known = false;
	size_t i;

	ganesha_text_put_mark(text);
	while (depth && ganesha_text_next(text)) {
		if (ganesha_text_is(text, "=") && core && depth == 1) {
			ganesha_text_values(text, known);
			depth -= ganesha_text_is(text, "}");
			known = false;
		} else if (ganesha_text_is_mark(text)) {
			depth += ganesha_text_is(text, "{");
			depth -= ganesha_text_is(text, "}");
			if (strchr("{}", text->token[0]))
				ganesha_text_put_mark(text);
		} else if (core && depth == 1) {
			for (i = 0, known = false; i < ARRAY_SIZE(keys); i++)
				known |= !strcasecmp(text->token, keys[i]);
			ganesha_text_put(text, known ? FORM_WORD : FORM_HIDDEN);
		}
	}
}

int secrets_ganesha_text(char *bytes, size_t len, FILE *out)
{
	static const char *const directives[] = { "%include", "%url", "%dir" };
	struct ganesha_text text = { .at = bytes, .out = out };
	bool core = false;
	size_t i;

	(void)len;
	while (ganesha_text_next(&text)) {
		if (ganesha_text_is(&text, "{")) {
			ganesha_text_block(&text, core);
			continue;
		}
		for (i = 0; i < ARRAY_SIZE(directives); i++)
			if (ganesha_text_is(&text, directives[i]))
				break;
		if (i < ARRAY_SIZE(directives)) {
			fprintf(out, " %s", directives[i]);
			if (ganesha_text_next(&text))
				ganesha_text_put(&text, FORM_FILE);
			continue;
		}
		core = !strcasecmp(text.token, "NFS_CORE_PARAM");
		if (ganesha_text_is_mark(&text))
			ganesha_text_put_mark(&text);
		else
			ganesha_text_put(&text, core ? FORM_WORD : FORM_HIDDEN);
	}
	return 0;
}

static void partitions_put_flag(char *flag, FILE *out)
{
	char *value = strchr(flag, '='), *name;

	if (value)
		*value++ = '\0';
	name = text_trim(flag);
	if (!strcasecmp(name, "ipoib") || !strcasecmp(name, "rate") || !strcasecmp(name, "mtu"))
		fputs(name, out);
	else
		secrets_put_hidden(name, out);
	if (value) {
		fputc('=', out);
		secrets_put_form(FORM_WORD, text_trim(value), out);
	}
}

/* "Default=0x7fff, rate=3, mtu=4, ipoib : ALL=full;": all but the members. */
int secrets_partitions_text(char *text, size_t len, FILE *out)
{
	char *hash, *entry, *flag, *key;

	(void)len;
	for (hash = strchr(text, '#'); hash; hash = strchr(hash, '#'))
		memset(hash, ' ', strcspn(hash, "\n"));
	while ((entry = strsep(&text, ";"))) {
		entry[strcspn(entry, ":")] = '\0';
		flag = strsep(&entry, ",");
		key = strchr(flag, '=');
		if (!key)
			continue;
		*key++ = '\0';
		secrets_put_form(FORM_WORD, text_trim(flag), out);
		fputc('=', out);
		secrets_put_form(FORM_WORD, text_trim(key), out);
		while ((flag = strsep(&entry, ","))) {
			fputs(", ", out);
			partitions_put_flag(flag, out);
		}
		fputs(" : ;\n", out);
	}
	return 0;
}

int secrets_pool_text(char *text, size_t len, FILE *out)
{
	_cleanup_free_ char *made = NULL;
	int rc = pool_public_xml(text, len, &made);

	if (!rc)
		fputs(made, out);
	return rc;
}

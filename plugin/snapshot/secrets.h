/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The formats of files in a snapshot, for secrets.c. */
#ifndef PLUGIN_SNAPSHOT_SECRETS_H
#define PLUGIN_SNAPSHOT_SECRETS_H

#include <stdio.h>

#include "plugin/snapshot/internal.h"

/* What a value must look like to be kept. */
enum secrets_form {
	FORM_WORD,      /* a number, a switch, a name: no blanks, up to 64 bytes */
	FORM_SWITCH,    /* a number or a switch, in [environment], where any value may be set */
	FORM_WORDS,     /* words, addresses and numbers */
	FORM_UNITS,     /* names of units, or paths */
	FORM_PATH,      /* up to the first blank */
	FORM_FILE,      /* a path, relative or not, or a URL without a user */
	FORM_SOURCE,    /* "nas:/vm" */
	FORM_LINE,      /* printable text of a distribution */
	FORM_OPTIONS,   /* mount options */
	FORM_ARGUMENTS, /* of rpc.nfsd */
	FORM_LISTENER,  /* a command: only whether it adds an RDMA listener */
	FORM_HIDDEN,    /* never */
};

/* A setting that a check reads. */
struct secrets_key {
	const char *section; /* NULL: in any, and before the first */
	const char *key;     /* fnmatch(3), without regard to case */
	enum secrets_form form;
};

enum secrets_dialect {
	HAS_SECTIONS = 1,
	HAS_COMMENTS = 2, /* '#' and ';' end a value */
	HAS_QUOTES = 4,
	HAS_OPTIONS = 8,   /* every mount option is a key */
	IS_JOINED = 16,    /* a backslash joins two lines */
	NOT_NUMBERED = 32, /* no finding has numbers of lines: empty ones are dropped */
};

struct secrets_row;

/* Writes what may be kept of a line, which it may change; or nothing. @state: per file, at
 * first zero. */
struct secrets_state {
	unsigned int number;
	char section[64];
};
typedef void (*secrets_line_fn)(const struct secrets_row *row, char *line,
				struct secrets_state *state, FILE *out);

struct secrets_row {
	const char *pattern; /* fnmatch(3), where "*" also matches slashes */
	/* One of them; neither: kept as it is, and @pattern is that of the real path, since a link
	 * may lead from it to any file. */
	secrets_line_fn line;
	int (*text)(char *text, size_t len, FILE *out);
	unsigned int dialect;
	const char *separators; /* between key and value */
	const struct secrets_key *keys;
	size_t nkeys;
};

/* Writes the value, or a placeholder if it has not the form. Changes it. */
void secrets_put_form(enum secrets_form form, char *value, FILE *out);
/* Writes a placeholder for @text. */
void secrets_put_hidden(const char *text, FILE *out);

/* secrets-settings.c: "key = value", with the keys of the row */
void secrets_settings_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			   FILE *out);

/* secrets-files.c */
void secrets_cmdline_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			  FILE *out);
void secrets_exports_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			  FILE *out);
void secrets_fstab_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			FILE *out);
void secrets_interfaces_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			     FILE *out);
void secrets_kconfig_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			  FILE *out);
void secrets_limits_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			 FILE *out);
void secrets_modprobe_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			   FILE *out);
void secrets_module_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			 FILE *out);
void secrets_mountinfo_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			    FILE *out);
void secrets_mountstats_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			     FILE *out);
void secrets_netplan_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			  FILE *out);
void secrets_services_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			   FILE *out);
void secrets_storage_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			  FILE *out);
void secrets_udev_line(const struct secrets_row *row, char *line, struct secrets_state *state,
		       FILE *out);
void secrets_utab_line(const struct secrets_row *row, char *line, struct secrets_state *state,
		       FILE *out);
void secrets_vdsm_source_line(const struct secrets_row *row, char *line,
			      struct secrets_state *state, FILE *out);
void secrets_word_line(const struct secrets_row *row, char *line, struct secrets_state *state,
		       FILE *out);
int secrets_ganesha_text(char *text, size_t len, FILE *out);
int secrets_partitions_text(char *text, size_t len, FILE *out);
int secrets_pool_text(char *text, size_t len, FILE *out);

#endif

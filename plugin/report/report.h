/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The report: findings, a verdict, and renderers. One table (meaning.c; its texts are in findings/)
 * has the title, cause, remedy and references of every finding id; `explain`, the manual page and
 * every renderer read that table.
 *
 * Nothing here reads a clock, a terminal or the environment: the caller passes what is needed. */
#ifndef PLUGIN_REPORT_H
#define PLUGIN_REPORT_H

#include <stdio.h>
#include <time.h>

#include "rpcrdma/finding.h"
#include "rpcrdma/matrix.h"

/* meaning.c */

/* Systems that a step may be for, of four kinds: the distribution, by its packages; what configures the
 * network; what configures the firewall; and the NFS server, as the probe identified it. */
enum report_system {
	SYSTEM_DEBIAN = 1 << 0, /* and Proxmox VE */
	SYSTEM_UBUNTU = 1 << 1,
	SYSTEM_RHEL = 1 << 2, /* and its kin */
	SYSTEM_SUSE = 1 << 3,
	SYSTEM_ARCH = 1 << 4,
	SYSTEM_NETWORKMANAGER = 1 << 5,
	SYSTEM_NETPLAN = 1 << 6,
	SYSTEM_IFUPDOWN = 1 << 7,
	SYSTEM_WICKED = 1 << 8,
	SYSTEM_NETWORKD = 1 << 9,
	SYSTEM_FIREWALLD = 1 << 10,
	SYSTEM_NFTABLES = 1 << 11,
	SYSTEM_IPTABLES = 1 << 12,
	SYSTEM_UFW = 1 << 13,
	SYSTEM_LINUX_SERVER = 1 << 14,
	SYSTEM_GANESHA_SERVER = 1 << 15,
	SYSTEM_OTHER_SERVER = 1 << 16,
};

/* Something to do. "{key}" stands for the evidence of that key. */
struct step {
	unsigned int
		systems; /* within a kind any of them, of each kind one; of no kind: all */
	const char *text;    /* "Load the module" */
	const char *command; /* to be pasted into a shell; NULL: there is none */
};

/* Why a finding is not good: a word that the code which saw it has chosen (finding_reason()). */
struct reason {
	const char *name;         /* "refused"; it never changes its meaning either */
	const char *cause;        /* of this case alone; "{key}" as in a step */
	const struct step *steps; /* in their order; that of text NULL ends them */
	const char *see[6];       /* ends with NULL */
	const char *const *
		follows; /* as in struct meaning; the finding's where it has none itself */
	/* Added to the cause where the server is known to be of that kind; NULL: nothing. */
	const char *linux_cause, *ganesha_cause;
};

/* What an id means, whatever was seen. All strings are static, and never NULL unless the comment
 * says so. */
struct meaning {
	const char *id;
	const char *group; /* heading in lists; rows of one group stand together */
	const char *title; /* at most MEANING_TITLE_MAX characters */
	const char *what;  /* explain: what is examined, and how */
	const char *cause; /* why it fails or warns */
	/* What is known of one kind of server: part of the cause where it is, or may be, that;
	 * NULL: nothing. */
	const char *linux_cause, *ganesha_cause;
	const char *remedy;  /* what to do then */
	const char *unknown; /* what to do if the status is unknown, in place of both;
			      * NULL: cause and remedy say it */
	const char *see[6];  /* "RFC 8166 3.4.6"; ends with NULL */
	/* "ID" or "ID/REASON": where one of these is not good in the same report, this finding
	 * follows from it. Ends with NULL. */
	const char *const *follows;
	const struct reason *reasons; /* that of name NULL ends them */
	bool decisive;                /* unknown here makes the verdict unknown */
};

#define MEANING_TITLE_MAX 26

/* All rows in order: the first after NULL; NULL after the last. */
const struct meaning *meaning_next(const struct meaning *after);
/* NULL if there is no such id. */
const struct meaning *meaning_find(const char *id);
/* The whole cause where the server is of the kind @server, a word of probe.server's evidence
 * ("linux"); NULL, or "unknown": it may be any. Returns buf. */
#define MEANING_CAUSE_MAX 2048
const char *meaning_cause(const struct meaning *meaning, const char *server,
			  char buf[MEANING_CAUSE_MAX]);
/* The reason of that name, of this finding or common to all; NULL: there is none such. */
const struct reason *meaning_reason(const struct meaning *meaning, const char *name);
/* Whether it is for a host of these systems. Of a kind of which @systems has none, all are possible. */
bool meaning_step_fits(const struct step *step, unsigned int systems);
/* Its text, with the systems that it is for before it, where the host may be of others:
 * "Debian, Ubuntu: ..." Returns @buf. */
#define STEP_TEXT_MAX 1024
const char *meaning_step(const struct step *step, unsigned int systems, char *buf,
			 size_t cap);
/* The id that was probably meant, NULL if none is near. @id may be anything. */
const struct meaning *meaning_near(const char *id);

/* messages.c: what other programs print, and what it means for NFS over RDMA */

struct message {
	const char *program; /* "mount.nfs", or "Linux, NFS client" */
	const char *text;    /* "access denied by server while mounting {source}" */
	const char *source;  /* the file and the version whose format string prints it */
	const char *finding; /* ID or ID/REASON */
	const char *cause;
	const struct step *steps; /* that of text NULL ends them */
};

/* All rows in order: the first after NULL; NULL after the last. */
const struct message *message_next(const struct message *after);
/* How many characters of the message @text has, in its order, or of @text the message; 0: it is not in
 * there. Where several match that with the most is meant. */
#define MESSAGE_TEXT_MAX 4096
size_t message_match(const struct message *message, const char *text);

/* report.c */

enum verdict { VERDICT_PASS, VERDICT_WARN, VERDICT_FAIL, VERDICT_UNKNOWN };

/* Exit status of the command nfsrdma; --format nagios has Nagios's own. */
enum exit_status {
	EXIT_GOOD = 0,   /* verdict pass or warn */
	EXIT_FAILED = 1, /* verdict fail */
	EXIT_USAGE = 2,  /* the command line was wrong; nothing was done */
	EXIT_UNKNOWN =
		3, /* verdict unknown, or the report could not be made or written */
};

struct report;

/* NULL: no memory. If memory runs out later, report_print() fails. */
struct report *report_new(const char *command);
void report_free(struct report *report);
void report_free_p(struct report **report);
/* When the work began, by the wall clock, and how long it took. */
void report_times(struct report *report, time_t started, double elapsed_ms);
/* Keys: server, port, export, file, transport, nfs_version; others are -EINVAL. A later value
 * replaces the earlier one. */
int report_subject(struct report *report, const char *key, const char *value);
/* Copies. A finding whose id is not in the table is refused with -EINVAL: a bug of ours, or a
 * hostile record. -ENOSPC: more findings than any command makes. */
int report_add(struct report *report, const struct finding *finding);
/* For code that passes its findings to a sink. */
struct report_collector {
	struct report *report;
	int rc; /* of the first finding that the report refused */
};

/* A finding_sink; @arg is a collector. */
void report_collect(void *arg, const struct finding *finding);
/* The systems of the host on which steps are taken, of enum report_system. Of a kind that is not known
 * the steps of all are shown. */
void report_for(struct report *report, unsigned int systems);
/* What READs returned; a copy is kept. */
void report_matrix(struct report *report, const struct matrix *matrix);
/* The report ends with one list of steps, each step once, in place of steps beside each cause. */
void report_todo(struct report *report);
/* The work was interrupted: its findings stand, but the verdict is fail or unknown. */
void report_cut(struct report *report);
/* fail if any finding failed; else unknown if a decisive one is unknown (where no server is asked about,
 * for another reason than that only root may see it), if the work was cut off, or if nothing passed or
 * warned; else warn if any warns; else pass. */
enum verdict report_verdict(const struct report *report);
const char *verdict_name(enum verdict verdict);
enum exit_status verdict_exit(enum verdict verdict);

/* "ID/REASON", or "ID" where it has none, as explain takes it. Returns buf. */
#define REPORT_NAME_MAX (FINDING_ID_MAX + FINDING_REASON_MAX)
const char *report_name(const struct finding *finding, char buf[REPORT_NAME_MAX]);

/* What to do first where its reason says so, as a sentence: "Load the module: 'modprobe rpcrdma'." Else "".
 * Returns @buf. */
#define REPORT_STEP_MAX 1600
const char *report_first_step(const struct report *report, const struct finding *finding,
			      char buf[REPORT_STEP_MAX]);
/* Cause and remedy of a finding that is in no report, for a log; by its reason if it has one. Both are ""
 * if it passed or was skipped. */
#define REPORT_REMEDY_MAX 8192
struct report_advice {
	char cause[MEANING_CAUSE_MAX], remedy[REPORT_REMEDY_MAX];
};
void report_advise(const struct finding *finding, struct report_advice *advice);

/* table.c: an overview that only the text has, before the findings; the other formats have the same
 * data as evidence. */

#define REPORT_COLUMNS_MAX 8

/* Texts end with NULL and are copied. The last @nnames columns, one at least, may be of any length: they
 * have lines of their own where they do not fit. Errors: -ENOMEM, and report_print() fails then. */
int report_columns(struct report *report, const char *const *heads, unsigned int nnames);
/* @status: of the row; a quiet report omits rows that pass. */
int report_row(struct report *report, enum finding_status status,
	       const char *const *cells);

/* How the text is laid out. The other formats ignore it. */
struct report_style {
	unsigned int width; /* columns to wrap at; 0: 80 */
	bool color;
	bool utf8;    /* the terminal shows more than ASCII */
	bool quiet;   /* only what needs attention, and the verdict */
	bool verbose; /* every finding, with its evidence */
	bool terse;   /* a line for each cause and each fact */
};

/* A report format: each is a file, and a row in report.c. */
struct report_format {
	const char *name;
	/* @out is a memory stream: errors of the destination are report_print()'s. */
	void (*render)(const struct report *report, FILE *out,
		       const struct report_style *style);
	int (*exit_status)(enum verdict verdict);
};

extern const struct report_format *const report_formats[]; /* ends with NULL */
/* NULL: there is none. */
const struct report_format *report_format_find(const char *name);
/* Renders in memory and writes all at once: a report is whole or absent. -ENOMEM, or -errno of
 * the stream. */
int report_print(const struct report *report, const struct report_format *format,
		 FILE *out, const struct report_style *style);

/* utf8.c: text from a peer, a file name or a command line, before it is shown */

enum utf8_repair {
	UTF8_ESCAPE,  /* for a terminal: \x1b, nothing is lost */
	UTF8_REPLACE, /* for JSON: U+FFFD */
};

/* Writes @text as valid UTF-8 without control or direction characters, cut at a character to
 * fit @cap. Returns out. */
char *utf8_clean(char *out, size_t cap, const char *text, enum utf8_repair repair);
/* Bytes of the first character; 1 where it is none, which is not @printable. */
size_t utf8_length(const char *text, bool *printable);
/* Columns of clean text, one a character. */
size_t utf8_width(const char *text);

/* wrap.c */

/* Prints clean @text in lines of at most @width columns, every line but the first after
 * @indent blanks; the first line begins at column @indent, where the caller stands. A word
 * longer than a line is not broken. Ends with a newline. */
void wrap_print(FILE *out, const char *text, unsigned int indent, unsigned int width);

#endif

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

#include "rpcrdma/base/finding.h"
#include "rpcrdma/base/matrix.h"

/* meaning.c */

/* Systems that a step may be for, of four kinds: the distribution, by its packages; what configures
 * the network; what configures the firewall; and the NFS server, as the probe identified it. */
enum report_system {
	SYSTEM_DEBIAN = 1 << 0, /* and Proxmox VE */
	SYSTEM_UBUNTU = 1 << 1,
	SYSTEM_RHEL = 1 << 2, /* and derivatives */
	SYSTEM_SUSE = 1 << 3,
	SYSTEM_ARCH = 1 << 4,
	SYSTEM_DISTRIBUTIONS = (1 << 5) - 1, /* all of this kind */
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

/* What a step does, from harmless to worst. From "interrupts" on its text gets a warning. */
enum step_effect {
	STEP_READS,
	STEP_CHANGES,    /* settings, files or packages; or a person does what cannot be told */
	STEP_STOPS,      /* a guest, which is its purpose: "interrupts" without a warning */
	STEP_INTERRUPTS, /* guests on that mount, pool or interface */
	STEP_RESTARTS,   /* the NFS server: its clients wait, or get errors */
	STEP_REBOOTS,    /* this host */
	STEP_EFFECT_COUNT
};

/* An instruction. "{key}" stands for the evidence with that key. */
struct step {
	unsigned int systems; /* must match one of each kind that is set; none set: all systems */
	const char *text;     /* "Load the module" */
	const char *command;  /* to paste into a shell; NULL: none */
	enum step_effect effect;
};

/* What happens to a user if a finding is not good, from harmless to worst. */
enum consequence {
	CONSEQUENCE_UNDECIDED, /* none is known: the finding is only ever unknown */
	CONSEQUENCE_NONE,
	CONSEQUENCE_PROTOCOL, /* violates an RFC, and Linux clients get correct data */
	CONSEQUENCE_SLOW,
	CONSEQUENCE_LATER, /* works until the next boot, restart or mount */
	/* From here on: serious. */
	CONSEQUENCE_TCP, /* mounted over TCP although RDMA is requested */
	CONSEQUENCE_NO_MOUNT,
	CONSEQUENCE_IO_ERROR,
	CONSEQUENCE_HANG,
	CONSEQUENCE_SERVER_CRASH,
	CONSEQUENCE_DATA, /* wrong data without an error */
	CONSEQUENCE_COUNT
};

/* Why a finding is not good: chosen by the code that made the finding (finding_reason()). */
struct reason {
	const char *name;           /* "refused"; its meaning never changes */
	const char *cause;          /* for this reason only; "{key}" as in a step */
	const struct step *steps;   /* in order, ended by one with text NULL */
	const char *see[6];         /* ends with NULL */
	const char *const *follows; /* as in struct meaning; else the finding's */
	/* Added to the cause if the server is known to be of that kind; NULL: nothing. */
	const char *linux_cause, *ganesha_cause;
	enum consequence consequence;
	bool possible; /* not certain: a warning, unless this run saw it and the code says fail */
};

/* The meaning of an id in general. All strings are static, and NULL only where a comment
 * says so. */
struct meaning {
	const char *id;
	const char *group; /* heading in lists; rows of one group stand together */
	const char *title; /* at most MEANING_TITLE_MAX characters */
	const char *what;  /* explain: what is examined, and how */
	const char *cause; /* why it fails or warns */
	/* Added to the cause if the server is, or may be, of this kind; NULL: nothing. */
	const char *linux_cause, *ganesha_cause;
	const char *remedy;  /* what to do about it */
	const char *unknown; /* what to do if the status is unknown, in place of both;
			      * NULL: cause and remedy say it */
	const char *see[6];  /* "RFC 8166 3.4.6"; ends with NULL */
	/* "ID" or "ID/REASON": if one of these is not good in the same report, this finding
	 * follows from it. Ends with NULL. */
	const char *const *follows;
	const struct reason *reasons; /* ended by one with name NULL */
	enum consequence consequence; /* where no reason is known */
	bool decisive;                /* unknown here makes the verdict unknown */
};

#define MEANING_TITLE_MAX 26

/* All rows in order: the first after NULL; NULL after the last. */
const struct meaning *meaning_next(const struct meaning *after);
/* NULL if there is no such id. */
const struct meaning *meaning_find(const char *id);
/* The whole cause for a server of the kind @server, a value of probe.server's evidence
 * ("linux"); NULL or "unknown": any kind. Returns buf. */
#define MEANING_CAUSE_MAX 2048
const char *meaning_cause(const struct meaning *meaning, const char *server,
			  char buf[MEANING_CAUSE_MAX]);
/* The reason with that name, of this finding or common to all, or NULL. */
const struct reason *meaning_reason(const struct meaning *meaning, const char *name);
/* "no-mount"; "" for CONSEQUENCE_UNDECIDED. */
const char *consequence_name(enum consequence consequence);
/* Of a finding that fails or warns; CONSEQUENCE_UNDECIDED of any other. */
enum consequence consequence_of(const struct finding *finding);
/* The status that follows from the consequence of the finding's reason:
 *
 *	                         the code says fail   the code says warn
 *	serious                  fail                 fail
 *	serious and possible     fail                 warn
 *	tcp                      fail                 warn: prefer
 *	later, slow, protocol    warn                 warn
 *	none                     pass                 pass
 *
 * Any other status stays, as does that of a finding without a reason. */
enum finding_status consequence_status(const struct finding *finding);
/* A copy with that status; for finding_fini(). */
void consequence_weigh(struct finding *to, const struct finding *from);
/* Whether it applies to a host of these systems. If @systems has none of a kind, all of
 * that kind are possible. */
bool meaning_step_fits(const struct step *step, unsigned int systems);
/* Its text, prefixed with its systems if the host may be another one: "Debian, Ubuntu: ..."
 * Returns @buf. */
#define STEP_TEXT_MAX 1024
const char *meaning_step(const struct step *step, unsigned int systems, char *buf, size_t cap);
/* The most similar id, or NULL if none is similar. @id may be any string. */
const struct meaning *meaning_near(const char *id);

/* messages.c: messages of other programs, and their meaning for NFS over RDMA */

struct message {
	const char *program; /* "mount.nfs", or "Linux, NFS client" */
	const char *text;    /* "access denied by server while mounting {source}" */
	const char *finding; /* ID or ID/REASON */
	/* Of the kernel's: "client", "server", "device": in a log it is worth a finding, log.client
	 * and so on; empty: it only goes with its finding. */
	const char *log;
	const char *
		ends; /* the text of the message that this one ends, for the same first {name}; or empty */
	const char *cause;
	const struct step *steps; /* ended by one with text NULL */
};

/* All rows in order: the first after NULL; NULL after the last. */
const struct message *message_next(const struct message *after);
/* The number of matching characters, of @text with the message or with a part of it; 0: no
 * match. Of several matches the longest applies. */
#define MESSAGE_TEXT_MAX 4096
size_t message_match(const struct message *message, const char *text);
/* The row of a program, by how its name begins ("Linux": of all of the kernel), all of whose parts
 * this line has, in their order; NULL: none. */
const struct message *message_of(const char *program, const char *line);
/* What @line, of that message, has for its first {name}. Empty: it has none, or not between two
 * parts. */
void message_value(const struct message *message, const char *line, char *buf, size_t cap);

/* report.c */

enum verdict { VERDICT_PASS, VERDICT_WARN, VERDICT_FAIL, VERDICT_UNKNOWN };

/* Exit status of the nfsrdma command; --format nagios uses Nagios's own. */
enum exit_status {
	EXIT_GOOD = 0,    /* verdict pass or warn */
	EXIT_FAILED = 1,  /* verdict fail */
	EXIT_USAGE = 2,   /* invalid command line; nothing was done */
	EXIT_UNKNOWN = 3, /* verdict unknown, or the report could not be made or written */
};

struct report;

/* NULL: no memory. If memory runs out later, report_print() fails. */
struct report *report_new(const char *command);
void report_free(struct report *report);
void report_free_p(struct report **report);
/* The start of the work, by the wall clock, and its duration. */
void report_times(struct report *report, time_t started, double elapsed_ms);
/* Keys: server, port, export, file, transport, nfs_version; others are -EINVAL. A later value
 * replaces the earlier one. */
int report_subject(struct report *report, const char *key, const char *value);
/* Copies @finding. An id that is not in the table is refused with -EINVAL: our bug, or an
 * untrusted record. -ENOSPC: more findings than any command makes. */
int report_add(struct report *report, const struct finding *finding);
/* For code that passes its findings to a sink. */
struct report_collector {
	struct report *report;
	int rc; /* of the first finding that the report refused */
};

/* A finding_sink; @arg is a collector. */
void report_collect(void *arg, const struct finding *finding);
/* An option of this run, "port" and its value (NULL: it takes none), which commands in steps that
 * have it repeat. */
void report_repeat(struct report *report, const char *name, const char *value);
/* The systems of the host where steps are taken, of enum report_system. If a kind is not
 * known, the steps for all of that kind are shown. */
void report_for(struct report *report, unsigned int systems);
/* The results of READs; copied. */
void report_matrix(struct report *report, const struct matrix *matrix);
/* Prints one list of steps at the end, each step once, instead of steps with each cause. */
void report_todo(struct report *report);
/* The work was interrupted: its findings are kept, but the verdict is fail or unknown. */
void report_cut(struct report *report);
/* fail if any finding failed; else unknown if a decisive one is unknown (without a server
 * in the report, only if the reason is not missing root privileges), or if the work was
 * interrupted, or if nothing passed or warned; else warn if any warns; else pass. */
enum verdict report_verdict(const struct report *report);
unsigned int report_count(const struct report *report, enum finding_status status);
/* "16 passed, 1 failed": of each status that occurs. Returns buf. */
const char *report_counts(const struct report *report, char *buf, size_t cap);
/* One sentence: can this host use NFS over RDMA with that server, and is the data correct? "" for
 * commands that do not ask this. Returns buf. */
const char *report_answer(const struct report *report, char *buf, size_t cap);
/* Calls @fn for each finding that needs attention, in the order in which to fix them: each cause,
 * then the findings that follow from it. @because: the finding from which this one follows, or
 * NULL. */
typedef void report_fn(void *arg, const struct finding *finding, const struct finding *because);
void report_each(const struct report *report, report_fn *fn, void *arg);
const char *verdict_name(enum verdict verdict);
/* Of enum exit_status. */
int verdict_exit(enum verdict verdict);

/* "ID/REASON", or "ID" without a reason, as explain accepts it. Returns buf. */
#define REPORT_NAME_MAX (FINDING_ID_MAX + FINDING_REASON_MAX)
const char *report_name(const struct finding *finding, char buf[REPORT_NAME_MAX]);

/* The first step of its reason as a sentence: "Load the module: 'modprobe rpcrdma'." "" if
 * there is none. Returns @buf. */
#define REPORT_STEP_MAX 1600
const char *report_first_step(const struct report *report, const struct finding *finding,
			      char buf[REPORT_STEP_MAX]);

/* advice.c: the cause of a finding, and what to do about it, for a log; by its reason if it has
 * one. All are "" if it passed or was skipped. */

#define REPORT_REMEDY_MAX 8192
/* journalctl -x replaces values of less than 4096 bytes. */
#define REPORT_LINES_MAX 4000
struct report_advice {
	char cause[MEANING_CAUSE_MAX], remedy[REPORT_REMEDY_MAX];
	/* Both for reading: wrapped, each step with its number, each command on a line of its
	 * own. */
	char lines[REPORT_LINES_MAX];
};
/* Of a finding outside a report. */
void report_advise(const struct finding *finding, struct report_advice *advice);
/* @report: its system and subject choose and complete the steps. */
void report_advise_in(const struct report *report, const struct finding *finding,
		      struct report_advice *advice);

/* Calls @fn for each finding with a step that interrupts guests. It may add evidence "guests",
 * which those steps name. */
void report_interrupting(struct report *report, void (*fn)(void *arg, struct finding *finding),
			 void *arg);

/* table.c: an overview before the findings, in the text format only; the other formats have
 * the same data as evidence. */

#define REPORT_COLUMNS_MAX 9

/* Strings end with NULL and are copied. The last @nnames columns may be of any length: they
 * have lines of their own if they do not fit. A table without rows is not shown, nor is a
 * column in which all cells are "". Errors: -ENOMEM, and report_print() then fails. */
int report_columns(struct report *report, const char *const *heads, unsigned int nnames);
/* The columns that are shown, in this order. */
struct report_shown {
	unsigned int count; /* 0: all */
	unsigned char columns[REPORT_COLUMNS_MAX];
};

/* @names: "mount,nfs". Errors: -EINVAL with a sentence. */
int report_choose(const char *const *heads, const char *names, struct report_shown *out);
/* The rows have no status. */
void report_plain(struct report *report);
void report_show(struct report *report, const struct report_shown *shown);
/* @status: of the row; a quiet report omits rows that pass. */
int report_row(struct report *report, enum finding_status status, const char *const *cells);

/* The layout of the text. Other formats ignore it. */
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
	void (*render)(const struct report *report, FILE *out, const struct report_style *style);
	int (*exit_status)(enum verdict verdict);
	bool metrics; /* it prints the report's metrics (metrics.h) */
};

extern const struct report_format *const report_formats[]; /* ends with NULL */
/* NULL if unknown. */
const struct report_format *report_format_find(const char *name);
/* Renders in memory, for the caller to free(3). -ENOMEM. */
int report_render(const struct report *report, const struct report_format *format,
		  const struct report_style *style, char **out);
/* The same, and writes everything at once: the report is complete or absent.
 * -ENOMEM, or -errno of the stream. */
int report_print(const struct report *report, const struct report_format *format, FILE *out,
		 const struct report_style *style);

/* json.c */

struct json_object;

/* What the format json prints, for the caller to release. NULL: no memory. */
struct json_object *report_json(const struct report *report);

/* utf8.c: text from a peer, a file name or a command line, cleaned for display */

enum utf8_repair {
	UTF8_ESCAPE,  /* for a terminal: \x1b, lossless */
	UTF8_REPLACE, /* for JSON: U+FFFD */
};

/* Writes @text as valid UTF-8 without control or direction characters, cut at a character to
 * fit @cap. Returns out. */
char *utf8_clean(char *out, size_t cap, const char *text, enum utf8_repair repair);
/* Bytes of the first character; 1 if it is invalid, which is not @printable. */
size_t utf8_length(const char *text, bool *printable);
/* Width of clean text, one column for each character. */
size_t utf8_width(const char *text);

/* wrap.c */

/* Prints clean @text in lines of at most @width columns, every line but the first after
 * @indent blanks; the first line begins at column @indent, where the caller stands. A word
 * longer than a line is not broken. Ends with a newline. */
void wrap_print(FILE *out, const char *text, unsigned int indent, unsigned int width);

#endif

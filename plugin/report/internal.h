/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the files of plugin/report share. */
#ifndef PLUGIN_REPORT_INTERNAL_H
#define PLUGIN_REPORT_INTERNAL_H

#include "plugin/report/metrics.h"
#include "plugin/report/report.h"
#include "plugin/report/shell.h"

/* Generated at build time by findings/make-table: rows in the order of causes, each group
 * together, ended by a row with id NULL. */
extern const struct meaning meaning_table[];
/* Reasons that any finding can have (texts.findings), ended by one with name NULL. */
extern const struct reason *const meaning_common;

/* Generated at build time by findings/make-messages: the rows of each program together,
 * ended by a row with program NULL. */
extern const struct message message_table[];

/* report.c */

/* What was tested; every renderer prints the keys in this order. */
enum subject_key {
	SUBJECT_SERVER,
	SUBJECT_PORT,
	SUBJECT_EXPORT,
	SUBJECT_FILE,
	SUBJECT_TRANSPORT,
	SUBJECT_NFS_VERSION,
	SUBJECT_COUNT
};

/* table.c */

struct report_row {
	enum finding_status status;
	char *cells[REPORT_COLUMNS_MAX]; /* clean; "" those that it has not */
};

struct report_table {
	unsigned int ncolumns; /* 0: there is no table */
	unsigned int nnames;   /* the last ones */
	bool plain;            /* without the rows' status */
	struct report_shown shown;
	struct report_row head;
	unsigned int nrows;
	struct report_row *rows;
};

void table_fini(struct report_table *table);
/* Some row does not pass. */
bool table_needs_care(const struct report_table *table);

/* metrics.c */

struct metric_sample {
	enum metric metric;
	double value;
	char *labels; /* as printed, without those of the scope */
};

struct metrics {
	unsigned int count;
	struct metric_sample *list;
};

void metrics_fini(struct metrics *metrics);
/* name="value": backslash and quote are escaped, the rest is clean UTF-8 in one line. */
void metric_label(FILE *out, const char *name, const char *value);

/* report.c */

/* Far more than any command makes: a bound for a hostile stream of records. */
#define REPORT_FINDINGS_MAX 2048

struct report {
	char command[32];
	char *subject[SUBJECT_COUNT]; /* NULL: not known */
	time_t started;
	double elapsed_ms;
	unsigned int systems;  /* enum report_system */
	char repeats[16][160]; /* "--port 2050", for commands in steps; "" none */
	bool cut;
	bool todo;
	bool no_memory;
	struct report_table table;
	struct matrix matrix; /* empty: there were no READs */
	struct metrics metrics;
	unsigned int nfindings;
	/* Each is as long as its evidence. */
	struct finding *findings[REPORT_FINDINGS_MAX];
};

const char *subject_name(enum subject_key key);
/* The first finding with this id, or NULL. */
const struct finding *report_find(const struct report *report, const char *id);
/* The verdict, as a finding's status. */
enum finding_status report_status(const struct report *report);
/* The finding that represents the verdict: the first cause with its status, named defects
 * first. NULL: there is none, or the verdict is pass. */
const struct finding *report_lead(const struct report *report);
/* The first clause of its summary, up to the colon before the numbers, including the target
 * at its beginning. */
const char *report_clause(const struct finding *finding, char buf[FINDING_SUMMARY_MAX]);
/* Pass and skip need neither cause nor remedy. */
bool report_needs_care(enum finding_status status);
/* "2026-01-01T00:00:00Z"; returns buf. */
const char *report_started(const struct report *report, char *buf, size_t cap);

/* because.c */

/* The finding of the same report from which this one follows, or NULL. Both are about the
 * same object (target, pool, guest), as far as both name one. */
const struct finding *report_because(const struct report *report, const struct finding *finding);
/* The end of that chain, to be fixed first; the finding itself if it follows from none. */
const struct finding *report_root(const struct report *report, const struct finding *finding);

/* families.c */

/* A cause with the findings that follow from it. */
struct family {
	const struct finding *root;  /* the first of several alike, about other targets */
	const struct finding *worst; /* the root, unless one that follows from it is worse */
};

/* All findings that need attention, in the order in which to fix them. Returns their number. */
unsigned int report_families(const struct report *report,
			     struct family families[REPORT_FINDINGS_MAX]);
/* Whether its steps are printed: it is as bad as the first family, or serious. */
bool family_leads(const struct report *report, const struct family *families,
		  const struct family *family);
/* Unknown because only root may read it, in a report without a server for which it might be
 * decisive. It does not affect the verdict, so that cron and Nagios need no root. */
bool report_is_for_root(const struct report *report, const struct finding *finding);
/* Whether it makes the verdict unknown. */
bool report_is_undecided(const struct report *report, const struct finding *finding);
bool family_has(const struct report *report, const struct family *family,
		const struct finding *finding);
/* Same id, status and reason, so the same cause and remedy. */
bool report_is_alike(const struct finding *a, const struct finding *b);

/* answer.c */

/* Whether it says something about the data of READs. */
bool report_is_about_reads(const struct finding *finding);

/* steps.c */

/* The cause by its reason, if it has one, else by its id; "" if it passed or was skipped.
 * Returns buf. */
const char *report_cause(const struct report *report, const struct finding *finding,
			 char buf[MEANING_CAUSE_MAX]);
const char *report_remedy(const struct report *report, const struct finding *finding,
			  char buf[REPORT_REMEDY_MAX]);
/* Ends with NULL. */
const char *const *report_see(const struct finding *finding);

struct report_step {
	char text[768];
	char command[768]; /* "": none */
	enum step_effect effect;
};
/* "interrupts"; NULL: harmless. */
const char *step_effect_name(enum step_effect effect);

#define REPORT_STEPS_MAX 12
/* The steps of its reason that fit this system. Returns their number. */
unsigned int report_steps(const struct report *report, const struct finding *finding,
			  struct report_step steps[REPORT_STEPS_MAX]);
/* Replaces "{key}" in @text with evidence of the finding, or the subject, or KEY if neither
 * has it. @shell: quotes each value as one shell word. */
void report_expand(const struct report *report, const struct finding *finding, const char *text,
		   bool shell, char *buf, size_t cap);

/* todo.c */

/* The steps of all causes, in the order in which to fix them, each step once. A cause
 * without a reason has its remedy as its step. Returns their number; the caller frees *@out
 * with free(3). NULL: no memory, or no steps. */
unsigned int report_all_steps(const struct report *report, struct report_step **out);

/* text.c, json.c, openmetrics.c, nagios.c */

extern const struct report_format report_format_text;
extern const struct report_format report_format_json;
extern const struct report_format report_format_prometheus;
extern const struct report_format report_format_openmetrics;
extern const struct report_format report_format_nagios;

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of the command nfsrdma: one command a file (cmd-NAME.c), which has the struct and the
 * table of its options (options.h) and is a row of the table of commands (commands.c). Parsing,
 * help, completion and manual page come from these tables.
 *
 * Results go to stdout, everything else to stderr. A command returns its exit status. */
#ifndef PLUGIN_CLI_H
#define PLUGIN_CLI_H

#include "plugin/checks/checks.h"
#include "plugin/options/options.h"
#include "plugin/report/report.h"
#include "rpcrdma/probe/probe.h"
#include "rpcrdma/server/server.h"

/* What all commands have of the command line. It is the first member of each command's struct.
 * Strings are those of argv. */
struct cli {
	const struct cli_command *command;
	char *const *operands; /* end with NULL */
	int noperands;
	struct ticker *ticker; /* NULL: the command has none */
	time_t started;
	uint64_t start_ns;
	bool help, version;
	/* The rest is set by options that several commands have. */
	const struct report_format *format;
	bool quiet, verbose;
	bool terse;               /* set by a command: report_style */
	const char *root;         /* NULL: this machine */
	const char *archive;      /* that @root was unpacked from; NULL: none */
	unsigned int timeout_ms;  /* the command's, where none is given */
	struct fault_set *faults; /* NULL: none */
	/* Options of this run that commands in steps repeat. */
	struct {
		const char *name, *value;
	} repeats[16];
	unsigned int nrepeats;
};

/* choices.c: what the value of an option, or an operand, can be. The parser refuses other words;
 * the completion of shells offers them, with names of this host. */

typedef void (*choice_fn)(void *arg, const char *name, const char *about);

struct cli_choice {
	const char *name;         /* for 'nfsrdma names' */
	const char *const *words; /* all that are accepted, ends with NULL; NULL: any */
	/* Calls @fn for each name; @about is a few words, or NULL. What cannot be read has no
	 * names. @prefix: what was entered, of use where all names are too many. */
	void (*each)(const struct host *host, const char *prefix, choice_fn fn, void *arg);
	bool fixed;                                   /* each needs no host */
	enum { PATH_NONE, PATH_FILE, PATH_DIR } path; /* where no name fits */
};

extern const struct cli_choice choice_file, choice_dir, choice_roles, choice_flavors, choice_levels,
	choice_transports, choice_versions, choice_engine_versions, choice_types, choice_links,
	choice_formats, choice_plan_formats, choice_faults, choice_commands, choice_pools,
	choice_pool_or_file, choice_mounts, choice_sources, choice_devices, choice_interfaces,
	choice_addresses, choice_listeners, choice_findings, choice_options, choice_lists;

/* The index of @word in the choice's words, or -1. */
int choice_index(const struct cli_choice *choice, const char *word);
/* 0, or -EINVAL with a sentence that lists them. */
int choice_check(const struct cli_choice *choice, const char *word);
/* A list of 'nfsrdma names', or NULL. */
const struct cli_choice *choice_list(const char *name);

#define CLI_OPERANDS_MAX 2

/* A form of the command line: what its operands are. */
struct cli_form {
	const char *action; /* the first operand; NULL: the command has no actions */
	const char *option; /* without it there are none after the action; NULL: there are */
	const struct cli_choice *operands[CLI_OPERANDS_MAX]; /* NULL: none, or free */
	bool repeated;                                       /* the last one */
};

struct cli_command {
	const char *name;
	bool hidden;                  /* not in help; nfsrdma(8), COMPLETION */
	const char *synopsis;         /* what follows the name; lines for each form */
	const struct cli_form *forms; /* nforms of them */
	size_t nforms;
	const char *summary;     /* one line for the list of commands */
	const char *details;     /* a paragraph for its own help */
	const char *exit_status; /* for its help; NULL: that of a verdict */
	const char *manual;      /* the page that has it; NULL: nfsrdma-NAME */
	int max_operands;
	const struct cli_option *options; /* ends with name NULL */
	size_t size;                      /* of the struct that they fill in; 0: struct cli alone */
	unsigned int timeout_ms;          /* default of --timeout */
	const char *working;              /* for the progress line; NULL: it has none */
	/* @options: the command's struct. Returns the exit status. What went wrong is printed by
	 * cli_error() or cli_usage(). */
	int (*run)(void *options);
};

/* A command's forms. */
#define CLI_FORMS(...)                                     \
	.forms = (const struct cli_form[]){ __VA_ARGS__ }, \
	.nforms = sizeof((const struct cli_form[]){ __VA_ARGS__ }) / sizeof(struct cli_form)

/* commands.c */

extern const struct cli_command *const cli_commands[]; /* ends with NULL */
/* Runs cli->command. Returns the exit status. */
int command_run(struct cli *cli);

/* cmd-*.c */

extern const struct cli_command cmd_probe;
extern const struct cli_command cmd_serve;
extern const struct cli_command cmd_bench;
extern const struct cli_command cmd_explain;
extern const struct cli_command cmd_check;
extern const struct cli_command cmd_mounts;
extern const struct cli_command cmd_plan;
extern const struct cli_command cmd_snapshot;
extern const struct cli_command cmd_setup;
extern const struct cli_command cmd_pool;
extern const struct cli_command cmd_ovirt;
extern const struct cli_command cmd_watch;
extern const struct cli_command cmd_status;
extern const struct cli_command cmd_doctor;
extern const struct cli_command cmd_help;
extern const struct cli_command cmd_names;

/* cmd-check.c, for others that check */

/* Options of check, snapshot and doctor, in their structs. */
struct cmd_check_request {
	unsigned int roles;                    /* enum check_role; 0: not given */
	const char *sec;                       /* NULL: not given */
	uint16_t port;                         /* 0: not given */
	const struct nfs_version *nfs_version; /* NULL: auto */
};

struct value_server;

/* The target of the checks: @operand, which may be NULL. Its name lies in @server. -EINVAL with a
 * sentence. */
int cmd_check_target(const struct cmd_check_request *request, const char *operand,
		     struct value_server *server, struct check_target *out);

struct cmd_check_job {
	const struct cli *cli;
	const struct host *host;
	struct check_target *target;
	struct report *report; /* gets the subject */
	uint64_t deadline;
};

/* All checks of the target, whose addresses are looked up. Errors: -ENOMEM. */
int cmd_check_fill(const struct cmd_check_job *job, finding_sink sink, void *arg);

/* publish.c: a report that no terminal shows */

/* An entry of the journal for each finding that needs attention, then one for the verdict, with
 * @note. @identifier: SYSLOG_IDENTIFIER. Errors: of journal_send(). */
int publish_journal(const struct report *report, const char *identifier, const char *note);
/* Replaces the file. Where its folder is missing, *@note says so; else it is "". Errors: of
 * writing the file; -ENOMEM. */
int publish_metrics(const struct report *report, const char *path, char *note, size_t cap);

/* cmd-mounts.c, for others that look at mounts */

struct mounts_rows {
	const struct check_target *of;   /* of its server alone; NULL: all */
	unsigned int max;                /* at most, those that need attention first; 0: no limit */
	const struct report_shown *show; /* NULL: all columns */
};

/* The table of mounts, and of what is missing. Errors: -ENOMEM. */
int cmd_mounts_table(struct report *report, const struct mounts_seen *seen,
		     const struct mount_verdict *verdicts, struct mounts_rows rows);
/* The metrics of mounts, of that server alone, or (NULL) all. */
void cmd_mounts_metrics(struct report *report, const struct host *host,
			const struct mounts_seen *seen, const struct mount_verdict *verdicts,
			const struct check_target *of);
/* Looks at the mounts of @host, by its files alone: metrics, and the table if @table. What cannot
 * be read is a finding of the checks. Errors: -ENOMEM. */
int cmd_mounts_of(struct report *report, const struct host *host, const struct check_target *of,
		  bool table);
/* Mounts could not be read, for what err_text() says: mount.list is unknown. */
int cmd_mounts_unknown(struct report *report);

struct host;
struct json_object;
struct ovirt_domain;
struct plan;
struct setup_plan;
struct setup_step;

/* cmd-plan.c, for others that plan */

struct json_object *cmd_plan_changes(const struct plan *plan);
/* The family of a source's server, where its name has addresses of one alone; else *@out stays.
 * Errors: of transport_resolve(). */
int cmd_plan_family(const char *source, unsigned int timeout_ms, enum ip_family *out);

/* setup-json.c */

/* Appends a step. @status: planned, done, failed, skipped, refused. @error: NULL, none. */
void setup_json_step(struct json_object *steps, const struct setup_step *step, bool undo,
		     const char *status, const char *error);
/* To stdout. @role: "client" or "server". Takes @steps. */
void setup_json_print(const struct setup_plan *plan, const char *role, bool dry_run,
		      struct json_object *steps);

/* cmd-ovirt.c, cmd-ovirt-policy.c */

#define CMD_OVIRT_DOMAINS_MAX 64

struct cmd_ovirt_options {
	struct cli cli;
	const char *mount_options; /* NULL: none */
	bool resolve;
	const char *repository;  /* NULL: VDSM's default */
	const char *nfs_version; /* of "options"; NULL: not given */
	const char *type;
	/* Of "policy" */
	uint16_t port; /* 0: not given */
	bool remove, guard_only, dry_run;
};

int cmd_ovirt_policy(const struct cmd_ovirt_options *options);
bool cmd_ovirt_is_posix(const struct cmd_ovirt_options *options);
/* VDSM's repository, of --repository or NULL, as the kernel names it. @buf: of PATH_MAX. */
void cmd_ovirt_repository(const struct host *host, const char *repository, char *buf);
/* What is wrong with what is mounted for the domain now, and what to do; "" where nothing is. Both
 * of OVIRT_TEXT_MAX. Errors: it is not known. */
int cmd_ovirt_mounted(const struct host *host, const struct ovirt_domain *domain, char *text,
		      char *remedy);

/* cmd-help.c */

/* Of the command, or with NULL of the program, to stdout; the exit status. */
int command_help(const struct cli *cli, const struct cli_command *command);
/* NULL: there is none of that name. */
const struct cli_command *command_find(const char *name);
/* -EINVAL with a sentence, and with the command that was probably meant. */
int command_unknown(const char *name);

/* values.c, for operands; options.h has the parsers of options */

int value_number(const char *text, unsigned long min, unsigned long max, unsigned long *out);

/* SERVER[:/PATH]; an IPv6 address stands in brackets. */
struct value_server {
	char host[256];
	const char *path; /* borrowed from the argument; NULL when there is none */
};

/* 0, or -EINVAL with a sentence. */
int value_server(const char *text, struct value_server *out);

/* archive.c */

/* Whether --root names a file, for archive_run(). */
bool archive_is_root(const struct cli *cli);
/* Runs the command with what is unpacked. Returns the exit status. */
int archive_run(struct cli *cli);

/* help.c: from the tables */

void help_program(FILE *out, unsigned int width);
void help_command(FILE *out, const struct cli_command *command, unsigned int width);
/* Commands, options, metrics and faults as the manual pages have them; a test compares. */
void help_scd(FILE *out);

/* output.c */

/* "nfsrdma probe: ..." on stderr, cleaned and wrapped to one line; returns the status. */
int cli_error(const struct cli *cli, int status, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Gives the report the options of this run that commands in its steps repeat. */
void cli_repeat(const struct cli *cli, struct report *report);
/* The sentence of err_text(), and where the help is; returns EXIT_USAGE. */
int cli_usage(const struct cli *cli);
/* The sentence of err_text(); returns EXIT_UNKNOWN. */
int cli_unknown(const struct cli *cli);
/* The host that a command reads: --root, or this machine. 0, or the exit status; what is wrong has
 * been said then. */
int cli_open_host(const struct cli *cli, struct host **out);
/* The host that a command changes: --root, which is no snapshot, or this machine, as root or with
 * --dry-run. 0, or the exit status; what is wrong has been said then. */
int cli_open_writable(const struct cli *cli, bool dry_run, struct host **out);
/* Width, colour and quiet for @out. */
void output_style(FILE *out, bool quiet, struct report_style *style);
/* As wide as a page of text on @out is to be. */
unsigned int output_page(FILE *out);
/* Text of that width, behind so many columns, cleaned. */
void output_text(FILE *out, const char *text, unsigned int indent);
/* To stdout: a label, and the text, cleaned, behind it in @column, in lines of the width. */
void output_labelled(const char *label, unsigned int column, const char *text, unsigned int width);
/* What the steps on @host (NULL: this machine) depend on: enum report_system. @of: what those steps
 * have; what configures network and firewall is read only where one has that, from many files. */
unsigned int output_systems(const struct host *host, unsigned int of);
/* Before a report is printed: how long it took. @rc: why it is not complete, which err_text() says
 * on stderr; its verdict is then never better than unknown. */
void output_end(const struct cli *cli, struct report *report, int rc);
/* Prints the report to stdout, with steps for the system of @host (NULL: this machine), and returns
 * the exit status of its format; a stream that fails is said on stderr, and is EXIT_UNKNOWN. */
int output_report(const struct cli *cli, struct report *report, const struct host *host);
/* Flushes stdout; 0, or EXIT_UNKNOWN with a sentence on stderr. For what is no report. */
int output_finish(const struct cli *cli);

/* output-json.c */

bool output_is_json(const struct cli *cli);
/* A string, cleaned, or null. NULL: no memory. */
struct json_object *output_json_text(const char *text);
void output_json_add(struct json_object *to, const char *key, const char *text);
/* To stdout. Takes @root. */
void output_json_print(struct json_object *root);

/* ticker.c: one line on a terminal's stderr, for work that takes over two seconds. NULL, no memory,
 * is allowed everywhere. */

struct ticker *ticker_start(bool quiet, const char *what);
/* What the command does from now on; of @total the part @done, if it is not 0. */
void ticker_set(struct ticker *ticker, const char *what, unsigned int done, unsigned int total);
/* Before a line that the command prints; the ticker goes on. */
void ticker_erase(struct ticker *ticker);
void ticker_stop(struct ticker *ticker);
void ticker_free(struct ticker *ticker);

#endif

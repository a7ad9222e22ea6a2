/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The rows of a command's table of options, from which parsing, help, completion and manual page
 * come. Each command has a table of its own (cmd-NAME.c), in the order of its help. A row says
 * which member it sets of the command's struct, which begins with struct cli and whose size is
 * .size of the command. Rows that several commands have are below. */
#ifndef PLUGIN_CLI_OPTIONS_H
#define PLUGIN_CLI_OPTIONS_H

#include <stddef.h>

#include "plugin/cli/cli.h"

#define CLI_OPTIONS_MAX 40 /* of a command */

/* What it sets is, without @arg, a bool; with @max, an unsigned int from @min to @max; with @parse,
 * what that function fills in; else a string (borrowed) that is not empty. */
struct cli_option {
	const char *name;                /* without the dashes */
	char letter;                     /* 0: none */
	const char *arg;                 /* name of its argument; NULL: it takes none */
	const char *help;                /* one sentence; completion shows it up to a semicolon */
	bool hidden;                     /* not in help, completion and manual page */
	bool repeated;                   /* can be given more than once */
	bool carried;                    /* commands in steps of the report repeat it: steps.c */
	const struct cli_choice *choice; /* NULL: any value */
	size_t offset, size;             /* of the member, in the command's struct */
	unsigned int min, max;
	/* 0, -EINVAL with a sentence that says what is allowed, or -ENOMEM. */
	int (*parse)(const char *value, void *member);
};

/* options.c */

/* The struct of the command's options, with defaults; NULL: no memory. */
struct cli *options_new(const struct cli_command *command);
void options_free_p(struct cli **cli);
/* In the alphabet of all commands' options the next name after that of @after, or of NULL the
 * first; NULL: there is none. Of commands that have such an option it is the first one's. */
const struct cli_option *option_next(const struct cli_option *after);
/* argv[0] is the command's name. 0, -EINVAL with a sentence, or -ENOMEM. */
int options_parse(struct cli *cli, int argc, char *const *argv);

/* values.c: parsers of rows. 0, -EINVAL with a sentence, or -ENOMEM; then nothing is set */

int value_port(const char *text, void *port);     /* uint16_t */
int value_cred(const char *text, void *cred);     /* struct rpc_cred */
int value_any(const char *text, void *string);    /* const char *; may be empty */
int value_device(const char *text, void *string); /* const char *: a name of a device */
int value_seconds(const char *text, void *ms);    /* unsigned int: milliseconds */
int value_format(const char *text, void *format); /* const struct report_format * */
/* const struct transport_ops *, const struct nfs_version *; NULL: auto */
int value_transport(const char *text, void *ops);
int value_nfs_version(const char *text, void *version);
int value_roles(const char *text, void *roles);  /* unsigned int: enum check_role */
int value_fault(const char *text, void *faults); /* struct fault_set *; NULL: none yet */
/* struct transport_address: a numeric one, of IPv6 in brackets or not; port 0 */
int value_address(const char *text, void *address);

/* --- rows ------------------------------------------------------------------------------- */

/* A row that sets @member of @type; what else it has follows: .letter = 'o'. */
/* clang-format off */
#define OPTION_FLAG(word, type, member, text, ...) \
	{ .name = (word),                          \
	  .help = (text),                          \
	  .offset = offsetof(type, member),        \
	  .size = sizeof(((type *)0)->member),     \
	  ##__VA_ARGS__ }
#define OPTION_VALUE(word, argument, type, member, text, ...) \
	{ .name = (word),                                     \
	  .arg = (argument),                                  \
	  .help = (text),                                     \
	  .offset = offsetof(type, member),                   \
	  .size = sizeof(((type *)0)->member),                \
	  ##__VA_ARGS__ }
/* clang-format on */

/* Those that several commands have. The last ones of each table: */
#define OPTIONS_END                                                                                \
	OPTION_FLAG("version", struct cli, version, "Print the version and exit.", .letter = 'V'), \
		OPTION_FLAG("help", struct cli, help, "Print this help and exit.", .letter = 'h'), \
	{                                                                                          \
		.name = NULL                                                                       \
	}

/* What is printed, and how */
#define OPTION_FORMAT                                                                            \
	OPTION_VALUE("format", "FORMAT", struct cli, format,                                     \
		     "The output format: text (default), json, prometheus (for node_exporter's " \
		     "textfile collector), openmetrics or nagios.",                              \
		     .choice = &choice_formats, .parse = value_format)
#define OPTION_FORMAT_JSON(text)                                                                   \
	OPTION_VALUE("format", "FORMAT", struct cli, format, text, .choice = &choice_plan_formats, \
		     .parse = value_format)
#define OPTION_QUIET(text) OPTION_FLAG("quiet", struct cli, quiet, text, .letter = 'q')
#define OPTION_VERBOSE(text, ...) \
	OPTION_FLAG("verbose", struct cli, verbose, text, .letter = 'v', ##__VA_ARGS__)
/* Of commands that print a report */
#define OPTIONS_REPORT \
	OPTION_QUIET(QUIET_REPORT), OPTION_VERBOSE("Print every finding, with its evidence.")
#define QUIET_REPORT "Show no progress; print only findings that need attention, and the verdict."

/* The host, and the time */
#define OPTION_ROOT(text) OPTION_VALUE("root", "DIR", struct cli, root, text, .choice = &choice_dir)
#define OPTION_ROOT_READ                                                                        \
	OPTION_VALUE("root", "DIR", struct cli, root,                                           \
		     "Use the machine below this directory instead of this one; or an archive " \
		     "of nfsrdma snapshot.",                                                    \
		     .choice = &choice_file)
#define OPTION_TIMEOUT(text) \
	OPTION_VALUE("timeout", "SECONDS", struct cli, timeout_ms, text, .parse = value_seconds)
/* @seconds: in quotes */
#define TIMEOUT_COMMAND(seconds) \
	"The time limit of the whole command (1 to 86400, default " seconds ")."

/* The server */
#define OPTION_TRANSPORT(type, member)                                                             \
	OPTION_VALUE("transport", "NAME", type, member,                                            \
		     "auto (default), verbs (an RDMA device) or iwarp (software, over TCP); auto " \
		     "is verbs if the route to the server uses an RDMA device.",                   \
		     .choice = &choice_transports, .parse = value_transport, .carried = true)
#define OPTION_PORT(type, member)                                                                 \
	OPTION_VALUE("port", "PORT", type, member, "The server's NFS/RDMA port (default 20049).", \
		     .parse = value_port, .carried = true)
#define OPTION_MOUNT_PORT(type, member)                                                     \
	OPTION_VALUE("mount-port", "PORT", type, member,                                    \
		     "The TCP port of MOUNT (default: from rpcbind).", .parse = value_port, \
		     .carried = true)
#define OPTION_NFS_PORT(type, member)                                                              \
	OPTION_VALUE("nfs-port", "PORT", type, member,                                             \
		     "The TCP port of NFS (default: from rpcbind, or 2049).", .parse = value_port, \
		     .carried = true)
#define OPTION_NFS_VERSION(type, member)                                                          \
	OPTION_VALUE("nfs-version", "VERSION", type, member,                                      \
		     "The NFS version: 3, 4.0, 4.1, 4.2 or auto (default), the highest that the " \
		     "server supports.",                                                          \
		     .choice = &choice_versions, .parse = value_nfs_version, .carried = true)
#define OPTION_CRED(type, member)                                                         \
	OPTION_VALUE("cred", "UID:GID[,GID...]", type, member,                            \
		     "The AUTH_SYS identity to read files with (default: the caller's).", \
		     .parse = value_cred, .carried = true)
#define OPTION_FAULT                                                              \
	OPTION_VALUE("fault", "NAME[=VALUE]", struct cli, faults,                 \
		     "Give the embedded server this fault; can be repeated.",     \
		     .choice = &choice_faults, .repeated = true, .carried = true, \
		     .parse = value_fault)

/* What a host is checked for */
#define OPTION_ROLE(type, member)                                                                  \
	OPTION_VALUE("role", "ROLE", type, member,                                                 \
		     "The role of this host: client, server or both (default: client, and server " \
		     "if it is one).",                                                             \
		     .choice = &choice_roles, .parse = value_roles)
#define OPTION_SEC(type, member)                                                            \
	OPTION_VALUE("sec", "FLAVOR", type, member,                                         \
		     "The security flavor of mounts: sys (default), krb5, krb5i or krb5p.", \
		     .choice = &choice_flavors)

/* Mounts, and what is set up */
#define OPTION_MOUNT_OPTIONS(type, member)                                                \
	OPTION_VALUE("options", "OPTIONS", type, member,                                  \
		     "The mount options, as mount(8) takes them with -o.", .letter = 'o', \
		     .choice = &choice_options, .parse = value_any)
#define OPTION_RESOLVE(type, member)                                                      \
	OPTION_FLAG("resolve", type, member,                                              \
		    "Resolve the server's name: a server with IPv6 addresses only needs " \
		    "proto=rdma6.")
#define OPTION_CONNECT(type, member)                 \
	OPTION_VALUE("connect", "URI", type, member, \
		     "The libvirt connection (default: LIBVIRT_DEFAULT_URI, or qemu:///system).")
#define OPTION_DRY_RUN(type, member)                                                           \
	OPTION_FLAG("dry-run", type, member,                                                   \
		    "Change nothing; show changes of files as a diff, and everything else as " \
		    "commands.")

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The options of all commands: one table, read by the parser (getopt_long), by the help and by
 * the manual page. Which command has which option is a column. */
#include <getopt.h>

#include "plugin/cli/cli.h"

#define TIMEOUT_DEFAULT_MS 60000
#define TIMEOUT_MAX        86400 /* seconds */
#define READS_MAX          100000000

#define EXERCISES (CLI_PROBE | CLI_BENCH)
#define REPORTING (EXERCISES | CLI_CHECK | CLI_DOCTOR)
#define HOST_ONLY (CLI_MOUNTS | CLI_STATUS)
#define ALL                                                                           \
	(REPORTING | CLI_SERVE | CLI_EXPLAIN | CLI_PLAN | CLI_SNAPSHOT | CLI_MOUNTS | \
	 CLI_SETUP | CLI_POOL | CLI_OVIRT | CLI_WATCH | CLI_STATUS | CLI_DOCTOR |     \
	 CLI_HELP | CLI_NAMES)

static int option_not_empty(const char **field, const char *value)
{
	if (!*value)
		return err_set(EINVAL, "needs a value that is not empty");
	*field = value;
	return 0;
}

static int option_set_embedded(struct cli_options *options, const char *value)
{
	(void)value;
	options->embedded = true;
	return 0;
}

static int option_set_client(struct cli_options *options, const char *value)
{
	(void)value;
	options->client = true;
	return 0;
}

static int option_set_mount(struct cli_options *options, const char *value)
{
	return option_not_empty(&options->mount, value);
}

static int option_set_fault(struct cli_options *options, const char *value)
{
	return fault_set_add(options->faults, value);
}

static int option_set_format(struct cli_options *options, const char *value)
{
	const struct report_format *const *format;
	char names[128] = "";
	size_t used = 0;

	options->format = report_format_find(value);
	if (options->format)
		return 0;
	for (format = report_formats; *format && used < sizeof(names); format++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "", (*format)->name);
	return err_set(EINVAL, "takes one of %s, not '%.40s'", names, value);
}

static int option_set_timeout(struct cli_options *options, const char *value)
{
	unsigned long seconds;
	int rc = value_number(value, 1, TIMEOUT_MAX, &seconds);

	options->has_timeout = true;
	if (!rc)
		options->timeout_ms = (unsigned int)seconds * 1000;
	return rc;
}

static int option_set_transport(struct cli_options *options, const char *value)
{
	options->transport = transport_find(value); /* NULL: auto */
	return 0;
}

static int option_set_device(struct cli_options *options, const char *value)
{
	return value_device(value, &options->device);
}

static int option_set_bind(struct cli_options *options, const char *value)
{
	return value_address(value, &options->bind);
}

static int option_set_port(struct cli_options *options, const char *value)
{
	options->has_port = true;
	return value_port(value, &options->port);
}

static int option_set_mount_port(struct cli_options *options, const char *value)
{
	return value_port(value, &options->mount_port);
}

static int option_set_nfs_port(struct cli_options *options, const char *value)
{
	return value_port(value, &options->nfs_port);
}

static int option_set_nfs_version(struct cli_options *options, const char *value)
{
	if (options->command->bit == CLI_OVIRT) {
		options->engine_version = value;
		return 0;
	}
	options->nfs_version = nfs_version_find(value);
	options->nfs_version_auto = !strcmp(value, "auto");
	return 0;
}

static int option_set_level(struct cli_options *options, const char *value)
{
	options->level = (enum probe_level)choice_index(&choice_levels, value);
	return 0;
}

static int option_set_reads(struct cli_options *options, const char *value)
{
	unsigned long reads;
	int rc = value_number(value, 0, READS_MAX, &reads);

	if (!rc) {
		options->has_reads = true;
		options->reads = (unsigned int)reads;
	}
	return rc;
}

static int option_set_seed(struct cli_options *options, const char *value)
{
	size_t len = strlen(value);

	if (!len || len > 16 || strspn(value, "0123456789abcdefABCDEF") != len)
		return err_set(EINVAL, "takes 1 to 16 hexadecimal digits, not '%.40s'",
			       value);
	options->seed = strtoull(value, NULL, 16);
	return 0;
}

static int option_set_cred(struct cli_options *options, const char *value)
{
	options->has_cred = true;
	return value_cred(value, &options->cred);
}

static int option_set_pcap(struct cli_options *options, const char *value)
{
	return option_not_empty(&options->pcap, value);
}

static int option_set_listen(struct cli_options *options, const char *value)
{
	return option_not_empty(&options->listen, value);
}

static int option_set_export(struct cli_options *options, const char *value)
{
	return option_not_empty(&options->export_dir, value);
}

static int option_set_list_faults(struct cli_options *options, const char *value)
{
	(void)value;
	options->list_faults = true;
	return 0;
}

static int option_set_no_crc(struct cli_options *options, const char *value)
{
	(void)value;
	options->no_crc = true;
	return 0;
}

static int option_set_allow_remote_faults(struct cli_options *options, const char *value)
{
	(void)value;
	options->allow_remote_faults = true;
	return 0;
}

static int option_set_role(struct cli_options *options, const char *value)
{
	static const unsigned int roles[] = { CHECK_CLIENT, CHECK_SERVER, CHECK_BOTH };

	options->roles = roles[choice_index(&choice_roles, value)];
	return 0;
}

static int option_set_root(struct cli_options *options, const char *value)
{
	return option_not_empty(&options->root, value);
}

static int option_set_sec(struct cli_options *options, const char *value)
{
	options->krb5 = strcmp(value, "sys") != 0;
	options->sec = value;
	return 0;
}

static int option_set_mount_options(struct cli_options *options, const char *value)
{
	options->mount_options = value;
	return 0;
}

static int option_set_options_only(struct cli_options *options, const char *value)
{
	(void)value;
	options->options_only = true;
	return 0;
}

static int option_set_resolve(struct cli_options *options, const char *value)
{
	(void)value;
	options->resolve = true;
	return 0;
}

static int option_set_dir(struct cli_options *options, const char *value)
{
	return option_not_empty(&options->dir, value);
}

static int option_set_connect(struct cli_options *options, const char *value)
{
	return option_not_empty(&options->connect, value);
}

static int option_set_target(struct cli_options *options, const char *value)
{
	return option_not_empty(&options->target, value);
}

static int option_set_repository(struct cli_options *options, const char *value)
{
	return option_not_empty(&options->repository, value);
}

static int option_set_type(struct cli_options *options, const char *value)
{
	options->posix = !strcmp(value, "posix");
	return 0;
}

static int option_set_remove(struct cli_options *options, const char *value)
{
	(void)value;
	options->remove = true;
	return 0;
}

static int option_set_guard_only(struct cli_options *options, const char *value)
{
	(void)value;
	options->guard_only = true;
	return 0;
}

static int option_set_once(struct cli_options *options, const char *value)
{
	(void)value;
	options->once = true;
	return 0;
}

static int option_set_no_libvirt(struct cli_options *options, const char *value)
{
	(void)value;
	options->no_libvirt = true;
	return 0;
}

static int option_set_textfile(struct cli_options *options, const char *value)
{
	return option_not_empty(&options->textfile, value);
}

static int option_set_journal(struct cli_options *options, const char *value)
{
	(void)value;
	options->journal = true;
	return 0;
}

/* A record of twice the longest is not believed any more. */
static int option_set_interval(struct cli_options *options, const char *value)
{
	unsigned long seconds;
	int rc = value_number(value, 1, 30, &seconds);

	if (!rc)
		options->interval_ms = (unsigned int)seconds * 1000;
	return rc;
}

static int option_set_quiet(struct cli_options *options, const char *value)
{
	(void)value;
	options->quiet = true;
	return 0;
}

static int option_set_verbose(struct cli_options *options, const char *value)
{
	(void)value;
	options->verbose = true;
	return 0;
}

static int option_set_force(struct cli_options *options, const char *value)
{
	(void)value;
	options->force = true;
	return 0;
}

static int option_set_dry_run(struct cli_options *options, const char *value)
{
	(void)value;
	options->dry_run = true;
	return 0;
}

static int option_set_undo(struct cli_options *options, const char *value)
{
	(void)value;
	options->undo = true;
	return 0;
}

static int option_set_restart(struct cli_options *options, const char *value)
{
	(void)value;
	options->restart = true;
	return 0;
}

static int option_set_for_probe(struct cli_options *options, const char *value)
{
	(void)value;
	options->for_probe = true;
	return 0;
}

static int option_set_software(struct cli_options *options, const char *value)
{
	options->software = value;
	return 0;
}

static int option_set_message(struct cli_options *options, const char *value)
{
	if (!*value)
		return err_set(EINVAL, "no message given");
	options->message = value;
	return 0;
}

static int option_set_all(struct cli_options *options, const char *value)
{
	(void)value;
	options->all_systems = true;
	return 0;
}

static int option_set_scd(struct cli_options *options, const char *value)
{
	(void)value;
	options->scd = true;
	return 0;
}

static int option_set_help(struct cli_options *options, const char *value)
{
	(void)value;
	options->help = true;
	return 0;
}

static int option_set_version(struct cli_options *options, const char *value)
{
	(void)value;
	options->version = true;
	return 0;
}

const struct cli_option option_table[] = {
	{ .name = "embedded",
	  .help = "Test the embedded server, on this host's loopback.",
	  .commands = EXERCISES,
	  .set = option_set_embedded },
	{ .name = "client",
	  .help = "Test this host's kernel: it mounts the embedded server over RDMA, in its own mount namespace, and reads. Needs root.",
	  .commands = CLI_PROBE,
	  .set = option_set_client },
	{ .name = "mount",
	  .arg = "PATH",
	  .help = "Read a file through the RDMA mount that PATH is on: with the kernel, with the probe's own client, and over TCP.",
	  .commands = CLI_PROBE,
	  .choice = &choice_mounts,
	  .set = option_set_mount },
	{ .name = "role",
	  .arg = "ROLE",
	  .help = "The role of this host: client, server or both (default: client, and server if it is one).",
	  .commands = CLI_CHECK | CLI_SNAPSHOT,
	  .choice = &choice_roles,
	  .set = option_set_role },
	{ .name = "root",
	  .arg = "DIR",
	  .help = "Use the machine below this directory instead of this one, as written by nfsrdma snapshot; setup changes its files, for example those of an image.",
	  .commands = CLI_DOCTOR | CLI_CHECK | CLI_SNAPSHOT | CLI_PLAN | HOST_ONLY |
		      CLI_SETUP | CLI_OVIRT | CLI_EXPLAIN | CLI_NAMES,
	  .choice = &choice_dir,
	  .set = option_set_root },
	{ .name = "sec",
	  .arg = "FLAVOR",
	  .help = "The security flavor of mounts: sys (default), krb5, krb5i or krb5p.",
	  .commands = CLI_DOCTOR | CLI_CHECK | CLI_SNAPSHOT,
	  .choice = &choice_flavors,
	  .set = option_set_sec },
	{ .name = "listen",
	  .arg = "ADDR:PORT",
	  .help = "The address to listen on for RDMA (default 127.0.0.1:0; the kernel chooses the port).",
	  .commands = CLI_SERVE,
	  .choice = &choice_listeners,
	  .set = option_set_listen },
	{ .name = "export",
	  .arg = "DIR",
	  .help = "Serve this directory, read-only, instead of files in memory.",
	  .commands = CLI_SERVE,
	  .choice = &choice_dir,
	  .set = option_set_export },
	{ .name = "fault",
	  .arg = "NAME[=VALUE]",
	  .help = "Give the embedded server this fault; can be repeated.",
	  .commands = CLI_PROBE | CLI_SERVE,
	  .choice = &choice_faults,
	  .repeated = true,
	  .set = option_set_fault },
	{ .name = "list-faults",
	  .help = "List the faults, one per line, and exit.",
	  .commands = CLI_SERVE,
	  .set = option_set_list_faults },
	{ .name = "allow-remote-faults",
	  .help = "Allow faults on a listener that other hosts can reach.",
	  .commands = CLI_SERVE,
	  .set = option_set_allow_remote_faults },
	{ .name = "no-crc",
	  .help = "Do not request the MPA CRC from clients; a client that requests it gets it.",
	  .commands = CLI_SERVE,
	  .set = option_set_no_crc },
	{ .name = "options",
	  .letter = 'o',
	  .arg = "OPTIONS",
	  .help = "The mount options, as mount(8) takes them with -o.",
	  .commands = CLI_PLAN | CLI_POOL | CLI_OVIRT,
	  .choice = &choice_options,
	  .set = option_set_mount_options },
	{ .name = "target",
	  .arg = "DIR",
	  .help = "The directory that the pool is mounted on.",
	  .commands = CLI_POOL,
	  .choice = &choice_dir,
	  .set = option_set_target },
	{ .name = "connect",
	  .arg = "URI",
	  .help = "The libvirt connection (default: LIBVIRT_DEFAULT_URI, or qemu:///system).",
	  .commands = CLI_POOL | CLI_WATCH,
	  .set = option_set_connect },
	{ .name = "no-libvirt",
	  .help = "Watch mounts only; do not connect to libvirt for pools and guests.",
	  .commands = CLI_WATCH,
	  .set = option_set_no_libvirt },
	{ .name = "once",
	  .help = "Check once, write the files, print the report, and exit with its verdict.",
	  .commands = CLI_WATCH,
	  .set = option_set_once },
	{ .name = "interval",
	  .arg = "SECONDS",
	  .help = "Check at least this often, 1 to 30 (default 30); events are checked at once.",
	  .commands = CLI_WATCH,
	  .set = option_set_interval },
	{ .name = "textfile",
	  .arg = "FILE",
	  .help = "The file for metrics, for example for node_exporter's textfile collector (watch: default /run/nfsrdma/metrics.prom; check: none).",
	  .commands = CLI_CHECK | CLI_WATCH,
	  .choice = &choice_file,
	  .set = option_set_textfile },
	{ .name = "journal",
	  .help = "Report to the journal instead of standard output: an entry for each finding that needs attention, and one for the verdict.",
	  .commands = CLI_CHECK,
	  .set = option_set_journal },
	{ .name = "options-only",
	  .help = "Print only the option string, on one line; warnings go to standard error.",
	  .commands = CLI_PLAN,
	  .set = option_set_options_only },
	{ .name = "dir",
	  .arg = "DIR",
	  .help = "The mount point, for the policy that applies to it.",
	  .commands = CLI_PLAN,
	  .choice = &choice_dir,
	  .set = option_set_dir },
	{ .name = "resolve",
	  .help = "Resolve the server's name: a server with IPv6 addresses only needs proto=rdma6.",
	  .commands = CLI_PLAN | CLI_OVIRT,
	  .set = option_set_resolve },
	{ .name = "level",
	  .arg = "LEVEL",
	  .help = "The extent of the test: quick, standard (default) or full.",
	  .commands = EXERCISES,
	  .choice = &choice_levels,
	  .set = option_set_level },
	{ .name = "reads",
	  .arg = "N",
	  .help = "At levels standard and full, if no fault was found before: the number of READs with random ranges, sizes and mechanisms (default 5000, 0 for none), up to 256 MiB or 10 s; both limits grow with N above 5000.",
	  .commands = CLI_PROBE,
	  .set = option_set_reads },
	{ .name = "seed",
	  .arg = "HEX",
	  .help = "Repeat the random READs of this seed, which probe.read.random shows.",
	  .commands = CLI_PROBE,
	  .hidden = true,
	  .set = option_set_seed },
	{ .name = "format",
	  .arg = "FORMAT",
	  .help = "The output format: text (default), json, prometheus (for node_exporter's textfile collector), openmetrics or nagios; plan, setup and ovirt options support the first two.",
	  .commands = REPORTING | CLI_PLAN | CLI_SETUP | HOST_ONLY | CLI_POOL |
		      CLI_OVIRT | CLI_WATCH,
	  .choice = &choice_formats,
	  .other = &choice_plan_formats,
	  .other_commands = CLI_PLAN | CLI_SETUP | CLI_OVIRT,
	  .set = option_set_format },
	{ .name = "timeout",
	  .arg = "SECONDS",
	  .help = "The time limit of the whole command (1 to 86400, default 60; check, mounts, status and plan 5, doctor 30, snapshot 20, pool 15 to read and 180 to change, watch --once 5 for libvirt).",
	  .commands = REPORTING | CLI_SNAPSHOT | CLI_PLAN | HOST_ONLY | CLI_POOL |
		      CLI_OVIRT | CLI_WATCH,
	  .set = option_set_timeout },
	{ .name = "transport",
	  .arg = "NAME",
	  .help = "auto (default), verbs (an RDMA device) or iwarp (software, over TCP); auto is verbs if the route to the server uses an RDMA device; for serve it is iwarp.",
	  .commands = CLI_DOCTOR | EXERCISES | CLI_SERVE,
	  .choice = &choice_transports,
	  .set = option_set_transport },
	{ .name = "device",
	  .arg = "NAME",
	  .help = "verbs: the RDMA device to use, by its name in 'rdma link' (default: that of the route).",
	  .commands = EXERCISES,
	  .choice = &choice_devices,
	  .set = option_set_device },
	{ .name = "bind",
	  .arg = "ADDR",
	  .help = "The address of this host to connect from (default: that of the route); with --embedded the address on which the embedded server listens.",
	  .commands = EXERCISES,
	  .choice = &choice_addresses,
	  .set = option_set_bind },
	{ .name = "port",
	  .arg = "PORT",
	  .help = "The server's NFS/RDMA port (default 20049).",
	  .commands = REPORTING | CLI_SNAPSHOT | CLI_SETUP | CLI_OVIRT,
	  .set = option_set_port },
	{ .name = "mount-port",
	  .arg = "PORT",
	  .help = "The TCP port of MOUNT (default: from rpcbind; serve: any free port).",
	  .commands = CLI_DOCTOR | EXERCISES | CLI_SERVE,
	  .set = option_set_mount_port },
	{ .name = "nfs-port",
	  .arg = "PORT",
	  .help = "The TCP port of NFS (default: from rpcbind, or 2049; serve: any free port).",
	  .commands = CLI_DOCTOR | EXERCISES | CLI_SERVE,
	  .set = option_set_nfs_port },
	{ .name = "nfs-version",
	  .arg = "VERSION",
	  .help = "The NFS version: 3, 4.0, 4.1, 4.2 or auto (default), the highest that the server supports. ovirt options: the version selected in the engine, which can also be 4.",
	  .commands = REPORTING | CLI_SNAPSHOT | CLI_POOL | CLI_OVIRT,
	  .choice = &choice_versions,
	  .other = &choice_engine_versions,
	  .other_commands = CLI_OVIRT,
	  .set = option_set_nfs_version },
	{ .name = "type",
	  .arg = "TYPE",
	  .help = "The type of the storage domain: nfs (default), or posix, which mount.nfsrdma mounts.",
	  .commands = CLI_OVIRT,
	  .choice = &choice_types,
	  .set = option_set_type },
	{ .name = "repository",
	  .arg = "DIR",
	  .help = "VDSM's directory, below which it mounts domains (default /rhev/data-center).",
	  .commands = CLI_OVIRT,
	  .choice = &choice_dir,
	  .set = option_set_repository },
	{ .name = "remove",
	  .help = "policy: remove the settings of these domains; without SERVER:/EXPORT, of all.",
	  .commands = CLI_OVIRT,
	  .set = option_set_remove },
	{ .name = "guard-only",
	  .help = "policy: write only the settings of the gates; use it if the engine has the mount options.",
	  .commands = CLI_OVIRT,
	  .set = option_set_guard_only },
	{ .name = "cred",
	  .arg = "UID:GID[,GID...]",
	  .help = "The AUTH_SYS identity to read files with (default: the caller's).",
	  .commands = CLI_DOCTOR | EXERCISES,
	  .set = option_set_cred },
	{ .name = "pcap",
	  .arg = "FILE",
	  .help = "Record the iWARP connections as a capture file, which only its owner may "
		  "read. An existing file is replaced if it belongs to the caller; a symbolic "
		  "link is not followed.",
	  .commands = CLI_PROBE,
	  .choice = &choice_file,
	  .set = option_set_pcap },
	{ .name = "force",
	  .help = "snapshot: replace an existing FILE. pool: change the definition of a pool that running guests use, or revert a pool that was edited since.",
	  .commands = CLI_SNAPSHOT | CLI_POOL,
	  .set = option_set_force },
	{ .name = "dry-run",
	  .help = "Change nothing; show changes of files as a diff, and everything else as commands.",
	  .commands = CLI_SETUP | CLI_POOL | CLI_OVIRT,
	  .set = option_set_dry_run },
	{ .name = "undo",
	  .help = "Undo all changes of setup, unless one of its files was edited since.",
	  .commands = CLI_SETUP,
	  .set = option_set_undo },
	{ .name = "restart",
	  .help = "Restart nfs-server if necessary; without it setup adds the listener to the running server, which does not disturb clients.",
	  .commands = CLI_SETUP,
	  .set = option_set_restart },
	{ .name = "for-probe",
	  .help = "Also set up what nfsrdma probe needs to use an RDMA device: ib_uverbs, rdma_ucm and, for users other than root, locked memory.",
	  .commands = CLI_SETUP,
	  .set = option_set_for_probe },
	{ .name = "software",
	  .arg = "TYPE",
	  .help = "Add a software RDMA link, rxe (RoCE) or siw (iWARP), to INTERFACE, now and at every boot.",
	  .commands = CLI_SETUP,
	  .choice = &choice_links,
	  .set = option_set_software },
	{ .name = "message",
	  .arg = "TEXT",
	  .help = "Explain a message of another program: a line of a log, or a part of it.",
	  .commands = CLI_EXPLAIN,
	  .set = option_set_message },
	{ .name = "all",
	  .help = "Show the steps for all systems, not only for this one.",
	  .commands = CLI_EXPLAIN,
	  .set = option_set_all },
	{ .name = "scd",
	  .help = "Print the tables as the manual page has them.",
	  .commands = CLI_EXPLAIN,
	  .hidden = true,
	  .set = option_set_scd },
	{ .name = "quiet",
	  .letter = 'q',
	  .help = "Show no progress; print only findings that need attention, and the verdict.",
	  .commands = REPORTING | CLI_SNAPSHOT | HOST_ONLY | CLI_POOL | CLI_OVIRT |
		      CLI_WATCH,
	  .set = option_set_quiet },
	{ .name = "verbose",
	  .letter = 'v',
	  .help = "Print every finding, with its evidence. watch: print a line for each event, even if standard output is not a terminal.",
	  .commands = REPORTING | HOST_ONLY | CLI_POOL | CLI_OVIRT | CLI_WATCH,
	  .set = option_set_verbose },
	{ .name = "version",
	  .letter = 'V',
	  .help = "Print the version and exit.",
	  .commands = ALL,
	  .set = option_set_version },
	{ .name = "help",
	  .letter = 'h',
	  .help = "Print this help and exit.",
	  .commands = ALL,
	  .set = option_set_help },
	{ .name = NULL },
};

bool options_init(struct cli_options *options, const struct cli_command *command)
{
	*options = (struct cli_options){
		.command = command,
		.format = report_formats[0],
		.timeout_ms = command->timeout_ms ? command->timeout_ms
						  : TIMEOUT_DEFAULT_MS,
		.port = NFS_RDMA_PORT,
		.level = PROBE_STANDARD,
		.reads = PROBE_READS_DEFAULT,
		.faults = fault_set_new(),
	};
	return options->faults;
}

void options_fini(struct cli_options *options)
{
	fault_set_free(options->faults);
}

/* getopt's forms of the rows that the command has: long ones in @longs, val is the row plus one;
 * letters in @letters. A leading colon: getopt prints nothing, and reports a missing argument. */
static void options_getopt_forms(const struct cli_command *command, struct option *longs,
				 char *letters)
{
	const struct cli_option *row;

	*letters++ = ':';
	for (row = option_table; row->name; row++) {
		if (!(row->commands & command->bit))
			continue;
		*longs++ = (struct option){ row->name,
					    row->arg ? required_argument : no_argument,
					    NULL, 256 + (int)(row - option_table) };
		if (row->letter)
			*letters++ = row->letter;
		if (row->letter && row->arg)
			*letters++ = ':';
	}
	*longs = (struct option){ 0 };
	*letters = '\0';
}

static const struct cli_option *option_row(int c)
{
	const struct cli_option *row;

	if (c >= 256)
		return &option_table[c - 256];
	for (row = option_table; row->name; row++)
		if (row->letter && row->letter == c)
			return row;
	return NULL;
}

/* "--vers" begins more than one option, "--levle" none. */
static int option_refuse_name(const struct cli_command *command, const char *argument)
{
	const char *name = argument + strspn(argument, "-"), *first = NULL;
	size_t len = strcspn(name, "=");
	char word[NEAR_WORD_MAX + 2];
	const struct cli_option *row;
	struct near near;

	snprintf(word, sizeof(word), "%.*s", (int)min_u32((uint32_t)len, sizeof(word)),
		 name);
	near_init(&near, word);
	for (row = option_table; row->name; row++) {
		if (!(row->commands & command->bit) || row->hidden)
			continue;
		if (len && !strncmp(row->name, name, len) && first)
			return err_set(EINVAL, "ambiguous option '%.60s': --%s or --%s",
				       argument, first, row->name);
		if (len && !strncmp(row->name, name, len))
			first = row->name;
		near_try(&near, row->name);
	}
	if (near_found(&near))
		return err_set(EINVAL, "unknown option '%.60s'; did you mean '--%s'?",
			       argument, near_found(&near));
	return err_set(EINVAL, "unknown option '%.60s'", argument);
}

/* getopt left the argument that it did not like behind. */
static int option_refuse(const struct cli_command *command, int c, char *const *argv)
{
	const struct cli_option *row = option_row(optopt);

	if (c == ':')
		return err_set(EINVAL, "--%s needs an argument: %s", row->name, row->arg);
	if (row && row->name)
		return err_set(EINVAL, "--%s takes no argument", row->name);
	if (optopt)
		return err_set(EINVAL, "unknown option '-%c'", optopt);
	return option_refuse_name(command, argv[optind - 1]);
}

const struct cli_choice *option_choice(const struct cli_option *row,
				       const struct cli_command *command)
{
	return row->other_commands & command->bit ? row->other : row->choice;
}

int options_parse(struct cli_options *options, int argc, char *const *argv)
{
	struct option longs[ARRAY_SIZE(option_table)];
	char letters[2 * ARRAY_SIZE(option_table) + 2];
	const struct cli_choice *choice;
	const struct cli_option *row;
	int c, rc;

	options_getopt_forms(options->command, longs, letters);
	optind = 0; /* glibc: start afresh */
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return option_refuse(options->command, c, argv);
		row = option_row(c);
		choice = option_choice(row, options->command);
		rc = choice ? choice_check(choice, optarg) : 0;
		rc = rc ? rc : row->set(options, optarg);
		if (rc)
			return err_context(rc, "--%s", row->name);
	}
	options->operands = argv + optind;
	options->noperands = argc - optind;
	if (options->help || options->version ||
	    options->noperands <= options->command->max_operands)
		return 0;
	return err_set(EINVAL, "unexpected argument '%.60s'",
		       options->operands[options->command->max_operands]);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What probe and bench share: their options, and the way from these to a report (exercise.c). */
#ifndef PLUGIN_CLI_EXERCISE_H
#define PLUGIN_CLI_EXERCISE_H

#include "plugin/cli/options.h"

/* The first member of the structs of both commands. */
struct exercise_options {
	struct cli cli;
	struct probe_options probe; /* as given; 0 and NULL: not given */
	const char *level;          /* NULL: not given */
	bool embedded;
	struct exercise_reads { /* of probe */
		bool given;
		unsigned int count;
	} reads, writes;
	/* Of bench, with the command's options; NULL: none. For each finding; and for what the
	 * report has besides. */
	finding_sink also;
	int (*end)(struct report *report, void *arg);
};

typedef int (*exercise_fn)(const struct probe_options *options, const struct probe_events *events);

/* exercise.c */

/* What is not given gets its default. */
void exercise_defaults(struct exercise_options *options);
/* Runs the work on the server that the options name, or on the built-in one; prints its report
 * and returns the exit status. */
int exercise_run(struct exercise_options *options, exercise_fn work);
/* The same on what options->probe says. */
int exercise_work(const struct exercise_options *options, exercise_fn work);

/* For --scratch: components other than "." and "..". */
int exercise_parse_scratch(const char *value, void *member);

/* Rows of both */

#define EXERCISE_SCRATCH(help)                                                       \
	OPTION_VALUE("scratch", "NEW", struct exercise_options, probe.scratch, help, \
		     .parse = exercise_parse_scratch)

#define EXERCISE_EMBEDDED                                          \
	OPTION_FLAG("embedded", struct exercise_options, embedded, \
		    "Test the embedded server, on this host's loopback.", .carried = true)
#define EXERCISE_LEVEL                                                             \
	OPTION_VALUE("level", "LEVEL", struct exercise_options, level,             \
		     "The extent of the test: quick, standard (default) or full.", \
		     .choice = &choice_levels)
#define EXERCISE_OPTIONS                                                                                   \
	OPTION_FORMAT, OPTION_TIMEOUT(TIMEOUT_COMMAND("60")),                                              \
		OPTION_TRANSPORT(struct exercise_options, probe.transport),                                \
		OPTION_VALUE(                                                                              \
			"device", "NAME", struct exercise_options, probe.device,                           \
			"verbs: the RDMA device to use, by its name in 'rdma link' (default: that of the " \
			"route).",                                                                         \
			.choice = &choice_devices, .parse = value_device, .carried = true),                \
		OPTION_VALUE(                                                                              \
			"bind", "ADDR", struct exercise_options, probe.bind,                               \
			"The address of this host to connect from (default: that of the route); with "     \
			"--embedded the address on which the embedded server listens.",                    \
			.choice = &choice_addresses, .parse = value_address, .carried = true),             \
		OPTION_PORT(struct exercise_options, probe.port),                                          \
		OPTION_MOUNT_PORT(struct exercise_options, probe.mount_port),                              \
		OPTION_NFS_PORT(struct exercise_options, probe.nfs_port),                                  \
		OPTION_NFS_VERSION(struct exercise_options, probe.version),                                \
		OPTION_CRED(struct exercise_options, probe.cred)
/* --timeout, as EXERCISE_OPTIONS says */
#define EXERCISE_TIMEOUT_MS 60000

#endif

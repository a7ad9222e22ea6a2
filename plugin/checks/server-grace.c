/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the server is in its grace period, in which clients may only reclaim what they had
 * before it started: other opens and locks wait. v4_end_grace is N until it ends
 * (write_v4_end_grace() in fs/nfsd/nfsctl.c); how long that takes at most only root can read. */
#include <inttypes.h>

#include "plugin/checks/internal.h"

#define NFSD "proc/fs/nfsd/"

/* nfsd's default is 90 s. */
#define LONG_S 120

int check_server_grace(struct check_run *run)
{
	const struct conf_value *value = NULL;
	const struct host_nfsd *nfsd;
	const struct conf *conf;
	int64_t seconds = 0;
	char ended[8];
	int rc;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	rc = host_attr(run->host, NFSD "v4_end_grace", ended, sizeof(ended));
	if (rc == -ENOENT)
		return check_say(run, FINDING_SKIP, "the kernel does not show it");
	if (rc)
		return rc;
	if (!host_attr_number(run->host, NFSD "nfsv4gracetime", &seconds))
		finding_number(&run->finding, "seconds", (double)seconds);
	if (!facts_nfs_conf(run, &conf))
		value = conf_get(conf, "nfsd", NULL, "grace-time");
	if (value)
		finding_text(&run->finding, "file", "/%s:%u", value->file, value->line);
	if (*ended != 'N' && seconds <= LONG_S)
		return check_say(run, FINDING_PASS, "no grace period is in force");
	if (*ended != 'N') {
		check_note(run);
		return check_say(
			run, FINDING_PASS,
			"no grace period is in force; after a start it takes up to %" PRId64 " s",
			seconds);
	}
	if (seconds > LONG_S)
		return check_say_why(run, FINDING_WARN, value ? "long-by-conf" : "long",
				     "a grace period of up to %" PRId64 " s is in force", seconds);
	check_note(run);
	return check_say(run, FINDING_PASS, "a grace period is in force: new opens and locks wait");
}

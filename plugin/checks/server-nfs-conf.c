/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the configuration makes the server listen for RDMA, as the installed nfs-utils read it
 * (nfsd-conf.c), or a unit of the administrator. A listener that neither explains was added by a
 * script, or by hand. */
#include <stdio.h>

#include "plugin/checks/internal.h"

/* Whether the last line of the file, without a newline and so ignored by nfs-utils, is about
 * RDMA. */
static bool server_nfs_conf_is_cut(struct check_run *run, const char *file)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	const char *line;

	if (host_read(run->host, file, HOST_FILE_MAX, &text))
		return false;
	line = strrchr(text.text, '\n');
	line = line ? line + 1 : text.text;
	return !strncmp(line + strspn(line, " \t"), "rdma", 4);
}

/* A listener that a unit adds beside nfs.conf. */
static int server_nfs_conf_say_unit(struct check_run *run, const struct nfsd_conf *conf,
				    const char *unit)
{
	finding_text(&run->finding, "unit", "%s", unit);
	if (conf->state != NFSD_CONF_ON)
		return check_say(run, FINDING_PASS,
				 "%s adds the RDMA listener at each start, not nfs.conf", unit);
	finding_text(&run->finding, "file", "%s", *conf->file ? conf->file : conf->where);
	return check_say_why(run, FINDING_WARN, "twice",
			     "%s enables RDMA, and %s adds the listener once more", conf->where,
			     unit);
}

static int server_nfs_conf_say(struct check_run *run, const struct nfsd_conf *conf, bool listens)
{
	const char *file = NULL, *reason = conf->reason;
	const struct conf *nfs_conf;
	char cut[160] = "";

	finding_text(&run->finding, "file", "%s", *conf->file ? conf->file : conf->where);
	finding_text(&run->finding, "write", "%s", conf->write);
	if (!facts_nfs_conf(run, &nfs_conf))
		file = conf_cut_file(nfs_conf);
	if (file && server_nfs_conf_is_cut(run, file)) {
		reason = "no-newline";
		finding_text(&run->finding, "cut_file", "/%s", file);
		snprintf(cut, sizeof(cut),
			 "; the last line of /%.80s has no newline, so it is ignored", file);
	}
	if (listens)
		return check_say_why(
			run, FINDING_WARN, "by-other",
			"the server listens for RDMA, and its configuration does not enable that: %s: %s%s",
			conf->where, conf->why, cut);
	return check_say_why(run, FINDING_FAIL, reason, "%s: %s%s", conf->where, conf->why, cut);
}

int check_server_nfs_conf(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	struct nfsd_ports ports = { .count = 0 };
	struct nfsd_conf conf;
	enum unit_state state;
	char unit[256];
	int rc;

	if (ganesha_serves(run))
		return check_skip(run, "server.ganesha");
	rc = nfsd_conf_read(run, &conf);
	if (rc)
		return rc;
	if (!nfsd_running(run, &nfsd))
		nfsd_ports(nfsd, &ports);
	else if (!host_unit_state(run->host, "nfs-server.service", &state) && state == UNIT_MISSING)
		return check_skip(run, "server.threads");
	rc = host_listener_unit(run->host, unit, sizeof(unit));
	if (rc)
		return rc;
	if (*unit)
		return server_nfs_conf_say_unit(run, &conf, unit);
	if (conf.state != NFSD_CONF_ON)
		return server_nfs_conf_say(run, &conf, ports.count);
	finding_number(&run->finding, "port", conf.port);
	return check_say(run, FINDING_PASS, "%s enables RDMA on port %u", conf.where, conf.port);
}

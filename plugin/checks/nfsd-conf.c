/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the server's configuration means for RDMA when nfs-server starts. That depends on the
 * program that reads it:
 *
 * - rpc.nfsd before 2.1.1 does not read it: it has only its arguments, and is not supported;
 * - rpc.nfsd before nfs-utils 2.4.2 takes rdma= for a port (RHEL 8 has the later behaviour in
 *   its 2.3.3);
 * - rpc.nfsd since then (utils/nfsd/nfsd.c) takes rdma=y for a switch, and the port is
 *   rdma-port= or else the service nfsrdma. A value other than yes is still a port: so rdma=n is
 *   an invalid one, with a message and no harm. Without such a port it starts without RDMA, and
 *   only the journal says so;
 * - nfsdctl since 2.8 (utils/nfsdctl/nfsdctl.c) knows the switch only.
 *
 * rdma=y with rdma-port=20049 is what all but the first understand: Debian 12, for one, has no
 * service nfsrdma in /etc/services. */
#include <stdarg.h>
#include <stdio.h>

#include "plugin/checks/internal.h"
#include "plugin/host/text.h"

#define NFSD_SERVICE "nfs-server.service"

static void nfsd_conf_set(struct nfsd_conf *out, enum nfsd_conf_state state, const char *reason,
			  const char *fmt, ...) PRINTF_LIKE(4, 5);

static void nfsd_conf_set(struct nfsd_conf *out, enum nfsd_conf_state state, const char *reason,
			  const char *fmt, ...)
{
	va_list ap;

	out->state = state;
	out->reason = reason;
	va_start(ap, fmt);
	vsnprintf(out->why, sizeof(out->why), fmt, ap);
	va_end(ap);
}

/* --- pure ------------------------------------------------------------------------------ */

static unsigned int nfsd_conf_port(const struct nfsd_conf_input *in, const char *name)
{
	unsigned int port = in->service ? in->service(in->arg, name) : 0;
	uint64_t number;

	if (port)
		return port;
	return text_number(name, strlen(name), UINT16_MAX, &number) ? (unsigned int)number : 0;
}

static bool nfsd_conf_is_old(const struct nfsd_conf_input *in)
{
	const unsigned int *v = in->version;

	return v[0] && (v[0] < 2 || (v[0] == 2 && (v[1] < 4 || (v[1] == 4 && v[2] < 2))));
}

/* The setting rdma= enables RDMA: @yes is 1, or -1 where it is neither yes nor no. */
static void nfsd_conf_judge_on(const struct nfsd_conf_input *in, int yes, struct nfsd_conf *out)
{
	bool old = nfsd_conf_is_old(in);

	/* rdma=y, if that is a switch. */
	if (yes > 0 && !old) {
		out->port = nfsd_conf_port(in, in->rdma_port ? in->rdma_port : "nfsrdma");
		if (out->port)
			out->state = NFSD_CONF_ON;
		else if (in->rdma_port)
			nfsd_conf_set(out, NFSD_CONF_BROKEN, "bad-port",
				      "rdma-port=%.40s is not a port", in->rdma_port);
		else
			nfsd_conf_set(
				out, NFSD_CONF_BROKEN, "no-port",
				"rdma=%.8s without rdma-port= means the service nfsrdma, which /etc/services does not have",
				in->rdma);
		return;
	}
	out->port = nfsd_conf_port(in, in->rdma);
	if (out->port && (old || !in->nfsdctl))
		out->state = NFSD_CONF_ON;
	else if (out->port)
		nfsd_conf_set(out, NFSD_CONF_BROKEN, "nfsdctl-number",
			      "nfsdctl, which starts this server, ignores rdma=%.40s", in->rdma);
	else if (old)
		nfsd_conf_set(
			out, NFSD_CONF_BROKEN, "old-nfs-utils",
			"nfs-utils %u.%u.%u takes rdma= for the port, and rdma=%.40s is not one",
			in->version[0], in->version[1], in->version[2], in->rdma);
	else
		nfsd_conf_set(out, NFSD_CONF_BROKEN, "bad-value",
			      "rdma=%.40s is neither yes, no nor a port", in->rdma);
}

void nfsd_conf_judge(const struct nfsd_conf_input *in, struct nfsd_conf *out)
{
	const struct conf_value rdma = { in->rdma, NULL, 0 };
	int yes = in->rdma ? conf_bool(&rdma, -1) : 0;

	out->state = NFSD_CONF_OFF;
	out->port = 0;
	out->reason = "";
	out->why[0] = '\0';
	if (!in->rdma && in->rdma_port && !nfsd_conf_is_old(in))
		nfsd_conf_set(out, NFSD_CONF_BROKEN, "port-alone",
			      "rdma-port=%.40s has no effect without rdma=y", in->rdma_port);
	else if (!in->rdma)
		nfsd_conf_set(out, NFSD_CONF_OFF, "not-set", "no setting enables RDMA");
	else if (!yes)
		nfsd_conf_set(out, NFSD_CONF_OFF, "switched-off", "rdma=%.8s disables RDMA",
			      in->rdma);
	else
		nfsd_conf_judge_on(in, yes, out);
	if (out->state != NFSD_CONF_ON)
		out->port = 0;
}

/* "1:2.6.2-4". One that cannot be parsed is zeros: then it is taken for a later one. */
void nfsd_conf_version(const char *text, unsigned int version[3])
{
	const char *colon = strchr(text, ':');

	memset(version, 0, 3 * sizeof(*version));
	if (sscanf(colon ? colon + 1 : text, "%5u.%5u.%5u", &version[0], &version[1], &version[2]) <
	    2)
		version[0] = 0;
	/* RHEL 8's 2.3.3 has the behaviour of 2.4.2. */
	if (strstr(text, ".el8"))
		version[0] = 0;
}

/* --- what the host has ----------------------------------------------------------------- */

static unsigned int nfsd_conf_service(const void *arg, const char *name)
{
	unsigned int port;

	return host_service(arg, name, "tcp", &port) ? 0 : port;
}

/* "--rdma" or "--rdma=20049": the arguments of rpc.nfsd override the file. */
static bool nfsd_conf_argument(const char *text, char port[16])
{
	const char *at = strstr(text, "--rdma"), *value;

	if (!at)
		return false;
	value = at[6] == '=' ? at + 7 : "";
	snprintf(port, 16, "%.*s", (int)strcspn(value, " \t\"'\n"), value);
	return true;
}

/* The lines of the files from which older units take rpc.nfsd's arguments. */
static bool nfsd_conf_environment(const struct host *host, struct nfsd_conf *out, char port[16])
{
	static const char *const files[] = { "etc/sysconfig/nfs", "etc/default/nfs-kernel-server" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
		char *cursor, *line;

		if (host_read(host, files[i], 65536, &text))
			continue;
		cursor = text.text;
		while ((line = line_next(&cursor))) {
			if (strncmp(line, "RPCNFSD", 7) || !nfsd_conf_argument(line, port))
				continue;
			snprintf(out->where, sizeof(out->where), "/%s", files[i]);
			return true;
		}
	}
	return false;
}

static void nfsd_conf_judge_argument(struct check_run *run, const char *port, struct nfsd_conf *out)
{
	struct nfsd_conf_input in = { .service = nfsd_conf_service, .arg = run->host };

	in.rdma = "y";
	in.rdma_port = *port ? port : NULL;
	nfsd_conf_judge(&in, out);
	if (out->state != NFSD_CONF_ON && *port)
		nfsd_conf_set(out, NFSD_CONF_BROKEN, "bad-argument",
			      "the port in --rdma=%.40s is not one", port);
	else if (out->state != NFSD_CONF_ON)
		nfsd_conf_set(
			out, NFSD_CONF_BROKEN, "bad-argument",
			"--rdma without a port means the service nfsrdma, which /etc/services does not have");
	if (out->state != NFSD_CONF_ON)
		out->port = 0;
}

/* By the settings of nfs.conf. @start: what starts the server. */
static int nfsd_conf_read_file(struct check_run *run, const char *start, unsigned int wanted,
			       struct nfsd_conf *out)
{
	struct nfsd_conf_input in = { .service = nfsd_conf_service,
				      .arg = run->host,
				      .nfsdctl = strstr(start, "nfsdctl") };
	const struct conf_value *rdma, *rdma_port, *hosts, *value;
	const struct conf *conf;
	struct nfs_utils utils;
	int rc = facts_nfs_conf(run, &conf);

	if (rc)
		return rc;
	rdma = conf_get(conf, "nfsd", NULL, "rdma");
	rdma_port = conf_get(conf, "nfsd", NULL, "rdma-port");
	in.rdma = rdma ? rdma->value : NULL;
	in.rdma_port = rdma_port ? rdma_port->value : NULL;
	if (!nfs_utils_read(run->host, &utils))
		nfsd_conf_version(utils.version, in.version);
	value = rdma ? rdma : rdma_port;
	if (value)
		snprintf(out->where, sizeof(out->where), "/%.100s:%u", value->file, value->line);
	else
		snprintf(out->where, sizeof(out->where), "/etc/nfs.conf");
	hosts = in.nfsdctl ? conf_get(conf, "nfsd", NULL, "host") : NULL;
	if (hosts) {
		text_copy(out->hosts, sizeof(out->hosts), hosts->value);
		snprintf(out->hosts_where, sizeof(out->hosts_where), "/%.100s:%u", hosts->file,
			 hosts->line);
	}
	nfsd_conf_judge(&in, out);
	snprintf(out->write, sizeof(out->write),
		 nfsd_conf_is_old(&in) ? "rdma=%u" : "rdma=y and rdma-port=%u", wanted);
	return 0;
}

int nfsd_conf_read(struct check_run *run, struct nfsd_conf *out)
{
	const struct check_target *target = run->target;
	/* With a server's name the port is that server's. */
	unsigned int wanted = target->server || !target->port ? NFS_RDMA_PORT : target->port;
	char start[256], port[16], who[NFS_UTILS_WHO_MAX];
	enum nfs_utils_conf reads = nfs_utils_conf(run->host, who);
	size_t used;
	int rc;

	memset(out, 0, sizeof(*out));
	/* Without systemd, or if the unit cannot be read, rpc.nfsd starts it. */
	if (host_unit_get(run->host, NFSD_SERVICE, "ExecStart", start, sizeof(start)))
		start[0] = '\0';
	snprintf(out->where, sizeof(out->where), NFSD_SERVICE);
	if (nfsd_conf_argument(start, port) ||
	    (strstr(start, "$RPCNFSD") && nfsd_conf_environment(run->host, out, port))) {
		nfsd_conf_judge_argument(run, port, out);
		snprintf(out->write, sizeof(out->write), "--rdma=%u", wanted);
		return 0;
	}
	if (reads == NFS_CONF_IGNORED) {
		nfsd_conf_set(out, NFSD_CONF_OFF, "unsupported",
			      "%s does not read nfs.conf, and is not supported", who);
		return 0;
	}
	rc = nfsd_conf_read_file(run, start, wanted, out);
	if (rc)
		return rc;
	/* The settings may have no effect. */
	used = strlen(out->why);
	if (out->state != NFSD_CONF_ON && reads == NFS_CONF_UNKNOWN)
		snprintf(
			out->why + used, sizeof(out->why) - used,
			"; the version of nfs-utils is unknown, and before 2.1.1 it does not read nfs.conf");
	return 0;
}

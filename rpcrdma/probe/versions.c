/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which versions of NFS the server offers over RDMA. NFSv3 by its NULL; of NFSv4 each minor
 * version by a COMPOUND of one operation (RFC 8881 section 2.7): MINOR_VERS_MISMATCH means no,
 * every other answer yes. A server that does not have the program version at all answers the
 * first with PROG_MISMATCH (RFC 5531 section 9). Silence or a lost connection under one version
 * is noted as usual and does not end the others. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

enum versions_answer { ANSWER_NONE, ANSWER_YES, ANSWER_NO };

struct versions_census {
	enum versions_answer answers[PROBE_VERSIONS];
	char why[PROBE_VERSIONS][128]; /* no answer */
	bool silent;                   /* a version was waited for twice */
	bool denied;                   /* the caller was rejected, by some version */
};

/* @rpc: the reply's header, if there is one. */
static int versions_ask_once(struct probe *p, const struct nfs_version *version,
			     struct rpc_reply *rpc)
{
	uint32_t status = 0;
	struct rpcrdma_call call;
	uint8_t args[NFS_ARGS_MAX];
	struct reader r;
	ssize_t len = 0;
	int rc;

	rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, version->vers,
			  version->vers == 3 ? NFS3_NULL : NFSPROC4_COMPOUND);
	if (version->vers == 4) {
		len = nfs4_args_version(args, sizeof(args), version->minor);
		call.cred = &p->cred;
	}
	if (len < 0)
		return (int)len;
	call.args = args;
	call.args_len = (size_t)len;
	rc = session_call(p, &call, 0);
	*rpc = call.rpc;
	reader_init(&r, call.results, call.results_len);
	if (!rc && version->vers == 4)
		rc = nfs4_res_status(&status, &r);
	rpcrdma_call_fini(&call);
	if (!rc && status == NFS4ERR_MINOR_VERS_MISMATCH)
		rc = err_set(EOPNOTSUPP, "%s", version->status_text(status));
	return rc;
}

static void versions_ask(struct probe *p, struct versions_census *c, size_t i)
{
	const struct nfs_version *version = nfs_versions[i];
	struct rpc_reply rpc = { 0 };
	unsigned int tries;
	int rc = -ECANCELED;
	size_t j;

	for (tries = 0; tries < 2 && !p->session.hopeless; tries++) {
		rc = versions_ask_once(p, version, &rpc);
		/* Do not ask a silent server twice for every version. */
		if (!session_is_failure(rc) || (rc == -ETIMEDOUT && c->silent))
			break;
		c->silent = rc == -ETIMEDOUT && tries;
	}
	c->denied = c->denied || (rc && rpc.xid && rpc.reply_stat == RPC_MSG_DENIED &&
				  rpc.reject_stat == RPC_AUTH_ERROR);
	c->answers[i] = !rc ? ANSWER_YES : rc == -EOPNOTSUPP ? ANSWER_NO : ANSWER_NONE;
	/* The server returned the range of its program versions: all others are not offered. */
	if (rc == -EOPNOTSUPP && rpc.reply_stat == RPC_MSG_ACCEPTED &&
	    rpc.accept_stat == RPC_PROG_MISMATCH)
		for (j = 0; j < PROBE_VERSIONS && nfs_versions[j]; j++)
			if (nfs_versions[j]->vers < rpc.low || nfs_versions[j]->vers > rpc.high)
				c->answers[j] = ANSWER_NO;
	if (c->answers[i] == ANSWER_NONE)
		snprintf(c->why[i], sizeof(c->why[i]), "%.127s", err_text());
}

/* "3 4.0 4.1 4.2": the versions with that answer, lowest first. */
static void versions_list(const struct versions_census *c, enum versions_answer answer, char *buf,
			  size_t cap)
{
	size_t used = 0, n = 0;

	while (n < PROBE_VERSIONS && nfs_versions[n])
		n++;
	buf[0] = '\0';
	while (n--)
		if (c->answers[n] == answer && used < cap)
			used += (size_t)snprintf(buf + used, cap - used, "%s%s", used ? " " : "",
						 nfs_versions[n]->name);
}

static void versions_say(struct probe *p, const struct versions_census *c)
{
	const struct nfs_version *wanted = p->options->version;
	char offered[64], silent[64];
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	versions_list(c, ANSWER_YES, offered, sizeof(offered));
	versions_list(c, ANSWER_NONE, silent, sizeof(silent));
	/* A version without an answer is not known to be absent, but a server that answered other
	 * calls should have answered. */
	if (*silent && c->denied)
		finding_init(
			&f, "probe.versions", p->version ? FINDING_WARN : FINDING_FAIL,
			"the server rejects the credentials of calls of NFS %s: uid %u, gid %u and %u more group%s",
			silent, p->cred.uid, p->cred.gid, p->cred.ngids,
			p->cred.ngids == 1 ? "" : "s");
	else if (!p->version && wanted)
		finding_init(&f, "probe.versions", FINDING_FAIL,
			     "NFSv%s was asked for; offered over RDMA: %s%s%s", wanted->name,
			     *offered ? offered : "none", *silent ? "; without an answer: " : "",
			     silent);
	else if (!p->version)
		finding_init(&f, "probe.versions", FINDING_FAIL,
			     "no NFS version is offered over RDMA%s%s",
			     *silent ? "; without an answer: " : "", silent);
	else if (*silent)
		finding_init(&f, "probe.versions", FINDING_WARN,
			     "NFS versions offered over RDMA: %s; without an answer: %s", offered,
			     silent);
	else
		finding_init(&f, "probe.versions", FINDING_PASS,
			     "NFS versions offered over RDMA: %s", offered);
	if (f.status != FINDING_PASS)
		finding_reason(&f, *silent && c->denied ? (p->version ? "some-denied" : "denied")
				   : p->version         ? "silent"
				   : wanted             ? "not-offered"
							: "none");
	if (wanted)
		finding_text(&f, "requested", "%s", wanted->name);
	if (*silent)
		finding_text(&f, "silent", "%s", silent);
	finding_text(&f, "offered", "%s", offered);
	finding_text(&f, "used", "%s", p->version ? p->version->name : "none");
	for (i = 0; i < PROBE_VERSIONS && nfs_versions[i]; i++)
		if (c->answers[i] == ANSWER_NONE)
			finding_text(&f, nfs_versions[i]->name, "%s", c->why[i]);
	probe_emit(p, &f);
}

bool versions_choose(struct probe *p)
{
	struct versions_census c = { .silent = false };
	size_t i;

	for (i = 0; i < PROBE_VERSIONS && nfs_versions[i]; i++) {
		if (c.answers[i] != ANSWER_NO)
			versions_ask(p, &c, i);
		p->server.offered[i] = c.answers[i] == ANSWER_YES;
	}
	p->version = NULL;
	for (i = 0; i < PROBE_VERSIONS && nfs_versions[i] && !p->version; i++)
		if (c.answers[i] == ANSWER_YES &&
		    (!p->options->version || nfs_versions[i] == p->options->version))
			p->version = nfs_versions[i];
	versions_say(p, &c);
	if (!p->version)
		return false;
	probe_subject(p, "nfs_version", "%s", p->version->name);
	return true;
}

bool versions_lower(struct probe *p)
{
	size_t i = 0;

	while (nfs_versions[i] != p->version)
		i++;
	for (i++; !p->options->version && i < PROBE_VERSIONS && nfs_versions[i]; i++)
		if (p->server.offered[i]) {
			p->version = nfs_versions[i];
			probe_subject(p, "nfs_version", "%s", p->version->name);
			return true;
		}
	return false;
}

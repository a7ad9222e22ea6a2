/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The target before any READ: connection and NULL call, private data (RFC 8797), root handle by
 * MOUNT over TCP (there is no MOUNT over RDMA, RFC 8267 section 5.1), FSINFO, and the reference
 * path. Every step is a finding, and says whether the next makes sense. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define RPCBIND_PORT 111
#define PINGS        3
/* A path has few components; a hostile one is not walked for ever. */
#define WALK_UP_MAX 16

/* Whether nobody answered, as opposed to an answer that is wrong or a refusal. */
static bool nobody_answered(int rc)
{
	return rc == -ETIMEDOUT || rc == -EHOSTUNREACH || rc == -ENETUNREACH ||
	       rc == -EACCES || rc == -EPERM || rc == -EADDRNOTAVAIL;
}

static enum finding_status refusal(int rc)
{
	return nobody_answered(rc) ? FINDING_UNKNOWN : FINDING_FAIL;
}

/* Every address of the name in turn: an answer, even a bad one, says more than silence. */
static bool connect_any(struct probe *p)
{
	char where[96], text[ERR_TEXT_MAX] = "";
	int rc = -EHOSTUNREACH, worst = 0;
	const struct transport *t;
	struct finding f;

	for (p->address = 0; p->address < p->naddresses; p->address++) {
		rc = session_ready(p);
		if (!rc)
			break;
		if (!worst || nobody_answered(worst)) {
			worst = rc;
			snprintf(text, sizeof(text), "%s", err_text());
		}
	}
	if (rc) {
		probe_say(p, "probe.connect", refusal(worst), "%s", text);
		return false;
	}
	t = rpcrdma_transport(p->conn);
	transport_address_text(&t->peer, where, sizeof(where));
	finding_init(&f, "probe.connect", FINDING_PASS, "connected to %s over %s", where,
		     t->ops->name);
	finding_text(&f, "address", "%s", where);
	finding_text(&f, "crc", "%s", t->crc ? "on" : "off");
	probe_emit(p, &f);
	return true;
}

static void tell_private(struct probe *p)
{
	const struct rpcrdma_private *peer = rpcrdma_peer_private(p->conn);
	struct finding f;

	if (peer->present)
		finding_init(&f, "probe.private-data", FINDING_PASS,
			     "the server sends %u and receives %u bytes inline",
			     peer->send_size, peer->receive_size);
	else
		finding_init(&f, "probe.private-data", FINDING_PASS,
			     "the server sent none: inline threshold %u bytes both ways",
			     RPCRDMA_INLINE_MIN);
	finding_number(&f, "reply_inline", rpcrdma_reply_inline(p->conn));
	finding_number(&f, "call_inline", rpcrdma_call_inline(p->conn));
	finding_text(&f, "remote_invalidation", "%s",
		     peer->remote_invalidate ? "yes" : "no");
	probe_emit(p, &f);
}

static int ping(struct probe *p, double *ms)
{
	struct rpcrdma_call call;
	int rc;

	rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, 3, NFS3_NULL);
	rc = session_call(p, &call, 0);
	if (!rc)
		rc = rpc_reply_check(&call.rpc);
	if (!rc)
		*ms = (double)(call.done_ns - call.sent_ns) / 1e6;
	rpcrdma_call_fini(&call);
	return rc;
}

bool target_ping(struct probe *p)
{
	unsigned int i, answered = 0;
	char text[ERR_TEXT_MAX] = "";
	double ms, best = 0;
	struct finding f;
	int rc, first = 0;

	if (!connect_any(p))
		return false;
	tell_private(p);
	for (i = 0; i < PINGS; i++) {
		rc = ping(p, &ms);
		if (!rc) {
			best = answered++ && best < ms ? best : ms;
			continue;
		}
		if (!first)
			snprintf(text, sizeof(text), "%s", err_text());
		first = first ? first : rc;
		/* A server that never answers is not waited for thrice. */
		if (rc == -ETIMEDOUT && !answered)
			break;
	}
	p->rtt_ms = best;
	if (!answered) {
		probe_say(p, "probe.null", refusal(first), "NULL: %s", text);
		return false;
	}
	/* A single loss among answers is told by what it is a case of (target_mishaps). */
	finding_init(&f, "probe.null", FINDING_PASS, "NULL answered in %.3f ms", best);
	finding_number(&f, "best_ms", best);
	finding_number(&f, "answered", answered);
	finding_number(&f, "asked", PINGS);
	probe_emit(p, &f);
	return true;
}

/* A port by rpcbind, for one program. */
static int ask_rpcbind(struct probe *p, uint32_t prog, uint16_t *port)
{
	_cleanup_close_ int fd = probe_tcp(p, RPCBIND_PORT, NULL);

	if (fd < 0)
		return err_context(fd, "rpcbind");
	return err_context(pmap_getport(fd, prog, 3, port, session_call_deadline(p, 0)),
			   "rpcbind");
}

/* MNT of the path, then of what is above it: the probe is told a path, and which part of it is
 * the export only the server knows. *rest is what is left over. */
static int mount_walk(struct probe *p, int fd, char *path, const char **rest,
		      struct mount3_mnt_res *res)
{
	static const char nothing[] = "";
	uint32_t told = NFS3_STATUS_OK;
	unsigned int i;
	char *slash;
	int rc;

	*rest = nothing;
	for (i = 0; i < WALK_UP_MAX; i++) {
		rc = mount3_mnt(fd, *path ? path : "/", &p->cred, res,
				session_call_deadline(p, 0));
		if (rc || !res->status)
			return rc;
		/* What is told is what was said of the path as the user gave it. */
		told = told ? told : res->status;
		slash = strrchr(path, '/');
		if (!slash || !*path || (slash == path && !path[1]))
			break;
		*slash = '\0';
		/* The rest grows to the left: put back the slash that cut it before. */
		if (**rest)
			path[strlen(path) + 1 + strlen(slash + 1)] = '/';
		*rest = slash + 1;
	}
	res->status = told;
	return 0;
}

static int lookup(struct probe *p, struct probe_file *at, const char *name)
{
	struct nfs3_lookup_res res;
	struct rpcrdma_call call;
	uint8_t args[512];
	struct reader r;
	size_t used;
	int rc;

	rc = session_nfs3(p, &call, NFS3_LOOKUP, args,
			  nfs3_args_lookup(args, sizeof(args), &at->fh, name));
	reader_init(&r, call.results, call.results_len);
	if (!rc)
		rc = nfs3_res_lookup(&res, &r);
	rpcrdma_call_fini(&call);
	if (!rc && res.status)
		rc = err_set(res.status == NFS3_STATUS_ACCES ? EACCES : ENOENT, "%s",
			     nfs3_status_text(res.status));
	if (rc)
		return err_context(rc, "LOOKUP of %s", name);
	at->fh = res.fh;
	used = strlen(at->path);
	snprintf(at->path + used, sizeof(at->path) - used, "%s%s", used ? "/" : "", name);
	return 0;
}

static int walk_down(struct probe *p, const char *rest)
{
	char name[NFS3_NAME_MAX + 1];
	size_t len;
	int rc = 0;

	for (; !rc && *rest; rest += len) {
		rest += strspn(rest, "/");
		len = strcspn(rest, "/");
		if (!len)
			break;
		if (len >= sizeof(name))
			return err_set(ENAMETOOLONG, "a name of %zu bytes, %d at most",
				       len, NFS3_NAME_MAX);
		memcpy(name, rest, len);
		name[len] = '\0';
		rc = lookup(p, &p->root, name);
	}
	if (!rc)
		rc = session_getattr(p, &p->root.fh, &p->root.attr);
	return rc;
}

static void say_mount_refused(struct probe *p, const struct mount3_mnt_res *res,
			      bool reserved)
{
	bool access = res->status == NFS3_STATUS_ACCES || res->status == NFS3_STATUS_PERM;

	if (access && !reserved)
		probe_say(
			p, "probe.mount", FINDING_UNKNOWN,
			"mountd refused %s (%s), and this request came from an unprivileged port: run the probe as root, or export with \"insecure\"; else this host is not among the export's clients",
			p->options->export, nfs3_status_text(res->status));
	else if (access)
		probe_say(p, "probe.mount", FINDING_UNKNOWN,
			  "mountd refused %s (%s): it is not exported to this host",
			  p->options->export, nfs3_status_text(res->status));
	else
		probe_say(p, "probe.mount", FINDING_FAIL, "MOUNT of %s: %s",
			  p->options->export, nfs3_status_text(res->status));
}

static bool flavor_usable(const struct mount3_mnt_res *res)
{
	uint32_t i;

	for (i = 0; i < res->nflavors; i++)
		if (res->flavors[i] == RPC_AUTH_SYS || res->flavors[i] == RPC_AUTH_NONE)
			return true;
	/* An empty list is what servers send that know AUTH_SYS only. */
	return !res->nflavors;
}

static void say_mounted(struct probe *p, const char *mounted, uint16_t port,
			bool reserved)
{
	const char *name = strrchr(p->options->export, '/');
	struct finding f;

	p->root_is_file = p->root.attr.type == NFS_REG;
	if (p->root_is_file && !*p->root.path)
		snprintf(p->root.path, sizeof(p->root.path), "%.500s",
			 name ? name + 1 : p->options->export);
	finding_init(&f, "probe.mount", FINDING_PASS,
		     "root handle of %s by MOUNT on TCP port %u", mounted, port);
	finding_number(&f, "port", port);
	finding_text(&f, "reserved_port", "%s", reserved ? "yes" : "no");
	finding_number(&f, "owner_uid", p->root.attr.uid);
	finding_number(&f, "owner_gid", p->root.attr.gid);
	probe_subject(p, "export", "%s", mounted);
	probe_emit(p, &f);
}

bool target_root(struct probe *p)
{
	uint16_t port = p->options->mount_port;
	struct mount3_mnt_res res;
	_cleanup_close_ int fd = -1;
	char path[NFS3_PATH_MAX];
	bool reserved = false;
	const char *rest;
	int rc = 0;

	if (!port)
		rc = ask_rpcbind(p, MOUNT_PROGRAM_NUMBER, &port);
	if (!rc) {
		fd = probe_tcp(p, port, &reserved);
		rc = fd < 0 ? fd : 0;
	}
	if (rc) {
		probe_say(p, "probe.mount", FINDING_UNKNOWN,
			  "mountd cannot be asked for the root handle: %s%s", err_text(),
			  p->options->mount_port ? ""
						 : " (--mount-port tells where it is)");
		return false;
	}
	snprintf(path, sizeof(path), "%s", p->options->export);
	rc = mount_walk(p, fd, path, &rest, &res);
	if (rc) {
		probe_say(p, "probe.mount", refusal(rc), "MOUNT of %s on TCP port %u: %s",
			  p->options->export, port, err_text());
		return false;
	}
	if (res.status) {
		say_mount_refused(p, &res, reserved);
		return false;
	}
	if (!flavor_usable(&res)) {
		probe_say(
			p, "probe.mount", FINDING_UNKNOWN,
			"%s is exported with security flavors other than sys (first: %u), which the probe does not speak",
			p->options->export, res.flavors[0]);
		return false;
	}
	p->root.fh = res.fh;
	rc = walk_down(p, rest);
	if (rc) {
		probe_say(p, "probe.mount", rc == -ENOENT ? FINDING_FAIL : refusal(rc),
			  "%s: %s", p->options->export, err_text());
		return false;
	}
	say_mounted(p, *path ? path : "/", port, reserved);
	return true;
}

bool target_fsinfo(struct probe *p)
{
	struct nfs3_fsinfo_res res;
	struct rpcrdma_call call;
	uint8_t args[128];
	struct finding f;
	struct reader r;
	int rc;

	rc = session_nfs3(p, &call, NFS3_FSINFO, args,
			  nfs3_args_fh(args, sizeof(args), &p->root.fh));
	reader_init(&r, call.results, call.results_len);
	if (!rc)
		rc = nfs3_res_fsinfo(&res, &r);
	rpcrdma_call_fini(&call);
	if (!rc && (res.status || !res.rtmax))
		rc = err_set(EIO, "%s",
			     res.status ? nfs3_status_text(res.status) : "rtmax is 0");
	if (rc) {
		probe_say(p, "probe.fsinfo", FINDING_FAIL, "FSINFO: %s", err_text());
		return false;
	}
	p->rtmax = min_u32(res.rtmax, 1048576);
	finding_init(&f, "probe.fsinfo", FINDING_PASS, "READs of up to %u bytes (rtmax)",
		     res.rtmax);
	finding_number(&f, "rtmax", res.rtmax);
	finding_number(&f, "rtpref", res.rtpref);
	probe_emit(p, &f);
	return true;
}

uint16_t target_nfs_port(struct probe *p)
{
	uint16_t port = p->options->nfs_port;

	if (!port && ask_rpcbind(p, NFS_PROGRAM_NUMBER, &port))
		port = NFS_TCP_PORT;
	return port;
}

void target_reference(struct probe *p)
{
	bool reserved;
	int fd;

	fd = probe_tcp(p, target_nfs_port(p), &reserved);
	if (fd < 0 ||
	    reference_open(&p->reference, fd, &p->addresses[p->address], &p->cred)) {
		snprintf(p->reference_why, sizeof(p->reference_why), "%.255s",
			 err_text());
		p->reference = NULL;
	}
}

/* @told: those of READs by Write chunk are told as that mechanism's. */
static void tell_mishap(struct probe *p, const char *id, const struct mishap *m,
			bool told, const char *none, const char *some)
{
	bool beside = m->beside_write_chunks || !told;
	struct finding f;

	if (!m->count) {
		probe_say(p, id, FINDING_PASS, "%s", none);
		return;
	}
	finding_init(&f, id, beside ? FINDING_FAIL : FINDING_SKIP,
		     "%s %u time%s%s: %.400s", some, m->count, m->count == 1 ? "" : "s",
		     beside ? "" : ", only for READs by Write chunk, which is told there",
		     m->example);
	finding_number(&f, "count", m->count);
	finding_number(&f, "beside_write_chunk_reads", m->beside_write_chunks);
	finding_text(&f, "example", "%s", m->example);
	probe_emit(p, &f);
}

static void tell_credits(struct probe *p)
{
	struct finding f;

	if (p->zero_grants)
		finding_init(
			&f, "probe.credits", FINDING_FAIL,
			"%u replies granted 0 credits: a client may then send nothing",
			p->zero_grants);
	else
		finding_init(&f, "probe.credits", FINDING_PASS,
			     "the server grants %u credits, %u were asked for",
			     p->most_granted, RPCRDMA_CREDITS);
	finding_number(&f, "granted", p->most_granted);
	finding_number(&f, "asked", RPCRDMA_CREDITS);
	finding_number(&f, "zero_grants", p->zero_grants);
	probe_emit(p, &f);
}

void target_mishaps(struct probe *p)
{
	bool told = p->write_chunk_failed;

	session_drop(p);
	tell_credits(p);
	tell_mishap(p, "probe.reply.xid", &p->xid, false,
		    "every reply carried the xid of its call",
		    "a reply carried another xid than its call");
	tell_mishap(p, "probe.reply.lost", &p->lost, told, "every call was answered",
		    "a call was not answered");
	tell_mishap(p, "probe.connection", &p->closed, told,
		    "the server kept its connections",
		    "the server closed the connection before it replied,");
	tell_mishap(p, "probe.transport", &p->transport, told,
		    "every frame kept to the transport's protocol",
		    "the peer broke the transport's protocol");
}

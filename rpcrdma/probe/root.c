/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The export's root handle. NFSv3 has it from MOUNT over TCP, since there is no MOUNT over RDMA
 * (RFC 8267 section 5.1). NFSv4 has a root of its own, from which the path is looked up over the
 * same connection. If any version may be used and one does not have the path, the next lower is
 * tried: NFSv4 may show another tree (RFC 8881 section 7.3). */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

/* A path has few components; this bounds the walk of a hostile one. */
#define WALK_UP_MAX 16

/* What MOUNT says of a path. */
struct root_mount {
	char path[NFS3_PATH_MAX]; /* of the export; empty: "/" */
	const char *rest;         /* the part below the export */
	struct mount3_mnt_res res;
	uint16_t port; /* of mountd; 0: rpcbind has none */
	bool reserved; /* asked from a reserved port */
};

/* MNT of the path, then of its parents: the user gives a path, and only the server knows which
 * part of it is the export. */
static int root_mount_walk(struct probe *p, int fd, struct root_mount *m)
{
	static const char nothing[] = "";
	uint32_t first = NFS3_STATUS_OK;
	char *slash, *path = m->path;
	unsigned int i;
	int rc;

	m->rest = nothing;
	probe_step(p, "the reply of mountd");
	for (i = 0; i < WALK_UP_MAX; i++) {
		rc = mount3_mnt(fd, *path ? path : "/", &p->cred, &m->res,
				session_tcp_deadline(p, 0));
		if (rc || !m->res.status)
			return rc;
		/* The error for the path as the user gave it is reported. */
		first = first ? first : m->res.status;
		slash = strrchr(path, '/');
		if (!slash || !*path || (slash == path && !path[1]))
			break;
		*slash = '\0';
		/* The rest grows to the left: restore the slash that was cut before. */
		if (*m->rest)
			path[strlen(path) + 1 + strlen(slash + 1)] = '/';
		m->rest = slash + 1;
	}
	m->res.status = first;
	return 0;
}

/* The link's target, for the report. */
static int root_link_error(struct probe *p, const struct probe_file *link, const char *name)
{
	char target[128] = "";
	struct operation op;
	uint32_t len;

	operation_init(&op, NFS_OP_READLINK, &link->fh);
	if (!operation_check(p->version, &op, operation_run(p, &op))) {
		len = min_u32(op.result.read.len, sizeof(target) - 1);
		memcpy(target, op.result.read.bytes, len);
		target[len] = '\0';
	}
	operation_fini(p, &op);
	return err_because(err_set(ELOOP,
				   "%s is a symbolic link%s%s, which the probe does not follow",
				   name, *target ? " to " : "", target),
			   "symlink");
}

int root_lookup(struct probe *p, struct probe_file *at, const char *name)
{
	struct operation op;
	size_t used;
	int rc;

	operation_init(&op, NFS_OP_LOOKUP, &at->fh);
	op.request.name = name;
	rc = operation_check(p->version, &op, operation_run(p, &op));
	if (!rc) {
		at->fh = op.result.fh;
		identity_add(&p->server.seen, &at->fh);
		memset(&at->attr, 0, sizeof(at->attr));
		if (op.result.has_attr)
			at->attr = op.result.attr;
	}
	operation_fini(p, &op);
	if (rc)
		return err_context(rc, "LOOKUP of %s", name);
	if (at->attr.type == NFS_LNK)
		return root_link_error(p, at, name);
	used = strlen(at->path);
	snprintf(at->path + used, sizeof(at->path) - used, "%s%s", used ? "/" : "", name);
	return 0;
}

int root_next_name(const char **rest, char name[NFS3_NAME_MAX + 1])
{
	size_t len;

	*rest += strspn(*rest, "/");
	len = strcspn(*rest, "/");
	if (len > NFS3_NAME_MAX)
		return err_set(ENAMETOOLONG, "a name of %zu bytes, %d at most", len, NFS3_NAME_MAX);
	memcpy(name, *rest, len);
	name[len] = '\0';
	*rest += len;
	return (int)len;
}

static void root_say_refused(struct probe *p, const struct mount3_mnt_res *res, bool reserved)
{
	bool access = res->status == NFS3_STATUS_ACCES || res->status == NFS3_STATUS_PERM;

	if (access && !reserved)
		probe_because(p, "probe.mount", FINDING_UNKNOWN, "unprivileged-port",
			      "mountd refuses %s (%s); the request came from an unprivileged port",
			      p->options->export, nfs3_status_text(res->status));
	else if (access)
		probe_because(p, "probe.mount", FINDING_UNKNOWN, "not-exported",
			      "mountd refuses %s (%s)", p->options->export,
			      nfs3_status_text(res->status));
	else
		probe_because(p, "probe.mount", FINDING_FAIL,
			      res->status == NFS3_STATUS_NOENT ? "no-export" : "mountd-error",
			      "MOUNT of %s: %s", p->options->export, nfs3_status_text(res->status));
}

static bool root_flavor_is_usable(const struct mount3_mnt_res *res)
{
	uint32_t i;

	for (i = 0; i < res->nflavors; i++)
		if (res->flavors[i] == RPC_AUTH_SYS || res->flavors[i] == RPC_AUTH_NONE)
			return true;
	/* Servers that know only AUTH_SYS send an empty list. */
	return !res->nflavors;
}

static enum finding_status root_walk_status(int rc)
{
	return rc == -ELOOP || rc == -EREMOTE ? FINDING_UNKNOWN : target_refusal(rc);
}

static void root_say(struct probe *p, struct finding *f, const char *export)
{
	struct root *root = &p->root;
	const char *name = strrchr(p->options->export, '/');

	root->is_file = root->file.attr.type == NFS_REG;
	root->generation = p->session.generation;
	if (root->is_file && !*root->file.path)
		snprintf(root->file.path, sizeof(root->file.path), "%.500s",
			 name ? name + 1 : p->options->export);
	finding_number(f, "owner_uid", root->file.attr.uid);
	finding_number(f, "owner_gid", root->file.attr.gid);
	if (*root->lower_because)
		finding_text(f, "lower_version_because", "%s", root->lower_because);
	probe_subject(p, "export", "%s", export);
	probe_emit(p, f);
}

/* "; under NFSv4.2: NFS4ERR_NOENT" */
static const char *root_lower_text(const struct root *root, char *buf, size_t cap)
{
	buf[0] = '\0';
	if (*root->lower_because)
		snprintf(buf, cap, "; %s", root->lower_because);
	return buf;
}

/* mountd's answer for m->path, or false and the finding is emitted. */
static bool root_ask_mountd(struct probe *p, struct root_mount *m)
{
	_cleanup_close_ int fd = -1;
	const char *reason = "";
	_cleanup_(finding_fini) struct finding f = { 0 };
	int rc = 0;

	m->port = p->options->mount_port;
	if (!m->port) {
		rc = target_rpcbind(p, MOUNT_PROGRAM_NUMBER, &m->port);
		reason = rc == -EADDRNOTAVAIL ? "no-mountd" : "rpcbind";
	}
	if (!rc) {
		fd = probe_tcp(p, TCP_MOUNT, m->port, &m->reserved);
		rc = fd < 0 ? fd : 0;
		reason = "mountd";
	}
	if (rc) {
		finding_init(&f, "probe.mount", FINDING_UNKNOWN, "no answer from mountd: %s",
			     err_text());
		finding_reason(&f, reason);
		if (m->port)
			finding_number(&f, "mount_port", m->port);
		probe_emit(p, &f);
		return false;
	}
	rc = root_mount_walk(p, fd, m);
	if (rc)
		probe_because(p, "probe.mount", target_refusal(rc), "mountd-reply",
			      "MOUNT of %s on TCP port %u: %s", p->options->export, m->port,
			      err_text());
	else if (m->res.status)
		root_say_refused(p, &m->res, m->reserved);
	else if (!root_flavor_is_usable(&m->res))
		probe_because(
			p, "probe.mount", FINDING_UNKNOWN, "kerberos",
			"%s is exported with security flavors other than sys (first: %u), which the probe does not speak",
			p->options->export, m->res.flavors[0]);
	return !rc && !m->res.status && root_flavor_is_usable(&m->res);
}

static bool root_find_by_mount(struct probe *p)
{
	struct probe_file *root = &p->root.file;
	char name[NFS3_NAME_MAX + 1], lower[320];
	struct root_mount m = { .reserved = false };
	const char *export, *rest;
	_cleanup_(finding_fini) struct finding f = { 0 };
	int n, rc = 0;

	snprintf(m.path, sizeof(m.path), "%s", p->options->export);
	if (!root_ask_mountd(p, &m))
		return false;
	root->fh = m.res.fh;
	rest = m.rest;
	while (!rc && (n = root_next_name(&rest, name)) != 0)
		rc = n < 0 ? n : root_lookup(p, root, name);
	if (!rc)
		rc = operation_getattr(p, &root->fh, &root->attr);
	if (rc) {
		probe_because(p, "probe.mount", root_walk_status(rc), probe_reason(rc), "%s: %s",
			      p->options->export, err_text());
		return false;
	}
	/* mountd sent it over TCP, but the server accepted it over RDMA. */
	identity_add(&p->server.seen, &m.res.fh);
	export = *m.path ? m.path : "/";
	finding_init(&f, "probe.mount", FINDING_PASS, "root handle of %s by MOUNT on TCP port %u%s",
		     export, m.port, root_lower_text(&p->root, lower, sizeof(lower)));
	finding_number(&f, "port", m.port);
	finding_text(&f, "reserved_port", "%s", m.reserved ? "yes" : "no");
	root_say(p, &f, export);
	return true;
}

/* Walks from the server's root to the path. @export: the part of it that is the export, as far as
 * can be seen: up to the start of the last file system. */
static int root_walk(struct probe *p, char *export, size_t cap)
{
	struct probe_file *root = &p->root.file;
	char name[NFS3_NAME_MAX + 1], walked[NFS3_PATH_MAX] = "";
	const char *rest = p->options->export;
	struct operation op;
	size_t used = 0;
	uint64_t fsid;
	int n, rc;

	snprintf(export, cap, "/");
	operation_init(&op, NFS_OP_ROOT, NULL);
	rc = operation_check(p->version, &op, operation_run(p, &op));
	root->fh = op.result.fh;
	root->attr = op.result.attr;
	root->path[0] = '\0';
	operation_fini(p, &op);
	if (rc)
		return err_context(rc, "PUTROOTFH");
	identity_add(&p->server.seen, &root->fh);
	while ((n = root_next_name(&rest, name)) != 0) {
		fsid = root->attr.fsid;
		rc = n < 0 ? n : root_lookup(p, root, name);
		if (rc)
			return rc;
		if (used < sizeof(walked))
			used += (size_t)snprintf(walked + used, sizeof(walked) - used, "/%s", name);
		if (root->attr.fsid == fsid)
			continue;
		snprintf(export, cap, "%s", walked);
		root->path[0] = '\0';
	}
	return 0;
}

/* -ENOENT: no such path under this version, and nothing was emitted yet; else 0 or another error,
 * and the finding is emitted. */
static int root_find_by_lookup(struct probe *p)
{
	char export[NFS3_PATH_MAX], lower[320];
	_cleanup_(finding_fini) struct finding f = { 0 };
	int rc;

	rc = client41_ready(p);
	if (rc) {
		/* A server that answered before and is silent now is at fault, if it had enough
		 * time. */
		probe_because(p, "probe.session",
			      rc == -ETIMEDOUT && deadline_left(p->deadline) ? FINDING_FAIL
									     : target_refusal(rc),
			      probe_reason(rc), "%s", err_text());
		return rc == -ENOENT ? -EIO : rc;
	}
	rc = root_walk(p, export, sizeof(export));
	if (rc == -ENOENT)
		return rc;
	if (p->version->sessions) {
		finding_init(&f, "probe.session", FINDING_PASS,
			     "session with %u slots, replies of up to %u bytes",
			     p->client.slots.count, p->client.response_size);
		finding_number(&f, "slots", p->client.slots.count);
		finding_number(&f, "response_size", p->client.response_size);
		finding_text(&f, "owner", "%s", p->client.remains.owner);
		probe_emit(p, &f);
	}
	if (rc) {
		probe_because(p, "probe.root", root_walk_status(rc), probe_reason(rc), "%s: %s",
			      p->options->export, err_text());
		return rc;
	}
	finding_init(&f, "probe.root", FINDING_PASS,
		     "root handle of %s by PUTROOTFH and LOOKUP, NFSv%s%s", export,
		     p->version->name, root_lower_text(&p->root, lower, sizeof(lower)));
	root_say(p, &f, export);
	return 0;
}

bool root_find(struct probe *p)
{
	struct root *root = &p->root;
	int rc;

	while (p->version->vers != 3) {
		rc = root_find_by_lookup(p);
		if (rc != -ENOENT)
			return !rc;
		/* The first reason is the highest version's. */
		if (!*root->lower_because)
			snprintf(root->lower_because, sizeof(root->lower_because),
				 "under NFSv%s: %.200s", p->version->name, err_text());
		client41_close(p);
		if (!versions_lower(p)) {
			probe_because(p, "probe.root", FINDING_FAIL, "not-found", "%s: %s",
				      p->options->export, root->lower_because);
			return false;
		}
	}
	return root_find_by_mount(p);
}

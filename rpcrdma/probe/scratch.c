/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The file that the probe writes to: made exclusively, so that nothing that exists is touched, and
 * removed however the run ends. The parent says its name before it is made, and removes it if this
 * process does not. */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "rpcrdma/probe/write-internal.h"

#define MODE 0600
/* Free space that must be there: at least this, and so many times what is written. */
#define SPACE_MIN   ((uint64_t)1 << 30)
#define SPACE_TIMES 20
#define REMOVE_MS   1500
/* After this a CREATE without an answer is asked for once more. */
#define SETTLE_MS 400
/* Files of earlier probes that are older, among the first entries of a directory. */
#define EARLIER_SECONDS 3600
#define LISTED          32 /* READDIRs */

/* The gate: what may be written to which server. */
static const struct {
	enum server_kind kind;
	enum write_gate gate;
} gate_kinds[SERVER_KINDS] = {
	{ SERVER_UNKNOWN, WRITE_AS_CLIENTS }, { SERVER_OURS, WRITE_ALL },
	{ SERVER_LINUX, WRITE_ODD_FORMS },    { SERVER_GANESHA, WRITE_NOTHING },
	{ SERVER_ONTAP, WRITE_AS_CLIENTS },   { SERVER_ONEFS, WRITE_AS_CLIENTS },
	{ SERVER_SOLARIS, WRITE_AS_CLIENTS },
};

enum write_gate write_allowed(const struct server_identity *server, const char **why)
{
	const struct linux3_seen *old = &server->linux3;

	if (server->kind == SERVER_GANESHA) {
		*why = "nfs-ganesha has corrupted what it was sent";
		return WRITE_NOTHING;
	}
	/* Servers of Linux 3.8 to 3.14 panic at the first one; they send no private data. */
	if (!server->habits.private_data) {
		*why = "it sends no private data (RFC 8797), and old Linux servers panic at a WRITE";
		return WRITE_NOTHING;
	}
	if (old->header_segment || old->unused_dropped || old->reply_heads || old->page_starts) {
		*why = "it has signs of Linux 3.x, whose servers panic at a WRITE";
		return WRITE_NOTHING;
	}
	*why = "";
	return gate_kinds[server->kind].gate;
}

/* Records */

size_t scratch_encode(const struct scratch *s, uint8_t buf[SCRATCH_RECORD_MAX])
{
	const size_t name = strlen(s->name) + 1, path = strlen(s->path) + 1;
	uint32_t i;

	memset(buf, 0, SCRATCH_RECORD_MAX);
	buf[0] = s->exists;
	buf[1] = s->address;
	buf[2] = s->version;
	buf[3] = (uint8_t)s->dir.len;
	buf[4] = (uint8_t)s->fh.len;
	buf[5] = (uint8_t)s->cred.ngids;
	buf[6] = (uint8_t)s->left;
	put_be64(buf + 8, s->fileid);
	put_be32(buf + 16, s->cred.uid);
	put_be32(buf + 20, s->cred.gid);
	for (i = 0; i < s->cred.ngids; i++)
		put_be32(buf + 32 + 2 * NFS_FH_MAX + 4 * i, s->cred.gids[i]);
	memcpy(buf + 24, s->verifier, sizeof(s->verifier));
	memcpy(buf + 32, s->dir.data, NFS_FH_MAX);
	memcpy(buf + 32 + NFS_FH_MAX, s->fh.data, NFS_FH_MAX);
	memcpy(buf + SCRATCH_FIXED, s->name, name);
	memcpy(buf + SCRATCH_FIXED + name, s->path, path);
	return SCRATCH_FIXED + name + path;
}

int scratch_decode(struct scratch *s, const uint8_t *buf, size_t len)
{
	const char *name = (const char *)buf + SCRATCH_FIXED;
	size_t name_len = 0, path_len = 0;
	bool bad = len <= SCRATCH_FIXED || buf[0] > 1 || buf[2] >= PROBE_VERSIONS ||
		   buf[3] > NFS_FH_MAX || buf[4] > NFS_FH_MAX || buf[5] > RPC_GIDS_MAX ||
		   buf[6] >= SCRATCH_LEFTS;
	uint32_t i;

	if (!bad) {
		name_len = strnlen(name, len - SCRATCH_FIXED);
		bad = !name_len || name_len >= sizeof(s->name) || name_len + SCRATCH_FIXED >= len;
	}
	if (!bad) {
		path_len = len - SCRATCH_FIXED - name_len - 1;
		bad = !path_len || path_len > sizeof(s->path) ||
		      strnlen(name + name_len + 1, path_len) != path_len - 1;
	}
	if (bad || !finding_is_clean(name) || !finding_is_clean(name + name_len + 1))
		return err_set(EPROTO, "the worker sent an invalid scratch file");
	*s = (struct scratch){ .exists = buf[0],
			       .address = buf[1],
			       .version = buf[2],
			       .left = buf[6],
			       .fileid = get_be64(buf + 8),
			       .cred = { .flavor = RPC_AUTH_SYS,
					 .uid = get_be32(buf + 16),
					 .gid = get_be32(buf + 20),
					 .ngids = buf[5] } };
	for (i = 0; i < s->cred.ngids; i++)
		s->cred.gids[i] = get_be32(buf + 32 + 2 * NFS_FH_MAX + 4 * i);
	s->dir.len = buf[3];
	s->fh.len = buf[4];
	memcpy(s->verifier, buf + 24, sizeof(s->verifier));
	memcpy(s->dir.data, buf + 32, NFS_FH_MAX);
	memcpy(s->fh.data, buf + 32 + NFS_FH_MAX, NFS_FH_MAX);
	memcpy(s->name, name, name_len + 1);
	memcpy(s->path, name + name_len + 1, path_len);
	return 0;
}

/* Tells the parent. */
static int scratch_report(struct probe *p)
{
	uint8_t buf[SCRATCH_RECORD_MAX];

	return probe_record(p, WORKER_SCRATCH, buf, scratch_encode(&p->scratch, buf));
}

/* And waits until it has said the name. */
static int scratch_announce(struct probe *p)
{
	uint8_t answer[8];
	int fd = -1, type, rc;
	ssize_t n;

	rc = scratch_report(p);
	if (rc)
		return rc;
	n = channel_receive(p->channel.fd, &type, answer, sizeof(answer), &fd);
	if (n < 0 || type != WORKER_SCRATCH)
		return err_set(EPIPE, "the parent process ended");
	return 0;
}

/* Making it */

static void scratch_refuse(struct probe *p, enum finding_status status, const char *reason,
			   const char *fmt, ...) PRINTF_LIKE(4, 5);

static void scratch_refuse(struct probe *p, enum finding_status status, const char *reason,
			   const char *fmt, ...)
{
	char text[FINDING_SUMMARY_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	probe_because(p, "probe.scratch", status, reason, "%s", text);
}

const char *scratch_reason(uint32_t status)
{
	static const struct {
		uint32_t status;
		const char *reason;
	} rows[] = {
		{ NFS4ERR_ROFS, "read-only" },  { NFS4ERR_ACCESS, "denied" },
		{ NFS4ERR_PERM, "denied" },     { NFS4ERR_NOSPC, "no-space" },
		{ NFS4ERR_DQUOT, "no-space" },  { NFS4ERR_EXIST, "exists" },
		{ NFS4ERR_GRACE, "grace" },     { NFS4ERR_DELAY, "busy" },
		{ NFS4ERR_NOENT, "not-found" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].status == status)
			return rows[i].reason;
	return "failed";
}

/* The same of an error. */
static const char *scratch_error_reason(int rc)
{
	static const char *const known[] = { "read-only", "denied", "no-space", "exists",
					     "not-found", "grace",  "busy",     "local" };
	size_t i;

	if (rc == -ELOOP || rc == -ENOTDIR)
		return "not-directory";
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i], err_reason()))
			return known[i];
	return "failed";
}

static bool scratch_names(struct probe *p)
{
	const char *path = p->options->scratch, *last = strrchr(path, '/');
	struct scratch *s = &p->scratch;
	char random[33];
	uint8_t id[16];
	size_t i;

	last = last ? last + 1 : path;
	if (*last) {
		str_copy(s->name, sizeof(s->name), last);
	} else {
		if (random_bytes(id, sizeof(id))) {
			scratch_refuse(p, FINDING_UNKNOWN, "local", "%s", err_text());
			return false;
		}
		for (i = 0; i < sizeof(id); i++)
			snprintf(random + 2 * i, 3, "%02x", id[i]);
		snprintf(s->name, sizeof(s->name), "%s%s", SCRATCH_PREFIX, random);
	}
	return true;
}

/* Walks to the directory. */
static bool scratch_find_directory(struct probe *p, struct probe_file *dir)
{
	const char *last = strrchr(p->options->scratch, '/'), *rest;
	char path[512] = "", name[NFS3_NAME_MAX + 1];
	int n, rc = 0;

	*dir = p->root.file;
	dir->path[0] = '\0';
	if (p->root.is_file) {
		scratch_refuse(p, FINDING_SKIP, "",
			       "%s is a file; --scratch is below the export's directory",
			       p->options->export);
		return false;
	}
	if (last)
		snprintf(path, sizeof(path), "%.*s", (int)(last - p->options->scratch),
			 p->options->scratch);
	rest = path;
	while (!rc && (n = root_next_name(&rest, name)) != 0)
		rc = n < 0 ? n : root_lookup(p, dir, name);
	if (!rc && *path)
		rc = operation_getattr(p, &dir->fh, &dir->attr);
	if (!rc && dir->attr.type != NFS_DIR)
		rc = err_because(err_set(ENOTDIR, "%s is not a directory", path), "not-directory");
	if (rc)
		scratch_refuse(p, FINDING_UNKNOWN, scratch_error_reason(rc),
			       "the directory of the scratch file: %s", err_text());
	return !rc;
}

static bool scratch_has_space(struct probe *p, const struct nfs_fh *dir, uint64_t needs)
{
	struct operation op;
	uint64_t space = 0;
	int rc;

	operation_init(&op, NFS_OP_SPACE, dir);
	rc = operation_check(p->version, &op, operation_run(p, &op));
	if (!rc)
		space = op.result.space;
	operation_fini(p, &op);
	needs = needs * SPACE_TIMES > SPACE_MIN ? needs * SPACE_TIMES : SPACE_MIN;
	if (rc)
		scratch_refuse(p, FINDING_UNKNOWN, scratch_error_reason(rc), "free space: %s",
			       err_text());
	else if (space < needs)
		scratch_refuse(p, FINDING_UNKNOWN, "no-space",
			       "%llu MiB are free for this user, %llu are wanted",
			       (unsigned long long)(space >> 20),
			       (unsigned long long)(needs >> 20));
	return !rc && space >= needs;
}

static bool scratch_is_free(struct probe *p)
{
	struct scratch *s = &p->scratch;
	struct operation op;
	uint32_t status = 0;
	int rc;

	operation_init(&op, NFS_OP_LOOKUP, &s->dir);
	op.request.name = s->name;
	rc = operation_run(p, &op);
	if (!rc)
		status = op.result.status;
	operation_fini(p, &op);
	if (rc)
		scratch_refuse(p, FINDING_UNKNOWN, scratch_error_reason(rc), "%s: %s", s->path,
			       err_text());
	else if (!status)
		scratch_refuse(p, FINDING_UNKNOWN, "exists",
			       "%s exists, and nothing that exists is written to", s->path);
	else if (status != NFS4ERR_NOENT)
		scratch_refuse(p, FINDING_UNKNOWN, scratch_reason(status), "LOOKUP of %s: %s",
			       s->path, p->version->status_text(status));
	return !rc && status == NFS4ERR_NOENT;
}

/* CREATE, exclusively: a repeated one has the same verifier, so that a lost reply is harmless. */
static int scratch_create(struct probe *p, uint32_t *status, bool *repeated)
{
	struct scratch *s = &p->scratch;
	struct operation op;
	int rc;

	operation_init(&op, NFS_OP_CREATE, &s->dir);
	op.request.name = s->name;
	op.request.mode = MODE;
	memcpy(op.request.verifier, s->verifier, sizeof(s->verifier));
	rc = operation_run(p, &op);
	if (!rc)
		*status = op.result.status;
	if (!rc && !*status)
		s->fh = op.result.fh;
	*repeated = op.repeated;
	operation_fini(p, &op);
	scratch_report(p);
	return err_context(rc, "CREATE");
}

/* NFSv3 sets the mode afterwards (RFC 1813 section 3.3.8), and need not return the handle. */
static int scratch_complete(struct probe *p, struct probe_file *file)
{
	struct scratch *s = &p->scratch;
	struct operation op;
	int rc = 0;

	if (!s->fh.len) {
		operation_init(&op, NFS_OP_LOOKUP, &s->dir);
		op.request.name = s->name;
		rc = operation_check(p->version, &op, operation_run(p, &op));
		s->fh = op.result.fh;
		operation_fini(p, &op);
	}
	file->fh = s->fh;
	str_copy(file->path, sizeof(file->path), s->path);
	if (!rc)
		rc = operation_getattr(p, &s->fh, &file->attr);
	/* Not ours then, whatever the server says: it is not removed either. */
	if (!rc && (file->attr.type != NFS_REG || file->attr.size)) {
		s->exists = false;
		rc = err_set(EIO,
			     "the new file is not an empty regular file; it is left untouched");
	}
	if (!rc && p->version->vers == 3) {
		operation_init(&op, NFS_OP_SET_MODE, &s->fh);
		op.request.mode = MODE;
		rc = operation_check(p->version, &op, operation_run(p, &op));
		operation_fini(p, &op);
	}
	s->fileid = file->attr.fileid;
	return rc;
}

/* Files of probes that were killed. */
struct earlier {
	unsigned int files;
	time_t before;
	char name[NFS3_NAME_MAX + 1];
};

static int earlier_note(void *arg, const struct nfs_entry *entry)
{
	struct earlier *e = arg;
	const size_t prefix = strlen(SCRATCH_PREFIX);
	char name[NFS3_NAME_MAX + 1];

	if (entry->name_len != prefix + 32 || !entry->has_attr ||
	    (time_t)entry->attr.mtime.sec >= e->before)
		return 0;
	memcpy(name, entry->name, entry->name_len);
	name[entry->name_len] = '\0';
	if (!strncmp(name, SCRATCH_PREFIX, prefix) &&
	    strspn(name + prefix, "0123456789abcdef") == 32 && !e->files++)
		str_copy(e->name, sizeof(e->name), name);
	return 0;
}

static void scratch_say_earlier(struct probe *p, const struct probe_file *dir)
{
	struct earlier e = { .before = time(NULL) - EARLIER_SECONDS };
	struct listing_at at = { .cookie = 0 };
	_cleanup_(finding_fini) struct finding f = { 0 };
	unsigned int i;

	for (i = 0; i < LISTED && !at.eof; i++)
		if (listing_page(p, &dir->fh, &at, earlier_note, &e))
			break;
	if (!e.files)
		return;
	finding_init(&f, "probe.scratch.left", FINDING_WARN,
		     "%u scratch file%s of earlier probes that were killed %s there", e.files,
		     e.files == 1 ? "" : "s", e.files == 1 ? "is" : "are");
	finding_reason(&f, "earlier");
	finding_text(&f, "path", "%s%s%s", dir->path, *dir->path ? "/" : "", e.name);
	probe_emit(p, &f);
}

static bool scratch_create_said(struct writes *ws)
{
	struct probe *p = ws->p;
	struct scratch *s = &p->scratch;
	const struct nfs_version *used = p->version;
	bool repeated = false;
	uint32_t status = 0;
	int rc;

	rc = random_bytes(s->verifier, sizeof(s->verifier));
	s->exists = !rc;
	if (!rc)
		rc = scratch_announce(p);
	p->version = nfs_versions[s->version];
	if (!rc)
		rc = scratch_create(p, &status, &repeated);
	if (!rc && !status)
		rc = scratch_complete(p, &ws->file);
	p->version = used;
	if (!rc && status) {
		/* Others may come after it was made, and EXIST from a server that takes no notice of
		 * the verifier: then the cleaner asks whose it is. */
		s->exists = repeated || !strcmp(scratch_reason(status), "failed");
		scratch_report(p);
		scratch_refuse(p, FINDING_UNKNOWN, scratch_reason(status), "CREATE of %s: %s",
			       s->path, p->version->status_text(status));
		return false;
	}
	scratch_report(p);
	if (rc)
		scratch_refuse(p, FINDING_UNKNOWN, scratch_error_reason(rc), "%s: %s", s->path,
			       err_text());
	return !rc;
}

/* The version that makes the file: the one in use, or for NFSv4.0, which makes files only for
 * registered clients, another one. A handle is valid in each. */
static bool scratch_version(struct probe *p)
{
	unsigned int i;

	for (i = 0; i < PROBE_VERSIONS && nfs_versions[i]; i++)
		if (nfs_versions[i] == p->version &&
		    (p->version->vers == 3 || p->version->sessions)) {
			p->scratch.version = (uint8_t)i;
			return true;
		}
	for (i = 0; i < PROBE_VERSIONS && nfs_versions[i]; i++)
		if (p->server.offered[i] &&
		    (nfs_versions[i]->vers == 3 || nfs_versions[i]->sessions)) {
			p->scratch.version = (uint8_t)i;
			return true;
		}
	return false;
}

/* The gate, with what the handle of the directory tells about the server. The benchmark has not
 * identified it before. */
static bool scratch_is_allowed(struct probe *p, const struct nfs_fh *dir)
{
	struct server_identity server = p->server;
	char by[256];
	const char *why;

	if (dir)
		identity_add(&server.seen, dir);
	if (server.kind == SERVER_UNKNOWN)
		server.kind = identity_of(&server.seen, by, sizeof(by));
	if (write_allowed(&server, &why) != WRITE_NOTHING)
		return true;
	scratch_refuse(p, FINDING_SKIP, "", "no WRITE is sent to this server: %s", why);
	return false;
}

bool scratch_make(struct writes *ws)
{
	struct probe *p = ws->p;
	struct scratch *s = &p->scratch;
	struct probe_file dir;

	if (!scratch_is_allowed(p, NULL))
		return false;
	*s = (struct scratch){ .address = (uint8_t)p->route.address, .cred = p->cred };
	if (!scratch_version(p)) {
		scratch_refuse(p, FINDING_SKIP, "",
			       "the server offers neither NFSv3 nor NFSv4.1, which make files");
		return false;
	}
	if (!scratch_names(p) || !scratch_find_directory(p, &dir) ||
	    !scratch_is_allowed(p, &dir.fh))
		return false;
	s->dir = dir.fh;
	if (!strncmp(s->name, SCRATCH_PREFIX, strlen(SCRATCH_PREFIX)))
		scratch_say_earlier(p, &dir);
	snprintf(s->path, sizeof(s->path), "%.*s/%s%s%s",
		 (int)min_u64(strcspn(p->options->export, "\n"), SCRATCH_EXPORT_MAX),
		 p->options->export[1] ? p->options->export : "", dir.path, *dir.path ? "/" : "",
		 s->name);
	finding_clean(s->path);
	if (!scratch_has_space(p, &s->dir, WRITE_DISK_MAX) || !scratch_is_free(p))
		return false;
	if (!p->options->scratch_gate)
		return scratch_create_said(ws);
	probe_say(p, "probe.scratch", FINDING_PASS, "%s may be made", s->path);
	return false;
}

/* Removing it */

bool scratch_was_begun(const struct probe *p)
{
	return p->scratch.exists;
}

/* The worker died before it knew whether its CREATE had made the file: repeated, it is the answer. */
static int scratch_ask_whose(struct probe *p)
{
	uint32_t status = 0;
	bool repeated;
	int rc = scratch_create(p, &status, &repeated);

	if (!rc && status == NFS4ERR_EXIST)
		return err_set(EEXIST, "%s is another file", p->scratch.path);
	if (!rc)
		rc = operation_error(p->version, status);
	if (!rc && !p->scratch.fh.len)
		return err_set(EEXIST, "%s: its handle is not known", p->scratch.path);
	return rc;
}

/* -EEXIST: the name is another file's. */
static int scratch_is_ours(struct probe *p)
{
	struct scratch *s = &p->scratch;
	struct nfs_attr attr;
	struct operation op;
	struct nfs_fh fh;
	int rc;

	operation_init(&op, NFS_OP_LOOKUP, &s->dir);
	op.request.name = s->name;
	rc = operation_check(p->version, &op, operation_run(p, &op));
	fh = op.result.fh;
	operation_fini(p, &op);
	if (!rc && !s->fh.len)
		rc = scratch_ask_whose(p);
	if (rc)
		return rc;
	if (fh.len != s->fh.len || memcmp(fh.data, s->fh.data, fh.len))
		return err_set(EEXIST, "%s is another file now", s->path);
	rc = operation_getattr(p, &fh, &attr);
	if (!rc && s->fileid && attr.fileid != s->fileid)
		return err_set(EEXIST, "%s is another file now", s->path);
	return rc;
}

static int scratch_remove_by_rdma(struct probe *p)
{
	struct scratch *s = &p->scratch;
	struct retries retries = { 0 };
	unsigned int tries = 0;
	struct operation op;
	bool again;
	int rc;

	if (p->liveness.gone || p->session.device_gone)
		return err_set(ENOTCONN, "no connection over RDMA");
	p->session.hopeless = false;
	/* Before each REMOVE: one that was not answered may have been done, and the name be another's. */
	do {
		rc = scratch_is_ours(p);
		if (rc)
			return rc;
		operation_init(&op, NFS_OP_REMOVE, &s->dir);
		op.request.name = s->name;
		rc = operation_once(p, &op, 0);
		again = operation_again(p, &op, &retries) ||
			(session_is_failure(rc) && !tries++ && !p->session.hopeless);
		rc = operation_check(p->version, &op, rc);
		operation_fini(p, &op);
	} while (again);
	return rc;
}

/* RDMA does not answer any more: perhaps TCP does. */
static int scratch_remove_by_tcp(struct probe *p)
{
	const struct scratch *s = &p->scratch;
	struct nfs_request request = { .op = NFS_OP_LOOKUP, .fh = s->dir, .name = s->name };
	struct nfs_result res = { 0 };
	int rc;

	if (!s->fh.len)
		return err_set(EEXIST, "%s: its handle is not known", s->path);
	rc = over_tcp_operation(p, &request, NULL, &res);
	if (!rc)
		rc = operation_error(p->version, res.status);
	if (!rc && (res.fh.len != s->fh.len || memcmp(res.fh.data, s->fh.data, s->fh.len) != 0))
		return err_set(EEXIST, "%s is another file now", s->path);
	request.op = NFS_OP_REMOVE;
	if (!rc)
		rc = over_tcp_operation(p, &request, NULL, &res);
	return rc ? rc : operation_error(p->version, res.status);
}

static enum scratch_left scratch_left_of(int rc)
{
	if (rc == -EEXIST)
		return SCRATCH_ANOTHER;
	return rc && !session_is_failure(rc) && rc != -ENOTCONN && rc != -EAGAIN
		       ? SCRATCH_REFUSED
		       : SCRATCH_NO_ANSWER;
}

bool scratch_remove(struct probe *p)
{
	struct scratch *s = &p->scratch;
	const struct nfs_version *used = p->version;
	unsigned int pause = SETTLE_MS / 2;
	int rc;

	if (!s->exists)
		return true;
	if (deadline_left(p->deadline) < REMOVE_MS)
		p->deadline = deadline_min(deadline_in(REMOVE_MS), p->close_by);
	p->version = nfs_versions[s->version];
	rc = scratch_remove_by_rdma(p);
	/* A CREATE that was not answered may still be under way. */
	if (rc == -ENOENT && !s->fh.len && session_pause(p->deadline, &pause))
		rc = scratch_remove_by_rdma(p);
	if (rc && rc != -ENOENT && rc != -EEXIST)
		rc = scratch_remove_by_tcp(p);
	p->version = used;
	debug(DEBUG_PROBE, "REMOVE of %s: %s", s->path, rc ? err_text() : "done");
	/* A repeated REMOVE finds nothing. */
	s->exists = rc && rc != -ENOENT;
	s->left = scratch_left_of(rc);
	scratch_report(p);
	return !s->exists;
}

void scratch_end(const struct writes *ws)
{
	struct probe *p = ws->p;
	_cleanup_(finding_fini) struct finding f = { 0 };

	/* The parent tries again, and says what it could not remove. */
	finding_init(&f, "probe.scratch", FINDING_PASS, "%s was made%s", p->scratch.path,
		     scratch_remove(p) ? " and removed" : "");
	if (ws->bytes)
		finding_number(&f, "bytes_written", ws->bytes);
	finding_text(&f, "path", "%s", p->scratch.path);
	probe_emit(p, &f);
}

void scratch_clean(struct probe *p)
{
	const struct scratch *s = &p->scratch;

	p->version = nfs_versions[s->version];
	p->route.address = s->address;
	p->cred = s->cred;
	p->liveness.answered = p->liveness.connection_lost = true;
	if (p->route.address < p->route.naddresses)
		scratch_remove(p);
	client41_close(p);
	session_drop(p);
}

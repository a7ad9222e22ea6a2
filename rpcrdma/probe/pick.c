/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which files to read. The export is walked breadth-first by READDIR with inline replies, bounded
 * in directories, entries and time. Preferred are files with which a verdict is possible; of those,
 * files not written for a minute (on a hypervisor's export the others are live disks), that are not
 * sparse, and large enough for the largest READ. Sanlock's leases and VDSM's mailboxes are never
 * chosen. Beside them: one file over 4 GiB, symbolic links, the fullest directory. */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "rpcrdma/probe/internal.h"

#define DIRECTORIES_MAX 128
#define ENTRIES_MAX     8192
#define CALLS_MAX       512
#define QUIET_SECONDS   60
#define WALK_MS         8000

struct pick_walk {
	struct probe *p;
	struct probe_file *dirs; /* a queue */
	unsigned int ndirs, dir;
	unsigned int entries; /* all */
	uint32_t in_dir;
	unsigned int unreadable;
	time_t now;
};

static const char *const live_names[] = { "ids", "leases", "inbox", "outbox", NULL };

/* @dir: below the export, which may itself be such a directory. */
static bool pick_is_live(const char *export, const char *dir, const char *name)
{
	const char *path = *dir ? dir : export;
	const char *last = strrchr(path, '/');
	unsigned int i;

	if (strcmp(last ? last + 1 : path, "dom_md"))
		return false;
	for (i = 0; live_names[i]; i++)
		if (!strcmp(live_names[i], name))
			return true;
	return false;
}

static bool pick_is_quiet(const struct nfs_attr *a, time_t now)
{
	return (time_t)a->mtime.sec + QUIET_SECONDS < now &&
	       (time_t)a->ctime.sec + QUIET_SECONDS < now;
}

uint64_t pick_worth(const struct nfs_attr *a, uint32_t rtmax, time_t now)
{
	uint64_t size = min_u64(a->size, 2 * (uint64_t)rtmax + 16384);
	bool proves = a->size >= PROOF_BYTES, dense = a->used >= a->size;

	return (uint64_t)proves << 63 | (uint64_t)pick_is_quiet(a, now) << 62 |
	       (uint64_t)dense << 61 | size;
}

static void pick_add_candidate(struct pick_walk *walk, const struct probe_file *file)
{
	struct files *files = &walk->p->files;
	const uint32_t rtmax = walk->p->limits.rtmax;
	unsigned int i = files->ncandidates;

	if (file->attr.size > ((uint64_t)1 << 32) + 65536 && !files->giant.attr.size &&
	    pick_is_quiet(&file->attr, walk->now))
		files->giant = *file;
	while (i && pick_worth(&file->attr, rtmax, walk->now) >
			    pick_worth(&files->candidates[i - 1].attr, rtmax, walk->now))
		i--;
	if (i == PROBE_CANDIDATES)
		return;
	if (files->ncandidates < PROBE_CANDIDATES)
		files->ncandidates++;
	memmove(&files->candidates[i + 1], &files->candidates[i],
		(files->ncandidates - 1 - i) * sizeof(*file));
	files->candidates[i] = *file;
}

static void pick_add(struct pick_walk *walk, const struct probe_file *file)
{
	struct files *files = &walk->p->files;

	switch (file->attr.type) {
	case NFS_DIR:
		if (walk->ndirs < DIRECTORIES_MAX)
			walk->dirs[walk->ndirs++] = *file;
		break;
	case NFS_LNK:
		if (files->nlinks < PROBE_LINKS)
			files->links[files->nlinks++] = *file;
		break;
	case NFS_REG:
		if (file->attr.size)
			pick_add_candidate(walk, file);
		break;
	default: break;
	}
}

static int pick_on_entry(void *arg, const struct nfs_entry *e)
{
	struct pick_walk *walk = arg;
	const struct probe_file *dir = &walk->dirs[walk->dir];
	struct probe_file file = { 0 };
	char name[NFS3_NAME_MAX + 1];

	walk->entries++;
	walk->in_dir++;
	/* Some servers omit handles or attributes that are not cached. */
	if (!e->has_fh || !e->has_attr || e->name_len > NFS3_NAME_MAX)
		return 0;
	memcpy(name, e->name, e->name_len);
	name[e->name_len] = '\0';
	if (!strcmp(name, ".") || !strcmp(name, "..") ||
	    pick_is_live(walk->p->options->export, dir->path, name))
		return 0;
	file.fh = e->fh;
	file.attr = e->attr;
	/* A path that does not fit is only truncated in the report. */
	if (snprintf(file.path, sizeof(file.path), "%s%s%s", dir->path, *dir->path ? "/" : "",
		     name) >= (int)sizeof(file.path))
		file.path[sizeof(file.path) - 1] = '\0';
	pick_add(walk, &file);
	return 0;
}

/* Lists one directory, or as much of it as the bounds allow. */
static int pick_list_directory(struct pick_walk *walk, unsigned int *calls, uint64_t until)
{
	struct files *files = &walk->p->files;
	struct listing_at at = { .cookie = 0 };
	int rc = 0;

	walk->in_dir = 0;
	while (!rc && !at.eof && walk->entries < ENTRIES_MAX && (*calls)++ < CALLS_MAX &&
	       deadline_left(until))
		rc = listing_page(walk->p, &walk->dirs[walk->dir].fh, &at, pick_on_entry, walk);
	if (walk->in_dir > files->directory_entries) {
		files->directory = walk->dirs[walk->dir];
		files->directory_entries = walk->in_dir;
	}
	return rc;
}

/* Tries a READ of one byte: the server decides on access, not the mode. */
static int pick_try_read(struct probe *p, const struct probe_file *file)
{
	struct operation op;
	int rc;

	operation_init(&op, NFS_OP_READ, &file->fh);
	op.request.count = 1;
	rc = operation_check(p->version, &op, operation_run(p, &op));
	operation_fini(p, &op);
	return rc;
}

/* Drops the candidates that cannot be read. */
static unsigned int pick_drop_unreadable(struct probe *p)
{
	struct files *files = &p->files;
	unsigned int i, kept = 0, denied = 0;
	int rc;

	for (i = 0; i < files->ncandidates; i++) {
		rc = pick_try_read(p, &files->candidates[i]);
		/* Try again: the first try may have lost the connection. */
		if (rc && rc != -EACCES)
			rc = pick_try_read(p, &files->candidates[i]);
		denied += rc == -EACCES;
		/* Other failures are reported by the sweep. */
		if (rc != -EACCES)
			files->candidates[kept++] = files->candidates[i];
	}
	files->ncandidates = kept;
	if (files->giant.attr.size && pick_try_read(p, &files->giant) == -EACCES)
		files->giant.attr.size = 0;
	return denied;
}

/* Walks the export, if the root is not a file. Errors: the first directory's, if there is no
 * file. */
static int pick_find(struct probe *p, struct pick_walk *walk)
{
	struct files *files = &p->files;
	uint64_t until = deadline_min(p->deadline, deadline_in(WALK_MS));
	unsigned int calls = 0;
	int rc, first = 0;

	files->ncandidates = files->nlinks = files->directory_entries = 0;
	files->giant.attr.size = 0;
	walk->ndirs = walk->dir = walk->entries = 0;
	if (p->root.is_file)
		pick_add(walk, &p->root.file);
	else
		walk->dirs[walk->ndirs++] = p->root.file;
	for (; walk->dir < walk->ndirs && calls < CALLS_MAX && deadline_left(until); walk->dir++) {
		rc = pick_list_directory(walk, &calls, until);
		if (rc && deadline_left(until) && calls < CALLS_MAX && !session_ready(p))
			rc = pick_list_directory(walk, &calls, until);
		first = first ? first : rc;
	}
	if (files->ncandidates)
		first = 0;
	walk->unreadable = pick_drop_unreadable(p);
	return first;
}

static void pick_none(struct probe *p, const char *reason, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void pick_none(struct probe *p, const char *reason, const char *fmt, ...)
{
	va_list ap;

	p->files.none_reason = reason;
	va_start(ap, fmt);
	vsnprintf(p->files.none, sizeof(p->files.none), fmt, ap);
	va_end(ap);
}

void pick_say_none(struct probe *p)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.file", FINDING_UNKNOWN, "%s", p->files.none);
	finding_reason(&f, p->files.none_reason);
	finding_number(&f, "uid", p->cred.uid);
	finding_number(&f, "gid", p->cred.gid);
	probe_emit(p, &f);
}

static void pick_note_none(struct probe *p, const struct pick_walk *walk, int rc)
{
	const char *what = p->options->export;

	if (walk->unreadable)
		pick_none(p, "denied", "uid %u gid %u may read none of %u file%s", p->cred.uid,
			  p->cred.gid, walk->unreadable, walk->unreadable == 1 ? "" : "s");
	else if (p->root.is_file)
		pick_none(p, "empty", "%s is empty", what);
	else if (p->root.file.attr.type != NFS_DIR)
		pick_none(p, "not-regular", "%s is neither a regular file nor a directory", what);
	else if (rc)
		pick_none(p, probe_reason(rc), "no file to read in %.400s: %s", what, err_text());
	else if (walk->ndirs == DIRECTORIES_MAX || walk->entries >= ENTRIES_MAX)
		pick_none(p, "large-tree", "only empty files among the first %u names of %s",
			  walk->entries, what);
	else
		pick_none(p, "no-file", "%s has no file that is not empty", what);
}

static void pick_say_files(struct probe *p, const struct pick_walk *walk, bool as_ovirt)
{
	const struct files *files = &p->files;
	const struct probe_file *file = &files->candidates[0];
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.identity", FINDING_PASS, "%s as uid %u gid %u",
		     as_ovirt ? "root was refused (EACCES) and the export belongs to 36: read"
			      : "read",
		     p->cred.uid, p->cred.gid);
	finding_number(&f, "uid", p->cred.uid);
	finding_number(&f, "gid", p->cred.gid);
	probe_emit(p, &f);
	finding_init(&f, "probe.file", FINDING_PASS, "%s, %llu bytes%s", file->path,
		     (unsigned long long)file->attr.size,
		     pick_is_quiet(&file->attr, walk->now) ? ""
							   : ", written within the last minute");
	finding_number(&f, "size", (double)file->attr.size);
	finding_number(&f, "candidates", files->ncandidates);
	finding_text(&f, "over_4gib", "%s", files->giant.attr.size ? files->giant.path : "none");
	probe_emit(p, &f);
	probe_subject(p, "file", "%s", file->path);
}

void pick_take(struct probe *p, const struct probe_file *file)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	p->files.candidates[0] = *file;
	p->files.ncandidates = 1;
	if (operation_getattr(p, &file->fh, &p->files.candidates[0].attr))
		p->files.candidates[0].attr = file->attr;
	finding_init(&f, "probe.file", FINDING_PASS, "the scratch file, as there is no other");
	finding_number(&f, "size", (double)p->files.candidates[0].attr.size);
	finding_number(&f, "candidates", 1);
	probe_emit(p, &f);
	probe_subject(p, "file", "%s", file->path);
}

bool pick_files(struct probe *p)
{
	struct pick_walk walk = { .p = p, .now = time(NULL) };
	_cleanup_free_ struct probe_file *dirs = calloc(DIRECTORIES_MAX, sizeof(*dirs));
	struct rpc_cred before = p->cred;
	bool as_ovirt = false;
	int rc;

	if (!dirs) {
		err_no_memory();
		pick_none(p, "no-memory", "%s", err_text());
		return false;
	}
	walk.dirs = dirs;
	rc = pick_find(p, &walk);
	/* oVirt's files are 36:36 and 0660 on an export that squashes root, where root may not
	 * even list directories: try again as vdsm:kvm. */
	if (!p->files.ncandidates && (walk.unreadable || rc == -EACCES) && !p->options->has_cred &&
	    p->cred.uid == 0 && p->root.file.attr.uid == 36) {
		p->cred = (struct rpc_cred){ .flavor = RPC_AUTH_SYS, .uid = 36, .gid = 36 };
		rc = pick_find(p, &walk);
		as_ovirt = p->files.ncandidates;
		if (!as_ovirt)
			p->cred = before;
	}
	if (p->files.ncandidates)
		pick_say_files(p, &walk, as_ovirt);
	else
		pick_note_none(p, &walk, rc);
	return p->files.ncandidates;
}

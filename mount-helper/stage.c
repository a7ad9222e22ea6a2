/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The process that mounts: runs mount.nfs, proves the transport of the mount, and unmounts what must
 * not stay. Only this process accesses the directory, which may be on a file system whose server is
 * gone: then it hangs, and its parent does not.
 *
 * A killed process takes its children along: the kernel kills this process when its parent ends, and
 * mount.nfs when this one ends. In the hidden form nothing unproven is then mounted; in the open
 * form a mount may be left, and the record says that it is unproven. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <libmount/libmount.h>

#include "mount-helper/internal.h"
#include "rpcrdma/child/child.h"

/* After the deadline of mount.nfs: for its end, the proof and the unmount. */
#define GRACE_MS 5000

#define MOUNTINFO_MAX (16 * 1024 * 1024)

struct work {
	const struct stage *stage;
	struct stage_result *result;
	int signals;
	int to;               /* the directory, in the original namespace */
	struct hidden hidden; /* home -1: not hidden */
	unsigned int home_id,
		before; /* mount ID of the directory, in the original namespace and here */
};

static void end_as(struct work *work, enum stage_end end, const char *text)
{
	work->result->end = end;
	snprintf(work->result->text, sizeof(work->result->text), "%.*s",
		 (int)sizeof(work->result->text) - 1, text);
}

/* --- mount.nfs -------------------------------------------------------------------------------- */

static void add(const char *argv[MOUNT_NFS_ARGS_MAX + 1], size_t *n, bool wanted,
		const char *word)
{
	if (wanted)
		argv[(*n)++] = word;
}

/* Source and directory first, as from mount(8): old versions of mount.nfs require that. The name
 * selects what it does, too. */
static void make_args(const struct stage *stage, const char *argv[MOUNT_NFS_ARGS_MAX + 1])
{
	size_t n = 0;

	add(argv, &n, true, "mount.nfs");
	add(argv, &n, true, stage->spec);
	add(argv, &n, true, stage->dir);
	add(argv, &n, stage->args->sloppy, "-s");
	add(argv, &n, stage->args->fake, "-f");
	add(argv, &n, stage->args->no_mtab, "-n");
	add(argv, &n, stage->args->verbose, "-v");
	add(argv, &n, stage->args->read_only, "-r");
	add(argv, &n, stage->args->read_write, "-w");
	add(argv, &n, true, "-o");
	add(argv, &n, true, stage->options);
	argv[n] = NULL;
}

static int call_mount_nfs(struct work *work, struct mount_nfs_end *end)
{
	const char *argv[MOUNT_NFS_ARGS_MAX + 1];

	make_args(work->stage, argv);
	return mount_nfs_run(work->stage->program, argv, work->signals,
			     work->stage->deadline, end);
}

int stage_exec(const struct stage *stage)
{
	const char *argv[MOUNT_NFS_ARGS_MAX + 1];

	make_args(stage, argv);
	return mount_nfs_exec(stage->program, argv);
}

static void say_failed(struct work *work, const struct mount_nfs_end *end)
{
	char text[64];

	work->result->status = end->status;
	if (end->interrupted) {
		end_as(work, STAGE_INTERRUPTED, end->last);
	} else if (end->timed_out) {
		end_as(work, STAGE_TIMEOUT, end->last);
	} else if (end->status < 0) {
		snprintf(text, sizeof(text), "mount.nfs was killed by signal %d",
			 end->signal);
		end_as(work, STAGE_FAILED, text);
	} else {
		end_as(work, STAGE_FAILED, end->last);
	}
}

/* --- undoing ---------------------------------------------------------------------------------- */

/* libmount's own data of a mount (/run/mount/utab), where mount.nfs wrote a line. */
static void forget_utab(const char *dir)
{
	struct libmnt_update *update = mnt_new_update();

	if (update && !mnt_update_set_fs(update, 0, dir, NULL))
		mnt_update_table(update, NULL);
	mnt_free_update(update);
}

enum fresh {
	FRESH_NO,      /* no new mount */
	FRESH_OPEN,    /* a new mount, opened */
	FRESH_CLOSED,  /* a new mount that does not open: text says why */
	FRESH_UNKNOWN, /* unknown: text says why */
};

/* The topmost mount on a directory, by name: for a directory that does not open. */
static int topmost(const struct host *host, const char *dir, unsigned int *id)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	struct libmnt_table *table;
	struct libmnt_fs *fs = NULL;
	FILE *file;
	int rc = host_read(host, "proc/self/mountinfo", MOUNTINFO_MAX, &text);

	if (rc)
		return rc;
	table = mnt_new_table();
	file = fmemopen(text.text, text.len, "r");
	if (table && file && !mnt_table_parse_stream(table, file, "mountinfo"))
		fs = mnt_table_find_target(table, dir, MNT_ITER_BACKWARD);
	*id = fs ? (unsigned int)mnt_fs_get_id(fs) : 0;
	if (file)
		fclose(file);
	mnt_unref_table(table);
	return fs ? 0 : err_set(ENOENT, "%s is not a mount point", dir);
}

/* A mount is new if the ID of the topmost mount has changed. A directory that does not open (a stale
 * handle, an error of the server, no descriptor left) proves nothing. */
static enum fresh look_for_new(const struct work *work, unsigned int *id, int *fd,
			       char why[MOUNT_NFS_LAST_MAX])
{
	const struct stage *stage = work->stage;
	int rc;

	*fd = open(stage->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		rc = err_sys("open %.200s", stage->dir);
	else
		rc = proof_mount_id(stage->host, *fd, id);
	if (!rc)
		return *id != work->before ? FRESH_OPEN : FRESH_NO;
	text_copy(why, MOUNT_NFS_LAST_MAX, err_text());
	if (*fd >= 0)
		close(take_fd(fd));
	rc = topmost(stage->host, stage->dir, id);
	if (rc == -ENOENT)
		return FRESH_NO;
	if (rc)
		return FRESH_UNKNOWN;
	return *id != work->before ? FRESH_CLOSED : FRESH_NO;
}

/* Hidden, it ends with this process. */
static bool undo(struct work *work)
{
	const char *dir = work->stage->dir;
	bool gone = work->hidden.home >= 0 || !umount2(dir, UMOUNT_NOFOLLOW) ||
		    !umount2(dir, UMOUNT_NOFOLLOW | MNT_DETACH);

	if (gone)
		forget_utab(dir);
	return gone;
}

static void end_left(struct work *work, const char *what, const char *why)
{
	char text[2 * MOUNT_NFS_LAST_MAX];

	snprintf(text, sizeof(text), "%s%s%s", what, why[0] ? ": " : "", why);
	end_as(work, STAGE_LEFT, text);
}

/* mount.nfs failed or was ended, but may have mounted. */
static void undo_rest(struct work *work)
{
	char why[MOUNT_NFS_LAST_MAX] = "";
	_cleanup_close_ int fd = -1;
	enum fresh fresh;
	unsigned int id;

	if (work->stage->remount)
		return;
	fresh = look_for_new(work, &id, &fd, why);
	if (fresh == FRESH_NO)
		return;
	if (fd >= 0)
		close(take_fd(&fd));
	if (fresh == FRESH_UNKNOWN && work->hidden.home < 0)
		end_left(work, "it is unknown whether mount.nfs mounted it", why);
	else if (!undo(work))
		end_left(work, "what mount.nfs mounted could not be unmounted",
			 work->result->text);
}

/* --- proof ------------------------------------------------------------------------------------ */

/* Already in place, or moved there. */
static void settle(struct work *work, enum stage_end end)
{
	struct stage_result *result = work->result;
	unsigned int id = result->proof.id;
	int rc = 0;

	if (work->hidden.home >= 0 && end == STAGE_MOUNTED)
		rc = hidden_reveal(work->stage->host, &work->hidden, &id);
	else if (work->hidden.home >= 0)
		id = work->home_id;
	if (rc) {
		/* The mount in the namespace ends with this process. */
		forget_utab(work->stage->dir);
		end_as(work, STAGE_NOT_HIDDEN, strerror(-rc));
		return;
	}
	result->proof.id = id;
	end_as(work, end, "");
}

static void prove(struct work *work, unsigned int id, bool fresh)
{
	struct stage_result *result = work->result;
	int rc = proof_read(work->stage->host, id, &result->proof);

	if (rc)
		snprintf(result->proof.why, sizeof(result->proof.why), "%.255s",
			 err_text());
	result->proof.id = id;
	debug(DEBUG_MOUNT, "%s on %s: mount %u, device %s, %s by %s, NFSv%s%s%s",
	      work->stage->spec, work->stage->dir, id, result->proof.dev,
	      fresh ? "made" : "found", result->proof.proto, result->proof.vers,
	      result->proof.rdma ? "" : ": ", result->proof.why);
	if (result->proof.rdma || work->stage->keep || !fresh) {
		settle(work, fresh ? STAGE_MOUNTED : STAGE_ALREADY);
		return;
	}
	/* An open descriptor would keep it busy. */
	if (work->hidden.at >= 0)
		close(take_fd(&work->hidden.at));
	if (undo(work))
		end_as(work, STAGE_UNDONE, "");
	else
		end_as(work, STAGE_LEFT, "it could not be unmounted");
}

/* mount.nfs exits with 0 if the same is mounted there already (EBUSY), and if it continues in the
 * background. */
static void look_at_old(struct work *work)
{
	struct proof proof;

	if (work->stage->remount) {
		prove(work, work->before, false);
	} else if (!proof_read(work->stage->host, work->before, &proof) && proof.found &&
		   !strcmp(proof.fs_spec, work->stage->spec)) {
		prove(work, work->before, false);
	} else {
		end_as(work, STAGE_NOTHING,
		       "mount.nfs reported no error, but nothing is mounted");
	}
}

/* mount.nfs reported success, but the new mount does not open. */
static void undo_unopened(struct work *work, enum fresh fresh, const char *why)
{
	char text[2 * MOUNT_NFS_LAST_MAX];

	if (fresh == FRESH_UNKNOWN && work->hidden.home < 0) {
		end_left(work, "it is unknown whether mount.nfs mounted it", why);
	} else if (undo(work)) {
		snprintf(text, sizeof(text), "the new mount was unmounted again: %s",
			 why);
		end_as(work, STAGE_UNMADE, text);
	} else {
		end_left(work,
			 "the new mount cannot be opened and could not be unmounted",
			 why);
	}
}

static void look_at(struct work *work)
{
	char why[MOUNT_NFS_LAST_MAX] = "";
	enum fresh fresh = FRESH_NO;
	unsigned int id = 0;

	if (!work->stage->remount)
		fresh = look_for_new(work, &id, &work->hidden.at, why);
	if (fresh == FRESH_NO)
		look_at_old(work);
	else if (fresh == FRESH_OPEN)
		prove(work, id, true);
	else
		undo_unopened(work, fresh, why);
}

/* --- the process ------------------------------------------------------------------------------ */

static int open_dir(struct work *work, int *fd, unsigned int *id)
{
	int rc;

	*fd = open(work->stage->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		rc = err_sys("the directory %s", work->stage->dir);
	else
		rc = proof_mount_id(work->stage->host, *fd, id);
	if (rc)
		end_as(work, STAGE_UNMADE, err_text());
	return rc;
}

static int go_hidden(struct work *work)
{
	_cleanup_close_ int fd = -1;
	int rc = hidden_enter(&work->hidden.home);

	if (rc) {
		end_as(work, STAGE_NOT_HIDDEN, strerror(-rc));
		return rc;
	}
	work->result->hidden = true;
	work->hidden.path = work->stage->dir;
	work->hidden.to = work->to;
	return open_dir(work, &fd, &work->before);
}

static void do_work(struct work *work)
{
	struct mount_nfs_end end;

	if (open_dir(work, &work->to, &work->home_id))
		return;
	work->before = work->home_id;
	if (work->stage->hidden && go_hidden(work))
		return;
	if (call_mount_nfs(work, &end)) {
		end_as(work, STAGE_UNMADE, err_text());
		return;
	}
	debug(DEBUG_MOUNT, "%s on %s: mount.nfs ended with status %d, signal %d: %s",
	      work->stage->spec, work->stage->dir, end.status, end.signal, end.last);
	if (end.status) {
		say_failed(work, &end);
		undo_rest(work);
		return;
	}
	work->result->status = 0;
	if (work->stage->args->fake)
		end_as(work, STAGE_FAKED, "");
	else
		look_at(work);
}

struct stage_task {
	const struct stage *stage;
	int signals;
};

static int stage_work(void *arg, int channel)
{
	const struct stage_task *task = arg;
	struct stage_result result = { .end = STAGE_UNMADE, .status = -1 };
	struct work work = { .stage = task->stage,
			     .result = &result,
			     .signals = task->signals,
			     .to = -1,
			     .hidden = { .home = -1, .at = -1, .to = -1 } };

	/* So it keeps no file system busy. */
	if (chdir("/"))
		return 1;
	do_work(&work);
	return child_answer(channel, &result, sizeof(result));
}

/* --- the parent --------------------------------------------------------------------------- */

/* False: it ended without an answer, or not by the deadline. */
static bool receive(const struct child *child, struct stage_result *out,
		    uint64_t deadline)
{
	int type, passed;
	ssize_t n;

	do
		n = child_receive(child, &type, out, sizeof(*out), &passed, deadline);
	while (n == -EINTR);
	return n == sizeof(*out) && type == CHANNEL_ANSWER;
}

static void say_lost(struct stage_result *out, const struct child_end *end,
		     uint64_t deadline)
{
	char how[96];

	memset(out, 0, sizeof(*out));
	out->status = -1;
	out->end = deadline_left(deadline) ? STAGE_LEFT : STAGE_TIMEOUT;
	if (deadline_left(deadline))
		snprintf(out->text, sizeof(out->text),
			 "the mounting process was killed; it is unknown what it left");
	else
		snprintf(out->text, sizeof(out->text),
			 "the directory or the mount does not answer%s%s",
			 end->fate == CHILD_LEFT ? "; the mounting process " : "",
			 end->fate == CHILD_LEFT ? child_end_text(end, how, sizeof(how))
						 : "");
}

/* While we wait, our signals are passed on to the process: they end mount.nfs first. */
static bool wait_for(const struct child *child, struct waiting *waiting,
		     uint64_t deadline)
{
	enum wait_end end;

	while ((end = waiting_for(waiting, child->channel, deadline)) == WAIT_SIGNAL)
		kill(child->pid, waiting->signal);
	return end == WAIT_READY;
}

void stage_run(const struct stage *stage, struct stage_result *out)
{
	struct waiting own = { 0 };
	struct waiting *waiting = stage->waiting ? stage->waiting : &own;
	uint64_t deadline = stage->deadline + GRACE_MS;
	struct stage_task task = { .stage = stage };
	const struct child_function function = { .kind = CHILD_MOUNTER,
						 .name = "the mounting process",
						 .run = stage_work,
						 .arg = &task };
	struct child_end end;
	struct child child;
	bool answered;

	*out = (struct stage_result){ .end = STAGE_UNMADE, .status = -1 };
	task.signals = waiting->signals ? waiting->signals : -1;
	if (child_start(&child, &function)) {
		snprintf(out->text, sizeof(out->text), "%.*s", (int)sizeof(out->text) - 1,
			 err_text());
		return;
	}
	answered = wait_for(&child, waiting, deadline) && receive(&child, out, deadline);
	child_finish(&child, 0, &end);
	if (!answered)
		say_lost(out, &end, deadline);
}

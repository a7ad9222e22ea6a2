/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A trial: the child mounts with the stock mount.nfs, in a mount namespace of its own, says what
 * mountinfo has of it, reads a file and unmounts. No table of causes has all; what a mount does is
 * seen by mounting.
 *
 * Nothing is left, whatever is killed: the namespace ends with the child, mount.nfs with the child
 * and the child with its parent; mount.nfs writes nothing down (-n) and starts no rpc.statd
 * (nolock). */
#include <stdio.h>
#include <sys/mount.h>

#include "plugin/kernel/internal.h"
#include "plugin/mount-nfs/mount-nfs.h"

/* Of the time for mount.nfs: for what the child sends, and for its end. */
#define GRACE_MS 2000

char *kernel_trial_mount_options(const char *planned)
{
	char *options = NULL;

	/* The last word counts. Reads only; at once, and not in the background. */
	return asprintf(&options, "%s,ro,nolock,fg,retry=0", planned) < 0 ? NULL : options;
}

/* What was mounted, of the last line of mountinfo for that place. */
static void trial_find(struct kernel_tried *out)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	struct nfs_mounts mounts = { 0 };
	unsigned int i;

	if (host_open(&host, NULL) || host_nfs_mounts(host, &mounts)) {
		text_copy(out->end.last, sizeof(out->end.last), err_text());
		out->unread = true;
		return;
	}
	for (i = 0; i < mounts.count; i++) {
		if (strcmp(mounts.list[i].target, KERNEL_AT) != 0)
			continue;
		out->mounted = true;
		out->mount = mounts.list[i];
	}
	/* A connection that was there before is shared, and proves less. */
	for (i = 0; out->mounted && i < mounts.count && !*out->shared; i++) {
		const struct nfs_mount *other = &mounts.list[i];

		if (other->id != out->mount.id && !strcmp(other->addr, out->mount.addr) &&
		    !strcmp(other->vers, out->mount.vers) &&
		    !strcmp(other->proto, out->mount.proto) && other->port == out->mount.port)
			text_copy(out->shared, sizeof(out->shared), other->target);
	}
	host_nfs_mounts_fini(&mounts);
}

static void trial_mount(const struct kernel_trial_task *task, struct kernel_tried *out)
{
	const char *const argv[] = { "mount.nfs", task->spec,    KERNEL_AT, "-n",
				     "-o",        task->options, NULL };
	uint64_t start = now_ms();

	out->error = kernel_enter_space() ? errno : 0;
	if (out->error)
		return;
	out->entered = true;
	out->error = -mount_nfs_run(MOUNT_NFS_PROGRAM, argv, -1, task->deadline, &out->end);
	out->ms = (uint32_t)(now_ms() - start);
	if (out->error)
		text_copy(out->end.last, sizeof(out->end.last), err_text());
	else if (!out->end.status)
		trial_find(out);
}

int kernel_trial(void *arg, int channel)
{
	struct kernel_trial_task *task = arg;
	_cleanup_free_ struct kernel_tried *tried = calloc(1, sizeof(*tried));
	uint64_t start;
	int rc;

	if (!tried)
		return 1;
	tried->end.status = -1;
	trial_mount(task, tried);
	if (channel_send(channel, KERNEL_TRIED, tried, sizeof(*tried), -1) || !tried->mounted)
		return 1;
	if (view_is_rdma(tried->mount.proto)) {
		task->reader.target = KERNEL_AT;
		task->reader.dev = tried->mount.dev;
		kernel_reader(&task->reader, channel);
		/* What takes long from here on is no READ. */
		kernel_send_step(channel, KERNEL_CLOSE, 0, now_ms());
	}
	start = now_ms();
	rc = umount2(KERNEL_AT, UMOUNT_NOFOLLOW);
	return kernel_send_step(channel, KERNEL_UNMOUNT, rc, start) ? 1 : 0;
}

int kernel_trial_receive(const struct child *child, uint64_t deadline, struct kernel_tried *out)
{
	ssize_t n;
	int type;

	do
		n = child_receive(child, &type, out, sizeof(*out),
				  deadline ? deadline + GRACE_MS : 0);
	while (n == -EINTR);
	if (n < 0)
		return (int)n;
	if (type != KERNEL_TRIED || n != sizeof(*out))
		return err_set(EPROTO, "%s sent a record of %zd bytes", child->name, n);
	out->end.last[sizeof(out->end.last) - 1] = '\0';
	return 0;
}

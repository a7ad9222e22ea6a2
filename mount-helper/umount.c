/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* umount.nfsrdma: umount(8) runs it for a mount with the option helper=nfsrdma. umount.nfs does the
 * work, and the record is removed. umount.nfs alone unmounts other mounts; their record is invalid
 * once the mount is gone. */
#include "mount-helper/internal.h"

/* umount.nfs waits up to about a minute for an NFSv3 server's mountd. */
#define DEADLINE_MS (180 * 1000)

static int umount_call(struct helper *helper, struct mount_nfs_end *end)
{
	const struct args *args = &helper->args;
	const char *argv[MOUNT_NFS_ARGS_MAX + 1] = { "umount.nfs", helper->dir };
	size_t n = 2;
	int rc;

	if (args->force)
		argv[n++] = "-f";
	if (args->lazy)
		argv[n++] = "-l";
	if (args->no_mtab)
		argv[n++] = "-n";
	if (args->read_only)
		argv[n++] = "-r";
	if (args->verbose)
		argv[n++] = "-v";
	helper->waiting.since_ms = now_ms();
	waiting_busy(&helper->waiting, "waiting for umount.nfs");
	rc = mount_nfs_run(helper->program, argv, -1, deadline_in(DEADLINE_MS), end);
	waiting_erase(&helper->waiting);
	return rc;
}

static int umount_run(struct helper *helper)
{
	struct proof proof = { 0 };
	struct mount_nfs_end end;
	int rc = host_open(&helper->host, NULL);

	if (!rc) {
		/* Before it is gone: the directory as in mountinfo. That name is found without
		 * touching the directory, whose server may be gone. Otherwise it is resolved as
		 * umount(8) does; if that hangs, it stays as given. */
		text_copy(helper->dir, sizeof(helper->dir), helper->args.dir);
		if (proof_on(helper->host, helper->dir, &proof) &&
		    !dir_resolve(helper->host, helper->args.dir, helper->dir))
			proof_on(helper->host, helper->dir, &proof);
		rc = umount_call(helper, &end);
	}
	if (rc) {
		message_send(helper, JOURNAL_FAILED, "%s is not unmounted: %s",
			     message_mount(helper), err_text());
		return HELPER_FAILED;
	}
	debug(DEBUG_MOUNT, "%s: mount %u, umount.nfs ended with status %d, signal %d", helper->dir,
	      proof.mount.id, end.status, end.signal);
	if (end.status) {
		message_send(helper, JOURNAL_FAILED, "%s is not unmounted: %s",
			     message_mount(helper),
			     end.timed_out ? "umount.nfs timed out"
			     : end.last[0] ? end.last
					   : "umount.nfs gave no reason");
		return end.status > 0 ? end.status : HELPER_FAILED;
	}
	if (helper->root)
		helper->records = record_open(RECORD_ROOT);
	if (helper->records >= 0)
		record_remove(helper->records, proof.mount.id, helper->dir);
	message_send(helper, JOURNAL_UNMOUNTED, "%s: unmounted", message_mount(helper));
	return HELPER_OK;
}

int main(int argc, char **argv)
{
	static const struct helper_command umount_nfsrdma = {
		.name = "umount.nfsrdma",
		.program = "/sbin/umount.nfs",
		.umount = true,
		.not_done = "not unmounted",
		.usage =
			"usage: umount.nfsrdma DIRECTORY [-flnrv]\n"
			"Unmounts with umount.nfs and removes the record of the mount. umount(8) runs it.\n",
		.run = umount_run,
	};

	return helper_main(&umount_nfsrdma, argc, argv);
}

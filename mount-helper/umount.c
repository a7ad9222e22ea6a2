/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* umount.nfsrdma: umount(8) runs it for a mount with the option helper=nfsrdma. umount.nfs does the
 * work, and the record is removed. umount.nfs alone unmounts other mounts; their record is invalid
 * once the mount is gone. */
#include <stdio.h>

#include "mount-helper/internal.h"

/* umount.nfs waits up to about a minute for an NFSv3 server's mountd. */
#define DEADLINE_MS (180 * 1000)

static const char usage[] =
	"usage: umount.nfsrdma DIRECTORY [-flnrv]\n"
	"Unmounts with umount.nfs and removes the record of the mount. umount(8) runs it.\n";

static int call(struct helper *helper, struct mount_nfs_end *end)
{
	const struct args *args = &helper->args;
	const char *argv[MOUNT_NFS_ARGS_MAX + 1] = { "umount.nfs", helper->dir };
	const struct {
		bool wanted;
		const char *word;
	} flags[] = { { args->force, "-f" },
		      { args->lazy, "-l" },
		      { args->no_mtab, "-n" },
		      { args->read_only, "-r" },
		      { args->verbose, "-v" } };
	size_t n = 2, i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].wanted)
			argv[n++] = flags[i].word;
	helper->waiting.since_ms = now_ms();
	waiting_busy(&helper->waiting, "waiting for umount.nfs");
	rc = mount_nfs_run(helper->program, argv, -1, deadline_in(DEADLINE_MS), end);
	waiting_erase(&helper->waiting);
	return rc;
}

/* The directory as in mountinfo. That name is found without touching the directory, whose server may
 * be gone. Otherwise it is resolved as umount(8) does; if that hangs, it stays as given. */
static void find(struct helper *helper, struct proof *proof)
{
	text_copy(helper->dir, sizeof(helper->dir), helper->args.dir);
	if (!proof_on(helper->host, helper->dir, proof) ||
	    dir_resolve(helper->args.dir, helper->dir))
		return;
	proof_on(helper->host, helper->dir, proof);
}

static int forget(struct helper *helper, const struct proof *proof)
{
	if (helper->root)
		helper->records = record_open(RECORD_ROOT);
	if (helper->records >= 0)
		record_remove(helper->records, proof->id, helper->dir);
	tell(helper, JOURNAL_UNMOUNTED, "%s: unmounted", tell_mount(helper));
	return HELPER_OK;
}

static int unmount(struct helper *helper)
{
	struct proof proof = { 0 };
	struct mount_nfs_end end;
	int rc = host_open(&helper->host, NULL);

	/* Before it is gone. */
	if (!rc)
		find(helper, &proof);
	rc = rc ? rc : call(helper, &end);
	if (rc) {
		tell(helper, JOURNAL_FAILED, "%s is not unmounted: %s",
		     tell_mount(helper), err_text());
		return HELPER_FAILED;
	}
	debug(DEBUG_MOUNT, "%s: mount %u, umount.nfs ended with status %d, signal %d",
	      helper->dir, proof.id, end.status, end.signal);
	if (!end.status)
		return forget(helper, &proof);
	tell(helper, JOURNAL_FAILED, "%s is not unmounted: %s", tell_mount(helper),
	     end.timed_out ? "umount.nfs timed out"
	     : end.last[0] ? end.last
			   : "umount.nfs gave no reason");
	return end.status > 0 ? end.status : HELPER_FAILED;
}

int main(int argc, char **argv)
{
	struct helper helper = { .name = "umount.nfsrdma",
				 .program = "/sbin/umount.nfs",
				 .root = !geteuid(),
				 .records = -1 };
	int rc;

	helper_init(&helper);
	if (args_parse(&helper.args, argc, argv, true)) {
		tell(&helper, JOURNAL_REFUSED, "not unmounted: %s", err_text());
		return HELPER_USAGE;
	}
	if (helper.args.help || helper.args.version) {
		printf("%s",
		       helper.args.help ? usage : "umount.nfsrdma " NFSRDMA_VERSION "\n");
		return HELPER_OK;
	}
	if (helper.args.space) {
		tell(&helper, JOURNAL_REFUSED,
		     "%s is not unmounted: -N %.200s is not supported, because it would run that namespace's programs as root; use nsenter(1) if you trust them",
		     tell_mount(&helper), helper.args.space);
		args_fini(&helper.args);
		return HELPER_USAGE;
	}
	rc = unmount(&helper);
	helper_fini(&helper);
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Runs a command as on a kernel before 3.17, which has no getrandom(2). */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	if (argc < 2 || !filter ||
	    seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(getrandom), 0) ||
	    seccomp_load(filter)) {
		fprintf(stderr, "without-getrandom: no filter\n");
		return 125;
	}
	seccomp_release(filter);
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* mount.nfsrdma: what mount(8) runs for a file system of type nfsrdma. */
#include "mount-helper/internal.h"

int main(int argc, char **argv)
{
	static const struct helper_command mount_nfsrdma = {
		.name = "mount.nfsrdma",
		.program = "/sbin/mount.nfs",
		.not_done = "not mounted",
		.usage =
			"usage: mount.nfsrdma SERVER:/PATH DIRECTORY [-fnrsvw] [-o OPTIONS]\n"
			"Mounts NFS over RDMA, or reports why it cannot. mount(8) runs it: mount -t nfsrdma.\n"
			"See mount.nfsrdma(8).\n",
		.run = mount_run,
	};

	return helper_main(&mount_nfsrdma, argc, argv);
}

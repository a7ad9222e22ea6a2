# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A line in fstab mounts over RDMA, and files are unchanged.
installed
in_fstab
expect_rdma "$mountpoint"
inside nfsrdma mounts

# Written by the client, read on the server; and the other way round.
inside "dd if=/dev/urandom of=$mountpoint/written bs=100001 count=42 status=none"
inside "dd if=/dev/urandom of=/srv/nfs/served bs=100001 count=42 status=none"
for name in written served; do
	[[ $(checksum "$mountpoint/$name") == "$(checksum /srv/nfs/$name)" ]] ||
		fail "$name is not the same by the mount and on the server"
done

# "mount -a" has nothing to add; unmounted, it mounts the same.
inside mount -a
expect_output 1 "grep -c ' $mountpoint ' /proc/self/mountinfo"
inside "umount $mountpoint && mount -a"
expect_rdma "$mountpoint"

# A TCP mount is not mistaken for RDMA. In another version, or the kernel would use the same
# connection.
inside 'mount -t nfs -o vers=4.1,proto=tcp nas1:/srv/nfs /mnt'
! over_rdma /mnt || fail "a mount over TCP is taken for RDMA"
inside umount /mnt
expect_running

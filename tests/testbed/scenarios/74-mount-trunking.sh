# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The same server is already mounted over TCP, so that the kernel gives an NFSv4 mount that
# connection, whatever its options request. With require it fails, and with prefer it stays, with
# a warning.
server plain
tcp=192.168.77.1:/export/plain
inside "mkdir -p /mnt2; /usr/sbin/mount -t nfs $tcp /mnt2 -o vers=4.2,proto=tcp"

for propagation in private shared; do
	inside "/usr/sbin/mount --make-r$propagation /"
	for export in plain live; do
		mounting /mnt -t nfsrdma 192.168.77.1:/export/$export /mnt -o vers=4.2
		expect_refused 32 '/mnt2 is mounted from the same server over tcp'
		inside '! grep " TARGET=/mnt " /run/mount/utab; ! grep -l "^pending" /run/nfsrdma/requests/* 2>/dev/null'
	done

	mounting /mnt -t nfsrdma $tcp /mnt -o vers=4.2,nfsrdma.policy=prefer
	[[ $status == 0 && $mounted == *proto=tcp* && $requested == "mounted prefer" ]] ||
		fail "prefer: exit status $status, $mounted, $requested"
	grep -q 'WARNING.*NOT mounted over RDMA.*/mnt2 is mounted from the same server' "$work/said" || fail "prefer says nothing"
	# It is already mounted, and require refuses it; but it is not ours to undo.
	mounting /mnt -t nfsrdma $tcp /mnt -o vers=4.2
	[[ $status == 32 && $mounted == *proto=tcp* && $requested == "mounted prefer" ]] ||
		fail "exit status $status, $mounted, $requested"
	inside '/usr/sbin/umount /mnt'

	# Another version is another client for the server.
	mounting /mnt -t nfsrdma $tcp /mnt -o vers=4.1
	expect_mounted vers=4.1
	inside '/usr/sbin/umount /mnt'
done
inside '/usr/sbin/umount /mnt2'

# prefer, and no listener: TCP is tried, and reported.
mounting /mnt -t nfsrdma $tcp /mnt -o vers=4.2,port=20050,retry=0,nfsrdma.policy=prefer
[[ $status == 0 && $mounted == *proto=tcp* && $requested == "mounted prefer" ]] ||
	fail "no listener: exit status $status, $mounted, $requested"
grep -q 'no RDMA, so TCP is tried: .*refuses RDMA' "$work/said" || fail "the cause is not told"
grep -q 'WARNING.*NOT mounted over RDMA' "$work/said" || fail "prefer says nothing"
inside '/usr/sbin/umount /mnt'

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Without our program: the guest's kernel client mounts the guest's own server through the host.
# Shows that the two servers are healthy, and the sick one is sick.
read_by_kernel()
{
	guest_tell mount "$rdma_port" "$mount_port" /export/plain
	read_status=0
	guest_tell check >"$work/check" || read_status=$?
	cat "$work/check"
	guest_tell umount
}

server plain
read_by_kernel
((read_status == 0)) || fail "kernel client and kernel server: $(head -n1 "$work/check")"
server sick zeros-over-812
read_by_kernel
grep -q 'file-813.*first wrong byte' "$work/check" || fail "the sick server is well at 813 bytes"
! grep -qE 'file-(1|811|812):' "$work/check" || fail "the sick server is sick at 812 bytes"
server plain

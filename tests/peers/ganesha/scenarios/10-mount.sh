# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The set-up is sound: Linux mounts Ganesha over RDMA, in each version that it serves so, and every
# byte is right.
# shellcheck source=../ganesha.sh
. "$peers/ganesha/ganesha.sh"
ganesha_begin plain
serve_rdma=20049 serve_mount=20048 serve_export=$export
for version in 3 4.0; do
	mount_check "$version" "$address"
	ganesha_alive
	# Its pads are wrong, and the kernel needs none: nothing is said against the kernel.
	mount_serve "$version" "$address"
	inside_run probe --mount /mnt/file-1048579 --format json
	guest_tell umount
	expect_status 0
	expect_reason kernel.read/probe-only
	expect_words kernel.read warn 'reads through the kernel returned correct data'
	expect_finding bug.read-812 pass
	ganesha_alive
	note "NFSv$version: $(tail -n1 "$work/check")"
done

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
	note "NFSv$version: $(tail -n1 "$work/check")"
done

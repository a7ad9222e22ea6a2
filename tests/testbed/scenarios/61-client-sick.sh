# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Our server with wrong Write chunks: the kernel client reads wrong data, or an error; the probe reports
# the reason.
server plain
serve --fault write-chunk-over-812=garbage
mount_serve
if guest_tell check >"$work/check"; then
	fail "the kernel client reads right in spite of the fault"
fi
cat "$work/check"
grep -q 'first wrong byte' "$work/check" || fail "$(tail -n1 "$work/check")"
guest_tell umount
probe "127.0.0.1:$serve_export" --port "$serve_rdma" --mount-port "$serve_mount" \
	--nfs-port "$serve_nfs" --format json
expect_status 1
expect_finding bug.write-chunk-read fail

# Right data, but the reply counts less: an error, as the probe says, and no wrong byte.
for version in 3 4.1; do
	serve --fault lengths-short
	mount_serve "$version"
	if guest_tell check >"$work/check"; then
		fail "the kernel client reads with lengths that are too short"
	fi
	cat "$work/check"
	grep -qi 'i/o error\|input/output error' "$work/check" || fail "NFSv$version: $(tail -n1 "$work/check")"
	! grep -q 'wrong byte' "$work/check" || fail "NFSv$version: $(tail -n1 "$work/check")"
	guest_tell umount
	probe "127.0.0.1:$serve_export" --port "$serve_rdma" --mount-port "$serve_mount" \
		--nfs-port "$serve_nfs" --nfs-version "$version" --format json
	expect_status 1
	expect_reason probe.read.write-chunk.lengths/short-lengths
done

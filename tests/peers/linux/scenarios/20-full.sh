# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# All READs that the kernel's server may be asked for, up to the largest that it has: 4 MiB from 6.16 on,
# and 1 MiB before.
server big
size=$(guest_tell sh 'cat /proc/fs/nfsd/max_block_size')
log_mark
for version in 3 4.1; do
	probe_guest /export/plain --level full --nfs-version "$version" --timeout 800 --format json
	cp "$work/out" "$work/report-$version.json"
	# No Linux client reads links so, and Linux is wrong since 5.11.
	expect_sound "$version" probe.readlink.write-chunk
	expect_words probe.read.largest pass "up to $size bytes, the server's largest"
done
note "READs of up to $size bytes"
log_clean

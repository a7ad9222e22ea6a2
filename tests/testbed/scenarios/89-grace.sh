# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# nfsd has just restarted and lets clients reclaim their locks: NFSv4 reads wait. The probe waits
# too, and results that do not arrive in time are unknown.
server grace
probe_guest /export/plain --nfs-version 4.1 --timeout 30 --format json
expect_status 3
expect_report 'any(.findings[]; .status == "unknown" and (.summary | test("GRACE")))' \
	"nothing says NFS4ERR_GRACE"
expect_no_bug
(sleep 3; guest_tell sh 'echo Y >/proc/fs/nfsd/v4_end_grace') &
probe_guest /export/plain --nfs-version 4.0 --format json
wait
expect_good iwarp 4.0

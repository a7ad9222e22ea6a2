# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The same for an ordinary user: mountd refuses, and the report gives the reason. It neither
# passes nor is a bug.
server plain
as_nobody
probe_guest /export/ovirt --nfs-version 3 --format json
[[ $status == 1 || $status == 3 ]] || fail "exit status $status: $(summary)"
expect_report '.verdict == "fail" or .verdict == "unknown"' "verdict"
expect_no_bug
grep -qiE 'reserved|privileged port|insecure' "$work/out" ||
	fail "the report does not speak of the reserved port: $(summary)"

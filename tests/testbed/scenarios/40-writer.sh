# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The file is a live disk: it changes while it is read. It neither fails nor is a bug.
server plain
guest_tell writer start
probe_guest /export/live --format json
guest_tell writer stop
[[ $status == 0 || $status == 3 ]] || fail "exit status $status: $(summary)"
expect_report '.verdict != "fail"' "verdict is fail"
expect_no_bug

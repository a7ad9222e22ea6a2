# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The kernel's server, every mechanism, every size up to its rtmax.
server plain
probe_guest /export/plain --format json
expect_status 0
expect_report '.verdict == "pass"' "verdict is not pass"
for mechanism in inline write-chunk reply-chunk; do
	expect_finding "probe.read.$mechanism" pass
done

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# READs of 1 MiB. By default a guest of this size offers 256 KiB.
server big
probe_guest /export/plain --format json
expect_status 0
expect_only ''
expect_finding probe.read.write-chunk pass
expect_finding probe.read.reply-chunk pass
expect_report '[.. | strings, numbers | tostring | select(test("(^|[^0-9])1048576([^0-9]|$)"))] != []' \
	"nothing in the report is 1048576"

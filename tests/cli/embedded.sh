#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A healthy server passes, and the JSON report has the promised contents.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

probe --embedded
expect_status 0
expect_report "not one object" -s 'length == 1'
expect_report "verdict is not pass" '.verdict == "pass"'
expect_report "a finding is neither pass nor skip" \
	'(.findings | length) > 5 and all(.findings[]; .status == "pass" or .status == "skip")'
expect_report "a bug was named" 'all(.findings[]; (.id | startswith("bug.") | not)
	or .status != "fail")'

# Every mechanism was used, and compared with TCP.
for id in probe.null probe.read.inline probe.read.write-chunk probe.read.reply-chunk probe.read.profiles \
	probe.reference probe.readdir probe.readlink probe.credits; do
	expect_finding "$id" pass
done

# The shape: keys in their order, types, an RFC 3339 time.
expect_report "keys" 'keys_unsorted == ["schema", "version", "command", "subject", "verdict", "answer",
	"started", "elapsed_ms", "reads", "findings"]'
expect_report "values" '.schema == "nfsrdma-report/1" and .command == "probe"
	and (.version | test("^[0-9]+\\.[0-9]+\\.[0-9]+$"))
	and (.started | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"))
	and (.elapsed_ms | type) == "number"'
expect_report "subject" '.subject.transport == "iwarp" and (.subject.nfs_version | startswith("4."))
	and (.subject.port | type) == "number"'
expect_report "findings" 'all(.findings[]; has("id") and has("title") and has("status")
	and has("summary") and (.evidence | type) == "object" and (.see | type) == "array")'
[[ ! -s $work/err ]] || { show; fail "something on stderr"; }

# The text has the same contents, in lines that fit a terminal log, without escapes if there is no
# terminal.
run probe --embedded --reads 0
expect_status 0
grep -qi pass "$work/out" || { show; fail "the text does not say pass"; }
! grep -q $'\e' "$work/out" || { show; fail "escapes in a file"; }

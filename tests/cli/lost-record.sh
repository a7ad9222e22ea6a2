#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What does not come from the worker to the report is missed: a record that the kernel had no memory
# for, and a worker that dies, end in a verdict of unknown or fail, with a finding in each format.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

module=$(dirname "$NFSRDMA")/tests/support/lose-record.so
[[ -e $module ]] || fail "no $module"
# The sanitizer's library must be the first.
export ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0

# preload VARIABLE=VALUE ...: the module, in the next run; lose RECORD [VARIABLE=VALUE].
preload() { run_prefix=(env "LD_PRELOAD=$module" "$@"); }
lose() { preload "NFSRDMA_TEST_RECORD=$1" "${@:2}"; }

# says FORMAT WORDS: the report contains them, in its format.
says()
{
	tr '\n' ' ' <"$work/out" | tr -s ' ' | grep -qE -- "$2" || { show; fail "$1 does not say \"$2\""; }
}

# Nothing is lost, so nothing is reported.
lose 'no record has this'
probe --embedded --level quick
expect_status 0
expect_report "probe.worker" 'all(.findings[]; .id != "probe.worker")'

# A lost failure: the rest of this report passes.
for format in text json prometheus openmetrics nagios; do
	lose 'probe.readlink'
	run probe --format "$format" --embedded --level quick
	expect_status 3
	says "$format" 'probe[._]worker'
	says "$format" 'unknown|UNKNOWN'
done
echo "ok - a record of a good report is lost"

# The case of a server with the bug, whose one decisive finding is lost.
for record in probe.read.write-chunk bug.write-chunk-read; do
	lose "$record"
	probe --embedded --fault write-chunk-over-812 --level quick
	[[ $status == 1 || $status == 3 ]] || { show; fail "exit status $status without $record"; }
	expect_report "verdict" '.verdict == "fail" or .verdict == "unknown"'
	expect_finding probe.worker unknown
	expect_reason probe.worker/lost-records
	expect_report "the numbers" 'any(.findings[]; .id == "probe.worker"
		and (.summary | test("[0-9]+ records sent by the worker, [0-9]+ received")))'
done
# Each finding of the probe, and the end itself, whose type is 7. (Of the type only: the embedded
# server's port may have this byte as well.)
for lost in RECORD=probe. RECORD_TYPE=7; do
	preload "NFSRDMA_TEST_$lost"
	probe --embedded --level quick
	expect_status 3
	expect_finding probe.worker unknown
done
echo "ok - a failure is lost"

# It dies during a READ, after findings that passed.
for format in text json prometheus openmetrics nagios; do
	lose 'READs by every mechanism' NFSRDMA_TEST_DIES=1
	run probe --format "$format" --embedded --level quick
	expect_status 3
	says "$format" 'probe[._]worker'
done
lose 'READs after other operations' NFSRDMA_TEST_DIES=1
probe --embedded --level quick --nfs-version 3
expect_status 3
expect_finding probe.null pass
expect_reason probe.worker/killed
expect_report "signal and step" 'any(.findings[]; .id == "probe.worker" and .evidence.signal == 9
	and (.summary | test("died with signal 9")) and (.evidence.decoded | test("the reply to READ of [0-9]+ bytes")))'
echo "ok - the worker dies"

# Findings from before its death are kept.
lose 'READs in a COMPOUND' NFSRDMA_TEST_DIES=1
probe --embedded --fault write-chunk-over-812 --level quick --nfs-version 4.0
expect_status 1
expect_finding bug.write-chunk-read fail
expect_finding probe.worker unknown
run probe --format nagios --embedded --fault write-chunk-over-812 --level quick --nfs-version 4.0
expect_status 2

# bench has the same worker.
lose 'bench.null' NFSRDMA_TEST_DIES=1
run bench --format json --embedded --level quick
expect_status 3
expect_finding probe.worker unknown

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# probe --client on a host without its requirements: the missing part is reported, nothing passes,
# and nothing is mounted. The testbed runs it with a kernel that has an RDMA device.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq
requires_root

before=$(cat /proc/self/mountinfo)

without_device()
{
	probe --client --bind 127.0.0.1
	expect_status 3
	expect_report "verdict is not unknown" '.verdict == "unknown"'
	expect_finding kernel.device unknown
	# shellcheck disable=SC2016 # jq's variables
	expect_sentence_of() { expect_report "$1" --arg words "$1" 'any(.findings[]; .summary | test($words))'; }
	expect_sentence_of '127.0.0.1 is not an address of an active RDMA device|no RDMA device'
	expect_reasons
	expect_report "a bug" 'all(.findings[]; .id != "bug.read-812")'

	probe --client --device nosuch0
	expect_status 3
	expect_sentence_of 'no RDMA device'
	expect_reasons
}

# A kernel without NFS over RDMA: what check says of it, and nothing about devices.
run check --role client --format json
module='[.findings[] | select(.id == "client.module" and .status == "fail") | {reason, summary, steps}]'
jq -c "$module" "$work/out" >"$work/check"
if [[ $(<"$work/check") != '[]' ]]; then
	probe --client
	expect_status 1
	jq -c "$module" "$work/out" | diff "$work/check" - || fail "check has another finding about the module"
	expect_report "more is reported than the module" '.findings | length == 1'
	run probe --client
	grep -q 'This host cannot use NFS over RDMA' "$work/out" || { show; fail "the answer"; }
	! grep -q 'rdma_rxe' "$work/out" || { show; fail "a software device is advised"; }
else
	without_device
fi

run_prefix=(setpriv --reuid=65534 --regid=65534 --clear-groups)
probe --client
expect_status 3
expect_sentence 'requires root'

[[ $(cat /proc/self/mountinfo) == "$before" ]] || fail "mounts have changed"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma check on this machine, which has no RDMA: within a second one finding fails, the module
# or the device. Its consequences are skipped with that reason, and nothing is unknown. The result
# is the same as root and as another user.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq
! compgen -G '/sys/class/infiniband/*' >/dev/null || skip "this machine has an RDMA device"

expect_no_rdma()
{
	local cause

	expect_status 1
	[[ ! -s $work/err ]] || { show; fail "words on stderr"; }
	within 1000 check
	cause=$(report '[.findings[] | select(.status == "fail") | .id] | join(" ")')
	[[ $cause == client.module || $cause == client.device ]] || { show; fail "failed: $cause"; }
	# shellcheck disable=SC2016 # jq's variables
	expect_report "something is unknown" '[.findings[] | select(.status == "unknown")] == []'
	# shellcheck disable=SC2016
	expect_report "a reason is another one" --arg cause "$cause" \
		'[.findings[].evidence.because // empty] | unique == [$cause]'
	expect_report "skipped without a reason" \
		'[.findings[] | select(.status == "skip" and (.summary | length) < 8)] == []'
	expect_report "the fabric was judged" \
		'[.findings[] | select(.id | startswith("fabric.")) | .status] | unique == ["skip"]'
}

check_here()
{
	local server

	run check --role client --format json
	expect_no_rdma
	# A server that could not be used is not contacted.
	for server in 127.0.0.1 192.0.2.1:/export '[2001:db8::1]:/export'; do
		run check --role client --format json "$server"
		expect_no_rdma
	done
	run check --role client
	expect_status 1
	[[ $(grep -c '^  FAIL ' "$work/out") == 1 ]] || { show; fail "not one FAIL in the text"; }
	[[ $(wc -L <"$work/out") -le 80 ]] || { show; fail "lines of more than 80 columns"; }
	run check --role client --format nagios
	expect_status 2
	[[ $(<"$work/out") == *CRITICAL*$'\n'"fail client."* ]] || { show; fail "nagios"; }
}

check_here
if ((EUID == 0)); then
	requires setpriv
	run_prefix=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	NFSRDMA=$(reachable "$NFSRDMA")
	check_here
fi

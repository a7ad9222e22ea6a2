# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What scenarios of the peers are written with: all that the testbed's have, and these. $peer is the
# peer's name. There is no second guest.
# shellcheck shell=bash
peers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# log_mark, log_clean: nothing in the guest's kernel log since the mark says that something went wrong.
log_mark() { inside 'dmesg | wc -l >/run/log.mark'; }
log_clean()
{
	guest_tell 20 sh 'dmesg | tail -n +$(($(cat /run/log.mark) + 1))' >"$work/dmesg"
	cat "$work/dmesg"
	! grep -Ei 'WARNING:|BUG:|Oops|Call Trace|general protection|refcount_t|UBSAN|KASAN|rcu.*stall|(nfs|rpc).*(error|fail|bad)' \
		"$work/dmesg" >"$work/complaints" ||
		fail "the kernel complains: $(head -n1 "$work/complaints")"
}

# expect_sound VERSION: all that was read over RDMA came right, by every mechanism, and nothing was left out
# for want of time. In NFSv4 the server may have one defect, that TCP shows too.
expect_sound()
{
	local mechanism

	expect_status 0
	expect_report ".subject.transport == \"iwarp\" and .subject.nfs_version == \"$1\"" "not iWARP, NFSv$1"
	for mechanism in inline write-chunk reply-chunk; do
		expect_finding "probe.read.$mechanism" pass
	done
	expect_no_bug
	if [[ $1 != 3 ]] && jq -e 'any(.findings[]; .id == "probe.read.compound" and .status != "pass")' "$work/out" >/dev/null; then
		expect_only 'warn probe.read.compound'
		expect_words probe.read.compound warn 'over TCP alike'
	else
		expect_only ''
	fi
}

# shellcheck source=../testbed/scenario.sh
. "$peers/../testbed/scenario.sh"

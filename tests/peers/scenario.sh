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
	# shellcheck disable=SC2016 # the guest's
	guest_tell sh 'dmesg | tail -n +$(($(cat /run/log.mark) + 1))' >"$work/dmesg"
	cat "$work/dmesg"
	! grep -Ei 'WARNING:|BUG:|Oops|Call Trace|general protection|refcount_t|UBSAN|KASAN|rcu.*stall|(nfs|rpc).*(error|fail|bad)' \
		"$work/dmesg" >"$work/complaints" ||
		fail "the kernel complains: $(head -n1 "$work/complaints")"
}

# expect_sound VERSION [ID...]: all that was read over RDMA came right, by every mechanism. Warnings are of
# these kinds only; in NFSv4 one is about the server's NFS, which TCP shows too. On a busy machine
# replies are late.
expect_sound()
{
	local version=$1 mechanism others

	shift
	expect_status 0
	expect_report ".subject.transport == \"iwarp\" and .subject.nfs_version == \"$version\"" "not iWARP, NFSv$version"
	for mechanism in inline write-chunk reply-chunk; do
		expect_finding "probe.read.$mechanism" pass
	done
	expect_no_bug
	[[ $version == 3 ]] || set -- "$@" probe.read.compound
	# shellcheck disable=SC2016 # jq's variables
	others=$(jq -r '[.findings[] | select(.status | test("pass|skip") | not)
		| select(.status != "warn" or (.id | IN("probe.slow", $ARGS.positional[]) | not)) | "\(.status) \(.id)"] | join(", ")' \
		"$work/out" --args "$@")
	[[ ! $others ]] || fail "\"$others\" in NFSv$version: $(summary)"
	jq -e 'any(.findings[]; .id == "probe.read.compound" and .status == "warn") | not' "$work/out" >/dev/null ||
		expect_words probe.read.compound warn 'over TCP alike'
}

# shellcheck source=../testbed/scenario.sh
. "$peers/../testbed/scenario.sh"

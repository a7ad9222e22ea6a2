#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# probe --scratch: its worker is killed (SIGKILL) at a system call, or the command ends by SIGTERM there, from a
# little before the file's name is said to the end. Nothing is left on the server. All runs have the same name for the file, so
# that the next one sees it.
#
# By default some points, evenly spread; more with NFSRDMA_POINTS=N, all of them with NFSRDMA_POINTS=all, as in the suite
# "nightly".
# shellcheck disable=SC2119 # start_server takes arguments of serve
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq
end_at=${NFSRDMA%/*}/tests/support/end-at

# The leak sanitizer cannot run below a tracer.
export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0

# ended WHO SIGNAL N VERSION: a run that ends at that call. $calls and $said: those of the process, and when the name was said.
ended()
{
	local status=0

	timeout -k 5 "$patience" "$end_at" "$work/points" "$1" "$2" "$3" "$NFSRDMA" probe "127.0.0.1:$export" "${server[@]}" \
		--nfs-version "$4" --level quick --reads 0 --writes 0 --scratch kept --format json >"$work/out" 2>"$work/err" </dev/null || status=$?
	((status != 77)) || skip "no ptrace"
	((status != 124)) || { show; fail "it hangs"; }
	read -r calls said <"$work/points"
	! grep -q '"exists"' "$work/out" || { show; fail "left by NFSv$4 before: process $1, signal $2, call $3"; }
	! grep -q 'probe\.scratch\.left' "$work/out" "$work/err"
}

# removed WHO SIGNAL N VERSION: the same, and nothing is left. A busy machine may be too slow for the two seconds that this may
# take, which is said: then again, with a new server.
removed()
{
	local try

	for try in 1 2 3 4 5; do
		! ended "$@" || return 0
		stop_server
		start_server
	done
	show
	fail "left $try times by NFSv$4: process $1, signal $2, call $3"
}

start_server
for version in ${NFSRDMA_VERSION:-3 4.1}; do
	# The worker is the third process that starts.
	for what in '3 9' '0 15'; do
		read -r who signal <<<"$what"
		removed "$who" 0 0 "$version"
		grep -q 'writes to the new file' "$work/err" || { show; fail "no name"; }
		first=$((said - 20)) last=$calls
		((first > 0 && last > said + 300)) || fail "process $who is not the right one: $said $calls"
		step=1
		[[ ${NFSRDMA_POINTS:-} == all ]] || step=$(((last - first) / ${NFSRDMA_POINTS:-5}))
		tried=0
		for ((at = first; at <= last; at += step)); do
			removed "$who" "$signal" "$at" "$version"
			tried=$((tried + 1))
		done
		removed "$who" 0 0 "$version"
		echo "ok - NFSv$version, signal $signal at $tried of $((last - first + 1)) calls"
	done
done

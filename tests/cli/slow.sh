#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Slow is not lost: a healthy server behind a slow path is not accused, also where the deadline ends
# the probe in the middle; and a reply that never comes is still lost (tests/cli/faults.sh has that, too).
#	NFSRDMA_SLOW	"some" (default): two paths and a short time; "all": each path at its length
# shellcheck disable=SC2016 # jq's variables
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3

# path WORD...: a relay in front of the server, as tests/cli/peer.py slow. Sets $path_port.
path()
{
	: >"$work/relay"
	python3 "$NFSRDMA_SOURCE/tests/cli/peer.py" slow "$rdma_port" "$@" >"$work/relay" 2>"$work/relay.err" &
	relay_pid=$!
	cleanup_fn stop_path
	await_line "$work/relay" "$relay_pid"
	read -r path_port <"$work/relay"
}

stop_path()
{
	[[ ! ${relay_pid:-} ]] || kill "$relay_pid"
	relay_pid=
}

# probe_path [ARGUMENT...]
probe_path()
{
	probe "127.0.0.1:$export" --port "$path_port" --nfs-port "$nfs_port" --mount-port "$mount_port" "$@"
	stop_path
}

# healthy WHAT: no failure, and nothing that is only unknown.
runs=0
healthy()
{
	runs=$((runs + 1))
	expect_status 0
	expect_report "a healthy server behind $1 is accused" 'all(.findings[]; .status != "fail" and .status != "unknown")'
	expect_report "nothing was read behind $1" 'any(.findings[];
		.id == "probe.read.write-chunk" and (.evidence.largest_right | tonumber) > 4096)'
	echo "ok - $1 ($(seconds "$took") s, $(report '[.findings[] | select(.id == "probe.slow") | .summary][0]'))"
}

# cut WHAT: the deadline ended it, which is a warning, and the only one.
cut()
{
	healthy "$1"
	expect_finding probe.slow warn
	expect_finding probe.read.write-chunk skip
	expect_finding probe.reply.lost pass
	expect_report "what was not tried, and the times" 'any(.findings[]; .id == "probe.slow" and
		(.summary | test("time ran out.*slowest reply took [0-9.]+ s.*NULL took [0-9]+ ms.*Not tested: ")) and
		(.evidence.slowest_ms | tonumber) > 0)'
}

start_server
if [[ ${NFSRDMA_SLOW:-some} == some ]]; then
	# Longer than a reply may take, but not lost.
	path stall=3500 every=400
	probe_path --nfs-version 3 --level quick --timeout 60
	grep -q ^stall "$work/relay" || fail "the path did not stall"
	healthy "3.5 s now and then"
	expect_reason probe.slow/late
	expect_finding probe.slow warn
	expect_report "late replies" 'any(.findings[]; .id == "probe.slow" and (.evidence.late | tonumber) > 0)'

	path rate=700000
	probe_path --nfs-version 4.1 --timeout 8
	cut "700 kB/s for 8 s, NFSv4.1"
else
	# What the server offers; the testbed's has 4.2, too (slow-siw).
	for version in 3 4.0 4.1; do
		for words in delay=20 delay=100 "stall=3500 every=1000" rate=700000; do
			# shellcheck disable=SC2086 # words
			path $words
			# Its random READs end by time, and under one that is in flight.
			probe_path --nfs-version "$version" --reads 5000
			healthy "$words, NFSv$version"
		done
		# Ten seconds of that are the directory of 2000 names.
		path delay=100
		probe_path --nfs-version "$version" --timeout 30
		cut "100 ms for 30 s, NFSv$version"
	done
	stop_server
	((runs == 15)) || fail "$runs paths, not 15"

	# What never comes is lost, although the path is slow.
	start_server --fault write-chunk-over-812=hang
	path delay=20
	probe_path --nfs-version 3 --level quick
	expect_status 1
	expect_finding probe.read.write-chunk fail
	expect_report "lost READs" 'any(.findings[]; .id == "probe.read.write-chunk" and
		(.evidence.failures | test("no reply")))'
	echo "ok - lost is lost ($(seconds "$took") s)"
fi

# Nor is a call lost that was never sent, because there was no time left for a new connection: this server closes
# each connection at its fifth reply.
for ((run = 0; run < 4; run++)); do
	run probe --embedded --fault close --timeout 1 --format json
	expect_report "a call was lost that was not sent" 'all(.findings[]; .id != "probe.reply.lost" or .status != "fail")'
done

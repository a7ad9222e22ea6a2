# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A healthy kernel server behind a slow path, over software iWARP: no failure, in every version. tests/cli/slow.sh
# has the same with the embedded server.
only_nightly
scenario_timeout=3600

# path WORD...: a relay in front of the server, as tests/cli/peer.py slow. Sets $path_port.
path()
{
	# Not the output of the previous one.
	: >"$work/relay"
	python3 "$testbed/../cli/peer.py" slow "$rdma_port" "$@" >"$work/relay" 2>"$work/relay.err" &
	relay_pid=$!
	trap 'kill "$relay_pid" 2>/dev/null || true' EXIT
	for _ in {1..300}; do
		[[ ! -s $work/relay ]] || break
		sleep 0.1
	done
	read -r path_port <"$work/relay" || fail "no relay: $(cat "$work/relay.err")"
}

true_clock
for version in 3 4.0 4.1 4.2; do
	for words in delay=20 delay=100 "stall=3500 every=1000" rate=700000; do
		# Soft-iWARP may accept no more connections after some were abandoned.
		server off
		server plain
		# shellcheck disable=SC2086 # words
		path $words
		start=$SECONDS
		probe 127.0.0.1:/export/plain --port "$path_port" --mount-port "$mount_port" --nfs-port "$nfs_port" \
			--nfs-version "$version" --format json
		kill "$relay_pid"
		expect_healthy "$words, NFSv$version, $((SECONDS - start)) s"
	done
done

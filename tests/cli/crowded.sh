#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A server with more clients than it serves at once: they wait for each other, silent connections give way,
# and a probe of a server that closes connections instead tries again. Nothing of that is a failure.
# NFSRDMA_LOAD=full: 300 probes at once, and 50 at any time for two minutes at level standard.
# shellcheck disable=SC2119 # start_server needs no arguments
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3

# hold SOURCE...: 32 silent connections to the RDMA port from each, until the script ends.
hold()
{
	: >"$work/held"
	python3 - "$rdma_port" "$@" >"$work/held" <<'PY' &
import signal, socket, sys
held = []
for source in sys.argv[2:]:
    for _ in range(32):
        s = socket.socket()
        s.bind((source, 0))
        s.connect(("127.0.0.1", int(sys.argv[1])))
        held.append(s)
print("held", flush=True)
signal.pause()
PY
	cleanup_fn kill "$!"
	wait_until grep -qx held "$work/held"
}

# Of two other hosts, which have all places; and of this one, which has its half.
start_server
hold 127.0.0.2 127.0.0.3
probe_server --level quick --timeout 120
expect_status 0
stop_server
start_server
hold 127.0.0.1
probe_server --level quick --timeout 120
expect_status 0
stop_server
echo "ok - silent connections ($(seconds "$took") s)"

# probe_one NAME ARGUMENT...: its report and its exit status are in $work/load.
probe_one()
{
	local name=$1 rc=0

	"$NFSRDMA" probe --format json "127.0.0.1:$export" "${server[@]}" "${@:2}" \
		>"$work/load/$name.json" 2>"$work/load/$name.err" </dev/null || rc=$?
	echo "$rc" >"$work/load/$name.rc"
}

# judge_load COUNT: so many or more ended, and no verdict is a failure. Lack of time is only counted.
judge_load()
{
	local files=("$work"/load/*.rc) failed unknown

	failed=$(grep -Lx '[03]' "${files[@]}") || true
	if [[ $failed ]]; then
		status=1
		cp "${failed%%.rc*}.json" "$work/out"
		show
		fail "$(wc -l <<<"$failed") of ${#files[@]} probes failed"
	fi
	((${#files[@]} >= $1)) || fail "${#files[@]} probes, not $1"
	unknown=$(cat "${files[@]}" | grep -cx 3) || true
	echo "ok - ${#files[@]} probes, $unknown without a verdict ($SECONDS s)"
}

# repeat NAME END ARGUMENT...: probes until $SECONDS is END.
repeat()
{
	local i

	for ((i = 0; SECONDS < $2; i++)); do
		probe_one "$1.$i" "${@:3}"
	done
}

# load COUNT COMMAND...: as many at once, with the number as the first argument.
load()
{
	local i pids=()

	rm -rf "$work/load"
	mkdir "$work/load"
	for ((i = 0; i < $1; i++)); do
		"$2" "$i" "${@:3}" &
		pids+=("$!")
	done
	wait "${pids[@]}"
	judge_load "$1"
}

start_server
if [[ ${NFSRDMA_LOAD:-} == full ]]; then
	load 300 probe_one --level quick --timeout 120
	load 50 repeat $((SECONDS + 120)) --timeout 120
else
	load 40 probe_one --level quick --timeout 120
fi

# start_crowded WHAT=NUMBER: a server that closes so many connections first; sets $peer_port.
start_crowded()
{
	: >"$work/peer"
	python3 "$NFSRDMA_SOURCE/tests/cli/peer.py" crowded "$rdma_port" "$1" >"$work/peer" 2>"$work/peer.err" &
	cleanup_fn kill "$!"
	await_line "$work/peer" "$!"
	read -r peer_port <"$work/peer"
}

# Two connections at the first try, one at each other.
start_crowded connections=4
probe "127.0.0.1:$export" --port "$peer_port" --nfs-port "$nfs_port" --level quick --timeout 120
expect_status 0
expect_report "the number of tries" 'any(.findings[]; .id == "probe.connect" and .evidence.tries == 4
	and (.summary | endswith(", at try 4")) and .evidence.mpa_revision == 2)'
for calls in 2 8; do
	start_crowded calls="$calls"
	probe "127.0.0.1:$export" --port "$peer_port" --nfs-port "$nfs_port" --level quick --timeout 120
	expect_status 0
	# shellcheck disable=SC2016 # jq's variables
	expect_report "the number of tries" --argjson tries "$((calls + 1))" \
		'any(.findings[]; .id == "probe.null" and .evidence.tries == $tries)'
done
# For ever: it fails, and says how often it was tried.
for what in connections calls; do
	start_crowded "$what=1000000"
	probe "127.0.0.1:$export" --port "$peer_port" --nfs-port "$nfs_port" --timeout 4
	expect_status 1
	expect_report "the number of tries" '[.findings[] | select(.status == "fail")][0].evidence.tries > 1'
	expect_reasons
done
# Nothing listens: one try.
run probe --format json 127.0.0.1:/ --transport iwarp --port 1 --timeout 120
expect_status 1
expect_report "a refusal" 'any(.findings[]; .id == "probe.connect" and .reason == "refused" and .evidence.tries == null)'

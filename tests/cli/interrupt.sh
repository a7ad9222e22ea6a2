#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Whenever the probe is interrupted, killed from within or out of time, its NFSv4.1 client is
# removed from the server, which logs each new client and its removal.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

export NFSRDMA_DEBUG=server
# shellcheck disable=SC2119 # not ours
start_server
unset NFSRDMA_DEBUG

# The clients created on the server, and those that still exist.
seen() { sed -n 's/.*client \([0-9a-f]*\) is new.*/\1/p' "$work/serve.err" | sort; }
gone() { sed -n 's/.*client \([0-9a-f]*\) is gone.*/\1/p' "$work/serve.err" | sort; }
left() { comm -23 <(seen) <(gone); }

# Between fork and exec it is still bash, which a signal ends otherwise.
is_probe_or_over() { [[ /proc/$probe_pid/exe -ef $NFSRDMA ]] || ! kill -0 "$probe_pid" 2>/dev/null; }

# begin ARGUMENT...: a probe in the background: $probe_pid.
begin()
{
	"$NFSRDMA" probe --format json "127.0.0.1:$export" "${server[@]}" --nfs-version 4.1 "$@" \
		>"$work/out" 2>"$work/err" </dev/null &
	probe_pid=$!
	wait_until is_probe_or_over
}

# finish STATUS WHAT: the probe ends soon, and nothing is left.
finish()
{
	local start still

	start=$(now_ms)
	status=0
	wait "$probe_pid" || status=$?
	took=$(since_ms "$start")
	within 3000 "$2"
	# The signal can arrive before the probe is ready for it.
	if ((status != 143)); then
		[[ $status == "$1" || $status == 0 ]] || { show; fail "$2: exit status $status"; }
		expect_report "$2: something is left" \
			'all(.findings[]; .id != "probe.session.left")'
	fi
	still=$(left)
	[[ ! $still ]] || { show; tail -n 20 "$work/serve.err"; fail "$2: left: $still"; }
}

# comes: until the server has this probe's client, or the probe has ended.
made() { grep -c 'client [0-9a-f]* is new' "$work/serve.err" || true; }
is_new_or_over() { (($(made) > made)) || ! kill -0 "$probe_pid" 2>/dev/null; }
comes() { wait_until is_new_or_over; }

# At any time, and at any time since the server has its client: a busy machine can take long for
# it.
for ((i = 0; i < 20; i++)); do
	made=$(made)
	begin --level full
	((i % 4 < 2)) || comes
	sleep "0.$((i % 4))$((RANDOM % 10))$((RANDOM % 10))"
	# On a fast machine it can have ended before.
	kill -s "$( ((i % 2)) && echo TERM || echo INT)" "$probe_pid" 2>/dev/null || true
	finish 3 "interrupted"
done
for ((i = 0; i < 8; i++)); do
	made=$(made)
	begin --level full
	comes
	sleep "0.$((RANDOM % 3))$((1 + RANDOM % 9))"
	worker=$(pgrep -o -P "$probe_pid" || true)
	[[ ! $worker ]] || kill -s KILL "$worker" 2>/dev/null || true
	finish 3 "worker killed"
done
begin --timeout 1 --level full
finish 3 "out of time"
begin
finish 0 "as it should be"
made=$(made)
((made > 10)) || fail "only $made clients were ever made"
echo "ok - $made clients came and went"

# A server that stops answering keeps the client until its lease ends, and the report says so.
made=$(made)
begin --level full
comes
kill -s STOP "$server_pid"
kill -s INT "$probe_pid" 2>/dev/null || true
status=0
wait "$probe_pid" || status=$?
kill -s CONT "$server_pid"
if ((status == 3)); then
	expect_reason probe.session.left/no-answer
fi
echo "ok - a server that falls silent"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The process that decodes bytes from the network has no privilege: called as root, the probe's
# worker is nobody, without capabilities, and holds no descriptors except sockets and pipes.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3
requires_root

# A peer that never answers keeps the worker waiting while the test inspects it.
python3 "$NFSRDMA_SOURCE/tests/cli/peer.py" no-reply >"$work/peer" 2>"$work/peer.err" &
cleanup_fn kill "$!"
await_line "$work/peer" "$!"

"$NFSRDMA" probe 127.0.0.1:/export --port "$(head -n 1 "$work/peer")" --timeout "$patience" \
	>"$work/out" 2>"$work/err" </dev/null &
probe_pid=$!
cleanup_fn kill "$probe_pid"

# field PID NAME: of /proc/PID/status.
field() { sed -n "s/^$2:\\s*//p" "/proc/$1/status"; }

# descendants PID: each before its own.
descendants()
{
	local child

	for child in $(cat /proc/"$1"/task/*/children 2>/dev/null | tr ' ' '\n'); do
		echo "$child"
		descendants "$child"
	done
}

# Below the process that waits for it, if it is in a namespace. Once it reads the network it no longer
# changes.
worker=
find_worker()
{
	local pid

	for pid in $(descendants "$probe_pid"); do
		[[ $(field "$pid" Uid 2>/dev/null) == 65534* && $(field "$pid" Seccomp 2>/dev/null) == 2 ]] || continue
		worker=$pid
		return 0
	done
	return 1
}
wait_until grep -q accepted "$work/peer"
wait_until find_worker

expect_field()
{
	local have

	have=$(field "$worker" "$1" | tr '\t' ' ')
	[[ $have == "$2" ]] || fail "worker has $1 $have, not $2"
}

expect_field Uid "65534 65534 65534 65534"
expect_field Gid "65534 65534 65534 65534"
expect_field Groups ""
expect_field CapEff 0000000000000000
expect_field CapPrm 0000000000000000
expect_field CapInh 0000000000000000
expect_field CapAmb 0000000000000000
expect_field CapBnd 0000000000000000
expect_field NoNewPrivs 1
expect_field Seccomp 2

for fd in /proc/"$worker"/fd/*; do
	target=$(readlink "$fd")
	[[ $target == socket:* || $target == pipe:* || $target == anon_inode:* ||
		$target == /dev/null ]] || fail "worker holds $target"
done

grep -q '^Max core file size *0 *0 ' /proc/"$worker"/limits || fail "worker may dump core"

# The embedded server drops to nobody too, when it serves a real directory.
mkdir "$work/export"
chmod 755 "$work/export"
echo content >"$work/export/file"
start_server --export "$work/export"
worker=$server_pid
expect_field Uid "65534 65534 65534 65534"
expect_field CapEff 0000000000000000
expect_field CapBnd 0000000000000000
expect_field NoNewPrivs 1
expect_field Seccomp 2
grep -q '^Max core file size *0 *0 ' /proc/"$worker"/limits || fail "serve may dump core"
kill "$probe_pid"
wait "$probe_pid" || true

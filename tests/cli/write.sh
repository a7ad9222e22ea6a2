#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# probe --scratch: makes a file, writes, reads back and removes it. Nothing that exists is touched,
# nothing is left however the run ends, and nothing is written to servers that may not bear it.
# Faults: faults.sh.
# shellcheck disable=SC2016 # jq's variables
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq pgrep python3

# written COUNT: so many CREATEs, WRITEs, SETATTRs and OPENs reached the server.
written() { grep -cE ' (WRITE|CREATE|SETATTR|REMOVE|OPEN): ' "$work/serve.err" || true; }

export NFSRDMA_DEBUG=nfs
start_server
unset NFSRDMA_DEBUG
for version in 3 4.0 4.1; do
	before=$(written)
	probe_server --nfs-version $version
	[[ $(written) == "$before" ]] || fail "something was written without --scratch"
	expect_report "WRITEs are said not to be tested" 'all(.findings[]; .id | startswith("probe.write") or . == "probe.scratch" | not)'
	for path in new / /new; do
		probe_server --nfs-version $version --scratch "$path" --writes 50
		expect_status 0
		expect_finding probe.write pass
		expect_finding probe.write.commit pass
		expect_report "what was done" '.answer == "NFS over RDMA with 127.0.0.1 works, and the data of READs and WRITEs is correct."
			and any(.findings[]; .id == "probe.write" and (.evidence | .inline_right > 20 and .read_chunk_right > 90
				and .long_call_right > 20 and .long_chunk_right > 20 and .in_flight == 40 and .largest_right == 1048576
				and .random == 50 and .bytes_written > 10000000))
			and any(.findings[]; .id == "probe.scratch" and (.summary | test("^/(new|\\.nfsrdma-scratch-[0-9a-f]{32}) was made and removed$")))
			and ([.reads.rows[] | select(.mechanism | startswith("writes-")) | .results | index("correct") != null] == [true, true, true])'
		[[ $path == / ]] || grep -q '^nfsrdma: writes to the new file /new, and removes it at the end$' "$work/err" ||
			fail "the name was not said before"
	done
	# As guests' tools see it.
	probe_server --nfs-version $version --scratch new --level quick -v --format text
	expect_status 0
	grep -q 'WRITE by Read chunk' "$work/out" || fail "no WRITE rows"
	! grep -q 'WRITEs (probe --scratch)' "$work/out" || fail "WRITEs are said not to be tested"
	echo "ok - NFSv$version"

	# What cannot be made is not known, and says why.
	while read -r path id; do
		before=$(written)
		probe_server --nfs-version $version --scratch "$path"
		expect_status 3
		expect_finding probe.scratch unknown
		expect_reason "$id"
		expect_report "something was written" 'all(.findings[]; .id != "probe.write")'
	done <<-'END'
		data-4096 probe.scratch/exists
		data-4096/x probe.scratch/not-directory
		link-255/x probe.scratch/not-directory
		nowhere/x probe.scratch/not-found
		entries-2000/ probe.scratch/read-only
	END
	echo "ok - refused, NFSv$version"
done

# killed SIGNAL WHOM MS: at that moment of a run.
killed()
{
	local pid worker=

	"$NFSRDMA" probe "127.0.0.1:$export" "${server[@]}" --nfs-version "$4" --reads 0 --scratch kept >"$work/killed" 2>&1 &
	pid=$!
	sleep "$(printf '0.%03d' "$3")"
	if [[ $2 == parent ]]; then
		kill -s "$1" $pid 2>/dev/null || true
	else
		worker=$(pgrep -o -P $pid || true)
		[[ ! $worker ]] || kill -s "$1" "$worker" 2>/dev/null || true
	fi
	wait $pid || true
	# Or its name would be taken.
	probe_server --nfs-version "$4" --level quick --scratch kept
	expect_finding probe.scratch pass
}
for version in 3 4.1; do
	for ms in 60 90 110 130 150 180 220 300 400; do
		killed TERM parent $ms $version
		killed INT parent $ms $version
		killed KILL worker $ms $version
	done
	echo "ok - nothing is left, NFSv$version"
done

# RDMA goes away in the middle: a relay that ends. The file is removed over TCP.
cat >"$work/relay.py" <<-'END'
	import socket, sys, threading
	listener = socket.socket()
	listener.bind(("127.0.0.1", 0))
	listener.listen()
	print(listener.getsockname()[1], flush=True)
	def copy(a, b):
	    while (data := a.recv(65536)):
	        b.sendall(data)
	    b.shutdown(socket.SHUT_WR)
	while True:
	    a, b = listener.accept()[0], socket.create_connection(("127.0.0.1", int(sys.argv[1])))
	    for pair in (a, b), (b, a):
	        threading.Thread(target=copy, args=pair, daemon=True).start()
END
for version in 3 4.1; do
	: >"$work/relay"
	python3 "$work/relay.py" "$rdma_port" >"$work/relay" 2>/dev/null &
	relay=$!
	await_line "$work/relay" $relay
	"$NFSRDMA" probe "127.0.0.1:$export" --port "$(<"$work/relay")" --nfs-port "$nfs_port" --mount-port "$mount_port" \
		--nfs-version $version --reads 0 --scratch kept --writes 100000 --format json >"$work/out" 2>"$work/err" &
	pid=$!
	wait_until grep -q 'writes to the new file' "$work/err"
	kill -s KILL $relay
	wait $relay 2>/dev/null || true
	wait $pid || true
	expect_report "what was left" 'all(.findings[]; .id != "probe.scratch.left")'
	probe_server --nfs-version $version --level quick --scratch kept
	expect_finding probe.scratch pass
done
echo "ok - removed over TCP"
stop_server

# gate ARGUMENT...: a server that may not bear WRITEs gets none.
gate()
{
	NFSRDMA_DEBUG=nfs start_server "$@"
	probe_server --nfs-version 3 --scratch new
	expect_finding probe.scratch skip
	expect_report "a WRITE" 'all(.findings[]; .id != "probe.write")'
	[[ $(written) == 0 ]] || fail "$(written) operations that write were sent with $*"
	stop_server
}
gate --fault linux-3
gate --fault linux-3=inline-head
gate --fault foreign=ganesha
echo "ok - the gate"

mkdir "$work/files"
head -c 262144 /dev/urandom >"$work/files/disk"
chmod 755 "$work/files"
chmod 644 "$work/files/disk"
start_server --export "$work/files"
probe_server --scratch new
expect_status 3
expect_reason probe.scratch/no-space
[[ $(ls "$work/files") == disk ]] || fail "a file was made in a directory"
stop_server
echo "ok - a read-only export"

for arguments in '127.0.0.1 --scratch new' '127.0.0.1:/x --scratch ../new' '127.0.0.1:/x --scratch a/../new' '127.0.0.1:/x --scratch .' \
	'127.0.0.1:/x --writes 5' '--client --scratch new' '--client --writes 5' '--mount / --scratch new --writes 5' '--mount / --scratch ../new'; do
	# shellcheck disable=SC2086 # words
	run probe $arguments
	expect_status 2
done
run probe 127.0.0.1:/x --scratch ''
expect_status 2
echo "ok - usage"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Peers that are no NFS/RDMA server, or stop being one in the middle of a frame: a report
# with one clear sentence, the right exit status, before the deadline.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3

# start_peer MODE [PORT]: sets $peer_port.
start_peer()
{
	: >"$work/peer-$1"
	python3 "$NFSRDMA_SOURCE/tests/cli/peer.py" "$@" >"$work/peer-$1" 2>"$work/peer-$1.err" &
	cleanup_fn kill "$!"
	await_line "$work/peer-$1" "$!"
	read -r peer_port <"$work/peer-$1"
}

# peer MODE STATUS WORDS [ID/REASON]: what a probe of that peer ends with and says.
peer()
{
	start_peer "$1"
	probe 127.0.0.1:/export --port "$peer_port" --timeout 3
	expect_status "$2"
	within 4000 "$1 with --timeout 3"
	expect_first_problem "$3"
	[[ ! ${4:-} ]] || expect_reason "$4"
	echo "ok - $1 ($(seconds "$took") s)"
}

# Fail: what answered is not what it should be, or it refused. Unknown: nobody answered.
peer http             1 'no MPA' probe.connect/not-mpa
peer banner           1 'no MPA' probe.connect/not-mpa
peer reject           1 'reject|refus' probe.connect/rejected
peer private-too-long 1 'private data'
peer hang-up          1 'clos'
peer garbage          1 'MPA length'
peer half-frame       3 'no reply'
peer silence          3 'no MPA reply' probe.connect/mpa-silent
peer half-mpa         3 'stopped after' probe.connect/mpa-silent
peer no-reply         3 'no reply'
# These send without end: no wait for input ever ends by itself.
peer flood-writes     3 'no reply'
peer flood-sends      3 'no reply'
for mode in flood-writes flood-sends; do
	start_peer "$mode"
	run bench --format json 127.0.0.1:/export --port "$peer_port" --timeout 3
	expect_status 3
	within 4000 "bench against $mode with --timeout 3"
done

# The TCP side is silent, as behind a filter: what can be had without it is. It gets a quarter of the
# time, and the rest is enough on a busy machine.
start_server
start_peer silence
probe "127.0.0.1:$export" --port "$rdma_port" --mount-port "$mount_port" --nfs-port "$peer_port" \
	--timeout 12 --level quick
expect_status 0
expect_finding probe.reference skip
expect_finding probe.read.write-chunk pass
echo "ok - silent NFS over TCP ($(seconds "$took") s)"
start_peer silence
probe "127.0.0.1:$export" --port "$rdma_port" --mount-port "$peer_port" --nfs-port "$nfs_port" \
	--nfs-version 3 --timeout 3
expect_status 3
expect_first_problem 'MOUNT'
within 4000 "--timeout 3"
echo "ok - silent mountd ($(seconds "$took") s)"

# A server that answered and then falls silent: a time-out after a good reply is a failure.
stop_server
start_server --fault write-chunk-over-812=hang
probe_server --timeout 2
expect_status 1
expect_finding probe.reply.lost fail
within 3000 "--timeout 2"
echo "ok - silence after good replies ($(seconds "$took") s)"
run bench --format json "127.0.0.1:$export" "${server[@]}" --timeout 2
within 3000 "bench with --timeout 2"

# A peer that is only old is asked for less, once, and the report says so.
stop_server
start_server --no-crc
start_peer siw-2015 "$rdma_port"
probe "127.0.0.1:$export" --port "$peer_port" --mount-port "$mount_port" --nfs-port "$nfs_port" --level quick
expect_status 0
expect_report "what was refused" 'any(.findings[]; .id == "probe.connect" and .status == "pass" and
	(.summary | test("by MPA revision 1, CRC off, after the peer refused MPA revision 2")))'
[[ $(grep -c '^revision 2' "$work/peer-siw-2015") == 1 ]] ||
	{ cat "$work/peer-siw-2015"; fail "revision 2 was not asked for once"; }
! grep -q '^revision 1 flags 64' "$work/peer-siw-2015" ||
	{ cat "$work/peer-siw-2015"; fail "the CRC was asked for"; }
echo "ok - siw of 2015 ($(seconds "$took") s)"

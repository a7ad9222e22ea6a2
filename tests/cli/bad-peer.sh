#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Peers that are not NFS/RDMA servers, or stop being one in the middle of a frame: the report has
# one clear sentence, the right exit status, and arrives before the deadline.
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

# Seconds until a silent peer is given up: enough for what comes before the silence on a busy machine.
limit=8
[[ ! ${NFSRDMA_MEASURED:-} ]] || limit=3

# peer MODE STATUS WORDS [ID/REASON]: the exit status and the words of a probe of that peer.
peer()
{
	start_peer "$1"
	if (($2 == 1)) && [[ ! ${NFSRDMA_MEASURED:-} ]]; then
		# The peer ends it.
		probe 127.0.0.1:/export --port "$peer_port"
	else
		probe 127.0.0.1:/export --port "$peer_port" --timeout "$limit"
	fi
	expect_status "$2"
	within 4000 "$1 with --timeout 3"
	expect_first_problem "$3"
	expect_reasons
	[[ ! ${4:-} ]] || expect_reason "$4"
	echo "ok - $1 ($(seconds "$took") s)"
}

# Fail: the peer answers wrongly, or refuses. Unknown: there is no answer.
peer http             1 'does not speak MPA' probe.connect/not-mpa
peer banner           1 'does not speak MPA' probe.connect/not-mpa
peer reject           1 'reject|refus' probe.connect/rejected
peer private-too-long 1 'private data' probe.connect/not-mpa
peer hang-up          1 'clos' probe.null/closed
peer garbage          1 'MPA length' probe.null/malformed
peer half-frame       3 'no reply' probe.null/silent
peer silence          3 'no MPA reply' probe.connect/mpa-silent
peer half-mpa         3 'stopped after' probe.connect/mpa-silent
peer no-reply         3 'no reply' probe.null/silent
peer no-program       1 'does not have the program' probe.null/no-nfs
peer system-error     1 'system error' probe.null/rpc-error
peer rdma-error       1 'RDMA_ERROR|ERR_CHUNK' probe.null/rdma-error
# These send endlessly: no wait for input ends by itself.
peer flood-writes     3 'no reply'
peer flood-sends      3 'no reply'
for mode in flood-writes flood-sends; do
	start_peer "$mode"
	run bench --format json 127.0.0.1:/export --port "$peer_port" --timeout "$limit"
	expect_status 3
	within 4000 "bench against $mode with --timeout 3"
done

# Once it has state on the server: the removal of that, too, is within the time.
start_server
start_peer flooding "$rdma_port"
probe "127.0.0.1:$export" --port "$peer_port" --nfs-port "$nfs_port" --nfs-version 4.1 --timeout 5
grep -qx flooding "$work/peer-flooding" || fail "there was no flood"
[[ $status == [13] ]] || { show; fail "exit status $status"; }
within 5000 "a flood after CREATE_SESSION with --timeout 5"
expect_finding probe.session.left warn
stop_server
echo "ok - flood in a session ($(seconds "$took") s)"

# The TCP side is silent, as behind a filter: the probe reports what it can without it. It gets a
# quarter of the time, and the rest is enough on a busy machine.
start_server
start_peer silence
probe "127.0.0.1:$export" --port "$rdma_port" --mount-port "$mount_port" --nfs-port "$peer_port" \
	--timeout 40 --level quick
expect_status 0
expect_finding probe.reference skip
expect_finding probe.read.write-chunk pass
echo "ok - silent NFS over TCP ($(seconds "$took") s)"
start_peer silence
probe "127.0.0.1:$export" --port "$rdma_port" --mount-port "$peer_port" --nfs-port "$nfs_port" \
	--nfs-version 3 --timeout "$limit"
expect_status 3
expect_first_problem 'MOUNT'
expect_reason probe.mount/mountd-reply
within 4000 "--timeout 3"
echo "ok - silent mountd ($(seconds "$took") s)"

# mountd ANSWER WORDS ID/REASON: a mountd that answers MNT with ANSWER.
mountd()
{
	start_peer mountd "$1"
	probe 127.0.0.1:/export --port "$rdma_port" --mount-port "$peer_port" --nfs-port "$nfs_port" --nfs-version 3
	expect_first_problem "$2"
	expect_reason "$3"
	echo "ok - mountd: $1"
}

# RFC 1813 5.1.5; from a port above 1023, the only kind without root, the port may be the only
# cause.
refused=probe.mount/not-exported
((EUID == 0)) || refused=probe.mount/unprivileged-port
mountd status=2      'NOENT'   probe.mount/no-export
mountd status=13     'refuses' "$refused"
mountd status=10006  'MOUNT'   probe.mount/mountd-error
mountd flavor=390003 'flavors' probe.mount/kerberos
if ((EUID == 0)) && type -P setpriv >/dev/null; then
	run_prefix=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	mountd status=13 'unprivileged port' probe.mount/unprivileged-port
	run_prefix=()
fi

# A server that answers and then falls silent: a timeout after a good reply is a failure.
stop_server
start_server --fault write-chunk-over-812=hang
probe_server --timeout $((limit + 1))
expect_status 1
expect_finding probe.reply.lost fail
within 4000 "--timeout 4"
echo "ok - silence after good replies ($(seconds "$took") s)"
run bench --format json "127.0.0.1:$export" "${server[@]}" --timeout "$limit"
within 4000 "bench with --timeout 3"

# A peer with an old version gets one request for less, and the report says so.
stop_server
start_server --no-crc
start_peer siw-2015 "$rdma_port"
probe "127.0.0.1:$export" --port "$peer_port" --mount-port "$mount_port" --nfs-port "$nfs_port" --level quick
expect_status 0
expect_report "what was refused" 'any(.findings[]; .id == "probe.connect" and .status == "pass" and
	(.summary | test("with MPA revision 1, CRC off, after the peer refused MPA revision 2")))'
[[ $(grep -c '^revision 2' "$work/peer-siw-2015") == 1 ]] ||
	{ cat "$work/peer-siw-2015"; fail "revision 2 was not asked for once"; }
! grep -q '^revision 1 flags 64' "$work/peer-siw-2015" ||
	{ cat "$work/peer-siw-2015"; fail "the CRC was asked for"; }
echo "ok - siw of 2015 ($(seconds "$took") s)"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A real server without the requested export or file; and a file that changes during the probe.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3

# problem NAME STATUS WORDS [ID/REASON]: the last probe's exit status and words.
problem()
{
	expect_status "$2"
	expect_first_problem "$3"
	expect_reasons
	[[ ! ${4:-} ]] || expect_reason "$4"
	echo "ok - $1 ($(seconds "$took") s)"
}

start_server
probe 127.0.0.1:/no-such-export "${server[@]}"
problem "export that is not there" 1 'no-such-export' probe.mount/not-found
probe 127.0.0.1:/no-such-export "${server[@]}" --nfs-version 4.0
problem "path that is not there" 1 'no-such-export' probe.root/not-found
probe "127.0.0.1:$export/no-such-file" "${server[@]}"
problem "file that is not there" 1 'no-such-file'
probe "127.0.0.1:$export" "${server[@]}" --nfs-port 1 --mount-port 1 --nfs-version 3
problem "no mountd" 3 'mountd' probe.mount/mountd
probe "127.0.0.1:$export" "${server[@]}" --nfs-version 4.2
problem "a version that is not offered" 1 'NFSv4.2' probe.versions/not-offered
run bench --format json "127.0.0.1:$export" "${server[@]}" --nfs-port 1
problem "bench without NFS over TCP" 3 'refused' bench.read.1m-8/not-measured
run bench --format json 127.0.0.1 "${server[@]}"
problem "bench without an export" 3 'no export' bench.read.1m-8/no-export
stop_server

# The ports of a stopped server: nothing listens there.
probe_server --transport iwarp
problem "nothing listening" 1 'refused' probe.connect/refused
# A server of InfiniBand or RoCE looks the same to a host without an adapter.
probe_server
problem "nothing listening, and no RDMA device here" 3 'cannot be tested from here' probe.connect/no-device-here
probe_server --transport verbs
expect_reason probe.route/no-device
probe --embedded --pcap "$work/no/such/directory/file"
expect_reason probe.connect/capture

mkdir "$work/empty"
chmod 755 "$work/empty"
start_server --export "$work/empty"
probe_server
problem "export without a file" 3 'file' probe.file/no-file
stop_server

mkdir "$work/private"
chmod 755 "$work/private"
echo secret >"$work/private/file"
chmod 600 "$work/private/file"
start_server --export "$work/private"
probe_server
problem "export without a readable file" 3 'file' probe.file/no-file
stop_server

mkdir "$work/large"
mkdir "$work"/large/{1..140}
chmod -R 755 "$work/large"
start_server --export "$work/large"
probe_server
problem "export with many names" 3 'empty files' probe.file/large-tree
stop_server

# Named files that cannot be read.
mkdir -m 755 "$work/kinds"
: >"$work/kinds/empty"
ln -s elsewhere "$work/kinds/link"
start_server --export "$work/kinds"
probe "127.0.0.1:/empty" "${server[@]}"
problem "empty file" 3 '/empty is empty' probe.file/empty
probe "127.0.0.1:/link" "${server[@]}"
problem "symbolic link" 3 'link is a symbolic link to elsewhere' probe.root/symlink
stop_server

# A disk image that is truncated and extended while it is read: never a failure, never a bug.
mkdir "$work/live"
python3 - "$work/live/disk" <<'END' &
import os, random, sys
disk = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o644)
os.fchmod(disk, 0o644)
while True:
    os.ftruncate(disk, random.randrange(0, 600000))
    os.pwrite(disk, random.randbytes(70000), random.randrange(0, 600000))
END
cleanup_fn kill "$!"
chmod 755 "$work/live"
start_server --export "$work/live"
probe_server --timeout 20
[[ $status == 0 || $status == 3 ]] || { show; fail "exit status $status, not 0 or 3"; }
expect_report "something failed" 'all(.findings[]; .status != "fail")'
echo "ok - file that shrinks while it is read ($(seconds "$took") s)"
stop_server
# Wrong data of a file that is being written proves nothing.
mkdir -m 755 "$work/written"
head -c 1000000 /dev/urandom >"$work/written/disk"
chmod 644 "$work/written/disk"
python3 - "$work/written/disk" <<'END' &
import os, sys
disk = os.open(sys.argv[1], os.O_WRONLY)
while True:
    os.pwrite(disk, os.urandom(4096), 500000)
END
cleanup_fn kill "$!"
start_server --export "$work/written" --fault write-chunk
probe_server --level quick --nfs-version 3
expect_reason probe.changing/every-file
stop_server

# A file that is replaced: its handle is stale, which is not an error of the server.
python3 - "$work/live/disk" <<'END' &
import os, random, sys
while True:
    disk = os.open(sys.argv[1] + ".new", os.O_WRONLY | os.O_CREAT, 0o644)
    os.fchmod(disk, 0o644)
    os.write(disk, random.randbytes(random.randrange(1, 1000000)))
    os.close(disk)
    os.rename(sys.argv[1] + ".new", sys.argv[1])
END
cleanup_fn kill "$!"
start_server --export "$work/live"
for _ in 1 2 3 4 5; do
	probe_server --timeout 20
	[[ $status == 0 || $status == 3 ]] || { show; fail "exit status $status, not 0 or 3"; }
	expect_report "something failed" 'all(.findings[]; .status != "fail")'
	expect_reasons
done
echo "ok - file that is replaced while it is read ($(seconds "$took") s)"
stop_server

# A command of a step repeats the options of the run, or it would test another server, and does what the run did.
start_server --fault write-chunk-over-812
probe_server --nfs-version 3 --transport iwarp --cred 36:36,107
expect_status 1
expect_finding bug.write-chunk-read fail
mapfile -t again < <(jq -r '[.findings[].steps[].command | select(. and startswith("nfsrdma probe ") and (contains("--pcap") | not))] | unique[]' "$work/out")
((${#again[@]})) || fail "no step probes again"
for command in "${again[@]}"; do
	for option in "--transport iwarp" "--port $rdma_port" "--nfs-version 3" "--cred 36:36,107"; do
		[[ $command == *" $option "* ]] || fail "'$command' has no $option"
	done
	eval "set -- ${command#nfsrdma }"
	run "$@" --format json --reads 0
	expect_status 1
	expect_finding bug.write-chunk-read fail
done
stop_server
echo "ok - commands of steps"

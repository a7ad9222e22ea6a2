#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A real server, asked for what it does not have; and a file that changes under the probe.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3

# problem NAME STATUS WORDS: what the last probe ended with and said.
problem()
{
	expect_status "$2"
	expect_first_problem "$3"
	echo "ok - $1 ($(seconds "$took") s)"
}

start_server
probe 127.0.0.1:/no-such-export "${server[@]}"
problem "export that is not there" 1 'no-such-export'
probe "127.0.0.1:$export/no-such-file" "${server[@]}"
problem "file that is not there" 1 'no-such-file'
stop_server

# The ports of a server that is gone: nobody listens there.
probe_server
problem "nothing listening" 1 'refused'
expect_reason probe.connect/refused
probe_server --transport verbs
expect_reason probe.route/no-device
probe --embedded --pcap "$work/no/such/directory/file"
expect_reason probe.connect/capture

mkdir "$work/empty"
chmod 755 "$work/empty"
start_server --export "$work/empty"
probe_server
problem "export without a file" 3 'file'
stop_server

mkdir "$work/private"
chmod 755 "$work/private"
echo secret >"$work/private/file"
chmod 600 "$work/private/file"
start_server --export "$work/private"
probe_server
problem "export without a readable file" 3 'file'
stop_server

# What is named, and cannot be read.
mkdir -m 755 "$work/kinds"
: >"$work/kinds/empty"
ln -s elsewhere "$work/kinds/link"
start_server --export "$work/kinds"
probe "127.0.0.1:/empty" "${server[@]}"
problem "empty file" 3 '/empty is empty'
probe "127.0.0.1:/link" "${server[@]}"
problem "symbolic link" 3 'link is a symbolic link to elsewhere'
stop_server

# A disk image that is cut and grown while it is read: never a failure, never a bug.
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

# A file whose name another takes: the handle is stale, and nobody's fault.
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
done
echo "ok - file that is replaced while it is read ($(seconds "$took") s)"

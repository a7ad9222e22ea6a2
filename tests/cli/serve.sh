#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# serve: the line of JSON, its end by a signal, nobody instead of root, a directory that is
# probed like any server, and what it refuses.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3

pid=
kill_server() { [[ ! $pid ]] || kill -KILL "$pid"; }
cleanup_fn kill_server

# start ARGUMENT...: sets $pid, and the ports.
start()
{
	# The previous server's line is not this one's.
	: >"$work/ready"
	"$NFSRDMA" serve "$@" >"$work/ready" 2>"$work/ready.err" </dev/null &
	pid=$!
	await_line "$work/ready" "$pid"
	(($(wc -l <"$work/ready") == 1)) || fail "not one line: $(cat "$work/ready")"
	read -r rdma nfs mount < <(jq -r '"\(.rdma) \(.nfs) \(.mount)"' "$work/ready")
}

# stop SIGNAL: ends it, cleanly and soon.
stop()
{
	local start

	start=$(now_ms)
	status=0
	kill "-$1" "$pid"
	wait "$pid" || status=$?
	took=$(since_ms "$start")
	pid=
	within 2000 "the end on $1"
	[[ $status == 0 ]] || { cat "$work/ready.err"; fail "exit status $status on $1"; }
}

probe_it()
{
	run probe "127.0.0.1:$1" --port "$rdma" --nfs-port "$nfs" --mount-port "$mount" \
		--level quick --format json
}

start
jq -e '(.rdma, .nfs, .mount | type == "number" and . > 0)
	and .address == "127.0.0.1" and .export == "/"' "$work/ready" >/dev/null ||
	fail "$(cat "$work/ready")"
if ((EUID == 0)); then
	grep -q '^Uid:.65534.65534.65534.65534$' "/proc/$pid/status" || fail "still root"
	grep -q '^CapEff:.0000000000000000$' "/proc/$pid/status" || fail "still capable"
	grep -q '^Groups:[[:space:]]*$' "/proc/$pid/status" || fail "still in groups"
fi
grep -q '^NoNewPrivs:.1$' "/proc/$pid/status" || fail "new privileges are possible"
probe_it /
expect_status 0
stop TERM
start --listen '[::1]:0' --fault close --no-crc
[[ $(jq -r .address "$work/ready") == ::1 ]] || fail "$(cat "$work/ready")"
stop INT

# A directory: files that others can read, and nothing through its links.
mkdir -m 755 "$work/export"
head -c 2000000 /dev/urandom >"$work/export/data"
echo secret >"$work/export/secret"
chmod 644 "$work/export/data"
chmod 600 "$work/export/secret"
ln -s /etc/passwd "$work/export/link"
touch -d '1 hour ago' "$work/export/data"
start --export "$work/export"
probe_it /
expect_status 0
[[ $(report .subject.file) == *data ]] || { show; fail "$(report .subject.file)"; }
probe_it /secret
expect_status 3
grep -q 'secret: NFS4ERR_ACCESS' "$work/out" || { show; fail "the secret file is not refused"; }
stop TERM

run serve --listen 0.0.0.0:0 --fault close
expect_status 2
grep -q allow-remote-faults "$work/err" || { show; fail "no way out is named"; }
run serve --export "$work/none"
expect_status 3
for address in 127.0.0.1 ::1:0 :5 127.0.0.1:65536 127.0.0.1:x; do
	run serve --listen "$address"
	expect_status 2
done

# One host can use half of the connections, and a silent one keeps them only for seconds; one that
# has sent a call has more time, as no connection in whose way it is waits.
start
python3 - "$nfs" >"$work/silent" <<'PY' &
import select, socket, sys
port = int(sys.argv[1])
def connect(source):
    s = socket.socket()
    s.bind((source, 0))
    s.connect(("127.0.0.1", port))
    return s
# An NFSv3 NULL call, and its reply.
caller = connect("127.0.0.3")
call = b"".join(n.to_bytes(4, "big") for n in (7, 0, 2, 100003, 3, 0, 0, 0, 0, 0))
caller.sendall((0x80000000 | len(call)).to_bytes(4, "big") + call)
assert len(caller.recv(100)) == 28
# Twice as many as are served of one host: the rest waits.
silent = [connect("127.0.0.2") for _ in range(128)]
left = silent[:]
print("full", flush=True)
while left:
    for s in select.select(left, [], [])[0]:
        assert s.recv(1) == b""
        left.remove(s)
assert not select.select([caller], [], [], 0)[0]
print("closed", flush=True)
PY
python=$!
# shellcheck disable=SC2016 # at the end
cleanup_fn eval 'kill "$python" 2>/dev/null || true'
wait_until grep -qx full "$work/silent"
probe_it /
expect_status 0
# Not after 360 s.
wait_until grep -qx closed "$work/silent"
wait "$python"
stop TERM

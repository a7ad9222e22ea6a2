#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A mount that does not come says why at once, on stderr and in the journal, and goes on for as long as
# retry= says; retry=0, and what cannot heal, ends it. A machine of tests/hosts with soft iWARP lies
# over /sys: the listener is then asked by our own iWARP over loopback. In mount.nfs's place are shells.
# shellcheck disable=SC2016 # scripts for mount.nfs's place
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires unshare python3 mountpoint
requires_root
if [[ ! ${NFSRDMA_INSIDE:-} ]]; then
	unshare -m true 2>/dev/null || skip "no mount namespace"
	grep -qw overlay /proc/filesystems || skip "no overlay to put programs into /sbin"
	NFSRDMA_INSIDE=$work unshare -m --propagation private "$BASH" "${BASH_SOURCE[0]}"
	exit
fi

top=$NFSRDMA_INSIDE
helper=${NFSRDMA%/*}/mount-helper/mount.nfsrdma
place=$top/place
mkdir "$place" "$top/sbin" "$top/machines" "$top/export"
dd if=/dev/urandom of="$top/export/file" bs=100000 count=3 status=none
chmod -R a+rX "$top"
"$NFSRDMA_SOURCE/tests/support/make-host" "$top/machines" \
	"$NFSRDMA_SOURCE"/tests/hosts/{siw-debian12,rxe-ubuntu2204}
cp -a "$top/machines/siw-debian12/sys" "$top/machines/none"
rm -r "$top/machines/none/class/infiniband"
mount -t overlay -o "lowerdir=$top/sbin:$(readlink -f /sbin)" none "$(readlink -f /sbin)"
mount -t tmpfs run /run
take_journal

# machine NAME: replaces /sys from here on.
machine() { mount --bind "$top/machines/$1/sys" /sys; }

# mount_nfs SCRIPT: replaces mount.nfs; it writes its options, one line per call.
mount_nfs()
{
	# In place: the overlay remembers the file.
	printf '#!/bin/sh\necho "$4" >>%s\ndir=$2\n%s\n' "$work/called" "$1" >"$top/sbin/mount.nfs"
	chmod +x "$top/sbin/mount.nfs"
}

# begin OPTIONS: the helper, in the background; $pid. Its messages are in $work/err.
begin()
{
	truncate -s 0 "$work/called" "$work/err" "$work/journal"
	"$helper" "127.0.0.1:/" "$place" -o "rw,vers=4.1,$1" 2>"$work/err" </dev/null &
	pid=$!
	cleanup_fn eval "kill -KILL $pid 2>/dev/null"
}
finish() { status=0; wait "$pid" || status=$?; }
run() { begin "$1"; finish; }

said() { grep -qE -- "$1" "$work/err"; }
has_called() { [[ $(wc -l <"$work/called") -ge $1 ]]; }
# expect STATUS WORDS CALLS: its exit status, its last sentence, and the number of calls of
# mount.nfs.
expect()
{
	[[ $status == "$1" ]] || { cat "$work/err"; fail "exit status $status, not $1"; }
	tail -n 1 "$work/err" | grep -qE "^mount.nfsrdma: .*$2" || { cat "$work/err"; fail "it does not say \"$2\""; }
	[[ $(wc -l <"$work/called") == "$3" ]] || { cat "$work/err" "$work/called"; fail "mount.nfs was not called $3 times"; }
	in_journal "MESSAGE=$(tail -n 1 "$work/err" | sed 's/^mount.nfsrdma: //')"
	! grep -lx "$place" /run/nfsrdma/requests/* 2>/dev/null || fail "a request is left"
}
# A port where nothing listens.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# --- no device: 30 seconds, beside all that follows ---------------------------------------------

mkdir "$work/none" "$top/other"
unshare -m --propagation private sh -c 'mount --bind "$1/machines/none" /sys
	"$2" 127.0.0.1:/none "$1/other" -o rw,vers=4.1 2>"$3/err" </dev/null
	echo "$?" >"$3/status"' sh "$top" "$helper" "$work/none" &
none=$!
none_said() { grep -q 'no RDMA device; waiting for one until 30 s after the mount started' "$work/none/err"; }

# --- nothing listens ------------------------------------------------------------------------------

machine siw-debian12
port=$(free_port)
refuses="the server answers, and refuses RDMA on port $port"
mount_nfs 'exec sleep 1000'
begin "port=$port"
wait_until said "not mounted yet: $refuses; retrying for 1[0-9]+ s \(retry=\)"
wait_until has_called 1
in_journal NFSRDMA_FINDING=fabric.listener
in_journal NFSRDMA_EVENT=warning
kill -TERM "$pid"
finish
expect 8 "is not mounted: $refuses \([0-9]+ s ago\); stopped by SIGTERM after [0-9]+ s \[fabric.listener/refused\][.] On the server, .*: 'cat /proc/fs/nfsd/portlist'" 1
[[ $(grep -c "$refuses" "$work/err") == 2 ]] || { cat "$work/err"; fail "the reason is not said once, and in the end"; }
# mount.nfs's own words are part of the sentence, and printed nowhere else.
mount_nfs 'echo "mount.nfs: still trying" >&2; : >'"$work/tried; exec sleep 1000"
begin "port=$port"
wait_until test -e "$work/tried"
kill -INT "$pid"
finish
expect 8 'stopped by SIGINT after [0-9]+ s: mount.nfs: still trying' 1

# Nobody is to wait.
run "port=$port,retry=0"
expect 32 "is not mounted: $refuses \[fabric.listener/refused\][.] On the server, .*: 'cat /proc/fs/nfsd/portlist'" 0
run "port=$port,nfsrdma.check=connect,retry=0"
expect 32 "$refuses" 0

# Options that the kernel refuses are no reason to try again.
mount_nfs 'echo "mount.nfs: an incorrect mount option was specified" >&2; exit 32'
run "port=$port,nfsrdma.check=none,retry=0"
expect 32 "$refuses \(mount.nfs: an incorrect mount option was specified\)" 1
mount_nfs 'echo "mount.nfs: usage" >&2; exit 1'
run "port=$port"
expect 1 "mount.nfs: usage" 1

# --- it is silent ---------------------------------------------------------------------------------

# It accepts the connection and sends nothing.
python3 - "$work/silent" <<'PY' &
import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(64)
open(sys.argv[1], "w").write("%d\n" % s.getsockname()[1])
kept = []
while True:
    kept.append(s.accept())
PY
silent_pid=$!
cleanup_fn kill "$silent_pid"
await_line "$work/silent" "$silent_pid"
silent=$(<"$work/silent")
# Without the time to find that out, as on a busy machine, the helper goes on with mount.nfs: that is another case.
mount_nfs 'exit 32'
for _ in 1 2 3; do
	run "port=$silent,retry=0"
	[[ -s $work/called ]] || break
done
mount_nfs 'exec sleep 1000'
expect 32 "no answer over RDMA on port $silent" 0
begin "port=$silent"
wait_until said "not mounted yet: no answer over RDMA on port $silent"
wait_until has_called 1
kill -TERM "$pid"
finish
expect 8 "no answer over RDMA on port $silent.*stopped by SIGTERM" 1

# bg, where the policy allows it: silence is reported, and mount.nfs continues by itself.
mount_nfs 'exit 0'
run "port=$silent,bg,nfsrdma.policy=prefer"
[[ $status == 0 ]] || fail "bg: exit status $status"
grep -q ',bg' "$work/called" || fail "bg does not go through"
said 'not mounted yet: no answer' || fail "bg: the reason is not said"
said 'continues in the background' || fail "bg: not told"
rm -f /run/nfsrdma/requests/*

# --- it cannot be checked --------------------------------------------------------------------------

# Verbs without a device of the kernel: the check is impossible, which does not prevent the mount.
machine rxe-ubuntu2204
mount_nfs 'exit 32'
run "port=$port,retry=0"
expect 32 'is not mounted.*mount.nfs gave no reason' 1
! said 'not mounted yet' || { cat "$work/err"; fail "what is not known is told as a reason"; }
umount /sys

# --- it comes while mount.nfs fails -------------------------------------------------------------------

# Its message is older than the checks, which find no cause any more: that is no end.
late=$(free_port)
mount_nfs 'if [ -s '"$work/late"' ]; then exec /bin/mount -i -t tmpfs none "$dir"; fi
	: >'"$work/wanted"'
	while [ ! -s '"$work/late"' ]; do sleep 0.1; done
	echo "mount.nfs: Protocol error" >&2
	exit 32'
begin "port=$late,nolock"
wait_until test -e "$work/wanted"
"$NFSRDMA" serve --listen "127.0.0.1:$late" --export "$top/export" >"$work/late" 2>"$work/late.err" &
listener=$!
cleanup_fn eval "kill $listener 2>/dev/null"
finish
expect 32 'was not over RDMA' 2
kill "$listener"
wait "$listener" || true

# --- it comes later ---------------------------------------------------------------------------------

# mount.nfs fails for a reason that can be fixed: it is called again afterwards. The helper waits
# for what it must read first, and calls mount.nfs once.
mount_nfs '[ -e '"$work/up"' ] || { echo "mount.nfs: Protocol error" >&2; exit 32; }
	/bin/mount -i -t tmpfs none "$dir"'
begin "port=$port,nolock"
plain=$pid
wait_until has_called 1
cp "$work/err" "$work/err.plain"
"$helper" "127.0.0.1:/" "$place" -o "rw,vers=4.1,port=$port,nfsrdma.check=read" 2>"$work/read.err" </dev/null &
reads=$!
wait_until grep -qs "not mounted yet: $refuses" "$work/read.err"
: >"$work/serve"
: >"$work/up"
"$NFSRDMA" serve --listen "127.0.0.1:$port" --export "$top/export" >"$work/serve" 2>"$work/serve.err" &
listener=$!
cleanup_fn eval "kill $listener 2>/dev/null"
await_line "$work/serve" "$listener"
wait "$plain" && fail "a tmpfs is taken for RDMA"
wait "$reads" && fail "a tmpfs is taken for RDMA"
for err in err read.err; do
	grep -q 'was not over RDMA' "$work/$err" || { cat "$work/$err"; fail "mount.nfs was not called again"; }
done
[[ $(wc -l <"$work/called") == 3 ]] || { cat "$work/called"; fail "not 3 calls of mount.nfs"; }
[[ $(grep -c "$refuses" "$work/err") == 1 ]] || { cat "$work/err"; fail "the reason is said more than once"; }

# --- a terminal ---------------------------------------------------------------------------------------

kill "$listener"
wait "$listener" || true
cat >"$work/terminal.py" <<'PY'
# usage: terminal.py WANTED|-- COMMAND...: on a terminal of its own; with --, on another's. ^C ends it when WANTED was seen twice.
import os, pty, sys, time
if sys.argv[1] == "--":
    fd, theirs = pty.openpty()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.dup2(theirs, 2)
        os.execv(sys.argv[2], sys.argv[2:])
    os.close(theirs)
else:
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sys.argv[2], sys.argv[2:])
seen = b""
end = time.monotonic() + 120
interrupted = False
try:
    while time.monotonic() < end and (more := os.read(fd, 4096)):
        seen += more
        if not interrupted and seen.count(sys.argv[1].encode()) >= 2:
            interrupted = True
            os.write(fd, b"\x03")
except OSError:
    pass
os.waitpid(pid, 0)
sys.stdout.buffer.write(seen)
PY
on_terminal() { python3 "$work/terminal.py" "$1" "$helper" 127.0.0.1:/ "$place" -o "rw,vers=4.1,$2" >"$work/terminal" </dev/null; }
shows() { grep -q "$1" "$work/terminal" || { cat -v "$work/terminal"; fail "$2"; }; }

mount_nfs 'exec sleep 1000'
: >"$work/called"
on_terminal ' s of 120 s: the server answers' "port=$port"
shows $'\r\033\\[K[2-9] s of 120 s: the server answers, and refuses RDMA' "no line of progress"
tail -n 1 "$work/terminal" | grep -q $'\033\\[Kmount.nfsrdma: .*stopped by SIGINT after' ||
	{ cat -v "$work/terminal"; fail "the line is not gone before the last sentence"; }

# silent_on_terminal WORDS: as above, not without the time to find out that the server is silent.
silent_on_terminal()
{
	for _ in 1 2 3; do
		on_terminal "$1" "port=$silent,retry=0"
		! grep -q 'no answer over RDMA' "$work/terminal" || break
	done
}

# Also while the helper itself is busy: here the server is silent. Another process's terminal
# stays clean.
mount_nfs 'exit 32'
silent_on_terminal never
shows $'\r\033\\[K[2-9] s: checking RDMA to 127.0.0.1' "no progress while the server is checked"
tail -n 1 "$work/terminal" | grep -q $'\r\033\\[Kmount.nfsrdma: .*no answer over RDMA' ||
	{ cat -v "$work/terminal"; fail "the line is not gone before the sentence of the check"; }
silent_on_terminal --
shows 'no answer over RDMA' "no sentence"
! grep -q $'\033' "$work/terminal" || { cat -v "$work/terminal"; fail "progress on a terminal that is not its own"; }
TERM=dumb silent_on_terminal never
! grep -q $'\033' "$work/terminal" || { cat -v "$work/terminal"; fail "progress on a dumb terminal"; }

# --- no device --------------------------------------------------------------------------------------

wait "$none" || true
none_said || { cat "$work/none/err"; fail "without a device: it is not said at once"; }
[[ $(<"$work/none/status") == 32 ]] || fail "without a device: exit status $(<"$work/none/status")"
tail -n 1 "$work/none/err" | grep -q 'no RDMA device \[client.device/[a-z-]*\][.] [A-Z]' ||
	{ cat "$work/none/err"; fail "without a device: the end"; }
[[ $(wc -l <"$work/none/err") == 2 ]] || { cat "$work/none/err"; fail "without a device: not two lines"; }

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A command that waits for more than two seconds shows its progress, on a terminal only, and
# clears it afterwards.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires python3

# It accepts connections, and never answers.
python3 -u -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1])
time.sleep(600)' >"$work/port" &
peer=$!
cleanup_fn kill "$peer"
await_line "$work/port" "$peer"
port=$(<"$work/port")

# on_terminal COMMAND...: standard error is a terminal; interrupted as soon as a line of progress
# appears.
cat >"$work/on_terminal.py" <<'END'
import os, pty, signal, sys
ours, theirs = pty.openpty()
child = os.fork()
if child == 0:
    os.close(ours)
    os.dup2(theirs, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], sys.argv[1:])
os.close(theirs)
seen = b""
interrupted = False
while True:
    try:
        more = os.read(ours, 4096)
    except OSError:
        break
    if not more:
        break
    seen += more
    if b" s  " in seen and not interrupted:
        os.kill(child, signal.SIGINT)
        interrupted = True
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
END
doctor=("$NFSRDMA" doctor --transport iwarp --port "$port" 127.0.0.1:/x)
rc=0
python3 "$work/on_terminal.py" "${doctor[@]}" --timeout 120 >"$work/terminal" || rc=$?
((rc == 1 || rc == 3)) || fail "exit status $rc"
grep -q $'^\r\033\\[K  [0-9]* s  probing\r' "$work/terminal" || { cat -v "$work/terminal"; fail "no line of progress"; }
[[ $(tail -n1 "$work/terminal" | sed $'s/.*\r\033\\[K//' | tr -d '\r') == 'nfsrdma doctor: interrupted' ]] ||
	{ cat -v "$work/terminal"; fail "something is left of it"; }

# No progress in a file, nor with --quiet.
"${doctor[@]}" --timeout 4 >"$work/out" 2>"$work/err" || true
! grep -q $'\r' "$work/err" "$work/out" || fail "progress in a file"
python3 "$work/on_terminal.py" "${doctor[@]}" --timeout 4 --quiet >"$work/terminal" || true
[[ ! -s $work/terminal ]] || { cat -v "$work/terminal"; fail "progress with --quiet"; }

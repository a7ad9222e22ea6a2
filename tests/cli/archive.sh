#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# --root with an archive: whatever is in it, nothing is written but below a folder of our own, which is gone
# afterwards, however the command ends; and what is no snapshot gets a sentence.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3 pgrep

mkdir "$work/tmp" "$work/outside"
export TMPDIR=$work/tmp
# tarball NAME: from lines TYPE PATH [CONTENT or TARGET]
tarball()
{
	python3 -c '
import io, sys, tarfile
kinds = {"dir": tarfile.DIRTYPE, "link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "fifo": tarfile.FIFOTYPE, "char": tarfile.CHRTYPE}
with tarfile.open(sys.argv[1], "w:gz") as tar:
    for line in sys.stdin:
        kind, path, rest = (line.rstrip("\n").split(" ", 2) + [""])[:3]
        entry = tarfile.TarInfo(path)
        entry.type = kinds.get(kind, tarfile.REGTYPE)
        entry.linkname = rest if kind in ("link", "hard") else ""
        data = rest.encode() * (1 if kind != "many" else 1 << 20)
        entry.size = len(data) if kind in ("file", "many") else 0
        tar.addfile(entry, io.BytesIO(data))' "$work/$1.tar.gz"
}
nothing_left() { [[ ! $(ls -A "$work/tmp") ]] || { ls -lR "$work/tmp"; fail "$1: left behind"; }; }
# refused NAME WORDS: one sentence, nothing written elsewhere, and nothing left
refused()
{
	run check --timeout "$patience" --root "$work/$1.tar.gz"
	expect_status 3
	grep -qF "nfsrdma check: --root: $work/$1.tar.gz: $2" "$work/err" || { show; fail "$1: not \"$2\""; }
	[[ ! -s $work/out && ! $(ls -A "$work/outside") ]] || { show; fail "$1: more than a sentence"; }
	nothing_left "$1"
}

tarball up <<<$'dir a\nfile a/../../evil x'
refused up 'a/../../evil leads out of the archive'
tarball absolute <<<"file $work/outside/evil x"
refused absolute "$work/outside/evil leads out of the archive"
tarball through <<<"link a $work/outside"$'\nfile a/evil x'
refused through 'make the folder a: Not a directory'
tarball over <<<"link a/f $work/outside/evil"$'\nfile a/f x'
refused over 'write f: File exists'
tarball hard <<<$'file a/f x\nhard a/g a/f'
refused hard 'a/g is no file, folder or symbolic link'
tarball fifo <<<'fifo a/f'
refused fifo 'a/f is no file, folder or symbolic link'
tarball char <<<'char a/f'
refused char 'a/f is no file, folder or symbolic link'
tarball empty </dev/null
refused empty 'it is empty'
tarball bomb < <(for i in {1..600}; do echo "many a/$i x"; done)
refused bomb 'it has more than 512 MiB'
tarball crowd < <(for i in {1..20001}; do echo "file a/$i"; done)
refused crowd 'it has more than 20000 entries'
echo text >"$work/text.tar.gz"
refused text 'Unrecognized archive format'
head -c 300 "$work/crowd.tar.gz" >"$work/cut.tar.gz"
refused cut 'truncated'
run check --root "$work/absent.tar.gz"
expect_status 2
mkfifo "$work/pipe"
run check --root "$work/pipe"
expect_status 2

# At the top a link is not followed: this machine is not below it.
tarball top <<<'link a /'
run check --timeout "$patience" --role server --root "$work/top.tar.gz" --format json
expect_report "this machine" 'all(.findings[]; .status != "pass")'
nothing_left top

# A root's content without a folder, and with one; the name of the archive in texts.
tarball flat <<<$'file ./etc/hostname h\nfile ./proc/sys/kernel/osrelease 6.1.0'
run status --timeout "$patience" --root "$work/flat.tar.gz"
grep -q 'Linux 6.1.0' "$work/out" || { show; fail "not the root's content"; }
tarball folder <<<$'file node1/proc/sys/kernel/osrelease 6.1.0'
run mounts --timeout "$patience" --root "$work/folder.tar.gz" --format json
expect_report "not the archive's name" 'any(.findings[]; .summary | contains("/folder.tar.gz/proc/self/mountinfo: No such file"))'
nothing_left folder
# It cannot be changed.
run setup server --root "$work/folder.tar.gz"
expect_status 2
grep -q 'a snapshot cannot be changed' "$work/err" || { show; fail "what cannot be changed"; }
nothing_left setup

# A signal ends both processes, and nothing is left. Nobody reads what explain prints, which holds it there.
mkfifo "$work/held"
mapfile -t ids < <("$NFSRDMA" explain | sed -n 's/^  \([a-z][a-z0-9.-]*\) .*/\1/p')
for signal in INT TERM HUP; do
	python3 -c '
import os, signal, sys
for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
    signal.signal(number, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$NFSRDMA" explain --root "$work/flat.tar.gz" "${ids[@]}" >"$work/held" 2>"$work/err" &
	pid=$!
	exec 9<"$work/held"
	waited=0
	until pgrep -P "$pid" >/dev/null && [[ $(ls -A "$work/tmp") ]]; do
		((waited++ < 600)) || fail "SIG$signal: it did not unpack"
		sleep 0.1
	done
	sleep 0.3
	[[ -e /proc/$pid ]] || fail "SIG$signal: it did not wait"
	kill -"$signal" "$pid"
	waited=0
	# Until it is gone or, without a parent that waits, a zombie.
	while state=$(cat "/proc/$pid/stat" 2>/dev/null) && [[ $state != *') Z '* ]]; do
		((waited++ < 600)) || { exec 9<&-; fail "SIG$signal does not end it"; }
		sleep 0.1
	done
	status=0
	wait "$pid" || status=$?
	exec 9<&-
	((status == 128 + $(kill -l "$signal"))) || { show; fail "SIG$signal: exit status $status"; }
	nothing_left "SIG$signal"
done

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A snapshot of this machine, unpacked, says what this machine says: as root and as an ordinary
# user, of this host alone and of a server. And where it is written: there is a whole one, for its
# owner alone, or none and a sentence.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq tar script

# The prefix of paths is not the machine's: "/etc", "node1/etc".
# When daemons started, and when a link came, is not in a snapshot.
findings()
{
	jq -c '.findings[] | select(.id != "platform.libvirt-hook") | [.id, .status, .summary, .evidence]' "$work/out" |
		sed "s,$1,/,g"
}

expect_no_words() { [[ ! -s $work/err ]] || { show; fail "words on stderr"; }; }

# compare NAME ARGUMENT...: a snapshot of what check ARGUMENT... says, against that.
compare()
{
	local name=$1 folder

	shift
	run check --timeout "$patience" --format json "$@"
	expect_no_words
	findings / >"$work/$name.live"
	run snapshot --timeout "$patience" "$work/$name/a.tar.gz" "$@"
	expect_status 0
	expect_no_words
	[[ $(stat -c %a "$work/$name/a.tar.gz") == 600 ]] || fail "$name: others may read it"
	folder=$(tar tzf "$work/$name/a.tar.gz" | cut -d/ -f1 | sort -u)
	[[ $folder && $folder != *[!-a-zA-Z0-9.]* ]] || fail "$name: not one folder: $folder"
	grep -qF "nfsrdma check --root $work/$name/a.tar.gz" "$work/out" || { show; fail "$name: what to do with it"; }
	# As it came, and unpacked by tar.
	run check --timeout "$patience" --format json --root "$work/$name/a.tar.gz" "$@"
	expect_no_words
	findings "$work/$name/a.tar.gz/" >"$work/$name.packed"
	diff "$work/$name.live" "$work/$name.packed" || fail "$name: the archive differs"
	tar xzf "$work/$name/a.tar.gz" -C "$work/$name"
	rm "$work/$name/a.tar.gz"
	chmod -R a+rX "$work/$name"
	run check --timeout "$patience" --format json --root "$work/$name/$folder" "$@"
	expect_no_words
	findings "$work/$name/$folder/" >"$work/$name.replay"
	diff "$work/$name.live" "$work/$name.replay" || fail "$name: the replay differs"
}

mkdir "$work"/{both,client,server,name}
compare both
compare client --role client
compare server --role both --nfs-version 3 --sec krb5 127.0.0.1:/export
compare name --nfs-version 3 localhost

# To standard output it is the same, and nothing else.
run snapshot -
expect_status 0
expect_no_words
tar tzf "$work/out" >/dev/null || fail "what is on stdout is no archive"
status=0
"$NFSRDMA" snapshot - >/dev/full 2>"$work/err" || status=$?
expect_status 3
expect_sentence 'write the archive: No space left on device'
status=0
script -qec "'$NFSRDMA' snapshot -" /dev/null >"$work/err" </dev/null || status=$?
tr -d '\r' <"$work/err" >"$work/out"
cp "$work/out" "$work/err"
expect_status 2
expect_sentence 'standard output is a terminal'

# refused WORDS ARGUMENT...: and what is in the folder stays what it was.
refused()
{
	local words=$1 before

	shift
	before=$(ls -lA --time-style=full-iso "$work/to")
	run "$@"
	expect_status 3
	expect_sentence "$words"
	[[ $(ls -lA --time-style=full-iso "$work/to") == "$before" ]] || fail "$*: left something"
}

mkdir "$work/to"
echo precious >"$work/to/file"
ln -s file "$work/to/link"
ln -s nowhere "$work/to/dangling"
mkdir "$work/to/folder"
mkfifo "$work/to/fifo"
refused '/file exists; --force replaces it' snapshot "$work/to/file"
for name in link dangling folder fifo; do
	refused 'not a regular file' snapshot --force "$work/to/$name"
done
refused 'No such file or directory' snapshot "$work/to/absent/a.tar.gz"
refused 'Not a directory' snapshot "$work/to/file/a.tar.gz"
refused 'too long' snapshot "$work/to/$(printf '%4200s' x | tr ' ' y)"
# Full, or as good as.
run_prefix=(bash -c 'ulimit -f 4; exec "$@"' full)
refused 'write the archive' snapshot "$work/to/new"
refused 'write the archive' snapshot --force "$work/to/file"
run_prefix=()
[[ $(<"$work/to/file") == precious ]] || fail "the file is another one"
run snapshot --quiet --force "$work/to/file"
expect_status 0
[[ ! -s $work/out ]] || fail "--quiet says something"
tar tzf "$work/to/file" >/dev/null || fail "--force wrote no archive"

run snapshot
expect_status 2
run snapshot "$work/to/new" --port 20049
expect_status 2
run snapshot "$work/to/new" --root "$work/absent"
expect_status 2
[[ ! -e $work/to/new ]] || fail "there is a file after a wrong command line"

# An ordinary user: what is for root is unknown there as here.
if ((EUID == 0)); then
	requires setpriv
	run_prefix=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	NFSRDMA=$(reachable "$NFSRDMA")
	mkdir "$work/nobody" "$work/locked"
	chown 65534:65534 "$work/nobody"
	compare nobody
	run snapshot "$work/locked/a.tar.gz"
	expect_status 3
	expect_sentence 'Permission denied'
fi

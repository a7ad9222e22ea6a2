#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Files that a command line names: --textfile, --pcap and the file of a snapshot. A device, a pipe or a
# link is never replaced; a capture goes into a pipe and to standard output.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires python3 mknod

python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work" "$NFSRDMA_SOURCE/tests/hosts/mlx5-roce-rhel9"
root=$work/mlx5-roce-rhel9
mkdir "$work/shared" "$work/real"
chmod 1777 "$work/shared"
ln -s ../real "$work/shared/way"
ln -s real "$work/way"
ln -s file "$work/link"
echo precious >"$work/file"
mkfifo "$work/fifo"
# Not this machine's own /dev/null, which a program with the defect would replace.
devices=()
((EUID)) || ! mknod "$work/null" c 1 3 2>/dev/null || devices=("$work/null")

kinds() { stat -c '%n %F %i %s' "$work"/{fifo,link,file} "$work/real" "${devices[@]}"; }

before=$(kinds)
for to in "${devices[@]}" "$work/fifo" "$work/link" "$work/real"; do
	run check --root "$root" --textfile "$to"
	expect_status 3
	expect_sentence 'not a regular file'
	run snapshot --force --root "$root" "$to"
	expect_status 3
	expect_sentence 'not a regular file'
done
run check --root "$root" --textfile "$work/shared/way/a.prom"
expect_status 3
expect_sentence 'a folder that others can change'
run snapshot --root "$root" "$work/shared/way/a.tar.gz"
expect_status 3
probe --embedded --transport iwarp --level quick --pcap "$work/link"
expect_status 3
[[ $(kinds) == "$before" ]] || fail "something was replaced: $(kinds)"
[[ ! $(ls -A "$work/real") ]] || fail "a link of others was followed"

run check --root "$root" --textfile "$work/way/a.prom"
grep -q '^nfsrdma_verdict' "$work/real/a.prom" || fail "no metrics by the caller's own link"
run check --root "$root" --quiet --textfile -
grep -q '^nfsrdma_verdict' "$work/out" || fail "no metrics on standard output"

# is_capture FILE: by the magic number of the format.
is_capture() { [[ $(od -An -tx4 -N4 "$1") == *a1b2c3d4* && $(stat -c %s "$1") -gt 1000 ]] || fail "$1 is no capture"; }

chmod 640 "$work/file"
probe --embedded --transport iwarp --level quick --pcap "$work/file"
expect_status 0
is_capture "$work/file"
[[ $(stat -c %a "$work/file") == 640 ]] || fail "the mode is another"
cat "$work/fifo" >"$work/piped" &
reader=$!
probe --embedded --transport iwarp --level quick --pcap "$work/fifo"
expect_status 0
wait "$reader"
is_capture "$work/piped"
[[ -p $work/fifo ]] || fail "the pipe is another file"
probe --embedded --transport iwarp --level quick --pcap /dev/null
expect_status 0
probe --embedded --transport iwarp --level quick --pcap -
expect_status 0
is_capture "$work/out"
grep -q probe "$work/err" || fail "no report on standard error"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Whatever the command line says: a clear sentence, exit status 2, nothing on stdout; and what
# cannot be written is said, not lost.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# refused WORDS ARGUMENT...: a usage error whose sentence has the words.
refused()
{
	local words=$1

	shift
	run "$@"
	expect_status 2
	[[ ! -s $work/out ]] || { show; fail "something on stdout"; }
	expect_sentence "$words"
	! IFS= read -rN 1000 _ <"$work/err" || fail "the sentence is endless"
}

huge=$(head -c 65536 /dev/zero | tr '\0' a)

refused 'no command given'
refused 'unknown command' ''
refused 'unknown command' bogus
refused 'unknown command' "$huge"
refused 'before the command' --level probe
refused 'unexpected argument' --help probe
refused 'no server given' probe
refused 'unexpected argument' probe a b
refused 'starts its own server' probe --embedded a
refused 'add --embedded' probe --fault write-chunk-over-812 a
refused 'chooses its ports' probe --embedded --port 20049
refused 'unknown option' probe --bogus a
refused 'unknown option' probe "-$(printf '\377')" a
refused 'unknown option' probe "--$huge" a
# -o is an option of other commands.
refused "unknown option '-o'" probe -o a
refused 'needs an argument' probe a --timeout
refused 'takes no argument' probe --embedded=yes

# What was probably meant is named.
refused "unknown command 'pobe'; did you mean 'probe'" pobe
refused "unknown command 'snapshoot'; did you mean 'snapshot'" help snapshoot
refused "did you mean '--level'" probe --levle quick a
refused "ambiguous option '--r': --root or --resolve" ovirt --r
! grep -q 'did you mean' <("$NFSRDMA" zzzzzzzz 2>&1) || fail "a guess"

for option in --client --mount=/srv; do
	refused 'not a server: leave out' probe $option a
	refused 'excludes --embedded' probe $option --embedded
	refused 'and --fault' probe $option --fault close
	refused 'finds its ports itself' probe $option --port 20049
	refused 'reads through the kernel' probe $option --transport iwarp
done
refused 'unknown option' bench --client
refused 'exclude each other' probe --client --mount /srv
refused 'leave out --cred' probe --client --cred 0:0
refused 'leave out --nfs-port' probe --client --nfs-port 2049
refused 'leave out --mount-port' probe --mount /srv --mount-port 20048
refused 'leave out --device' probe --mount /srv --device rxe0
refused 'not empty' probe --mount ''

for value in '' 0 -1 +1 ' 1' 1s 0x10 1e9 99999999999999999999 "$huge" $'1\n' $'\e[31m'; do
	refused 'takes a number from 1 to 86400' probe --timeout "$value" a
	refused 'takes a number from 1 to 65535' probe --port "$value" a
	refused 'takes numeric UID:GID' probe --cred "$value" a
	refused 'takes one of text, json' probe --format "$value" a
	refused 'takes quick, standard or full' probe --level "$value" a
	refused 'takes auto' probe --transport "$value" a
	refused 'takes auto' probe --nfs-version "$value" a
	refused 'takes a numeric address' probe --bind "$value" a
	refused 'unknown fault' probe --embedded --fault "$value"
done
for value in 2 4 4.3 4.10 3.0 ' 4.1'; do
	refused 'takes auto' probe --nfs-version "$value" a
done
for value in '' ' ' .. . a/b ../../etc -x +1 "$huge" $'1\n' $'\e[31m'; do
	refused 'takes the name of an RDMA device' probe --device "$value" a
done
for value in localhost 192.0.2 192.0.2.1:20049 '[::1' fe80::1%nosuchif; do
	refused 'takes a numeric address' probe --bind "$value" a
done
for value in '' all Client client,server; do
	refused 'takes client, server or both' check --role "$value"
	refused 'takes sys, krb5' check --sec "$value"
done
refused 'not empty' check --root ''
refused 'No such file' check --root "$work/nowhere"
refused 'Not a directory' check --root /dev/null
refused 'unexpected argument' check a b
refused 'unexpected argument' mounts a
refused 'unexpected argument' status a
refused 'expected SERVER:/EXPORT' doctor
refused 'expected SERVER:/EXPORT' doctor nas1
refused 'unknown option' mounts --port 20049
refused 'No such file' mounts --root "$work/nowhere"
# What contradicts itself is refused, never ignored.
refused '--port needs SERVER' check --port 20049
refused 'needs --bind' probe --embedded --transport verbs
refused '--device applies to verbs' probe --transport iwarp --device rxe0 a
refused '--pcap captures iWARP' probe --transport verbs --pcap "$work/pcap" a

for target in '' : :/ '[::1' '[]:/' ::1 ::1:/ nas1: nas1:x -- "$huge" "nas1:/$huge" $'a\nb' \
	$'nas1:/\e[31m' $'\377' 'a b' a/b; do
	refused '.' probe -- "$target"
done

# Help and version are results.
for command in status doctor probe check mounts plan setup pool ovirt watch snapshot serve bench explain help; do
	run "$command" --help
	expect_status 0
	grep -q "^Usage: nfsrdma $command" "$work/out" || { show; fail "no usage"; }
	[[ ! -s $work/err ]] || { show; fail "something on stderr"; }
	! grep -qE '.{81}' "$work/out" || { show; fail "wider than 80 columns"; }
	cp "$work/out" "$work/help"
	run help "$command"
	expect_status 0
	cmp -s "$work/help" "$work/out" || fail "help $command is not $command --help"
	# A page that is installed; a verdict only where there is a report.
	page=$(sed -nE 's/^Manual: ([a-z-]+)\(8\)\.$/\1/p' "$work/out")
	grep -q "/man8/$page\.8$" "$NFSRDMA_SOURCE/tests/install.list" || { show; fail "$command names no manual"; }
	has_verdict=$(tr '\n' ' ' <"$work/out" | grep -c 'Exit status: .*verdict' || true)
	has_report=$(grep -c 'openmetrics or nagios' < <(tr -s ' \n' ' ' <"$work/out") || true)
	[[ $has_verdict == "$has_report" ]] || { show; fail "the exit status of $command"; }
done
run --help
expect_status 0
for command in status doctor probe check mounts ovirt serve bench explain help; do
	grep -q "^  $command " "$work/out" || { show; fail "$command is not listed"; }
done
run --version
expect_status 0
grep -qE '^nfsrdma [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || { show; fail "no version"; }

# A full disk, a closed stdout, a reader that left.
for arguments in --help --version explain 'probe --embedded --level quick'; do
	status=0
	# shellcheck disable=SC2086 # words
	"$NFSRDMA" $arguments >/dev/full 2>"$work/err" || status=$?
	expect_status 3
	expect_sentence 'No space left'
	status=0
	# shellcheck disable=SC2086
	"$NFSRDMA" $arguments >&- 2>"$work/err" || status=$?
	expect_status 3
	expect_sentence 'Bad file descriptor'
done
# All of them closed: no socket or file takes their place.
status=0
"$NFSRDMA" probe --embedded --level quick --pcap "$work/capture" <&- >&- 2>&- || status=$?
expect_status 3
[[ $(head -c 4 "$work/capture" | od -An -tx4) == *a1b2* ]] || fail "the capture file has no magic number"
# A limit of the size of files is an error like a full disk.
run_prefix=(sh -c 'ulimit -f 8; exec "$@"' -)
run probe --embedded --level quick --pcap "$work/capture"
expect_status 3
grep -q 'File too large' "$work/out" || { show; fail "the reason is not reported"; }
run_prefix=()

status=0
{ "$NFSRDMA" explain 2>"$work/err" || echo $? >"$work/status"; } | true
# The reader may have been late.
[[ ! -e $work/status ]] || { [[ $(<"$work/status") == 3 ]] && expect_sentence 'Broken pipe'; }

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# mount -t nfsrdma by the real mount(8), with programs in mount.nfs's place that do what mount.nfs can
# do: one sentence, the right exit status, and nothing left mounted or half done. A mount namespace
# of its own has the helper in /sbin, a journal that is read, and /run; the checks of this host,
# which need not have RDMA, are off where they are not the subject.
# shellcheck disable=SC2016 # scripts for mount.nfs's place
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires mount umount unshare python3 mountpoint
requires_root
# All mounts are in a namespace of a child, below a folder of this process: cleanup never runs
# where the mounts are.
if [[ ! ${NFSRDMA_INSIDE:-} ]]; then
	unshare -m true 2>/dev/null || skip "no mount namespace"
	grep -qw overlay /proc/filesystems || skip "no overlay to put programs into /sbin"
	NFSRDMA_INSIDE=$work unshare -m --propagation private "$BASH" "${BASH_SOURCE[0]}"
	exit
fi

# --- environment -------------------------------------------------------------------------------

top=$NFSRDMA_INSIDE
helpers=${NFSRDMA%/*}/mount-helper
place=$top/place
mkdir "$place" "$top/sbin" "$top/programs" "$top/etc"

# /sbin with ours before the existing files; read-only, like an overlay without an upper folder.
for program in mount umount; do
	ln -s "$helpers/$program.nfsrdma" "$top/sbin/$program.nfsrdma"
	ln -s "$top/programs/$program.nfs" "$top/sbin/$program.nfs"
done
mount -t overlay -o "lowerdir=$top/sbin:$(readlink -f /sbin)" none "$(readlink -f /sbin)"
mount -t tmpfs run /run

take_journal

# mount_nfs SCRIPT: replaces mount.nfs. $spec and $dir are set, $4 and so on are the rest.
mount_nfs()
{
	printf '#!/bin/sh\nspec=$1 dir=$2\n%s\n' "$1" >"$top/programs/mount.nfs"
	chmod +x "$top/programs/mount.nfs"
}

# try ARGUMENT...: mount(8); sets $status, $took; $work/err has its messages, $work/journal the
# entries.
try()
{
	local start

	: >"$work/journal"
	start=$(now_ms)
	status=0
	timeout -k 5 "$run_limit" mount "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	took=$(since_ms "$start")
}

# entry FIELD: of the last entry of the journal that has it.
entry() { sed -n "s/^$1=//p" "$work/journal" | tail -n 1; }

# has_sentence: the last entry is the sentence on stderr.
has_sentence() { [[ "mount.nfsrdma: $(entry MESSAGE)" == "$(grep '^mount.nfsrdma: ' "$work/err")" ]]; }
has_entry() { [[ $(entry NFSRDMA_EVENT) == "$1" ]]; }
# expect_entry EVENT: it arrives, possibly later, and is the last.
expect_entry()
{
	try_until has_entry "$1" || { cat "$work/journal"; fail "the journal has not \"$1\""; }
}

# expect STATUS EVENT WORDS: with one sentence, on stderr and in the journal, and nothing mounted.
expect()
{
	[[ $status == "$1" ]] || { cat "$work/err"; fail "exit status $status, not $1"; }
	[[ $(grep -c '^mount.nfsrdma: ' "$work/err") == 1 ]] || { cat "$work/err"; fail "not one sentence"; }
	grep -qE "^mount.nfsrdma: .*($3)" "$work/err" || { cat "$work/err"; fail "it does not say \"$3\""; }
	! mountpoint -q "$place" || fail "something is mounted"
	# The entry before may arrive only now, and have the same event.
	try_until has_sentence || { cat "$work/err" "$work/journal"; fail "the journal says something else"; }
	expect_entry "$2"
	if compgen -G '/run/nfsrdma/requests/*' >/dev/null; then
		ls /run/nfsrdma/requests
		fail "a request is left"
	fi
}

quiet=nfsrdma.check=none,retry=0
source=127.0.0.1:/export/vm

# --- mount.nfs and what it can do ---------------------------------------------------------------

try -t nfsrdma "$source" "$place" -o $quiet
expect 32 failed 'sbin/mount.nfs: No such file or directory'
[[ $(entry NFSRDMA_SPEC) == "$source" && $(entry NFSRDMA_TARGET) == "$place" ]] || fail "fields"
[[ $(entry NFSRDMA_POLICY) == require && $(entry MESSAGE_ID) == 23cc0bbc6256418c89260fd569aebc86 ]] ||
	fail "fields"
[[ $(entry NFSRDMA_OPTIONS) == *proto=rdma,port=20049* ]] || fail "fields"

mount_nfs 'echo "mount.nfs: no reason" >&2; exit 32'
try -t nfsrdma "$source" "$place" -o $quiet
expect 32 failed 'mount.nfs: no reason'
[[ $(grep -c 'no reason' "$work/err") == 1 ]] || { cat "$work/err"; fail "the error is told twice"; }
# Output before its last line is passed on, and all of it on success.
mount_nfs 'echo "mount.nfs: first" >&2; echo "mount.nfs: second" >&2; exit 32'
try -t nfsrdma "$source" "$place" -o $quiet
expect 32 failed 'mount.nfs: second'
grep -qx 'mount.nfs: first' "$work/err" || fail "mount.nfs's own words are lost"

# A directory whose name is longer than 255 bytes is noted whole, and two helpers of one directory do not take each
# other's request away: the first one is killed, and its request stays.
long=$top/$(printf 'x%.0s' {1..200})/$(printf 'y%.0s' {1..200})
mkdir -p "$long"
mount_nfs "[ -e $work/second ] && exit 32; : >$work/second; exec sleep 1000"
"$helpers/mount.nfsrdma" "$source" "$long" -o rw,$quiet 2>/dev/null &
first=$!
cleanup_fn eval 'kill -KILL "$first" 2>/dev/null || true'
wait_until test -e "$work/second"
status=0
"$helpers/mount.nfsrdma" "$source" "$long" -o rw,$quiet 2>"$work/err" || status=$?
[[ $status == 32 ]] || { cat "$work/err"; fail "the second helper: exit status $status"; }
kill -KILL "$first"
wait "$first" || true
requests=(/run/nfsrdma/requests/*)
[[ ${#requests[@]} == 1 && $(sed -n '1s/ .*//p; 5p' "${requests[0]}") == "pending"$'\n'"$long" ]] ||
	{ cat "${requests[@]}"; fail "the first one's request"; }
# The next attempt ends with an error, and nobody else is at work.
"$helpers/mount.nfsrdma" "$source" "$long" -o rw,$quiet 2>/dev/null && fail "it is mounted"
[[ ! -e ${requests[0]} ]] || { cat "${requests[0]}"; fail "a request is left"; }

mount_nfs 'exit 1'
try -t nfsrdma "$source" "$place" -o $quiet
expect 1 failed 'gave no reason'
# 126 means "there is no helper" to newer mount(8).
mount_nfs 'exit 126'
try -t nfsrdma "$source" "$place" -o $quiet
expect 32 failed 'gave no reason'

mount_nfs 'kill -KILL $$'
try -t nfsrdma "$source" "$place" -o $quiet
expect 32 failed 'killed by signal 9'

mount_nfs 'exit 0'
try -t nfsrdma "$source" "$place" -o $quiet
expect_nothing() { [[ $status == "$1" ]] && ! mountpoint -q "$place"; }
expect_nothing 32 || fail "exit 0 without a mount is believed"
grep -q 'but nothing is mounted' "$work/err" || fail "exit 0 without a mount is not told"
rm -f /run/nfsrdma/requests/*

# A unit's stderr is the journal, which has the entry already.
mount_nfs 'echo "mount.nfs: no reason" >&2; exit 32'
for stream in "$(stat -L -c %d:%i "$work/err")" 1:1; do
	truncate -s 0 "$work/journal" "$work/err"
	status=0
	JOURNAL_STREAM=$stream "$helpers/mount.nfsrdma" "$source" "$place" -o rw,$quiet 2>"$work/err" || status=$?
	expect_entry failed
	[[ $(grep -c 'no reason' "$work/err") == $([[ $stream == 1:1 ]] && echo 1 || echo 0) ]] ||
		{ cat "$work/err"; fail "with JOURNAL_STREAM=$stream"; }
done

# Its arguments; -s -f -n -v are passed on, x- and comment are not.
mount_nfs "printf '%s\n' \"\$@\" >$work/args; env | sort >$work/env; exit 32"
PATH=$PATH FROB=1 try -s -n -t nfsrdma "srv:/with space" "$place" \
	-o "$quiet,vers=4.2,rdma,soft,_netdev,x-systemd.automount,comment=abc,nofail"
printf '%s\n' "srv:/with space" "$place" -s -n -o \
	rw,retry=0,vers=4.2,proto=rdma,port=20049,soft,_netdev,nofail,fg >"$work/args.expect"
diff -u "$work/args.expect" "$work/args" || fail "arguments"
! grep -q FROB "$work/env" || fail "the environment goes through"
grep -qx 'PATH=/usr/sbin:/usr/bin:/sbin:/bin' "$work/env" || fail "no PATH"

# As a daemon may call it: with descriptors closed, or without a reader.
mount_nfs "echo no >&2; exit 32"
status=0
"$helpers/mount.nfsrdma" "$source" "$place" -o rw,$quiet <&- >&- 2>&- || status=$?
[[ $status == 32 ]] || fail "with closed descriptors: exit status $status"
status=0
"$helpers/mount.nfsrdma" "$source" "$place" -o rw,$quiet 2> >(exec true) || status=$?
[[ $status == 32 ]] || fail "with nobody who reads: exit status $status"

# A child that it leaves holds neither stdout nor stderr.
mount_nfs "sleep 1000 & echo \$! >$work/sleeper; exit 32"
cleanup_fn eval 'kill "$(<"$work/sleeper")"'
try -t nfsrdma "$source" "$place" -o $quiet
expect 32 failed 'gave no reason'
within 6000 "a child in the background"

# --- undoing -------------------------------------------------------------------------------------

tmpfs='/bin/mount -i -t tmpfs none "$dir"'
for propagation in private shared; do
	mount --make-"$propagation" /
	mount_nfs "$tmpfs"
	try -t nfsrdma "$source" "$place" -o $quiet,nolock
	expect 32 undone 'was not over RDMA \(it is not an NFS mount\)'
	mount_nfs "$tmpfs; exit 32"
	try -t nfsrdma "$source" "$place" -o $quiet,nolock
	expect 32 failed 'gave no reason'
done
mount --make-private /

# A directory that does not open after the mount proves nothing: the mount is undone, or reported.
# The directory is opened before and after, and hidden once more in between. unopened NUMBER OF
# THE OPEN
unopened()
{
	status=0
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -o /dev/null -P "$place" -e trace=openat \
		-e "inject=openat:error=EIO:when=$1" \
		"$helpers/mount.nfsrdma" "$source" "$place" -o "rw,nolock,$quiet" 2>"$work/err" </dev/null || status=$?
}
if type -P strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	for propagation in private shared; do
		mount --make-"$propagation" /
		nth=2
		[[ $propagation == private ]] || nth=3
		mount_nfs "$tmpfs"
		unopened $nth
		expect 32 failed 'is not mounted: the new mount was unmounted again: open .*: Input/output error'
		mount_nfs "$tmpfs; exit 32"
		unopened $nth
		expect 32 failed 'gave no reason'
	done
	mount --make-private /
fi
# If nothing can be opened any more, the result is unknown.
if type -P prlimit >/dev/null; then
	mount_nfs "$tmpfs"'; prlimit --pid $PPID --nofile=0'
	try -t nfsrdma "$source" "$place" -o $quiet
	[[ $status == 32 ]] || fail "no descriptor left: exit status $status"
	grep -q 'an unproven mount may be left: .*it is unknown whether mount.nfs mounted it: .*Too many open files' \
		"$work/err" || { cat "$work/err"; fail "no descriptor left: it is not told"; }
	umount "$place"
	rm -f /run/nfsrdma/requests/*
fi

# --- what is never tried --------------------------------------------------------------------------

mount_nfs 'echo called >&2; exit 32'
try -t nfsrdma "$source" "$place" -o rdma,proto=tcp
expect 1 refused 'contradict'
try -t nfsrdma "$source" "$place" -o bg
expect 1 refused 'bg contradicts the policy require'
try -t nfsrdma "$source" "$place" -o nfsrdma.frob=1
expect 1 refused 'nfsrdma.frob'
try -t nfsrdma ':/x' "$place" -o $quiet
expect 1 refused 'is not mounted'
try -t nfsrdma 'server' "$place" -o $quiet
expect 1 refused 'is not mounted'
"$helpers/mount.nfsrdma" "$source" "$place/absent" -o rw 2>"$work/err" && fail "no directory"
grep -q 'No such file or directory' "$work/err" || fail "no directory, and not told"
for options in $'rw,\nproto=tcp' 'rw,context="a' "rw,$(head -c 70000 /dev/zero | tr '\0' a)"; do
	: >"$work/journal"
	status=0
	"$helpers/mount.nfsrdma" "$source" "$place" -o "$options" 2>"$work/err" || status=$?
	expect 1 refused 'not mounted: '
done
! grep -q called "$work/err" || fail "mount.nfs was called"

# A directory on a disk of this host that takes 2.5 s to resolve, as on a host that boots: it is waited for.
if type -P strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	mount_nfs 'echo "mount.nfs: reached" >&2; exit 32'
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -o /dev/null -e trace=readlink,readlinkat \
		-e inject=readlink,readlinkat:delay_enter=2500000:when=1 \
		"$helpers/mount.nfsrdma" "$source" "$place" -o "rw,$quiet" 2>"$work/err" && fail "it is mounted"
	grep -q 'mount.nfs: reached' "$work/err" || { cat "$work/err"; fail "the directory was not waited for"; }
fi

# --- policy ----------------------------------------------------------------------------------------

for file in passwd group nsswitch.conf hosts ld.so.cache; do
	[[ ! -e /etc/$file ]] || cp -L "/etc/$file" "$top/etc/"
done
mount --bind "$top/etc" /etc

# A broken file is an error with its line; it is never ignored.
printf '[server "*"]\npolicy = of\n' >/etc/nfsrdma.conf
try -t nfsrdma "$source" "$place" -o $quiet
expect 1 refused '/etc/nfsrdma.conf:[0-9]+'
rm /etc/nfsrdma.conf

# prefer: over TCP, without the options that RDMA added, and with a warning.
mount_nfs 'case "$*" in *proto=rdma*) exit 32 ;; esac; echo "$4 $5" >'"$work/args; $tmpfs"
try -t nfsrdma "$source" "$place" -o $quiet,nfsrdma.policy=prefer,soft
[[ $status == 0 ]] || { cat "$work/err"; fail "prefer: exit status $status"; }
mountpoint -q "$place" || fail "prefer: nothing is mounted"
grep -q 'no RDMA, so TCP is tried' "$work/err" || fail "prefer: the attempt is not told"
grep -q 'WARNING: .* is NOT mounted over RDMA' "$work/err" || fail "prefer: TCP is not told"
expect_entry tcp
[[ $(entry PRIORITY) == 4 ]] || fail "prefer: the journal"
umount "$place"
rm -f /run/nfsrdma/requests/*

# bg, where the policy allows it: exit status 0 is not proof, and the request stays pending.
mount_nfs 'exit 0'
try -t nfsrdma "$source" "$place" -o $quiet,bg,nfsrdma.policy=prefer
[[ $status == 0 ]] || fail "bg: exit status $status"
# What it said stays while it goes on, also if another mount there fails.
bg_is_noted()
{
	[[ $(sed -n '1s/ .*//p; 3p' /run/nfsrdma/requests/*) == $'background\nprefer' ]] ||
		{ cat /run/nfsrdma/requests/*; fail "bg: what is noted"; }
}
bg_is_noted
mount_nfs 'exit 32'
try -t nfsrdma "$source" "$place" -o $quiet
[[ $status == 32 ]] || fail "a mount besides bg: exit status $status"
bg_is_noted
rm -f /run/nfsrdma/requests/*

# The request is there before a name is resolved, which can take as long as a resolver waits: who is asked looks.
printf 'nameserver 127.9.9.9\n' >/etc/resolv.conf
if grep -q '^hosts:.*dns' /etc/nsswitch.conf 2>/dev/null; then
	cat >"$work/resolver" <<-'PY'
		import os, socket, sys
		asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		asked.bind(('127.9.9.9', 53))
		print('ready', flush=True)
		asked.recv(4096)
		print([open(f'/run/nfsrdma/requests/{n}').read().split()[0::3] for n in os.listdir('/run/nfsrdma/requests')
		       if n[0] != '.'], flush=True)
		asked.recv(1)
	PY
	python3 "$work/resolver" >"$work/asked" 2>"$work/resolver.err" &
	resolver=$!
	cleanup_fn eval 'kill "$resolver" 2>/dev/null || true'
	wait_until grep -q ready "$work/asked"
	"$helpers/mount.nfsrdma" silent.example:/vm "$place" -o rw,$quiet 2>/dev/null &
	helper=$!
	cleanup_fn eval 'kill -KILL "$helper" 2>/dev/null || true'
	wait_until grep -q pending "$work/asked"
	kill -KILL "$helper"
	wait "$helper" || true
	kill "$resolver" 2>/dev/null || true
	rm -f /run/nfsrdma/requests/*
fi
rm /etc/resolv.conf

# off: mount.nfs only, nothing of ours.
mount_nfs "printf '%s\n' \"\$@\" >$work/args; exit 17"
try -t nfsrdma "$source" "$place" -o nfsrdma.policy=off,soft
[[ $status == 17 ]] || fail "off: exit status $status"
printf '%s\n' "$source" "$place" -o rw,soft >"$work/args.expect"
diff -u "$work/args.expect" "$work/args" || fail "off: arguments"

# By fstab.
echo "$source $place nfsrdma nfsrdma.check=none,nfsrdma.policy=off,noauto 0 0" >/etc/fstab
try "$place"
[[ $status == 17 ]] || fail "fstab: exit status $status"

# --- another mount namespace -------------------------------------------------------------------

# -N of mount(8) gives the namespace. Programs of that namespace must not run as root.
unshare -m --propagation private sleep 1000 &
other=$!
cleanup_fn kill "$other"
is_elsewhere() { [[ $(readlink "/proc/$other/ns/mnt") != "$(readlink /proc/$$/ns/mnt)" ]]; }
wait_until is_elsewhere
mount_nfs 'echo called >&2; exit 0'
try -N "/proc/$other/ns/mnt" -t nfsrdma "$source" "$place" -o $quiet,nfsrdma.policy=prefer
expect 1 refused '-N .* is not supported, because it would run that namespace.s programs as root; use nsenter'
! grep -q called "$work/err" || fail "-N: mount.nfs was called"
"$helpers/mount.nfsrdma" --help -N x | grep -q "^usage: mount.nfsrdma " || fail "--help -N"

# --- fake -----------------------------------------------------------------------------------------

mount_nfs "printf '%s\n' \"\$@\" >$work/args; exit 0"
try -f -v -t nfsrdma "$source" "$place" -o $quiet
[[ $status == 0 ]] || fail "-f: exit status $status"
grep -qx -- -f "$work/args" || fail "-f does not go through"
! compgen -G '/run/nfsrdma/requests/*' >/dev/null || fail "-f leaves a request"

# --- the checks of this host -----------------------------------------------------------------------

if [[ ! -d /sys/class/infiniband || ! $(ls /sys/class/infiniband) ]]; then
	mount_nfs 'echo called >&2; exit 32'
	for flag in -v -f; do
		try $flag -t nfsrdma "$source" "$place" -o retry=0
		[[ $status == 32 ]] || fail "without a device: exit status $status"
		! grep -q called "$work/err" || fail "mount.nfs was called"
	done
	try -t nfsrdma "$source" "$place" -o retry=0
	expect 32 refused '\[client[.][a-z-]+/[a-z-]+\][.] [A-Z].*nfsrdma (explain client|check)'
	grep -q '^NFSRDMA_FINDING=client\.' "$work/journal" || fail "the journal has no finding"
	grep -q '^NFSRDMA_REMEDY=' "$work/journal" || fail "the journal has no remedy"
	within 3000 "what the checks refuse"
fi

# --- umount ------------------------------------------------------------------------------------------

# umount(8) needs nothing of ours, also for a mount that an earlier version made with helper=nfsrdma.
[[ ! -e $helpers/umount.nfsrdma ]] || fail "there is an umount.nfsrdma"
mount -t tmpfs -o helper=nfsrdma none "$place"
grep -q 'helper=nfsrdma' /run/mount/utab || fail "umount: no helper is asked for"
umount "$place" || fail "umount: exit status $?"
! mountpoint -q "$place" || fail "umount: still there"

# --- who may ---------------------------------------------------------------------------------------

mount_nfs 'echo called >&2; exit 0'
if type -P setpriv >/dev/null; then
	status=0
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$(reachable "$helpers/mount.nfsrdma")" "$source" "$place" -o rw,user,$quiet 2>"$work/err" || status=$?
	[[ $status == 1 ]] || { cat "$work/err"; fail "a user: exit status $status"; }
	grep -q 'only root' "$work/err" || fail "a user is not told"
	! grep -q called "$work/err" || fail "a user's mount.nfs was called"
fi

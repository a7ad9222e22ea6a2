#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# cut-off.sh [COMMAND...]: the commands that change a host (setup, policy, mount, pool, and their ways
# back) are killed at a system call, or get an error from it. One run counts the calls of the kinds below. Then there
# is a run for each point, and after it a second run, or the way back, has to reach the end: every file
# is whole, the old or the new one; what undoes it is known; no lock and no temporary file is in the way.
#
# By default some points of each command, spread evenly over the run; all of them with
# NFSRDMA_POINTS=all, as in the suite "nightly".
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires strace python3 depmod jq
strace -o /dev/null true 2>/dev/null || skip "no ptrace"

# Calls that change something. A kill before a call that only reads leaves the same state as a
# kill before the next of these.
changing='openat_creat|write|pwrite64|writev|fsync|fdatasync|ftruncate|fchmod|fchmodat|fchown|fchownat'
changing+='|fsetxattr|fremovexattr|rename|renameat|renameat2|unlink|unlinkat|mkdir|mkdirat|rmdir|symlinkat|flock'
changing+='|mount|umount2|fsopen|fsmount|fsconfig|open_tree|move_mount|mount_setattr|setns|unshare'
changing+='|clone|clone3|vfork|execve|connect|sendto|sendmsg|pipe2|socketpair|eventfd2|signalfd4'
reading='open|openat|openat2|read|pread64|readv|recvfrom|recvmsg|getdents64|newfstatat|fstat|statx|lstat'
reading+='|access|faccessat|faccessat2|readlink|readlinkat|fgetxattr|flistxattr|statfs|fstatfs|name_to_handle_at'
# How many points of either sort are tried for each command.
some_changing=10 some_reading=3
[[ ${NFSRDMA_POINTS:-} != all ]] || some_changing=100000 some_reading=100000

# points: from a log of strace on stdin, "changing|reading CALL N", N being the process's own
# count. Calls of the dynamic linker do not count.
points()
{
	awk -v changing="^($changing)\$" -v reading="^($reading)\$" '
		match($2, /^[a-z_0-9]+\(/) {
			call = substr($2, 1, RLENGTH - 1)
			n = ++count[$1, call]
			if (call == "execve")
				started[$1] = 0
			if (call ~ /^open/ && $0 !~ /\.so|\/etc\/ld|"\/proc|"\/sys\/devices|locale/)
				started[$1] = 1
			if ((call == "execve" && n == 1) || (!started[$1] && call != "clone" && call != "execve"))
				next
			kind = call
			if (call == "openat" && /O_CREAT/)
				kind = "openat_creat"
			if (kind ~ changing)
				print "changing", call, n
			else if (kind ~ reading)
				print "reading", call, n
		}' | awk '!seen[$0]++'
}

# chosen SORT LIMIT: of the points on stdin LIMIT of this sort, evenly spread.
chosen()
{
	awk -v sort="$1" -v limit="$2" '
		$1 == sort { list[++n] = $2 " " $3 }
		END {
			step = n > limit ? n / limit : 1
			for (i = 1; i <= n; i += step)
				print list[int(i)]
		}'
}

# cut KIND CALL N COMMAND...: sets $status, which is 137 if the command was killed.
cut()
{
	local how=error=$1

	[[ $1 != KILL ]] || how=signal=KILL
	status=0
	{
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 timeout -k 5 "$run_limit" "${run_prefix[@]}" strace -D -f --seccomp-bpf -o /dev/null \
			-e "trace=$2" -e "inject=$2:$how:when=$3" "${@:4}" >"$work/out" 2>"$work/err" </dev/null || status=$?
	} 2>/dev/null
	# 124: it hangs; more than 128, except for KILL and a sanitizer's exit: it crashed.
	[[ $status != 124 && $status != 13[0-6] && $status != 139 ]] || { show; fail "exit status $status"; }
}

# each_point NAME COMMAND...: NAME_start before each, NAME_end after it, which knows $sort, $kind and
# $status.
each_point()
{
	local name=$1 call n kinds

	shift
	tried=0
	"${name}_start"
	status=0
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "${run_prefix[@]}" strace -D -f -o "$work/calls" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	# strace -D keeps the process id of the command, and ends a moment later.
	wait_until grep -q '^[0-9]* *+++ exited' "$work/calls"
	kind=none point="none" sort=none
	"${name}_end"
	points <"$work/calls" >"$work/points"
	while read -r sort call n; do
		kinds=(EIO)
		[[ $sort != changing ]] || kinds=(KILL EIO ENOSPC)
		# Each kind in turn where not all points are tried.
		[[ ${NFSRDMA_POINTS:-} == all || $sort != changing ]] || kinds=("${kinds[tried % 3]}")
		for kind in "${kinds[@]}"; do
			point="$name: $kind at $call $n"
			tried=$((tried + 1))
			"${name}_start"
			cut "$kind" "$call" "$n" "$@"
			"${name}_end"
		done
	done < <(
		chosen changing "$some_changing" <"$work/points" | sed 's/^/changing /'
		chosen reading "$some_reading" <"$work/points" | sed 's/^/reading /'
	)
	echo "$name: $tried points of $(wc -l <"$work/points")"
	((tried > 10)) || fail "$name: only $tried points"
}

# whole WHAT FILE FOLDER: the folder matches the saved picture.
whole() { picture "$3" | diff -u "$2" - >"$work/diff" || { cat "$work/diff"; show; fail "$point: $1"; }; }
# again STATUS ARGUMENT...: an undisturbed run.
again() { run "${@:2}"; [[ $status == "$1" ]] || { show; fail "$point: exit status $status, not $1, from ${*:2}"; }; }
# All of a folder's state except times.
picture()
{
	(cd "$1" && find . -printf '%P %y %m %U %G %l\n' | sort &&
		find . -type f -print0 | sort -z | xargs -0 -r sha256sum)
}

# --- setup, and back ------------------------------------------------------------------------------

mkdir -p "$work/made" "$work/source/server"
cat >"$work/source/server/host" <<'END'
@include debian12
@include siw
@include rdma-loaded
@dir var/lib
@remove sys/module/rpcrdma
usr/sbin/rpc.nfsd: x
etc/rdma/modules/rdma.conf <<LIST
ib_uverbs
# NFS over RDMA server support
# svcrdma
LIST
END
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/made" "$work/source/server" || fail "make-host"
machine=$work/made/server

setup_start() { :; }
# Nothing is left to do. If a version cannot be read the configuration may differ.
is_set_up()
{
	if [[ $sort == reading ]]; then
		again 0 setup server --root "$machine"
		grep -qx 'Nothing to do.' "$work/out" || { show; fail "$point: $1"; }
	else
		whole "$1" "$work/after" "$machine/etc"
	fi
}
# Which folders setup made is in their files, so one that is cut off there may leave an empty one.
no_folder()
{
	(($1 == 0)) || rmdir --ignore-fail-on-non-empty "$machine/etc/nfs.conf.d" 2>/dev/null || true
}

# Every other time undo immediately.
setup_end()
{
	local ended=$status

	# Files that it could not read are left to the administrator.
	((status != 0)) || [[ $sort == reading ]] || is_set_up "it says that all is done"
	if ((tried % 2)); then
		again 0 setup server --root "$machine"
		is_set_up "after a second setup"
	fi
	again 0 setup --undo --root "$machine"
	no_folder "$ended"
	whole "after the undo" "$work/before" "$machine"
}

undo_start() { again 0 setup server --root "$machine"; }
undo_end()
{
	local ended=$status

	((status != 0)) || whole "it says that all is undone" "$work/before" "$machine"
	again 0 setup --undo --root "$machine"
	no_folder "$ended"
	whole "after a second undo" "$work/before" "$machine"
}

try_setup()
{
	picture "$machine" >"$work/before"
	again 0 setup server --root "$machine"
	picture "$machine/etc" >"$work/after"
	again 0 setup --undo --root "$machine"
	whole "undo" "$work/before" "$machine"
	each_point setup "$NFSRDMA" setup server --root "$machine"
	each_point undo "$NFSRDMA" setup --undo --root "$machine"
}

# --- ovirt policy -----------------------------------------------------------------------------------

host=$work/host

policy_start() { :; }
policy_end()
{
	((status != 0)) || whole "it says that all is done" "$work/after" "$host/etc"
	again 0 ovirt policy --root "$host" nas1:/vm
	whole "after a second run" "$work/after" "$host/etc"
	again 0 ovirt policy --root "$host" --remove nas1:/vm
	whole "after --remove" "$work/before" "$host"
}

remove_start() { again 0 ovirt policy --root "$host" nas1:/vm; }
remove_end()
{
	((status != 0)) || whole "it says that all is done" "$work/without" "$host/etc"
	# If it was already undone there is nothing to remove, which is exit status 1.
	run ovirt policy --root "$host" --remove nas1:/vm
	((status <= 1)) || { show; fail "$point: exit status $status"; }
	whole "after a second run" "$work/without" "$host/etc"
}

try_policy()
{
	mkdir -p "$host"/{etc/nfsmount.conf.d,etc/nfsrdma.conf.d,var/lib/dpkg,proc/self}
	printf 'Package: nfs-common\nStatus: install ok installed\nVersion: 1:2.8.3-1\n\n' >"$host/var/lib/dpkg/status"
	printf 'ID=debian\nVERSION_ID="12"\n' >"$host/etc/os-release"
	# Existing sections are never lost.
	again 0 ovirt policy --root "$host" nas2:/vm
	picture "$host" >"$work/before"
	picture "$host/etc" >"$work/without"
	again 0 ovirt policy --root "$host" nas1:/vm
	picture "$host/etc" >"$work/after"
	again 0 ovirt policy --root "$host" --remove nas1:/vm
	whole "--remove" "$work/before" "$host"
	each_point policy "$NFSRDMA" ovirt policy --root "$host" nas1:/vm
	each_point remove "$NFSRDMA" ovirt policy --root "$host" --remove nas1:/vm
}

# --- mount.nfsrdma ------------------------------------------------------------------------------------

# The mount in mount.nfs's place is a tmpfs, which is never over RDMA: it is undone where RDMA is
# required, and kept where it is preferred. See mount-helper.sh.
mount_options=rw,nfsrdma.check=none,retry=0,nolock

# Only a lock.
no_request() { [[ ! $(find /run/nfsrdma/requests -type f ! -name .lock 2>/dev/null) ]]; }

mount_again()
{
	status=0
	"$helpers/mount.nfsrdma" 127.0.0.1:/vm "$place" -o "$mount_options,nfsrdma.policy=$1" >"$work/out" 2>"$work/err" </dev/null || status=$?
	[[ $status == "$2" ]] || { show; fail "$point: exit status $status, not $2, of a second mount"; }
}

unmount_all()
{
	while mountpoint -q "$place"; do umount -l "$place"; done
	rm -f /run/nfsrdma/requests/*
}

# is_noted STATE [POLICY]: what is noted for the directory
is_noted()
{
	local said

	said=$(sed -n '1s/ .*//p; 3p' /run/nfsrdma/requests/[0-9a-f]* 2>/dev/null | tr '\n' ' ')
	# shellcheck disable=SC2053 # a pattern
	[[ $said == "$1 "${2:-*}' ' ]]
}
pending() { is_noted pending; }

# gate_is_right: a guest with a disk there is refused while the mount was requested and nothing is mounted.
gate_is_right()
{
	local expected=0

	if mountpoint -q "$place"; then
		# What this test's mount.nfs mounts is of no server: not the mount that was requested.
		! pending || expected=1
	else
		# Once mount.nfs ran, a killed helper leaves the request.
		[[ $status != 137 || ! -e $work/called ]] || pending || { show; fail "$point: the request is forgotten"; }
		! pending || expected=1
	fi
	status_gate=0
	"$hook" g prepare begin - >/dev/null 2>"$work/gate" <<-END || status_gate=$?
		<domain type='qemu'><name>g</name><devices><disk type='file' device='disk'>
		<source file='$place/a.img'/><target dev='vda' bus='virtio'/></disk></devices></domain>
	END
	[[ $status_gate == "$expected" ]] || { show; cat "$work/gate"; fail "$point: the gate's exit status is $status_gate, not $expected"; }
	((!expected)) || grep -q "rm /run/nfsrdma/requests/[0-9a-f]*" "$work/gate" ||
		{ cat "$work/gate"; fail "$point: the gate does not say how to clear it"; }
	refused=$((refused + expected))
}

required_start() { rm -f "$work/called"; }
required_end()
{
	gate_is_right
	((status != 0)) || { show; fail "$point: what is not over RDMA is mounted"; }
	# A mount that a killed helper leaves was requested with that policy.
	if mountpoint -q "$place"; then
		is_noted pending require || { show; fail "$point: a mount without a request"; }
		umount "$place"
	fi
	mount_again require 32
	! mountpoint -q "$place" || fail "$point: the second one is mounted"
	no_request || { ls -A /run/nfsrdma/requests; fail "$point: a request is left"; }
}

preferred_start() { rm -f "$work/called"; }
preferred_end()
{
	gate_is_right
	if ((status == 0)); then
		mountpoint -q "$place" || { show; fail "$point: nothing is mounted"; }
		umount "$place"
	fi
	while mountpoint -q "$place"; do umount "$place"; done
	mount_again prefer 0
	mountpoint -q "$place" || fail "$point: the second one is not mounted"
	is_noted pending prefer || is_noted mounted prefer || fail "$point: nothing is noted"
	umount "$place"
	rm -f /run/nfsrdma/requests/*
}

try_mount()
{
	requires mount umount unshare mountpoint
	requires_root
	unshare -m true 2>/dev/null || skip "no mount namespace"
	grep -qw overlay /proc/filesystems || skip "no overlay to put programs into /sbin"
	unshare -m --propagation private "$BASH" "${BASH_SOURCE[0]}" mount_inside
}

try_mount_inside()
{
	helpers=${NFSRDMA%/*}/mount-helper
	hook=${NFSRDMA%/*}/hooks/libvirt/nfsrdma-libvirt-hook
	refused=0
	place=$work/place
	mkdir "$place" "$work/sbin"
	# shellcheck disable=SC2016 # of that script
	printf '#!/bin/sh\n: >%s/called\nexec /bin/mount -i -t tmpfs none "$2"\n' "$work" >"$work/sbin/mount.nfs"
	chmod +x "$work/sbin/mount.nfs"
	cleanup_fn umount -l "$place" "$(readlink -f /sbin)" /run
	mount -t overlay -o "lowerdir=$work/sbin:$(readlink -f /sbin)" none "$(readlink -f /sbin)"
	mount -t tmpfs run /run
	each_point required "$helpers/mount.nfsrdma" 127.0.0.1:/vm "$place" -o "$mount_options,nfsrdma.policy=require"
	# The start of each of its processes: some come after the request is noted, and before the mount.
	for at in {1..4}; do
		kind=KILL sort=changing point="required: KILL at socketpair $at"
		required_start
		cut KILL socketpair "$at" "$helpers/mount.nfsrdma" 127.0.0.1:/vm "$place" -o "$mount_options,nfsrdma.policy=require"
		required_end
	done
	((refused > 0)) || fail "no killed helper left a request"
	unmount_all
	each_point preferred "$helpers/mount.nfsrdma" 127.0.0.1:/vm "$place" -o "$mount_options,nfsrdma.policy=prefer"
	unmount_all
}

# --- pool convert, and back ---------------------------------------------------------------------------

daemon=${daemon:-}
state_of() { virsh -q pool-info "$1" | awk '$1 == "State:" { print $2 }'; }
xml_of() { virsh -q pool-dumpxml --inactive "$1" | grep -vE '<(capacity|allocation|available)'; }
is_idle() { ! compgen -G "$daemon/busy.*" >/dev/null; }
kept() { compgen -G '/var/lib/nfsrdma/pools/*.json' >/dev/null; }

# pool_again ACTION: libvirtd may still be executing a killed command's request.
pool_again()
{
	local tries=1

	[[ $kind != KILL ]] || tries=20
	while ((tries--)); do
		wait_until is_idle
		run pool "$1" old
		((status)) || return 0
		sleep 0.2
	done
	show
	fail "$point: exit status $status from a second $1"
}

is_plain()
{
	diff -u "$work/plain" <(xml_of old) >"$work/diff" || { cat "$work/diff"; fail "$point: $1: the definition"; }
	[[ $(state_of old) == running && $(tail -n 1 "$daemon/argv") != *proto=rdma* ]] || { show; fail "$point: $1: it does not run, or not over TCP"; }
	! kept || fail "$point: $1: a record is left"
}
is_converted()
{
	[[ $(state_of old) == running && $(tail -n 1 "$daemon/argv") == *proto=rdma* ]] || { show; fail "$point: $1: it does not run, or not over RDMA"; }
	kept || fail "$point: $1: no record"
}

convert_start() { :; }
convert_end()
{
	wait_until is_idle
	((status != 0)) || is_converted "it says that all is done"
	# Revert immediately, if there is anything to revert.
	if ((tried % 2)) || ! kept; then
		pool_again convert
		is_converted "after a second convert"
	fi
	pool_again revert
	is_plain "after the revert"
}

revert_start() { kind=none; pool_again convert; }
revert_end()
{
	wait_until is_idle
	((status != 0)) || is_plain "it says that all is done"
	kept || return 0
	pool_again revert
	is_plain "after a second revert"
}

try_pool()
{
	requires_root
	requires libvirtd virsh unshare
	unshare --mount --net --propagation private true 2>/dev/null || skip "no namespaces of mounts and networks"
	mkdir "$work/daemon"
	unshare --mount --net --propagation private "$(dirname "${BASH_SOURCE[0]}")/pool-daemon" \
		"$work/daemon" env "daemon=$work/daemon" bash "${BASH_SOURCE[0]}" pool_inside
}

try_pool_inside()
{
	[[ $daemon ]] || fail "no daemon"
	export LIBVIRT_DEFAULT_URI=qemu:///system
	run_prefix=("$daemon/bin/kernel")
	mkdir "$daemon/old"
	cat >"$work/old.xml" <<-END
	<pool type='netfs'>
	  <name>old</name>
	  <source><host name='nas1'/><dir path='/export/old'/><format type='nfs'/></source>
	  <target><path>$daemon/old</path></target>
	</pool>
	END
	virsh -q pool-define "$work/old.xml"
	virsh -q pool-start old
	xml_of old >"$work/plain"
	each_point convert "$NFSRDMA" pool convert old
	each_point revert "$NFSRDMA" pool revert old
}

commands=("$@")
((${#commands[@]})) || commands=(setup policy mount pool)
for command in "${commands[@]}"; do "try_$command"; done

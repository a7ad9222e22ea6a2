#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# NFSRDMA_DEBUG in each program that supports it: its lines are on stderr, with identifiers that
# connect them. VDSM's calls and set-user-ID programs ignore it, and a hook still answers after
# "help".
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/guest-xml.sh"
requires setpriv unshare
requires_root
if [[ ${1:-} != inside ]]; then
	unshare --mount --propagation private true 2>/dev/null || skip "no namespace of mounts"
	unshare --mount --propagation private bash "$0" inside
	exit 0
fi
mount -t tmpfs tmpfs /run
build=${NFSRDMA%/*}
libvirt_hook=$build/hooks/libvirt/nfsrdma-libvirt-hook
vdsm_hook=$build/hooks/vdsm/vdsm-hook
helper=$build/mount-helper/mount.nfsrdma

# debug AREAS COMMAND...: with NFSRDMA_DEBUG; sets $status.
debug()
{
	status=0 took=-
	NFSRDMA_DEBUG=$1 timeout -k 5 60 "${@:2}" >"$work/out" 2>"$work/err" </dev/null || status=$?
}
# line WORDS: on stderr; no_line WORDS
line() { grep -qE -- "$1" "$work/err" || { show; fail "no line \"$1\""; }; }
no_line() { ! grep -qE -- "$1" "$work/err" || { show; fail "a line \"$1\""; }; }

# A host with an NFS mount over TCP, for which the policy requests RDMA.
host=$work/host
mkdir -p "$host"/{etc,proc/self,srv/tcp,run}
echo "1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw" >"$host/proc/self/mountinfo"
echo "42 1 0:42 / /srv/tcp rw,relatime shared:42 - nfs4 nas:/tcp rw,vers=4.2,hard,proto=tcp,port=2049,timeo=600,sec=sys,addr=192.0.2.1" \
	>>"$host/proc/self/mountinfo"
printf 'device nas:/tcp mounted on /srv/tcp with fstype nfs4 statvers=1.1\n\topts:\trw,vers=4.2,proto=tcp\n\tage:\t7\n' \
	>"$host/proc/self/mountstats"
printf '[directory /srv/tcp]\npolicy = require\n' >"$host/etc/nfsrdma.conf"
guest /srv/tcp/a.img >"$work/guest.xml"

echo "check"
debug checks,host "$NFSRDMA" check --root "$host"
line '^checks: mount\.transport: fail after [0-9.]+ ms: /srv/tcp: over tcp, but '
line "^host: read $host/proc/self/mountinfo: [0-9]+ bytes$"
debug checks "$NFSRDMA" check --root "$host"
no_line '^host: '

echo "watch"
debug watch,gate "$NFSRDMA" watch --once --no-libvirt
line '^watch: look 1: [0-9]+ mounts?, [0-9.]+ ms'

echo "libvirt's hook"
# The child's and the parent's lines, of the guest, its disk and the mount.
status=0 took=-
NFSRDMA_DEBUG=gate timeout -k 5 60 "$libvirt_hook" --root "$host" web1 prepare begin - \
	<"$work/guest.xml" >"$work/out" 2>"$work/err" || status=$?
expect_status 1
line '^gate: guest web1: 1 disk$'
line '^gate: disk vdaa \(/srv/tcp/a\.img\) is refused \[gate\.transport\]: nas:/tcp on /srv/tcp over tcp, wanted by .*nfsrdma\.conf:2$'
line '^gate: process [0-9]+ refuses, [0-9]+ ms before its deadline: disk vdaa '
line '^disk vdaa .*over tcp.* See nfsrdma-libvirt\(7\)\.$'
[[ ! -s $work/out ]] || fail "something is on stdout"
# Its exit status is the answer, not that of help.
status=0 took=-
NFSRDMA_DEBUG=help timeout -k 5 60 "$libvirt_hook" --root "$host" web1 prepare begin - \
	<"$work/guest.xml" >"$work/out" 2>"$work/err" || status=$?
expect_status 1
line '^  gate '

echo "VDSM's hook"
mkdir "$work/before_vm_start"
ln -s "$vdsm_hook" "$work/before_vm_start/90_nfsrdma"
export _hook_domxml=$work/guest.xml
debug gate "$vdsm_hook" --root "$host" --point before_vm_start
expect_status 2
line '^gate: disk vdaa .* is refused '
debug all "$work/before_vm_start/90_nfsrdma" --root "$host" --point before_vm_start
expect_status 2
no_line '^(gate|host): '
line '^disk vdaa .*over tcp'
unset _hook_domxml

echo "mount.nfsrdma"
mkdir "$work/dir" "$work/sbin"
grep -qw overlay /proc/filesystems || skip "no overlay to put mount.nfs into /sbin"
# shellcheck disable=SC2016 # the script's own
printf '#!/bin/sh\nmount -t tmpfs none "$2"\n' >"$work/sbin/mount.nfs"
chmod +x "$work/sbin/mount.nfs"
mount -t overlay -o "lowerdir=$work/sbin:$(readlink -f /sbin)" none "$(readlink -f /sbin)"
mounts() { debug "$1" "$helper" 192.0.2.1:/x "$work/dir" -o "nfsrdma.policy=require,nfsrdma.check=$2,retry=0"; }
mounts mount none
expect_status 32
line "^mount: 192\.0\.2\.1:/x on $work/dir: policy require of .*, options .*proto=rdma"
line "^mount: 192\.0\.2\.1:/x on $work/dir: mount\.nfs ended with status 0, signal 0: "
line "^mount: 192\.0\.2\.1:/x on $work/dir: mount [0-9]+, device .*: it is not an NFS mount"
no_line '^(checks|host): '
mounts checks fast
line '^checks: client\.module: [a-z]+ after [0-9.]+ ms: '
no_line '^mount: '
debug help "$helper" --help
line '^  mount '

echo "with another's rights"
# As a set-user-ID mount(8) starts it: the effective and the real user differ.
cp "$helper" "$work/mount.nfsrdma"
chmod 4755 "$work/mount.nfsrdma"
debug help setpriv --reuid 65534 --regid 65534 --clear-groups "$work/mount.nfsrdma" --help
expect_status 0
[[ ! -s $work/err ]] || { show; fail "it believes the environment"; }
chmod 0755 "$work/mount.nfsrdma"
debug help setpriv --reuid 65534 --regid 65534 --clear-groups "$work/mount.nfsrdma" --help
line '^  mount '

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma-libvirt-hook under Debian's libvirtd, with guests of qemu without an operating system:
# which are refused, what virsh shows, which start (pool-daemon lists the fakes).
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/guest-xml.sh"
hook=${NFSRDMA%/*}/hooks/libvirt/nfsrdma-libvirt-hook

if [[ ${1:-} != inside ]]; then
	requires_root
	requires libvirtd virsh unshare python3 qemu-system-x86_64
	unshare --mount --net --propagation private true 2>/dev/null ||
		skip "no namespaces of mounts and networks"
	mkdir "$work/daemon"
	unshare --mount --net --propagation private "$(dirname "$0")/pool-daemon" \
		"$work/daemon" bash "$0" inside "$work/daemon"
	exit 0
fi

daemon=$2
export LIBVIRT_DEFAULT_URI=qemu:///system
echo "1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw" >>"$daemon/mountinfo"
take_journal

# machine NAME DISK...: defined, but not started
machine()
{
	guest "${@:2}" | sed "s|<name>web1</name>|<name>$1</name><memory unit='MiB'>16</memory><vcpu>1</vcpu><os><type arch='x86_64' machine='pc'>hvm</type></os>|; s|<devices>|&<emulator>$(type -P qemu-system-x86_64)</emulator>|" >"$work/$1.xml"
	virsh -q define "$work/$1.xml" >/dev/null
}

starts()
{
	virsh -q start --paused "$1" || fail "$1 does not start"
	virsh -q destroy "$1"
}

# does_not WORDS COMMAND...: virsh shows the hook's sentence
does_not()
{
	! virsh -q "${@:2}" >"$work/out" 2>&1 || fail "$* is let pass"
	cat "$work/out"
	grep -q 'Hook script execution failed' "$work/out" || fail "not for the hook"
	tr '\n' ' ' <"$work/out" | grep -qE -- "$1" || fail "virsh does not say \"$1\""
}

# pool over PROTO
over()
{
	virsh -q pool-destroy vms 2>/dev/null || true
	echo "$1" >"$daemon/proto"
	virsh -q pool-start vms
}

mkdir "$daemon/vms"
cat >"$work/vms.xml" <<END
<pool type='netfs' xmlns:fs='http://libvirt.org/schemas/storagepool/fs/1.0'><name>vms</name>
<source><host name='nas'/><dir path='/vms'/><format type='nfs'/></source>
<target><path>$daemon/vms</path></target>
<fs:mount_opts><fs:option name='proto=rdma'/><fs:option name='port=20049'/></fs:mount_opts></pool>
END
virsh -q pool-define "$work/vms.xml"
images() { truncate -s 1M "$daemon"/vms/{a,b}.img; virsh -q pool-refresh vms; }
over tcp
images
machine file "$daemon/vms/a.img"
machine volume "vms a.img"
machine both "$daemon/vms/a.img" "vms b.img"

echo "libvirtd: without a hook, and with one that it has not seen yet"
starts file
# The mounts here are tmpfs; the hook must see what a kernel would show for NFS.
top=$work/top
mkdir -p "$top"/{etc,run}/libvirt "$top/proc/self" "$top$daemon/vms"
cleanup_fn "$daemon/real-umount" -l "$top"/{etc,run}/libvirt "$top"/proc/self/{mountinfo,mountstats}
"$daemon/real-mount" --rbind /etc/libvirt "$top/etc/libvirt"
"$daemon/real-mount" --rbind /run/libvirt "$top/run/libvirt"
for name in mountinfo mountstats; do
	: >"$top/proc/self/$name"
	"$daemon/real-mount" --bind "$daemon/$name" "$top/proc/self/$name"
done
printf '#!/bin/sh\nexec %q --root %q "$@"\n' "$hook" "$top" >"$daemon/hook"
chmod +x "$daemon/hook"
mkdir -p /etc/libvirt/hooks/qemu.d
ln -s "$daemon/hook" /etc/libvirt/hooks/qemu.d/nfsrdma
starts file
kill -HUP "$(cat "$daemon/libvirtd.pid")"
for _ in {1..600}; do
	virsh -q start --paused file 2>/dev/null || break
	virsh -q destroy file
	sleep 0.1
done

echo "libvirtd: over TCP"
does_not "disk vdaa \($daemon/vms/a.img\) is on nas:/vms, .*over tcp.*pool 'vms'.*See nfsrdma-libvirt\(7\)" start file
does_not "disk vdaa .*over tcp" start volume
does_not "disk vdaa .*\(and 1 more disk\)" start both
[[ $(virsh -q domstate both) == "shut off"* ]] || fail "a guest that was refused is there"
in_journal NFSRDMA_GUEST=both
in_journal MESSAGE_ID=685584d3f8cf4e86bb262777dbad76d7

echo "libvirtd: over RDMA"
over rdma
images
for name in file volume both; do starts $name; done

echo "libvirtd: a pool that does not run"
virsh -q pool-destroy vms
does_not "disk vdaa .*nothing is mounted at $daemon/vms.*virsh pool-start vms" start volume
: >"$daemon/vms/a.img" # on the local disk
does_not "nothing is mounted" start file
rm "$daemon/vms/a.img"

echo "libvirtd: a guest that is restored"
over rdma
images
virsh -q start --paused file
virsh -q save file "$daemon/saved"
over tcp
images
does_not "over tcp" restore "$daemon/saved"
over rdma
images
virsh -q restore --paused "$daemon/saved"
virsh -q destroy file

echo "libvirtd: the program itself behind the link"
ln -sf "$hook" /etc/libvirt/hooks/qemu.d/nfsrdma
does_not "is on nas:/vms \(tmpfs\)" start file

echo "libvirtd: switched off"
rm /etc/libvirt/hooks/qemu.d/nfsrdma
over tcp
images
starts file

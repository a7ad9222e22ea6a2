# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What scenarios are written with. run starts a shell with this file for each
# scenario, and the scenario is sourced at the end of it. These are set:
#	guest		the running guest's folder, for lib.sh
#	work		an empty folder of the scenario's own
# A scenario passes when it comes to its end. It can be run alone: it asks for what it builds on
# (installed, in_fstab), and that is done if it is not there.
# shellcheck shell=bash

# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=../support/scenario.sh
. "$system/../support/scenario.sh"

# inside COMMAND...: a line of shell in the guest, as root.
inside()
{
	printf '+ %s\n' "$*" >&2
	guest_tell "$@" || fail "exit status $? in the guest: $*"
}

# expect_output WANTED COMMAND...: it prints exactly this.
expect_output()
{
	local have

	have=$(guest_tell "${@:2}") || fail "exit status $? in the guest: ${*:2}"
	[[ $have == "$1" ]] || fail "\"${*:2}\" printed \"$have\", not \"$1\""
}

# The boot has finished, and no unit has failed.
expect_running()
{
	local state

	state=$(guest_tell systemctl is-system-running) || true
	[[ $state == running ]] ||
		fail "systemd is \"$state\": $(guest_tell systemctl --failed --plain --no-legend | cut -d' ' -f1 | paste -sd' ')"
}

# The guest's release, as build makes it.
case ${NFSRDMA_SYSTEM_RELEASE:-} in
'')	debian=$(sed -n 's/^VERSION_ID="\{0,1\}\([0-9]*\).*/\1/p' /etc/os-release) ;;
trixie)	debian=13 ;;
*)	fail "which number has Debian's release $NFSRDMA_SYSTEM_RELEASE?" ;;
esac

packages='nfsrdma nfsrdma-libvirt nfsrdma-vdsm librpcrdma0'

# The packages, from the second disk.
installed()
{
	[[ $(guest_tell "dpkg-query -W -f '\${db:Status-Status}\\n' $packages 2>/dev/null | grep -cx installed") != 4 ]] || return 0
	install_packages
}

# Also where they are installed: an upgrade.
install_packages()
{
	unpack_disk
	inside 'DEBIAN_FRONTEND=noninteractive dpkg -i /run/packages/*.deb'
}

install_package() { inside "DEBIAN_FRONTEND=noninteractive dpkg -i /run/packages/$1_*.deb"; }

unpack_disk() { inside 'mkdir -p /run/packages && tar -C /run/packages -xf /dev/disk/by-id/virtio-packages'; }

# Neither the packages nor their files are there.
not_installed()
{
	guest_tell "dpkg-query -W -f '\${db:Status-Status}\\n' $packages 2>/dev/null | grep -v '^not-installed' | grep -q ." || return 0
	inside "dpkg -P \$(dpkg-query -W -f '\${db:Status-Status} \${Package}\\n' $packages 2>/dev/null | sed -n '/^not-installed/d; s/.* //p')"
}

# says PATTERN COMMAND...: its output matches, whatever its exit status.
says()
{
	guest_tell "${@:2}" >"$work/says" 2>&1 || true
	# Reports wrap their lines.
	tr -s '[:space:]' ' ' <"$work/says" >"$work/says.line"
	grep -qE -- "$1" "$work/says.line" || { cat "$work/says" >&2; fail "\"${*:2}\" does not say \"$1\""; }
}

virsh="virsh -q -c qemu:///system"

# new_guest NAME [FILE]: a guest of the guest, too small to boot; its disk is made.
new_guest()
{
	local disk='' xml

	[[ ! ${2:-} ]] || disk="<disk type='file' device='disk'><driver name='qemu' type='raw'/><source file='$2'/><target dev='vda' bus='virtio'/></disk>"
	[[ ! ${2:-} ]] || inside "truncate -s 1M $2"
	xml="<domain type='qemu'><name>$1</name><memory unit='MiB'>16</memory><os><type arch='x86_64' machine='pc'>hvm</type></os><features><acpi/></features>
		<devices><emulator>/usr/bin/qemu-system-x86_64</emulator>$disk<memballoon model='none'/><video><model type='none'/></video></devices></domain>"
	inside "echo $(base64 -w0 <<<"$xml") | base64 -d >/run/$1.xml && $virsh define /run/$1.xml"
}

# expect_refused NAME PATTERN: the guest does not start, and virsh prints the reason.
expect_refused()
{
	! guest_tell "$virsh start $1 --paused" >"$work/refused" 2>&1 || fail "guest $1 starts"
	grep -qE -- "$2" "$work/refused" || fail "guest $1 is refused for another reason: $(tail -n1 "$work/refused")"
}

mountpoint=/srv/vm
# systemd does not know that the server is on this machine: it must start before the mount, and
# stop after it.
fstab="nas1:/srv/nfs $mountpoint nfsrdma vers=4.2,_netdev,x-systemd.requires=nfs-server.service 0 0"

# The line is in fstab, and its mount is mounted.
in_fstab()
{
	installed
	! guest_tell "grep -qF '$fstab' /etc/fstab && mountpoint -q $mountpoint" || return 0
	inside "mkdir -p $mountpoint; grep -qF '$fstab' /etc/fstab || echo '$fstab' >>/etc/fstab"
	inside systemctl daemon-reload
	inside systemctl start remote-fs.target "$(systemd_escape "$mountpoint").mount"
}

# systemd_escape PATH: for paths without characters that need more.
systemd_escape() { local path=${1#/}; printf '%s' "${path//\//-}"; }

# over_rdma PATH: by its options, and by the transport in the kernel's counters.
over_rdma()
{
	local options transport

	options=$(guest_tell "grep ' $1 ' /proc/self/mountinfo | sed 's/.* - //'")
	echo "$options"
	[[ $options == "nfs4 "*,proto=rdma,port=20049,* ]] || { why="mounted as \"$options\""; return 1; }
	transport=$(guest_tell "awk '/^device / { ours = \$5 == \"$1\" } ours && \$1 == \"xprt:\" { print \$2 }' /proc/self/mountstats")
	[[ $transport == rdma ]] || { why="its transport is \"$transport\""; return 1; }
}

expect_rdma() { over_rdma "$1" || fail "$1 is not over RDMA: $why"; }

# checksum PATH: read from the server, not from the cache.
checksum() { inside "sync; echo 3 >/proc/sys/vm/drop_caches; sha256sum <$1"; }

# shellcheck source=/dev/null
. "$1"

# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Shell functions for tests/system: starting the guest. Sourced by run, boot and scenario.sh.
#
# A guest's folder ($guest) has, besides what tests/support/guest.sh says, its disk, and
# packages.tar, the second disk: the packages to install.
# shellcheck shell=bash

system=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Under emulation the guest is up after 25 to 45 s, on a very busy machine after many minutes.
: "${NFSRDMA_SYSTEM_BOOT_TIMEOUT:=1800}"
# Not kvm by default: /dev/kvm can exist and not work.
: "${NFSRDMA_SYSTEM_ACCEL:=tcg,thread=multi}"
: "${NFSRDMA_SYSTEM_MEMORY:=2048}"
# More kernel parameters, for experiments.
: "${NFSRDMA_SYSTEM_KERNEL:=}"

suite=system guest_patience=1800 guest_boot_timeout=$NFSRDMA_SYSTEM_BOOT_TIMEOUT
# shellcheck source=../support/guest.sh
. "$system/../support/guest.sh"
# shellcheck source=../support/debs.sh
. "$system/../support/debs.sh"

# Watchdogs of the kernel and of systemd's services mistake slow for dead.
guest_slow="nowatchdog systemd.service_watchdogs=no"

# modular_daemons: makes $guest/modular.tar, or $guest/modular.why with the reason why not.
modular_daemons()
{
	"$system/modular" "$guest/modular.tar" 2>"$guest/modular.log" ||
		tail -n1 "$guest/modular.log" >"$guest/modular.why"
}

# What a hypervisor installs.
guest_debs=(nfsrdma nfsrdma-libvirt nfsrdma-vdsm librpcrdma0)

# guest_packages DEBS: the second disk, with the packages of the folder DEBS, and old/nfsrdma.deb: 0.1.0, whose
# programs are these packages'; and with modular.tar, if there is one.
guest_packages()
{
	local tree=$guest/packages deb

	rm -rf "$tree"
	mkdir -p "$tree/debs/old"
	debs_in "$1" "${guest_debs[@]}" >"$tree/list" || { echo "not all of ${guest_debs[*]} are in $1" >&2; return 1; }
	while read -r deb; do
		cp "$deb" "$tree/debs/" && dpkg-deb -x "$deb" "$tree/files" || return
	done <"$tree/list"
	debs_old "$tree/debs/old/nfsrdma.deb" "$tree/files" || return
	[[ ! -f $guest/modular.tar ]] || cp "$guest/modular.tar" "$tree/debs/" || return
	tar -cf "$guest/packages.tar" -C "$tree/debs" . && rm -r "$tree"
}

# guest_start IMAGE DEBS: a new guest, on a copy of the image's disk; waits until it is up.
guest_start()
{
	cp --reflink=auto --sparse=always "$1/disk" "$guest/disk" || return
	guest_packages "$2" || return
	guest_launch "$1" && guest_wait
}

# The disks have serial numbers: Linux does not guarantee the order in which it finds them. The
# contents of the host's page cache after a crash are not needed.
guest_launch()
{
	local image=$1

	guest_pipes ctl || return
	"${guest_prefix[@]}" qemu-system-x86_64 "${guest_options[@]}" \
		-accel "$NFSRDMA_SYSTEM_ACCEL" -m "$NFSRDMA_SYSTEM_MEMORY" \
		-kernel "$image/vmlinux" -initrd "$image/initramfs.cpio" \
		-append "$guest_kernel $guest_slow net.ifnames=0 apparmor=1 security=apparmor $NFSRDMA_SYSTEM_KERNEL" \
		-drive "if=none,id=root,file=$guest/disk,format=raw,cache=unsafe,discard=unmap" \
		-device virtio-blk-pci,drive=root,serial=root \
		-drive "if=none,id=packages,file=$guest/packages.tar,format=raw,readonly=on" \
		-device virtio-blk-pci,drive=packages,serial=packages \
		-serial "file:$guest/console.log" \
		-chardev "pipe,id=ctl,path=$guest/ctl" -serial chardev:ctl \
		-netdev user,id=net,ipv6=off,restrict=on -device virtio-net-pci,netdev=net,romfile= \
		-device virtio-rng-pci >"$guest/qemu.log" 2>&1 </dev/null &
	echo $! >"$guest/pid"
}

# guest_reboot: by systemd, as an administrator does it. qemu stays, and resets the machine. Two
# seconds later: the reboot ends the agent, which may not have answered yet.
guest_reboot()
{
	guest_tell systemd-run --quiet --on-active=2 --timer-property=AccuracySec=100ms systemctl reboot || return
	guest_wait
}

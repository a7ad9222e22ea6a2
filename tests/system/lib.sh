# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Shell functions for tests/system: starting the guest. Sourced by run, boot and scenario.sh.
#
# A guest's folder ($guest) has, besides what tests/support/guest.sh says, its disk, and
# package.tar, the second disk: the packages that are to be installed.
# shellcheck shell=bash

system=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Under emulation the guest is up after 25 to 45 s, on a very busy machine after many minutes.
: "${NFSRDMA_SYSTEM_BOOT_TIMEOUT:=1800}"
# Not kvm by default: /dev/kvm can exist and not work.
: "${NFSRDMA_SYSTEM_ACCEL:=tcg,thread=multi}"
: "${NFSRDMA_SYSTEM_MEMORY:=2048}"
# More kernel parameters, for experiments.
: "${NFSRDMA_SYSTEM_KERNEL:=}"

suite=system guest_boot_timeout=$NFSRDMA_SYSTEM_BOOT_TIMEOUT
# shellcheck source=../support/guest.sh
. "$system/../support/guest.sh"

# Watchdogs of the kernel and of systemd's services mistake slow for dead.
guest_slow="nowatchdog systemd.service_watchdogs=no"

# guest_start IMAGE DEB: a new guest, on a copy of the image's disk; waits until it is up.
guest_start()
{
	cp --reflink=auto --sparse=always "$1/disk" "$guest/disk" || return
	tar -cf "$guest/package.tar" -C "$(dirname "$2")" "$(basename "$2")" || return
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
		-drive "if=none,id=package,file=$guest/package.tar,format=raw,readonly=on" \
		-device virtio-blk-pci,drive=package,serial=package \
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
	guest_tell 60 systemd-run --quiet --on-active=2 --timer-property=AccuracySec=100ms systemctl reboot || return
	guest_wait
}

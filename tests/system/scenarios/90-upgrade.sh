# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A removed link is not restored by an upgrade of the packages; removal names the lines of fstab;
# purge keeps only what undoes setup. This is the last scenario: it removes the packages.
in_fstab
hook=/etc/libvirt/hooks/qemu.d/nfsrdma
inside "test -L $hook && rm $hook"
install_packages
inside "! test -e $hook && ! test -L $hook"
expect_output active systemctl is-active nfsrdma-watch
inside "ln -s /usr/sbin/nfsrdma-libvirt-hook $hook"
install_packages
inside "test -L $hook"

inside "umount $mountpoint"
says "WARNING: /etc/fstab:[0-9]+: $mountpoint is of type nfsrdma" "dpkg -r $packages"
inside "! test -L $hook"
# The daemon had found a hook; a guest starts without it.
new_guest web4
inside "$virsh start web4 --paused && $virsh destroy web4 && $virsh undefine web4"
inside 'mkdir -p /var/lib/nfsrdma && echo {} >/var/lib/nfsrdma/setup.json'
says 'setup.json' "dpkg -P $packages"
inside 'test -e /var/lib/nfsrdma/setup.json && ! test -e /run/nfsrdma && ! test -e /etc/libvirt/hooks/qemu.d'
inside 'rm -r /var/lib/nfsrdma'
not_installed
inside "sed -i '/nfsrdma/d' /etc/fstab; systemctl daemon-reload"
expect_running

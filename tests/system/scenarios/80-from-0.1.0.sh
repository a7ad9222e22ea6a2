# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# 0.1.0, which was one package, is upgraded on a running hypervisor: first to nfsrdma alone, as by
# --no-install-recommends, then nfsrdma-libvirt is installed. At each step the guest whose disk is over TCP is
# refused, and libvirtd goes on running.
not_installed
inside 'mkdir -p /srv/tcp && mountpoint -q /srv/tcp || mount -t nfs -o vers=4.1,proto=tcp nas1:/srv/nfs /srv/tcp'
inside "printf '[directory /srv/tcp]\npolicy = require\n' >/etc/nfsrdma.conf"
new_guest old1 /srv/tcp/old1.raw
hooks=/etc/libvirt/hooks/qemu.d
watcher() { inside systemctl show -p MainPID --value nfsrdma-watch; }
refused() { expect_refused old1 'disk vda \(/srv/tcp/old1.raw\) is on nas1:/srv/nfs, mounted at /srv/tcp over tcp'; }

unpack_disk
inside 'DEBIAN_FRONTEND=noninteractive dpkg -i /run/packages/old/nfsrdma.deb'
expect_output 0.1.0 "dpkg-query -W -f '\${Version}' nfsrdma"
refused
expect_output active systemctl is-active nfsrdma-watch
daemon=$(inside pidof libvirtd)
old=$(watcher)

says 'WARNING: the hook for libvirt and the watcher are now in the package nfsrdma-libvirt' \
	'DEBIAN_FRONTEND=noninteractive dpkg -i /run/packages/nfsrdma_*.deb'
inside "test -x $hooks/nfsrdma-upgrade && ! test -e /usr/sbin/nfsrdma-libvirt-hook"
refused
inside 'systemctl reload libvirtd'
refused
expect_output "$old" systemctl show -p MainPID --value nfsrdma-watch

install_package nfsrdma-libvirt
inside "test -L $hooks/nfsrdma && test -x $hooks/nfsrdma && ! test -e $hooks/nfsrdma-upgrade"
refused
expect_output "$daemon" pidof libvirtd
expect_output active systemctl is-active nfsrdma-watch
expect_output enabled systemctl is-enabled nfsrdma-watch
[[ $(watcher) != "$old" ]] || fail "0.1.0's watcher still runs"

inside "$virsh undefine old1; umount /srv/tcp; rm /etc/nfsrdma.conf"
expect_running

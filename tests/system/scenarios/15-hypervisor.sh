# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The packages are installed on a running hypervisor, and the next guest whose disk is over TCP is
# refused. The daemon is reloaded, not restarted; a running guest is not disturbed.
not_installed
inside 'mkdir -p /srv/tcp && mountpoint -q /srv/tcp || mount -t nfs -o vers=4.1,proto=tcp nas1:/srv/nfs /srv/tcp'
inside "printf '[directory /srv/tcp]\npolicy = require\n' >/etc/nfsrdma.conf"
new_guest keeper
new_guest web1 /srv/tcp/web1.raw
inside "$virsh start keeper --paused"
daemon=$(inside pidof libvirtd)
# No hook is active yet.
inside "$virsh start web1 --paused && $virsh destroy web1"

installed
expect_refused web1 'disk vda \(/srv/tcp/web1.raw\) is on nas1:/srv/nfs, mounted at /srv/tcp over tcp.*See nfsrdma-libvirt'
expect_output "$daemon" pidof libvirtd
expect_output paused "$virsh domstate keeper | head -n1"
inside "journalctl -q -o cat NFSRDMA_EVENT=gate-refused NFSRDMA_GUEST=web1 NFSRDMA_REFUSED=yes | grep ."
says 'libvirtd was reloaded after its hook was linked' 'nfsrdma check --verbose'

# As if the daemon had not been reloaded.
hook=/etc/libvirt/hooks/qemu.d/nfsrdma
inside "sleep 3; rm $hook && ln -s /usr/sbin/nfsrdma-libvirt-hook $hook"
says 'libvirtd \(process [0-9]+\) started at .*systemd reports no reload since' 'nfsrdma check --verbose'
says 'systemd reports no reload since' 'nfsrdma mounts'
inside 'systemctl reload libvirtd'
says 'libvirtd was reloaded after its hook was linked' 'nfsrdma check --verbose'

inside "$virsh destroy keeper; $virsh undefine keeper; $virsh undefine web1; umount /srv/tcp; rm /etc/nfsrdma.conf /srv/nfs/web1.raw"
expect_running

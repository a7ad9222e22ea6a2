# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# libvirt's modular daemons in place of libvirtd, as EL 9, Fedora and SUSE have them: the same gates, pools and reports.
[[ ! -f $guest/modular.why ]] || skip "no modular daemons: $(cat "$guest/modular.why")"
in_fstab
unpack_disk
hook=/etc/libvirt/hooks/qemu.d/nfsrdma
monolithic='libvirtd.service libvirtd.socket libvirtd-ro.socket libvirtd-admin.socket'
modular='virtqemud.socket virtqemud-ro.socket virtstoraged.socket virtstoraged-ro.socket'
inside "cp -a /etc/libvirt/libvirt.conf /run/libvirt.conf; systemctl stop nfsrdma-watch; systemctl mask --runtime --now $monolithic"
inside 'tar -C / --no-same-owner --keep-directory-symlink -xf /run/packages/modular.tar && apparmor_parser -r /etc/apparmor.d/usr.sbin.virtqemud'
# Without it a client of Debian's libvirt goes to libvirtd.
inside "echo 'remote_mode = \"direct\"' >>/etc/libvirt/libvirt.conf"

# The first hook comes while virtqemud runs.
inside "rm $hook; systemctl daemon-reload; systemctl start $modular"
inside 'mkdir -p /srv/tcp && mount -t nfs -o vers=4.1,proto=tcp nas1:/srv/nfs /srv/tcp'
inside "printf '[directory /srv/tcp]\npolicy = require\n' >/etc/nfsrdma.conf"
new_guest web1 /srv/tcp/web1.raw
inside "$virsh start web1 --paused"
# shellcheck disable=SC2016 # the guest's shell
expect_output /usr/sbin/virtqemud 'readlink /proc/$(cat /run/virtqemud.pid)/exe'
inside "$virsh destroy web1; ln -s /usr/sbin/nfsrdma-libvirt-hook $hook"
says 'virtqemud \(process [0-9]+\) started at .*systemd reports no reload since' 'nfsrdma check --verbose --timeout 300'
inside 'systemctl reload virtqemud'
says 'virtqemud was reloaded after its hook was linked' 'nfsrdma check --verbose --timeout 300'
expect_refused web1 'disk vda \(/srv/tcp/web1.raw\) is on nas1:/srv/nfs, mounted at /srv/tcp over tcp.*See nfsrdma-libvirt'

# A pool of virtstoraged, and a guest of virtqemud on it.
inside "nfsrdma pool define vms nas1:/srv/nfs --target /srv/pool && $virsh pool-start --build vms && nfsrdma pool verify vms"
expect_rdma /srv/pool
new_guest web2 /srv/pool/web2.raw
inside "$virsh start web2 --paused"
# shellcheck disable=SC2016 # the guest's shell
says 'libvirt-[0-9a-f-]+ \(enforce\)' 'cat /proc/$(cat /run/libvirt/qemu/web2.pid)/attr/current'

# libvirt has no hook for a disk that a running guest gets: it is reported, not prevented.
inside "truncate -s 1M /srv/tcp/more.raw && $virsh attach-disk web2 /srv/tcp/more.raw vdb --subdriver raw"
says 'web2.* vdb .*/srv/tcp' 'nfsrdma watch --once --timeout 600'
inside "$virsh destroy web2; $virsh pool-destroy vms; $virsh pool-undefine vms; umount /srv/tcp"

# A pool over TCP is converted, and back. Its version is its own, or the kernel would have it share the connection of
# , over RDMA in any case.
inside "$virsh pool-define-as old netfs --source-host nas1 --source-path /srv/nfs --source-format nfs --source-protocol-ver 4.1 --target /srv/old && $virsh pool-start --build old"
inside 'nfsrdma pool convert old'
expect_rdma /srv/old
inside 'nfsrdma pool revert old'
says ',proto=tcp,' "grep ' /srv/old ' /proc/self/mountinfo"

inside "$virsh pool-destroy old; $virsh pool-undefine old; for name in web1 web2; do $virsh undefine \$name; done"
inside "rm /etc/nfsrdma.conf /srv/nfs/*.raw; systemctl stop $modular virtqemud virtstoraged"
# libvirt's clients take the daemon whose socket is there.
inside 'rm -f /run/libvirt/virtqemud-*sock* /run/libvirt/virtstoraged-*sock*'
inside 'cd / && tar -tf /run/packages/modular.tar | grep -v "/$" | xargs rm; mv /run/libvirt.conf /etc/libvirt/libvirt.conf'
inside "systemctl unmask --runtime $monolithic; systemctl daemon-reload; systemctl start libvirtd.socket libvirtd nfsrdma-watch"
expect_running

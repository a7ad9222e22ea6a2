# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The watcher beside Debian's libvirt: it tells at once what is not over RDMA
# any more and what is again: a mount, a pool that came up over TCP in silence, a disk plugged
# into a guest; and after libvirt was restarted under it.
# shellcheck source=../libvirt.sh
. "$testbed/libvirt.sh"
server plain
libvirt_begin libvirt qemu
guest_tell journal start || fail "no journal"

# Long before it would look by itself.
at_once() { in_journal "$@" && within 8000 "the news: $*"; }
lost() { at_once lost "$@"; }
back() { at_once back "$@"; }

echo "--- a mount"
inside 'printf "[directory /srv/m]\npolicy = require\n[directory /srv/plug]\npolicy = require\n" >/etc/nfsrdma.conf; mkdir -p /srv/m /srv/plug'
mounting /srv/m -t nfsrdma 10.0.2.15:/export/live /srv/m -o vers=4.1
expect_mounted vers=4.1
# What is told below is told long before it would look by itself.
guest_tell watch start --interval 30
inside '/usr/sbin/umount /srv/m; /usr/sbin/mount -t nfs 10.0.2.15:/export/live /srv/m -o vers=4.1,proto=tcp'
lost NFSRDMA_KIND=mount NFSRDMA_TARGET=/srv/m NFSRDMA_EFFECTIVE=tcp
inside '/usr/sbin/umount /srv/m; /usr/sbin/mount -t nfs 10.0.2.15:/export/live /srv/m -o vers=4.1,proto=rdma,port=20049'
back NFSRDMA_KIND=mount NFSRDMA_TARGET=/srv/m

echo "--- a pool that comes up over TCP: another mount of the server is there first"
netfs vms /export/locks /srv/vms proto=rdma port=20049
inside 'mkdir -p /mnt2; /usr/sbin/mount -t nfs 10.0.2.15:/export/plain /mnt2 -o vers=4.2,proto=tcp'
virsh_inside pool-start --build vms
[[ $(proto_of /srv/vms) == tcp ]] || fail "the kernel does not share connections: $(proto_of /srv/vms)"
lost NFSRDMA_KIND=pool NFSRDMA_POOL=vms

echo "--- libvirt is restarted, and the watcher hears of the next event"
guest_tell libvirt restart || fail "libvirtd does not start again"
virsh_inside pool-destroy vms
inside '/usr/sbin/umount /mnt2'
virsh_inside pool-start vms
[[ $(proto_of /srv/vms) == rdma ]] || fail "the pool goes over $(proto_of /srv/vms)"
back NFSRDMA_KIND=pool NFSRDMA_POOL=vms
inside 'cat /run/nfsrdma/watch.json' >"$work/out"
expect_finding watch.libvirt pass

echo "--- a disk is plugged in, for which libvirt has no hook"
inside '/usr/sbin/mount -t nfs 10.0.2.15:/export/plain /srv/plug -o vers=3,proto=tcp,nolock'
lost NFSRDMA_KIND=mount NFSRDMA_TARGET=/srv/plug
virsh_inside "vol-create-as vms plug.raw 1M --format raw"
machine plug vms:plug.raw
machines plug
virsh_inside "start --paused plug"
virsh_inside "attach-disk plug /srv/plug/file-1 vdb --mode readonly"
lost NFSRDMA_KIND=disk NFSRDMA_GUEST=plug NFSRDMA_DISK=vdb
virsh_inside "destroy plug"

echo "--- a mount that is gone, and what was requested of it"
# Nothing is below it, and the watcher has seen it.
inside '/usr/sbin/umount /srv/plug'
mounting /srv/plug -t nfsrdma 10.0.2.15:/export/live /srv/plug -o vers=4.2
expect_mounted vers=4.2
inside 'until grep -q "/srv/plug (10.0.2.15:/export/live)" /run/nfsrdma/watch.json; do sleep 0.5; done'
inside '/usr/sbin/umount /srv/plug; until ! grep -qx /srv/plug /run/nfsrdma/requests/*; do sleep 0.5; done'
in_journal unmounted NFSRDMA_TARGET=/srv/plug

guest_tell watch end || fail "it does not end"
inside 'cat /run/watch.out'
virsh_inside pool-destroy vms
inside '/usr/sbin/umount /srv/m; rm -f /export/locks/plug.raw'
guest_tell journal end
libvirt_end

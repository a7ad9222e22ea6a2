# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Debian's libvirt in the guest, its pools on the kernel's NFS over siw: defined, started, converted,
# verified and reverted; one that is silently over TCP is found.
# shellcheck source=../libvirt.sh
. "$testbed/libvirt.sh"
server plain
libvirt_begin libvirt

echo "--- define, start, verify"
pool define vms 10.0.2.15:/export/plain --target /srv/vms
expect_status 0
virsh_inside pool-start --build vms
[[ $(proto_of /srv/vms) == rdma ]] || fail "the pool goes over $(proto_of /srv/vms)"
virsh_inside vol-list vms >"$work/volumes"
grep -q file- "$work/volumes" || fail "libvirt sees no volumes"
pool verify vms
expect_status 0
expect_words pool.transport pass 'over RDMA \(rdma, NFSv4.2\)'
pool list
expect_status 0
virsh_inside pool-destroy vms

echo "--- convert, revert"
inside 'mkdir -p /srv/old; printf "%s" "<pool type=\"netfs\"><name>old</name><source><host name=\"10.0.2.15\"/><dir path=\"/export/locks\"/><format type=\"nfs\"/></source><target><path>/srv/old</path></target></pool>" >/run/old.xml'
virsh_inside pool-define /run/old.xml
virsh_inside pool-autostart old
virsh_inside pool-start old
[[ $(proto_of /srv/old) == tcp ]] || fail "plain NFS goes over $(proto_of /srv/old)"
pool verify old
expect_status 1
expect_words pool.options fail 'no option of the pool requests RDMA'
pool convert old
expect_status 0
expect_words pool.transport pass 'over RDMA \(rdma, NFSv4.2\)'
[[ $(proto_of /srv/old) == rdma ]] || fail "converted it goes over $(proto_of /srv/old)"
inside 'echo data >/srv/old/written; sync; cat /export/locks/written' | grep -qx data ||
	fail "what is written does not arrive"
pool revert old
expect_status 0
[[ $(proto_of /srv/old) == tcp ]] || fail "reverted it goes over $(proto_of /srv/old)"

echo "--- no listener, by the words of mount.nfs"
pool convert old -o port=20050,retry=0
expect_status 1
expect_words pool.restart fail 'mount.nfs: Connection refused'
expect_finding pool.rollback pass
[[ $(proto_of /srv/old) == tcp ]] || fail "put back it goes over $(proto_of /srv/old)"

echo "--- silently over TCP: another mount of the server is there first"
pool convert old
expect_status 0
virsh_inside pool-destroy old
inside 'mkdir -p /mnt2; /usr/sbin/mount -t nfs 10.0.2.15:/export/live /mnt2 -o vers=4.2,proto=tcp'
virsh_inside pool-start old
[[ $(proto_of /srv/old) == tcp ]] || fail "the kernel does not share connections: $(proto_of /srv/old)"
pool verify old
expect_status 1
expect_words pool.transport fail 'shares the connection of the mount on /mnt2'
pool list
expect_status 1
# Over NFSv4.1 it is another client.
pool convert old --nfs-version 4.1
expect_status 0
[[ $(proto_of /srv/old) == rdma ]] || fail "NFSv4.1 goes over $(proto_of /srv/old)"
virsh_inside pool-destroy old

echo "--- and a convert that this happens to"
inside 'printf "%s" "<pool type=\"netfs\"><name>new</name><source><host name=\"10.0.2.15\"/><dir path=\"/export/plain\"/><format type=\"nfs\"/><protocol ver=\"4.2\"/></source><target><path>/srv/vms</path></target></pool>" >/run/new.xml'
virsh_inside pool-undefine vms
virsh_inside pool-define /run/new.xml
virsh_inside pool-start new
pool convert new
expect_status 1
expect_words pool.transport fail 'shares the connection of the mount on /mnt2'
expect_finding pool.rollback pass
[[ $(proto_of /srv/vms) == tcp ]] || fail "put back it goes over $(proto_of /srv/vms)"
virsh_inside pool-destroy new

libvirt_end
inside 'umount -l /mnt2'

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A guest whose disk is a file on a mount over RDMA starts, with AppArmor enforcing. AppArmor of
# this libvirt denies it as a volume of a pool, and pool verify reports that.
in_fstab
new_guest web2 "$mountpoint/web2.raw"
inside "$virsh start web2 --paused"
expect_output paused "$virsh domstate web2 | head -n1"
# shellcheck disable=SC2016 # the guest's shell
says 'libvirt-[0-9a-f-]+ \(enforce\)' 'cat /proc/$(cat /run/libvirt/qemu/web2.pid)/attr/current'
inside "$virsh destroy web2"

# The pool is on a directory of its own, over the same connection.
inside "nfsrdma pool define vms nas1:/srv/nfs --target /srv/pool && $virsh pool-start --build vms"
expect_rdma /srv/pool
says 'libvirt [0-9.]+ does not let a guest open' 'nfsrdma pool verify vms'
inside "$virsh dumpxml --inactive web2 | sed \"s,<disk type='file',<disk type='volume',; s,<source file=.*,<source pool='vms' volume='web2.raw'/>,; s,<uuid>.*,,; s,<name>.*,<name>web3</name>,\" >/tmp/web3.xml && $virsh define /tmp/web3.xml"
! guest_tell "$virsh start web3 --paused" >"$work/out" 2>&1 || fail "a disk of type volume is not denied"
grep -q 'Permission denied' "$work/out" || fail "a disk of type volume fails otherwise: $(tail -n1 "$work/out")"
inside "$virsh undefine web3; $virsh undefine web2; $virsh pool-destroy vms; $virsh pool-undefine vms"
expect_running

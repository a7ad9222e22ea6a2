# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The rules of examples/apparmor with Debian's profiles of libvirt, enforced: what each is for is
# denied without it and works with it, and no more than that.
in_fstab
rules=/usr/share/doc/nfsrdma/examples/apparmor
local=/etc/apparmor.d/local
expect_denied() { says "apparmor=.DENIED.*$1" "journalctl -q -k -b -g apparmor=.DENIED"; }

# A hook below /usr/local: libvirtd may not run it, and no guest starts.
hook=/etc/libvirt/hooks/qemu.d/nfsrdma
new_guest web4
inside "cp /usr/sbin/nfsrdma-libvirt-hook /usr/local/sbin/ && ln -sfn /usr/local/sbin/nfsrdma-libvirt-hook $hook"
expect_refused web4 'Permission denied|unexpected exit status 126'
expect_denied 'profile=.libvirtd. name=./usr/local/sbin/nfsrdma-libvirt-hook'
inside "cp $local/usr.sbin.libvirtd /run/ && cat $rules/libvirtd >>$local/usr.sbin.libvirtd && apparmor_parser -r /etc/apparmor.d/usr.sbin.libvirtd"
inside "$virsh start web4 --paused"
inside "$virsh destroy web4; $virsh undefine web4"
inside "cp /run/usr.sbin.libvirtd $local/ && apparmor_parser -r /etc/apparmor.d/usr.sbin.libvirtd"
inside "ln -sfn /usr/sbin/nfsrdma-libvirt-hook $hook && rm /usr/local/sbin/nfsrdma-libvirt-hook"

# virt-aa-helper finds the backing file of an image only where it may read. The header of a qcow2 is
# enough for it: 1 MiB, clusters of 64 KiB, backing file /data/vms/base.
image=$(printf 'QFI\373\0\0\0\2\0\0\0\0\0\0\0\110\0\0\0\016\0\0\0\020\0\0\0\0\0\020\0\0%40s/data/vms/base' '' | tr ' ' '\0' | base64 -w0)
inside "mkdir -p /data/vms && truncate -s 1M /data/vms/base && echo $image | base64 -d >/data/vms/web5"
new_guest web5 /srv/vm/web5.raw
inside "$virsh dumpxml --inactive web5 | sed \"s,<driver .*,<driver name='qemu' type='qcow2'/>,; s,<source file=.*,<source file='/data/vms/web5'/>,\" >/run/web5.xml"
uuid=$(inside "$virsh domuuid web5 | head -n1")
profile() { inside "/usr/lib/libvirt/virt-aa-helper -d -c -u libvirt-$uuid </run/web5.xml"; }
profile >"$work/without"
! grep -q /data/vms/base "$work/without" || fail "virt-aa-helper reads /data/vms without the rule"
inside "cp $local/usr.lib.libvirt.virt-aa-helper /run/ && cat $rules/virt-aa-helper >>$local/usr.lib.libvirt.virt-aa-helper && apparmor_parser -r /etc/apparmor.d/usr.lib.libvirt.virt-aa-helper"
profile >"$work/with"
grep -q '"/data/vms/base" r' "$work/with" || { cat "$work/with"; fail "virt-aa-helper does not find the backing file with the rule"; }
inside "cp /run/usr.lib.libvirt.virt-aa-helper $local/ && apparmor_parser -r /etc/apparmor.d/usr.lib.libvirt.virt-aa-helper"
inside "$virsh undefine web5; rm -r /data"
expect_running

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The guest's own unit for siw is disabled, and that of nfsrdma setup --software makes the link at boot,
# before the line in fstab is mounted over it.
in_fstab
restore() { inside '[ ! -e /etc/systemd/system/siw.service.off ] || mv /etc/systemd/system/siw.service.off /etc/systemd/system/siw.service; systemctl daemon-reload; systemctl --quiet enable siw; nfsrdma setup --undo >/dev/null' || true; }
trap restore EXIT

inside 'systemctl --quiet disable siw; mv /etc/systemd/system/siw.service /etc/systemd/system/siw.service.off'
# Setup takes back only a link that it added itself.
inside "umount $mountpoint; link=\$(rdma link show | sed -n 's,^link \\([^/]*\\)/.* netdev eth0.*,\\1,p'); rdma link delete \$link; ! rdma link show | grep -q 'netdev eth0'"
inside 'nfsrdma setup client --software siw eth0'
inside "rdma link show | grep -q 'netdev eth0'"
expect_output enabled 'systemctl is-enabled nfsrdma-link-eth0.service'

guest_reboot || fail "it does not come back: $(tail -n1 "$guest/console.log")"
expect_output active 'systemctl is-active nfsrdma-link-eth0.service'
inside "rdma link show | grep -q 'netdev eth0'"
expect_rdma "$mountpoint"
expect_running
inside 'systemctl restart nfsrdma-link-eth0.service'
expect_rdma "$mountpoint"

# The link is used by the mount: it stays, and its unit goes.
inside 'nfsrdma setup --undo | tr -s " \n" " " | grep -q "stays until the next boot: this host has 1 NFS mount over RDMA"'
inside 'test ! -e /etc/systemd/system/nfsrdma-link-eth0.service'
expect_rdma "$mountpoint"

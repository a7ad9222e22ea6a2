# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The guest is as other scenarios expect: a complete Debian, in which AppArmor confines libvirtd,
# with an NFS server that listens for RDMA.
note "$(inside 'systemd-analyze time | head -n1')"
expect_running
# shellcheck disable=SC2016 # the guest's shell
expect_output "$debian" '. /etc/os-release && echo $VERSION_ID'
expect_output systemd 'cat /proc/1/comm'

expect_output Y 'cat /sys/module/apparmor/parameters/enabled'
expect_output enforce 'cat /sys/module/apparmor/parameters/mode'
inside aa-status --enabled
# Of a running daemon; it exits when idle.
expect_output qemu:///system virsh -c qemu:///system uri
# shellcheck disable=SC2016 # the guest's shell
expect_output 'libvirtd (enforce)' 'cat /proc/$(pidof libvirtd)/attr/current'

expect_output 'siw0' ls /sys/class/infiniband
inside "grep -qx 'rdma 20049' /proc/fs/nfsd/portlist"

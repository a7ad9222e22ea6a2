# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A line in fstab is mounted by the boot, over RDMA, and the file is there.
in_fstab
inside "dd if=/dev/urandom of=$mountpoint/kept bs=100001 count=11 status=none"
kept=$(checksum "$mountpoint/kept")
boot_id=$(inside cat /proc/sys/kernel/random/boot_id)
began=$(inside 'date +%s')

start=$SECONDS
guest_reboot || fail "it does not come back: $(tail -n1 "$guest/console.log")"
note "reboot: $((SECONDS - start)) s; $(inside 'systemd-analyze time | head -n1')"
[[ $(inside cat /proc/sys/kernel/random/boot_id) != "$boot_id" ]] || fail "it was not rebooted"
# Only the boot has mounted it.
expect_rdma "$mountpoint"
expect_running
[[ $(checksum "$mountpoint/kept") == "$kept" ]] || fail "the file is another one"
inside nfsrdma mounts
inside "journalctl -b -q -o cat MESSAGE_ID=ef2bd12153f54ea28c924253c50030c3 NFSRDMA_TARGET=$mountpoint | grep ."
# It was unmounted before the server stopped.
# shellcheck disable=SC2016 # the guest's shell
expect_output '' "journalctl -b -1 -q -o cat -p warning --since @$began -u $(systemd_escape "$mountpoint").mount"

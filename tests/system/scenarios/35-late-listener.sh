# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A line of fstab whose server is up but has no listener for RDMA yet, as after a power cut: the
# journal of its unit has the reason while it waits, and it is mounted when the listener appears, 40
# s later. A unit that is stopped before also logs the reason.
installed
late=/srv/late unit=srv-late.mount
line="nas1:/srv/nfs $late nfsrdma vers=4.2,retry=10,noauto,_netdev,nofail,x-systemd.mount-timeout=10min 0 0"
inside "mkdir -p $late; grep -qF '$line' /etc/fstab || echo '$line' >>/etc/fstab"
# A listener is removed only with its server.
inside "sed -i 's/^rdma=y/rdma=n/' /etc/nfs.conf.d/rdma.conf; systemctl daemon-reload; systemctl restart nfs-server"
inside '! grep rdma /proc/fs/nfsd/portlist'

# Entries of the unit since $start.
await_entry()
{
	inside "until journalctl -b -q -o cat --since @$start -u $unit | grep '$1'; do sleep 1; done"
}
begin()
{
	start=$(inside 'date +%s')
	inside systemctl start --no-block "$unit"
}

begin
said=$(await_entry 'not mounted yet: .* refuses RDMA on port 20049; retrying for')
echo "$said"
# By the helper's own clock: under emulation it takes seconds to start.
left=${said#*retrying for } left=${left%% s*}
times=$(inside "journalctl -b -q -o short-monotonic --since @$start -u $unit | grep -E 'Mounting|not mounted yet' | tr -d '[]' | cut -c1-12 | paste -sd' '")
note "the reason after $((600 - left)) s of the helper's; unit and reason in the journal at$times"
# An emulated guest on a busy machine gets part of a processor.
[[ ! ${NFSRDMA_MEASURED:-} ]] || ((600 - left < 10)) || fail "the reason came after $((600 - left)) s"
expect_output 1 "journalctl -b -q -o cat --since @$start -u $unit | grep -c 'not mounted yet'"
inside sleep 40
expect_output activating "systemctl is-active $unit || true"
inside "echo 'rdma 20049' >/proc/fs/nfsd/portlist"
listens=$(inside 'date +%s')
inside "while systemctl is-active $unit | grep -q activating; do sleep 1; done; systemctl -q is-active $unit || { journalctl -b -u $unit; exit 1; }"
note "mounted $(($(inside 'date +%s') - listens)) s after the listener came"
expect_rdma "$late"
inside systemctl stop "$unit"

# Stopped by systemd, as for a time-out of the unit.
inside 'systemctl restart nfs-server; ! grep rdma /proc/fs/nfsd/portlist'
begin
await_entry 'not mounted yet'
inside systemctl stop "$unit"
await_entry 'is not mounted: .*refuses RDMA on port 20049 ([0-9]* s ago); stopped by SIGTERM'
inside "! journalctl -b -q -o cat --since @$start -u $unit | grep -i 'interrupted'"

inside "sed -i 's/^rdma=n/rdma=y/' /etc/nfs.conf.d/rdma.conf; systemctl restart nfs-server; systemctl reset-failed"
inside "sed -i '\\| $late |d' /etc/fstab; systemctl daemon-reload; systemctl start remote-fs.target"
inside "! grep -q ' $mountpoint ' /etc/fstab || systemctl start $(systemd_escape "$mountpoint").mount"

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The manual page's unit, word for word, under systemd; and its entries in the journal.
server plain
page=$testbed/../../mount-helper/mount.nfsrdma.8.scd
inside 'grep -q " nas1$" /etc/hosts || echo 192.168.77.1 nas1 >>/etc/hosts'
inside 'mkdir -p /srv/vm /export/vm; grep -q " /export/vm " /proc/mounts || /usr/sbin/mount -t tmpfs vm /export/vm; exportfs -o rw,insecure,no_root_squash,fsid=77 "*:/export/vm"'

systemd()
{
	status=0
	guest_tell systemd "$@" >"$work/out" 2>&1 || status=$?
	cat "$work/out"
}

systemd start
[[ $status == 0 ]] || fail "no systemd: $(tail -n1 "$work/out")"
unit=/run/systemd/system/srv-vm.mount
inside "rm -f $unit"
while IFS= read -r line; do
	inside "echo '$line' >>$unit"
done < <(sed -n '/^\[Unit\]$/,/^WantedBy/p' "$page")
systemd systemctl daemon-reload
# The network is up, and so are the targets of systemd that it needs.
systemd systemctl show -p After srv-vm.mount
grep -q 'remote-fs-pre.target' "$work/out" || fail "with _netdev it is not a network file system"

systemd systemctl start srv-vm.mount
[[ $status == 0 ]] || { systemd systemctl status srv-vm.mount; fail "systemctl start: $status"; }
systemd systemctl is-active srv-vm.mount
[[ $(<"$work/out") == active ]] || fail "the unit is $(<"$work/out")"
systemd cat /proc/self/mountinfo
grep ' /srv/vm ' "$work/out" | grep -q 'nas1:/export/vm .*vers=4.2.*proto=rdma' || fail "it is not over RDMA"
systemd request-find /srv/vm
[[ $(<"$work/out") == "rdma mounted nfsrdma.conf" ]] || fail "what is noted: $(<"$work/out")"
systemd journalctl -o verbose MESSAGE_ID=ef2bd12153f54ea28c924253c50030c3
grep -q 'NFSRDMA_TARGET=/srv/vm' "$work/out" || fail "the journal does not have it"
systemd systemctl stop srv-vm.mount
[[ $status == 0 ]] || fail "systemctl stop: $status"

# It fails as a unit does, with the sentence in the journal. Policy by mount option, through systemd.
inside "sed -i 's/^Options=.*/Options=vers=4.2,_netdev,port=20050,retry=0/' $unit"
systemd systemctl daemon-reload
systemd systemctl start srv-vm.mount
[[ $status != 0 ]] || fail "it is mounted without a listener"
systemd journalctl -o cat MESSAGE_ID=c9c0e35117f8467693b43e8a46bbc737
grep -q 'refuses RDMA on port 20050' "$work/out" || fail "the journal does not say why"
systemd journalctl -o cat -F NFSRDMA_FINDING
grep -qx fabric.listener "$work/out" || fail "the journal has no finding"
systemd end

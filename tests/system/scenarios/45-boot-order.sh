# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The line of fstab that mount.nfsrdma(8) shows, with an address that comes late, as by DHCP: libvirtd starts
# after the mount. While a server is away the boot waits 90 s for it, and then guests on other storage
# start. Three reboots; ten where NFSRDMA_SYSTEM_NIGHTLY is set.
scenario_timeout=3600
in_fstab
reboots=3
[[ ! ${NFSRDMA_SYSTEM_NIGHTLY:-} ]] || reboots=10
page=$system/../../mount-helper/mount.nfsrdma.8.scd
options=$(awk '/^nas1:.* nfsrdma .*nofail/ { print $4; exit }' "$page")
[[ $options == *nofail*x-systemd.before=libvirtd.service* ]] || fail "the page has no such line"
line="nas1:/srv/nfs $mountpoint nfsrdma $options,x-systemd.requires=nfs-server.service 0 0"
away="192.0.2.250:/srv/nfs /srv/away nfsrdma $options 0 0"

# The network is complete 20 s late.
inside "printf '[Unit]\nBefore=network-online.target\nAfter=network.target\n[Service]\nType=oneshot\nExecStart=/bin/sleep 20\n[Install]\nWantedBy=network-online.target\n' >/etc/systemd/system/late.service; systemctl enable late.service"
inside "cp /etc/fstab /root/fstab.before; sed -i '\\| $mountpoint |d' /etc/fstab; echo '$line' >>/etc/fstab; systemctl daemon-reload"
new_guest local /var/lib/libvirt/images/local.raw
inside "$virsh autostart local"

# since_boot UNIT: when it became active, in microseconds since boot
since_boot() { inside "systemctl show --value -p ActiveEnterTimestampMonotonic $1"; }
libvirt=$(inside 'systemctl list-unit-files --no-legend libvirtd.service virtqemud.service | cut -d" " -f1 | head -n1')
for ((i = 0; i < reboots; i++)); do
	guest_reboot || fail "it does not come back: $(tail -n1 "$guest/console.log")"
	expect_rdma "$mountpoint"
	mounted=$(since_boot "$(systemd_escape "$mountpoint").mount") started=$(since_boot "$libvirt")
	note "mounted after $((mounted / 1000000)) s, $libvirt after $((started / 1000000)) s"
	((mounted > 20000000)) || fail "the network was not late"
	((started > mounted)) || fail "$libvirt started before the mount"
done
says 'pass Boot order of mounts: 1 mount' "nfsrdma check --role client -v | grep -A1 'Boot order'"

# A server that is away: the boot goes on, and the guest on other storage runs.
inside "mkdir -p /srv/away; echo '$away' >>/etc/fstab; systemctl daemon-reload"
guest_reboot || fail "it does not come back without the server: $(tail -n1 "$guest/console.log")"
inside "for i in \$(seq 180); do systemctl -q is-active $libvirt && exit 0; sleep 1; done; exit 1"
started=$(since_boot "$libvirt")
note "without the server $libvirt after $((started / 1000000)) s"
inside "for i in \$(seq 60); do [ \"\$($virsh domstate local | head -n1)\" = running ] && exit 0; sleep 1; done; exit 1"

inside "$virsh destroy local; $virsh undefine local; cp /root/fstab.before /etc/fstab; systemctl disable late.service; rm /etc/systemd/system/late.service; systemctl daemon-reload; systemctl reset-failed"
inside "mountpoint -q $mountpoint || systemctl start $(systemd_escape "$mountpoint").mount"
expect_running

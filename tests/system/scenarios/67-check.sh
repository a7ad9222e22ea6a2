# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The units as installed: the timer is not enabled; enabled, it checks at once, confined, and finds what the
# command finds; the journal has entries that journalctl -x explains, and node_exporter's folder has the metrics. The
# watcher is in the host's mount namespace, and reaches libvirt without a network.
in_fstab
expect_output disabled "systemctl is-enabled nfsrdma-check.timer || true"
expect_output enabled systemctl is-enabled nfsrdma-watch
expect_output "755 755 700" "systemd-tmpfiles --create nfsrdma.conf; stat -c %a /run/nfsrdma /run/nfsrdma/requests /var/lib/nfsrdma | paste -sd' '"

# --- the watcher ------------------------------------------------------------------------------------

# shellcheck disable=SC2016 # the guest's
pid='$(systemctl show -p MainPID --value nfsrdma-watch)'
expect_output active systemctl is-active nfsrdma-watch
expect_output same "[ \$(readlink /proc/$pid/ns/mnt) = \$(readlink /proc/1/ns/mnt) ] && echo same"
expect_output other "[ \$(readlink /proc/$pid/ns/net) = \$(readlink /proc/1/ns/net) ] || echo other"
# It connects again in its own time after a scenario that restarted libvirt.
connected() { guest_tell "grep -q '^nfsrdma_watch_libvirt_connected 1$' /run/nfsrdma/metrics.prom"; }
until connected || ((SECONDS > guest_patience)); do sleep 2; done
connected || fail "the watcher does not reach libvirt: $(guest_tell 'journalctl -q -b -u nfsrdma-watch -n 5; cat /run/nfsrdma/metrics.prom' || true)"

# --- a check ----------------------------------------------------------------------------------------

# entry EVENT: the number of such entries.
entry() { guest_tell "journalctl -q -b -o cat -t nfsrdma-check NFSRDMA_EVENT=$1 | wc -l"; }
prom=/var/lib/prometheus/node-exporter/nfsrdma.prom

# Enabled long after boot, it begins within its random delay, which would take this test five minutes.
inside 'mkdir -p /run/systemd/system/nfsrdma-check.timer.d && printf "[Timer]\nRandomizedDelaySec=0\nAccuracySec=1s\nOnBootSec=1s\n" >/run/systemd/system/nfsrdma-check.timer.d/test.conf && systemctl daemon-reload'
inside rm -rf /var/lib/prometheus
passed=$(entry check-passed)
inside systemctl enable --now nfsrdma-check.timer
until (($(entry check-passed) > passed || SECONDS > guest_patience)); do sleep 2; done
(($(entry check-passed) > passed)) || fail "no check: $(guest_tell 'systemctl status nfsrdma-check.timer nfsrdma-check.service; journalctl -q -b -t nfsrdma-check' || true)"
# Without a collector: the check passes, and says that there are no metrics.
says 'no metrics are written: the folder of /var/lib/prometheus/node-exporter/nfsrdma.prom does not exist' \
	'journalctl -q -b -o cat -t nfsrdma-check NFSRDMA_EVENT=check-passed'
inside systemctl disable --now nfsrdma-check.timer

# With one, and with the server: the same findings as the command has without confinement.
inside "mkdir -p /var/lib/prometheus/node-exporter /run/systemd/system/nfsrdma-check.service.d"
inside 'printf "[Service]\nEnvironment=\"OPTIONS=--role both nas1:/srv/nfs\"\n" >/run/systemd/system/nfsrdma-check.service.d/test.conf; systemctl daemon-reload; systemctl start nfsrdma-check'
inside "nfsrdma check --role both nas1:/srv/nfs --textfile /run/unconfined.prom -v"
inside "grep '^nfsrdma_finding{' /run/unconfined.prom | sort >/run/want; grep '^nfsrdma_finding{' $prom | sort | diff -u /run/want - && [ -s /run/want ]"
expect_output "644 root" "stat -c '%a %U' $prom"

# --- a failure --------------------------------------------------------------------------------------

# The unit fails, the journal has the cause, and journalctl -x the steps.
inside 'systemctl stop nfsrdma-check'
inside 'printf "[Service]\nEnvironment=\"OPTIONS=nas1:/srv/nfs --port 20051\"\n" >/run/systemd/system/nfsrdma-check.service.d/test.conf; systemctl daemon-reload'
expect_output failed "systemctl start nfsrdma-check 2>/dev/null; systemctl is-failed nfsrdma-check"
says 'Subject: Finding fabric.listener.* 1\. ' 'journalctl -q -x -b -t nfsrdma-check NFSRDMA_FINDING=fabric.listener'
says 'Subject: The check of NFS over RDMA failed' 'journalctl -q -x -b -t nfsrdma-check NFSRDMA_EVENT=check-failed'
inside "grep -q '^nfsrdma_verdict{.*\"fail\"} 1$' $prom"
# The packages' trigger put nfsrdma.catalog into systemd's database.
says 'No longer over RDMA' 'journalctl --list-catalog 4472ebadc44c491f93fddac77784dd1f'

inside 'rm -rf /run/systemd/system/nfsrdma-check.* /var/lib/prometheus; systemctl daemon-reload; systemctl reset-failed'
expect_running

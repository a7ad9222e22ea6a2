# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Prometheus and node_exporter of this machine, in a network namespace, with the rules of the package: a mount of a host
# falls to TCP, its alert fires once, and is resolved when the mount is over RDMA again.
requires prometheus prometheus-node-exporter promtool python3 unshare ip
scenario_timeout=900

dpkg-deb -x "$(echo "$debs"/nfsrdma_*.deb)" "$work/roots/package"
nfsrdma=$work/roots/package/usr/bin/nfsrdma
examples=$work/roots/package/usr/share/doc/nfsrdma/examples/prometheus
promtool check rules "$examples/nfsrdma.rules.yml"

# Two states of one host.
mkdir "$work/hosts" "$work/prom"
python3 "$source/tests/support/make-host" "$work/hosts" "$source/tests/hosts/mounts-healthy"
cp -a "$work/hosts/mounts-healthy" "$work/hosts/sick"
sed -i '/ \/srv\/v3 /s/,proto=rdma,/,proto=tcp,/' "$work/hosts/sick/proc/self/mountinfo"
sed -i '/mounted on \/srv\/v3 /,/^device files/s/xprt:.*/xprt:\ttcp 803 1 1 0 2 55 55 0 55 0 2 0 0/' "$work/hosts/sick/proc/self/mountstats"

# The rules wait for minutes; here for seconds.
sed 's/^\( *for:\) .*/\1 2s/' "$examples/nfsrdma.rules.yml" >"$work/rules.yml"
cat >"$work/prometheus.yml" <<'END'
global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs:
  - job_name: node
    static_configs: [{targets: ['127.0.0.1:9100']}]
alerting:
  alertmanagers:
    - static_configs: [{targets: ['127.0.0.1:9093']}]
END

# They end with their parent: it is the first process of a namespace.
unshare --net --pid --fork --kill-child --mount-proc "$source/tests/packages/prometheus-alerts" \
	"$nfsrdma" "$work/hosts/mounts-healthy" "$work/hosts/sick" "$work"

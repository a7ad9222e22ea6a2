# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Without options: verbs where the route uses an RDMA device, otherwise software iWARP, and the
# reason. And the requested device and address.
server plain
probe_inside 192.168.77.1:/export/plain --level quick --format json
expect_good verbs 4.2
expect_words probe.route pass rxe0

probe_inside 10.0.2.15:/export/plain --level quick --device siw0 --bind 10.0.2.15 --format json
expect_good verbs 4.2
expect_words probe.route pass siw0

# veth1 has no device, and nothing listens for TCP there.
serve_inside --listen 192.168.78.1:0
probe_inside "192.168.78.1:$serve_export" --port "$serve_rdma" --mount-port "$serve_mount" \
	--nfs-port "$serve_nfs" --level quick --format json
serve_end
expect_status 0
expect_report '.subject.transport == "iwarp"' "not over iwarp"
expect_words probe.route pass 'no RDMA device|veth1|RDMA_CM_EVENT'

probe_inside 192.168.77.1:/export/plain --level quick --device rxe9 --format json
expect_status 3
expect_words probe.route unknown rxe9
expect_reason probe.route/unknown-device

probe_inside 192.168.77.1:/export/plain --level quick --device siw0 --bind 192.168.77.1 --format json
expect_reason probe.route/other-device
probe_inside 192.168.77.1:/export/plain --level quick --transport verbs --bind 192.168.78.1 --format json
expect_reason probe.route/bind
probe_inside 192.168.77.1:/export/plain --level quick --transport iwarp --bind 192.0.2.1 --format json
expect_reason probe.connect/bind
inside 'sysctl -qw net.ipv6.conf.all.disable_ipv6=1'
probe_inside '[2001:db8::1]:/export/plain' --level quick --device siw0 --format json
inside 'sysctl -qw net.ipv6.conf.all.disable_ipv6=0'
expect_reason probe.route/no-address

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Unreachable hosts: the check is unknown, exit status 3, before the deadline. In a network
# namespace of the test's own, with documentation addresses (RFC 5737).
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq ip unshare
requires_root
unshare -n true 2>/dev/null || skip "no network namespace"

# Packets that are routed to lo without being for an address of it are dropped silently.
run_prefix=(unshare -n sh -ec '
	ip link set lo up
	ip route add 192.0.2.0/24 dev lo src 127.0.0.1
	ip route add unreachable 198.51.100.0/24
	ip route add prohibit 198.51.100.128/25
	exec "$@"' -)

# route NAME HOST WORDS ID/REASON
route()
{
	probe "$2:/export" --timeout 3
	expect_status 3
	within 4000 "$1 with --timeout 3"
	expect_first_problem "$3"
	expect_reason "$4"
	echo "ok - $1 ($(seconds "$took") s)"
}

route "nobody answers"       192.0.2.2            'time|answer'    probe.connect/silent
route "unreachable"          198.51.100.1         'route|reach'    probe.connect/unreachable
route "prohibited"           198.51.100.129       'TCP connect'    probe.connect/forbidden
route "no route"             203.0.113.1          'route|reach'    probe.connect/no-route
route "name without address" nobody.invalid       'nobody.invalid' probe.address/resolver-silent

# An rpcbind in which every program has port 0: none is registered.
requires python3
# shellcheck disable=SC2016 # of the inner shell
run_prefix=(unshare -n sh -ec '
	ip link set lo up
	python3 "$1" mountd status=0 port=111 >"$2/rpcbind" &
	rpcbind=$!
	"$3" serve --listen 127.0.0.1:20049 >"$2/serve" &
	serve=$!
	trap "kill $rpcbind $serve" EXIT
	until [ -s "$2/rpcbind" ] && [ -s "$2/serve" ]; do sleep 0.05; done
	shift 3
	"$@"' - "$NFSRDMA_SOURCE/tests/cli/peer.py" "$work" "$NFSRDMA")
probe 127.0.0.1:/ --nfs-version 3
expect_status 3
expect_reason probe.mount/no-mountd
echo "ok - mountd that is not registered ($(seconds "$took") s)"

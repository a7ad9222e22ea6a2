# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The library over verbs: its calls, CLIENT and server of libtirpc, and the example, two programs
# as rpcgen and a user would write them.
for address in 192.168.77.1 10.0.2.15; do
	unit_inside $address unit-rpcrdma unit-clnt
	guest_tell sh "rm -f /run/echo; echo-server $address 20060 verbs >/run/echo 2>&1 & pid=\$!;" \
		"until [ -s /run/echo ] || [ ! -d /proc/\$pid ]; do sleep 0.2; done;" \
		"echo-client $address 20060 verbs; status=\$?; kill \$pid; cat /run/echo; exit \$status" \
		>"$work/echo" || { cat "$work/echo"; fail "over $address: $(grep -v equal "$work/echo" | head -n1)"; }
	cat "$work/echo"
	(($(grep -c 'bytes there and back: equal' "$work/echo") == 14)) || fail "over $address: not all sizes came back"
done

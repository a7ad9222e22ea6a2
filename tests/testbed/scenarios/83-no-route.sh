# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The route to the server uses a network card without RDMA.
server plain
for address in 192.168.78.1 192.168.78.2; do
	probe_inside "$address:/export/plain" --transport verbs --format json
	expect_status 3
	expect_words probe.route unknown 'RDMA_CM_EVENT_ADDR|rdma_resolve_addr|no RDMA device'
	[[ $address != 192.168.78.1 ]] || expect_reason probe.route/not-rdma
done

# Loopback belongs to no device: the kernel takes the first device, or none, and has no route by
# it.
probe_inside 127.0.0.1:/export/plain --transport verbs --format json
expect_status 3
expect_report '[.findings[] | select(.status == "unknown")
	| .summary | test("RDMA_CM_EVENT_ADDR|rdma_resolve_(addr|route)|no RDMA device")] == [true]' \
	"loopback is not told as no way"

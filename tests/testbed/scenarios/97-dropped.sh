# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# RoCE packets are dropped on the way, before there is a connection, and while READs
# are under way. Ping works all the time.
second_guest
server plain
guest_tell roce drop
second inside 'ping -c 1 10.9.0.1'
second probe_inside 10.9.0.1:/export/plain --transport verbs --timeout 60 --format json
guest_tell roce pass
expect_status 3
expect_words probe.connect unknown 'RDMA_CM_EVENT_UNREACHABLE|time'
expect_reason probe.connect/fabric-silent

(guest_tell sh "$(until_reading)"; guest_tell roce drop) &
second probe_inside 10.9.0.1:/export/plain --transport verbs --level full --timeout 120 --format json
wait
guest_tell roce pass
expect_status 1
expect_no_bug

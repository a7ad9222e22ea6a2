# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The device is there, its port is down.
server plain
inside 'ip link set veth0 down'
probe_inside 192.168.77.1:/export/plain --transport verbs --format json
expect_status 3
expect_words probe.route unknown 'rxe0.*(DOWN|down)|is down'
expect_reason probe.route/port-down

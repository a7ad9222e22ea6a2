# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# No host has the address.
server plain
probe_inside 192.168.77.99:/export/plain --transport verbs --timeout 60 --format json
expect_status 3
expect_words probe.route unknown 'resolving.*RDMA_CM_EVENT_(ADDR|ROUTE)'
expect_reason probe.route/unresolved

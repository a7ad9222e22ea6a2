# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A kernel server with wrong Write chunks (sick-server.h).
server sick zeros-over-812
probe_guest /export/plain --format json
expect_status 1
expect_finding bug.write-chunk-read fail

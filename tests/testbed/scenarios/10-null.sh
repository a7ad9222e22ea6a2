# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The minimal probe: MPA, NULL, credits, one file.
server plain
probe_guest /export/plain --level quick
expect_status 0

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The other direction: a kernel client reads from our embedded server.
server plain
serve
mount_check 3

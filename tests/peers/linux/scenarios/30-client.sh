# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The kernel's client reads every file of our embedded server right, by NFSv3.
log_mark
# shellcheck source=../../../testbed/scenarios/60-client.sh
. "$testbed/scenarios/60-client.sh"
log_clean

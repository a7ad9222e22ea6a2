# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The other faults of a kernel server (sick.sh), NFSv4.1.
only_nightly
scenario_timeout=3600
# shellcheck source=../sick.sh
. "$testbed/sick.sh"
true_clock
sick_others 4.1
sick_end

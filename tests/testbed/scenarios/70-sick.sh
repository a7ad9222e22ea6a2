# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A kernel server with wrong Write chunks (sick-server.h), four faults of sick.sh in NFSv3; the others
# are sick-v3 and sick-v41.
# shellcheck source=../sick.sh
. "$testbed/sick.sh"
true_clock
for fault in $sick_quick; do
	sick_row "$fault" 3
done

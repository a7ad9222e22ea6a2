# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# All faults of WRITEs of a kernel server (sick.sh), in NFSv3 and 4.1.
only_nightly
scenario_timeout=1800
# shellcheck source=../sick.sh
. "$testbed/sick.sh"
true_clock
for version in 3 4.1; do
	while read -r fault _; do
		sick_write_row "$fault" $version
	done < <(sick_write_rows)
done
sick_end

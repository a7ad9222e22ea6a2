# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A kernel server that stores wrongly what it gets by Read chunk (sick-server.h), over siw: four
# faults, two of them in each version; the others are sick-write-all.
# shellcheck source=../sick.sh
. "$testbed/sick.sh"
true_clock
sick_write_row write-zeros 3
sick_write_row write-segments 3
sick_write_row write-page 4.1
sick_write_row write-1-in-50 4.1
sick_end

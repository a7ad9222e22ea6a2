#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A kernel before 3.17 has no getrandom(2). The kernels whose client has the 812-byte bug are older:
# our client and server must work there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3

run_prefix=("$(dirname "$NFSRDMA")/tests/support/without-getrandom")
! "${run_prefix[@]}" python3 -c 'import os; os.getrandom(1)' 2>"$work/err" || fail "getrandom(2) is there"
grep -q 'not implemented' "$work/err" || fail "$(<"$work/err")"

for version in 3 4.0 4.1; do
	probe --embedded --level quick --nfs-version "$version"
	expect_status 0
	expect_report "what it says" '.verdict == "pass" and all(.findings[]; .status != "fail" and .status != "warn")'
done

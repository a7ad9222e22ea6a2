#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# suite.sh PROGRAM: what failing assertions print (suite.h). PROGRAM is suite-fails.c; its output
# is suite-fails.txt, but for line numbers, seconds and the banner of CUnit.
set -euo pipefail

expected=$(dirname "${BASH_SOURCE[0]}")/suite-fails.txt
status=0
# meson names what runs a program for another processor.
read -ra wrapper <<<"${MESON_EXE_WRAPPER:-}"
output=$("${wrapper[@]}" "$1" 2>&1) || status=$?
((status == 1)) || { printf '%s\n' "$output"; echo "exit status $status, expected 1"; exit 1; }

diff -u "$expected" <(sed -E '1,/cunit.sourceforge/d
	s/(suite-fails\.c):[0-9]+/\1:LINE/
	s/^(Elapsed time =) .*/\1 SECONDS/' <<<"$output")

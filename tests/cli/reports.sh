#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The whole text that a probe prints of a fault of the embedded server: tests/reports/FAULT.txt. Numbers
# and where lines break may differ. NFSRDMA_ACCEPT=1 writes what came as what is expected.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

reports=$NFSRDMA_SOURCE/tests/reports
bad=()

# Ports, counts of READs and times are not the same twice; nor are the cells of the READ matrix where chance
# or time decides which READs fail.
flat()
{
	local cells='^$'

	[[ ! $fault =~ ^(at-times|linux-3|pad-written|reply-first|tail-unwritten) ]] ||
		cells='^  (READ size|inline|(Reply|Write) chunk|  (unaligned|segments|after others|in flight)|COMPOUND) '
	# By chance a byte that is not written is right, and then no client's first Write chunk fails.
	grep -vE "$cells" "$1" | sed -E 's/Write chunk READs, Linux client profiles/Write chunk READs/; s/\b(0x)?[0-9a-f]*[0-9][0-9a-f]*\b/N/g' | tr -s ' \n' ' '
}

for file in "$reports"/*.txt; do
	fault=${file##*/} fault=${fault%.txt}
	run probe --embedded --transport iwarp --level quick --reads 0 --fault "$fault"
	[[ -s $work/out && ! -s $work/err ]] || { show; fail "$fault: no report, or words on stderr"; }
	sed -E 's/; [0-9.]+ s$//' "$work/out" >"$work/text"
	expect_page "$work/text" "$fault"
	if [[ ${NFSRDMA_ACCEPT:-} ]]; then
		cp "$work/text" "$file"
	elif [[ $(flat "$work/text") != "$(flat "$file")" ]]; then
		diff -u "$file" "$work/text" || true
		bad+=("$fault")
	fi
done
((${#bad[@]} == 0)) || fail "not as expected: ${bad[*]}"

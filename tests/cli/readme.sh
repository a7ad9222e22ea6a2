#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# README's example of a sick server is what the program prints, line for line and in this order, but
# for the numbers and for what is left out ("…"). The answer is in its second line, and the defect leads.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readme=$NFSRDMA_SOURCE/README.md
# shellcheck disable=SC2016 # a regular expression
sed -n '/^\$ build\/nfsrdma probe /,/^```$/{/^```$/!p}' "$readme" >"$work/example"
read -r _ _ command <"$work/example" || fail "README has no example"
read -ra arguments <<<"$command"
LC_ALL=C.UTF-8 run "${arguments[@]}"
expect_status 1

any_number() { sed -E 's/[0-9]+/N/g' "$1"; }
any_number "$work/out" >"$work/printed"
sed 1d "$work/example" >"$work/lines"
any_number "$work/lines" >"$work/expected"

# Except for blank lines and omissions, each line follows the one before it.
at=0
while IFS= read -r line; do
	[[ ${line// /} && ${line// /} != … ]] || continue
	if [[ $line == *' …' ]]; then
		found=$(awk -v at="$at" -v line="${line% …}" 'NR > at && index($0, line) == 1 { print NR; exit }' "$work/printed")
	else
		found=$(awk -v at="$at" -v line="$line" 'NR > at && $0 == line { print NR; exit }' "$work/printed")
	fi
	[[ $found ]] || { show; fail "README has, and the program has not: $line"; }
	at=$found
done <"$work/expected"
((at > 10)) || fail "the example has only $at lines"

what='Write-chunk READs from 813 bytes are corrupt in '
answer='FAIL  NFS over RDMA with 127.0.0.1 returns wrong data: Write-chunk READs from'
[[ $(sed -n 2p "$work/out") == "$answer" ]] || { show; fail "the second line is not the answer"; }
grep -m1 -E '^  (FAIL|WARN|UNKNOWN) ' "$work/out" | grep -qE '^  FAIL  .*\[bug\.write-chunk-read' || { show; fail "the defect does not lead"; }
run "${arguments[@]}" --format nagios
expect_status 2
[[ $(head -n 1 "$work/out") == "NFSRDMA PROBE CRITICAL - $what"* ]] || { show; fail "Nagios' line does not say the defect"; }

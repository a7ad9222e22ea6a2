#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The benchmark prints every promised value. Today's speed of this machine is printed, but not
# judged.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

run bench --embedded --format json
[[ $status == 0 ]] || expect_status 1
expect_report "command" '.command == "bench"'
for id in bench.read.1m-8 bench.read.4k-32 bench.null; do
	# shellcheck disable=SC2016 # jq's variable
	expect_report "$id has no ratio" --arg id "$id" '[.findings[] | select(.id == $id)]
		| length == 1 and (.[0].evidence.ratio_to_tcp | type == "number" and . > 0)'
	# shellcheck disable=SC2016
	expect_report "$id has no raw figures of five pairs" --arg id "$id" '[.findings[]
		| select(.id == $id)][0].evidence | .pairs >= 5 and length > 3'
	# shellcheck disable=SC2016
	echo "ok - $(report --arg id "$id" '.findings[] | select(.id == $id) | .summary')"
done

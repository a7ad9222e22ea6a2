#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The benchmark measures what it reports, compares with TCP, and shows the parts of the ratio. No
# test checks the speed: that depends on the machine.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

# expect_bench BASELINE
expect_bench()
{
	expect_status 0
	expect_finding bench.null pass
	expect_finding bench.read.write-chunk pass
	# shellcheck disable=SC2016 # jq's variables
	expect_report "figures of both" --arg baseline "$1" '[.findings[]
		| select(.id | startswith("bench.")) | .evidence] | length == 2 and all(.[];
			.pairs >= 5 and .ratio_to_tcp > 0 and .ratio_of_best > 0
			and .operations_per_sample > 0 and .bytes_per_sample > 0
			and .us_min > 0 and .us_min <= .us_median and .us_median <= .us_max
			and .tcp_us_min > 0 and .tcp_us_min <= .tcp_us_median
			and .tcp_us_median <= .tcp_us_max and .processors > 0
			and .baseline == $baseline)'
	# shellcheck disable=SC2016
	expect_report "ratios of the pairs" 'all(.findings[] | select(.id | startswith("bench."))
		| .evidence; . as $e | .ratios | split(" ") | map(tonumber) | sort
		| length == $e.pairs and .[0] <= $e.ratio_to_tcp + 0.001
			and .[-1] >= $e.ratio_to_tcp - 0.001)'
	expect_report "READ" '.findings[] | select(.id == "bench.read.write-chunk") | .evidence
		| .read_bytes == 1048576 and .depth == 8 and .crc == "on"
		and .bytes_per_sample == .operations_per_sample * .read_bytes
		and .mb_per_s_min > 0 and .mb_per_s_min <= .mb_per_s_median
		and .mb_per_s_median <= .mb_per_s_max and .tcp_mb_per_s_median > 0'
	expect_report "NULL" '.findings[] | select(.id == "bench.null") | .evidence
		| .call_bytes == 68 and .reply_bytes == 52'
	[[ ! -s $work/err ]] || { show; fail "something on stderr"; }
}

# The embedded server, compared with plain bytes over loopback.
run bench --embedded --level quick --format json
expect_bench "a plain TCP connection over loopback"

# shellcheck disable=SC2016 # jq's variable
expect_report "a tuned stream" '.findings[] | select(.id == "bench.read.write-chunk") | . as $f
	| .evidence | .ratio_to_tuned_tcp > 0 and .tuned_tcp_mb_per_s_min > 0
		and .tuned_tcp_mb_per_s_min <= .tuned_tcp_mb_per_s_median
		and .tuned_tcp_mb_per_s_median <= .tuned_tcp_mb_per_s_max
		and (.tuned_tcp | test("^(default|[0-9]+ KiB) buffers, [0-9]+ KiB sends, "))
		and (.tuned_tcp as $tuned | $f.summary | contains("; tuned (" + $tuned + ") "))'

# Any other server, compared with its own NFS over TCP.
start_server
run bench --level quick --format json "127.0.0.1:$export" "${server[@]}"
expect_bench "NFS over TCP"
expect_report "no tuned stream" '[.findings[] | .evidence | has("tuned_tcp", "ratio_to_tuned_tcp")]
	| any | not'

# Without an export there is nothing to read, and the report says so.
run bench --level quick --format json 127.0.0.1 "${server[@]}"
expect_finding bench.read.write-chunk unknown
expect_status 3

# Fast but wrong data does not count as fast.
stop_server
start_server --fault write-chunk-over-812=garbage
run bench --level quick --format json "127.0.0.1:$export" "${server[@]}"
expect_status 1
expect_finding bench.read.write-chunk fail

# Too little time is reported, and the limit is kept.
run bench --embedded --level full --timeout 1 --format json
within 4500 "--timeout 1"
run bench
expect_status 2

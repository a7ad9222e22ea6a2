#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The benchmark measures what it reports, compares with TCP, and shows the parts of the ratio. No
# test checks the speed: that depends on the machine.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

# expect_bench IDS: figures of both sides.
expect_bench()
{
	expect_status 0
	# shellcheck disable=SC2016 # jq's variables
	expect_report "findings" --arg ids "$1" '[.findings[] | select(.id | startswith("bench.")) | .id] == ($ids / " ")'
	expect_report "figures of both" '[.findings[] | select(.id | startswith("bench.")) | .evidence] | all(.[];
		.pairs >= 5 and .ratio_to_tcp > 0 and .operations_per_sample > 0 and .processors > 0
		and .per_s_median > 0 and .tcp_per_s_median > 0 and .baseline == "NFS over TCP"
		and .us_max > 0 and .tcp_us_max > 0
		and (.us_p99 == null or (.us_p50 <= .us_p99 and .us_p99 <= .us_max))
		and (.tcp_us_p99 == null or (.tcp_us_p50 <= .tcp_us_p99 and .tcp_us_p99 <= .tcp_us_max)))'
	# shellcheck disable=SC2016 # jq's variable
	expect_report "ratios of the pairs" 'all(.findings[] | select(.id | startswith("bench."))
		| .evidence; . as $e | .ratios | split(" ") | map(tonumber) | sort
		| length == $e.pairs and .[0] <= $e.ratio_to_tcp + 0.001
			and .[-1] >= $e.ratio_to_tcp - 0.001)'
	! grep -v 'writes to the new file' "$work/err" || { show; fail "something on stderr"; }
}

# expect_reads ID BYTES DEPTH
expect_reads()
{
	# shellcheck disable=SC2016 # jq's variables
	expect_report "$1" --arg id "$1" --argjson bytes "$2" --argjson depth "$3" '.findings[] | select(.id == $id) | .evidence
		| (.read_bytes // .write_bytes) == $bytes and .depth == $depth and .crc == "on"
		and .mb_per_s_min > 0 and .mb_per_s_min <= .mb_per_s_median
		and .mb_per_s_median <= .mb_per_s_max and .tcp_mb_per_s_median > 0
		and .processor_s_per_gb > 0 and .tcp_processor_s_per_gb > 0
		and (.mb_per_s_median - .per_s_median * $bytes / 1e6 | fabs) < 1'
}

all="bench.null bench.read.4k-1 bench.read.4k-32 bench.read.1m-1 bench.read.1m-8"
run bench --embedded --level quick --format json
expect_bench "$all"
expect_reads bench.read.4k-1 4096 1
expect_reads bench.read.4k-32 4096 32
expect_reads bench.read.1m-1 1048576 1
expect_reads bench.read.1m-8 1048576 8

# Chosen cases, over another version, and a limit that anything meets.
start_server
run bench --level quick --format json --nfs-version 3 --case read-4k-32,null --fail-below read-4k=1/s,p99-null=100000ms \
	"127.0.0.1:$export" "${server[@]}"
expect_status 0
expect_report "the cases" '[.findings[] | select(.id | startswith("bench.")) | .id] == ["bench.null", "bench.read.4k-32", "bench.limit"]'
expect_finding bench.limit pass

# WRITEs, to a file that is gone then, in each version; the data that was stored is compared.
for version in 3 4.0 4.1; do
	run bench --level quick --format json --nfs-version $version --scratch new --case write-4k-1,write-4k-32,write-1m-1,write-1m-8 \
		--fail-below write-4k=1/s "127.0.0.1:$export" "${server[@]}"
	expect_report "the cases" '[.findings[] | select(.id | startswith("bench.")) | .id] == ["bench.write.4k-1",
		"bench.write.4k-32", "bench.write.1m-1", "bench.write.1m-8", "bench.limit"]'
	expect_status 0
	expect_reads bench.write.4k-1 4096 1
	expect_reads bench.write.4k-32 4096 32
	expect_reads bench.write.1m-1 1048576 1
	expect_reads bench.write.1m-8 1048576 8
	expect_report "the file" 'any(.findings[]; .id == "probe.scratch" and .summary == "/new was made and removed")'
done
run bench --embedded --case write-4k-1
expect_status 2

# A limit that nothing meets fails, names what there is, and is the first line.
run bench --embedded --case null --time 1 --fail-below null=1000000000/s --format json
expect_status 1
expect_report "the first line" '.answer | test(" is slow: null is [0-9]+/s .limit 1000000000/s.")'
run bench --embedded --case null --time 1 --fail-below p99-null=0.001us --format json
expect_status 1
expect_finding bench.limit fail
# What was not measured is not met.
run bench --embedded --case null --time 1 --fail-below read-1m=1MB/s --format json
expect_status 3
expect_finding bench.limit unknown

# The table: a row for each side of each case, and nothing wider than the page.
run bench --embedded --level quick
expect_status 0
[[ $(grep -cE '^ +(NULL|READ (4 KiB|1 MiB)( x [0-9]+)?) +(rdma|tcp) +[0-9]+(/s| MB/s) ' "$work/out") == 10 ]] ||
	{ show; fail "not ten rows"; }
(($(wc -l <"$work/out") <= 20)) || { show; fail "more than 20 lines"; }
(($(wc -L <"$work/out") <= 80)) || { show; fail "wider than 80 columns"; }

for limit in "" "," read-4k=fast read=5/s nothing=1/s read-4k=5us p99-4k=5/s read-4k= read-4k=-1/s read-4k "=1/s" "p99-=1us" \
	"read-4k=$(printf '9%.0s' {1..40})/s" "$(printf 'read-4k=1/s,%.0s' {1..9})"; do
	run bench --embedded --fail-below "$limit"
	expect_status 2
done
run bench --embedded --case read-5k-1
expect_status 2

# Without an export there is nothing to read, and the report says so.
run bench --level quick --format json 127.0.0.1 "${server[@]}"
expect_finding bench.read.1m-8 unknown
expect_status 3

# Fast but wrong data does not count as fast.
stop_server
start_server --fault write-chunk-over-812=garbage
run bench --level quick --format json "127.0.0.1:$export" "${server[@]}"
expect_status 1
expect_finding bench.read.4k-1 fail
stop_server
start_server --fault write=above-64k
run bench --level quick --format json --scratch / --case write-1m-1 "127.0.0.1:$export" "${server[@]}"
expect_status 1
expect_finding bench.write.1m-1 fail
expect_reason bench.write.1m-1/wrong
# Nor do WRITEs of which only the first are stored.
stop_server
start_server --fault write=stops
run bench --level quick --format json --scratch / --case write-4k-1 "127.0.0.1:$export" "${server[@]}"
expect_status 1
expect_reason bench.write.4k-1/wrong
# An error is no wrong data, and neither is a short WRITE.
while read -r fault reason words; do
	stop_server
	start_server --fault "write=$fault"
	run bench --level quick --format json --scratch / --case write-1m-1 "127.0.0.1:$export" "${server[@]}"
	expect_status 3
	expect_finding bench.write.1m-1 unknown
	expect_reason "bench.write.1m-1/$reason"
	# shellcheck disable=SC2016 # jq's variable
	expect_report "its name" --arg words "$words" 'any(.findings[]; .id == "bench.write.1m-1" and (.summary | test($words)))'
done <<-'END'
	eio error NFS(3|4)ERR_IO
	short short only.4096.of.1048576.bytes
END

# Too little time is reported, and the limit is kept.
run bench --embedded --level full --timeout 1 --format json
within 4500 "--timeout 1"
run bench
expect_status 2

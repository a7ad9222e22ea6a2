#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Random READs: after a sweep that found nothing they find a server that fails once in 500 READs, say
# what rate a healthy one excludes, end in time, crash no server, and blame no file that changes.
# shellcheck disable=SC2016 # jq's variables
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

# random FILTER [ARGUMENT...]: jq on the finding.
random() { expect_report "probe.read.random: not $1" "${@:2}" '.findings[] | select(.id == "probe.read.random") | '"$1"; }

# skipped WORDS: none were made.
skipped()
{
	expect_status 0
	expect_finding probe.read.random skip
	random '.summary | startswith("no random READs: ")'
	random '.summary | test($words)' --arg words "$1"
	random '.evidence == {}'
}

# The default number, unless this machine is too busy for it, by all mechanisms, and the rule of
# three.
for version in 3 4.0 4.1; do
	run probe --format json --embedded --nfs-version "$version"
	expect_status 0
	expect_finding probe.read.random pass
	random '.evidence | (.reads == 5000 and .ended == "all done" or .reads < 5000 and (.ended | test("time")))
		and .wrong == 0 and .inline > 20 and .write_chunk > 100 and .reply_chunk > 20
		and .inline + .write_chunk + .reply_chunk == .reads and .answered_inline == 0
		and .bytes > 1e6 and .bytes < 3e8 and .seconds > 0 and (.rate_below * .reads - 3 | fabs) < 0.01
		and (.seed | test("^[0-9a-f]{16}$"))'
	random '.evidence.reads as $reads | .summary | test("^\($reads) random READs were correct .*95 % confidence fewer than 1 in \($reads / 3 | floor) fail(;|$)")'
	# They are included in the counts of READs.
	expect_report "they do not count" '(.findings | map({ key: .id, value: .evidence }) | from_entries) as $e
		| $e["probe.read.intermittent"].of > $e["probe.read.random"].reads + 300'
	echo "ok - healthy, NFSv$version ($(seconds "$took") s, $(report '.findings[] | select(.id == "probe.read.random") | .summary'))"
done

# The same seed gives the same READs, another one different READs.
bytes=()
for seed in 1f 1f 20; do
	probe --embedded --reads 200 --seed "$seed"
	expect_status 0
	random '.evidence.reads == 200 and (.evidence.seed | test("^0{14}" + $seed + "$"))' --arg seed "$seed"
	bytes+=("$(report '.findings[] | select(.id == "probe.read.random") | .evidence.bytes')")
done
[[ ${bytes[0]} == "${bytes[1]}" && ${bytes[0]} != "${bytes[2]}" ]] || fail "bytes by seed: ${bytes[*]}"
echo "ok - seed"

# None if not requested.
probe --embedded
skipped 'none were requested'
run probe --format json --embedded --level quick
skipped 'level quick'
run probe --embedded --level quick --reads 5
expect_status 2
expect_sentence '--level quick sends no random READs: leave out --reads'
probe --embedded --reads 2
expect_finding probe.read.random skip
random '.summary == "only 2 random READs: all done"'
echo "ok - none"

# Wrong once in 500: the sweep misses it, random READs find it, and it is one finding.
probe --embedded --fault rarely
expect_status 0
expect_finding probe.read.intermittent pass
for way in bit page eio; do
	probe --embedded --fault "rarely=$way" --reads 5000
	expect_status 1
	expect_finding probe.read.intermittent fail
	expect_report "another finding than of READs failed" '[.findings[] | select(.status == "fail") | .id] | sort ==
		["probe.read.intermittent", "probe.read.write-chunk"]'
	expect_report "how many of how many" '.findings[] | select(.id == "probe.read.intermittent") | .evidence
		| .wrong >= 1 and .wrong <= 8 and .of / .wrong > 400'
	expect_finding probe.read.random skip
	random '.evidence.wrong == ([.summary | scan("[0-9]+")][0] | tonumber)'
	echo "ok - rarely=$way ($(report '.findings[] | select(.id == "probe.read.intermittent") | .summary'))"
done

# Not after a failure: a failing sweep fails as before.
probe --embedded --fault write-chunk --reads 5000
expect_status 1
expect_finding bug.write-chunk-read fail
random '.status == "skip" and (.summary | test("fail already"))'
echo "ok - a sweep that found something"

# A server that crashes like nfs-ganesha survives: the same rule as everywhere.
for kind in ganesha unknown; do
	start_server --fault "foreign=$kind"
	probe_server --reads 1000
	expect_status 0
	kill -0 "$server_pid" || fail "the server died"
	random '.status == "pass" and .evidence.reply_chunk > 20 and
		(.evidence.answered_inline > 0) == ($kind == "ganesha") and
		(.evidence | .inline + .write_chunk + .reply_chunk + .answered_inline == .reads)' --arg kind "$kind"
	# Without a reference over TCP: one window.
	probe "127.0.0.1:$export" --port "$rdma_port" --mount-port "$mount_port" --nfs-port 1 --nfs-version 4.1 --reads 300
	expect_status 0
	expect_finding probe.reference skip
	random '.status == "pass" and .evidence.reads == 300'
	stop_server
	echo "ok - $kind lives"
done

# Small files: never past the end, and no READ of less than a sector.
for size in 511 512 4099; do
	mkdir "$work/export-$size"
	head -c "$size" /dev/urandom >"$work/export-$size/file"
	chmod 755 "$work/export-$size"
	chmod 644 "$work/export-$size/file"
	start_server --export "$work/export-$size"
	probe_server --reads 300
	if ((size < 512)); then
		random '.status == "skip" and (.summary | test("sector of 512 bytes"))'
	else
		random '.status == "pass" and .evidence.reads == 300 and .evidence.bytes <= 300 * ($size | tonumber)' --arg size "$size"
	fi
	# Nothing is proven of larger READs.
	expect_status 3
	stop_server
done
echo "ok - small files"

# No pass where the file is too small for the defect to show.
for case in 500:write-chunk-over-812 812:write-chunk-over-812 4096:page-shift 65535:; do
	size=${case%%:*}
	mkdir -p "$work/small-$size"
	head -c "$size" /dev/urandom >"$work/small-$size/file"
	chmod 755 "$work/small-$size"
	chmod 644 "$work/small-$size/file"
	fault=${case#*:}
	start_server --export "$work/small-$size" ${fault:+--fault "$fault"}
	for level in quick standard full; do
		probe_server --level "$level"
		expect_status 3
		expect_finding bug.write-chunk-read unknown
		expect_report "the reason" 'any(.findings[]; .id == "bug.write-chunk-read" and .reason == "small-file")'
		run probe "127.0.0.1:$export" "${server[@]}" --level "$level"
		grep -qE '^UNKNOWN .*answers NFS over RDMA, but not all is known:' "$work/out" ||
			{ show; fail "the first line does not say what was proven"; }
	done
	stop_server
done
echo "ok - files that are too small to prove more"

# Time, if the number cannot be reached: nothing was lost, nothing is unknown.
probe --embedded --reads 90000000 --timeout 20
expect_status 0
expect_report "something is not known" 'all(.findings[]; .status == "pass" or .status == "skip")'
expect_finding probe.read.write-chunk pass
random '.status == "pass" and .evidence.reads < 90000000 and (.summary | test("stopped early: out of time$"))'
echo "ok - time ($(report '.findings[] | select(.id == "probe.read.random") | .summary'))"

# Files that are written to from the first random READ on are not a failure.
mkdir "$work/live"
for i in 1 2; do head -c 3000000 /dev/urandom >"$work/live/file$i"; done
chmod 755 "$work/live"
chmod 644 "$work/live"/*
start_server --export "$work/live"
NFSRDMA_DEBUG=probe "$NFSRDMA" probe --format json "127.0.0.1:$export" "${server[@]}" --reads 5000 --nfs-version 3 \
	>"$work/out" 2>"$work/err" </dev/null &
probe_pid=$! status=0
wait_until grep -q ' at random: ' "$work/err"
while kill -0 "$probe_pid" 2>/dev/null; do
	dd if=/dev/urandom of="$work/live/file1" bs=65536 count=1 iflag=fullblock seek=$((RANDOM % 45)) conv=notrunc status=none
done
wait "$probe_pid" || status=$?
expect_status 0
expect_report "a file that changes is a failure" 'all(.findings[]; .status != "fail")'
random '.status == "pass" and .evidence.wrong == 0'
grep -q ' at random: changing' "$work/err" || fail "no READ met a change"
echo "ok - files that change ($(report '.findings[] | select(.id == "probe.read.random") | .summary'))"

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Ganesha survives the probe, at each level and in each version that it serves over RDMA, and what is
# said of it is true. That is, by its sources:
#	inline, pad	RPCAL/rpc_tools.c, xdr_io_data_encode(): n is the remainder, not what is missing
#			to a multiple of 4, and goes wherever the data go
#	readlink	xdr_rdma.c, xdr_rdma_svc_flushout(): all but READ goes inline, and the Write chunk
#			comes back with the lengths that it was offered with
# What is withheld would crash it. NFSv4.1 is not served over RDMA.
scenario_timeout=1800
# shellcheck source=../ganesha.sh
. "$peers/ganesha/ganesha.sh"
ganesha_begin plain

# all_findings: every one that is not a pass, in the report's order.
all_findings() { jq -r '[.findings[] | select(.status != "pass") | "\(.status) \(.id)"] | join(", ")' "$work/out"; }

for level in quick standard full; do
	for version in 3 4.0; do
		# Only READs of NFSv3 have some.
		attributes='' eof=''
		[[ $version == 3 ]] || attributes=', skip probe.read.attributes'
		# Too few READs at the end of the file.
		[[ $level != quick ]] || eof=', skip probe.read.eof'
		expected="warn probe.read.inline, warn probe.read.write-chunk.pad"
		[[ $level != quick ]] || expected+=", skip probe.read.write-chunk.segments"
		# Not where chosen READs failed.
		expected+=", skip probe.read.random, skip probe.read.compound$eof$attributes, warn probe.read.withheld, skip probe.read.largest"
		[[ $level == full ]] || expected+=", skip probe.readlink.write-chunk"
		[[ $level != full ]] || expected+=", warn probe.readlink.write-chunk"
		# No call that it has to fetch goes to a server that is not known to take it.
		expected+=", skip probe.call-by-chunk"
		ganesha_probe $version $level
		expect_status 0
		[[ $(all_findings) == "$expected" ]] || fail "NFSv$version, $level: \"$(all_findings)\" in place of \"$expected\""

		expect_words probe.server pass '^nfs-ganesha: by its file handles'
		expect_words probe.read.withheld warn 'can crash nfs-ganesha: the server is nfs-ganesha'
		expect_words probe.read.largest skip 'stopped at 1048576 bytes, the server takes 67108864: longer ones can crash'
		expect_words probe.read.write-chunk.pad warn '1 pad byte was written after 1 byte'
		expect_words probe.read.inline warn 'READs fail, all of lengths that are no multiple of four, the smallest of 1 byte: unreadable reply'
		[[ $level != full ]] || expect_words probe.readlink.write-chunk warn 'the text is inline'
		expect_report 'all(.findings[]; .id != "probe.server-gone")' "the server is said to be gone"
		note "NFSv$version, $level: $(jq -r '"\([.findings[] | select(.status == "pass")] | length) pass, \(.elapsed_ms / 1000 | floor) s"' "$work/out")"
	done
done

ganesha_probe 4.1 quick
expect_status 1
expect_only "fail probe.versions"
expect_words probe.versions fail 'NFSv4.1 was asked for; offered over RDMA: 3 4.0'

# It gets no WRITE: it sends no private data, and has corrupted small ones.
inside_run probe "$address:$export" --transport verbs --nfs-version 3 --level quick --scratch / --timeout 400 --format json
ganesha_alive
expect_finding probe.scratch skip
expect_report 'all(.findings[]; .id != "probe.write")' "a WRITE was sent"

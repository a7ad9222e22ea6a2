#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The server survives. What can crash nfs-ganesha goes only to servers that are identified as
# others, at no level and with no option; a server that is gone, or was restarted, ends the probe.
# The embedded server with --fault foreign ends at each such request.
# shellcheck disable=SC2016 # jq's variables
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

versions=(3 4.0 4.1)

# evidence ID KEY TEST: what the finding has of it is so, by jq.
evidence()
{
	expect_report "$2 of $1 is not $3" --arg id "$1" --arg key "$2" \
		"[.findings[] | select(.id == \$id) | .evidence[\$key]] | length == 1 and (.[0] | $3)"
}
number() { evidence "$1" "$2" "type == \"number\" and . $3"; }

is_alive() { kill -0 "$server_pid" 2>/dev/null; }

# Ours is known, and gets everything.
for version in "${versions[@]}"; do
	probe --embedded --nfs-version "$version"
	expect_status 0
	expect_finding probe.read.withheld pass
	evidence probe.server server '. == "the server of nfsrdma"'
	number probe.read.reply-chunk largest_right '== 1048576'
	echo "ok - ours, NFSv$version ($(seconds "$took") s)"
done

# Others survive, at every level, one after the other on the same server.
for kind in ganesha unknown; do
	start_server --fault "foreign=$kind"
	for version in "${versions[@]}"; do
		for level in quick standard full; do
			probe_server --nfs-version "$version" --level "$level"
			is_alive || { show; fail "the server died: NFSv$version, $level"; }
			expect_status 0
			# The server that these READs crash is named; of another nothing is known.
			if [[ $kind == ganesha ]]; then
				expect_finding probe.read.withheld warn
				expect_reason probe.read.withheld/ganesha
			else
				expect_finding probe.read.withheld skip
			fi
			# shellcheck disable=SC2016 # jq's variable
			expect_report "the verdict" --arg kind "$kind" '.verdict == if $kind == "ganesha" then "warn" else "pass" end'
			expect_report "the reason" 'any(.findings[]; .id == "probe.read.withheld"
				and (.summary | test("can crash nfs-ganesha")))'
			expect_report "server-gone" 'all(.findings[]; .id != "probe.server-gone")'
			for id in probe.read.inline probe.read.write-chunk probe.read.reply-chunk \
				probe.read.profiles probe.readdir probe.readlink; do
				expect_finding "$id" pass
			done
			number probe.read.reply-chunk largest_right '<= 262144'
			number probe.read.reply-chunk largest_right '>= 65536'
			number probe.read.write-chunk largest_right '== 1048576'
			[[ $version == 3 ]] || number probe.read.withheld followed_reads '> 0'
			expect_finding probe.read.compound skip
			[[ $level == quick ]] || number probe.read.withheld empty_reads '> 0'
			[[ $level == quick ]] || number probe.read.withheld long_reads '> 0'
		done
		echo "ok - $kind, NFSv$version"
	done
	# Without NFS over TCP, which does not decide.
	run probe --format json "127.0.0.1:$export" --port "$rdma_port" --nfs-port 1 --nfs-version 4.1 --level full \
		--reads 0
	is_alive || { show; fail "the server died without a reference"; }
	expect_status 0
	stop_server
done

# What is wrong with Write chunks is found all the same, by controls that such a server bears.
for version in "${versions[@]}"; do
	start_server --fault foreign=unknown --fault write-chunk-over-812
	probe_server --nfs-version "$version"
	is_alive || { show; fail "the server died under controls"; }
	expect_status 1
	expect_finding bug.write-chunk-read fail
	expect_finding probe.read.withheld skip
	stop_server
	echo "ok - a defect of an unknown server, NFSv$version ($(seconds "$took") s)"
done
probe --embedded --fault foreign=unknown --fault write-chunk-over-812=hang --nfs-version 3 --timeout 100
expect_status 1
expect_finding probe.read.write-chunk fail
expect_report "server-gone" 'all(.findings[]; .id != "probe.server-gone")'

# gone HOW WORDS ARGUMENT...: the probe says so, names the request and sends nothing more.
gone()
{
	local how=$1 words=$2

	shift 2
	probe "$@"
	expect_status 1
	expect_finding probe.server-gone fail
	expect_reasons
	expect_report "how" --arg how "$how" --arg words "$words" 'any(.findings[]; .id == "probe.server-gone"
		and (.summary | test($how)) and (.evidence.request | test($words)) and (.summary | test(" after ")))'
	expect_report "the mechanism is accused" 'all(.findings[]; (.id | startswith("probe.read.") | not)
		or .status != "fail")'
	expect_report "a client is left" 'all(.findings[]; .id != "probe.session.left" and .id != "probe.session.kept")'
}

for version in "${versions[@]}"; do
	for level in quick standard full; do
		gone 'is gone after .*refused' 'READ of [0-9]+ bytes at offset [0-9]+ by Write chunk' --embedded \
			--fault die --nfs-version "$version" --level "$level"
		within 6000 "the end of the probe"
	done
	gone 'is gone' 'by Reply chunk' --embedded --fault die=reply-chunk --nfs-version "$version"
	gone 'was restarted' 'READ of [0-9]+ bytes at offset [0-9]+ by Write chunk' --embedded --fault restart \
		--nfs-version "$version"
	echo "ok - gone and restarted, NFSv$version ($(seconds "$took") s)"
done
# The last request of all.
gone 'is gone' 'by Write chunk' --embedded --fault die --nfs-version 4.1

# Nothing is sent to a restarted server, not even to remove the client that it had.
export NFSRDMA_DEBUG=server
start_server --fault restart
unset NFSRDMA_DEBUG
gone 'no longer knows its client' 'READ' "127.0.0.1:$export" "${server[@]}" --nfs-version 4.1
[[ $(grep -c 'client .* is new' "$work/serve.err") == 1 ]] ||
	{ cat "$work/serve.err"; fail "the restarted server got a client"; }
stop_server

# A connection that is lost is no crash.
probe --embedded --fault close
expect_status 1
expect_finding probe.connection fail
expect_report "server-gone" 'all(.findings[]; .id != "probe.server-gone")'

# Nor is one that a server short of processors does not take at once.
for version in "${versions[@]}"; do
	start_server
	# The previous relay's port is not this one's.
	: >"$work/peer"
	python3 "$NFSRDMA_SOURCE/tests/cli/peer.py" starved "$rdma_port" >"$work/peer" 2>"$work/peer.err" &
	peer_pid=$!
	cleanup_fn kill "$peer_pid"
	await_line "$work/peer" "$peer_pid"
	read -r rdma_port <"$work/peer"
	probe "127.0.0.1:$export" --port "$rdma_port" --nfs-port "$nfs_port" --mount-port "$mount_port" \
		--nfs-version "$version"
	[[ $(grep -c ^reset "$work/peer") == 5 ]] || { show; cat "$work/peer" "$work/peer.err"; fail "no resets"; }
	expect_report "server-gone" 'all(.findings[]; .id != "probe.server-gone")'
	expect_finding probe.connection fail
	stop_server
	echo "ok - a starved server, NFSv$version ($(seconds "$took") s)"
done

# bench asks too.
start_server --fault die
run bench --format json "127.0.0.1:$export" "${server[@]}"
expect_status 1
expect_finding probe.server-gone fail

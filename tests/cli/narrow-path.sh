#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A path that drops packets above a size, in one direction each, as with a smaller MTU on the way: the server is
# not blamed. In a network namespace of the test's own.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq ip unshare nft
requires_root
unshare -n true 2>/dev/null || skip "no network namespace"

# narrow RULE [ARGUMENT...]: the next run has a namespace of its own, where loopback behaves as Ethernet
# (no packet is cut up later), with this rule of nft for what arrives; $serve is the server.
narrow()
{
	# shellcheck disable=SC2016 # of the inner shell
	run_prefix=(unshare -n sh -ec '
		ip link set lo up mtu 1500 gso_max_segs 1
		"$2" serve --listen 127.0.0.1:20049 $serve >"$1/serve" &
		pid=$!
		trap "kill $pid" EXIT
		until [ -s "$1/serve" ]; do sleep 0.05; done
		nft "add table inet t; add chain inet t c { type filter hook input priority 0; }; add rule inet t c $3"
		shift 3
		"$@"' - "$work" "$NFSRDMA" "$1")
	shift
	rm -f "$work/serve"
	probe 127.0.0.1:/ --transport iwarp "$@"
}

# What is no rule for this connection.
narrow 'tcp dport 20050 drop' --level quick
expect_status 0
expect_finding probe.reply.lost pass
for rule in 'tcp sport 20049 meta length > 1400 drop' 'tcp dport 20049 meta length > 230 drop'; do
	narrow "$rule" --timeout 25
	expect_status 1
	expect_reason probe.reply.lost/path
	expect_report "first line" '.answer | test("hangs: packets were lost on the path, and a call got no reply")'
	what=replies
	[[ $rule != *dport* ]] || what=calls
	# shellcheck disable=SC2016 # jq's variable
	expect_report "sizes" --arg what "$what" 'any(.findings[]; .id == "probe.reply.lost"
		and (.summary | capture("; \($what) of up to (?<some>[0-9]+) bytes arrive, and one of (up to )?(?<more>[0-9]+) does not$")
			| (.some | tonumber) < (.more | tonumber)))'
	expect_report "the server is blamed" 'all(.findings[] | select(.id == "probe.reply.lost") | .steps[]; .text | test("server.s messages|Update") | not)'
	expect_report "a listing without a reply is an empty export" 'all(.findings[]; .reason != "no-file")'
	echo "ok - $rule ($(seconds "$took") s)"
done

# A server that drops replies, over a path that loses packets at times, which TCP repairs: the server is named.
export serve='--fault drop-reply'
narrow 'numgen random mod 100 < 2 drop' --level quick --timeout 25
expect_status 1
expect_reason probe.reply.lost/no-reply
echo "ok - dropped by the server ($(seconds "$took") s)"

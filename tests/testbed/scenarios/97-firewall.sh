# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Rules of nftables on either of two hosts that RDMA does not come through: nfsrdma check finds
# them there, the kernel does with the packets what was said, and the command that the check
# names lets them pass. Each end, device and hook once; nightly has all combinations.
second_guest
server plain

# One RDMA device on either host, or another one that is open would do.
only()
{
	local on

	for on in '' second; do
		$on guest_tell pair "$1" || fail "no $1 between the guests"
		$on inside 'rdma link delete rxe0 2>/dev/null; rdma link delete siw0 2>/dev/null; rdma link'
	done
}

client() { second inside_run check --role client 10.9.0.1 --format json; }
server_side() { inside_run check --role server --format json; }

# Over siw a program sends the same packets, without being blocked by the kernel if there is no
# answer.
probe_over()
{
	local transport=verbs

	[[ $1 != siw ]] || transport=iwarp
	second probe_inside 10.9.0.1:/export/plain --transport $transport --level quick \
		--nfs-version 4.2 --timeout "$2" --format json
}

# chain POLICY HOOK: on this host.
chain()
{
	inside "nft 'add table inet t; add chain inet t c { type filter hook $2 priority 0 ; policy $1 ; }'"
}

expect_dropped()
{
	expect_words firewall.rdma fail "dropped: $1.*$2.*chain c, table inet t"
	expect_reason firewall.rdma/nftables
}

# dropped END DEVICE HOOK MATCH: a rule drops it there. That host reports it; for the other it is
# silence.
dropped()
{
	local end=$1 device=$2 hook=$3 match=$4 on=''

	[[ $end == server ]] || on=second
	$on chain accept "$hook"
	$on inside "nft 'add rule inet t c $match counter drop'"
	client
	if [[ $end == client ]]; then
		expect_only 'fail firewall.rdma'
		expect_finding fabric.listener skip
		expect_dropped "${device}1" "${match##* }"
		probe_over "$device" 5
		# Packets that rxe cannot send block the kernel, and then there is no finding
		# about it at all.
		expect_status 3
		expect_report '[.findings[] | select(.id == "probe.null" and .status == "pass")] == []' \
			"the server answered"
	else
		expect_only 'unknown fabric.listener'
		expect_finding firewall.rdma pass
		server_side
		expect_dropped "${device}1" "${match##* }"
	fi
	# The packets hit this rule.
	$on inside 'nft list chain inet t c' >"$work/chain"
	grep -q 'counter packets [1-9]' "$work/chain" || fail "nothing came to the rule: $end $device $hook"
	$on inside 'nft flush ruleset'
}

# mended END DEVICE HOOK: what is not listed is dropped, and the command lists it.
mended()
{
	local end=$1 device=$2 hook=$3 on='' command

	[[ $end == server ]] || on=second
	$on chain drop "$hook"
	$on inside "nft 'add rule inet t c ct state established accept; add rule inet t c meta l4proto icmp accept'"
	if [[ $end == client ]]; then client; else server_side; fi
	expect_words firewall.rdma fail 'policy drop of chain c'
	command=$(jq -r '.findings[] | select(.id == "firewall.rdma") | .evidence.open' "$work/out")
	note "$end, $device, $hook: $command"
	$on inside "$command"
	if [[ $end == server ]]; then
		server_side
		expect_finding firewall.rdma pass
	fi
	client
	expect_only ''
	expect_finding fabric.listener pass
	$on inside 'nft flush ruleset'
}

only rxe
client
expect_only ''
hooks=(input)
[[ ! ${NFSRDMA_TESTBED_NIGHTLY:-} ]] || hooks=(input output)
for end in client server; do
	for hook in "${hooks[@]}"; do
		dropped $end rxe "$hook" 'udp dport 4791'
	done
done
mended client rxe input
[[ ! ${NFSRDMA_TESTBED_NIGHTLY:-} ]] || mended server rxe input

only siw
dropped client siw output 'tcp dport 20049'
if [[ ${NFSRDMA_TESTBED_NIGHTLY:-} ]]; then
	dropped client siw input 'tcp sport 20049'
	dropped server siw input 'tcp dport 20049'
	mended client siw output
fi
dropped server siw output 'tcp sport 20049'
mended server siw input
# Replies pass without a rule.
second chain drop input
second inside "nft 'add rule inet t c ct state established accept'"
client
expect_only ''
second inside 'nft flush ruleset'
client
expect_only ''

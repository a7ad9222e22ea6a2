#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The firewall evaluation against the kernel: the rulesets of tests/firewall, then random ones, are
# loaded in a network namespace, packets are sent through a veth pair, and what happens to them
# must be the predicted answer. FIREWALL_SEED and FIREWALL_COUNT make other runs.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires python3 ip nft nsenter unshare
requires_root
unshare -n true 2>/dev/null || skip "no network namespace"
unshare -n nft add table inet t 2>/dev/null || skip "the kernel has no nftables"
unshare -n ip link add type veth 2>/dev/null || skip "the kernel has no veth"

answers=${NFSRDMA%/*}/tests/support/firewall-answers
cases=()
for file in "$NFSRDMA_SOURCE"/tests/firewall/*.json; do
	# iptables-nft is not a dependency of the tests.
	if grep -q '"commands"' "$file" && ! type -P iptables-nft >/dev/null; then
		echo "skip - ${file##*/}: no iptables-nft"
	else
		cases+=("$file")
	fi
done
PYTHONDONTWRITEBYTECODE=1 timeout 200 python3 "$NFSRDMA_SOURCE/tests/cli/firewall.py" check "$answers" \
	"${FIREWALL_COUNT:-200}" "${cases[@]}" || fail "the kernel differs from the evaluation"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Each machine of tests/hosts, and the snapshot of it: the same findings, to the last word. So a
# snapshot holds whatever the checks read. NFSRDMA_HOSTS limits it to some.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3 depmod tar

machines=$NFSRDMA_SOURCE/tests/hosts
read -ra names <<<"${NFSRDMA_HOSTS:-$(cd "$machines" && echo */host | sed 's,/host,,g')}"
mkdir "$work/hosts" "$work/snapshots" "$work/bad"
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "${names[@]/#/$machines/}" ||
	fail "make-host"

findings()
{
	# On a busy machine time runs out for one and not for the other.
	"$NFSRDMA" check --timeout 60 --format json --root "$1/$name" "${args[@]}" </dev/null |
		jq -c '.verdict, (.findings[] | [.id, .status, .summary, .evidence])' |
		sed "s,$1/,,g"
}

one()
{
	local name=$1 args=()

	[[ ! -f $machines/$name/args ]] || read -ra args <"$machines/$name/args"
	mkdir "snapshots/$name"
	"$NFSRDMA" snapshot --timeout 60 --root "hosts/$name" - "${args[@]}" </dev/null |
		tar xzf - -C "snapshots/$name" --strip-components=1
	findings hosts >"bad/$name.machine"
	findings snapshots >"bad/$name.snapshot"
	[[ -s bad/$name.machine ]] || return 1
	diff -u "bad/$name.machine" "bad/$name.snapshot" && rm "bad/$name".*
}

# Two at a time.
cd "$work"
for ((i = 0; i < ${#names[@]}; i += 2)); do
	for name in "${names[@]:i:2}"; do
		one "$name" &
	done
	wait
done
mapfile -t bad < <(cd bad && echo *.snapshot | tr ' ' '\n' | sed -n 's/\.snapshot$//p' | grep -vxF '*')
echo "${#names[@]} machines, the snapshots of ${#bad[@]} differ"
((${#bad[@]} == 0)) || fail "${bad[*]}"

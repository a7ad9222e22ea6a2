#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Each machine of tests/hosts, and the snapshot of it: the same findings, to the last word. So a
# snapshot holds whatever the checks read; and the checks of a machine take less than 5 s.
# NFSRDMA_HOSTS limits it to some.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3 depmod tar

machines=$NFSRDMA_SOURCE/tests/hosts
read -ra names <<<"${NFSRDMA_HOSTS:-$(cd "$machines" && echo */host | sed 's,/host,,g')}"
mkdir "$work/hosts" "$work/snapshots" "$work/bad" "$work/said"
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "${names[@]/#/$machines/}" ||
	fail "make-host"

# findings hosts|snapshots. A snapshot has the words about a file that could not be read, with the
# path of the machine that it is of.
findings()
{
	# On a busy machine time runs out for one and not for the other.
	"$NFSRDMA" check --timeout "$patience" --format json --root "$1/$name" "${args[@]}" \
		</dev/null >"said/$name.$1.json" || true
	jq -c '.verdict, (.findings[] | [.id, .status, .summary, .evidence])' "said/$name.$1.json" |
		sed 's,hosts/,,g; s,snapshots/,,g'
}

one()
{
	local name=$1 args=()

	[[ ! -f $machines/$name/args ]] || read -ra args <"$machines/$name/args"
	# It is bad until the end is reached: set -e ends this background process, and nothing else.
	touch "bad/$name"
	mkdir "snapshots/$name"
	"$NFSRDMA" snapshot --timeout "$patience" --root "hosts/$name" - "${args[@]}" </dev/null |
		tar xzf - -C "snapshots/$name" --strip-components=1
	findings hosts >"said/$name.machine"
	findings snapshots >"said/$name.snapshot"
	[[ -s said/$name.machine ]]
	diff -u "said/$name.machine" "said/$name.snapshot"
	rm "bad/$name"
}

# Two at a time.
cd "$work"
for ((i = 0; i < ${#names[@]}; i += 2)); do
	for name in "${names[@]:i:2}"; do
		one "$name" &
	done
	wait
done
mapfile -t bad < <(find bad -type f -printf '%f\n')
echo "${#names[@]} machines, the snapshots of ${#bad[@]} differ"
((${#bad[@]} == 0)) || fail "${bad[*]}"
for name in "${names[@]}"; do
	took=$(jq '.elapsed_ms | floor' "said/$name.hosts.json")
	within 5000 "$name"
done

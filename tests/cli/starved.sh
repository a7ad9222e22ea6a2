#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Nothing passes without what it is known from: a root without files; a snapshot that holds nothing; and healthy
# machines as snapshots that lack one file or folder at a time, of which nothing else is known. There a finding
# that passes must have passed before, in the same words, and none may fail.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3 depmod

# What only repeats the command line, or says how many of the others there are.
told='fabric.address|doctor.plan|status.host'
commands=('check 192.0.2.1:/vm' 'check --role server' 'doctor 192.0.2.1:/vm' mounts status)

# passes ROOT: the verdicts and findings that are neither unknown nor skipped
passes()
{
	local command

	for command in "${commands[@]}"; do
		# shellcheck disable=SC2086 # words
		run $command --root "$1" --timeout "$patience" --format json
		jq -r --arg c "$command" '.findings[] | select(.status != "unknown" and .status != "skip") | "\($c): \(.status) \(.id)"' \
			"$work/out" || { show; fail "no report of $1"; }
	done | grep -vE ": pass ($told)$" || true
}

mkdir -p "$work/nothing" "$work/snapshot/.nfsrdma"
echo '{"schema":"nfsrdma-snapshot/1","version":"0.2.0","taken":"2026-01-01T00:00:00Z","listed":[],"absent":[],"errors":{}}' \
	>"$work/snapshot/.nfsrdma/index.json"
for root in nothing snapshot; do
	passes "$work/$root" >"$work/said"
	[[ ! -s $work/said ]] || { cat "$work/said"; fail "$root: not unknown"; }
done

machines=$NFSRDMA_SOURCE/tests/hosts
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work" "$machines"/{mlx5-roce-rhel9,server-iwarp-sles15,proxmox-storage} || fail "make-host"
# What is known without it as well, and says less.
less='fabric.gid: every active port has one|mount.transport: requested transports are not all known.*'
less+='|server.threads: the NFS server runs|fabric.(cable|port): irdma0 port 1 .*'
# starve MACHINE COMMAND...: each file of its snapshot is withheld in turn
starve()
{
	local root file bad=0 unknown=0 files=0

	run snapshot --root "$work/$1" "$work/$1.tar.gz" 192.0.2.1
	expect_status 0
	mkdir "$work/of-$1"
	tar xf "$work/$1.tar.gz" -C "$work/of-$1"
	root=$(echo "$work/of-$1"/*)
	said "$root" "${@:2}" >"$work/before"
	! grep -q '^fail' "$work/before" || { cat "$work/before"; fail "$1 is not healthy"; }
	root=$(realpath "$root")
	(cd "$root" && jq -r '.listed[]' .nfsrdma/index.json | xargs -r realpath -qe | sort -u) >"$work/listed"
	while read -r file; do
		# In a folder that was listed it would be absent, and that is known.
		! grep -qxF "$(realpath "$root/${file%/*}")" "$work/listed" || continue
		mv "$root/$file" "$work/withheld"
		said "$root" "${@:2}" >"$work/after"
		mv "$work/withheld" "$root/$file"
		files=$((files + 1))
		! grep -q '^unknown' "$work/after" || unknown=$((unknown + 1))
		# What is neither unknown nor skipped then is what it was.
		grep -vE "^(unknown|skip)|^pass ($less)\$" "$work/after" | grep -vxFf "$work/before" >"$work/new" || continue
		echo "without $file:"
		cat "$work/new"
		bad=$((bad + 1))
	done < <(cd "$root" && find . ! -type d ! -path './.nfsrdma/index.json' -printf '%P\n' | sort)
	echo "$1: $files files withheld, of which $unknown made something unknown, and $bad something else"
	((files > 50 && unknown > files / 3)) || fail "$1 reads too little"
	((bad == 0)) || fail "$1: what was not read was not unknown"
}

# said ROOT COMMAND...: status, id and words of each finding
said()
{
	run "${@:2}" --root "$1" --timeout "$patience" --format json
	jq -r '.findings[] | "\(.status) \(.id): \(.summary)"' "$work/out" || { show; fail "no report"; }
}

starve mlx5-roce-rhel9 check 192.0.2.1
starve server-iwarp-sles15 check --role server
starve proxmox-storage check

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
mkdir "$work/hosts" "$work/snapshots" "$work/good" "$work/said" "${names[@]/#/$work/snapshots/}"
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "${names[@]/#/$machines/}" ||
	fail "make-host"

# check FOLDER NAME [ARGUMENT...]: without jq, which is slower than a check: all reports are read at
# once below.
check()
{
	local folder=$1 name=$2 status=0

	shift 2
	# On a busy machine time runs out for one and not for the other.
	"$NFSRDMA" check --timeout "$patience" --format json --root "$folder/$name" "$@" \
		</dev/null >"said/$name.$folder.json" || status=$?
	[[ -s said/$name.$folder.json ]] || { echo "$name: check said nothing, exit status $status"; return 1; }
}

# findings hosts|snapshots. A snapshot has the words about a file that could not be read, with the
# path of the machine that it is of.
findings()
{
	jq -r '(input_filename | sub("^said/"; "") | sub("[.][a-z]*.json$"; "")) as $name
		| (.verdict, .findings[]) | "\($name): \(
			if type == "object" then [.id, .status, .summary, .evidence] else . end | tojson)"' \
		said/*."$1.json" | sed 's,hosts/,,g; s,snapshots/,,g'
}

one()
{
	local name=$1 args=()

	[[ ! -f $machines/$name/args ]] || read -ra args <"$machines/$name/args"
	"$NFSRDMA" snapshot --timeout "$patience" --root "hosts/$name" - "${args[@]}" </dev/null |
		tar xzf - -C "snapshots/$name" --strip-components=1
	check hosts "$name" "${args[@]}"
	check snapshots "$name" "${args[@]}"
	# It is good if the end is reached: set -e ends this background process, and nothing else.
	: >"good/$name"
}

# Two at a time.
cd "$work"
for ((i = 0; i < ${#names[@]}; i += 2)); do
	for name in "${names[@]:i:2}"; do
		one "$name" &
	done
	wait
done
bad=()
for name in "${names[@]}"; do
	[[ -e good/$name ]] || bad+=("$name")
done
((${#bad[@]} == 0)) || fail "no report, or no snapshot, of ${bad[*]}"
findings hosts >machines
findings snapshots >snapshot
[[ $(cut -d: -f1 machines | uniq | wc -l) == "${#names[@]}" ]] || fail "not all machines have a report"
diff -u machines snapshot || fail "a machine and its snapshot differ"
echo "${#names[@]} machines, and their snapshots say the same"
while IFS=$'\t' read -r name took; do
	within 5000 "$name"
done < <(jq -r '[input_filename, (.elapsed_ms | floor)] | @tsv' said/*.hosts.json)

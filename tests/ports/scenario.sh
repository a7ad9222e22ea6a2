# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What scenarios are written with. run starts a shell with this file for each scenario, and the
# scenario is sourced at the end of it. These are set:
#	arch		a name in architectures.txt; its other columns, sysroot and builddir by lib.sh
#	source		the checkout
#	work		an empty folder of the scenario's own
#	nfsrdma		a program that runs the command of that architecture
# A scenario passes when it comes to its end.
# shellcheck shell=bash disable=SC2034
: "${arch:?}"

# shellcheck source=../support/scenario.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/scenario.sh"
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
architecture "$arch"

# Not qemu's -L: it also finds other files of the machine below the folder of the libraries.
nfsrdma=$work/nfsrdma
printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$emulator" "$builddir/nfsrdma" >"$nfsrdma"
chmod 755 "$nfsrdma"

# built: or the scenario fails; it can be run alone once the architecture is built.
built() { [[ -x $builddir/nfsrdma ]] || fail "no $builddir/nfsrdma: run $arch/build first"; }

# meson_tests NAME ARGUMENT...: runs tests of meson's. What they count, what they skip and why is a note;
# what a failed one printed is in the log.
meson_tests()
{
	local name=$1 log failed sum

	shift
	built
	rm -f "$builddir/meson-logs/$name"*.json
	meson test -C "$builddir" --no-rebuild --logbase "$name" "$@" >"$work/meson" 2>&1 || true
	log=$(compgen -G "$builddir/meson-logs/$name*.json") || { cat "$work/meson"; fail "meson ran no test"; }
	jq -r '(.stdout // "") + "\n" + (.stderr // "") | split("\n")[] | select(startswith("skip: ")) | .[6:]' "$log" |
		sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/skipped: \2 (\1)/' >"$work/skipped"
	while IFS= read -r line; do note "$line"; done <"$work/skipped"
	sum=$(jq -r --slurp "$jq_sum" "$log")
	note "$sum"
	jq -r 'select(.result != "OK" and .result != "SKIP") | "\(.name): \(.result)\n\(.stdout // "")\n\(.stderr // "")"' "$log"
	failed=$(jq -r 'select(.result != "OK" and .result != "SKIP") | .name | sub("^.* / "; "")' "$log" | paste -sd' ')
	[[ ! $failed ]] || fail "failed: $failed"
	[[ $sum != "0 programs"* ]] || fail "meson ran no test"
}

# The same plain line that tests/run adds up; any other program is one test.
read -r -d '' jq_sum <<'END' || true
def plain: [((.stdout // "") | split("\n")[]) | capture("^(?<p>[0-9]+) passed, (?<f>[0-9]+) failed, (?<s>[0-9]+) skipped$")
	| map_values(tonumber)] | last;
map(.result as $r | plain // {p: (if $r == "OK" then 1 else 0 end), f: (if $r == "OK" or $r == "SKIP" then 0 else 1 end),
	s: (if $r == "SKIP" then 1 else 0 end)})
| "\(length) programs: \(map(.p) | add // 0) passed, \(map(.f) | add // 0) failed, \(map(.s) | add // 0) skipped"
END

# shellcheck source=/dev/null
. "$1"

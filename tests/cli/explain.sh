#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Every finding is explained, and the manual pages have the tables of the program (NFSRDMA_ACCEPT=1 writes them).
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

run explain
expect_status 0
ids=$(sed -n 's/^  \([a-z][a-z0-9.-]*\) .*/\1/p' "$work/out")
[[ $(wc -w <<<"$ids") -gt 25 ]] || { show; fail "few findings"; }

# A sentence starts with a capital, or with a name in lower case.
beginning='([A-Z{<]|libvirt|nfsrdma|mount[.]nfs|virt-aa-helper|proto=)'

# pages PARTS SUBJECT...: $work/out has a page of each, in this order: the subject is the heading, and above its reasons it
# has the parts.
pages()
{
	printf '%s\n' "${@:2}" >"$work/subjects"
	awk -v parts="$1" -v beginning="$beginning" '
		function ended(i) {
			for (i = 1; n && i <= nparts; i++)
				if (!(part[i] in has))
					{ print subject[n] " has no " part[i]; bad = 1 }
			split("", has)
			own = 1
		}
		BEGIN {
			nparts = split(parts, part, " ")
			gsub(" ", "|", parts)
		}
		FNR == NR { subject[count = FNR] = $0; next }
		n < count && (FNR == 1 || before == "") && $0 == subject[n + 1] { ended(); n++ }
		$0 ~ "^[a-z0-9.-]+/[a-z0-9-]+$" && $0 != subject[n] { own = 0 }
		own && $0 ~ "^(" parts ") +" beginning { has[$1] }
		{ before = $0 }
		END {
			ended()
			if (n < count)
				{ print subject[n + 1] " is not the heading"; bad = 1 }
			exit bad
		}' "$work/subjects" "$work/out" >"$work/problems" || fail "$(head -n 5 "$work/problems")"
}

# page SUBJECT: its page, from the one that all have.
page()
{
	awk -v subject="$1" '
		FNR == NR { subjects[$0]; next }
		(FNR == 1 || before == "") && $0 in subjects { found = $0 == subject; blank = 0 }
		{ before = $0 }
		found && $0 == "" { blank = 1; next }
		found { if (blank) print ""; blank = 0; print }' "$work/subjects" "$work/all"
}

# alone ARGUMENT... SUBJECT: a subject alone has the page that it has among all.
alone()
{
	run explain "$@"
	expect_status 0
	[[ $(head -1 "$work/out") == "${*: -1}" ]] || { show; fail "${*: -1} is not the heading"; }
	diff -u <(page "${@: -1}") "$work/out" || fail "explain $*: another page than among all"
}

# shellcheck disable=SC2086 # words
{
	run explain $ids
	expect_status 0
	pages 'What Cause Remedy' $ids
	cp "$work/out" "$work/all"
	for id in client.module server.listener mount.transport pool.list probe.connect ${ids##*[[:space:]]}; do
		alone "$id"
	done
}

run explain --all firewall.rdma/nftables
grep -qxE ' +OPEN' "$work/out" || { show; fail "a command of the program's own"; }
run explain client.module
grep -qx 'Decisive  if this is unknown, so is the verdict' "$work/out" || { show; fail "not called decisive"; }

# A finding whose id has no explanation would be refused, with its report.
groups=$(cut -d. -f1 <<<"$ids" | sort -u | paste -sd'|')
raised=$(cd "$NFSRDMA_SOURCE" && grep -rhoE --include='*.c' "\"($groups)\.[a-z0-9.-]+\"" plugin rpcrdma mount-helper hooks |
	tr -d '"' | sort -u)
[[ $(wc -w <<<"$raised") -gt 100 ]] || fail "few ids are in the sources"
for id in $raised; do
	case $id in
	kernel.org | mount.nfs | mount.nfsrdma | watch.json | watch.lock) ;; # of other things
	*) [[ $'\n'$ids$'\n' == *$'\n'"$id"$'\n'* ]] || fail "$id stands in a source and has no meaning" ;;
	esac
done

# shared ID/REASON: the finding whose reasons this one shares; the same function raises both.
shared()
{
	local id

	id=$(sed -n "/^Finding: ${1%/*}$/,/^$/s/^Reasons: //p" "$NFSRDMA_SOURCE"/plugin/report/findings/*.findings)
	echo "${id:-${1%/*}}/${1#*/}"
}

# words PATTERN: the words in stdin that match, without the character before each; a blank around each.
words() { grep -oE -- "$1" | cut -c 2- | sort -u | { echo; cat; } | tr '\n' ' '; }

# Every reason can be looked up by itself, is raised in the code, and is covered by a test.
# shellcheck disable=SC2086 # words
{
	run explain --all $ids
	expect_status 0
	pages 'What Cause Remedy' $ids
	reasons=$(awk 'FNR == NR { ids[$0]; next } $0 in ids { id = $0 } index($0, id "/") == 1 && /^[^ ]*\/[a-z0-9-]*$/' \
		"$work/subjects" "$work/out")
	[[ $(wc -w <<<"$reasons") -gt 30 ]] || fail "few reasons"
	run explain --all $reasons
	expect_status 0
	pages 'Cause Steps' $reasons
	cp "$work/out" "$work/all"
	# Not by name: what names a reason in a test counts as its test.
	for reason in ${reasons%%[[:space:]]*} ${reasons##*[[:space:]]}; do
		alone --all "$reason"
	done
}
cd "$NFSRDMA_SOURCE"
in_sources=$(find plugin rpcrdma mount-helper hooks -name '*.c' -exec cat {} + | words '"[a-z0-9-]+"')
# By a script or a scenario, or in the unit test of its source.
in_tests=$(find tests \( -name '*.sh' -o -name '*.c' -o -path '*pool-xml*.expect' \) -exec cat {} + | words '[/"][a-z0-9-]+')
by_machines=$(sed -nE 's,^[a-z]+( [^ ]+)( .*)?$,\1,p' tests/hosts/*/expect{,-mounts} | words ' .*')
cd "$OLDPWD"
for reason in $reasons; do
	word=${reason#*/}
	[[ $in_sources == *" $word\" "* ]] || fail "no source raises $reason"
	[[ $in_tests == *" $word "* || $by_machines == *" $reason "* || $by_machines == *" $(shared "$reason") "* ]] ||
		fail "no test raises $reason"
done
run explain probe.connect/refuse
expect_status 2
expect_sentence "expected refused, no-device-here"
# A mistake in one of several is found before anything is printed.
run explain client.module probe.connect/refuse
expect_status 2
expect_sentence "expected refused, no-device-here"
[[ ! -s $work/out ]] || { show; fail "something is printed"; }

# Steps are for this system, or for that of --root; --all prints those of all systems.
mkdir -p "$work/root/etc"
echo 'ID=opensuse-leap' >"$work/root/etc/os-release"
run explain --root "$work/root" probe.route/no-provider
expect_status 0
grep -q '^ *zypper install libibverbs$' "$work/out" || { show; fail "no step for openSUSE"; }
if grep -qE 'apt-get|dnf|pacman|SUSE:' "$work/out"; then show; fail "steps for other systems"; fi
run explain --all --root "$work/root" probe.route/no-provider
expect_status 0
for word in apt-get dnf zypper pacman 'Debian, Ubuntu: ' 'SUSE: '; do
	grep -q "$word" "$work/out" || { show; fail "--all has no $word"; }
done

# Every finding that a fault raises can be looked up.
run serve --list-faults
expect_status 0
faults=$(sed 's/[= ].*//' "$work/out")

run explain bug.read-821
expect_status 2
expect_sentence "did you mean 'bug.read-812'"
run explain zzzzzzzz
expect_status 2
expect_sentence 'lists all'

# Each table of the program is in one manual page, and the pages have no others.
run explain --scd
expect_status 0
cp "$work/out" "$work/printed"
: >"$work/tables"
for source in "$NFSRDMA_SOURCE"/plugin/{cli,report,watch}/nfsrdma*.scd; do
	awk '
		/^; table / { name = $0; sub(/^; table /, "", name) }
		FNR == NR { tables[name] = tables[name] $0 "\n"; next }
		/^; table / { if (name in tables) printf "%s", tables[name]; else print; skip = 1 }
		!skip
		/^; end / { skip = 0 }' "$work/printed" "$source" >"$work/page"
	sed -n 's/^; table //p' "$source" >>"$work/tables"
	[[ -z ${NFSRDMA_ACCEPT:-} ]] || cat "$work/page" >"$source"
	diff -u "$source" "$work/page" || fail "the tables of ${source##*/} are stale"
done
diff <(sed -n 's/^; table //p' "$work/printed" | sort) <(sort "$work/tables") || fail "not in one manual page each"

# The build adds the findings with their reasons to the page.
source=$NFSRDMA_SOURCE/plugin/cli/nfsrdma-explain.8.scd
page=$work/nfsrdma-explain.8.scd
findings=$NFSRDMA_SOURCE/plugin/report/findings
"$findings/make-table" --manual "$source" "$findings"/*.findings >"$page" || fail "no manual page"
text=$(cat "$page" "$NFSRDMA_SOURCE/plugin/cli/nfsrdma-serve.8.scd")
for word in $ids $faults; do
	[[ $text == *"*$word*"* ]] || fail "$word is not in the manual page"
done
# In a line with the finding, or in the next one.
printf '%s\n' "$reasons" | awk '
	FNR == NR { split($0, at, "/"); reasons[$0] = at[1]; next }
	{
		for (id in shown)
			lines[id] = lines[id] " " $0
		split("", shown)
		for (rest = $0; match(rest, /\*[a-z0-9.-]+\*/); rest = substr(rest, RSTART + RLENGTH - 1)) {
			id = substr(rest, RSTART + 1, RLENGTH - 2)
			lines[id] = lines[id] "\n" $0
			shown[id]
		}
	}
	END {
		for (reason in reasons)
			if (lines[reasons[reason]] !~ "[ :]" substr(reason, length(reasons[reason]) + 2) "[,.]")
				{ print reason; bad = 1 }
		exit bad
	}' - "$page" >"$work/problems" || fail "not in the manual page: $(paste -sd' ' "$work/problems")"

requires scdoc
scdoc <"$page" >"$work/nfsrdma-explain.8"
# Newer ones quote less and escape more.
grep -qE '^\.TH "?nfsrdma\\?-explain"? "?8' "$work/nfsrdma-explain.8" || fail "no heading"

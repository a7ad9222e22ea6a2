#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Every finding is explained, and the manual page has the tables of the program.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

run explain
expect_status 0
ids=$(sed -n 's/^  \([a-z][a-z0-9.-]*\) .*/\1/p' "$work/out")
[[ $(wc -w <<<"$ids") -gt 25 ]] || { show; fail "few findings"; }

# A sentence starts with a capital, or with a name in lower case.
beginning='([A-Z{<]|libvirt|nfsrdma|mount\.nfs|virt-aa-helper|proto=)'
for id in $ids; do
	run explain "$id"
	expect_status 0
	[[ $(head -1 "$work/out") == "$id" ]] || { show; fail "$id is not the heading"; }
	for part in What Cause Remedy; do
		grep -qE "^$part +$beginning" "$work/out" || { show; fail "$id has no $part"; }
	done
done

run explain --all firewall.rdma/nftables
grep -qxE ' +\{open\}' "$work/out" || { show; fail "a command of the program's own"; }
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
	*) grep -qx -- "$id" <<<"$ids" || fail "$id stands in a source and has no meaning" ;;
	esac
done

# shared ID/REASON: the finding whose reasons this one shares; the same function raises both.
shared()
{
	local id

	id=$(sed -n "/^Finding: ${1%/*}$/,/^$/s/^Reasons: //p" "$NFSRDMA_SOURCE"/plugin/report/findings/*.findings)
	echo "${id:-${1%/*}}/${1#*/}"
}

# Every reason can be looked up by itself, is raised in the code, and is covered by a test.
reasons=''
for id in $ids; do
	run explain --all "$id"
	reasons+=" $(sed -n "\|^$id/[a-z0-9-]*$|p" "$work/out" | tr '\n' ' ')"
done
[[ $(wc -w <<<"$reasons") -gt 30 ]] || fail "few reasons"
(cd "$NFSRDMA_SOURCE" && find plugin rpcrdma mount-helper hooks -name '*.c' -exec cat {} + >"$work/sources" &&
	find tests \( -name '*.sh' -o -name '*.c' -o -path '*pool-xml*.expect' \) -exec cat {} + >"$work/tests")
for reason in $reasons; do
	run explain --all "$reason"
	expect_status 0
	[[ $(head -1 "$work/out") == "$reason" ]] || { show; fail "$reason is not the heading"; }
	for part in Cause Remedy; do
		grep -qE "^$part +$beginning" "$work/out" || { show; fail "$reason has no $part"; }
	done
	grep -qF "\"${reason#*/}\"" "$work/sources" ||
		fail "no source raises $reason"
	# By a script or a scenario, in the unit test of its source, or by a test machine.
	grep -qE "[/\"]${reason#*/}([^a-z-]|$)" "$work/tests" ||
		grep -qxE "[a-z]+ ($reason|$(shared "$reason"))( .*)?" "$NFSRDMA_SOURCE"/tests/hosts/*/expect{,-mounts} ||
		fail "no test raises $reason"
done
run explain probe.connect/refuse
expect_status 2
expect_sentence "expected refused, silent"

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

source=$NFSRDMA_SOURCE/plugin/cli/nfsrdma.8.scd
run explain --scd
expect_status 0
sed -n '/^; table /,/^; end /p' "$source" >"$work/tables"
diff -u "$work/tables" "$work/out" || fail "the tables of the manual page are stale"

# The build adds the findings with their reasons to the page.
page=$work/nfsrdma.8.scd
findings=$NFSRDMA_SOURCE/plugin/report/findings
"$findings/make-table" --manual "$source" "$findings"/*.findings >"$page" || fail "no manual page"
for word in $ids $faults; do
	grep -qF -- "*$word*" "$page" || fail "$word is not in the manual page"
done
for reason in $reasons; do
	grep -A1 -F -- "*${reason%/*}*" "$page" | grep -qE "[ :]${reason#*/}[,.]" || fail "$reason is not in the manual page"
done

requires scdoc
scdoc <"$page" >"$work/nfsrdma.8"
grep -q '^\.TH "nfsrdma" "8"' "$work/nfsrdma.8" || fail "no heading"

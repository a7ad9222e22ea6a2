#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# check --journal and --textfile, with systemd's journal below a /run of the script's own: what
# journalctl -x prints, the journal catalog, the metrics' file, and the exit status.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq journalctl python3 depmod unshare mount

requires_root
if [[ ${1:-} != inside ]]; then
	unshare -mn true 2>/dev/null || skip "no namespaces of mounts and networks"
	exec unshare -mn --propagation private "$BASH" "${BASH_SOURCE[0]}" inside
fi

journald=$(compgen -G '/{usr/,}lib/systemd/systemd-journald' || echo /lib/systemd/systemd-journald)
[[ -x $journald ]] || skip "no systemd-journald"
mkdir "$work/hosts"
for host in mlx5-roce-rhel9 driver-forbidden; do
	python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "$NFSRDMA_SOURCE/tests/hosts/$host"
done
hosts=$work/hosts
catalog=${NFSRDMA%/*}/plugin/journal/nfsrdma.catalog

# --- without a journal ------------------------------------------------------------------------------

mount -t tmpfs tmpfs /run
run check --root "$hosts/mlx5-roce-rhel9" --journal
expect_status 3
grep -q 'reach the journal at /run/systemd/journal/socket' "$work/err" || fail "$(cat "$work/err")"

# --- the catalog ------------------------------------------------------------------------------------

mkdir -p "$work/catalog" /run/systemd/journal /run/log /run/nothing
cp "$catalog" "$work/catalog/"
mount -t tmpfs tmpfs /var/log
mount -t tmpfs tmpfs /var/lib/systemd
mount --bind "$work/catalog" /usr/lib/systemd/catalog
for dir in /etc/systemd/catalog /usr/local/lib/systemd/catalog; do
	[[ ! -d $dir ]] || mount --bind /run/nothing "$dir"
done
journalctl --update-catalog >"$work/update" 2>&1
[[ ! -s $work/update ]] || fail "the catalog has mistakes: $(cat "$work/update")"
journalctl --list-catalog >"$work/listed" 2>&1
# Every event of the C table, by the enum in the header.
events=$(sed -n '/^enum journal_event/,/^}/p' "$NFSRDMA_SOURCE/plugin/journal/journal.h" | grep -c '^[[:space:]]JOURNAL_' || true)
[[ $(grep -c ' nfsrdma: ' "$work/listed") == $((events - 1)) ]] ||
	fail "$((events - 1)) events, and the catalog has: $(cat "$work/listed")"
# The manual pages that it names are those of this project, or of programs it works with.
sed -n 's/^Documentation: man://p' "$catalog" | sort -u >"$work/pages"
[[ -s $work/pages ]] || fail "the catalog names no manual page"
while IFS= read -r page; do
	name=${page%(*}.${page: -2:1}.scd
	[[ $page == 'nfs(5)' || $page == 'nfsmount.conf(5)' ]] ||
		find "$NFSRDMA_SOURCE" -path "$NFSRDMA_SOURCE/build*" -prune -o -name "$name" -print | grep -q . ||
		fail "the catalog names $page, which is no page"
done <"$work/pages"

# --- systemd's journal ------------------------------------------------------------------------------

# The kernel's messages and audit belong to the machine's own.
mkdir "$work/conf"
printf '[Journal]\nStorage=volatile\nReadKMsg=no\nAudit=no\n' >"$work/conf/journald.conf"
mount --bind "$work/conf" /etc/systemd
tr -d - </proc/sys/kernel/random/uuid >"$work/machine-id"
touch /etc/machine-id
mount --bind "$work/machine-id" /etc/machine-id
"$journald" >"$work/journald" 2>&1 &
cleanup_fn kill "$!"
wait_until test -S /run/systemd/journal/socket

# entries MATCH...: as JSON.
entries() { journalctl -q -o json SYSLOG_IDENTIFIER=nfsrdma-check "$@" 2>/dev/null || true; }
has_entries() { [[ $(entries "${@:2}" | wc -l) == "$1" ]]; }

run check --root "$hosts/driver-forbidden" --journal
expect_status 1
[[ ! -s $work/out ]] || fail "it also prints: $(cat "$work/out")"
wait_until has_entries 1 NFSRDMA_EVENT=check-failed
"$NFSRDMA" check --root "$hosts/driver-forbidden" --format json >"$work/report" || true
# The same findings as the report has, with cause and remedy.
want=$(jq -c '[.findings[] | select(.status == "fail" or .status == "warn" or .status == "unknown") | [.id, .status, .reason // "", .cause, .remedy]] | sort' "$work/report")
have=$(entries NFSRDMA_EVENT=finding | jq -sc '[.[] | [.NFSRDMA_FINDING, .NFSRDMA_STATUS, .NFSRDMA_REASON // "", .NFSRDMA_CAUSE, .NFSRDMA_REMEDY]] | sort')
[[ $have == "$want" ]] || fail "the journal has $have, and the report $want"
[[ $(entries NFSRDMA_EVENT=check-failed | jq -r '[.PRIORITY, .NFSRDMA_VERDICT] | join(" ")') == "3 fail" ]] ||
	fail "$(entries NFSRDMA_EVENT=check-failed)"

# For the administrator: causes and steps, no name of a field, no line that a terminal cuts.
journalctl -q -x SYSLOG_IDENTIFIER=nfsrdma-check >"$work/explained"
grep -qF 'Subject: Finding client.drivers' "$work/explained" || fail "$(cat "$work/explained")"
grep -qF ' 1. Show the line:' "$work/explained" || fail "no steps: $(cat "$work/explained")"
grep -qE '^--       grep -n mlx5_ib' "$work/explained" || fail "no command: $(cat "$work/explained")"
! grep -E '^--.*NFSRDMA_[A-Z_]+($|[^A-Z_=])' "$work/explained" || fail "journalctl prints the name of a field"
! grep '^--' "$work/explained" | grep -v '^--       ' | grep -E '.{80}' || fail "a line of the catalog is too long"

# Nothing to report: one entry.
run check --root "$hosts/mlx5-roce-rhel9" --journal
expect_status 0
wait_until has_entries 1 NFSRDMA_EVENT=check-passed PRIORITY=6

# --- metrics ----------------------------------------------------------------------------------------

run check --root "$hosts/mlx5-roce-rhel9" --journal --textfile "$work/missing/nfsrdma.prom"
expect_status 0
wait_until has_entries 2 NFSRDMA_EVENT=check-passed
entries NFSRDMA_EVENT=check-passed | tail -n 1 | jq -e '.MESSAGE | contains("no metrics are written: the folder of")' >"$work/jq" ||
	fail "a missing folder is not reported"
[[ ! -e $work/missing ]] || fail "the folder was made"

mkdir "$work/textfiles"
run check --root "$hosts/driver-forbidden" --journal --textfile "$work/textfiles/nfsrdma.prom"
expect_status 1
grep -q '^nfsrdma_verdict{.*"fail".*} 1$' "$work/textfiles/nfsrdma.prom" || fail "$(cat "$work/textfiles/nfsrdma.prom")"
[[ $(ls -A "$work/textfiles") == nfsrdma.prom && $(stat -c %a "$work/textfiles/nfsrdma.prom") == 644 ]] ||
	fail "$(ls -lA "$work/textfiles")"

# A file that cannot be written is not good; the report is there nevertheless.
touch "$work/file"
run check --root "$hosts/mlx5-roce-rhel9" --textfile "$work/file/nfsrdma.prom"
expect_status 3
grep -qF "$work/file" "$work/err" || fail "$(cat "$work/err")"
grep -q '^Verdict: pass' "$work/out" || fail "no report: $(cat "$work/out")"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# shellcheck disable=SC2016 # jq's variables
#
# The JSON Schemas that are installed: each output is as its schema says, and one that is not is refused,
# here and at the end of every script that makes it with run.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3

check_json() { python3 "$NFSRDMA_SOURCE/tests/support/check-json" "$NFSRDMA_SOURCE/plugin/schema" "$@"; }

# refused WORDS FILTER: what jq makes of the output will be refused with these words.
words=()
refused()
{
	jq "$2" "$work/good" >"$work/bad.${#words[@]}"
	words+=("$1")
}

check_json || fail "a schema"
mkdir "$work/schemas"
sed '0,/"type": "object"/s//"type": "objects"/' "$NFSRDMA_SOURCE/plugin/schema/nfsrdma-plan-1.schema.json" >"$work/schemas/nfsrdma-plan-1.schema.json"
! python3 "$NFSRDMA_SOURCE/tests/support/check-json" "$work/schemas" >"$work/said" 2>&1 || fail "a schema of a type that is none"

run probe --embedded --level quick --fault write-chunk-over-812 --format json
expect_status 1
cp "$work/out" "$work/good"
check_json "$work/good" || fail "a report"
refused "KeyError: 'schema'"                 'del(.schema)'
refused "KeyError: 'nfsrdma-report/9'"       '.schema = "nfsrdma-report/9"'
refused "'verdict' is a required property"   'del(.verdict)'
refused "'maybe' is not one of"              '.verdict = "maybe"'
refused "'colour' was unexpected"            '.colour = "red"'
refused "'mount' was unexpected"             '.mount = {}'
refused "subject/port"                       '.subject.port = "20049"'
refused "'reason' is a required property"    'del(.findings[0].reason)'
refused "findings/0/id"                      '.findings[0].id = "Probe"'
refused "findings/0/because_of"              '.findings[0].because_of = ""'
refused "findings/0/evidence/x"              '.findings[0].evidence.x = ["a"]'
refused "'command' is a required property"   '(.findings[] | select(.status == "fail")).steps = [{"text": "Look"}]'
refused "remedy"                             '(.findings[] | select(.status == "fail")).remedy = ""'
refused "cause"                              '(.findings[] | select(.status == "pass")).cause = "none"'
# What was cut off.
head -c 500 "$work/good" >"$work/bad"
! check_json "$work/bad" >"$work/said" 2>&1 || fail "half a report"

run plan --format json nas1:/export -o rw
expect_status 0
cp "$work/out" "$work/good"
refused "'sctp' is not one of"               '.transport = "sctp"'
refused "policy/deadline/value"              '.policy.deadline.value = "10"'
refused "changes/0/kind"                     '.changes[0].kind = "keep"'
run ovirt options --format json nas1:/export
expect_status 0
cp "$work/out" "$work/good"
refused "'fields' is a required property"    'del(.fields)'
refused "command"                            '.command = []'

mkdir "$work/machine"
run setup --undo --root "$work/machine" --format json
expect_status 0
cp "$work/out" "$work/good"
refused "'both' is not one of"               '.role = "both"'
refused "steps/0/error"                      '.steps = [{kind: "file", status: "failed", name: "a", reason: "b", show: ["c"], error: null}]'

! check_json "$work"/bad.* >"$work/said" 2>&1 || fail "all were accepted"
for i in "${!words[@]}"; do
	grep -F "/bad.$i: " "$work/said" | grep -qF -- "${words[i]}" ||
		{ cat "$work/said"; fail "bad.$i is not refused with \"${words[i]}\""; }
done

# lib.sh, with a program that prints something else.
printf '%s\n' '#!/bin/sh' 'echo "{ \"schema\": \"nfsrdma-report/1\" }"' >"$work/program"
chmod +x "$work/program"
printf '%s\n' ". '$NFSRDMA_SOURCE/tests/cli/lib.sh'" 'run check --format json' 'expect_status 0' >"$work/script.sh"
! NFSRDMA=$work/program bash "$work/script.sh" >"$work/said" 2>&1 || fail "a script with a report that is none passed"
grep -q 'check_--format_json: : .* is a required property' "$work/said" || { cat "$work/said"; fail "it does not say why"; }

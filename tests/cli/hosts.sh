#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What nfsrdma check says of each machine of tests/hosts. A machine's file "expect" has what is
# neither good nor absent: a line "STATUS ID/REASON" for each such finding, in order, "because ID" for
# what was skipped for that, and the verdict with the exit status. "expect.txt" is the whole text,
# "args" what is asked for. NFSRDMA_HOSTS limits it to some, NFSRDMA_ACCEPT takes what comes as what is expected.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

requires jq python3 depmod

machines=$NFSRDMA_SOURCE/tests/hosts
read -ra names <<<"${NFSRDMA_HOSTS:-$(cd "$machines" && echo */host | sed 's,/host,,g')}"
mkdir "$work/hosts"
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "${names[@]/#/$machines/}" ||
	fail "make-host"

# For all reports at once, because jq is slower than a check: a line "NAME<tab>TEXT" each.
compact()
{
	jq -r '(input_filename | sub("^said/"; "") | sub(".json$"; "")) as $name
		| (.findings[] | select(.status != "pass" and .status != "skip") | "\(.status) \([.id, .reason // empty] | join("/"))"),
		([.findings[].evidence.because // empty] | unique[] | "because \(.)"),
		"verdict \(.verdict)" | "\($name)\t\(.)"' said/*.json
}

# Text whose beginning a reader would have to guess.
without_slash()
{
	jq -r 'select(all(.findings[] | .summary, .evidence[]?;
		tostring | test("(^|[^/[:alnum:].-])(etc|proc|sys|usr|lib|boot|run)/") | not) | not)
		| input_filename' said/*.json
}

# The first line answers: it has the cause, which is the summary of a finding that made the verdict, up to what comes second.
unanswered()
{
	jq -r 'select(.answer == "" or (.verdict != "pass" and (.answer as $answer | .verdict as $verdict | all(.findings[];
		.status != $verdict or ((.summary | split("; ")[0][:150]) as $cause | $answer | contains($cause) | not))))) | input_filename' said/*.json
}

# The elapsed time is not a property of the machine.
text() { sed -E 's/; [0-9.]+ s$//' "$work/out"; }

# text_of FILE: sets $text, without another process.
text_of() { ! IFS= read -rd '' text <"$1" || fail "NUL in $1"; }

same()
{
	local text expected

	[[ -z ${NFSRDMA_ACCEPT:-} ]] || cp "$2" "$1"
	text_of "$1"
	expected=$text
	text_of "$2"
	[[ $text == "$expected" ]] || diff -u "$1" "$2" || bad+=("$name")
}

bad=()
cd "$work/hosts"
mkdir said compact
for name in "${names[@]}"; do
	args=()
	[[ ! -f $machines/$name/args ]] || read -ra args <"$machines/$name/args"
	root=(--root "$name")
	# On a busy machine a check can exceed its time.
	run check --timeout "$patience" "${args[@]}" "${root[@]}" --format json
	[[ ! -s $work/err ]] || { show; fail "$name: words on stderr"; }
	text_of "$work/out"
	printf '%s' "$text" >"said/$name.json"
	printf '%s\t%s\n' "$name" "$status" >>status
	[[ -f $machines/$name/expect.txt ]] || continue
	for format in prometheus openmetrics nagios text; do
		run check --timeout "$patience" "${args[@]}" "${root[@]}" --format "$format"
		[[ -s $work/out && ! -s $work/err ]] || { show; fail "$name: $format"; }
	done
	text >"$work/text"
	expect_page "$work/text" "$name"
	same "$machines/$name/expect.txt" "$work/text"
done

compact >"$work/compact" || fail "no JSON: $(tail -n1 "$work/compact") was the last that is"
unclear=$(unanswered)
[[ ! $unclear ]] || fail "no answer in the first line: ${unclear//$'\n'/ }"
unclear=$(without_slash)
[[ ! $unclear ]] || fail "a path without its slash: ${unclear//$'\n'/ }"
awk -F '\t' 'NR == FNR { status[$1] = $2; next }
	$2 ~ /^verdict / { print $2 ", exit status " status[$1] >"compact/" $1; close("compact/" $1); next }
	{ print $2 >"compact/" $1 }' status "$work/compact"
for name in "${names[@]}"; do
	# jq treats a file without a report as no report.
	[[ -s compact/$name ]] || fail "$name: no report"
	same "$machines/$name/expect" "compact/$name"
done
# Which machines are healthy is stated here, not derived from the checks.
healthy=$(for name in "${names[@]}"; do
	text_of "compact/$name"
	[[ $text != $'verdict pass, exit status 0\n' ]] || echo "$name"
done | sort)
named=$(grep -vE '^#' "$machines/healthy" | { grep -xFf <(printf '%s\n' "${names[@]}") || true; } | sort)
[[ $healthy == "$named" ]] ||
	fail "tests/hosts/healthy and the checks differ about these machines: $(
		comm -3 <(sort <<<"$named") <(sort <<<"$healthy") | tr '\n' ' ')"
echo "${#names[@]} machines, ${#bad[@]} of them not as expected"
((${#bad[@]} == 0)) || fail "${bad[*]}"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What lib.sh promises of a script that fails: it names the command, its file and line, and the
# lines that called it, wherever stderr goes at that moment; and of one that passes or skips:
# it prints none of this. What is expected of reports is judged when it ends, of each report as it was.
# shellcheck disable=SC2016 # the script's variables, not ours
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat >"$work/script.sh" <<END
. "$NFSRDMA_SOURCE/tests/cli/lib.sh"
END
# Each mode's command has a line of its own.
cat >>"$work/script.sh" <<'END'
inner()
{
	case $1 in
	command)
		grep -q absent /dev/null ;;
	arithmetic)
		((1 == 2)) ;;
	comparison)
		[[ $1 == other ]] ;;
	input)
		read -r word < <(true) ;;
	pipe)
		true | false | true ;;
	subshell)
		(cd / && false) ;;
	substitution)
		word=$(fail "a sentence") ;;
	fail)
		fail "a sentence" ;;
	exit)
		exit 5 ;;
	unset)
		echo "$absent" ;;
	signal)
		kill -TERM $$; sleep 20 ;;
	late)
		took=100000
		within 10 "before it is judged"
		NFSRDMA_MEASURED=1
		within 100000000 "in time"
		within 10 "too late" ;;
	skip)
		skip "a reason" ;;
	reports)
		printf '{"a": 1}\n' >"$work/out"
		expect_report "it is one" --arg a 1 '.a == ($a | tonumber)'
		(expect_report "it is two" --argjson a 2 '.a == $a')
		printf '{"a": 2}\n' >"$work/out"
		expect_report "it is two by now" --argjson a 2 '.b == null, .a == $a # the last value counts'
		expect_report "it is a word" --arg a '--"a" $b' '$a == "--\"a\" $b" and (.a | test("a"))'
		: >"$work/out"
		expect_report "it is there" true
		printf '{' >"$work/out"
		expect_report "it is whole" true ;;
	good-reports)
		printf '{"a": 1}\n' >"$work/out"
		expect_report "one thing" --arg a 1 '.a == ($a | tonumber)'
		printf '{"a": 2}' >"$work/out"
		(expect_report "two things" --argjson a 2 --arg b '-c' '.a == $a and $b == "-c"') ;;
	handled)
		word=$(grep absent /dev/null) || grep absent /dev/null || true
		if grep absent "$work/none"; then false; fi 2>/dev/null ;;
	esac
}

outer()
{
	inner "$1"
}

# A cleanup that writes to stderr, too.
[[ $1 != fail ]] || cleanup_fn sh -c 'echo cleaned up >&2'
case $2 in
plain)
	outer "$1" ;;
elsewhere)
	outer "$1" >"$work/out" 2>&1 ;;
group)
	{ outer "$1"; } >"$work/out" 2>&1 ;;
esac
END

# line_of PATTERN: the number of the only line of the script that has it.
line_of() { grep -nE "$1" "$work/script.sh" | cut -d : -f 1; }

# ends STATUS MODE WHERE: runs the script.
ends()
{
	local status=0

	bash "$work/script.sh" "$2" "$3" >"$work/out" 2>"$work/err" </dev/null || status=$?
	[[ $status == "$1" ]] || { cat "$work/err"; fail "$2 $3: exit status $status, not $1"; }
}

# says MODE WHERE LINE
says() { grep -qxF -- "$3" "$work/err" || { cat "$work/err"; fail "$1 $2 does not say: $3"; }; }

# names MODE STATUSES COMMAND: a command that fails, by its line and the lines of its callers.
names()
{
	local where first

	# The command is in the line below its mode.
	first=$(($(line_of "^	$1\)\$") + 1))
	for where in plain elsewhere group; do
		ends 1 "$1" "$where"
		says "$1" "$where" "script.sh:$first: exit status $2 from: $3"
		says "$1" "$where" "	called by script.sh:$(line_of '^	inner "'), in outer"
		says "$1" "$where" \
			"	called by script.sh:$(($(line_of "^$where\)\$") + 1)), in main"
	done
}

names command 1 'grep -q absent /dev/null'
names arithmetic 1 '((1 == 2))'
names comparison 1 '[[ $1 == other ]]'
names input 1 'read -r word < <(true)'
names pipe '0 1 0' true
names subshell 1 '( cd / && false )'
says subshell group "script.sh:$(line_of 'cd /'): exit status 1 from: false"
names substitution 1 'word=$(fail "a sentence")'
says substitution group 'not ok: a sentence'

for where in plain elsewhere group; do
	ends 1 fail "$where"
	says fail "$where" 'not ok: a sentence'
	says fail "$where" "	called by script.sh:$(line_of '^		fail "'), in inner"
	says fail "$where" "	called by script.sh:$(line_of '^	inner "'), in outer"
	[[ $where != plain ]] || says fail plain 'cleaned up'
	ends 5 exit "$where"
	says exit "$where" 'script.sh: exit status 5 during: exit 5, in inner'
	ends 1 unset "$where"
	says unset "$where" 'script.sh: exit status 1 during: echo "$absent", in inner'
	ends 143 signal "$where"
	says signal "$where" 'script.sh: exit status 143 during: kill -TERM $$, in inner'
	says signal "$where" "	called by script.sh:$(line_of '^	inner "'), in outer"
done

# Bounds on time: of what took 100 s.
ends 1 late plain
grep -qE '^not ok: too late: took 100000 ms, not less than 10; a processor gives [0-9]+ %$' "$work/err" ||
	{ cat "$work/err"; fail "a bound is not judged"; }
says late plain "	called by script.sh:$(line_of '"too late"'), in inner"

# Reports: each that is not so, as it was, and no other.
for where in plain elsewhere group; do
	ends 1 reports "$where"
	for words in 'it is two' 'it is a word' 'it is there' 'it is whole'; do
		says reports "$where" "not ok: $words"
		says reports "$where" "	called by script.sh:$(line_of "expect_report \"$words\""), in inner"
	done
	[[ $(grep -c '^not ok: ' "$work/err") == 4 ]] || { cat "$work/err"; fail "others are not so, too"; }
	says reports "$where" '{"a": 1}'
	says reports "$where" '4 of 6 expectations of reports are not so'
	ends 0 good-reports "$where"
done

ends 77 skip plain
grep -qx 'skip: a reason' "$work/out" || fail "no reason for the skip"
[[ ! -s $work/err ]] || { cat "$work/err"; fail "a skip has words on stderr"; }
ends 0 handled plain
[[ ! -s $work/err ]] || { cat "$work/err"; fail "a script that passes has words on stderr"; }

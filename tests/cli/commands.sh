#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Each command in a step of *.findings and nfsrdma.messages has its row in commands.md, with a package for every distribution that
# the step is for. On Debian the packages are those that the installed programs belong to.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires python3

findings=$NFSRDMA_SOURCE/plugin/report/findings

# steps: "SYSTEMS<tab>COMMAND" of each step that has a command, as make-table and make-messages understand it.
steps()
{
	{ "$findings/make-table" "$findings"/*.findings &&
		"$findings/make-messages" "$findings/nfsrdma.messages" "$findings"/*.findings; } |
		sed -nE 's/^\t\{ (0|SYSTEM_[A-Z_ |]*), "([^"\\]|\\.)*", "(([^"\\]|\\.)*)", STEP_[A-Z]+ \},$/\1\t\3/p' |
		sed -E 's/\\(.)/\1/g' | sort -u
}

# rows: "COMMAND|DEBIAN|RHEL|SUSE|ARCH|VERIFIED" of the table.
rows() { sed -n 's/^| *\([a-z][^|]*[^ |]\) *| *\([^|]*[^ |]\) *| *\([^|]*[^ |]\) *| *\([^|]*[^ |]\) *| *\([^|]*[^ |]\) *| *\([^|]*[^ |]\) *|$/\1|\2|\3|\4|\5|\6/p' "$findings/commands.md" | grep -v '^command|'; }

steps >"$work/steps"
rows >"$work/rows"
(($(wc -l <"$work/steps") > 20)) || fail "few steps have a command"
(($(wc -l <"$work/rows") == $(grep -c '^| [a-z]' "$findings/commands.md") - 1)) || fail "a row of commands.md is not understood"
[[ ! $(cut -d'|' -f1 "$work/rows" | sort | uniq -d) ]] || fail "a command has two rows"

cat >"$work/demand.py" <<'END'
import re, shlex, sys

columns = {"SYSTEM_DEBIAN": 1, "SYSTEM_UBUNTU": 1, "SYSTEM_RHEL": 2, "SYSTEM_SUSE": 3, "SYSTEM_ARCH": 4}
rows = {}
for line in open(sys.argv[2], encoding="utf-8"):
    row = line.rstrip("\n").split("|")
    rows[row[0]] = row

# Words of each command of a shell line, also within $(...).
def commands(line):
    for inner in re.findall(r"\$\(([^()]*)\)", line):
        yield from commands(inner)
    line = re.sub(r"\$\([^()]*\)", "X", line)
    words = []
    lexer = shlex.shlex(line, posix=False, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    for word in list(lexer) + [";"]:
        if set(word) <= set("|&;"):
            if words:
                yield words
            words = []
        elif words or not re.match(r"[A-Z_]+=", word):
            words.append(word)
            if words == ["sudo"]:
                yield words
                words = []

wrong = []
for line in open(sys.argv[1], encoding="utf-8"):
    systems, command = line.rstrip("\n").split("\t")
    wanted = {columns[word] for word in systems.split() if word in columns} or {1, 2, 3, 4}
    # "{!key}": the program builds the command, and its own tests check it.
    for words in commands(command) if not re.fullmatch(r"\{![a-z_]+\}", command) else []:
        names = [word for word in words if not word.startswith("-")][:2]
        if names and names[0].startswith("{!"):
            continue  # the program makes it: its own commands are the test's of firewall
        row = rows.get(" ".join(names)) or rows.get(names[0])
        if not row:
            wrong.append(f"commands.md has no row for {names[0]}, of the step: {command}")
            continue
        missing = [name for name, at in columns.items() if at in wanted and row[at] == "-"]
        if missing:
            wrong.append(f"{names[0]} is not on {', '.join(missing)}, and the brackets of the step do not say so: {command}")
print("\n".join(wrong))
END
wrong=$(python3 "$work/demand.py" "$work/steps" "$work/rows")
[[ ! $wrong ]] || { echo "$wrong"; fail "steps with commands that the table does not have"; }

# Our own commands in steps, and their options, exist. --help at the end prevents any action.
while read -r command; do
	read -ra words < <(sed -E "s/\{![a-z_]+\}//g; s/\{(port|asked)\}|PORT/20049/g; s/\{type\}/siw/g; s/\{[a-z_]+\}/x/g; s/'//g" <<<"$command")
	run "${words[@]}" --help
	[[ $status == 0 ]] || { show; fail "a step has 'nfsrdma $command'"; }
done < <(cut -f2 "$work/steps" | grep -oE '(^|[ ;&])nfsrdma [a-z][^;&|>]*' | sed 's/.*nfsrdma //' | sort -u)

# A step that says that a scenario runs it has one.
while IFS='|' read -r command _ _ _ _ verified; do
	[[ $verified != *testbed* ]] ||
		grep -rqE "(^|[^a-zA-Z0-9._/-])$command( |\$)" "$NFSRDMA_SOURCE/tests/testbed" "$NFSRDMA_SOURCE/tests/system" ||
		fail "no scenario has $command"
	[[ $verified == *dpkg* || $verified == *testbed* || $verified == *[!a-z]* ]] || fail "$command is not verified"
done <"$work/rows"

# The package that is installed here is the one in the table.
checked=0
if [[ $(sed -n 's/^ID=//p' /etc/os-release) == debian ]] && command -v dpkg-query >/dev/null; then
	declare -A files=() owners=()
	while IFS='|' read -r command package _; do
		path=$(PATH=/usr/sbin:/usr/bin:/sbin:/bin type -P "$command" || true)
		[[ $path && $package != [-\(]* && $package != nfsrdma ]] || continue
		# Files in /usr may be recorded without /usr, or be a link of alternatives.
		files[$command]="$path ${path#/usr} /usr$path $(readlink -f "$path")"
	done <"$work/rows"
	# All at once, because dpkg-query reads all packages first.
	read -ra paths <<<"${files[*]}"
	while read -r owner path; do
		owners[$path]+=" $owner "
	done < <({ dpkg-query -S "${paths[@]}" 2>/dev/null || true; } | sed -n 's/^\([^ ,:]*\)\(:[a-z0-9]*\)\?: /\1 /p')
	while IFS='|' read -r command package _; do
		owned=''
		for path in ${files[$command]:-}; do
			owned+=${owners[$path]:-}
		done
		[[ $owned ]] || continue
		[[ $owned == *" $package "* ]] || fail "$command is of$owned here, and of $package in commands.md"
		((++checked))
	done <"$work/rows"
	((checked > 10)) || fail "few programs are installed"
fi
echo "$(wc -l <"$work/steps") steps, $(wc -l <"$work/rows") commands, $checked of them compared with dpkg"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The manuals as the build formats them: in UTF-8 and in ASCII, which a system without a locale has, no line is
# wider than 80 columns, and man does not warn; nor does mandoc. Each
# page and section that they name exists, pages that belong together name each other, and the program
# accepts the commands of the examples.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires man mandoc scdoc
export LC_ALL=C.UTF-8 MANROFFOPT='' MANOPT=''
# Set but empty, it makes man run no tbl.
unset MANROFFSEQ
build=${NFSRDMA%/*}
mapfile -t pages < <(find "$build"/{rpcrdma,plugin,mount-helper,hooks,packaging} -regex '.*/[a-z.-]*\.[1-8]' | sort)
((${#pages[@]} >= 20)) || fail "only ${#pages[@]} manuals: ${pages[*]}"
# page_name FILE: "nfsrdma(8)"
page_name() { local file=${1##*/}; echo "${file%.*}(${file##*.})"; }
# names: the pages in a text. A line that ends in a hyphen has the other part of a name on the next one.
names() { sed -z 's/-\n */-/g' | { grep -oE '[A-Za-z_][A-Za-z0-9_.-]*\([1-9]\)' || true; } | sort -u; }
# rendered PAGE ENCODING [OPTION...]
rendered() { MANWIDTH=80 man --warnings -E "$2" "${@:3}" -l "$1" 2>"$work/warnings" </dev/null; }

declare -A ours sees
for page in "${pages[@]}"; do
	ours[$(page_name "$page")]=$page
done
# Links to a page, by install.list.
while read -r name; do
	ours[$name]=${ours[$name]:-link}
done < <(sed -nE 's,^777 .*/man[1-8]/(.*)\.([1-8])$,\1(\2),p' "$NFSRDMA_SOURCE/tests/install.list")
while read -r name; do
	[[ ${ours[$name]:-} ]] || fail "$name of install.list is not built"
done < <(sed -nE 's,^644 .*/man[1-8]/(.*)\.([1-8])$,\1(\2),p' "$NFSRDMA_SOURCE/tests/install.list")
known=" $(sed 's/#.*//' "$NFSRDMA_SOURCE/tests/cli/manuals.known" | tr '\n' ' ') "

for page in "${pages[@]}"; do
	name=$(page_name "$page")
	for encoding in UTF-8 ascii; do
		locale=C.UTF-8
		[[ $encoding != ascii ]] || locale=C
		LC_ALL=$locale rendered "$page" "$encoding" >"$work/text"
		# groff from 1.23 on says so of a narrow column of a table, from 1.24 on by how much.
		sed -i -E '/warning.*cannot adjust line(; underset by [0-9]+n)?$/d' "$work/warnings"
		[[ ! -s $work/warnings ]] || { cat "$work/warnings"; fail "man warns of $name in $encoding"; }
		# A line of fstab cannot be broken.
		! grep -vE ' nfsrdma .* 0 0$' "$work/text" | grep -nE '^.{81}' || fail "$name is wider than 80 columns in $encoding"
	done
	! LC_ALL=C grep -n '[^ -~]' "$work/text" || fail "$name in ascii is not ASCII"
	# scdoc makes these paragraphs, and newer ones escape the date.
	mandoc -T lint -W warning "$page" >"$work/lint" 2>&1 || true
	! grep -vE 'skipping paragraph macro: PP|cannot parse date, using it verbatim' "$work/lint" || fail "mandoc warns of $name"

	rendered "$page" UTF-8 --no-hyphenation --no-justification >"$work/text"
	while read -r other; do
		[[ ${ours[$other]:-} || $known == *" $other "* ]] ||
			fail "$name names $other, which is neither ours nor in manuals.known"
	done < <(names <"$work/text")
	# nfsrdma(8) has the pages of commands in its list of them.
	section='SEE ALSO'
	[[ $name != 'nfsrdma(8)' ]] || section=NAME
	sees[$name]=" $(sed -n "/^$section/,\$p" "$work/text" | names | tr '\n' ' ')"

	# Sections are named in bold: *ONE HOST ALONE*.
	sed -nE 's/^\.SH "?([^"]*)"?$/\1/p' "$page" >"$work/sections"
	while IFS= read -r section; do
		grep -qxF -- "$section" "$work/sections" || fail "$name has no section $section"
	done < <(tr '\n' ' ' <"$page" | { grep -oE '\\fB[A-Z]{2,}( [A-Z]{2,})+\\fR' || true; } | sed 's/\\f[BR]//g' | sort -u)
done

for name in "${!sees[@]}"; do
	[[ $name == 'nfsrdma(8)' || ${sees[$name]} == *' nfsrdma(8) '* ]] || fail "SEE ALSO of $name lacks nfsrdma(8)"
	[[ $name == 'nfsrdma(8)' || ${sees['nfsrdma(8)']} == *" $name "* ]] || fail "SEE ALSO of nfsrdma(8) lacks $name"
	for other in ${sees[$name]}; do
		[[ ! ${sees[$other]:-} || ${sees[$other]} == *" $name "* ]] || fail "SEE ALSO of $other lacks $name, which names it"
	done
done

# scdoc drops a single backslash, and a command of two lines would become two commands.
cd "$NFSRDMA_SOURCE"
find plugin mount-helper rpcrdma packaging -name '*.scd' -exec grep -nE '(^|[^\\])\\$' {} + >"$work/out" || true
[[ ! -s $work/out ]] || { cat "$work/out"; fail "a backslash that scdoc drops"; }

# Commands of examples, in lines with a prompt. --help at the end prevents any action.
commands=0
while IFS= read -r command; do
	# Up to a pipe or a redirection.
	eval "words=(${command%%[|>;]*})"
	run "${words[@]}" --help
	[[ $status == 0 ]] || { show; fail "a manual has 'nfsrdma $command'"; }
	((++commands))
done < <(find plugin mount-helper packaging -name '*.scd' -exec sed -e ':a;/\\\\$/{N;s/\\\\\n//;ba}' {} + |
	sed -nE 's/^[a-z0-9]*[$#] nfsrdma ([a-z].*)/\1/p' | sort -u)
((commands > 40)) || fail "only $commands commands"
echo "${#pages[@]} pages, $commands commands"

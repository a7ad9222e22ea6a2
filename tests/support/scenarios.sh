# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Shell functions for programs that run scenarios in a guest, as run of tests/testbed and
# tests/system: a line for each, and the sum at the end.
#
# The caller sets
#	suite			for the lines
#	suite_dir		scenario.sh and scenarios/ are in it
#	scenario_limit		seconds for a scenario that does not say scenario_timeout=SECONDS
#	nightly			not empty: scenarios that are too slow for every run, too
# Set here: logs, a folder; passed, failed, skipped; scenario_pid.
# shellcheck shell=bash disable=SC2034
: "${suite:?}" "${suite_dir:?}" "${scenario_limit:?}"

passed=0 failed=0 skipped=0 scenario_pid=''
logs=$(mktemp -d "${TMPDIR:-/tmp}/nfsrdma-$suite.XXXXXX")

scenario_end() { [[ ! $scenario_pid ]] || kill "$scenario_pid" 2>/dev/null || true; }

# logs_end KEEP: after a failure, or if KEEP is not empty, they are kept.
logs_end()
{
	if ((failed)) || [[ $1 ]]; then
		echo "$suite: logs are in $logs" >&2
	else
		rm -rf "$logs"
	fi
}

# Tenths of seconds since $1, a value of now.
now() { printf '%s' $((${EPOCHREALTIME/./} / 100000)); }
since() { local t=$(($(now) - $1)); printf '%d.%d' $((t / 10)) $((t % 10)); }

# result STATUS NAME SECONDS WHY
result()
{
	case $1 in
	0)	passed=$((passed + 1)); echo "ok - $suite $2 ($3 s)" ;;
	77)	skipped=$((skipped + 1)); echo "skip - $suite $2: $4" ;;
	*)	failed=$((failed + 1)); echo "not ok - $suite $2: $4 ($3 s)" ;;
	esac
}

name_of() { local base=${1##*/}; base=${base%.sh}; printf '%s' "${base#*-}"; }

# choose_scenarios [NAME...]: sets chosen. Without a name all, except those with a line
# only_nightly unless nightly is set.
choose_scenarios()
{
	local file

	chosen=()
	for file in "$suite_dir"/scenarios/*.sh; do
		if (($#)); then
			[[ " $* " == *" $(name_of "$file") "* ]] || continue
		elif [[ ! ${nightly:-} ]] && grep -qx only_nightly "$file"; then
			continue
		fi
		chosen+=("$file")
	done
	((${#chosen[@]})) || { echo "no scenario is called $*" >&2; exit 2; }
}

# all STATUS WHY: the same result for every scenario.
all()
{
	local file

	for file in "${chosen[@]}"; do result "$1" "$(name_of "$file")" 0 "$2"; done
}

end()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	((failed == 0)) || exit 1
	exit 0
}

# Runs $1 in a shell of its own; result.
scenario()
{
	local file=$1 name start status=0 why limit

	name=$(name_of "$file")
	limit=$(sed -n 's/^scenario_timeout=//p' "$file")
	: "${limit:=$scenario_limit}"
	work=$logs/$name
	mkdir -p "$work"
	chmod 755 "$work"
	export work guest
	start=$(now)
	# In the background: wait lets a signal's trap run, a foreground child does not.
	timeout -k 5 "$limit" \
		bash -eEuo pipefail "$suite_dir/scenario.sh" "$file" \
		>"$work/log" 2>&1 </dev/null &
	scenario_pid=$!
	wait "$scenario_pid" || status=$?
	scenario_pid=
	why=$(head -n1 "$work/why" 2>/dev/null) || why=$(tail -n1 "$work/log")
	((status != 124)) || why="no end after $limit s; ${why:-}"
	result "$status" "$name" "$(since "$start")" "$why"
	[[ ! -s $work/note ]] || sed 's/^/    /' "$work/note"
	[[ $status == 0 || $status == 77 ]] || sed 's/^/    /' "$work/log" | tail -n 40
}

# build_image: what the guest boots from, by the suite's build. Sets image; ends where there is none.
build_image()
{
	local status=0 start

	start=$(now)
	image=$("$suite_dir/build" 2>"$logs/build.err") || status=$?
	sed 's/^/  /' "$logs/build.err"
	case $status in
	0)	echo "$suite: $(cat "$image/release") ($(since "$start") s)" ;;
	3)	all 77 "$(sed -n "\$s/^$suite: //p" "$logs/build.err")"; end ;;
	*)	all 1 "$(tail -n1 "$logs/build.err")"; end ;;
	esac
}

# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What the scripts of tests/cli are written with. Each sources this file first. meson sets
#	NFSRDMA		the program
#	NFSRDMA_SOURCE	the top of the source tree
# A script passes when it comes to its end. $work is a folder of its own, gone afterwards.
# A script that fails names the command with its file and line, and the lines that called it.
# What a sanitizer says of any process that a script started fails the script, and so does JSON of the
# program that is not as its schema says. What a script expects of JSON reports is judged when it ends.
# shellcheck shell=bash

# -E: the trap on ERR also applies to commands inside functions and subshells.
set -Eeuo pipefail
export LC_ALL=C NO_COLOR=1
: "${NFSRDMA:?}" "${NFSRDMA_SOURCE:?}"

work=$(mktemp -d "${TMPDIR:-/tmp}/nfsrdma-cli.XXXXXX")
# The probe's worker is nobody when the caller is root; it also writes here. A script can set
# $work to a folder of a part of it.
kept_json=$work/json
expectations=$work/expectations
mkdir "$work/sanitizer" "$kept_json" "$expectations"
chmod 755 "$work"
chmod 1777 "$work/sanitizer"
export ASAN_OPTIONS=log_path=$work/sanitizer/log
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:log_path=$work/sanitizer/log

# A version manager's python3 is a script that takes ten times as long as Python to start.
if [[ -x /usr/bin/python3 ]] && read -rN 2 first <"$(type -P python3)" && [[ $first == '#!' ]]; then
	mkdir "$work/python"
	ln -s /usr/bin/python3 "$work/python/"
	PATH=$work/python:$PATH
fi
unset first

cleanups=()
# cleanup_fn COMMAND...: runs when the script ends, in reverse order.
cleanup_fn() { cleanups+=("$(printf '%q ' "$@")"); }

# callers DEPTH: the lines that called the function DEPTH levels above this one.
callers()
{
	local i

	for ((i = $1; i < ${#FUNCNAME[@]} - 1; i++)); do
		echo "	called by ${BASH_SOURCE[i + 1]##*/}:${BASH_LINENO[i]}, in ${FUNCNAME[i + 1]}"
	done
}

# The failure goes into a file, because stderr may be redirected where a command fails. A
# command that fails in a subshell is there first, then the command that the subshell belongs to.
note_command()
{
	local status=$4

	# Of a pipeline bash names the last command, which may be another than the one that failed.
	# (( and [[ leave the statuses of the pipeline before them.
	[[ $2 == '(('* || $2 == '[['* ]] || status=$3
	echo "${BASH_SOURCE[1]##*/}:$1: exit status $status from: $2"
	callers 2
} >>"$work/failed"

# Prints the number of stderr as it was when the script started. A script that calls exit inside
# "function >file" is still redirected at its end: bash keeps the old stderr as another
# descriptor.
stderr_link=$(readlink "/proc/$$/fd/2" || echo none)
first_stderr()
{
	local fd

	for fd in 2 {10..19}; do
		[[ $(readlink "/proc/$$/fd/$fd") == "$stderr_link" ]] && echo "$fd" && return
	done
	echo 2
}

# end COMMAND: runs whenever the script ends.
end()
{
	local status=$? i stderr

	trap - ERR
	set +e
	stderr=$(first_stderr)
	# A signal (meson's time limit) leaves the status of the command before it.
	((status != 0 || ${#FUNCNAME[@]} == 2)) || [[ $1 == exit* ]] || status=143
	if ((status != 0 && status != 77)); then
		# Bash's own errors, like an unset variable, do not reach note_command.
		if [[ ! -e $work/failed ]] || ((status == 143)); then
			{
				echo "${0##*/}: exit status $status during: $1, in ${FUNCNAME[1]}"
				callers 2
			} >>"$work/failed"
		fi
		cat "$work/failed" >&"$stderr"
	fi
	for ((i = ${#cleanups[@]} - 1; i >= 0; i--)); do
		eval "${cleanups[i]}"
	done
	judge >&"$stderr" || status=1
	if compgen -G "$work/sanitizer/*" >/dev/null; then
		cat "$work"/sanitizer/* >&"$stderr"
		status=1
	fi
	# All at once, because Python is slower than the program.
	if compgen -G "$kept_json/*" >/dev/null &&
		! python3 "$NFSRDMA_SOURCE/tests/support/check-json" "$NFSRDMA_SOURCE/plugin/schema" \
			"$kept_json"/* >"$work/invalid" 2>&1; then
		head -n 20 "$work/invalid" >&"$stderr"
		status=1
	fi
	# Not into mounts of a script.
	rm -rf --one-file-system "$work"
	exit "$status"
}
trap 'end "$BASH_COMMAND"' EXIT
trap 'note_command "$LINENO" "$BASH_COMMAND" "${PIPESTATUS[*]}" "$?"' ERR

# fail WORDS: ends the script.
fail()
{
	{
		echo "not ok: $*"
		callers 1
	} >>"$work/failed"
	exit 1
}
skip() { echo "skip: $*"; exit 77; }

# requires PROGRAM...: or skips, saying which one is missing.
requires()
{
	local program

	for program; do
		type -P "$program" >/dev/null || skip "no $program"
	done
}

# Seconds that any wait may take: for a run, a line, a mount. It only ends what hangs, and is the
# same for all, because a busy machine is slow without limit.
patience=120

# try_until COMMAND...: repeats it until it succeeds; 1 once $patience is over.
try_until()
{
	local end=$((SECONDS + patience))

	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.05
	done
}
# wait_until COMMAND...: or fails.
wait_until() { try_until "$@" || fail "not so after $patience s: $*"; }

has_line() { IFS= read -r _ <"$1"; }

line_or_end() { has_line "$1" || ! kill -0 "$2" 2>/dev/null; }

# await_line FILE PID: waits for a whole line in the file; fails if the process ends before.
await_line()
{
	wait_until line_or_end "$@"
	has_line "$1" || fail "ended without a line: $(cat "$1" "$1.err" 2>/dev/null)"
}

# reachable PROGRAM: prints the path of a copy of it that every user can run: a clone may lie below a folder that
# only its owner can enter, as /root.
reachable()
{
	mkdir -p "$work/reachable"
	cp "$1" "$work/reachable/"
	echo "$work/reachable/${1##*/}"
}

requires_root() { ((EUID == 0)) || skip "not root"; }

# take_journal: replaces systemd's journal, below a /run that is the script's own; entries are in
# $work/journal, with an empty line after each.
take_journal()
{
	mkdir -p /run/systemd/journal
	python3 - "$work/journal" <<'PY' &
import os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind("/run/systemd/journal/socket")
os.chmod("/run/systemd/journal/socket", 0o666)
while True:
    with open(sys.argv[1], "ab") as log:
        log.write(receiver.recv(1 << 20) + b"\n")
PY
	cleanup_fn kill "$!"
	: >"$work/journal"
	wait_until test -S /run/systemd/journal/socket
}

# in_journal LINE: an entry has it; entries are written a moment after they are sent.
in_journal()
{
	try_until grep -qsxF -- "$1" "$work/journal" || { cat "$work/journal"; fail "the journal has no line \"$1\""; }
}

# Milliseconds; since_ms START.
now_ms() { printf '%s' $((${EPOCHREALTIME/./} / 1000)); }
since_ms() { printf '%s' $(($(now_ms) - $1)); }
# seconds MS: "1.2"
seconds() { printf '%d.%d' $(($1 / 1000)) $(($1 % 1000 / 100)); }

# processor: the share, in per cent, of a processor that a computation gets now.
processor()
{
	local TIMEFORMAT='%3R %3U' real user

	read -r real user < <({ time for ((user = 0; user < 200000; user++)); do :; done; } 2>&1)
	user=$((10#${user/./})) real=$((10#${real/./}))
	printf '%s' $((user < real ? 100 * user / real : 100))
}

# within MS WHAT: the limit on $took that the program must keep. It is judged where a script runs
# alone and optimised: in the suite "measured", and relative to the processor time available at
# that moment.
within()
{
	local share

	[[ ${NFSRDMA_MEASURED:-} ]] && ((took >= $1)) || return 0
	share=$(processor)
	((took * share < $1 * 100)) ||
		{ show; fail "$2: took $took ms, not less than $1; a processor gives $share %"; }
}

# run ARGUMENT...: the program; sets $status and $took (ms), writes $work/out and
# $work/err. Prefix and limit are by $run_prefix and $run_limit.
run_prefix=()
run_limit=$patience
run()
{
	local start=${EPOCHREALTIME/[.,]/}

	status=0
	timeout -k 5 "$run_limit" "${run_prefix[@]}" "$NFSRDMA" "$@" \
		>"$work/out" 2>"$work/err" </dev/null || status=$?
	took=$(((${EPOCHREALTIME/[.,]/} - start) / 1000))
	# A report is complete or absent, unless the program was killed.
	((status > 3)) || keep_json "$@"
}

# keep_json ARGUMENT...: their output is checked when the script ends, if it is JSON. The
# arguments are the name of the file.
keep_json()
{
	local first='' words="$*"

	read -rN 1 first <"$work/out" || true
	[[ $first == '{' ]] || return 0
	words=${words//[^[:alnum:]._:=-]/_}
	keep_output "$kept_json/${EPOCHREALTIME/[.,]/}-${words:0:80}"
}

# keep_output FILE: sets $kept_file to a file with the output as it is now: that one, or that of the call before.
# Without another process.
kept_file='' kept_text=''
keep_output()
{
	local text

	# It ends at a NUL, which is in no JSON.
	! IFS= read -rd '' text <"$work/out" || { cp "$work/out" "$1"; kept_file=$1 kept_text=''; return 0; }
	[[ ! $kept_file || $text != "$kept_text" ]] || return 0
	printf '%s' "$text" >"$1"
	kept_file=$1 kept_text=$text
}

# show [FILE]: the output, for the log of a failed test: of a report the findings that do not pass.
show()
{
	local out=${1:-$work/out}

	echo "+ exit status ${status:-none} after ${took:-no} ms"
	jq -r '"verdict \(.verdict), subject \(.subject)", (.findings[]
		| select(.status != "pass" and .status != "skip")
		| "\(.id) \(.status): \(.summary) \(.evidence)")' "$out" 2>/dev/null ||
		head -c 20000 "$out" 2>/dev/null || true
	[[ ${1:-} ]] || head -c 5000 "$work/err" 2>/dev/null || true
}

expect_status() { [[ $status == "$1" ]] || { show; fail "exit status $status, not $1"; }; }

# report FILTER [ARGUMENT...]: jq on the JSON report in $work/out.
report() { jq -r "$@" "$work/out"; }

# kept_page KEPT NEW: shows how they differ. How wide columns are where a name is too long differs between versions of
# libsmartcols.
kept_page()
{
	[[ -z ${NFSRDMA_ACCEPT:-} ]] || cp "$2" "$1"
	diff -u <(narrow_page <"$1") <(narrow_page <"$2")
}
narrow_page() { sed -E 's/([^ ]) {3,}/\1  /g; s/^ {40,}/ .. /'; }

# expect_report WHAT [ARGUMENT...] FILTER: the JSON report in $work/out is so by jq -e; arguments are --arg and
# --argjson. It is noted with the report and its line, and judged when the script ends, with all others:
# jq takes 20 ms to start.
expect_report()
{
	local lines=${status:-}:${took:-} i

	keep_output "$expectations/report-$BASHPID-${EPOCHREALTIME/[.,]/}"
	for ((i = 0; i < ${#FUNCNAME[@]} - 1; i++)); do
		lines+=$'\n'"	called by ${BASH_SOURCE[i + 1]##*/}:${BASH_LINENO[i]}, in ${FUNCNAME[i + 1]}"
	done
	printf '%s\0' "$#" "$kept_file" "$lines" "$@" >>"$expectations/of-$BASHPID"
}

# all_as_expected: by one jq. Its program has each filter once; $expected has for each report the number of the
# filter and the place of its arguments, for each expectation.
all_as_expected()
{
	local -A number=() places=()
	local at i last filter branches='' given=()

	for at in "${noted_at[@]}"; do
		# One after the other, because bash walks to a part of a long list.
		filter='' last=$((at + 2 + noted[at]))
		for ((i = at + 4; i + 2 < last; i += 3)); do
			case ${noted[i]} in
			--arg) filter+="\$words[$(((i - at) / 3 - 1))][1:] as \$${noted[i + 1]} | " ;;
			--argjson) filter+="(\$words[$(((i - at) / 3 - 1))][1:] | fromjson) as \$${noted[i + 1]} | " ;;
			*) return 1 ;;
			esac
			# With a letter before it, none is an option.
			given+=("=${noted[i + 2]}")
		done
		((i == last)) || return 1
		filter+="\$report | (${noted[last]}"$'\n)'
		if [[ ! ${number[$filter]:-} ]]; then
			number[$filter]=${#number[@]}
			branches+="if \$number == ${number[$filter]} then $filter else "$'\n'
		fi
		places[${noted[at + 1]}]+="[${number[$filter]}, $((${#given[@]} - (last - at - 4) / 3))],"
	done
	{
		for i in "${!places[@]}"; do
			echo "\"${i##*/}\": [${places[$i]%,}],"
		done | sed '1s/^/{/; $s/,$/} as $expected/'
		# shellcheck disable=SC2016 # jq's variables
		printf '| [inputs as $report | $expected[input_filename | split("/") | last][] as [$number, $at]
			| $ARGS.positional[$at:] as $words | [%sempty%s] | length > 0 and (last | . != null and . != false)]
			| length == %d and all' "$branches" "$(printf ' end%.0s' "${!number[@]}")" "${#noted_at[@]}"
	} >"$expectations/program"
	jq -n -e -f "$expectations/program" "${!places[@]}" --args "${given[@]}" >/dev/null 2>&1
}

# judge: what expect_report noted. What is not so is said, with its report and its lines.
judge()
{
	local at noted noted_at=() wrong=0 status took

	compgen -G "$expectations/of-*" >/dev/null || return 0
	mapfile -d '' -t noted < <(cat "$expectations"/of-*)
	for ((at = 0; at < ${#noted[@]}; at += 3 + noted[at])); do
		noted_at+=("$at")
	done
	! all_as_expected || return 0
	for at in "${noted_at[@]}"; do
		# jq 1.6 is content with a file without a report.
		[[ ! -s ${noted[at + 1]} ]] || ! jq -e "${noted[@]:at + 4:noted[at] - 1}" "${noted[at + 1]}" >/dev/null || continue
		((++wrong <= 10)) || continue
		IFS=: read -r status took _ <<<"${noted[at + 2]}"
		show "${noted[at + 1]}"
		printf '\nnot ok: %s\n\tof %s\n%s\n' "${noted[at + 3]}" "${noted[at + 1]##*/}" "${noted[at + 2]#*$'\n'}"
	done
	((wrong == 0)) || { echo "$wrong of ${#noted_at[@]} expectations of reports are not so"; return 1; }
}

# expect_page FILE NAME: a report of 80 columns, and of 24 lines at most if it has one cause and the reason is
# known. A command is never broken, so that it can be pasted.
expect_page()
{
	local text=$1 causes

	awk 'length > 80 && !(command && /^          [^ ]/) { print; wide = 1 } { command = /:$/ } END { exit wide }' "$text" ||
		fail "$2: wider than 80 columns"
	causes=$(grep -cE '^  (FAIL|WARN|UNKNOWN)  ' "$text" || true)
	grep -qE '\[[a-z0-9.-]+/[a-z0-9-]+\]$' "$text" || return 0
	((causes != 1 || $(wc -l <"$text") <= 24)) || { cat "$text"; fail "$2: one cause, and $(wc -l <"$text") lines"; }
}

# expect_finding ID STATUS: once in the report, or in each of several findings of that id.
expect_finding()
{
	# shellcheck disable=SC2016 # jq's variables
	expect_report "$1 is not \"$2\"" --arg id "$1" --arg status "$2" \
		'[.findings[] | select(.id == $id) | .status] | unique == [$status]'
}

# expect_reasons: every finding that fails, warns or is unknown has a reason and steps.
expect_reasons()
{
	expect_report "no reason" '[.findings[] | select(.status == "fail" or .status == "warn" or .status == "unknown")]
		| all(.reason != null and (.steps | length > 0))'
}

# expect_reason ID/REASON: it is raised with that reason, and has steps.
expect_reason()
{
	# shellcheck disable=SC2016 # jq's variables
	expect_report "no $1" --arg id "${1%/*}" --arg reason "${1#*/}" \
		'any(.findings[]; .id == $id and .reason == $reason and .cause != "" and (.steps | length > 0)
			and ([.cause, .steps[].text, .steps[].command // ""] | all(test("[{}]") | not)))'
}

# The first problem, in the order of causes, is one line with these words.
expect_first_problem()
{
	# shellcheck disable=SC2016 # jq's variable
	expect_report "the first problem is no sentence that says \"$1\"" --arg words "$1" \
		'[.findings[] | select(.status == "fail" or .status == "unknown")][0].summary
		| type == "string" and test($words; "i") and (test("[\u0000-\u001f\u007f]") | not)'
}

# One sentence on stderr: one line, not empty, no control characters, with the words.
expect_sentence()
{
	local text

	! IFS= read -rd '' text <"$work/err" || { show; fail "NUL on stderr"; }
	[[ $text == ?*$'\n' && ${text%$'\n'} != *$'\n'* ]] || { show; fail "not one line on stderr"; }
	[[ ${text%$'\n'} =~ $1 ]] || { show; fail "stderr does not say \"$1\""; }
	[[ ${text//[$'\t\n']/} != *[[:cntrl:]]* ]] || { show; fail "control characters"; }
}

# start_server ARGUMENT...: `nfsrdma serve` until the script ends or stop_server. Sets
# $rdma_port, $nfs_port, $mount_port, $export and $server_pid.
start_server()
{
	# The output of the previous server is there until the new one's shell has opened the
	# file.
	: >"$work/serve"
	"$NFSRDMA" serve --listen 127.0.0.1:0 "$@" >"$work/serve" 2>"$work/serve.err" </dev/null &
	server_pid=$!
	cleanup_fn stop_server
	await_line "$work/serve" "$server_pid"
	read -r rdma_port nfs_port mount_port export < <(
		jq -r '"\(.rdma) \(.nfs) \(.mount) \(.export)"' "$work/serve")
	server=(--port "$rdma_port" --nfs-port "$nfs_port" --mount-port "$mount_port")
}

stop_server()
{
	[[ ${server_pid:-} ]] || return 0
	kill "$server_pid" 2>/dev/null || true
	wait "$server_pid" 2>/dev/null || true
	server_pid=
}

# probe ARGUMENT...: runs probe with the JSON report. Random READs only where --reads requests
# them.
probe() { run probe --format json --reads 0 "$@"; }
# probe_server [ARGUMENT...]: probes what start_server started.
probe_server() { probe "127.0.0.1:$export" "${server[@]}" "$@"; }

# decode ARGUMENT...: what Wireshark reads in $capture, one line a frame, without the caller's preferences and
# plugins. -2: what belongs together is found before it is shown. Heuristics first: the kernel chooses the ports
# of a recording, and some of them (34980, 44818, 48898, ...) belong to protocols that Wireshark tries otherwise.
decode()
{
	HOME=$work XDG_CONFIG_HOME=$work tshark -2 -n -o tcp.try_heuristic_first:TRUE -r "${capture:?}" "$@" \
		2>"$work/tshark.err" || { cat "$work/tshark.err" >&2; fail tshark; }
}

# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What the scripts of tests/cli are written with. Each sources this file first. meson sets
#	NFSRDMA		the program
#	NFSRDMA_SOURCE	the top of the source tree
# A script passes when it comes to its end. $work is a folder of its own, gone afterwards.
# What a sanitizer says of any process that a script started fails the script.
# shellcheck shell=bash

set -euo pipefail
export LC_ALL=C NO_COLOR=1
: "${NFSRDMA:?}" "${NFSRDMA_SOURCE:?}"

work=$(mktemp -d "${TMPDIR:-/tmp}/nfsrdma-cli.XXXXXX")
# The probe's worker is nobody when the caller is root; it writes here too.
mkdir "$work/sanitizer"
chmod 755 "$work"
chmod 1777 "$work/sanitizer"
export ASAN_OPTIONS=log_path=$work/sanitizer/log
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:log_path=$work/sanitizer/log

cleanups=()
# cleanup_fn COMMAND...: will run when the script ends, in reverse order.
cleanup_fn() { cleanups+=("$(printf '%q ' "$@")"); }

end()
{
	local status=$? i

	for ((i = ${#cleanups[@]} - 1; i >= 0; i--)); do
		eval "${cleanups[i]}" || true
	done
	if compgen -G "$work/sanitizer/*" >/dev/null; then
		cat "$work"/sanitizer/*
		status=1
	fi
	# Not into what a script may have mounted there.
	rm -rf --one-file-system "$work"
	exit "$status"
}
trap end EXIT
trap 'echo "line $LINENO: $BASH_COMMAND" >&2' ERR

fail() { echo "not ok: $*"; exit 1; }
skip() { echo "skip: $*"; exit 77; }

# requires PROGRAM...: or skips, saying which one is missing.
requires()
{
	local program

	for program; do
		type -P "$program" >/dev/null || skip "no $program"
	done
}

requires_root() { ((EUID == 0)) || skip "not root"; }

# take_journal: in the place of systemd's journal, below a /run that is the script's own; entries are
# in $work/journal, an empty line behind each.
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
	for _ in {1..100}; do
		[[ ! -S /run/systemd/journal/socket ]] || return 0
		sleep 0.05
	done
	fail "no journal"
}

# Milliseconds; since_ms START.
now_ms() { printf '%s' $((${EPOCHREALTIME/./} / 1000)); }
since_ms() { printf '%s' $(($(now_ms) - $1)); }
# seconds MS: "1.2"
seconds() { printf '%d.%d' $(($1 / 1000)) $(($1 % 1000 / 100)); }

# run ARGUMENT...: the program; sets $status and $took (ms), writes $work/out and
# $work/err. Prefix and limit are by $run_prefix and $run_limit.
run_prefix=()
run_limit=60
run()
{
	local start

	start=$(now_ms)
	status=0
	timeout -k 5 "$run_limit" "${run_prefix[@]}" "$NFSRDMA" "$@" \
		>"$work/out" 2>"$work/err" </dev/null || status=$?
	took=$(since_ms "$start")
}

# What was seen, for the log of a failed test: of a report what is not as it should be.
show()
{
	echo "+ exit status $status after $took ms"
	jq -r '"verdict \(.verdict), subject \(.subject)", (.findings[]
		| select(.status != "pass" and .status != "skip")
		| "\(.id) \(.status): \(.summary) \(.evidence)")' "$work/out" 2>/dev/null ||
		head -c 20000 "$work/out"
	head -c 5000 "$work/err"
}

expect_status() { [[ $status == "$1" ]] || { show; fail "exit status $status, not $1"; }; }

# report FILTER [ARGUMENT...]: jq on the JSON report in $work/out.
report() { jq -r "$@" "$work/out"; }

expect_report()
{
	local what=$1

	shift
	jq -e "$@" "$work/out" >/dev/null || { show; fail "$what"; }
}

# expect_finding ID STATUS: once in the report, or by each of several of that id.
expect_finding()
{
	# shellcheck disable=SC2016 # jq's variables
	expect_report "$1 is not \"$2\"" --arg id "$1" --arg status "$2" \
		'[.findings[] | select(.id == $id) | .status] | unique == [$status]'
}

# What is wrong first, in the order of causes, is said in one line with these words.
expect_first_problem()
{
	local sentence

	sentence=$(report '[.findings[] | select(.status == "fail" or .status == "unknown")][0].summary') ||
		{ show; fail "no JSON report"; }
	[[ $sentence != null && $sentence != *$'\n'* ]] || { show; fail "no sentence"; }
	grep -qiE -- "$1" <<<"$sentence" || { show; fail "\"$sentence\" does not say \"$1\""; }
	! grep -qP '[\x00-\x1f\x7f]' <<<"$sentence" || { show; fail "control characters"; }
}

# One sentence on stderr: one line, not empty, no control characters, with the words.
expect_sentence()
{
	[[ $(wc -l <"$work/err") == 1 ]] || { show; fail "not one line on stderr"; }
	grep -qE -- "$1" "$work/err" || { show; fail "stderr does not say \"$1\""; }
	! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$work/err" || { show; fail "control characters"; }
}

# start_server ARGUMENT...: `nfsrdma serve` until the script ends or stop_server. Sets
# $rdma_port, $nfs_port, $mount_port, $export and $server_pid.
start_server()
{
	# What the one before printed is there until the new one's shell has opened the file.
	: >"$work/serve"
	"$NFSRDMA" serve --listen 127.0.0.1:0 "$@" >"$work/serve" 2>"$work/serve.err" </dev/null &
	server_pid=$!
	cleanup_fn stop_server
	for _ in {1..100}; do
		grep -q . "$work/serve" && break
		kill -0 "$server_pid" 2>/dev/null || fail "serve ended: $(cat "$work/serve.err")"
		sleep 0.1
	done
	read -r rdma_port nfs_port mount_port export < <(
		jq -r '"\(.rdma) \(.nfs) \(.mount) \(.export)"' "$work/serve") ||
		fail "serve printed no line of JSON in 10 s"
	server=(--port "$rdma_port" --nfs-port "$nfs_port" --mount-port "$mount_port")
}

stop_server()
{
	[[ ${server_pid:-} ]] || return 0
	kill "$server_pid" 2>/dev/null || true
	wait "$server_pid" 2>/dev/null || true
	server_pid=
}

# probe ARGUMENT...: run probe with the JSON report.
probe() { run probe --format json "$@"; }
# probe_server [ARGUMENT...]: probes what start_server started.
probe_server() { probe "127.0.0.1:$export" "${server[@]}" "$@"; }

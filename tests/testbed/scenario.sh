# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# What scenarios are written with. run starts a shell with this file for each
# scenario, and the scenario is sourced at the end of it. These are set:
#	NFSRDMA		the program
#	guest		the running guest's folder, for lib.sh
#	work		an empty folder of the scenario's own
# A scenario passes when it comes to its end.
# shellcheck shell=bash

# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=/dev/null
. "$guest/ports"
: "${rdma_port:?}" "${mount_port:?}" "${nfs_port:?}"

# The sentence goes to run, what leads up to it is in the log already.
fail() { printf '%s\n' "$*" >"$work/why"; exit 1; }
skip() { printf '%s\n' "$*" >"$work/why"; exit 77; }

# A command that ends the scenario without a word still says which one it was.
trap 'printf "line %s: %s\n" "$LINENO" "$BASH_COMMAND" >"$work/why"' ERR

# server plain|big|sick: which kernel server the guest runs from here on.
server()
{
	guest_tell 60 server "$1" || fail "the guest cannot start its server \"$1\""
}

# probe TARGET-ARGUMENT...: sets $status; the report is $work/out. Never fails.
probe()
{
	local -a command=("$NFSRDMA" probe "$@")

	printf '+ %s\n' "${command[*]}"
	status=0
	"${as[@]}" "${command[@]}" >"$work/out" 2>"$work/err" </dev/null || status=$?
	cat "$work/out" "$work/err"
	printf '+ exit status %s\n' "$status"
}
as=()

# probe_guest EXPORT ARGUMENT...: probes the kernel server in the guest.
probe_guest()
{
	local export=$1

	shift
	probe "127.0.0.1:$export" --port "$rdma_port" --mount-port "$mount_port" \
		--nfs-port "$nfs_port" "$@"
}

# As an ordinary user: a copy, because nobody may not enter every build folder.
as_nobody()
{
	local lib

	[[ $(id -u) -eq 0 ]] || return 0
	mkdir -p "$work/nobody"
	cp "$NFSRDMA" "$work/nobody/"
	while IFS= read -r lib; do
		cp "$lib" "$work/nobody/"
	done < <(ldd "$NFSRDMA" | sed -n "s|.* => \($(dirname "$NFSRDMA")/[^ ]*\) .*|\1|p")
	NFSRDMA=$work/nobody/${NFSRDMA##*/}
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups
		env "LD_LIBRARY_PATH=$work/nobody" HOME=/)
}

expect_status()
{
	[[ $status == "$1" ]] || fail "exit status $status, not $1: $(summary)"
}

# The first thing that is wrong by the report, in one line.
summary()
{
	jq -r '[.findings[] | select(.status == "fail" or .status == "unknown")][0]
		| "\(.id) \(.status): \(.summary)"' "$work/out" 2>/dev/null ||
		tail -n1 "$work/err"
}

# expect_report FILTER WHAT: a jq filter over the JSON report must be true.
expect_report()
{
	jq -e "$1" "$work/out" >/dev/null 2>&1 || fail "$2: $(summary)"
}

# expect_finding ID STATUS
expect_finding()
{
	local have

	have=$(jq -r --arg id "$1" '[.findings[] | select(.id == $id) | .status] | unique | join(",")' \
		"$work/out" 2>/dev/null) || fail "no JSON report"
	[[ $have == "$2" ]] || fail "$1 is \"$have\", not $2: $(summary)"
}

# No finding of the kind "has the signature of a known defect".
expect_no_bug()
{
	expect_report '[.findings[] | select(.id | startswith("bug.")) |
		select(.status == "fail" or .status == "warn")] == []' "a bug was named"
}

# serve ARGUMENT...: our embedded server, until the scenario ends. Sets
# $serve_rdma, $serve_nfs, $serve_mount and $serve_export.
serve()
{
	"$NFSRDMA" serve --listen 127.0.0.1:0 "$@" >"$work/serve.out" 2>"$work/serve.err" </dev/null &
	serve_pid=$!
	trap 'kill "$serve_pid" 2>/dev/null || true' EXIT
	for _ in {1..100}; do
		[[ ! -s $work/serve.out ]] || break
		kill -0 "$serve_pid" 2>/dev/null ||
			fail "serve ended: $(tail -n1 "$work/serve.err")"
		sleep 0.1
	done
	cat "$work/serve.out"
	read -r serve_rdma serve_nfs serve_mount serve_export < <(jq -r -n 'input |
		"\(.rdma) \(.nfs) \(.mount) \(.export // "/export")"' "$work/serve.out") ||
		fail "serve printed no line of JSON in 10 s"
}

# The kernel client in the guest mounts what serve serves.
mount_serve()
{
	guest_tell 60 mount "$serve_rdma" "$serve_mount" "$serve_export" >"$work/mount" ||
		{ cat "$work/mount"; fail "mount.nfs: $(tail -n1 "$work/mount")"; }
	cat "$work/mount"
	grep -q 'proto=rdma' "$work/mount" || fail "the mount is not over RDMA"
}

# shellcheck source=/dev/null
. "$1"

# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# What scenarios are written with. run starts a shell with this file for each
# scenario, and the scenario is sourced at the end of it. These are set:
#	NFSRDMA		the program
#	guest		the running guest's folder, for lib.sh
#	second		the same of the second guest, for scenarios that say second_guest
#	work		an empty folder of the scenario's own
# A scenario passes when it comes to its end.
# shellcheck shell=bash

# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=/dev/null
. "$guest/ports"
: "${rdma_port:?}" "${mount_port:?}" "${nfs_port:?}"

# shellcheck source=../support/scenario.sh
. "$testbed/../support/scenario.sh"

# second_guest: run boots it for scenarios with this line. Its address is 10.9.0.2,
# the first one's 10.9.0.1.
second_guest() { [[ ${second:-} ]] || skip "this qemu cannot join two guests (-netdev stream)"; }

# In the second guest: second inside COMMAND, second probe_inside ...
second() { guest=$second "$@"; }

# inside COMMAND: a shell command in the guest, one line.
inside() { guest_tell sh "$*" || fail "in the guest: $*"; }

# put FILE: stdin becomes a file in the guest.
put() { inside "echo $(base64 -w0) | base64 -d >$1"; }

# in_journal EVENT FIELD=VALUE...: waits until the journal that "journal start" began has such an entry. Its text is
# $work/said; sets $took (ms).
in_journal()
{
	guest_tell journal await "NFSRDMA_EVENT=$1" "${@:2}" >"$work/said" ||
		fail "the journal has no event $1 with ${*:2}"
	cat "$work/said"
	took=$(sed -n 's/^took: //p' "$work/said")
}

# within MS WHAT: the limit on $took, which is of the guest's clock. It is judged where that counts instructions, so
# that other work on this machine does not matter; else with NFSRDMA_MEASURED.
within()
{
	[[ ! ${NFSRDMA_TESTBED_ICOUNT:-}${NFSRDMA_MEASURED:-} ]] || ((took < $1)) || fail "$2 took $took ms, not less than $1"
}

# server_gone WHERE: no packet comes from the server or reaches it; WHERE is a mount of it.
server_gone()
{
	inside "nft 'add table inet t; add chain inet t c { type filter hook input priority 0 ; };" \
		"add rule inet t c tcp dport { 2049, 20049 } drop; add rule inet t c tcp sport { 2049, 20049 } drop'"
	# For its blocks it is asked each time.
	inside "! timeout -s KILL 1 stat -f $1" || fail "the server still answers"
}
server_back() { inside 'nft flush ruleset'; }

# server plain|big|sick|grace [FAULT]: the kernel server that the guest runs from here on. The
# sick one has one of the faults of sick-server.h, or none.
server()
{
	guest_tell server "$@" || fail "the guest cannot start its server \"$*\""
}

# The median of some numbers, and their range.
spread() { sort -n | awk '{ v[NR] = $1 } END { printf "%s (%s to %s)", v[int((NR + 1) / 2)], v[1], v[NR] }'; }

# true_clock: for the rest of the scenario the guest's clock runs at the right speed. A guest that
# booted on a busy machine may have calibrated its TSC three times too slow, and all its times are
# too short then.
true_clock() { [[ ${NFSRDMA_TESTBED_ICOUNT:-} ]] || guest_tell clock start || fail "the guest has no hpet"; }

# The output of our command: a line for each finding, or all of it if it is not a report.
show()
{
	jq -r '(.findings[] | "\(.status)\t\(.id): \(.summary)"), (.subject | tostring),
		"verdict \(.verdict), \(.elapsed_ms) ms"' "$work/out" 2>/dev/null || cat "$work/out"
	cat "$work/err"
	printf '+ exit status %s\n' "$status"
}

# The default options of a probe: no random READs, and more time than a sweep takes under
# emulation on a busy machine. Where a scenario gives another --timeout, it is about that.
run_timeout=600
probe_defaults=(--reads 0 --timeout "$run_timeout")

# probe TARGET-ARGUMENT...: sets $status; the report is $work/out. Never fails.
probe()
{
	local -a command=("$NFSRDMA" probe "${probe_defaults[@]}" "$@")

	printf '+ %s\n' "${command[*]}"
	status=0
	"${as[@]}" "${command[@]}" >"$work/out" 2>"$work/err" </dev/null || status=$?
	show
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

# probe_inside ARGUMENT...: the same by the program in the guest, after the shell
# commands of $before if there are any.
probe_inside()
{
	inside_run probe "$@"
}
before=''

# until_reading: a shell command for the guest that ends when the kernel's server has sent another
# megabyte: in the middle of a probe's READs, however slow the guest is.
until_reading()
{
	cat <<-'END' | tr '\n' ' '
	sent() { sed -n 's/^io \([0-9]*\) .*/\1/p' /proc/net/rpc/nfsd; };
	from=$(sent);
	for i in $(seq 9000); do [ "$(sent)" -gt "$((from + 1048576))" ] && break; sleep 0.1; done
	END
}

# until_connected: the same, when one of our programs has a connected queue pair.
until_connected()
{
	cat <<-'END' | tr '\n' ' '
	for i in $(seq 9000); do rdma resource show qp | grep -q 'state RTS.*nfsrdma' && break; sleep 0.1; done
	END
}

# inside_run COMMAND ARGUMENT...: any of the program's commands, as probe_inside.
inside_run()
{
	case $1 in
	probe)	set -- probe "${probe_defaults[@]}" "${@:2}" ;;
	bench|check|doctor|mounts|pool|status)
		[[ " $* " == *' --timeout '* ]] || set -- "$@" --timeout "$run_timeout" ;;
	esac
	printf '+ in the guest: %s nfsrdma %s\n' "$before" "$*"
	status=0
	guest_tell sh "$before nfsrdma $* 2>/run/stderr" >"$work/out" || status=$?
	guest_tell sh 'cat /run/stderr' >"$work/err" || true
	show
}

# As an ordinary user: a copy, because nobody cannot enter every build folder.
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

# The first problem in the report, in one line; the worst come first.
summary()
{
	jq -r '[(.findings[] | select(.status == "fail")), (.findings[] | select(.status == "unknown")),
		(.findings[] | select(.status == "warn"))][0]
		| if . then "\(.id) \(.status): \(.summary)" else "every finding is good" end' "$work/out" 2>/dev/null ||
		tail -n1 "$work/err"
}

# not_good: the findings that neither passed nor were skipped, as JSON. A slow machine is no finding: probe.slow
# counts where a scenario wants it. The guest's kernel is one of the archive, without updates of security in a new
# root, so that some of its defects are known.
not_good()
{
	local aside=(probe.slow client.kernel-defects server.kernel-defects)

	jq -c --arg want "$*" '[.findings[] | select(.status != "pass" and .status != "skip")
		| select(.id as $id | all($ARGS.positional[]; $id != . or ($want | contains($id))))]' "$work/out" --args "${aside[@]}"
}

# in_report [OPTION...] FILTER: is it true of the JSON report? Of no output at all jq 1.6 says that it is.
in_report() { [[ -s $work/out ]] && jq -e "$@" "$work/out" >/dev/null 2>&1; }

# expect_report FILTER WHAT: a jq filter over the JSON report must be true.
expect_report() { in_report "$1" || fail "$2: $(summary)"; }

# expect_finding ID STATUS
expect_finding()
{
	local have

	have=$(jq -r --arg id "$1" '[.findings[] | select(.id == $id) | .status] | unique | join(",")' \
		"$work/out" 2>/dev/null) || fail "no JSON report"
	[[ $have == "$2" ]] || fail "$1 is \"$have\", not $2: $(summary)"
}

# expect_words ID STATUS REGEX: the finding's status (or "a|b"), and a match in its summary or
# evidence.
expect_words()
{
	# shellcheck disable=SC2016 # jq's variables
	in_report --arg id "$1" --arg status "$2" --arg words "$3" 'any(.findings[]; .id == $id
		and (.status | test("^(" + $status + ")$"))
		and ([.summary, (.evidence | tostring)] | any(test($words; "i"))))' ||
		fail "$1 is not \"$2\" with the words \"$3\": $(summary)"
}

# expect_reason ID/REASON: it is raised with that reason, and has steps.
expect_reason()
{
	# shellcheck disable=SC2016 # jq's variables
	in_report --arg id "${1%/*}" --arg reason "${1#*/}" 'any(.findings[]; .id == $id and .reason == $reason
		and .cause != "" and (.steps | length > 0))' ||
		fail "no $1: $(jq -c '[.findings[] | select(.reason) | .id + "/" + .reason]' "$work/out")"
}

# expect_only [STATUS ID[, STATUS ID...]]: only this does not pass; '' is a clean report.
expect_only()
{
	local have

	[[ -s $work/out ]] || fail "no output: $(summary)"
	have=$(not_good "${1:-}" | jq -r 'map("\(.status) \(.id)") | join(", ")') || fail "no JSON report"
	[[ $have == "${1:-}" ]] || fail "\"$have\" in place of \"${1:-}\": $(summary)"
}

# expect_good TRANSPORT VERSION: every finding is good, by every mechanism, with this transport and
# version.
expect_good()
{
	local mechanism

	expect_status 0
	expect_only ''
	expect_report ".subject.transport == \"$1\" and .subject.nfs_version == \"$2\"" \
		"not over $1 in NFSv$2: $(jq -c .subject "$work/out")"
	for mechanism in inline write-chunk reply-chunk; do
		expect_finding "probe.read.$mechanism" pass
	done
}

# expect_healthy WHAT: nothing failed or is unknown, and more than a page was read, however
# slowly.
expect_healthy()
{
	expect_status 0
	expect_report 'all(.findings[]; .status != "fail" and .status != "unknown")' "a healthy server is accused: $1"
	expect_report 'any(.findings[]; .id == "probe.read.write-chunk" and (.evidence.largest_right | tonumber) > 4096)' \
		"nothing was read: $1"
	note "$1: $(jq -r '[.findings[] | select(.id == "probe.slow") | .summary][0] // "nothing was slow"' "$work/out")"
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
	[[ ! ${serve_pid:-} ]] || kill "$serve_pid" 2>/dev/null || true
	"$NFSRDMA" serve --listen 127.0.0.1:0 "$@" >"$work/serve.out" 2>"$work/serve.err" </dev/null &
	serve_pid=$!
	trap 'kill "$serve_pid" 2>/dev/null || true' EXIT
	until [[ -s $work/serve.out && $(tail -c 1 "$work/serve.out" | wc -l) == 1 ]]; do
		kill -0 "$serve_pid" 2>/dev/null ||
			fail "serve ended: $(tail -n1 "$work/serve.err")"
		((SECONDS < guest_patience)) || fail "serve printed no line of JSON in $SECONDS s"
		sleep 0.1
	done
	cat "$work/serve.out"
	read -r serve_rdma serve_nfs serve_mount serve_export < <(jq -r -n 'input |
		"\(.rdma) \(.nfs) \(.mount) \(.export // "/export")"' "$work/serve.out") ||
		fail "serve printed no JSON: $(<"$work/serve.out")"
}

# serve_inside ARGUMENT...: the same in the guest, until serve_end.
serve_inside()
{
	guest_tell serve "$@" >"$work/serve.out" || {
		cat "$work/serve.out"
		fail "serve ended: $(tail -n1 "$work/serve.out")"
	}
	cat "$work/serve.out"
	read -r serve_rdma serve_nfs serve_mount serve_export < <(jq -r -n 'input |
		"\(.rdma) \(.nfs) \(.mount) \(.export // "/export")"' "$work/serve.out") ||
		fail "serve printed no line of JSON"
}

serve_end() { guest_tell serve end; }

# unit_inside ADDRESS PROGRAM...: unit tests in the guest, over verbs by this address.
unit_inside()
{
	local address=$1 tests

	shift
	guest_tell sh "export NFSRDMA_TEST_TRANSPORT=verbs NFSRDMA_TEST_ADDRESS=$address;" \
		"for unit in $*; do \$unit || status=1; done; exit \$status" >"$work/unit" || {
		cat "$work/unit"
		fail "over $address: $(grep -m1 FAILED "$work/unit" || tail -n1 "$work/unit")"
	}
	cat "$work/unit"
	# Each program ends with the line that is summed.
	tests=$(awk '/^[0-9]+ passed, 0 failed/ { n += $1 } END { print n + 0 }' "$work/unit")
	((tests > 0)) || fail "nothing was tested over $address"
	note "$tests tests over $address"
}

# hostile_worker: unit-hostile in the guest, with each setting of its kernel that changes what a
# child may do; they are as before afterwards.
hostile_worker()
{
	local setting

	inside 'chmod 1777 /tmp'
	for setting in 'full kernel/yama/ptrace_scope=0' 'full kernel/yama/ptrace_scope=1' \
		'full kernel/yama/ptrace_scope=2' \
		'no-namespace user/max_user_namespaces=0 user/max_pid_namespaces=0'; do
		# shellcheck disable=SC2086 # words
		hostile_worker_with $setting
	done
}

# hostile_worker_with EXPECTED NAME=VALUE...: of /proc/sys.
hostile_worker_with()
{
	local expected=$1 tests

	shift
	guest_tell sh "status=0; for set in $*; do cat /proc/sys/\${set%=*} >>/run/before || exit 2;" \
		"echo \${set#*=} >/proc/sys/\${set%=*} || exit 2; done;" \
		"NFSRDMA_TEST_SANDBOX=$expected unit-hostile || status=1;" \
		"for set in $*; do read -r old; echo \$old >/proc/sys/\${set%=*}; done </run/before; rm /run/before; exit \$status" \
		>"$work/hostile" || { cat "$work/hostile"; fail "$*: $(grep -m1 row "$work/hostile" || tail -n1 "$work/hostile")"; }
	tests=$(sed -n 's/^\([0-9]*\) passed, 0 failed.*/\1/p' "$work/hostile")
	[[ $tests ]] || fail "$*: nothing was tested"
	note "$tests tests with $*"
}

# mount_serve [VERSION [ADDRESS]]: the kernel client in the guest mounts the export of serve, by
# default on the host.
mount_serve()
{
	guest_tell mount "$serve_rdma" "$serve_mount" "$serve_export" "$@" >"$work/mount" ||
		{ cat "$work/mount"; fail "mount.nfs: $(tail -n1 "$work/mount")"; }
	cat "$work/mount"
	grep -q 'proto=rdma' "$work/mount" || fail "the mount is not over RDMA"
}

# mount_check [VERSION [ADDRESS]]: mounts it and reads everything.
mount_check()
{
	local files links

	mount_serve "$@"
	guest_tell check >"$work/check" || { cat "$work/check"; fail "$(head -n1 "$work/check")"; }
	cat "$work/check"
	# "checked 2010 files, 10 links, ...": the big directory and the links were there.
	read -r _ files _ links _ < <(tail -n1 "$work/check")
	((files >= 2000 && links >= 1)) || fail "$(tail -n1 "$work/check")"
	guest_tell umount
}

# mounting WHERE ARGUMENT...: mount(8) in the guest; its messages are $work/said, then the
# transport of the mount at WHERE ($mounted, "none") and what is noted as requested ($requested). Sets
# $status and $took (ms).
mounting()
{
	printf '+ in the guest: mount %s\n' "${*:2}"
	status=0
	guest_tell mounting "$@" >"$work/said" || status=$?
	cat "$work/said"
	mounted=$(sed -n 's/^mounted: //p' "$work/said")
	requested=$(sed -n 's/^requested: //p' "$work/said")
	took=$(sed -n 's/^took: //p' "$work/said")
	sed -i '/^mounted: /d; /^requested: /d; /^took: /d' "$work/said"
}

# expect_mounted WORDS: it is mounted over RDMA, with these words in its options, and noted as mounted.
expect_mounted()
{
	[[ $status == 0 ]] || fail "mount: exit status $status: $(tail -n1 "$work/said")"
	[[ $mounted == *proto=rdma* && $mounted == *"$1"* ]] || fail "it is \"$mounted\", not \"$1\""
	[[ $requested == mounted\ * ]] || fail "what is noted: \"$requested\""
}

# expect_refused STATUS REGEX: nothing is mounted, and one line gives the reason.
expect_refused()
{
	[[ $status == "$1" ]] || fail "mount: exit status $status, not $1: $(tail -n1 "$work/said")"
	[[ $mounted == none ]] || fail "it is mounted: $mounted"
	[[ $(grep -c '^mount.nfsrdma: ' "$work/said") == 1 ]] || fail "not one sentence"
	grep -qE "^mount.nfsrdma: .*($2)" "$work/said" || fail "it does not say \"$2\": $(tail -n1 "$work/said")"
}

# shellcheck source=/dev/null
. "$1"

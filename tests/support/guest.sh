# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Shell functions for a guest that runs: waiting for it, telling it things, stopping it. Of
# tests/testbed and tests/system, whose lib.sh each start one.
#
# A guest is a folder ($guest): pid, console.log, qemu.log, and the pipes of the control channel
# (ctl.in, ctl.out). In the guest a program reads lines from it and answers:
#
#	host:	ID SECONDS COMMAND [WORD...]
#	guest:	ID . one line of output		(any number)
#		ID = exit status
#
# "0 = 0" is what it says first. The caller sets suite, and guest_boot_timeout (seconds).
# shellcheck shell=bash disable=SC2034,SC2154
: "${suite:?}" "${guest_boot_timeout:?}"

# Seconds that a command in a guest may take. It only ends what hangs, and is the same for all, because a
# busy machine is slow without limit.
: "${guest_patience:=900}"

# What to start qemu with, for run: setpriv, so that qemu never outlives it.
guest_prefix=()

# Its name is how guest_stop knows that a process is the guest.
guest_options=(-name "nfsrdma-$suite" -nodefaults -no-user-config -display none)

# la57 (five-level page tables) only costs time. With ERMS and FSRM Linux copies and clears by
# "rep movsb" and "rep stosb", which are emulated byte by byte. What two processors of a guest say to
# each other costs as much as the second one gives.
guest_options+=(-cpu "max,la57=off,erms=off,fsrm=off" -smp 1)

# The HPET only costs time, too; Linux takes it for its clock if it may doubt the TSC.
guest_kernel="console=ttyS0 quiet loglevel=4 mitigations=off no_timer_check tsc=reliable"

# guest_pipes NAME...: what qemu's chardev "pipe" is given.
guest_pipes()
{
	local pipe

	for pipe; do
		rm -f "$guest/$pipe.in" "$guest/$pipe.out"
		mkfifo "$guest/$pipe.in" "$guest/$pipe.out" || return
	done
}

guest_alive() { kill -0 "$(cat "$guest/pid" 2>/dev/null)" 2>/dev/null; }

# guest_read FD DEADLINE: sets $line. A deadline is a value of $SECONDS.
guest_read()
{
	local fd=$1 deadline=$2 part='' status

	while ((SECONDS < deadline)); do
		# Two seconds at a time, to notice that qemu has exited. The part of a line
		# received by then is in the variable, and is not read again.
		status=0
		IFS= read -r -t 2 -u "$fd" line || status=$?
		line=$part$line
		((status)) || return 0
		part=$line
		guest_alive && continue
		echo "qemu is gone: $(tail -n1 "$guest/qemu.log")" >&2
		return 1
	done
	return 1
}

# guest_connect: the control channel on descriptors $ctl_in and $ctl_out. Opened
# for both directions, because opening one end of a pipe waits for the other.
guest_connect()
{
	exec {ctl_in}<>"$guest/ctl.in" {ctl_out}<>"$guest/ctl.out"
}

guest_disconnect()
{
	exec {ctl_in}>&- {ctl_out}>&-
}

guest_wait()
{
	local deadline=$((SECONDS + guest_boot_timeout)) line status=1

	guest_connect
	while guest_read "$ctl_out" "$deadline"; do
		[[ $line != "0 = 0" ]] || { status=0; break; }
	done
	guest_disconnect
	((status == 0)) || ! guest_alive ||
		echo "the guest did not come up: $(tail -n1 "$guest/console.log")" >&2
	return $status
}

# guest_tell COMMAND [WORD...]: prints the guest's output, returns its status; 124 if it did not
# answer within $guest_patience. The suite's guest/agent has the commands.
guest_tell()
{
	local id=$BASHPID-$RANDOM line status=124 start=$SECONDS deadline

	# The guest times out first, so that its answer is not mistaken for the next one's.
	deadline=$((SECONDS + guest_patience + 60))
	guest_connect
	printf '%s %s %s\n' "$id" "$guest_patience" "$*" >&"$ctl_in"
	while guest_read "$ctl_out" "$deadline"; do
		case $line in
		"$id . "*)	printf '%s\n' "${line#"$id . "}" ;;
		"$id = "*)	status=${line#"$id = "}; break ;;
		esac
	done
	guest_disconnect
	((SECONDS - start < guest_patience)) || echo "the guest did not end this within $guest_patience s: $*" >&2
	return "$status"
}

# guest_stop: ends only the qemu that was started for $guest.
guest_stop()
{
	local pid

	pid=$(cat "$guest/pid" 2>/dev/null) || return 0
	rm -f "$guest/pid"
	# The number may belong to another process by now.
	grep -qs "nfsrdma-$suite" "/proc/$pid/cmdline" || return 0
	kill "$pid" 2>/dev/null || return 0
	for _ in {1..30}; do
		kill -0 "$pid" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -9 "$pid" 2>/dev/null || true
}

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The watcher reports that a server does not answer, and that it answers again. No packet passes
# the network of this machine meanwhile, and the server is this machine.
in_fstab
expect_output active systemctl is-active nfsrdma-watch
inside "echo >$mountpoint/asked"
# entry EVENT: the number of such entries for this mount.
entry() { guest_tell "journalctl -q -b -o cat SYSLOG_IDENTIFIER=nfsrdma-watch NFSRDMA_EVENT=$1 NFSRDMA_TARGET=$mountpoint | wc -l"; }
# wait_entry EVENT COUNT
wait_entry()
{
	local end=$((SECONDS + guest_patience))

	until (($(entry "$1") >= $2)); do
		((SECONDS < end)) || fail "the watcher tells nothing: $1"
		sleep 3
	done
}
# An idle mount is not silent, even if its server called back.
silent=$(entry silent)
answers=$(entry answers)
inside sleep 65
(($(entry silent) == silent)) || fail "an idle mount is told as silent"
inside 'tc qdisc add dev lo root blackhole'
inside "systemd-run --quiet --unit asks sh -c 'date >$mountpoint/asked; sync $mountpoint/asked'; date +%s >/run/asked"
wait_entry silent $((silent + 1))
note "silent: told after $(inside "echo \$((\$(date +%s) - \$(cat /run/asked)))") s"
says 'the server does not answer' "cat /run/nfsrdma/watch.json"
inside 'tc qdisc del dev lo root'
wait_entry answers $((answers + 1))
inside "sync $mountpoint/asked; ! grep -q 'the server does not answer' /run/nfsrdma/watch.json"
expect_rdma "$mountpoint"
expect_running

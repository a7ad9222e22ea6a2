# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A kernel client of the same host has files open and locked on the same server. After many
# probes, a hundred in nightly, the server still has its state, and none of ours.
server plain
guest_tell mount 20049 20048 /export/locks 4.2 192.168.77.1 rw >"$work/mount" ||
	{ cat "$work/mount"; fail "mount.nfs: $(tail -n1 "$work/mount")"; }
guest_tell holder start || fail "the client cannot lock"
inside 'check refused /export/locks/locked'
guest_tell clients >"$work/before"
cat "$work/before"
grep -q 'type: lock' "$work/before" || fail "the server knows of no locks"

probes=24
[[ ! ${NFSRDMA_TESTBED_NIGHTLY:-} ]] || probes=100
guest_tell probes $probes 192.168.77.1:/export/plain/file-65536 --transport verbs >"$work/probes" ||
	{ cat "$work/probes"; fail "a probe: $(head -n1 "$work/probes")"; }
note "$(cat "$work/probes")"

guest_tell clients >"$work/after"
diff "$work/before" "$work/after" || fail "the server's clients are not what they were"
inside 'check refused /export/locks/locked'
guest_tell holder end || fail "the client lost its files"
guest_tell umount

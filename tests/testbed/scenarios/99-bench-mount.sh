# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# mount -t nfsrdma beside mount -t nfs with the same options, over RoCE, in turn; the server is ready. Only
# reported: the aim is a ratio of at most 1.05.
only_nightly
rounds=9

server plain
true_clock
# The first mount over a transport loads modules, and the first READ fills the server's caches.
for _ in 1 2; do
	mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o vers=4.2
	expect_mounted vers=4.2
	inside '/usr/sbin/umount /mnt'
done

guest_tell mounts $rounds 192.168.77.1:/export/plain >"$work/mounts" ||
	{ cat "$work/mounts"; fail "mount: $(tail -n1 "$work/mounts")"; }
cat "$work/mounts"
(($(wc -l <"$work/mounts") == rounds)) || fail "not $rounds rounds"

column() { cut -d' ' -f"$1" "$work/mounts" | spread; }
ratio() { awk -v n="$1" '{ printf "%.2f\n", $n / $1 }' "$work/mounts" | spread; }

note "mount -t nfs: $(column 1) ms; mount -t nfsrdma: $(column 2) ms, ratio $(ratio 2), $rounds rounds"
note "without checks: $(column 3) ms, ratio $(ratio 3); mount.nfs alone (policy off): $(column 4) ms, ratio $(ratio 4)"

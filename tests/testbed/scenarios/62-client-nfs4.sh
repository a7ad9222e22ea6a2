# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A kernel client reads from our embedded server by NFSv4.0 and 4.1, over RDMA and over TCP;
# requests the highest version and gets 4.1; cannot write; unmounts quickly, and logs nothing in
# the kernel's log.
server plain
serve
guest_tell sh 'dmesg | wc -l' >"$work/before"

for version in 4.0 4.1; do
	mount_check "$version"

	# The agent mounts over RDMA, so this mount is made by hand.
	inside "mount.nfs 10.0.2.2:/ /mnt -o vers=$version,proto=tcp,port=$serve_nfs,ro,soft,timeo=50,retrans=3"
	guest_tell check >"$work/check" || { cat "$work/check"; fail "over TCP: $(head -n1 "$work/check")"; }
	cat "$work/check"
	inside "stat -f /mnt; umount /mnt"
done

# vers=4: from the highest, so that 4.2 is refused first. Not mounted ro: the server must refuse
# writes.
inside "mount.nfs 10.0.2.2:/entries-2000 /mnt -o vers=4,proto=rdma,port=$serve_rdma,soft,timeo=50,retrans=3"
inside "grep -q 'vers=4.1.*proto=rdma' /proc/mounts"
# shellcheck disable=SC2016 # the guest's
inside 'cd /mnt; for command in "touch new" "mkdir new" "rm entry.0001" "mv entry.0001 new" "ln entry.0001 new" "ln -s a new" "chmod 600 entry.0001" "truncate -s 1 entry.0001"; do $command 2>/run/refused && exit 1; grep -q "Read-only file system" /run/refused || { cat /run/refused; exit 1; }; done'

# A session that is not destroyed, or a missing answer, would take seconds.
inside "cut -d' ' -f1 /proc/uptime >/run/up; umount /mnt; cut -d' ' -f1 /proc/uptime >>/run/up"
inside "awk 'NR == 1 { from = \$1 } END { exit \$1 - from > 2 }' /run/up"

guest_tell sh "dmesg | tail -n +\$(($(<"$work/before") + 1))" >"$work/dmesg"
cat "$work/dmesg"
! grep -Ei 'nfs.*(error|fail|bad)|rpcrdma.*(error|fail)|warning|bug:' "$work/dmesg" ||
	fail "the client's kernel complains: $(head -n1 "$work/dmesg")"

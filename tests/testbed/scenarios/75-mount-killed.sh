# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The helper is killed, at random times and at its system calls one after another: then nothing is
# mounted, or what the kernel shows; and what was requested is noted. At the system calls
# that change something; at all others too, with both kinds of propagation, where
# NFSRDMA_TESTBED_NIGHTLY is set.
if [[ ${NFSRDMA_TESTBED_NIGHTLY:-} ]]; then
	propagations=(private shared) rounds=15
	helper_calls=(openat clone poll fsync renameat unlinkat)
	all_calls=(mount umount2 setns open_tree move_mount prctl)
else
	propagations=(shared) rounds=6
	helper_calls=(clone renameat)
	all_calls=(mount move_mount)
fi
server plain
kills()
{
	guest_tell kills "$@" >"$work/out" || fail "$(tail -n 2 "$work/out" | tr '\n' ' ')"
	cat "$work/out"
	note "$form: $(tail -n1 "$work/out")"
}
steps()
{
	guest_tell steps "$@" >"$work/out" || fail "$(tail -n 2 "$work/out" | tr '\n' ' ')"
	cat "$work/out"
	note "$form, ${1/all/or a child} killed at a call: $(tail -n1 "$work/out")"
}

for propagation in "${propagations[@]}"; do
	inside "/usr/sbin/mount --make-r$propagation /"
	form="over RDMA, root $propagation"
	kills "$rounds" 192.168.77.1:/export/plain vers=4.2
	steps helper 192.168.77.1:/export/plain vers=4.2,nfsrdma.check=none \
		"${helper_calls[@]}"
	steps all 192.168.77.1:/export/plain vers=4.2,nfsrdma.check=none \
		"${all_calls[@]}"
done

# The same where the mount would be over TCP: hidden, it is never visible.
inside 'mkdir -p /mnt2; /usr/sbin/mount -t nfs 192.168.77.1:/export/live /mnt2 -o vers=4.2,proto=tcp'
for propagation in "${propagations[@]}"; do
	inside "/usr/sbin/mount --make-r$propagation /"
	form="over TCP, root $propagation"
	kills "$rounds" 192.168.77.1:/export/plain vers=4.2
	[[ $propagation == private ]] || grep -q 'rdma 0, tcp 0$' "$work/out" ||
		fail "hidden, and seen: $(tail -n1 "$work/out")"
done
inside '/usr/sbin/umount /mnt2'

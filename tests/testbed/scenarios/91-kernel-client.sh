# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# probe --client: the guest's kernel reads and writes correct data through siw0 and rxe0, no other process
# sees a mount, and nothing of it remains; also if any of its processes is killed.
server plain

# traces: mounts, processes and listeners that a self-test may have left
traces()
{
	inside 'grep -c " - nfs" /proc/self/mountinfo; pidof nfsrdma; netstat -ltn | grep -c "^tcp"; true' |
		tr '\n' ' '
}
before_all=$(traces)

for address in 10.0.2.15 192.168.77.1; do
	inside_run probe --client --bind $address --format json
	expect_status 0
	expect_only ''
	expect_finding kernel.mount pass
	expect_finding kernel.read pass
	expect_finding kernel.write pass
	expect_finding kernel.unmount pass
	expect_finding bug.read-812 pass
	expect_report '[.findings[] | select(.id == "kernel.read") | .evidence.nfs_version] == ["3", "4.0", "4.1"]' \
		"not all versions"
	expect_report 'all(.findings[] | select(.id == "kernel.read"); .evidence.right == 40)' "not all ranges"
	# As Linux clients send them: inline up to their limit, else one Read chunk, never padded.
	expect_report '[.findings[] | select(.id == "kernel.write").evidence | .right == 24 and .read_chunks >= 16 and .calls >= .read_chunks + 8
		and .padded == 0 and .unstable > 0] == [true, true, true]' "not all writes"
	note "$address: $(jq -r '.findings[] | select(.id == "kernel.write") | .summary' "$work/out" | paste -sd';')"
	[[ $(traces) == "$before_all" ]] || fail "left: $(traces), not $before_all"
done

# libibverbs without a driver for siw, as with that of 2013: the embedded server uses its own.
inside 'mount -t tmpfs none /etc/libibverbs.d'
inside_run probe --client --bind 10.0.2.15 --format json
expect_status 0
expect_only ''
expect_finding kernel.read pass
expect_finding kernel.write pass
expect_finding bug.read-812 pass
inside 'umount /etc/libibverbs.d'

# killed NUMBER PAUSE: the same, and its process of that number, in the order that they started in, is
# killed that many seconds after the start.
# shellcheck disable=SC2016 # for the guest's shell
killed()
{
	guest_tell sh "nfsrdma probe --client --bind 10.0.2.15 --format json >/run/out 2>/run/err & p=\$!;" \
		"sleep $2; one=\$(pidof nfsrdma | tr ' ' '\\n' | sort -n | sed -n $1p);" \
		'[ -z "$one" ] || kill -9 $one; wait $p 2>/run/wait; echo "status $?"; cat /run/out' >"$work/out" || true
	status=$(sed -n 's/^status //p' "$work/out")
	sed -i '/^status /d' "$work/out"
	echo "--- process $1 was killed after $2 s: exit status $status"
	show
}

# settled: waits until the state is as before.
settled()
{
	local end=$((SECONDS + guest_patience))

	until [[ $(traces) == "$before_all" ]]; do
		((SECONDS < end)) || fail "left after $1: $(traces), not $before_all"
		sleep 1
	done
}

inside 'ip link set lo up'
statuses=''
pauses=(0.05 0.15 0.3)
[[ ! ${NFSRDMA_TESTBED_NIGHTLY:-} ]] || pauses=(0.02 0.04 0.06 0.08 0.1 0.13 0.16 0.2 0.25 0.3 0.35 0.4)
for number in 1 2 3; do
	for pause in "${pauses[@]}"; do
		killed "$number" "$pause"
		settled "process $number was killed after $pause s"
		statuses+=" $status"
		# The remaining process reports its results, and never blames the kernel.
		[[ $status == 137 ]] ||
			expect_report 'all(.findings[]; .status != "fail" and (.status != "unknown" or .reason)
				and (.id != "kernel.server" or .status == "pass" or .reason == "ended")
				and (.summary != "nothing was read through the kernel" or .reason == "not-read"))' \
				"the kernel is accused, or no reason given"
	done
done
note "exit statuses:$statuses"

# Without the device files of RDMA the server cannot listen by RoCE.
inside 'mv /dev/infiniband /dev/infiniband.off'
inside_run probe --client --bind 192.168.77.1 --format json
inside 'mv /dev/infiniband.off /dev/infiniband'
expect_status 3
expect_reason kernel.server/no-listen

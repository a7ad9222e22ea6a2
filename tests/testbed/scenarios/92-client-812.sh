# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A kernel client with the 812-byte bug, planted: its mount exists with "proto=rdma", inline data
# is correct, and every longer read ends in EIO. probe --client reports it, and a probe of the
# server reports that the server is correct.
server sick
sick() { inside "echo $1 >/sys/module/rpcrdma/parameters/sick_client"; }

sick Y
for address in 10.0.2.15 192.168.77.1; do
	inside_run probe --client --bind $address --format json
	expect_status 1
	expect_finding kernel.mount pass
	expect_finding kernel.read fail
	expect_finding kernel.unmount pass
	expect_finding bug.read-812 fail
	expect_words bug.read-812 fail '3, 4.0, 4.1'
	expect_reason kernel.read/write-chunk-lost
	expect_reason bug.read-812/lost
	expect_words kernel.read fail 'input/output error, though the server sent all of it'
	note "$address: $(jq -r '.findings[] | select(.id == "kernel.read") | .evidence |
		"NFSv\(.nfs_version) right up to \(.largest_right), wrong from \(.smallest_wrong)"' "$work/out" | paste -sd';')"
done

serve_inside --transport verbs --listen 10.0.2.15:0
inside_run probe "10.0.2.15:$serve_export" --transport verbs --port "$serve_rdma" \
	--mount-port "$serve_mount" --nfs-port "$serve_nfs" --nfs-version 4.1 --format json
expect_good verbs 4.1

# shellcheck disable=SC2016 # for the guest's shell
# Through an existing mount the result is the same, and the probe's own client shows that it is
# not the server.
for version in 3 4.1; do
	mount_serve $version 10.0.2.15
	# Reads through it return nothing beyond that size, and counters show it.
	inside 'for i in $(seq 20); do ! dd if=/mnt/data-65536 of=/dev/null bs=4096 skip=$((i % 16)) count=1 iflag=direct 2>/dev/null || exit 1; done'
	for command in mounts check; do
		inside_run $command --format json
		expect_words bug.read-812 fail '"decided_by":"counters"|reads_short|shortread|short'
	done
	inside_run probe --mount /mnt --format json
	cp "$work/out" "$work/mount"
	# A probe of the server reads a few ranges through that mount, and reports that it is not
	# the server.
	inside_run probe "10.0.2.15:$serve_export" --transport verbs --port "$serve_rdma" \
		--mount-port "$serve_mount" --nfs-port "$serve_nfs" --nfs-version $version --format json
	guest_tell umount
	expect_status 1
	expect_only 'fail bug.read-812'
	expect_words bug.read-812 fail '"decided_by":"reading"'
	cp "$work/mount" "$work/out"
	expect_status 1
	expect_finding kernel.mount pass
	expect_finding kernel.read fail
	expect_words kernel.read fail 'kernel client'
	expect_reason kernel.read/write-chunk-lost
	expect_reason bug.read-812/lost
	expect_finding bug.read-812 fail
	expect_words bug.read-812 fail 'more than 3800 bytes'
done

# The mount helper mounts, because mounting works, and warns: because of the reads, not of the
# version.
inside 'mkdir -p /srv/vm'
sick Y
mounting /srv/vm -t nfsrdma 10.0.2.15:/ /srv/vm -o "vers=4.1,port=$serve_rdma,ro"
expect_mounted vers=4.1
grep -q 'WARNING: .*reading 4096 bytes from it fails with an input/output error .bug.read-812/lost.' "$work/said" ||
	fail "it does not warn: $(tail -n1 "$work/said")"
inside 'umount /srv/vm'
sick N
mounting /srv/vm -t nfsrdma 10.0.2.15:/ /srv/vm -o "vers=4.1,port=$serve_rdma,ro"
expect_mounted vers=4.1
! grep -q WARNING "$work/said" || fail "it warns of a sound kernel: $(tail -n1 "$work/said")"
inside 'umount /srv/vm'
serve_end

# Without the bug, the same kernel is correct.
sick N
inside_run probe --client --bind 10.0.2.15 --format json
expect_status 0
expect_finding bug.read-812 pass

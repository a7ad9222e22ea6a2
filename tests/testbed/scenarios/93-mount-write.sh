# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# probe --mount --scratch: a new file written through a mount of the kernel's server, healthy and sick, and read by
# all of them. Nothing is left, also after a signal; and a server that may not bear WRITEs gets none.
server plain
inside 'mkdir -p /srv/m'
mounted() { inside "/usr/sbin/mount -t nfs 10.0.2.15:/export/scratch /srv/m -o vers=$1,proto=rdma,port=20049,nolock,hard,noac${2:+,$2}"; }
unmounted() { inside '/usr/sbin/umount /srv/m'; }
nothing_left() { [[ $(guest_tell sh 'ls -A /export/scratch') == disk ]] || fail "left: $(guest_tell sh 'ls -lA /export/scratch')"; }

for version in 3 4.1; do
	mounted $version
	# Beside a file, and in a directory.
	inside_run probe --mount /srv/m/disk --scratch new --format json
	expect_status 0
	expect_only ''
	expect_finding kernel.read pass
	expect_finding kernel.write pass
	expect_words probe.scratch pass '/srv/m/new was made and removed'
	expect_report '.findings[] | select(.id == "kernel.write").evidence | .right == 24 and .compared == 24' "not all writes"
	nothing_left
	# This changes its ctime: there is no file to read, and a new one is written all the same.
	inside 'touch -d "2024-01-01 00:00:00" /export/scratch/disk'
	inside_run probe --mount /srv/m --scratch / --format json
	expect_status 3
	expect_reason kernel.read/no-file
	expect_finding kernel.write pass
	expect_words probe.scratch pass '/srv/m/.nfsrdma-scratch-[0-9a-f]{32} was made'
	nothing_left
	# A name that exists is refused, and kept.
	inside_run probe --mount /srv/m --scratch disk --format json
	expect_status 3
	expect_reason probe.scratch/exists
	expect_finding kernel.write skip
	unmounted
done

# Nobody may write, or there is not enough space.
mounted 4.1 ro
inside_run probe --mount /srv/m --scratch new --format json
expect_status 3
expect_reason probe.scratch/read-only
expect_finding kernel.write skip
unmounted
inside '/usr/sbin/mount -t nfs 10.0.2.15:/export/plain /srv/m -o vers=3,proto=rdma,port=20049,nolock'
inside_run probe --mount /srv/m --scratch new --format json
expect_status 3
expect_reason probe.scratch/no-space
expect_finding kernel.write skip
unmounted

# Interrupted, and a child that is killed: another one removes the file.
mounted 3
# shellcheck disable=SC2016 # for the guest's shell
ended()
{
	guest_tell sh "nfsrdma probe --mount /srv/m/disk --scratch new --timeout 600 --format json >/run/out 2>/run/err & p=\$!;" \
		'for i in $(seq 9000); do [ -s /export/scratch/new ] && break; sleep 0.02; done;' \
		"kill -s $1 $2; wait \$p; echo \"status \$?\"; cat /run/out" >"$work/out" || true
	sed -n '/^status /p' "$work/out"
	sed -i '/^status /d' "$work/out"
	nothing_left
}
# shellcheck disable=SC2016 # for the guest's shell
{
	ended TERM '$p'
	ended INT '$p'
	ended KILL "\$(pidof nfsrdma | tr ' ' '\\n' | grep -v ^\$p\$)"
}
expect_report 'all(.findings[]; .id != "probe.scratch.left" and .status != "fail")' "somebody is accused"
unmounted

# It stores what it gets by Read chunk as zeros: for the kernel as for the probe's own client.
server sick write-zeros
mounted 3
inside_run probe --mount /srv/m/disk --scratch new --format json
expect_status 1
expect_only 'fail kernel.write'
expect_reason kernel.write/stored-wrong
expect_words kernel.write fail 'kernel client or server'
unmounted
nothing_left

# The kernel's client is the sick one: the same, and probe --client tells them apart.
server sick
inside 'echo 1 >/sys/module/rpcrdma/parameters/sick_write'
mounted 4.1
inside_run probe --mount /srv/m/disk --scratch new --format json
inside 'echo 0 >/sys/module/rpcrdma/parameters/sick_write'
expect_status 1
expect_only 'fail kernel.write'
expect_reason kernel.write/stored-wrong
unmounted
nothing_left

# Without private data it may be a Linux 3.x server, which panics at a WRITE: it gets none, of nobody.
server plain
export NFSRDMA_DEBUG=nfs
serve --fault linux-3
unset NFSRDMA_DEBUG
mount_serve 3
inside_run probe --mount /mnt --nfs-port "$serve_nfs" --scratch new --format json
guest_tell umount
expect_finding kernel.write skip
expect_words kernel.write skip 'no WRITE is sent to this server: it sends no private data'
wrote=$(grep -cE ' (WRITE|CREATE|SETATTR|REMOVE|OPEN): ' "$work/serve.err" || true)
[[ $wrote == 0 ]] || fail "$wrote operations that write were sent"
grep -q ' READ: ' "$work/serve.err" || fail "the server's log shows no READ"

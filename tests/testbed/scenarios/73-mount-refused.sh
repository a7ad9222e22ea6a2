# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# mount -t nfsrdma where it cannot succeed: one sentence with the cause, and nothing mounted.
server plain

# expect_step REASON: the output is one line, which ends with the finding and the first command to
# run.
expect_step()
{
	[[ $(wc -l <"$work/said") == 1 ]] || fail "more than one line"
	grep -qE " \[$1\][.] [A-Z][^']*: '[^']+'[.]\$" "$work/said" || fail "no step of $1: $(<"$work/said")"
}

# Nothing listens on that port.
for address in 192.168.77.1 10.0.2.15; do
	# mount.nfs is called and fails by itself; then the cause is determined.
	mounting /mnt -t nfsrdma $address:/export/plain /mnt -o vers=4.2,port=20050,retry=0,nfsrdma.check=fast
	expect_refused 32 'refuses RDMA on port 20050 \(mount.nfs: '
	expect_step fabric.listener/refused
	# The index of messages has mount.nfs's message for this kernel's error.
	"$NFSRDMA" explain --message "$(<"$work/said")" | grep -q '^mount.nfs: ' || fail "no message of mount.nfs is in that line"
	# With a check first, it is not called if there is no waiting.
	mounting /mnt -t nfsrdma $address:/export/plain /mnt -o vers=4.2,port=20050,retry=0
	expect_refused 32 'refuses RDMA on port 20050 .fabric.listener'
	within 60000 "a mount that is not retried"
	expect_step fabric.listener/refused
done

# The export does not exist.
mounting /mnt -t nfsrdma 192.168.77.1:/export/none /mnt -o vers=4.2,retry=0
expect_refused 32 'No such file or directory'
# A missing directory, contradictory options.
mounting /mnt3 -t nfsrdma 192.168.77.1:/export/plain /mnt3 -o vers=4.2
[[ $status == 32 && $mounted == none ]] || fail "exit status $status, $mounted"
mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o rdma,proto=tcp
expect_refused 1 'contradict'
mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o bg
expect_refused 1 'bg contradicts the policy require'

# The module must not be loaded.
server off
inside 'rmmod rpcrdma 2>/dev/null; mkdir -p /etc/modprobe.d; echo install rpcrdma /bin/false >/etc/modprobe.d/test.conf; test ! -e /sys/module/rpcrdma'
mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o vers=4.2
inside 'rm /etc/modprobe.d/test.conf'
expect_refused 32 'forbids loading it'
expect_step 'client.module/[a-z-]+'
within 60000 "a mount that is not retried"

# No server at all; no host has the second address.
mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o vers=4.2,retry=0
expect_refused 32 'refuses RDMA on port 20049'
mounting /mnt -t nfsrdma 10.9.0.77:/export/plain /mnt -o vers=4.2,retry=0
expect_refused 32 'no answer over RDMA|does not reach the server|no route'

# A broken policy is an error; it is never ignored.
server plain
inside 'echo policy=of >/etc/nfsrdma.conf'
mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o vers=4.2
expect_refused 1 '/etc/nfsrdma.conf:1'
inside 'rm /etc/nfsrdma.conf'
mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o vers=4.2
expect_mounted vers=4.2

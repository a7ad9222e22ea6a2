# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# nfsrdma check in the guest: clean, then broken on purpose in one way after another, each
# reported as exactly that, and clean again.
server plain

check() { inside_run check --role client --format json "$@"; }

expect_clean() { expect_only ''; expect_status 0; }

check
expect_clean
expect_words fabric.software-device pass 'rxe0.*siw0'
inside 'touch /etc/krb5.keytab'
for server in 192.168.77.1 10.0.2.15; do
	check "$server" --nfs-version 3 --sec krb5
	expect_clean
	expect_words fabric.listener pass 20049
	expect_words fabric.side-channels pass 'mountd at TCP port 20048'
done

check 192.168.77.1 --port 20050
expect_only 'fail fabric.listener'
expect_words fabric.listener fail REJECTED

# No host has the address, so silence is not called a refusal.
check 10.9.0.77
expect_only 'unknown fabric.listener'
expect_status 3

# The network card of this route has no RDMA.
check 192.168.78.2
expect_only 'fail fabric.route'

inside 'ip link set veth0 down'
check 192.168.77.1
inside 'ip link set veth0 up'
expect_only 'fail fabric.cable'

inside 'printf "[ NFSMount_Global_Options ]\nProto=tcp\n" >/etc/nfsmount.conf'
check
inside 'rm /etc/nfsmount.conf'
expect_only 'warn client.nfsmount-conf'

server off
check 192.168.77.1
expect_only 'fail fabric.listener'

inside 'rmmod rpcrdma 2>/dev/null; mkdir -p /etc/modprobe.d; echo blacklist rpcrdma >/etc/modprobe.d/test.conf; test ! -e /sys/module/rpcrdma'
check
expect_only 'warn client.module'
inside 'echo install rpcrdma /bin/false >/etc/modprobe.d/test.conf'
check
inside 'rm /etc/modprobe.d/test.conf; modprobe rpcrdma'
expect_only 'fail client.module'

server plain
check 192.168.77.1
expect_clean

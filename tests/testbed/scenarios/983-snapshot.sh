# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A snapshot taken in the guest, carried out of it and unpacked here, says what the guest says: of
# rxe and siw, the loaded modules by libkmod, a mount over RDMA, the running server, the route to
# one and its answers; and with something broken.
server plain

# findings PREFIX: what each came to; paths without what is before them, counters without their
# numbers, which go on, and lines of the log without their age.
findings()
{
	jq -r '.findings[] | [.id, .status, .summary] | @tsv' "$work/out" |
		sed -E "s,$1,/,g; /counters/s/[0-9]+/N/g; s/logged [0-9]+ [a-z]+ ago/logged N ago/"
}

# same NAME ARGUMENT...: nfsrdma check ARGUMENT... there, and here of the snapshot.
same()
{
	local name=$1 folder

	shift
	inside_run check --format json "$*"
	findings / >"$work/$name.guest"
	inside "nfsrdma snapshot --timeout $run_timeout --force --quiet /run/snapshot $* && base64 /run/snapshot" |
		base64 -d >"$work/$name.tar.gz" || fail "$name: no archive came out"
	folder=$(tar tzf "$work/$name.tar.gz" | cut -d/ -f1 | sort -u) || fail "$name: no archive"
	tar xzf "$work/$name.tar.gz" -C "$work"
	mv "$work/$folder" "$work/$name"
	status=0
	"$NFSRDMA" check --format json --root "$work/$name" "$@" >"$work/out" 2>"$work/err" || status=$?
	findings "$work/$name/" >"$work/$name.here"
	diff "$work/$name.guest" "$work/$name.here" || fail "$name: the snapshot says something else"
	note "$name: $(wc -l <"$work/$name.here") findings, $(stat -c %s "$work/$name.tar.gz") bytes"
}

guest_tell sh 'mkdir -p /mnt && mount.nfs 192.168.77.1:/export/plain /mnt -o proto=rdma,port=20049,vers=4.1' ||
	fail "no mount"
same all --role both
grep -q $'client.module\tpass' "$work/all.here" || fail "no module in it"
grep -q 'rxe0.*siw0' "$work/all.here" || fail "no device in it"
same server 192.168.77.1 --nfs-version 3 --sec krb5
grep -q $'fabric.listener\tpass' "$work/server.here" || fail "no answer of the server in it"
same port 192.168.77.1 --port 20050
grep -q $'fabric.listener\tfail' "$work/port.here" || fail "no refusal of the server in it"
inside 'umount /mnt'

server off
inside 'rmmod rpcrdma 2>/dev/null; mkdir -p /etc/modprobe.d; echo install rpcrdma /bin/false >/etc/modprobe.d/test.conf; test ! -e /sys/module/rpcrdma'
same forbidden
inside 'rm /etc/modprobe.d/test.conf; modprobe rpcrdma'
grep -q $'client.module\tfail' "$work/forbidden.here" || fail "the module is not forbidden in it"

# Where there is an rpm it is asked for what no file says; the guest's own is busybox.
inside "mv /usr/bin/rpm /usr/bin/rpm.busybox; printf '#!/bin/sh\\ntest \$1 = -qa && echo nfs-utils 2.5.4-25.el9\\n' >/usr/bin/rpm; chmod 755 /usr/bin/rpm; ! test -e /var/lib/dpkg/status"
inside "printf '[Server \"a\"]\\nvers=3\\n[Server \"b\"]\\nvers=3\\n' >/etc/nfsmount.conf"
inside "nfsrdma snapshot --timeout $run_timeout --force --quiet /run/snapshot && base64 /run/snapshot" |
	base64 -d | tar xzf - -C "$work" --wildcards '*/.nfsrdma/packages' --strip-components=2
inside 'mv /usr/bin/rpm.busybox /usr/bin/rpm; rm /etc/nfsmount.conf'
grep -qx 'nfs-utils 2.5.4-25.el9' "$work/packages" || fail "rpm was not asked"
grep -q '^nfs-common *$' "$work/packages" || fail "what rpm does not know is not told"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The real automount(8) with the lines of the manual page, word for word: it runs mount(8), that the
# helper, and what that hands to mount.nfs is seen. A tmpfs is in the server's place.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires unshare mount
requires_root
page=$NFSRDMA_SOURCE/mount-helper/mount.nfsrdma.8.scd
if [[ ! ${NFSRDMA_INSIDE:-} ]]; then
	unshare -m true 2>/dev/null || skip "no mount namespace"
	grep -qw overlay /proc/filesystems || skip "no overlay to put programs into /sbin"
	grep -qw autofs /proc/filesystems || skip "the kernel has no autofs"
	autofs=$("$NFSRDMA_SOURCE/tests/support/unpacked" autofs 2>"$work/why") || skip "$(<"$work/why")"
	export autofs
	NFSRDMA_INSIDE=$work unshare -m --propagation private "$BASH" "${BASH_SOURCE[0]}"
	exit
fi

top=$NFSRDMA_INSIDE
# over FOLDER: the contents of $top/FOLDER, then those of FOLDER; read-only.
over()
{
	mount -t overlay -o "lowerdir=$top/$1:$(readlink -f "/$1")" none "$(readlink -f "/$1")"
}

# example PATTERN: the matching lines of the manual page's example
example()
{
	awk -v pattern="$1" '/^With autofs/ { in_it = 1 } in_it && $0 ~ pattern { print; exit }' "$page"
}

mkdir -p "$top"/{sbin,etc/auto.master.d}
ln -s "${NFSRDMA%/*}/mount-helper/mount.nfsrdma" "$top/sbin/mount.nfsrdma"
cat >"$top/sbin/mount.nfs" <<END
#!/bin/sh
echo "\$@" >$top/args
exec /bin/mount -i -t tmpfs none "\$2"
END
chmod +x "$top/sbin/mount.nfs"
echo '+dir:/etc/auto.master.d' >"$top/etc/auto.master"
example '^/srv/auto ' >"$top/etc/auto.master.d/vm.autofs"
example '-fstype=nfsrdma' >"$top/etc/auto.vm"
[[ -s $top/etc/auto.master.d/vm.autofs && -s $top/etc/auto.vm ]] || fail "the page has no such lines"
# This machine has no RDMA and the server does not exist: only the path to mount.nfs is tested.
printf '[default]\npolicy = prefer\ncheck = none\n' >"$top/etc/nfsrdma.conf"
printf '127.0.0.1 nas1\n' >"$top/etc/hosts"
libraries=$(cd "$autofs" && echo usr/lib/*-linux-gnu)
mkdir -p "$top/${libraries%/*}"
cp -a "$autofs/$libraries" "$top/${libraries%/*}/"
over sbin
over etc
over "$libraries"
mount -t tmpfs run /run
mkdir -p "$top/srv/auto"
over srv

"$autofs/usr/sbin/automount" --foreground --debug /etc/auto.master >"$work/daemon" 2>&1 &
daemon=$!
kill_daemon()
{
	kill "$daemon" 2>/dev/null || true
	for _ in {1..50}; do
		kill -0 "$daemon" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -9 "$daemon"
}
cleanup_fn kill_daemon
try_until grep -q ' /srv/auto autofs ' /proc/mounts || { tail "$work/daemon"; fail "automount mounted nothing"; }
timeout "$patience" setsid stat -f -c %T /srv/auto/vm >"$work/out" || { tail "$work/daemon"; fail "nothing is mounted"; }
[[ $(<"$work/out") == tmpfs ]] || fail "it is $(<"$work/out")"
[[ $(<"$top/args") == "nas1:/export/vm /srv/auto/vm "*"vers=4.2,proto=rdma,port=20049"* ]] ||
	fail "mount.nfs was told: $(<"$top/args")"
cat "$top/args"
umount /srv/auto/vm

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What VDSM's hooks cost: each call less than 50 ms, with a guest of 20 disks, whether their server
# answers or is gone.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires python3 unshare
requires_root
if [[ ! ${NFSRDMA_INSIDE:-} ]]; then
	unshare -m true 2>/dev/null || skip "no mount namespace"
	NFSRDMA_INSIDE=$work unshare -m --propagation private "$BASH" "${BASH_SOURCE[0]}"
	exit
fi

program=${NFSRDMA%/*}/hooks/vdsm/vdsm-hook
pool=11111111-1111-1111-1111-111111111111
domain=22222222-2222-2222-2222-222222222222
mount -t tmpfs run /run
mkdir -p "$work/etc"
[[ ! -e /etc/ld.so.cache ]] || cp /etc/ld.so.cache "$work/etc/"
mount --bind "$work/etc" /etc

# measure WHAT POINT KIND FILE EXIT: the best of many runs counts, as others may be at work here, and on
# the disk
measure()
{
	local least median

	read -r least median < <(python3 - "$program" "$2" "$3" "$4" "$5" <<'PY'
import os, shutil, statistics, subprocess, sys, time
program, point, kind, data, status = sys.argv[1:]
copy = data + ".copy"
def once():
    shutil.copy(data, copy)
    start = time.monotonic()
    done = subprocess.run([program, "--point", point], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=dict(os.environ, **{"_hook_" + kind: copy}))
    assert done.returncode == int(status), done.returncode
    return time.monotonic() - start
spent = [once() * 10000 for _ in range(25)]
print(round(min(spent)), round(statistics.median(spent)))
PY
	)
	echo "$1, $2: $((least / 10)).$((least % 10)) ms (median $((median / 10)).$((median % 10)))"
	((least < 500)) || fail "$((least / 10)) ms"
}

# all WHAT EXIT: every point that has data, for a storage domain below $repository
all()
{
	local i letters=({a..z}) image

	mkdir -p /etc/vdsm
	printf '[irs]\nrepository = %s\n' "$repository" >/etc/vdsm/vdsm.conf
	image=$repository/$pool/$domain/images/i
	{
		echo "<domain type='kvm'><name>web1</name><devices>"
		for ((i = 0; i < 20; i++)); do
			echo "<disk type='file' device='disk'><source file='$image/v$i'/><target dev='vd${letters[i]}'/></disk>"
		done
		echo "</devices></domain>"
	} >"$work/domain.xml"
	echo "<disk type='file' device='disk'><source file='$image/v'/><target dev='vda'/></disk>" >"$work/disk.xml"
	measure "$1" before_disk_hotplug domxml "$work/disk.xml" "$2"
	measure "$1, 20 disks" before_vm_start domxml "$work/domain.xml" "$2"
	measure "$1, 20 disks" before_vm_dehibernate domxml "$work/domain.xml" 0
	measure "$1, 20 disks" before_vm_migrate_destination domxml "$work/domain.xml" "$2"
}

repository=$work/dc
mkdir -p "$repository/mnt/nas:_vm" "$repository/$pool"
ln -s "$repository/mnt/nas:_vm/$domain" "$repository/$pool/$domain"
all "nothing wanted" 0
printf '[directory %s/mnt/*]\npolicy = require\n' "$repository" >/etc/nfsrdma.conf
mount -t tmpfs tmpfs "$repository/mnt/nas:_vm"
all "a mount that answers" 2
umount "$repository/mnt/nas:_vm"
if daemon=$(python3 "$NFSRDMA_SOURCE/tests/cli/hung.py" "$repository/mnt/nas:_vm" 2>"$work/err"); then
	cleanup_fn kill "$daemon"
	cleanup_fn umount -l "$repository/mnt/nas:_vm"
	all "a mount that hangs" 2
else
	echo "(no FUSE: $(tail -n 1 "$work/err"))"
fi

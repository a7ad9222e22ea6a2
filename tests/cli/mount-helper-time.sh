#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What mount.nfsrdma adds to mount.nfs where no server is asked: less than 100 ms, checks and all.
# mount.nfs is called with -f, which leaves out the mount alone; where there is none, a shell that
# ends at once is in its place. The checks are measured by themselves if this host fails them.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires unshare python3
requires_root
if [[ ! ${NFSRDMA_INSIDE:-} ]]; then
	unshare -m true 2>/dev/null || skip "no mount namespace"
	grep -qw overlay /proc/filesystems || skip "no overlay to put programs into /sbin"
	NFSRDMA_INSIDE=$work unshare -m --propagation private "$BASH" "${BASH_SOURCE[0]}"
	exit
fi

top=$NFSRDMA_INSIDE
mkdir "$top/place" "$top/sbin"
mount -t tmpfs run /run
what="mount.nfs -f"
if [[ ! -x /sbin/mount.nfs ]]; then
	what="a shell in mount.nfs's place"
	printf '#!/bin/sh\nexit 0\n' >"$top/sbin/mount.nfs"
	chmod +x "$top/sbin/mount.nfs"
	mount -t overlay -o "lowerdir=$top/sbin:$(readlink -f /sbin)" none "$(readlink -f /sbin)"
fi

# least COMMAND...: the best of many runs, in tenths of a millisecond, because of other load.
least()
{
	python3 - "$@" <<'PY'
import subprocess, sys, time
def once():
    start = time.monotonic()
    subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start
print(round(min(once() for _ in range(25)) * 10000))
PY
}

helper=${NFSRDMA%/*}/mount-helper/mount.nfsrdma
# run_with OPTIONS PROGRAM
run_with() { least "$2" 127.0.0.1:/export "$top/place" -f -o "rw,vers=4.2,$1"; }

alone=$(run_with proto=rdma,port=20049 /sbin/mount.nfs)
without=$(run_with nfsrdma.check=none "$helper")
with=$(run_with soft "$helper")
# A failing check ends it before mount.nfs.
if ! "$helper" 127.0.0.1:/export "$top/place" -f -o rw,vers=4.2 2>/dev/null; then
	with=$((with + without))
fi
added=$((with - alone))
ratio=$((10 * with / alone))
echo "$what: $((alone / 10)).$((alone % 10)) ms, mount.nfsrdma -f: $((with / 10)).$((with % 10)) ms," \
	"$((ratio / 10)).$((ratio % 10)) times; it adds $((added / 10)).$((added % 10)) ms"
((added < 1000)) || fail "it adds $((added / 10)) ms"

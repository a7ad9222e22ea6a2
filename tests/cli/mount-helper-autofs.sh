#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Below a mount of autofs everybody waits for the very mount that is to be made, but processes of the
# daemon's group: so whatever the helper starts has to stay in it. The kernel's autofs, a daemon that
# runs mount(8) as automount(8) does, and a tmpfs in the server's place, in the open and hidden.
# shellcheck disable=SC2016 # scripts for mount.nfs's place
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires unshare python3 mount
requires_root
if [[ ! ${NFSRDMA_INSIDE:-} ]]; then
	unshare -m true 2>/dev/null || skip "no mount namespace"
	grep -qw overlay /proc/filesystems || skip "no overlay to put programs into /sbin"
	grep -qw autofs /proc/filesystems || skip "the kernel has no autofs"
	NFSRDMA_INSIDE=$work unshare -m --propagation private "$BASH" "${BASH_SOURCE[0]}"
	exit
fi

top=$NFSRDMA_INSIDE
mkdir "$top/auto" "$top/sbin"
ln -s "${NFSRDMA%/*}/mount-helper/mount.nfsrdma" "$top/sbin/mount.nfsrdma"
printf '#!/bin/sh\nexec /bin/mount -i -t tmpfs none "$2"\n' >"$top/sbin/mount.nfs"
chmod +x "$top/sbin/mount.nfs"
mount -t overlay -o "lowerdir=$top/sbin:$(readlink -f /sbin)" none "$(readlink -f /sbin)"
mount -t tmpfs run /run

cat >"$work/daemon.py" <<'PY'
import ctypes, fcntl, os, struct, subprocess, sys

# include/uapi/linux/auto_fs.h
READY, FAIL = 0x9360, 0x9361
PACKET = struct.Struct("=iiIIQIIIII256s")
root = sys.argv[1]
os.setpgid(0, 0)
reader, writer = os.pipe()
options = "fd=%d,pgrp=%d,minproto=5,maxproto=5,indirect" % (writer, os.getpgrp())
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b"test", root.encode(), b"autofs", 0, options.encode()):
    sys.exit("mount autofs: " + os.strerror(ctypes.get_errno()))
os.close(writer)
at = os.open(root, os.O_RDONLY)
print("ready", flush=True)
while True:
    packet = os.read(reader, 4096)
    if len(packet) < PACKET.size:
        break
    fields = PACKET.unpack(packet[:PACKET.size])
    name = fields[10][:fields[9]].decode()
    os.mkdir(os.path.join(root, name))
    # In our group, like everything that automount starts.
    child = subprocess.Popen(["mount", "-t", "nfsrdma", "-o",
        "nfsrdma.check=none,nfsrdma.policy=prefer,nolock", "127.0.0.1:/vm", os.path.join(root, name)])
    try:
        status = child.wait(120)
    except subprocess.TimeoutExpired:
        child.kill()
        status = -1
    print(name, status, flush=True)
    fcntl.ioctl(at, FAIL if status else READY, fields[2])
PY

kill_daemon()
{
	[[ ${daemon:-} ]] || return 0
	kill "$daemon" 2>/dev/null || true
	wait "$daemon" 2>/dev/null || true
	daemon=
}

for propagation in private shared; do
	mount --make-"$propagation" /
	: >"$work/daemon"
	python3 "$work/daemon.py" "$top/auto" >"$work/daemon" 2>"$work/daemon.err" &
	daemon=$!
	cleanup_fn kill_daemon
	await_line "$work/daemon" "$daemon"
	start=$(now_ms)
	# In a group of its own, so that it triggers autofs and waits.
	timeout $((2 * patience)) setsid stat -f -c %T "$top/auto/vm" >"$work/out" || { cat "$work/daemon.err"; fail "nothing is mounted"; }
	[[ $(<"$work/out") == tmpfs ]] || { cat "$work/daemon.err"; fail "it is $(<"$work/out")"; }
	took=$(since_ms "$start")
	within 15000 "$propagation"
	grep -qx 'vm 0' "$work/daemon" || fail "$(tail -n1 "$work/daemon")"
	echo "$propagation: $took ms"
	umount "$top/auto/vm"
	kill_daemon
	umount -l "$top/auto"
done

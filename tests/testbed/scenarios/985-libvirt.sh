# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Debian's libvirt in the guest, its pools on the kernel's NFS over siw: defined, started, converted,
# verified and reverted; one that is silently over TCP is found. libvirt is this machine's own, and
# goes into the guest now, by network: no other scenario has to boot with it.
scenario_timeout=400
for program in libvirtd virsh python3; do
	type -P $program >/dev/null || skip "no $program"
done
server plain

# What libvirtd needs, of this machine. Of its drivers those of pools and of guests: who has
# the latter has qemu:///system.
tree=$work/tree modules=$(dirname "$(find /usr/lib -name libvirt_driver_storage.so -print -quit)")
modules=${modules%/*}
mkdir -p "$tree/usr/bin" "$tree$modules"/{connection-driver,storage-backend,storage-file}
drivers=(connection-driver/libvirt_driver_{storage,qemu}.so storage-backend/libvirt_storage_backend_fs.so
	storage-file/libvirt_storage_file_fs.so)
guest_add "$tree" "$("$testbed/build" 2>/dev/null)" "$(type -P libvirtd)" "$(type -P virsh)" \
	"${drivers[@]/#/$modules/}" || fail "libvirtd cannot be copied"
for driver in "${drivers[@]}"; do mv "$tree/usr/bin/${driver##*/}" "$tree$modules/$driver"; done
mkdir -p "$tree"/etc/libvirt "$tree"/var/{lib,cache,log}/libvirt "$tree/usr/share/libvirt"
cp -r /usr/share/libvirt/schemas "$tree/usr/share/libvirt/"
printf 'unix_sock_group = "root"\nauth_unix_ro = "none"\nauth_unix_rw = "none"\nlog_outputs = "2:file:/run/libvirtd.log"\n' \
	>"$tree/etc/libvirt/libvirtd.conf"
printf 'user = "root"\ngroup = "root"\nsecurity_driver = "none"\nnamespaces = []\ncgroup_controllers = []\n' \
	>"$tree/etc/libvirt/qemu.conf"
cat >"$tree/usr/bin/libvirt" <<'END'
#!/bin/sh
# begin: libvirtd; end: as if it had not been there
set -u
if [ "$1" = end ]; then
	kill "$(cat /run/libvirtd.pid)"
	umount -l /mnt2
	rm -rf /run/libvirt /etc/libvirt /var/lib/nfsrdma
	ln -sf busybox /usr/bin/mount
	ln -sf busybox /usr/bin/umount
	exit
fi
# It calls /bin/mount, for which busybox's is not good enough.
ln -sf ../sbin/mount /usr/bin/mount
ln -sf ../sbin/umount /usr/bin/umount
grep -qs root /etc/passwd || echo root:x:0:0::/root:/bin/sh >/etc/passwd
grep -qs root /etc/group || echo root:x:0: >/etc/group
echo libvirt-qemu:x:64055:64055::/:/bin/false >>/etc/passwd
printf 'libvirt-qemu:x:64055:\nkvm:x:64056:\n' >>/etc/group
libvirtd --daemon --pid-file /run/libvirtd.pid
for _ in $(seq 100); do
	[ ! -S /run/libvirt/libvirt-sock ] || break
	sleep 0.2
done
virsh -q -c qemu:///system uri || cat /run/libvirtd.log
END
chmod +x "$tree/usr/bin/libvirt"
(cd "$tree" && find . -mindepth 1 | cpio -o -H newc --quiet --owner=0:0) | gzip -1 >"$work/libvirt.cpio.gz"
note "libvirt: $(du -h "$work/libvirt.cpio.gz" | cut -f1)"

# The guest reaches this machine's loopback at 10.0.2.2.
cat >"$work/give.py" <<'END'
import http.server, sys
class Give(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), lambda *a: Give(*a, directory=sys.argv[1]))
print(server.server_port, flush=True)
server.serve_forever()
END
exec {give}< <(exec python3 "$work/give.py" "$work")
give_pid=$!
trap 'kill "$give_pid" 2>/dev/null || true' EXIT
read -r -t 20 -u "$give" port || fail "no port to give libvirt by"
inside "cd / && wget -q -O - http://10.0.2.2:$port/libvirt.cpio.gz | gunzip | cpio -idu 2>/run/cpio.err || cat /run/cpio.err"
kill "$give_pid" 2>/dev/null || true

inside 'libvirt begin' | tee "$work/uri"
grep -qx 'qemu:///system' "$work/uri" || fail "libvirtd: $(tail -n 1 "$work/uri")"

# pool ARGUMENT...: nfsrdma pool in the guest
pool() { inside_run pool "$@" --format json; }
virsh_inside() { inside "virsh -q -c qemu:///system $*"; }
proto_of() { inside "sed -n 's|^[^ ]* $1 .*proto=\\([a-z0-9]*\\).*|\\1|p' /proc/mounts | tail -n 1"; }

echo "--- define, start, verify"
pool define vms 10.0.2.15:/export/plain --target /srv/vms
expect_status 0
virsh_inside pool-start --build vms
[[ $(proto_of /srv/vms) == rdma ]] || fail "the pool goes over $(proto_of /srv/vms)"
virsh_inside vol-list vms >"$work/volumes"
grep -q file- "$work/volumes" || fail "libvirt sees no volumes"
pool verify vms
expect_status 0
expect_words pool.transport pass 'over RDMA \(rdma, NFSv4.2\)'
pool list
expect_status 0
virsh_inside pool-destroy vms

echo "--- convert, revert"
inside 'mkdir -p /srv/old; printf "%s" "<pool type=\"netfs\"><name>old</name><source><host name=\"10.0.2.15\"/><dir path=\"/export/locks\"/><format type=\"nfs\"/></source><target><path>/srv/old</path></target></pool>" >/run/old.xml'
virsh_inside pool-define /run/old.xml
virsh_inside pool-autostart old
virsh_inside pool-start old
[[ $(proto_of /srv/old) == tcp ]] || fail "plain NFS goes over $(proto_of /srv/old)"
pool verify old
expect_status 1
expect_words pool.options fail 'nothing among the pool.s options asks for RDMA'
pool convert old
expect_status 0
expect_words pool.transport pass 'over RDMA \(rdma, NFSv4.2\)'
[[ $(proto_of /srv/old) == rdma ]] || fail "converted it goes over $(proto_of /srv/old)"
inside 'echo data >/srv/old/written; sync; cat /export/locks/written' | grep -qx data ||
	fail "what is written does not arrive"
pool revert old
expect_status 0
[[ $(proto_of /srv/old) == tcp ]] || fail "reverted it goes over $(proto_of /srv/old)"

echo "--- no listener, by the words of mount.nfs"
pool convert old -o port=20050,retry=0 --timeout 60
expect_status 1
expect_words pool.restart fail 'mount.nfs: Connection refused'
expect_finding pool.rollback pass
[[ $(proto_of /srv/old) == tcp ]] || fail "put back it goes over $(proto_of /srv/old)"

echo "--- silently over TCP: another mount of the server is there first"
pool convert old
expect_status 0
virsh_inside pool-destroy old
inside 'mkdir -p /mnt2; /usr/sbin/mount -t nfs 10.0.2.15:/export/live /mnt2 -o vers=4.2,proto=tcp'
virsh_inside pool-start old
[[ $(proto_of /srv/old) == tcp ]] || fail "the kernel does not share connections: $(proto_of /srv/old)"
pool verify old
expect_status 1
expect_words pool.transport fail 'goes over the connection of the mount on /mnt2'
pool list
expect_status 1
# Over NFSv4.1 it is another client.
pool convert old --nfs-version 4.1
expect_status 0
[[ $(proto_of /srv/old) == rdma ]] || fail "NFSv4.1 goes over $(proto_of /srv/old)"
virsh_inside pool-destroy old

echo "--- and a convert that this happens to"
inside 'printf "%s" "<pool type=\"netfs\"><name>new</name><source><host name=\"10.0.2.15\"/><dir path=\"/export/plain\"/><format type=\"nfs\"/><protocol ver=\"4.2\"/></source><target><path>/srv/vms</path></target></pool>" >/run/new.xml'
virsh_inside pool-undefine vms
virsh_inside pool-define /run/new.xml
virsh_inside pool-start new
pool convert new
expect_status 1
expect_words pool.transport fail 'goes over the connection of the mount on /mnt2'
expect_finding pool.rollback pass
[[ $(proto_of /srv/vms) == tcp ]] || fail "put back it goes over $(proto_of /srv/vms)"
virsh_inside pool-destroy new

# As the others have it.
inside 'libvirt end'

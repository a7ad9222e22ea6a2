# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# For scenarios with libvirt in the guest: Debian's, and qemu for guests of its own. They are this
# machine's, and are copied to the guest over the network when the first scenario needs them:
# other scenarios do not boot with them, and the next one finds them there.

: "${testbed:?}" "${guest:?}" "${work:?}"

# give NAME TREE: puts a tree into the guest's, once.
give()
{
	local name=$1 tree=$2 give port

	(cd "$tree" && find . -mindepth 1 | cpio -o -H newc --quiet --owner=0:0) | gzip -1 >"$work/$name.cpio.gz"
	note "$name: $(du -h "$work/$name.cpio.gz" | cut -f1)"
	cat >"$work/give.py" <<'PY'
import http.server, sys
class Give(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), lambda *a: Give(*a, directory=sys.argv[1]))
print(server.server_port, flush=True)
server.serve_forever()
PY
	exec {give}< <(exec python3 "$work/give.py" "$work")
	give_pid=$!
	trap 'kill "$give_pid" 2>/dev/null || true' EXIT
	read -r -t "$guest_patience" -u "$give" port || fail "no port to give $name by"
	# The guest reaches this machine's loopback at 10.0.2.2.
	inside "cd / && wget -q -O - http://10.0.2.2:$port/$name.cpio.gz | gunzip | cpio -idu 2>/run/cpio.err || cat /run/cpio.err"
	kill "$give_pid" 2>/dev/null || true
	trap - EXIT
	inside "mkdir -p /run/given; touch /run/given/$name"
	rm -rf "$work/$name.cpio.gz" "$tree"
}

given() { guest_tell sh "test -e /run/given/$1"; }

libvirt_tree()
{
	local tree=$1 modules driver
	# Of its drivers those of pools and of guests: a libvirtd with the latter has
	# qemu:///system.
	local -a drivers=(connection-driver/libvirt_driver_{storage,qemu}.so
		storage-backend/libvirt_storage_backend_fs.so storage-file/libvirt_storage_file_fs.so)

	modules=$(dirname "$(find /usr/lib -name libvirt_driver_storage.so -print -quit)")
	modules=${modules%/*}
	mkdir -p "$tree/usr/bin" "$tree$modules"/{connection-driver,storage-backend,storage-file} "$tree/usr/share/libvirt"
	guest_add "$tree" "$("$testbed/build" 2>/dev/null)" "$(type -P libvirtd)" "$(type -P virsh)" \
		"${drivers[@]/#/$modules/}" || return
	for driver in "${drivers[@]}"; do mv "$tree/usr/bin/${driver##*/}" "$tree$modules/$driver"; done
	cp -r /usr/share/libvirt/{schemas,cpu_map} "$tree/usr/share/libvirt/"
}

# The program, the one module that emulates, and the firmware of a PC without network and screen.
qemu_tree()
{
	local tree=$1 accel=/usr/lib/x86_64-linux-gnu/qemu/accel-tcg-x86_64.so

	mkdir -p "$tree"/usr/{bin,share/{qemu,seabios}} "$tree/${accel%/*}"
	guest_add "$tree" "$("$testbed/build" 2>/dev/null)" "$(type -P qemu-system-x86_64)" || return
	# Linked, unless it exists.
	[[ ! -e $accel ]] || cp "$accel" "$tree$accel"
	cp -L /usr/share/seabios/bios-256k.bin "$tree/usr/share/seabios/"
	cp -L /usr/share/qemu/kvmvapic.bin "$tree/usr/share/qemu/"
}

# libvirt_begin libvirt [qemu]: libvirtd runs in the guest, until libvirt_end.
libvirt_begin()
{
	local program name

	for program in libvirtd virsh python3; do
		type -P $program >/dev/null || skip "no $program"
	done
	for name; do
		given "$name" || { "${name}_tree" "$work/$name" && give "$name" "$work/$name"; } ||
			fail "$name cannot be copied"
	done
	guest_tell libvirt begin | tee "$work/uri"
	grep -qx 'qemu:///system' "$work/uri" || fail "libvirtd: $(tail -n 1 "$work/uri")"
}

libvirt_end() { guest_tell libvirt end || fail "libvirtd does not end"; }

virsh_inside() { inside "virsh -q -c qemu:///system $*"; }

# pool ARGUMENT...: nfsrdma pool in the guest
pool() { inside_run pool "$@" --format json; }

# The transport of the topmost mount there: tcp, rdma; nothing if there is no NFS.
proto_of() { inside "sed -n 's|^[^ ]* $1 .*proto=\\([a-z0-9]*\\).*|\\1|p' /proc/mounts | tail -n 1"; }

# netfs NAME EXPORT TARGET [OPTION...]: defines a pool.
netfs()
{
	local name=$1 export=$2 target=$3 option options=''

	shift 3
	for option; do options+="<fs:option name='$option'/>"; done
	put "/run/$name.xml" <<-XML
		<pool type='netfs' xmlns:fs='http://libvirt.org/schemas/storagepool/fs/1.0'>
		<name>$name</name>
		<source><host name='10.0.2.15'/><dir path='$export'/><format type='nfs'/><protocol ver='4.2'/></source>
		<target><path>$target</path></target>
		${options:+<fs:mount_opts>$options</fs:mount_opts>}
		</pool>
	XML
	virsh_inside "pool-define /run/$name.xml"
}

# machine NAME DISK...: a guest without operating system, as /run/NAME.xml. A disk is a path, a volume
# as POOL:VOLUME, or a path with a backing file as PATH<PATH.
machine()
{
	local name=$1 disk disks='' device=a source more

	shift
	for disk; do
		more=
		case $disk in
		/*'<'*)	source="type='file'><driver name='qemu' type='qcow2'/><source file='${disk%%<*}'/>"
			more="<backingStore type='file'><format type='raw'/><source file='${disk#*<}'/><backingStore/></backingStore>" ;;
		/*)	source="type='file'><driver name='qemu' type='raw'/><source file='$disk'/>" ;;
		*)	source="type='volume'><driver name='qemu' type='raw'/><source pool='${disk%%:*}' volume='${disk#*:}'/>" ;;
		esac
		disks+="<disk device='disk' $source$more<target dev='vd$device' bus='virtio'/></disk>"
		device=$(tr a-y b-z <<<"$device")
	done
	put "/run/$name.xml" <<-XML
		<domain type='qemu'><name>$name</name><memory unit='MiB'>16</memory><vcpu>1</vcpu>
		<os><type arch='x86_64' machine='pc'>hvm</type></os><features><acpi/></features>
		<devices><emulator>/usr/bin/qemu-system-x86_64</emulator>
		<controller type='usb' model='none'/><memballoon model='none'/>
		$disks</devices></domain>
	XML
}

# machines NAME...: defines them.
machines()
{
	local name

	for name; do set -- "$@" "define /run/$name.xml;"; shift; done
	virsh_inside "'$*'"
}

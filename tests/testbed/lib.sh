# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Shell functions for tests/testbed: starting a guest. Sourced by run, boot and
# scenario.sh.
#
# A guest's folder ($guest) has, besides what tests/support/guest.sh says, the file
# "ports" and the pipes of qemu's monitor.
# shellcheck shell=bash

testbed=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Under emulation a guest takes about 10 s from start to "ready" on two idle
# cores. The wait ends early if qemu does.
: "${NFSRDMA_TESTBED_BOOT_TIMEOUT:=600}"
# Not kvm by default: /dev/kvm can exist and not work.
: "${NFSRDMA_TESTBED_ACCEL:=tcg,thread=single}"
# The guest's clock counts instructions, two nanoseconds each, and waits only when the guest does: however slow this
# machine is, no deadline in the guest passes earlier. Half as much processor time again; empty: this machine's clock.
: "${NFSRDMA_TESTBED_ICOUNT=shift=1,sleep=on}"
[[ $NFSRDMA_TESTBED_ACCEL == tcg* ]] || NFSRDMA_TESTBED_ICOUNT=
: "${NFSRDMA_TESTBED_MEMORY:=2048}"

: "${suite:=testbed}"
guest_boot_timeout=$NFSRDMA_TESTBED_BOOT_TIMEOUT
# shellcheck source=../support/guest.sh
. "$testbed/../support/guest.sh"
# shellcheck source=../support/debs.sh
. "$testbed/../support/debs.sh"

# --- the guest ---------------------------------------------------------------

# Programs of a build folder that scenarios run inside the guest.
guest_programs=(nfsrdma mount-helper/mount.nfsrdma 'tests/unit/unit-transport*' tests/unit/unit-{rpcrdma,clnt,hostile}
	tests/support/{echo-client,echo-server,request-find} hooks/libvirt/nfsrdma-libvirt-hook hooks/vdsm/vdsm-hook)

# guest_library FILE COPY: without 30 MB of character set tables, which libxml2 is linked with and
# needs only for text that is not UTF-8.
guest_library()
{
	local version=${1##*.}

	if [[ $1 == */libicudata.so.* ]]; then
		echo "const char icudt${version}_dat[16];" |
			gcc -shared -fPIC -x c -Wl,-soname,"${1##*/}" -o "$2" -
	else
		cp -L "$1" "$2"
	fi
}

# The image is Debian 12's. On another release programs need newer libraries, which take the place of the image's
# for all programs, with the loader that belongs to them and with libibverbs' providers, whose interface is private.
guest_is_older()
{
	# shellcheck source=/dev/null
	[[ $(. /etc/os-release && echo "${VERSION_CODENAME:-}") != bookworm ]]
}

guest_newer_libraries()
{
	local provider

	install -D -m 755 /lib64/ld-linux-x86-64.so.2 "$1/usr/lib64/ld-linux-x86-64.so.2" || return
	for provider in /usr/lib/x86_64-linux-gnu/libibverbs/lib{rxe,siw}-rdmav*.so; do
		install -D -m 644 "$provider" "$1/$provider" || return
	done
}

# guest_add TREE IMAGE PROGRAM...: copies programs, and those of their libraries that the image
# lacks.
guest_add()
{
	local tree=$1 program lib
	local -A have=()

	if guest_is_older; then
		guest_newer_libraries "$tree" || return
	else
		while IFS= read -r lib; do
			have[${lib##*/}]=1
		done < <(cpio -t --quiet <"$2/base.cpio" | grep '^usr/lib')
	fi
	shift 2
	mkdir -p "$tree/usr/lib"
	for program; do
		cp "$program" "$tree/usr/bin/" || return
		while IFS= read -r lib; do
			[[ ! ${have[${lib##*/}]:-} ]] || continue
			have[${lib##*/}]=1
			guest_library "$lib" "$tree/usr/lib/${lib##*/}" || return
		done < <(ldd "$program" | sed -n 's|.* => \(/[^ ]*\) .*|\1|p')
	done
	mkdir -p "$tree"/usr/sbin "$tree/usr/libexec/nfsrdma"
	# mount(8) looks for its helpers there, and libvirt's AppArmor profile for its hooks.
	for program in "$tree"/usr/bin/{*mount.nfsrdma,nfsrdma-libvirt-hook}; do
		[[ ! -f $program ]] || mv "$program" "$tree/usr/sbin/"
	done
	[[ ! -f $tree/usr/bin/vdsm-hook ]] || mv "$tree/usr/bin/vdsm-hook" "$tree/usr/libexec/nfsrdma/"
	# Debug information would only enlarge the initramfs.
	find "$tree"/usr/{bin,sbin,lib,libexec} -type f -exec strip --strip-debug {} + || return
}

# guest_hooks TREE: the links through which libvirt and VDSM find our hooks, as installed.
guest_hooks()
{
	local path to

	while read -r _ path; do
		case $path in
		*/libvirt/*)	to=/usr/sbin/nfsrdma-libvirt-hook ;;
		*/vdsm/*)	to=/usr/libexec/nfsrdma/vdsm-hook ;;
		esac
		mkdir -p "$1/${path%/*}" && ln -sf "$to" "$1/$path" || return
	done < <(grep '^777 .*/hooks/' "$testbed/../install.list")
}

# The packages that hosts have.
guest_debs=(nfsrdma nfsrdma-libvirt nfsrdma-vdsm librpcrdma0)

# guest_packages TREE: installs the Debian packages in the folder NFSRDMA_TESTBED_DEBS with their scripts. Their
# programs replace those of the build folder.
guest_packages()
{
	local folder=${NFSRDMA_TESTBED_DEBS:-} root=$guest/packages
	local -a debs

	[[ $folder ]] || { guest_hooks "$1"; return; }
	mapfile -t debs < <(debs_in "$folder" "${guest_debs[@]}")
	((${#debs[@]} == ${#guest_debs[@]})) || { echo "not all of ${guest_debs[*]} are in $folder" >&2; return 1; }
	rm -rf "$root"
	debs_root "$root" || return
	debs_dpkg "$root" -i "${debs[@]}" >"$guest/packages.log" 2>&1 || { tail -n 5 "$guest/packages.log" >&2; return 1; }
	# The rest of the build's are tests.
	cp -a "$root"/usr/{bin,sbin,libexec} "$1/usr/" && cp -a "$root/etc" "$1/" || return
	# Of libraries only the module: the guest has its own.
	(cd "$root" && find usr/lib -name nfsrdma-libvirt.so -exec cp --parents {} "$1/" \;) && rm -r "$root"
}

# guest_overlay IMAGE [BUILDDIR]: files that change often are not in the image, but in a second
# cpio after it: the scripts and settings of tests/testbed/guest, "check", and the programs of
# BUILDDIR.
guest_overlay()
{
	local tree=$guest/overlay name program
	local -a programs=()

	mkdir -p "$tree/usr/bin" "$tree/etc"
	gcc -O2 -static -o "$tree/usr/bin/check" "$testbed/guest/check.c" || return
	if [[ ${2:-} ]]; then
		for name in "${guest_programs[@]}"; do
			# shellcheck disable=SC2086 # a pattern
			for program in "$2"/$name; do
				[[ ! -f $program || ! -x $program ]] || programs+=("$program")
			done
		done
		guest_add "$tree" "$1" "${programs[@]}" "$2/nfsrdma-libvirt.so" || return
		install -D "$tree/usr/bin/nfsrdma-libvirt.so" "$tree/usr/lib/nfsrdma/nfsrdma-libvirt.so" || return
		rm "$tree/usr/bin/nfsrdma-libvirt.so"
		guest_packages "$tree" || return
	fi
	cp "$testbed/guest/init" "$testbed/guest/agent" "$tree/"
	cp "$testbed"/guest/etc/* "$tree/etc/"
	chmod -R u=rwX,go=rX "$tree"
	(cd "$tree" && find . -mindepth 1 -print0 | cpio -o -0 -H newc --quiet --owner=0:0) \
		>"$guest/overlay.cpio" || return
	cat "$1/base.cpio" "$guest/overlay.cpio" >"$guest/initrd"
	rm -rf "$tree" "$guest/overlay.cpio"
}

# guest_start IMAGE [BUILDDIR]: starts qemu and waits until the guest listens.
guest_start() { guest_launch "$@" && guest_wait && guest_ports; }

# guest_join IMAGE FOLDER [BUILDDIR]: a guest that shares a network with FOLDER's. It has no
# exports and no server, so it boots faster.
guest_join()
{
	local guest_peer=$2

	guest_launch "$1" ${3:+"$3"} && guest_wait && guest_ports
}

# Of this qemu; without it there are no scenarios with two guests.
guest_can_join() { qemu-system-x86_64 -netdev help 2>/dev/null | grep -qx stream; }

# The first guest listens for the second on a Unix socket in its folder.
guest_pair_options()
{
	local folder=${guest_peer:-$guest} server=on mac=52:54:00:00:00:01

	guest_can_join || return 0
	# The same address for both would make software RoCE take its peer for itself.
	[[ ! ${guest_peer:-} ]] || server=off mac=52:54:00:00:00:02
	printf '%s\n' -netdev "stream,id=pair,server=$server,addr.type=unix,addr.path=$folder/pair" \
		-device "virtio-net-pci,netdev=pair,mac=$mac,romfile="
}

guest_launch()
{
	local image=$1 port forward=
	local -a pair

	guest_overlay "$@" || return
	guest_pipes ctl mon || return
	# Host port 0: the kernel picks a free one, which the monitor prints.
	for port in 20049 20048 2049; do
		forward+=,hostfwd=tcp:127.0.0.1:0-:$port
	done
	mapfile -t pair < <(guest_pair_options)
	# vmlinux by its PVH entry. Words of -append that the kernel does not know become
	# variables of init.
	"${guest_prefix[@]}" qemu-system-x86_64 "${guest_options[@]}" -no-reboot \
		-accel "$NFSRDMA_TESTBED_ACCEL" ${NFSRDMA_TESTBED_ICOUNT:+-icount "$NFSRDMA_TESTBED_ICOUNT"} -m "$NFSRDMA_TESTBED_MEMORY" -kernel "$image/vmlinux" -initrd "$guest/initrd" \
		-append "$guest_kernel panic=-1 rdinit=/init number=${guest_peer:+2}" \
		-serial "file:$guest/console.log" \
		-chardev "pipe,id=ctl,path=$guest/ctl" -serial chardev:ctl \
		-chardev "pipe,id=mon,path=$guest/mon" -mon chardev=mon,mode=readline \
		-netdev "user,id=net,ipv6=off$forward" -device virtio-net-pci,netdev=net,romfile= \
		"${pair[@]}" >"$guest/qemu.log" 2>&1 </dev/null &
	echo $! >"$guest/pid"
}

# guest_ports: asks the monitor which ports are forwarded, into the file "ports".
guest_ports()
{
	local deadline=$((SECONDS + guest_patience)) line in out

	: >"$guest/ports"
	exec {in}<>"$guest/mon.in" {out}<>"$guest/mon.out"
	printf 'info usernet\n' >&"$in"
	while (($(wc -l <"$guest/ports") < 3)) && guest_read "$out" "$deadline"; do
		# TCP[HOST_FORWARD] 12 127.0.0.1 43423 10.0.2.15 20049 0 0
		[[ $line =~ HOST_FORWARD.*127\.0\.0\.1\ +([0-9]+)\ +[0-9.]+\ +([0-9]+) ]] || continue
		case ${BASH_REMATCH[2]} in
		20049)	echo "rdma_port=${BASH_REMATCH[1]}" ;;
		20048)	echo "mount_port=${BASH_REMATCH[1]}" ;;
		2049)	echo "nfs_port=${BASH_REMATCH[1]}" ;;
		esac >>"$guest/ports"
	done
	exec {in}>&- {out}>&-
	(($(wc -l <"$guest/ports") == 3)) || { echo "no forwarded ports" >&2; return 1; }
}

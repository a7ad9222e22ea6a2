# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Shell functions for the programs that make what a guest boots from, tests/testbed/build,
# tests/system/build and tests/peers/build-linux: Debian's packages by name, and its kernel with modules of our own.
# Nothing is installed on this machine.
#
# The caller sets
#	suite			for messages
#	cache			the folder that everything is below
#	jobs			how many compilers run at once
# and defines choose_packages, which sets wanted (an array of name=version) and key.
# shellcheck shell=bash
: "${suite:?}" "${cache:?}" "${jobs:?}"

say() { printf '%s: %s\n' "$suite" "$*" >&2; }
die() { say "$*"; exit 1; }
# Exit status 3: the caller of build skips its tests.
lacking() { say "$*"; exit 3; }

started=$SECONDS
step() { say "$(printf '%3d s  %s' $((SECONDS - started)) "$*")"; }

[[ $cache == /* ]] || cache=$PWD/$cache
# Its path has no process id: make compares it, and a run that was interrupted is redone.
work=$cache/work
apt_opts=() update_error='' own_sources=''
# More of make's variables, for modules.
module_variables=()

# build_begin PROGRAM...: additional required programs; the cache belongs to this process until it
# ends.
build_begin()
{
	local tool

	PATH=$PATH:/usr/sbin:/sbin
	for tool in apt-get apt-cache dpkg gcc make xz readelf depmod sha256sum flock "$@"; do
		type -P "$tool" >/dev/null || lacking "no $tool"
	done
	mkdir -p "$cache"
	# Two runs at once would download and build the same thing twice.
	exec 9>"$cache/lock"
	flock 9
	# apt downloads as the user _apt, which cannot write below a home directory.
	[[ $(id -u) -ne 0 ]] || apt_opts=(-o APT::Sandbox::User=root)
}

# own_lists: from here on apt has package lists of its own, below the cache; of the sources in the file
# $own_sources (one-line format), if that is set, in place of the machine's.
own_lists()
{
	local state=$cache/apt

	mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
	apt_opts+=(-o Dir::State::Lists="$state/lists" -o Dir::Cache="$state/cache")
	# What this machine has installed would be newer than what another release offers.
	[[ ! $own_sources ]] || apt_opts+=(-o Dir::Etc::SourceList="$own_sources" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::status=/dev/null)
}

update_lists()
{
	# Error-Mode: otherwise a failed fetch is a warning among others. It is no reason to stop
	# yet: the package may not be needed here.
	apt-get "${apt_opts[@]}" -q -o APT::Update::Error-Mode=any update >"$cache/apt.log" 2>&1 ||
		update_error=$(grep -m1 -E '^[EW]:' "$cache/apt.log") || true
}

# Package lists of our own: for a user who cannot run apt-get update, and for lists so old that
# their versions are no longer in the archive.
private_lists() { own_lists && update_lists; }

# debian_sources FILTER...: Debian's own sources of this machine, in apt's one-line format.
debian_sources()
{
	local signed=/usr/share/keyrings/debian-archive-keyring.gpg

	[[ -r $signed ]] && signed="[signed-by=$signed] " || signed=
	# shellcheck disable=SC2016 # apt's variables
	apt-get "${apt_opts[@]}" indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' 'Architecture: amd64' "$@" | sed "s|^|deb $signed|" | sort -u
}

# release_sources NAME...: own_sources is the archive of this machine's Debian, with these releases in place of its own.
release_sources()
{
	local source name

	source=$(debian_sources 'Label: Debian' | head -n1)
	[[ $source ]] || lacking "apt has no source of Debian's"
	own_sources=$cache/sources.list
	for name; do
		# ... ADDRESS RELEASE main
		echo "${source% * *} $name ${source##* }"
	done >"$own_sources"
}

unknown_packages() { lacking "${update_error:-apt knows no linux-image-amd64}"; }

# Prints "name version" of each package as apt would download it.
versions()
{
	apt-cache "${apt_opts[@]}" --no-all-versions show "$@" 2>/dev/null |
		awk '/^Package:/ { p = $2 } /^Version:/ { print p, $2 }' | sort -u
}

# depends PACKAGE: the dependencies of apt's candidate, one name per line.
depends()
{
	apt-cache "${apt_opts[@]}" --no-all-versions show "$1" 2>/dev/null |
		sed -n 's/^Depends: //p' | tr ',|' '\n' | sed 's/^ *//; s/[ (:].*//'
}

# Sets: release (6.1.0-56-amd64), series (6.1), kernel_version (6.1.192-2), headers, and names of packages:
# kbuild, and kernel_parts, which are more than one from 6.19 on.
choose_kernel()
{
	release=$(depends linux-image-amd64 | sed -n 's/^linux-image-\(.*-amd64\)$/\1/p' | head -n1)
	[[ $release ]] || return 1
	kernel_version=$(versions "linux-image-$release" | cut -d' ' -f2)
	series=${kernel_version%%.*}.$(cut -d. -f2 <<<"$kernel_version")
	headers=$work/kernel/usr/src/linux-headers-$release
	# linux-kbuild-6.1, or linux-kbuild-6.12.95+deb12
	kbuild=$(depends "linux-headers-$release" | grep '^linux-kbuild-') || return
	mapfile -t kernel_parts < <(depends "linux-image-$release" | grep -E '^linux-(base|binary|modules)-[0-9]')
	((${#kernel_parts[@]})) || kernel_parts=("linux-image-$release")
}

# kernel_versions: "name version" of the kernel and of what modules are built from. One version
# for all of the kernel, or the modules do not load.
kernel_versions()
{
	local name

	for name in "${kernel_parts[@]}" "linux-headers-$release" "linux-headers-${release%-amd64}-common" \
		"linux-source-$series"; do
		printf '%s %s\n' "$name" "$kernel_version"
	done
	versions "$kbuild"
}

download()
{
	mkdir -p "$work/debs"
	(cd "$work/debs" && apt-get "${apt_opts[@]}" -q download "$@") >"$cache/apt.log" 2>&1
}

# $1 folder, $2... names of packages
unpack()
{
	local to=$1 name

	shift
	mkdir -p "$to"
	for name in "$@"; do
		dpkg -x "$work/debs/${name}"_*.deb "$to"
	done
}

# Debian's bzImage unpacks itself, which takes seconds under emulation. qemu also
# starts an ELF file by its PVH note, and unpacking is quick here. Offsets:
# Documentation/x86/boot.rst (setup_sects, payload_offset, payload_length).
unpack_vmlinux()
{
	local image=$1 out=$2 sects offset length

	sects=$(od -An -tu1 -j 497 -N1 "$image")
	offset=$(od -An -tu4 -j 584 -N4 "$image")
	length=$(od -An -tu4 -j 588 -N4 "$image")
	# The last four bytes are the unpacked size, which xz does not know.
	dd if="$image" bs=1M iflag=skip_bytes,count_bytes status=none \
		skip=$(((sects + 1) * 512 + offset)) count=$((length - 4)) |
		xz -dc >"$out" 2>/dev/null || return 1
	readelf -h "$out" >/dev/null 2>&1
}

# make_vmlinux IMAGE OUT: or IMAGE itself, where it is not packed with xz: let it unpack itself.
make_vmlinux() { unpack_vmlinux "$1" "$2" || cp "$1" "$2"; }

# libraries_of PACKAGE: the libraries that it depends on, and what those need: the programs of another release want
# that release's.
libraries_of()
{
	depends "$1" | grep -E '^(lib|zlib)'
	echo libzstd1
}

# wrap_programs LIBRARY...: the programs that modules are built with run with these libraries, unpacked.
wrap_programs()
{
	local program libs

	(($#)) || return 0
	unpack "$work/libraries" "$@"
	libs=$(find "$work/libraries" -name libc.so.6 -printf '%h')
	while IFS= read -r program; do
		readelf -h "$program" >/dev/null 2>&1 || continue
		mv "$program" "$program.elf"
		# By its name one finds another.
		# shellcheck disable=SC2016 # the program's
		printf '#!/bin/sh\nexec %s/ld-linux-x86-64.so.2 --argv0 "$0" --library-path %s %s.elf "$@"\n' \
			"$libs" "$libs" "$program" >"$program"
		chmod 755 "$program"
	done < <(find "$work/kernel/usr/lib/$kbuild" -type f -perm -1)
}

# For modules of a newer release: this machine's compiler, older than the kernel's, and no pahole.
with_older_compiler()
{
	module_variables=(CC=gcc CONFIG_DEBUG_INFO_BTF_MODULES= CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=)
}

# existing_modules MODULE...: those that this kernel has as files. What asks for a checksum by name did so as long as
# it was a module.
existing_modules()
{
	local name

	for name; do
		! find "$kernel_modules" -name "$name.ko*" | grep -q . || echo "$name"
	done
}

# module_sources FOLDER...: unpacks what modules are built from, these folders of the kernel's source
# into $work/linux-source-$series.
module_sources()
{
	local tree=linux-source-$series

	unpack "$work/kernel" "linux-headers-$release" "linux-headers-${release%-amd64}-common" \
		"$kbuild" "$tree"
	sed -i "s|/usr/src/|$work/kernel&|" "$headers/Makefile"
	xz -dc -T"$jobs" "$work/kernel/usr/src/$tree.tar.xz" | tar -x -f - -C "$work" "${@/#/$tree/}"
}

# $1 folder of the module's source, rest: make variables
build_module()
{
	local source=$1

	shift
	# -g0: the debug information of these would be ten times their code.
	make -s -j"$jobs" -C "$headers" M="$source" KCFLAGS=-g0 "${module_variables[@]}" "$@" modules \
		>"$source.log" 2>&1 || { cat "$source.log" >&2; die "building ${source##*/} failed"; }
}

# unpack_kernel: into $work/kernel. Sets kernel_modules, the folder that its modules are below, and
# kernel_image.
unpack_kernel()
{
	unpack "$work/kernel" "${kernel_parts[@]}"
	for kernel_modules in "$work"/kernel/{usr/,}lib/modules/"$release"; do
		[[ ! -d $kernel_modules ]] || break
	done
	[[ -d $kernel_modules ]] || die "no modules of $release in ${kernel_parts[*]}"
	kernel_image=$work/kernel/boot/vmlinuz-$release
	[[ -e $kernel_image ]] || kernel_image=$kernel_modules/vmlinuz
}

# build_siw: soft iWARP, which Debian's kernel lacks, in addition to its modules.
siw_source=drivers/infiniband/sw/siw
build_siw()
{
	step "building siw.ko"
	build_module "$work/linux-source-$series/$siw_source" CONFIG_RDMA_SIW=m
	cp "$work/linux-source-$series/$siw_source/siw.ko" "$kernel_modules/kernel/drivers/"
}

# copy_modules ROOT MODULE...: into a guest's tree, with all dependencies.
copy_modules()
{
	local from=$kernel_modules root=$1 to=$1/usr/lib/modules/$release
	local -A path=() seen=()
	local queue=("${@:2}") name file dep deps

	while IFS= read -r file; do
		name=${file##*/}
		name=${name%%.ko*}
		path[${name//-/_}]=$file
	done < <(cd "$from" && find kernel -name '*.ko' -o -name '*.ko.xz')
	while ((${#queue[@]})); do
		name=${queue[0]//-/_}
		queue=("${queue[@]:1}")
		[[ ! ${seen[$name]:-} ]] || continue
		seen[$name]=1
		file=${path[$name]:-}
		# What is built into the kernel has no file.
		if [[ ! $file ]]; then
			grep -q "/${name//_/[-_]}\.ko$" "$from/modules.builtin" || die "no module $name"
			continue
		fi
		install -D -m 644 "$from/$file" "$to/$file"
		# busybox's modprobe does not decompress.
		[[ $file != *.xz ]] || xz -d "$to/$file"
		deps=$(modinfo -F depends "$to/${file%.xz}")
		IFS=, read -r -a dep <<<"$deps"
		queue+=("${dep[@]}")
	done
	cp "$from"/modules.builtin* "$from/modules.order" "$to/"
	depmod -b "$root/usr" "$release" 2>/dev/null || depmod -b "$root" "$release"
}

# make_cpio TREE OUT
make_cpio()
{
	(cd "$1" && find . -mindepth 1 -print0 | sort -z |
		cpio -o -0 -H newc --quiet --owner=0:0) >"$2"
}

# cached FINAL: prints it and ends if it is there.
cached()
{
	[[ -e $1/vmlinux ]] || return 0
	touch "$1"
	printf '%s\n' "$1"
	exit 0
}

# keep IMAGE FINAL: the image is complete, and replaces the final one.
keep()
{
	printf '%s\n' "$release" >"$1/release"
	rm -rf "$2"
	mv "$1" "$2"
	rm -rf "$work"
	# Images of former kernels that were not used for a month.
	find "$cache" -maxdepth 1 -name 'image-*' -mtime +30 -exec rm -rf {} +
	step "done: $(du -sh "$2" | cut -f1)"
	printf '%s\n' "$2"
}

# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A cross build, every warning an error. The programs name the loader and the libraries in the cache, so
# that they run from here; with DT_RPATH, which also applies to the libraries' own libraries.
# shellcheck shell=bash

cross=$cache/$arch/cross.ini
wrapper=${emulator:+"exe_wrapper = ['$emulator']"}
needs=${emulator:+true}
# As meson does by itself for this machine's compiler.
ccache=
! type -P ccache >/dev/null || ccache="'ccache', "
cat >"$work/cross.ini" <<END
[binaries]
c = [$ccache'$prefix-gcc', '--sysroot=$sysroot']
ar = '$prefix-ar'
strip = '$prefix-strip'
pkgconfig = 'pkg-config'
$wrapper

[built-in options]
c_link_args = ['-Wl,--dynamic-linker=$sysroot$loader', '-Wl,--disable-new-dtags', '-Wl,-rpath,$sysroot/lib/$libraries:$sysroot/usr/lib/$libraries']

[properties]
sys_root = '$sysroot'
pkg_config_libdir = '$sysroot/usr/lib/$libraries/pkgconfig:$sysroot/usr/share/pkgconfig'
needs_exe_wrapper = ${needs:-false}

[host_machine]
system = 'linux'
cpu_family = '$family'
cpu = '$cpu'
endian = '$endian'
END

if ! cmp -s "$work/cross.ini" "$cross" || [[ ! -f $builddir/build.ninja ]]; then
	rm -rf "$builddir"
	cp "$work/cross.ini" "$cross"
	meson setup "$builddir" "$source" --cross-file "$cross" -Dbuildtype=release -Ddebug=true -Dwerror=true -Dtests=true \
		--prefix=/usr --libdir=lib
fi
ninja -C "$builddir" --quiet -k 0
note "$("$nfsrdma" --version), $(file -b "$builddir/nfsrdma" | cut -d, -f1-2)"

# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Shell functions for tests with the Debian packages of this checkout.
# shellcheck shell=bash

debs_source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# debs_in FOLDER [NAME...]: the packages in it, or those of these names; none with debug symbols. False if one is
# not there.
debs_in()
{
	local folder=$1 name

	shift
	if (($#)); then
		for name; do compgen -G "$folder/${name}_*.deb" || return; done
	else
		find "$folder" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' | sort
	fi
}

# debs_root DIR: a folder that dpkg takes for a system without packages.
debs_root()
{
	mkdir -p "$1"/var/{log,lib/dpkg/{info,updates,triggers}} "$1"/{etc,run}
	touch "$1/var/lib/dpkg/status"
}

# debs_dpkg DIR ARGUMENT...: dpkg below that folder, without root. Maintainer scripts run on this machine with
# DPKG_ROOT, but debhelper's parts of them would also call this machine's systemd: true(1) stands in for it.
debs_dpkg()
{
	local dir=$1 name programs status=0

	shift
	programs=$(mktemp -d "${TMPDIR:-/tmp}/nfsrdma-debs.XXXXXX") || return
	for name in systemctl deb-systemd-invoke; do
		ln -s "$(type -P true)" "$programs/$name"
	done
	PATH=$programs:$PATH:/usr/sbin:/sbin fakeroot dpkg --root="$dir" --force-not-root \
		--force-script-chrootless --force-depends "$@" || status=$?
	rm -r "$programs"
	return $status
}

# debs_old DEB [ROOT]: makes nfsrdma 0.1.0 as DEB (tests/packages/nfsrdma-0.1.0), with empty programs, or with
# those that ROOT has.
debs_old()
{
	local deb=$1 root=${2:-/var/empty} old=$debs_source/tests/packages/nfsrdma-0.1.0 tree=$1.tree multiarch file to

	multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
	rm -rf "$tree"
	mkdir -p "$tree/DEBIAN" "$tree/etc/libvirt/hooks/qemu.d"
	cp "$old"/{preinst,postinst,prerm,postrm} "$tree/DEBIAN/"
	sed "s/^Architecture: .*/Architecture: $(dpkg --print-architecture)/" "$old/control" >"$tree/DEBIAN/control"
	while read -r file; do
		mkdir -p "$tree/${file%/*}"
		cp "$root/$file" "$tree/$file" 2>/dev/null || printf '%s\n' '#!/bin/sh' 'exit 0' >"$tree/$file"
	done < <(sed "s,MULTIARCH,$multiarch," "$old/files")
	while read -r file to; do
		mkdir -p "$tree/${file%/*}"
		ln -s "$to" "$tree/$file"
	done < <(sed "s,MULTIARCH,$multiarch," "$old/links")
	sed 's,@bindir@,/usr/bin,' "$debs_source/packaging/systemd/nfsrdma-watch.service.in" \
		>"$tree/lib/systemd/system/nfsrdma-watch.service"
	chmod -R u=rwX,go=rX "$tree"
	chmod 755 "$tree"/DEBIAN/p* "$tree"/usr/{bin,sbin,libexec/nfsrdma}/*
	dpkg-deb --root-owner-group -b "$tree" "$deb" >/dev/null
	rm -r "$tree"
}

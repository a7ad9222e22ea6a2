#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# package.sh OUT: the Debian package of this checkout is built, has what tests/install.list
# says and nothing else but what Debian adds, and wants for its build what
# packaging/packages/build.txt lists. Installed below a folder, removed and purged it leaves
# nothing behind. It stays in OUT.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$1
fail() { echo "package: $*" >&2; exit 1; }

# gcc, libc6-dev: every build of a package has them; pkg-config and the rest are named.
diff -u <(grep -vE '^(#|$|gcc$|libc6-dev$)' packaging/packages/build.txt | sort) \
	<(sed -n '/^Build-Depends:/,/^[A-Z]/p' packaging/debian/control | sed '/^[A-Z]/s/^Build-Depends://;t;/^[A-Z]/d' |
		tr ',' '\n' | sed -E 's/ *\([^)]*\)//; s/^ +//; s/ +$//' | grep -vE '^(debhelper-compat)?$' | sort) ||
	fail "Build-Depends is not what packages/build.txt lists"
version=$(sed -n "s/^  version : '\(.*\)',/\1/p" meson.build)
[[ $(dpkg-parsechangelog -l packaging/debian/changelog -S Version) == "$version" ]] ||
	fail "the changelog's version is not $version"

rm -rf "$out"
deb=$(packaging/build-deb "$out")
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
# Manual pages are compressed there, units are in /lib, and libvirt's link is made by postinst.
diff -u <(cut -d' ' -f2 tests/install.list | grep -v '^etc/libvirt/hooks/') \
	<(dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' |
		sed -E "s,^\./,,; s,^lib/,usr/lib/,; s,usr/lib/$multiarch/,usr/lib/,; s,(share/man/.*)\.gz$,\1," |
		grep -vE '^usr/share/(doc/nfsrdma/(changelog.gz|copyright)|lintian/overrides/nfsrdma)$' | sort) ||
	fail "the package's files are not those of tests/install.list"
lintian=$(lintian --allow-root "$deb" 2>&1) || true
[[ ! $lintian ]] || fail "$lintian"

# --- installed, removed, purged ------------------------------------------------------------------

work=$(mktemp -d "${TMPDIR:-/tmp}/nfsrdma-package.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Its scripts act below that folder; a systemd of this machine is not to know of it.
mkdir "$work/bin"
for name in systemctl deb-systemd-invoke; do
	printf '#!/bin/sh\necho "%s $*" >>%s\n' $name "$work/told" >"$work/bin/$name"
	chmod +x "$work/bin/$name"
done
PATH=$work/bin:$PATH:/usr/sbin:/sbin

below() { fakeroot dpkg --root="$root" --force-not-root --force-script-chrootless --force-depends "$@" >"$work/log" 2>&1 ||
	{ cat "$work/log"; fail "dpkg $*"; }; }
tree() { (cd "$root" && find . -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o -printf '%y %m %p %l\n' | sort); }

# Every link leads to something that is there.
links()
{
	local link to

	while IFS= read -r link; do
		to=$(readlink "$link")
		[[ $to == /* ]] && to=$root$to || to=${link%/*}/$to
		[[ -e $to ]] || fail "${link#"$root"} leads to $(readlink "$link"), which is not there"
	done < <(find "$root" -type l)
}

# lifecycle FOLDER...: these have files of other packages, before and after.
lifecycle()
{
	local dir hook=etc/libvirt/hooks/qemu.d/nfsrdma

	root=$work/root
	rm -rf "$root"
	mkdir -p "$root"/var/{log,lib/dpkg/{info,updates,triggers}} "$root/run"
	touch "$root/var/lib/dpkg/status"
	for dir in usr etc/systemd/system var/lib/systemd "$@"; do
		mkdir -p "$root/$dir"
		touch "$root/$dir/other"
	done
	tree >"$work/before"
	below -i "$deb"
	links
	[[ -x $root/usr/sbin/nfsrdma-libvirt-hook && -L $root/$hook ]] || fail "libvirt finds no hook"
	[[ -L $root/usr/libexec/vdsm/hooks/after_get_stats/90_nfsrdma ]] || fail "VDSM finds no hook"
	[[ -L $root/etc/systemd/system/multi-user.target.wants/nfsrdma-watch.service ]] || fail "the watcher is not enabled"
	mkdir -p "$root"/var/lib/nfsrdma/pools "$root/run/nfsrdma/mounts"
	touch "$root/run/nfsrdma/watch.json"
	# Nobody finds a hook that is not there.
	below -r nfsrdma
	[[ ! -L $root/$hook ]] || fail "it is not removed as it should be"
	! grep WARNING "$work/log" || fail "it warns of nothing"
	below -P nfsrdma
	diff -u "$work/before" <(tree) || fail "purged it leaves something behind"
}

# An older version's hook where there is none any more goes with it.
upgrade()
{
	local old=$work/old dir=usr/libexec/vdsm/hooks/after_disk_prepare

	root=$work/root
	rm -rf "$root" "$old"
	mkdir -p "$root"/var/{log,lib/dpkg/{info,updates,triggers}} "$root/run" "$old/DEBIAN" "$old/$dir"
	touch "$root/var/lib/dpkg/status"
	ln -s /usr/libexec/nfsrdma/vdsm-hook "$old/$dir/90_nfsrdma"
	printf '%s\n' "Package: nfsrdma" "Version: 0.0.1" "Architecture: $(dpkg --print-architecture)" \
		"Maintainer: nobody <nobody@example.com>" "Description: old" >"$old/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$old" "$work/old.deb" >/dev/null
	below -i "$work/old.deb"
	[[ -L $root/$dir/90_nfsrdma ]] || fail "the old package has no link"
	below -i "$deb"
	[[ ! -e $root/$dir && ! -L $root/$dir/90_nfsrdma ]] || fail "the old hook of VDSM is still there"
	links
}

# hook WANTED WHEN: whether the link is there.
hook()
{
	local have=no

	[[ ! -L $root/etc/libvirt/hooks/qemu.d/nfsrdma ]] || have=yes
	[[ $have == "$1" ]] || fail "$2: is the link for libvirt there? $have, and not $1"
}

# A link that somebody removed stays away, and one that is there stays.
removed_link()
{
	below -i "$deb"
	hook yes "installed"
	below -i "$deb"
	hook yes "installed again"
	below -r nfsrdma
	hook no "removed"
	below -i "$deb"
	hook yes "installed after it was removed"
	rm "$root/etc/libvirt/hooks/qemu.d/nfsrdma"
	below -i "$deb"
	hook no "installed again without the link"
	below -r nfsrdma
	below -i "$deb"
	hook no "installed after it was removed without the link"
	below -P nfsrdma
	below -i "$deb"
	hook yes "installed after it was purged"
	# It was a file of the package.
	rm -rf "$work/old"
	dpkg-deb -R "$deb" "$work/old"
	sed -i '/^Version:/s/$/~old/' "$work/old/DEBIAN/control"
	rm -f "$work/old"/DEBIAN/{preinst,prerm,postinst,postrm}
	ln -s /usr/sbin/nfsrdma-libvirt-hook "$work/old/etc/libvirt/hooks/qemu.d/nfsrdma"
	dpkg-deb --root-owner-group -b "$work/old" "$work/old.deb" >/dev/null
	below -P nfsrdma
	below -i "$work/old.deb"
	below -i "$deb"
	hook yes "upgraded from a version that had the link"
	below -P nfsrdma
	below -i "$work/old.deb"
	rm "$root/etc/libvirt/hooks/qemu.d/nfsrdma"
	below -i "$deb"
	hook no "upgraded from a version that had the link, which was removed"
	below -P nfsrdma
}

# What setup changed goes with what it was before, or neither; a line of fstab is told.
undo_records()
{
	below -i "$deb"
	mkdir -p "$root/etc" "$root/var/lib/nfsrdma/pools"
	printf '%s\n' '# nas1:/old /old nfsrdma' 'nas1:/vm /srv/vm nfsrdma rw 0 0' 'nas1:/iso /srv/iso nfs ro 0 0' >"$root/etc/fstab"
	touch "$root/var/lib/nfsrdma/setup.json" "$root/var/lib/nfsrdma/pools/df263acc.json"
	below -r nfsrdma
	[[ $(grep WARNING "$work/log") == "nfsrdma: WARNING: /etc/fstab:2: /srv/vm is of type nfsrdma, "* ]] ||
		fail "removal says of fstab: $(cat "$work/log")"
	below -P nfsrdma
	[[ -e $root/var/lib/nfsrdma/setup.json && -e $root/var/lib/nfsrdma/pools/df263acc.json ]] ||
		fail "purge takes away what undoes setup"
	grep -q "setup.json" "$work/log" || fail "purge does not tell what stays"
	grep -q "pool revert" "$work/log" || fail "purge does not tell of pools"
	rm -r "$root/etc/fstab" "$root/var/lib/nfsrdma"
}

lifecycle
upgrade
lifecycle etc/libvirt/hooks/qemu.d usr/libexec/vdsm/hooks/{after_get_stats,before_vm_start}
removed_link
undo_records

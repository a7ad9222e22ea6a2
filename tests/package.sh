#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# package.sh OUT: builds the Debian packages of this checkout. Together they have what tests/install.list
# says, each file once, and besides only what Debian adds; lintian reports nothing; their build needs what
# packaging/packages/build.txt lists. Installed below a folder, upgraded from 0.1.0, removed and purged
# they leave nothing behind. They stay in OUT.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tests/support/debs.sh
. tests/support/debs.sh
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

work=$(mktemp -d "${TMPDIR:-/tmp}/nfsrdma-package.XXXXXX")
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mapfile -t debs < <(packaging/build-deb "$out" 2>"$work/progress")
# It takes minutes, and says so.
for words in copying building 'done in'; do
	grep -q "^build-deb: $words" "$work/progress" || fail "build-deb is silent: $(cat "$work/progress")"
done
[[ $(basename -a "${debs[@]}" | cut -d_ -f1 | sort | paste -sd' ') == "librpcrdma-dev librpcrdma0 nfsrdma nfsrdma-libvirt nfsrdma-vdsm" ]] ||
	fail "the packages are ${debs[*]}"
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
# Debian compresses manual pages; its zsh has a folder for packages; Debian 12's units are in /lib;
# nfsrdma-libvirt.postinst makes libvirt's link, and nfsrdma.postinst copies nfsrdma.conf.
diff -u <(cut -d' ' -f2 tests/install.list | grep -v '^etc/libvirt/hooks/') \
	<(for deb in "${debs[@]}"; do dpkg-deb --fsys-tarfile "$deb" | tar -t; done | grep -v '/$' |
		sed -E "s,^\./,,; s,^lib/,usr/lib/,; s,usr/lib/$multiarch/,usr/lib/,; s,(share/man/.*)\.gz$,\1,; s,zsh/vendor-completions,zsh/site-functions,; s,usr/share/nfsrdma/(nfsrdma.conf)$,etc/\1," |
		grep -vE '^usr/share/(doc/[^/]*/(changelog.gz|copyright|NEWS.Debian.gz)|lintian/overrides/[^/]*)$' | sort) ||
	fail "the packages' files are not those of tests/install.list"
# The manual of a command is where the command is. nfsrdma-libvirt(7) is of the package that nfsrdma recommends.
dpkg-deb --contents "$(debs_in "$out" nfsrdma)" >"$work/contents"
for page in nfsrdma.8 nfsrdma-probe.8 nfsrdma-ovirt.7 nfsrdma.conf.5 mount.nfsrdma.8; do
	grep -q "/$page\.gz$" "$work/contents" || fail "nfsrdma lacks $page"
done
lintian=$(lintian --allow-root "${debs[@]}" 2>&1) || true
[[ ! $lintian ]] || fail "$lintian"

# --- installed, removed, purged ------------------------------------------------------------------

hook=etc/libvirt/hooks/qemu.d/nfsrdma hook_program=usr/sbin/nfsrdma-libvirt-hook
wants=etc/systemd/system/multi-user.target.wants/nfsrdma-watch.service
libvirt=$(debs_in "$out" nfsrdma-libvirt)

below() { debs_dpkg "$root" "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "dpkg $*"; }; }
tree() { (cd "$root" && find . -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o -printf '%y %m %p %l\n' | sort); }
new_root() { root=$work/root; rm -rf "$root"; debs_root "$root"; }

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
	local dir

	new_root
	for dir in usr etc/systemd/system var/lib/systemd "$@"; do
		mkdir -p "$root/$dir"
		touch "$root/$dir/other"
	done
	tree >"$work/before"
	below -i "${debs[@]}"
	links
	[[ -x $root/usr/sbin/nfsrdma-libvirt-hook && -L $root/$hook ]] || fail "libvirt finds no hook"
	[[ -L $root/usr/libexec/vdsm/hooks/before_disk_hotplug/90_nfsrdma ]] || fail "VDSM finds no hook"
	[[ -L $root/$wants ]] || fail "the watcher is not enabled"
	mkdir -p "$root"/var/lib/nfsrdma/pools "$root/run/nfsrdma/requests"
	touch "$root/run/nfsrdma/watch.json"
	below -r nfsrdma-libvirt nfsrdma-vdsm librpcrdma-dev librpcrdma0
	# A link that leads nowhere is no hook.
	[[ ! -L $root/$hook && -x $root/usr/bin/nfsrdma ]] || fail "nfsrdma-libvirt is not removed as it should be"
	below -r nfsrdma
	! grep WARNING "$work/log" || fail "removal warns without a reason"
	below -P nfsrdma-libvirt nfsrdma-vdsm librpcrdma-dev librpcrdma0 nfsrdma
	diff -u "$work/before" <(tree) || fail "a purge leaves something behind"
}

# hook WANTED WHEN: whether the link is there.
hook()
{
	local have=no

	[[ ! -L $root/$hook ]] || have=yes
	[[ $have == "$1" ]] || fail "$2: the link for libvirt is there: $have, expected $1"
}

# A link that you removed stays away, and one that is there stays.
removed_link()
{
	new_root
	below -i "$(debs_in "$out" nfsrdma)"
	hook no "nfsrdma alone"
	below -i "$libvirt"
	hook yes "installed"
	below -i "$libvirt"
	hook yes "installed again"
	below -r nfsrdma-libvirt
	hook no "removed"
	below -r nfsrdma
	below -P nfsrdma
	below -i "$(debs_in "$out" nfsrdma)" "$libvirt"
	hook yes "installed after it was removed, and nfsrdma purged"
	rm "$root/$hook"
	below -i "$libvirt"
	hook no "installed again without the link"
	below -r nfsrdma-libvirt
	below -i "$libvirt"
	hook no "installed after it was removed without the link"
	below -P nfsrdma-libvirt
	below -i "$libvirt"
	hook yes "installed after it was purged"
}

# What setup wrote stays, and is named; a line of fstab is named.
undo_records()
{
	new_root
	below -i "$(debs_in "$out" nfsrdma)"
	mkdir -p "$root/var/lib/nfsrdma/pools"
	printf '%s\n' '# nas1:/old /old nfsrdma' 'nas1:/vm /srv/vm nfsrdma rw 0 0' 'nas1:/iso /srv/iso nfs ro 0 0' >"$root/etc/fstab"
	mkdir -p "$root/etc/modules-load.d"
	echo '# Written by nfsrdma setup; nfsrdma setup --undo removes it. (0 0)' >"$root/etc/modules-load.d/nfsrdma.conf"
	touch "$root/var/lib/nfsrdma/setup.json" "$root/var/lib/nfsrdma/pools/df263acc.json"
	below -r nfsrdma
	[[ $(grep WARNING "$work/log") == "nfsrdma: WARNING: /etc/fstab:2: /srv/vm is of type nfsrdma, "* ]] ||
		fail "removal says of fstab: $(cat "$work/log")"
	below -P nfsrdma
	[[ -e $root/var/lib/nfsrdma/setup.json && -e $root/var/lib/nfsrdma/pools/df263acc.json ]] ||
		fail "purge takes away what undoes setup"
	grep -q "stays: /var/lib/nfsrdma/setup.json /etc/modules-load.d/nfsrdma.conf$" "$work/log" ||
		fail "purge does not name what setup wrote, which stays: $(cat "$work/log")"
	grep -q "pool revert" "$work/log" || fail "purge does not name the pools' records, which stay"
	# A host that 0.2 never changed has no setup.json.
	below -i "$(debs_in "$out" nfsrdma)"
	rm "$root/var/lib/nfsrdma/setup.json"
	below -P nfsrdma
	grep -q "stays: /etc/modules-load.d/nfsrdma.conf$" "$work/log" || fail "purge does not name a file of setup: $(cat "$work/log")"
}

# /etc/nfsrdma.conf is installed where there is none, and never replaces one; what you removed stays away.
conf()
{
	local conf nfsrdma

	new_root
	conf=$root/etc/nfsrdma.conf nfsrdma=$(debs_in "$out" nfsrdma)
	echo 'policy = require' >"$conf"
	below -i "$nfsrdma"
	[[ $(<"$conf") == 'policy = require' ]] || fail "it replaces /etc/nfsrdma.conf"
	below -r nfsrdma
	[[ $(<"$conf") == 'policy = require' ]] || fail "removal takes /etc/nfsrdma.conf away, which is changed"
	below -P nfsrdma
	[[ ! -e $conf ]] || fail "purge leaves /etc/nfsrdma.conf"
	below -i "$nfsrdma"
	[[ -e $conf ]] || fail "/etc/nfsrdma.conf is not installed"
	! grep -vE '^(#|\[|$)' "$conf" || fail "the installed /etc/nfsrdma.conf sets something"
	rm "$conf"
	below -i "$nfsrdma"
	[[ ! -e $conf ]] || fail "an upgrade makes /etc/nfsrdma.conf again, which was removed"
}

# --- upgrade from 0.1.0, which was one package -----------------------------------------------------

# from_old: 0.1.0 is installed, with its link and its watcher.
from_old()
{
	new_root
	below -i "$work/old.deb"
	[[ -x $root/$hook_program && -L $root/$hook && -L $root/$wants ]] || fail "0.1.0 is not installed as it was"
	cp "$root/$hook_program" "$work/old-hook"
}

# The gate is never away: at each step libvirt finds the old hook, or its copy, or the new one.
gate()
{
	local file

	for file in "$root/$hook" "$root/${hook}-upgrade"; do
		[[ ! -L $file ]] || file=$root$(readlink "$file")
		[[ ! -x $file ]] || return 0
	done
	fail "$1: libvirt finds no hook"
}

# upgraded WHEN: as if it had been installed so.
upgraded()
{
	[[ -L $root/$hook && -x $root/$hook_program && ! -e $root/${hook}-upgrade ]] || fail "$1: libvirt's hook is $(ls -l "$root/${hook%/*}")"
	! cmp -s "$root/$hook_program" "$work/old-hook" || fail "$1: the hook is 0.1.0's"
	[[ -L $root/$wants ]] || fail "$1: the watcher is not enabled"
	[[ ! $(find "$root/var/lib/nfsrdma" -type f 2>/dev/null) ]] || fail "$1: $(find "$root/var/lib/nfsrdma") is there"
	[[ ! $(find "$root/usr/libexec/vdsm" -path '*/after_*' 2>/dev/null) ]] || fail "$1: VDSM has links of hook points that are gone"
	links
}

upgrade()
{
	local nfsrdma order

	nfsrdma=$(debs_in "$out" nfsrdma)
	debs_old "$work/old.deb"
	for order in "$nfsrdma $libvirt" "$libvirt $nfsrdma"; do
		from_old
		for deb in $order; do
			below --auto-deconfigure --unpack "$deb"
			gate "with ${deb##*/} unpacked"
		done
		below --configure -a
		upgraded "$order"
		below -P nfsrdma-libvirt nfsrdma
	done

	# Without nfsrdma-libvirt 0.1.0's hook stays, and apt or dpkg shows a warning.
	from_old
	mkdir -p "$root/etc/vdsm"
	below -i "$nfsrdma"
	gate "nfsrdma alone"
	cmp -s "$root/${hook}-upgrade" "$work/old-hook" || fail "nfsrdma alone: the hook is not 0.1.0's"
	grep -q 'WARNING: .*nfsrdma-libvirt' "$work/log" || fail "nfsrdma alone: no warning"
	grep -q 'WARNING: .*nfsrdma-vdsm' "$work/log" || fail "nfsrdma alone: no warning for VDSM's host"
	below -i "$nfsrdma"
	gate "nfsrdma alone, again"
	below -i "$libvirt"
	upgraded "nfsrdma-libvirt later"

	from_old
	below -i "$nfsrdma"
	below -P nfsrdma
	[[ -z $(cd "$root" && find etc/libvirt etc/systemd var/lib/nfsrdma usr -iname '*nfsrdma*' 2>/dev/null) ]] ||
		fail "purged after an upgrade it leaves $(cd "$root" && find etc/libvirt etc/systemd var/lib/nfsrdma usr -iname '*nfsrdma*')"

	# An upgrade that fails leaves 0.1.0 as it was.
	from_old
	below -i "$(other_package usr/share/nfsrdma/nfsrdma-report-1.schema.json)"
	tree >"$work/before"
	! (below -i "$nfsrdma") >/dev/null 2>&1 || fail "dpkg overwrites a file of another package"
	diff -u "$work/before" <(tree) || fail "a failed upgrade leaves something behind"

	# What you turned off stays off.
	from_old
	rm "$root/$hook" "$root/$wants"
	below -i "$nfsrdma" "$libvirt"
	hook no "upgraded from 0.1.0 without the link"
	[[ ! -L $root/$wants ]] || fail "the upgrade enables a disabled watcher"
	below -i "$libvirt"
	hook no "upgraded again"
}

# other_package FILE: a package that has it; its path.
other_package()
{
	mkdir -p "$work/other/DEBIAN" "$work/other/${1%/*}"
	touch "$work/other/$1"
	printf '%s\n' "Package: other" "Version: 1" "Architecture: all" \
		"Maintainer: The nfsrdma authors <nfsrdma@nfsrdma.invalid>" "Description: other" >"$work/other/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$work/other" "$work/other.deb" >/dev/null
	echo "$work/other.deb"
}

lifecycle
lifecycle etc/libvirt/hooks/qemu.d usr/libexec/vdsm/hooks/{before_disk_hotplug,before_vm_start}
removed_link
undo_records
conf
upgrade

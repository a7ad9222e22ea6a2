#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# units.sh ROOT: what meson installed below ROOT for systemd: units are valid and as confined as they can be, the
# presets enable what they should, tmpfiles makes the folders, the journal catalog parses. And documents there
# link to nothing that is not there. Nothing outside ROOT is read for it but systemd's programs, and nothing starts.
set -euo pipefail
export LC_ALL=C SYSTEMD_COLORS=0
root=$(cd "$1" && pwd)
units=$root/usr/lib/systemd/system
work=$(mktemp -d "${TMPDIR:-/tmp}/nfsrdma-units.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "units: $*" >&2; exit 1; }

# --- units -----------------------------------------------------------------------------------------

# With the programs and manual pages that were installed. Debian's systemd of this machine is not part of it.
mkdir "$work/units"
for unit in "$units"/nfsrdma-*; do
	sed "s,=/usr/bin/nfsrdma,=$root/usr/bin/nfsrdma," "$unit" >"$work/units/${unit##*/}"
	systemd-analyze verify --man=no --recursive-errors=no "$work/units/${unit##*/}" 2>"$work/verify" ||
		fail "$(cat "$work/verify")"
	[[ ! -s $work/verify ]] || fail "$(cat "$work/verify")"
done
# Each page of Documentation= is installed.
while IFS= read -r page; do
	section=${page##*(}
	[[ -e $root/usr/share/man/man${section%)}/${page%(*}.${section%)} ]] || fail "Documentation= names $page, which is not installed"
done < <(sed -n 's/^Documentation=//p' "$units"/nfsrdma-* | tr ' ' '\n' | sed 's/^man://' | sort -u)

# exposure UNIT TENTHS: at most. The comments in the unit say why it is not less.
exposure()
{
	systemd-analyze security --offline=true --no-pager --threshold="$2" "$units/$1" >"$work/security" 2>&1 ||
		fail "$1 is exposed: $(grep -E '^✗|Overall' "$work/security")"
}
exposure nfsrdma-watch.service 27
exposure nfsrdma-check.service 44

# In a mount namespace the mounts have other numbers than in findings: systemd 257,
# exec_needs_mount_namespace().
if grep -nE '^(Root|BindPaths|BindReadOnlyPaths|TemporaryFileSystem|MountImages|Extension|MountFlags|PrivateTmp|PrivateDevices|PrivateMounts=yes|PrivateIPC|PrivatePIDs|PrivateBPF|ProtectSystem|ProtectHome|ProtectKernel|ProtectControlGroups|ProtectProc|ProcSubset|ReadOnlyPaths|ReadWritePaths|InaccessiblePaths|ExecPaths|NoExecPaths|DynamicUser|LogNamespace|BindLogSockets)' "$units"/*.service; then
	fail "a service would get a mount namespace"
fi
for unit in "$units"/*.service; do
	grep -qx PrivateMounts=no "$unit" || fail "${unit##*/} lacks PrivateMounts=no"
done

# --- presets ---------------------------------------------------------------------------------------

# As a distribution has it that enables nothing by itself.
mkdir -p "$work/root/usr/lib/systemd/"{system,system-preset} "$work/root/etc/systemd/system"
cp "$units"/nfsrdma-* "$work/root/usr/lib/systemd/system/"
cp "$root/usr/lib/systemd/system-preset/"* "$work/root/usr/lib/systemd/system-preset/"
echo 'disable *' >"$work/root/usr/lib/systemd/system-preset/99-default-disable.preset"
systemctl --root="$work/root" --quiet preset nfsrdma-watch.service nfsrdma-check.timer
[[ $(cd "$work/root/etc/systemd/system" && find . -type l) == ./multi-user.target.wants/nfsrdma-watch.service ]] ||
	fail "the presets enable $(cd "$work/root/etc/systemd/system" && find . -type l)"
# And one that enables everything.
rm "$work/root/usr/lib/systemd/system-preset/99-default-disable.preset"
systemctl --root="$work/root" --quiet preset nfsrdma-check.timer
[[ ! -e $work/root/etc/systemd/system/timers.target.wants ]] || fail "the check is enabled"

# --- tmpfiles --------------------------------------------------------------------------------------

mkdir -p "$work/made/etc"
printf 'root:x:0:0:root:/root:/bin/sh\n' >"$work/made/etc/passwd"
printf 'root:x:0:\n' >"$work/made/etc/group"
systemd-tmpfiles --root="$work/made" --create "$root/usr/lib/tmpfiles.d/nfsrdma.conf" >"$work/tmpfiles" 2>&1 ||
	fail "tmpfiles: $(cat "$work/tmpfiles")"
[[ $(cd "$work/made" && find run var -path '*nfsrdma*' -printf '%m %p\n' | sort -k 2) == "755 run/nfsrdma
755 run/nfsrdma/requests
700 var/lib/nfsrdma" ]] || fail "tmpfiles made $(cd "$work/made" && find run var -printf '%m %p\n')"

# --- journal catalog -------------------------------------------------------------------------------

mkdir -p "$work/catalog/usr/lib/systemd/catalog" "$work/catalog/var/lib/systemd/catalog"
cp "$root/usr/lib/systemd/catalog/nfsrdma.catalog" "$work/catalog/usr/lib/systemd/catalog/"
journalctl --root="$work/catalog" --update-catalog >"$work/update" 2>&1 || fail "$(cat "$work/update")"
[[ ! -s $work/update ]] || fail "the catalog: $(cat "$work/update")"
diff -u <(sed -n 's/^-- //p' "$root/usr/lib/systemd/catalog/nfsrdma.catalog" | sort) \
	<(journalctl --root="$work/catalog" --list-catalog 2>/dev/null | cut -d' ' -f1 | sort) || fail "the catalog lost entries"

# --- documents -------------------------------------------------------------------------------------

docs=$root/usr/share/doc/nfsrdma
while IFS=: read -r file link; do
	[[ $link == *://* || $link == '#'* || -e $(dirname "$file")/${link%%#*} ]] || fail "${file#"$root"} links to $link, which is not installed"
done < <(grep -roP '\]\(\K[^)]+(?=\))' "$docs" --include=*.md)

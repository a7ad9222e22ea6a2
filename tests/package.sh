#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# package.sh OUT: the Debian package of this checkout is built, has what tests/install.list
# says and nothing else but what Debian adds, and wants for its build what
# packaging/packages/build.txt lists. It stays in OUT.
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
# Manual pages are compressed there.
diff -u <(cut -d' ' -f2 tests/install.list) \
	<(dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' |
		sed -E "s,^\./,,; s,usr/lib/$multiarch/,usr/lib/,; s,(share/man/.*)\.gz$,\1," |
		grep -vE '^usr/share/(doc/nfsrdma/(changelog.gz|copyright)|lintian/overrides/nfsrdma)$' | sort) ||
	fail "the package's files are not those of tests/install.list"
lintian=$(lintian --allow-root "$deb" 2>&1) || true
[[ ! $lintian ]] || fail "$lintian"

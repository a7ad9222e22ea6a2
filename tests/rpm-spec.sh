#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# packaging/rpm/nfsrdma.spec without a build: it parses for each distribution it is for and refuses EL 8, rpmlint
# has no complaint, each BuildRequires names its repository, meson.build needs nothing else, and each file of
# tests/install.list is in exactly one package, which is that of Debian, too.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
spec=packaging/rpm/nfsrdma.spec
fail() { echo "rpm-spec: $*" >&2; exit 1; }

# parsed DISTRIBUTION... [OPTION...]: the spec with its macros expanded, as "rhel 9" would.
parsed() { rpmspec -P --load tests/packages/rpm/macros --define "$@" "$spec"; }

for distribution in 'rhel 9' 'rhel 10' 'fedora 43'; do
	parsed "$distribution" >/dev/null || fail "$distribution: does not parse"
done
for condition in isal libnfs scdoc selinux; do
	parsed 'rhel 9' --with "$condition" >/dev/null || fail "--with $condition: does not parse"
done
! refusal=$(parsed 'rhel 8' 2>&1) || fail "EL 8 is not refused"
[[ $refusal == *'EL 8 is not supported'* ]] || fail "EL 8 is refused without the reason: $refusal"

lint=$(rpmlint -c packaging/rpm/rpmlint.toml "$spec" 2>&1) || true
[[ $lint == *' 0 errors, 0 warnings,'* ]] || fail "$lint"
version=$(sed -n "s/^  version : '\(.*\)',/\1/p" meson.build)
[[ $(sed -n 's/^Version: *//p' "$spec") == "$version" ]] || fail "the version is not $version"
[[ $(sed -n '/^%changelog/{n;s/.* - //p}' "$spec") == "$version-"* ]] || fail "the changelog has no $version"

nowhere=$(awk '/^BuildRequires:/ && before !~ /^# (BaseOS|AppStream|CRB|EPEL)/ && before !~ /^BuildRequires:/ { print } { before = $0 }' "$spec")
[[ ! $nowhere ]] || fail "no repository is named for: $nowhere"
# threads is the C library's, CUnit the tests'.
diff -u <(grep -rhoP "(?<=dependency\(')[a-z][a-z0-9.-]*" --include=meson.build . | grep -vx threads | grep -vx cunit | sort -u) \
	<(parsed 'rhel 9' --with isal --with libnfs | grep '^BuildRequires:' | grep -o 'pkgconfig([^)]*)' |
		sed 's/pkgconfig(\(.*\))/\1/' | sort -u) || fail "BuildRequires are not the dependencies of meson.build"

# --- files -----------------------------------------------------------------------------------------

# Lines "PACKAGE PATTERN": what %files has, without directories alone and without what the spec itself makes.
patterns=$(parsed 'rhel 9' --define '_libdir /usr/lib' | awk '
	/^%files/ { package = $2 == "-n" ? $3 : $2 ? "nfsrdma-" $2 : "nfsrdma"; next }
	/^%changelog/ { package = "" }
	package && package != "nfsrdma-selinux" && !/^(#|$)/ && !/%dir|%ghost|%license|^%doc/ { print package, $NF }')
# debian_package FILE: the same package of Debian's, by its name here.
debian_package()
{
	local list pattern path=${1/librpcrdma-devel/librpcrdma-dev} name=none

	# debian/rules moves this one.
	[[ $path != /etc/nfsrdma.conf ]] || path=/usr/share/nfsrdma/nfsrdma.conf
	while IFS=: read -r list pattern; do
		pattern=/${pattern/#'usr/lib/*/'/usr/lib/} pattern=${pattern%% *}
		# shellcheck disable=SC2053 # a pattern; one of a folder has all below it
		[[ $path != $pattern && $path != $pattern/* ]] || name=${list##*/}
	done < <(grep -H . packaging/debian/*.install)
	case $name in
	librpcrdma0.install)	echo librpcrdma ;;
	librpcrdma-dev.install)	echo librpcrdma-devel ;;
	*)			echo "${name%.install}" ;;
	esac
}

declare -A used
while IFS= read -r path; do
	in_packages=()
	while read -r package pattern; do
		# shellcheck disable=SC2053 # a pattern; one that ends with a slash is a folder with all below it
		if [[ $path == $pattern || ($pattern == */ && $path == "$pattern"*) ]]; then
			in_packages+=("$package")
			used[$pattern]=1
		fi
	done <<<"$patterns"
	((${#in_packages[@]} == 1)) || fail "$path is in ${#in_packages[@]} packages: ${in_packages[*]}"
	debian=$(debian_package "$path")
	[[ ${in_packages[0]} == "$debian" ]] || fail "$path is in ${in_packages[0]}, and for Debian in $debian"
done < <(cut -d' ' -f2 tests/install.list | sed 's,^,/,; s,/doc/librpcrdma-dev/,/doc/librpcrdma-devel/,' |
	grep -v '^/etc/libvirt/hooks/')
while read -r package pattern; do
	[[ ${used[$pattern]:-} ]] || fail "$package: nothing is installed as $pattern"
done <<<"$patterns"

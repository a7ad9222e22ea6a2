# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The packages on a release of Debian, from apt, as an administrator has them. For scenarios.
# shellcheck shell=bash
: "${work:?}" "${source:?}" "${debs:?}"

# shellcheck source=../support/debs.sh
. "$source/tests/support/debs.sh"

all_debs=(nfsrdma nfsrdma-libvirt nfsrdma-vdsm librpcrdma0 librpcrdma-dev)
hooks=etc/libvirt/hooks/qemu.d
version=$(dpkg-parsechangelog -l "$source/packaging/debian/changelog" -S Version)

# debian_source_tree DIR: this checkout without builds.
debian_source_tree() { "$source/packaging/copy-sources" "$1" --no-same-owner; }

# debian_debs SUITE: the packages of this checkout for that release, in $suite_debs: those of this machine, or built
# in a root of that release.
debian_debs()
{
	local root=$work/roots/build package
	local -a build=(build-essential debhelper)

	suite_debs=$debs
	# shellcheck source=/dev/null
	[[ $(. /etc/os-release && echo "$VERSION_CODENAME") != "$1" ]] || return 0
	while read -r package; do build+=("$package"); done < <(grep -v '^#' "$source/packaging/packages/build.txt")
	debian_root "$root" "$1" "${build[@]}"
	debian_source_tree "$root/src"
	inside "$root" '/src/packaging/build-deb /debs'
	suite_debs=$work/roots/debs
	mv "$root/debs" "$suite_debs"
	rm -rf --one-file-system "$root"
}

# debian_offers ROOT DEB...: apt finds these packages and no other version of them.
debian_offers()
{
	local root=$1

	shift
	rm -rf "$root/srv/debs"
	mkdir -p "$root/srv/debs"
	cp "$@" "$root/srv/debs/"
	(cd "$root/srv/debs" && dpkg-scanpackages --multiversion . 2>/dev/null >Packages)
	echo 'deb [trusted=yes] file:/srv/debs ./' >"$root/etc/apt/sources.list.d/nfsrdma.list"
	inside "$root" apt-get -q update
}

# debian_state ROOT: all of its files, and the contents of /etc. Not what apt, dpkg and ldconfig note for themselves.
debian_state()
{
	(cd "$1" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \
		-o -path ./srv -o -path ./dev -o -path ./proc -o -path ./sys -o -path ./run -o -path ./tmp \
		-o -path ./etc/ld.so.cache \) -prune -o -printf '%y %m %U %G %p %l\n' | sort
	find etc -xdev -type f ! -name ld.so.cache -exec sha256sum {} + | sort -k 2)
}

# debian_ready ROOT SUITE: a minimal system that has everything the packages depend on, but none of them.
debian_ready()
{
	local root=$1 package depends=''

	debian_root "$root" "$2"
	debian_offers "$root" "$(debs_in "$suite_debs" nfsrdma)"
	for package in "${all_debs[@]}"; do
		depends+=$(dpkg-deb -f "$(debs_in "$suite_debs" "$package")" Depends | tr ',' '\n' | grep -vE '^ *(lib)?(nfs|rpc)rdma' | tr '\n' ',')
	done
	inside "$root" "apt-get -q -y --no-install-recommends satisfy '${depends//,,/,}rdma-core'"
}

# debian_copy FROM TO: by references where the file system can.
debian_copy() { mkdir -p "$2" && cp -a --reflink=auto "$1/." "$2/"; }

# debian_has ROOT PACKAGE...: these packages of ours are installed, and no other, in this version.
debian_has()
{
	local root=$1 have

	shift
	have=$(dpkg-query --root="$root" -W -f '${db:Status-Status} ${Package} ${Version}\n' '*rdma*' |
		sed -n -E "s/^installed ((lib)?(nfs|rpc)rdma[^ ]*) ${version//./\\.}$/\1/p" | sort | paste -sd' ')
	[[ $have == "$(printf '%s\n' "$@" | sort | paste -sd' ')" ]] || fail "installed in version $version are \"$have\", not \"$*\""
}

# debian_works ROOT: the programs start and find their libraries, and the probe reads from the embedded server.
debian_works()
{
	inside "$1" "test \"\$(nfsrdma --version)\" = 'nfsrdma $version' && nfsrdma probe --embedded" ||
		fail "the probe of the embedded server fails"
	inside "$1" nfsrdma pool list --connect test:///default || fail "libvirt cannot be used"
	# shellcheck disable=SC2016 # the inner shell's
	inside "$1" 'for program in /usr/bin/nfsrdma /usr/sbin/*mount.nfsrdma /usr/sbin/nfsrdma-libvirt-hook /usr/libexec/nfsrdma/* /usr/lib/*/nfsrdma/*.so; do
		! ldd "$program" | grep "not found" || exit; done'
}

# debian_gone ROOT: purged, nothing is left of any version.
debian_gone()
{
	inside "$1" "apt-get -q -y purge $2"
	debian_state "$1" >"$work/after"
	diff -u "$work/before" "$work/after" || fail "a purge of $2 leaves or takes something"
}

# debian_release SUITE: install, remove, purge; upgrade from 0.1.0 in each way apt has.
debian_release()
{
	local suite=$1 ready=$work/roots/ready root=$work/roots/root

	requires dpkg-scanpackages fakeroot
	debian_debs "$suite"
	debian_ready "$ready" "$suite"
	debian_state "$ready" >"$work/before"
	debs_old "$work/nfsrdma_0.1.0_old.deb"

	echo "--- installed, removed, purged"
	debian_copy "$ready" "$root"
	debian_offers "$root" "$suite_debs"/*.deb
	inside "$root" apt-get -q -y install nfsrdma
	debian_has "$root" nfsrdma nfsrdma-libvirt
	inside "$root" "apt-get -q -y install ${all_debs[*]}"
	debian_has "$root" "${all_debs[@]}"
	debian_works "$root"
	inside "$root" "dpkg --verify ${all_debs[*]}"
	inside "$root" "apt-get -q -y remove ${all_debs[*]}"
	[[ ! -L $root/$hooks/nfsrdma && ! -e $root/usr/bin/nfsrdma ]] || fail "removed it leaves programs or the hook's link"
	debian_gone "$root" "${all_debs[*]}"
	rm -rf --one-file-system "$root"

	for command in 'apt -q -y upgrade' 'apt-get -q -y dist-upgrade' 'apt-get -q -y upgrade' 'apt-get -q -y --no-install-recommends dist-upgrade'; do
		echo "--- 0.1.0, and $command"
		debian_copy "$ready" "$root"
		debian_offers "$root" "$work/nfsrdma_0.1.0_old.deb"
		inside "$root" apt-get -q -y install nfsrdma
		[[ -L $root/$hooks/nfsrdma ]] || fail "0.1.0 has no hook"
		debian_offers "$root" "$suite_debs"/*.deb
		inside "$root" "$command"
		debian_upgraded "$root" "$command"
		debian_gone "$root" "nfsrdma nfsrdma-libvirt"
		rm -rf --one-file-system "$root"
	done
}

# debian_upgraded ROOT COMMAND: whatever it chose to install, libvirt finds a hook; with recommended packages the new one.
debian_upgraded()
{
	local root=$1 have

	have=$(dpkg-query --root="$root" -W -f '${Version}' nfsrdma)
	if [[ -x $root/usr/sbin/nfsrdma-libvirt-hook ]]; then
		[[ -L $root/$hooks/nfsrdma && ! -e $root/$hooks/nfsrdma-upgrade ]] || fail "$2: the hook is not linked"
	else
		[[ -x $root/$hooks/nfsrdma-upgrade ]] || fail "$2: libvirt finds no hook"
	fi
	case $2 in
	'apt -q -y upgrade' | *'-y dist-upgrade')
		[[ $2 == *--no-install-recommends* ]] || debian_has "$root" nfsrdma nfsrdma-libvirt ;;
	esac
	note "0.1.0, after $2: nfsrdma $have, $(dpkg-query --root="$root" -W -f '${db:Status-Status}' nfsrdma-libvirt 2>/dev/null || echo no) nfsrdma-libvirt"
}

# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What scenarios with root file systems of Debian begin with, in tests/packages and tests/roots. These are set:
#	source		the checkout
#	work		an empty folder of the scenario's own; what is below $work/roots is removed
#	cache		where new roots are kept for a day
# shellcheck shell=bash

# shellcheck source=tests/support/scenario.sh
. "$(dirname "${BASH_SOURCE[0]}")/scenario.sh"
# shellcheck disable=SC2034 # for scenarios
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${NFSRDMA_ROOTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nfsrdma-roots}
mkdir -p "$work/roots"
# Roots are large; logs are kept. --one-file-system: nothing mounted below one is touched.
trap 'rm -rf --one-file-system "$work/roots"' EXIT

# requires PROGRAM...: or the scenario is skipped.
requires()
{
	local program

	for program; do type -P "$program" >/dev/null || skip "no $program"; done
}

# debian_source SUITE: a line for apt, from the mirror of this machine. A release's archive and its updates of
# security are two, and the second is not needed to install a package.
debian_source()
{
	local mirror

	# shellcheck disable=SC2016 # apt's variables
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' |
		sort -u | head -n 1)
	[[ $mirror ]] || skip "apt has no source of Debian's"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main"
}

# debian_root DIR SUITE [PACKAGE...]: a new minimal Debian in DIR, with these packages. Each kind is made once a
# day at most: what it is made from does not change more often.
debian_root()
{
	local dir=$1 suite=$2 made key

	shift 2
	requires mmdebstrap
	mkdir -p "$cache" "$dir"
	key=$(printf '%s\n' "$suite" "$@" "$(date +%F)" "$(debian_source "$suite")" | sha256sum | cut -c1-16)
	made=$cache/$suite-$key.tar
	if [[ ! -f $made ]]; then
		apt-config dump | grep -E '^Acquire::(Check-Valid-Until|Check-Date|http::Proxy|https::Proxy|Retries) ' \
			>"$work/apt.conf" || true
		find "$cache" -maxdepth 1 -name "$suite-*.tar" -mtime +0 -delete
		TMPDIR=$work/roots mmdebstrap --quiet --format=tar --variant=apt --include="ca-certificates $*" --aptopt="$work/apt.conf" \
			--dpkgopt=force-unsafe-io --skip=output/dev "$suite" "$made.new" "$(debian_source "$suite")" >"$work/mmdebstrap.log" 2>&1 </dev/null ||
			skip "mmdebstrap made no $suite: $(grep -m1 '^E:' "$work/mmdebstrap.log")"
		mv "$made.new" "$made"
	fi
	tar -C "$dir" -xpf "$made" --numeric-owner
	mkdir -p "$dir"/{dev,proc,sys,run,tmp}
	cp -L /etc/resolv.conf "$dir/etc/resolv.conf"
	# No daemon is started by a package's script: this is a folder and no system.
	printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d"
	chmod 755 "$dir/usr/sbin/policy-rc.d"
}

# inside DIR COMMAND...: a line of shell in that root, with mounts and processes of its own, which end with it.
# The network is this machine's: apt needs it.
inside()
{
	local dir=$1

	shift
	printf '+ %s\n' "$*" >&2
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount --pid --fork --kill-child --mount-proc="$dir/proc" sh -c '
		mount -t tmpfs -o mode=755 none "$1/dev" &&
		for name in null zero full random urandom tty; do : >"$1/dev/$name" && mount --bind "/dev/$name" "$1/dev/$name"; done &&
		ln -s /proc/self/fd "$1/dev/fd" && mkdir "$1/dev/shm" &&
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			chroot "$1" sh -c "$2"
	' sh "$dir" "$*" </dev/null
}

# inside_machine DIR COMMAND...: as inside, but DIR is the root of a mount namespace and no chroot(2), with this
# machine's /dev and /sys: what runs there may make namespaces, mounts and network interfaces. DIR has the package mount.
inside_machine()
{
	local dir=$1

	shift
	printf '+ %s\n' "$*" >&2
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount --propagation private --pid --fork --kill-child sh -euc '
		mount --bind "$1" "$1"
		mount --rbind /dev "$1/dev"
		mount --rbind /sys "$1/sys"
		mount -t proc proc "$1/proc"
		mount -t tmpfs -o mode=755 none "$1/run"
		cd "$1"
		mkdir -p .machine
		pivot_root . .machine
		umount -l /.machine
		rmdir /.machine
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -c "$2"
	' sh "$dir" "$*" </dev/null
}

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What commands load: libvirt, which brings more libraries than all others together, only where it is used; by a
# module that is looked for where the program was installed or built, and nowhere else.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

built=${NFSRDMA%/*}
# With sanitizers two more, and libtirpc with Kerberos. It was 70 with libvirt.
most=38
[[ $(ldd "$NFSRDMA") != *libasan* ]] || most=48

# loading ARGUMENT...: runs the program; $work/loaded has the files that the dynamic loader initialised, then or later.
loading()
{
	rm -f "$work"/ld.*
	run_prefix=(env LD_DEBUG=files "LD_DEBUG_OUTPUT=$work/ld")
	run "$@"
	run_prefix=()
	cat "$work"/ld.* | sed -n 's/.*calling init: //p' | sort -u >"$work/loaded"
	grep -q '/libc\.so' "$work/loaded" || { show; fail "the loader says nothing"; }
}

# expect_no_library WORDS: `pool list` says what is missing, and what to do.
expect_no_library()
{
	loading pool list --connect test:///default --format json
	expect_status 3
	expect_reason pool.list/no-library
	expect_first_problem "^cannot load libvirt: $1"
}

if [[ ${1:-} == installed ]]; then
	mount -t tmpfs none "$2"
	mkdir "$2/upper" "$2/work"
	mount -t overlay -o "lowerdir=/usr,upperdir=$2/upper,workdir=$2/work" none /usr
	mkdir -p "${program%/*}" "${module%/*}"
	cp "$built/nfsrdma" "$program"
	cp "$built/nfsrdma-libvirt.so" "$module"
	: >"${program%/*}/nfsrdma-libvirt.so"
	NFSRDMA=$program
	loading pool list --connect test:///default --format json
	expect_status 0
	grep -qx "$module" "$work/loaded" || fail "not $module"
	NFSRDMA=$3
	rm -f "${3%/*}/nfsrdma-libvirt.so"
	expect_no_library "${3%/*}/nfsrdma-libvirt.so: No such file or directory$"
	NFSRDMA=$program
	rm "$module"
	expect_no_library "$module: cannot open shared object file: No such file or directory$"
	exit 0
fi

# reports STATUS [WORDS]: the watcher's last report of its connection.
reports()
{
	jq -r '.findings[] | select(.id == "watch.libvirt") | "\(.status) \(.summary)"' /run/nfsrdma/watch.json 2>/dev/null |
		grep -q "^$1 ${2:-}"
}

if [[ ${1:-} == watcher ]]; then
	mount -t tmpfs none /run
	"$NFSRDMA" watch --connect test:///default --interval 1 >"$work/out" 2>"$work/err" &
	cleanup_fn kill "$!"
	wait_until reports unknown "cannot load libvirt: ${NFSRDMA%/*}/nfsrdma-libvirt.so: No such file or directory$"
	# As a package does: never half of it.
	cp "$2" "$2.new"
	mv "$2.new" "${NFSRDMA%/*}/nfsrdma-libvirt.so"
	wait_until reports pass
	exit 0
fi

echo "commands that do not use libvirt do not load it"
for command in 'explain client.module' 'plan nas1:/export' '--version' 'check --list' 'names findings' 'pool --help'; do
	# shellcheck disable=SC2086 # words
	loading $command
	! grep libvirt "$work/loaded" || fail "'nfsrdma $command' loads libvirt"
	(($(wc -l <"$work/loaded") <= most)) || { cat "$work/loaded"; fail "'nfsrdma $command' loads more than $most libraries"; }
done

echo "those that do load this build's module"
loading pool list --connect test:///default --format json
expect_status 0
expect_finding pool.list pass
grep -qx "$built/nfsrdma-libvirt.so" "$work/loaded" || { cat "$work/loaded"; fail "another module, or none"; }
grep -q '/libvirt\.so' "$work/loaded" || fail "no libvirt"

NFSRDMA=$work/copy/nfsrdma
module=$work/copy/nfsrdma-libvirt.so
mkdir "$work/copy" "$work/other"
cp "$built/nfsrdma" "$work/copy/"
cp "$built/nfsrdma-libvirt.so" "$work/other/"

echo "a copy of the program alone; no variable of the environment names another folder"
export LD_LIBRARY_PATH=$work/other LD_ORIGIN_PATH=$work/other
(cd "$work/other" && expect_no_library "$module: No such file or directory$")
unset LD_LIBRARY_PATH LD_ORIGIN_PATH
! grep libvirt "$work/loaded" || fail "something of libvirt was loaded"
run pool list
grep -q 'install nfsrdma again' "$work/out" || { show; fail "no step"; }
run pool list -v --connect test:///default
grep -q 'libvirt-libs\|libvirt0\|pacman -S libvirt' "$work/out" || { show; fail "no package of libvirt"; }

echo "a module that is damaged, of another version, or without its library"
: >"$module"
expect_no_library "$module: file too short$"
version=$("$NFSRDMA" --version)
version=${version#nfsrdma }
other=${version//[0-9]/9}
sed "s/${version//./\\.}/$other/" "$built/nfsrdma-libvirt.so" >"$module"
expect_no_library "$module is of nfsrdma $other, the program of $version$"
sed 's/libvirt\.so\.0/libvirt.so.9/' "$built/nfsrdma-libvirt.so" >"$module"
expect_no_library 'libvirt\.so\.9: cannot open shared object file: No such file or directory$'

echo "a module that the program's owner did not put there"
rm "$module"
ln -s "$built/nfsrdma-libvirt.so" "$module"
expect_no_library "$module is not a file of the program's owner$"
rm "$module"
cp "$built/nfsrdma-libvirt.so" "$module"
loading pool list --connect test:///default --format json
expect_status 0
requires_root
chown nobody "$module"
expect_no_library "$module is not a file of the program's owner$"
! grep libvirt "$work/loaded" || fail "something of libvirt was loaded"

echo "the watcher reports that there is no module, and tries again"
rm "$module"
unshare --mount --propagation private bash "$0" watcher "$work/other/nfsrdma-libvirt.so" || fail "not so"

echo "the installed program uses the installed module alone"
meson introspect --installed "$built" >"$work/installed"
export program module
program=$(jq -r --arg file "$built/nfsrdma" '.[$file]' "$work/installed")
module=$(jq -r --arg file "$built/nfsrdma-libvirt.so" '.[$file]' "$work/installed")
[[ $program == /usr/*/nfsrdma && $module == /usr/*/nfsrdma/nfsrdma-libvirt.so ]] || fail "installed as $program and $module"
grep -qw overlay /proc/filesystems || skip "no overlay to install into /usr"
mkdir "$work/usr"
NFSRDMA=$built/nfsrdma unshare --mount --propagation private bash "$0" installed "$work/usr" "$work/copy/nfsrdma" || fail "not as installed"

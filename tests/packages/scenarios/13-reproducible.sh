# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A second build of the packages is identical, bit for bit: of a copy of the checkout without git and with other
# times, in another folder, in another year, time zone and language, with another umask and one process at a time.
# shellcheck source=../debian.sh
. "$source/tests/packages/debian.sh"
requires dh localedef faketime
tree=$work/roots/another/place/for/the/checkout
mkdir -p "$work/locale" "$work/tmp"
# ccache gives an object for what the preprocessor makes equal, with the columns of the text that it was compiled
# from in its debug information: $debs may have such ones.
export CCACHE_DISABLE=1
"$source/packaging/build-deb" "$work/first"
# A language in which "I" is not the capital of "i".
localedef -i tr_TR -f UTF-8 "$work/locale/tr_TR.UTF-8" || [[ -d $work/locale/tr_TR.UTF-8 ]]
debian_source_tree "$tree"
find "$tree" -exec touch -h -d '2025-01-02 03:04:05' {} +
(
	umask 027
	env -u MAKEFLAGS TMPDIR="$work/tmp" HOME="$work/tmp" TZ=Pacific/Kiritimati LOCPATH="$work/locale" LC_ALL=tr_TR.UTF-8 \
		LANGUAGE=tr DEB_BUILD_OPTIONS=parallel=1 faketime -f +400d "$tree/packaging/build-deb" "$work/debs"
)
for deb in "$work"/first/*.deb; do
	cmp "$deb" "$work/debs/${deb##*/}" && continue
	! type -P diffoscope >/dev/null || diffoscope "$deb" "$work/debs/${deb##*/}" || true
	fail "${deb##*/} differs between two builds"
done
note "$(find "$work/first" -name '*.deb' | wc -l) packages are identical"

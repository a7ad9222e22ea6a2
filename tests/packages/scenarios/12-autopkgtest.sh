# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The packages' own tests, by autopkgtest, in a new Debian 12: the installed programs probe, build and run the
# library's example, refuse a guest, and mount nothing where there is no RDMA. The one that mounts needs a kernel
# of its own and is skipped here; tests/system runs it.
# shellcheck source=../debian.sh
. "$source/tests/packages/debian.sh"
root=$work/roots/root
debian_debs bookworm
debian_root "$root" bookworm autopkgtest
debian_source_tree "$root/src/nfsrdma"
mv "$root/src/nfsrdma/packaging/debian" "$root/src/nfsrdma/debian"
mkdir "$root/debs"
debs_in "$suite_debs" | xargs cp -t "$root/debs"
inside "$root" apt-get -q update
status=0
inside "$root" 'autopkgtest --no-built-binaries --summary-file=/summary /debs/*.deb /src/nfsrdma/ -- null' || status=$?
cat "$root/summary"
# 2: all passed but those that were skipped.
[[ $status == 2 ]] || fail "exit status $status of autopkgtest: $(grep -m1 FAIL "$root/summary")"
sed -E 's/ +/ /g' "$root/summary" | cut -d' ' -f1,2 | sort >"$work/summary"
diff -u - "$work/summary" <<'END' || fail "autopkgtest: $(paste -sd, "$work/summary")"
hook PASS
library PASS
mount SKIP
probe PASS
refuses-tcp PASS
END

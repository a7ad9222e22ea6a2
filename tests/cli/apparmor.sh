#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Each file of packaging/apparmor compiles inside a profile like the one it is for, next to that profile's
# rules for programs: two rules for one program that differ are an error. Enforced they are in tests/system.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires apparmor_parser
[[ -f /etc/apparmor.d/abstractions/base ]] || skip "no /etc/apparmor.d/abstractions"

# compile NAME: without the kernel and its cache.
compile() { apparmor_parser --skip-kernel-load --skip-cache --base /etc/apparmor.d --Include "$work" "$work/$1" >"$work/$1.log" 2>&1; }

mkdir "$work/local"
cp "$NFSRDMA_SOURCE"/packaging/apparmor/{libvirtd,virt-aa-helper,guest} "$work/local/"
cat >"$work/libvirtd" <<'END'
include <tunables/global>
profile libvirtd /usr/sbin/libvirtd flags=(attach_disconnected) {
  include <abstractions/base>
  / r,
  /** rwmkl,
  /bin/* PUx,
  /sbin/* PUx,
  /usr/bin/* PUx,
  /usr/sbin/* PUx,
  /etc/libvirt/hooks/** rmix,
  include <local/libvirtd>
}
END
cat >"$work/virt-aa-helper" <<'END'
include <tunables/global>
profile virt-aa-helper /usr/lib/libvirt/virt-aa-helper {
  include <abstractions/base>
  audit deny @{HOME}/.*/** mrwkl,
  /**.raw r,
  include <local/virt-aa-helper>
}
END
cat >"$work/guest" <<'END'
include <tunables/global>
profile libvirt-0b8b6a5a-0000-4000-8000-000000000000 flags=(attach_disconnected) {
  include <abstractions/base>
  include <local/guest>
}
END
for name in libvirtd virt-aa-helper guest; do
	compile $name || fail "$name does not compile: $(cat "$work/$name.log")"
	# The kernel of the machine that compiles need not have AppArmor.
	! grep -v '^Cache read/write disabled: ' "$work/$name.log" || fail "$name: the compiler warns"
done

# The compiler finds a rule that contradicts the profile's.
echo '/usr/sbin/nfsrdma* ix,' >>"$work/local/libvirtd"
! compile libvirtd || fail "a contradiction compiles"
grep -q 'conflicting x modifiers' "$work/libvirtd.log" || fail "libvirtd fails otherwise: $(cat "$work/libvirtd.log")"

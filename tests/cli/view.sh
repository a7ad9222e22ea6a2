#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# One truth about a mount: what is wanted of it, by whom, and what it is, is the same for all who say it
# (view.py has the table). And what root runs at mount time links neither libvirt nor libxml2, though it
# asks the same.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
build=${NFSRDMA%/*}

mkdir "$work/hosts"
python3 "$NFSRDMA_SOURCE/tests/cli/view.py" "$NFSRDMA" "$build/hooks/libvirt/nfsrdma-libvirt-hook" \
	"$build/tests/support/view-consumers" "$work/hosts" || fail "contradictions"

helper=$build/mount-helper/mount.nfsrdma
nm "$helper" >"$work/symbols"
grep -q ' view_run$' "$work/symbols" || fail "the mount helper does not ask plugin/view"
! grep -E ' (xml[A-Z]|vir[A-Z]|pool_)' "$work/symbols" || fail "the mount helper has XML or pools"
ldd "$helper" >"$work/libraries"
! grep -E 'libxml2|libvirt|libsystemd' "$work/libraries" || fail "the mount helper links too much"
# The hook reads pools' files, and never calls libvirt.
ldd "$build/hooks/libvirt/nfsrdma-libvirt-hook" >"$work/libraries"
! grep libvirt "$work/libraries" || fail "the hook links libvirt"

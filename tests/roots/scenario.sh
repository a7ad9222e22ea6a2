# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What scenarios are written with. run starts a shell with this file for each scenario, and the
# scenario is sourced at the end of it. $work is an empty folder of the scenario's own; what is below
# $work/roots is removed.
# shellcheck shell=bash

# shellcheck source=../support/debian-roots.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/debian-roots.sh"

# roots_release SUITE: this checkout, below /root as a newcomer's clone is, passes its tests in that release. Nothing may be
# skipped there.
roots_release()
{
	local root=$work/roots/root clone sum

	clone=$root/root/nfsrdma
	debian_root "$root" "$1" mount
	chmod 700 "$root/root"
	"$source/packaging/copy-sources" "$clone" --no-same-owner
	inside_machine "$root" "cd /root/nfsrdma && exec tests/run ${NFSRDMA_ROOTS_SUITES:-}" >"$work/tests" || true
	sum=$(tail -n 1 "$work/tests")
	sum=${sum:-tests/run printed nothing}
	note "$sum"
	[[ $sum =~ ^[1-9][0-9]*\ passed,\ 0\ failed,\ 0\ skipped$ ]] || {
		grep -A 60 -E '^ *(not ok|skip) - ' "$work/tests" || tail -n 60 "$work/tests"
		fail "$sum"
	}
}

# shellcheck source=/dev/null
. "$1"

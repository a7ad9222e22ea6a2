# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What scenarios are written with. run starts a shell with this file for each scenario, and the
# scenario is sourced at the end of it. These are set:
#	debs		the folder of the Debian packages of this checkout
#	source		the checkout
#	work		an empty folder of the scenario's own; what is below $work/roots is removed
# A scenario passes when it comes to its end.
# shellcheck shell=bash
: "${debs:?}"

# shellcheck source=../support/scenario.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/scenario.sh"
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${NFSRDMA_PACKAGES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nfsrdma-packages}
mkdir -p "$work/roots"
# Roots are large; logs are kept. --one-file-system: nothing mounted below one is touched.
trap 'rm -rf --one-file-system "$work/roots"' EXIT

# shellcheck source=../support/debian-roots.sh
. "$source/tests/support/debian-roots.sh"

# shellcheck source=/dev/null
. "$1"

# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What scenarios are written with. run starts a shell with this file for each scenario, and the
# scenario is sourced at the end of it. Beside what debian-roots.sh sets:
#	debs		the folder of the Debian packages of this checkout
# A scenario passes when it comes to its end.
# shellcheck shell=bash
: "${debs:?}"

# shellcheck source=../support/debian-roots.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/debian-roots.sh"

# shellcheck source=/dev/null
. "$1"

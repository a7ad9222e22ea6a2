# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The packages on Debian 13.
# shellcheck source=../debian.sh
. "$source/tests/packages/debian.sh"
debian_release trixie

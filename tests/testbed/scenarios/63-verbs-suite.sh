# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The tests of every transport, over verbs.
for address in 192.168.77.1 10.0.2.15; do
	unit_inside $address '/usr/bin/unit-transport*'
done

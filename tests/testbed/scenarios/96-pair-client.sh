# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The second host's kernel client reads from our server over RoCE.
second_guest
serve_inside --transport verbs --listen 10.9.0.1:0
for version in 3 4.1; do
	second mount_check $version 10.9.0.1
done
serve_end

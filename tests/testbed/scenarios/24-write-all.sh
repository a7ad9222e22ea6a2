# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# WRITEs in every version of NFS by every transport (the default has each once: write).
only_nightly
server plain
# shellcheck source=../write.sh
. "$testbed/write.sh"
for version in 3 4.0 4.1 4.2; do
	wrote 10.0.2.15 verbs $version
	wrote 192.168.77.1 verbs $version
	wrote 10.0.2.15 iwarp $version
done

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# WRITEs to the kernel's server, from within the guest: over its siw and rxe, and over software
# iWARP. All is stored, nothing is left, and nothing is made where the export is read-only. Not from
# the host: qemu's network cuts the stream anew, and siw takes the CRC of a frame that is cut within
# it for wrong (siw_get_trailer()).
server plain

# shellcheck source=../write.sh
. "$testbed/write.sh"
wrote 10.0.2.15 verbs 3
wrote 192.168.77.1 verbs 4.1
wrote 10.0.2.15 iwarp 4.2
wrote 10.0.2.15 verbs 4.0

# A new export has no file: the one that is made serves READs too. What a killed probe left is said.
inside 'mkdir -m 1777 /export/scratch/new && touch -d "2024-01-01 00:00:00" /export/scratch/new/.nfsrdma-scratch-0123456789abcdef0123456789abcdef'
for version in 3 4.1; do
	probe_inside 10.0.2.15:/export/scratch/new --transport verbs --nfs-version $version --scratch / --reads 500 --format json
	expect_status 0
	expect_only 'warn probe.scratch.left'
	expect_reason probe.scratch.left/earlier
	expect_words probe.file pass 'the scratch file'
	for id in probe.write probe.read.write-chunk probe.read.inline probe.read.reply-chunk probe.read.random; do
		expect_finding $id pass
	done
done
inside 'rm -r /export/scratch/new'

probe_inside 10.0.2.15:/export/plain --transport verbs --scratch / --reads 0 --format json
expect_status 3
expect_reason probe.scratch/no-space
# 4 GiB are free, and nobody may write.
inside 'exportfs -i -o ro,insecure,no_root_squash,no_subtree_check,fsid=5 "*:/export/scratch"'
probe_inside 10.0.2.15:/export/scratch --transport verbs --nfs-version 3 --scratch new --reads 0 --format json
expect_status 3
expect_reason probe.scratch/read-only
inside 'exportfs -ra && chmod 755 /export/scratch'
probe_inside 10.0.2.15:/export/scratch --transport verbs --nfs-version 4.1 --scratch new --reads 0 --cred 36:36 --format json
inside 'chmod 1777 /export/scratch'
expect_status 3
expect_reason probe.scratch/denied

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# WRITEs to this kernel's server, from within the guest, through siw and rxe: all is stored, and nothing is left.
# Its log is clean.
server plain
log_mark
for version in 3 4.1 4.2; do
	for address in 10.0.2.15 192.168.77.1; do
		inside_run probe "$address:/export/scratch" --transport verbs --nfs-version $version --scratch / --reads 0 \
			--timeout 400 --format json
		expect_status 0
		expect_finding probe.write pass
		expect_finding probe.write.commit pass
		expect_words probe.scratch pass 'made and removed'
		note "NFSv$version, $address: $(jq -r '.findings[] | select(.id == "probe.write") | .summary' "$work/out")"
		[[ $(guest_tell sh 'ls -A /export/scratch') == disk ]] || fail "left on the server"
	done
done
log_clean

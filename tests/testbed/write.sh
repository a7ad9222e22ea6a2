# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# WRITEs to the kernel's server: what scenarios about them share.

# wrote ADDRESS TRANSPORT VERSION
wrote()
{
	local begin

	begin=$(date +%s%N)
	probe_inside "$1:/export/scratch" --transport "$2" --nfs-version "$3" --scratch / --reads 0 --writes 100 --format json
	echo "WRITEs over $2 at $1 by NFSv$3: $((($(date +%s%N) - begin) / 1000000)) ms"
	expect_status 0
	expect_only ''
	expect_finding probe.write pass
	expect_finding probe.write.commit pass
	expect_words probe.scratch pass 'made and removed'
	# Linux takes a Read chunk of a long call for garbage, so that goes only to our own server.
	expect_report '[.findings[] | select(.id == "probe.write").evidence | .inline_right > 20 and .read_chunk_right > 90
		and .long_call_right > 20 and .long_chunk_right + .long_chunk_wrong == 0 and .in_flight == 40
		and .largest_right >= 262144 and .random == 100] == [true]' "not all WRITEs were made"
	[[ $(guest_tell sh 'ls -A /export/scratch') == disk ]] || fail "left on the server: $(guest_tell sh 'ls -lA /export/scratch')"
}

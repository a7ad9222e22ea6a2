# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A kernel client whose WRITEs are wrong, planted: probe --client reports what is wrong with them, and that its
# READs are right.
server sick
sick() { inside "echo $1 >/sys/module/rpcrdma/parameters/sick_write"; }

# sick_is NUMBER REASON WORDS: through siw0, and once through rxe0.
sick_is()
{
	local address

	sick "$1"
	for address in 10.0.2.15 192.168.77.1; do
		inside_run probe --client --bind $address --format json
		expect_status 1
		expect_only 'fail kernel.write, fail kernel.write, fail kernel.write'
		expect_finding kernel.read pass
		expect_finding kernel.unmount pass
		expect_reason "kernel.write/$2"
		expect_words kernel.write fail "$3"
		note "$address: $(jq -r '.findings[] | select(.id == "kernel.write") | .summary' "$work/out" | paste -sd';')"
	done
}

# The first page of the data is the second one.
sick_is 1 wrong-data 'the server received other data than was written'
# The chunk is a word shorter than the data: the server refuses the call.
sick_is 2 malformed 'a Read chunk that no server can take'

sick 0
inside_run probe --client --bind 10.0.2.15 --format json
expect_status 0
expect_finding kernel.write pass

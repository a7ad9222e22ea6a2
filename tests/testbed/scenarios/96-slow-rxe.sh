# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A healthy kernel server behind a slow path, over RoCE: no failure, in every version. What goes out at either end is
# late, not always as late, lost at times (RoCE sends it again), or has little room. With a rate netem keeps the
# order of packets; without that jitter makes RoCE send nearly everything again.
only_nightly
second_guest
scenario_timeout=3600
server plain
true_clock
second true_clock
for version in 3 4.0 4.1 4.2; do
	for words in "delay 10ms" "delay 50ms 20ms rate 100mbit" "delay 10ms loss 0.1%" "rate 6mbit"; do
		# shellcheck disable=SC2086 # words
		for end in "$guest" "$second"; do
			guest=$end guest_tell slow $words || fail "netem $words"
		done
		start=$SECONDS
		second probe_inside 10.9.0.1:/export/plain --transport verbs --nfs-version $version --format json
		expect_healthy "$words, NFSv$version, $((SECONDS - start)) s"
	done
done

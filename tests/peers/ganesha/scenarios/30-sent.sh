# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What the probe does not send to Ganesha, by its own account and by Ganesha's log of what it was asked
# for, at level full: READs of 0 bytes, of over 1 MiB or of so much that a pad has no room in it, by
# Reply chunk of odd lengths or of over 262144 bytes, and anything behind a READ in a COMPOUND. What
# Ganesha logs is what comes over TCP, too.
scenario_timeout=1800
# shellcheck source=../ganesha.sh
. "$peers/ganesha/ganesha.sh"
# sent: the READs by the probe's account, as "BYTES OFFSET MECHANISM" a line.
sent()
{
	sed -n 's/^probe: sends READ of \([0-9]*\) bytes at offset \([0-9]*\) \(inline\|by Write chunk\|by Reply chunk\) (NFSv[34])$/\1 \2 \3/p' "$work/sent"
}

# lengths BEFORE: of READs by Ganesha's account, what stands behind this.
lengths() { sed -n "s/$1\\([0-9]*\\).*/\\1/p" "$work/log.ganesha"; }

# What is wrong with lengths from stdin; $1: how many there are at least
check_lengths()
{
	awk -v least="$1" '$1 == 0 || $1 > 1048576 || ($1 % 4 && $1 > 1048572) { print "READ of " $1 " bytes"; bad = 1; exit }
		END { if (!bad && NR < least) print "only " NR " READs" }'
}

for version in 3 4.0; do
	ganesha_begin requests
	ganesha_probe $version full
	expect_report '.subject.file == "file-4194304"' "another file"
	reads=$(sent | wc -l)
	[[ $(grep -cE '^probe: sends (READ of|READ and|two READs)' "$work/sent") == "$reads" ]] ||
		fail "a READ with another operation behind it, or lines of another form"
	wrong=$(sent | check_lengths 1000)
	[[ ! $wrong ]] || fail "NFSv$version: $wrong"
	# Beside that file it reads far into a sparse one.
	wrong=$(sent | awk '{ size = $2 < 8388608 ? 4194304 : 5368709123; end = $1 + $2 < size ? $1 + $2 : size }
		$2 >= size { print "a READ at " $2 " brings nothing"; exit }
		/by Reply chunk/ && ($1 % 4 || $1 > 262144 || (end - $2) % 4) {
			print "a READ of " $1 " bytes at " $2 " by Reply chunk"; exit }')
	[[ ! $wrong ]] || fail "NFSv$version: $wrong"

	# The same READs, and those that came over TCP to compare with.
	guest_tell sh 'grep -E "Calling NFS3_READ |nfs4 operations .*READ|NFS4_OP_READ:" /run/ganesha/log | gzip | base64' |
		base64 -d | gunzip >"$work/log.ganesha"
	if [[ $version == 3 ]]; then
		lengths '.*Calling NFS3_READ .* len: ' >"$work/lengths"
	else
		lengths '.*NFS4_OP_READ: .* read length = ' >"$work/lengths"
		[[ $(grep -cE '[{, ]READ[,}]' "$work/log.ganesha") -ge $reads ]] || fail "Ganesha logs no COMPOUNDs with READ"
		! grep -m1 -E '[{, ]READ,' "$work/log.ganesha" || fail "a READ with another operation behind it"
	fi
	wrong=$(check_lengths "$reads" <"$work/lengths")
	[[ ! $wrong ]] || fail "Ganesha's log, NFSv$version: $wrong"
	note "NFSv$version: $reads READs over RDMA, Ganesha saw $(wc -l <"$work/lengths")"
done

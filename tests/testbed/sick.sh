# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The findings of a probe for each fault of sick-server.h: every finding that is neither pass nor
# skip, and no other. For scenarios that say ". "$testbed/sick.sh"".
: "${testbed:?}" "${work:?}"

# FAULT VERSION ID=STATUS...; ID=STATUS? may be missing, for the reason above its row.
sick_rows()
{
	sed '/^#/d; /^$/d' <<'END'
# Every READ by Write chunk is wrong, whatever its size: one defect.
zeros 3 bug.write-chunk-read=fail probe.read.profiles=fail probe.read.write-chunk=fail
zeros 4.1 bug.write-chunk-read=fail probe.read.compound=fail probe.read.profiles=fail probe.read.write-chunk=fail
eio 3 bug.write-chunk-read=fail probe.read.profiles=fail probe.read.write-chunk=fail
eio 4.1 bug.write-chunk-read=fail probe.read.compound=fail probe.read.profiles=fail probe.read.write-chunk=fail
unwritten 3 bug.write-chunk-read=fail probe.read.profiles=fail probe.read.write-chunk=fail
unwritten 4.1 bug.write-chunk-read=fail probe.read.compound=fail probe.read.profiles=fail probe.read.write-chunk=fail

# The same from a size below a page on.
zeros-over-812 3 bug.write-chunk-read=fail probe.read.profiles=fail probe.read.write-chunk=fail
zeros-over-812 4.1 bug.write-chunk-read=fail probe.read.compound=fail probe.read.profiles=fail probe.read.write-chunk=fail

# From a size above a page on. COMPOUNDs are tried with less.
shifted 3 probe.read.profiles=fail probe.read.write-chunk.placement=fail probe.read.write-chunk=fail
shifted 4.1 probe.read.profiles=fail probe.read.write-chunk.placement=fail probe.read.write-chunk=fail
zeros-over-128k 3 probe.read.profiles=fail probe.read.write-chunk.placement=fail probe.read.write-chunk=fail
zeros-over-128k 4.1 probe.read.profiles=fail probe.read.write-chunk.placement=fail probe.read.write-chunk=fail

# Depends on something other than the size.
first-segment 3 probe.read.write-chunk.segments=fail probe.read.write-chunk=fail
first-segment 4.1 probe.read.write-chunk.segments=fail probe.read.write-chunk=fail
unaligned 3 probe.read.write-chunk.alignment=fail probe.read.write-chunk=fail
unaligned 4.1 probe.read.write-chunk.alignment=fail probe.read.write-chunk=fail
length 3 probe.read.write-chunk.lengths=fail
length 4.1 probe.read.write-chunk.lengths=fail

# The chunk, and what is behind the last whole word.
unused 3 probe.read.write-chunk.unused=warn
unused 4.1 probe.read.write-chunk.unused=warn
tail 3 probe.read.profiles=fail probe.read.write-chunk.tail=fail probe.read.write-chunk=fail
tail 4.1 probe.read.profiles=fail probe.read.write-chunk.tail=fail probe.read.write-chunk=fail

# Intermittent.
error-1-in-50 3 probe.reply.error=fail
error-1-in-50 4.1 probe.reply.error=fail
zeros-1-in-50 3 probe.read.intermittent=fail probe.read.write-chunk=fail
# A COMPOUND is repeated if it failed, and the repetition was correct.
zeros-1-in-50 4.1 probe.read.intermittent=fail probe.read.write-chunk=fail

# The hundredth reply comes four seconds late, which is slow; every two hundredth never.
late 3 probe.slow=warn
late 4.1 probe.slow=warn
lost 3 probe.reply.lost=fail
lost 4.1 probe.reply.lost=fail

# The reply arrives before its data. The last fault: operations in flight when the server stops
# may never end.
send-first 3 probe.read.write-chunk.order=fail probe.read.write-chunk=fail
send-first 4.1 probe.read.write-chunk.order=fail probe.read.write-chunk=fail
END
}

# The same of WRITEs, which are made from within the guest.
sick_write_rows()
{
	sed '/^#/d; /^$/d' <<'END'
write-zeros probe.write=fail/not-stored
write-tail probe.write=fail/tail
write-over-64k probe.write=fail/not-stored
write-page probe.write=fail/repeated-page
write-earlier probe.write=fail/earlier-data
write-segments probe.write=fail/segments
write-1-in-50 probe.write.intermittent=fail/data
write-error probe.write=fail/rdma-error
write-lost probe.write=fail/no-reply
END
}

# sick_write_row FAULT VERSION: exactly that finding, with that reason, and nothing is left.
sick_write_row()
{
	local fault=$1 version=$2 start=$SECONDS wanted difference

	wanted=$(sick_write_rows | sed -n "s/^$fault //p")
	[[ $wanted ]] || fail "no row for $fault"
	server off
	server sick "$fault"
	probe_inside 10.0.2.15:/export/scratch --transport verbs --nfs-version "$version" --scratch / --reads 0 --format json
	difference=$(sick_difference "${wanted%/*}")
	[[ ! $difference ]] || fail "$fault, NFSv$version:$difference"
	expect_reason "${wanted%%=*}/${wanted#*/}"
	expect_words probe.scratch pass 'made and removed'
	[[ $(guest_tell sh 'ls -A /export/scratch') == disk ]] || fail "$fault: left on the server"
	note "$fault, NFSv$version: $((SECONDS - start)) s: $wanted"
}

# Findings that are not in the row (+), and those of the row that are missing (-).
sick_difference()
{
	local -A came=()
	local want id difference=''

	while IFS= read -r id; do came[$id]=yes; done < <(not_good "$@" | jq -r '.[] | "\(.id)=\(.status)"')
	for want; do
		id=${want%\?}
		[[ ${came[$id]:-} || $want == *\? ]] || difference+=" -$id"
		unset "came[$id]"
	done
	for id in "${!came[@]}"; do difference+=" +$id"; done
	printf '%s' "$difference"
}

# sick_row FAULT VERSION: that fault, a probe at level standard, and exactly these findings.
sick_row()
{
	local fault=$1 version=$2 start=$SECONDS difference
	local -a wanted

	read -ra wanted < <(sick_rows | sed -n "s/^$fault $version //p")
	((${#wanted[@]})) || fail "no row for $fault in NFSv$version"
	# Soft-iWARP may accept no more connections after some were lost: each has its own server.
	server off
	server sick "$fault"
	# Findings of an interrupted probe are not compared.
	probe_guest /export/plain --nfs-version "$version" --format json
	jq -r '.findings[] | select(.status != "pass" and .status != "skip") | .evidence' "$work/out"
	difference=$(sick_difference "${wanted[@]}")
	[[ ! $difference ]] || fail "$fault, NFSv$version:$difference"
	note "$fault, NFSv$version: $((SECONDS - start)) s: ${wanted[*]}"
}

# The faults that are quick enough for every run, in NFSv3.
sick_quick='unwritten shifted first-segment zeros-1-in-50'

# sick_others VERSION: the remaining faults of this version.
sick_others()
{
	local fault version _

	while read -r fault version _; do
		[[ $version == "$1" && ! ("$1" == 3 && " $sick_quick " == *" $fault "*) ]] || continue
		sick_row "$fault" "$version"
	done < <(sick_rows)
}

# sick_end: the next scenario has another guest.
sick_end() { guest_tell sh 'reboot -f' || true; }

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Every fault that the embedded server has is found by the probe at its default level, and
# called by its name: the finding of the table below has failed, the first line has it, and bug.write-chunk-read has failed
# for the faults that have its signature and for no other. Those of READs are found by every
# version of NFS; the others by the highest. A server that only looks like another passes, and
# survives.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

declare -A finding=(
	[write-chunk]=bug.write-chunk-read
	[write-chunk-over-812]=bug.write-chunk-read
	[write-chunk-over-812=beyond]=probe.transport
	[write-chunk-over-812-later]=bug.write-chunk-read
	[in-flight]=probe.read.in-flight
	[second-connection]=probe.second-connection
	[at-times]=probe.read.intermittent
	[rarely]=probe.read.intermittent
	[drop-reply]=probe.reply.lost
	[close]=probe.connection
	[bad-crc]=probe.transport
	[wrong-xid]=probe.reply.xid
	[reply-twice]=probe.reply.xid
	[call-by-chunk]=probe.call-by-chunk
	[credit-zero]=probe.credits
	[pad-written]=probe.read.write-chunk.pad
	[lengths-unrewritten]=probe.read.write-chunk.lengths
	[lengths-short]=probe.read.write-chunk.lengths
	[page-shift]=probe.read.write-chunk.placement
	[chunk-twice]=bug.write-chunk-read
	[misplaced=other-file]=probe.read.write-chunk
	[misplaced]=bug.write-chunk-read
	[misplaced=last-page]=probe.read.write-chunk
	[misplaced=above-4-gib]=probe.read.write-chunk
	[misplaced=inline-unaligned]=probe.read.inline
	[reply-page-repeat]=probe.read.reply-chunk
	[compound-tail]=probe.read.compound
	[write]=probe.write
	[write=rarely]=probe.write.intermittent
	[write=commit-lost]=probe.write.commit
	[write=verifier]=probe.write.commit
	[write=late]=probe.write.intermittent
	[write=restart]=probe.write
	[write=create-lost]=probe.scratch.left
	[die]=probe.server-gone
	[restart]=probe.server-gone
	[nfs-second-read]=probe.read.compound
	[nfs-unaligned]=probe.read.over-tcp
	[nfs-read]=probe.read.over-tcp
	[segments-refused]=probe.read.write-chunk.segments
	[groups]=probe.versions
	[eof]=probe.read.eof
	[moved]=probe.root
	[read-attributes]=probe.read.compound
	[read-attributes@3]=probe.read.attributes
	[reply-first]=probe.read.write-chunk.order
	[chunk-unused]=probe.read.write-chunk.unused
	[tail-unwritten]=probe.read.write-chunk.tail
	[rdma-error]=probe.reply.error
	[link-inline]=probe.readlink.write-chunk
	[foreign]=probe.read.withheld
	[linux-3]=bug.linux3-write
)

# All findings that fail or warn with these.
# shellcheck disable=SC2034 # of() takes the table's name
declare -A only=(
	[reply-first]='probe.read.write-chunk probe.read.write-chunk.order'
	[chunk-unused]='probe.read.write-chunk.unused'
	[tail-unwritten]='probe.read.profiles probe.read.write-chunk probe.read.write-chunk.tail'
	[rdma-error]='probe.reply.error'
	[misplaced=other-offset@3]='bug.write-chunk-read probe.read.profiles probe.read.write-chunk'
	[misplaced=other-offset]='bug.write-chunk-read probe.read.compound probe.read.profiles probe.read.write-chunk'
	[misplaced=last-page]='probe.read.inline probe.read.reply-chunk probe.read.write-chunk'
	[misplaced=above-4-gib]='probe.read.inline probe.read.reply-chunk probe.read.write-chunk'
	[misplaced=inline-unaligned]=probe.read.inline
	[lengths-short]=probe.read.write-chunk.lengths
	[chunk-twice@3]='bug.write-chunk-read probe.read.profiles probe.read.write-chunk'
	[chunk-twice]='bug.write-chunk-read probe.read.compound probe.read.profiles probe.read.write-chunk'
	[call-by-chunk]=probe.call-by-chunk
	[write]=probe.write
	[write=rarely]=probe.write.intermittent
	[write=commit-lost]=probe.write.commit
	[write=verifier]=probe.write.commit
	[write=late]=probe.write.intermittent
	[write=create-lost]='probe.reply.lost probe.scratch.left'
	[eof]='probe.read.eof'
	[nfs-read]=probe.read.over-tcp
	[groups]=probe.versions
	[read-attributes]='probe.read.compound'
	[read-attributes@3]='probe.read.attributes'
)

# Linux clients get correct data with these.
# shellcheck disable=SC2034 # of() takes the table's name
declare -A harmless=([reply-twice]=1 [credit-zero]=1 [pad-written]=1 [lengths-unrewritten]=1 [chunk-unused]=1 [read-attributes@auto]=1 [read-attributes@4.0]=1)

# And so do clients that write, slowly.
# shellcheck disable=SC2034 # of() takes the table's name
declare -A slow=([nfs-read=short]=1 [write=short]=1 [write=verifier]=1)

# of TABLE NAME[=VALUE]@VERSION: the table's entry for all of it, else for NAME@VERSION, for NAME=VALUE, for NAME.
of()
{
	local -n table=$1
	local name=${2%%[=@]*}

	echo "${table[$2]:-${table[$name@${2#*@}]:-${table[${2%@*}]:-${table[$name]:-}}}}"
}

# What the values of linux-3 raise beside the warning about its WRITEs. NFSv3 has nothing behind
# the data that would have no room.
declare -A linux3=(
	[inline-head]=bug.linux3-inline-head
	[page-base]=bug.linux3-page-base
	[pad-segment]=bug.linux3-pad-segment
)

# Found in each version: the errors are where the replies of versions differ.
each_version=(second-connection misplaced chunk-twice eof read-attributes at-times rarely nfs-unaligned nfs-read segments-refused write-chunk write-chunk-over-812 write-chunk-over-812-later pad-written lengths-unrewritten lengths-short page-shift
	reply-page-repeat reply-first chunk-unused tail-unwritten rdma-error die restart foreign linux-3 link-inline)

# The reason, by SPEC without its version.
declare -A reasons=(
	[write-chunk=zeros]=bug.write-chunk-read/corrupt
	[write-chunk=eio]='bug.write-chunk-read/failing probe.read.write-chunk/error'
	[write-chunk=stale]='bug.write-chunk-read/corrupt probe.read.write-chunk/not-written'
	[write-chunk-over-812]='bug.write-chunk-read/corrupt probe.read.write-chunk/wrong-data probe.read.profiles/above-change-over'
	[write-chunk-over-812=eio]=bug.write-chunk-read/failing
	[write-chunk-over-812=hang]='bug.write-chunk-read/unanswered probe.read.write-chunk/no-reply'
	[write-chunk-over-812=close]='bug.write-chunk-read/unanswered probe.read.write-chunk/closed'
	[write-chunk-over-812=beyond]=probe.transport/foreign-memory
	[in-flight]=probe.read.in-flight/wrong-data
	[in-flight=stale]=probe.read.in-flight/wrong-data
	[in-flight=short]=probe.read.in-flight/malformed
	[in-flight=eio]=probe.read.in-flight/error
	[in-flight=close]=probe.read.in-flight/closed
	[in-flight=hang]=probe.read.in-flight/no-reply
	[second-connection]=probe.second-connection/wrong-data
	[second-connection=stale]=probe.second-connection/wrong-data
	[second-connection=short]=probe.second-connection/malformed
	[second-connection=eio]=probe.second-connection/error
	[second-connection=close]=probe.second-connection/closed
	[second-connection=hang]=probe.second-connection/no-reply
	[at-times=bit]=probe.read.intermittent/single-bits
	[at-times=page]=probe.read.intermittent/whole-pages
	[at-times=eio]=probe.read.intermittent/errors
	[at-times=half]=probe.read.intermittent/not-written
	[at-times=short]=probe.read.intermittent/malformed
	[drop-reply]=probe.reply.lost/no-reply
	[close]=probe.connection/closed
	[bad-crc]=probe.transport/checksum
	[wrong-xid]=probe.reply.xid/other-xid
	[reply-twice]=probe.reply.xid/twice
	[call-by-chunk]=probe.call-by-chunk/refused
	[call-by-chunk=hang]=probe.call-by-chunk/no-reply
	[call-by-chunk=close]=probe.call-by-chunk/closed
	[credit-zero]=probe.credits/zero
	[pad-written]=probe.read.write-chunk.pad/padded
	[lengths-unrewritten]=probe.read.write-chunk.lengths/wrong-lengths
	[lengths-short]=probe.read.write-chunk.lengths/short-lengths
	[page-shift]=probe.read.write-chunk.placement/above-a-page
	[chunk-twice]='bug.write-chunk-read/failing probe.read.write-chunk/malformed'
	[misplaced=other-offset]='bug.write-chunk-read/corrupt probe.read.write-chunk/other-offset'
	[misplaced=last-page]='probe.read.write-chunk/at-the-end probe.read.reply-chunk/at-the-end probe.read.inline/other-offset'
	[misplaced=above-4-gib]='probe.read.write-chunk/above-4-gib probe.read.reply-chunk/above-4-gib probe.read.inline/other-offset'
	[misplaced=inline-unaligned]=probe.read.inline/unaligned
	[reply-page-repeat]='probe.read.reply-chunk/wrong-data probe.readdir/error probe.readlink/wrong-text'
	[reply-first]='probe.read.write-chunk.order/late-data probe.read.write-chunk/late-data'
	[chunk-unused]=probe.read.write-chunk.unused/data-inline
	[tail-unwritten]=probe.read.write-chunk.tail/not-written
	[rdma-error=50]=probe.reply.error/at-times
	[compound-tail]=probe.read.compound/after-the-data
	[die]=probe.server-gone/gone
	[restart]=probe.server-gone/restarted
	[link-inline]=probe.readlink.write-chunk/inline
	[moved]=probe.root/moved
	[write]=probe.write/tail
	[write=pad]=probe.write/pad
	[write=segments]=probe.write/segments
	[write=page-repeat]=probe.write/repeated-page
	[write=earlier]=probe.write/earlier-data
	[write=shifted]=probe.write/moved
	[write=neighbour]=probe.write/neighbour
	[write=aligned]=probe.write/moved
	[write=above-64k]=probe.write/not-stored
	[write=short]=probe.write/short
	[write=count]=probe.write/not-stored
	[write=eio]=probe.write/status
	[write=inline]=probe.write/zeros
	[write=rarely]=probe.write.intermittent/data
	[write=hang]=probe.write/no-reply
	[write=close]=probe.write/closed
	[write=commit-lost]=probe.write.commit/lost
	[write=verifier]=probe.write.commit/verifier
	[write=late]=probe.write.intermittent/errors
	[write=create-lost]='probe.scratch.left/another-file probe.scratch/exists'
	[write=stops]=probe.write/not-stored
	[write=reply-first]=probe.write/late-read
	[write=other-key]=probe.write/in-flight
	[linux-3=plain]=bug.linux3-write/four-marks
	[linux-3=inline-head]=bug.linux3-inline-head/seen
	[linux-3=page-base]=bug.linux3-page-base/seen
	[nfs-unaligned]=probe.read.over-tcp/nfs
	[nfs-read=short]=probe.read.over-tcp/short
	[nfs-read=early-end]=probe.read.over-tcp/early-end
	[nfs-read=too-large]=probe.read.over-tcp/too-large
	[nfs-read=beyond-the-end]=probe.read.over-tcp/beyond-the-end
	[nfs-read=above-2-gib]=probe.read.over-tcp/error
	[segments-refused]=probe.read.write-chunk.segments/errors
	[groups]=probe.versions/denied
	[eof=never]=probe.read.eof/missing
	[eof=always]=probe.read.eof/early
	[read-attributes=size]=probe.read.compound/inline-too
	[read-attributes=fileid]=probe.read.compound/inline-too
	[read-attributes=size@3]=probe.read.attributes/size
	[read-attributes=fileid@3]=probe.read.attributes/fileid
)

# linux3_names SPEC@VERSION: only the requested defect is named.
linux3_names()
{
	local name value=${1#*=}

	value=${value%@*}
	for name in "${!linux3[@]}"; do
		if [[ $name == "$value" && $1 != *pad-segment@3 ]]; then
			expect_finding "${linux3[$name]}" fail
		else
			# shellcheck disable=SC2016 # jq's variable
			expect_report "$name" --arg id "${linux3[$name]}" 'all(.findings[]; .id != $id)'
		fi
	done
}

# fault SPEC@VERSION ID: in its own shell, so that two can run at once.
fault()
{
	local work=$work/$1 reads=0 reason alone options=()

	mkdir "$work"
	# The sweep has too few.
	[[ $1 != rarely* ]] || reads=5000
	[[ $1 != write[=@]* ]] || options=(--scratch new)
	local version=${1#*@}
	# Else NFSv3's NULL, which carries no credentials, offers a version.
	[[ $1 != groups* ]] || options=(--cred '36:36,1,2,3,4,5,6,7,8,9') version=4.1
	probe --embedded --fault "${1%@*}" --nfs-version "$version" --reads "$reads" "${options[@]}"
	if [[ $2 == probe.read.withheld ]]; then
		expect_status 0
		if [[ $1 == foreign=unknown* ]]; then
			expect_finding "$2" skip
			expect_report "verdict is not pass" '.verdict == "pass"'
		else
			expect_finding "$2" warn
			expect_report "READs that were not sent" '.answer | test("and the data is correct. .*[0-9]+ READs were not sent")'
		fi
		# shellcheck disable=SC2016 # jq's variable
		expect_report "Reply chunks of links" --arg server "${1%@*}" 'any(.findings[]; .id == "probe.readlink" and .status == "pass"
			and (.evidence.reply_chunks_unused > 0) == ($server != "foreign=unknown")
			and (.summary | test("came inline, with the Reply chunk unused")) == ($server != "foreign=unknown"))'
		# shellcheck disable=SC2016 # jq's variable
		expect_report "Reply chunks of READs" --arg server "${1%@*}" 'any(.findings[]; .id == "probe.read.reply-chunk" and .status == "pass"
			and (.summary | test("more were answered inline, with the Reply chunk unused")) == ($server != "foreign=unknown"))'
	elif [[ $(of harmless "$1") ]]; then
		expect_status 0
		expect_finding "$2" warn
		expect_report "verdict is not warn" '.verdict == "warn"'
		expect_report "the answer" '.answer | test("works, and the data is correct. It violates the protocol, but not for Linux clients: ")'
	elif [[ $(of slow "$1") ]]; then
		expect_status 0
		expect_finding "$2" warn
		expect_report "the answer" '.verdict == "warn" and (.answer | test("It may be slow: "))'
	elif [[ $2 == probe.readlink.write-chunk ]]; then
		expect_finding "$2" skip
		probe --embedded --fault "${1%@*}" --nfs-version "${1#*@}" --level full
		expect_finding "$2" warn
		expect_finding probe.readlink pass
		expect_report "what came" 'any(.findings[]; .id == "probe.readlink.write-chunk"
			and (.summary | test("the text is inline, and nothing is written into the chunk$")))'
		expect_report "something failed" 'all(.findings[]; .status != "fail")'
	elif [[ $2 == probe.scratch.left ]]; then
		# Whose the file is cannot be told, so it stays, and is said.
		expect_status 1
		expect_finding "$2" warn
		expect_finding probe.scratch unknown
	elif [[ $2 == probe.root ]]; then
		# Another server has it, about which nothing is known.
		expect_status 3
		expect_finding "$2" unknown
	elif [[ $1 == nfs-second-read* || $1 == write=restart* ]]; then
		# No Linux client sends that; and clients write again what a restart lost.
		expect_status 0
		expect_finding "$2" pass
		expect_report "verdict is not pass" '.verdict == "pass"'
	elif [[ $2 == bug.linux3-write ]]; then
		expect_status 1
		expect_finding "$2" fail
		linux3_names "$1"
	else
		expect_status 1
		expect_finding "$2" fail
		expect_report "verdict is not fail" '.verdict == "fail"'
	fi
	# The first line has the summary of a finding that made the verdict.
	# shellcheck disable=SC2016 # jq's variables
	expect_report "the answer has no cause" '.verdict == "pass" or (.answer as $answer | .verdict as $verdict | any(.findings[];
		.status == $verdict and ((.summary | split("; ")[0][:150]) as $cause | $answer | contains($cause))))'
	alone=$(of only "$1")
	[[ $1 != write=restart* ]] || alone=
	# shellcheck disable=SC2016 # jq's variable
	[[ ! $alone ]] || expect_report "something else failed" --arg only "$alone" \
		'[.findings[] | select(.status == "fail" or .status == "warn") | .id] | sort == ($only / " ")'
	# What was made is gone.
	[[ $1 != write[=@]* || $2 == probe.scratch.left ]] || expect_report "the scratch file" 'any(.findings[]; .id == "probe.scratch" and .summary == "/new was made and removed")
		and all(.findings[]; .id != "probe.scratch.left")'
	# shellcheck disable=SC2016 # jq's variable
	expect_report "bug.write-chunk-read failed, or did not, wrongly" --arg id "$2" --arg spec "$1" \
		'any(.findings[]; .id == "bug.write-chunk-read" and .status == "fail") == ($id == "bug.write-chunk-read" or ($spec | startswith("write-chunk-over-812=")))'
	# Correct data in a broken frame is also correct in a COMPOUND.
	[[ $1 != @(pad-written|lengths-unrewritten|lengths-short)@4.0 ]] || expect_finding probe.read.compound pass
	# No failure that depends on a size, an offset or a layout.
	[[ $2 != probe.read.intermittent ]] || expect_report "a cause was named" 'all(.findings[]; .status != "fail" or
		.id == "probe.read.intermittent" or .id == "probe.read.write-chunk")'
	[[ $2 == bug.linux3-write ]] ||
		expect_report "a server of Linux 3.x" 'all(.findings[]; .id | startswith("bug.linux3-") | not)'
	expect_reasons
	for reason in ${reasons[$1]:-${reasons[${1%@*}]:-}}; do
		expect_reason "$reason"
	done
	# That finding is about this host's kernel.
	expect_report "bug.read-812 failed" 'all(.findings[]; .id != "bug.read-812" or .status != "fail")'
	echo "ok - $1 ($(seconds "$took") s)"
}

# One per line: NAME[=VALUE|VALUE...]<blank>description. Each value is a case, and so is the
# default.
run serve --list-faults
expect_status 0
cases=()
while read -r spec _; do
	name=${spec%%=*}
	[[ ${finding[$name]:-} ]] || fail "this test does not know what $name must raise"
	cases+=("$name@auto")
	[[ $spec != *=* ]] || for value in $(tr '|' ' ' <<<"${spec#*=}"); do
		# The files in memory have the same content: below.
		[[ $value != other-file ]] || continue
		cases+=("$name=$value@auto")
		# NFSv4 has no attributes in a READ, and NFSv4.0 makes no files here.
		[[ $name != @(read-attributes|write|misplaced) ]] || cases+=("$name=$value@3")
	done
	[[ " ${each_version[*]} " != *" $name "* ]] || cases+=("$name@3" "$name@4.0")
done <"$work/out"
((${#cases[@]} >= ${#finding[@]})) || fail "only ${#cases[@]} faults are listed"

bad=0 running=0
for spec in "${cases[@]}"; do
	((++running <= 2)) || wait -n || true
	(trap - EXIT; fault "$spec" "$(of finding "$spec")"; : >"$work/good-$spec") >"$work/log-$spec" 2>&1 &
done
wait
for spec in "${cases[@]}"; do
	[[ -e $work/good-$spec ]] || { bad=$((bad + 1)); echo "not ok - $spec"; }
	cat "$work/log-$spec"
done
((bad == 0)) || fail "$bad of ${#cases[@]} faults"

# NFSv3 is offered by a NULL, which has no credentials.
probe --embedded --fault groups --cred '36:36,1,2,3,4,5,6,7,8,9'
expect_status 3
expect_finding probe.versions warn
expect_reason probe.versions/some-denied
echo "ok - credentials that some versions reject"

# Which file's data came is said.
mkdir "$work/files"
for file in a b; do
	head -c 1500000 /dev/urandom >"$work/files/$file.img"
done
start_server --export "$work/files" --fault misplaced=other-file
for version in 3 4.1; do
	probe_server --nfs-version "$version"
	expect_status 1
	expect_reason bug.write-chunk-read/other-file
	expect_reason probe.read.write-chunk/other-file
	expect_report "the file whose data came" '.answer | test("data of [ab]\\.img at [0-9]+\\.$")'
done
stop_server
echo "ok - data of another file"

# The behaviour of one kind of server is reported only for a server identified as that kind.
of_kind()
{
	local kind=$1 what=$2 linux=$3 ganesha=$4 defects=${5:-}

	probe --embedded --fault "$what" --fault "foreign=$kind" --nfs-version 3 --level quick
	expect_finding probe.server pass
	# shellcheck disable=SC2016 # jq's variables
	expect_report "$what of $kind: causes" --argjson linux "$linux" --argjson ganesha "$ganesha" --arg kind "$kind" \
		'any(.findings[]; .id == "probe.server" and .evidence.kind == $kind and .evidence.private_data != null)
		and any(.findings[]; .id == "probe.read.write-chunk.pad" and .status == "warn"
			and (.cause | test("Linux servers")) == $linux and (.cause | test("nfs-ganesha")) == $ganesha)'
	# shellcheck disable=SC2016 # jq's variable
	[[ $what == pad-written ]] || expect_report "$what of $kind: defects of Linux" --argjson defects "$defects" \
		'any(.findings[]; .id == "bug.linux3-page-base") == $defects'
}

# pads VALUE WORDS: the number of written pad bytes is reported.
pads()
{
	probe --embedded --fault "pad-written=$1" --nfs-version 3 --level quick
	# shellcheck disable=SC2016 # jq's variable
	expect_report "the pad's length: $1" --arg words "$2" \
		'any(.findings[]; .id == "probe.read.write-chunk.pad" and .status == "warn" and (.evidence.example | test($words)))'
}
pads whole '3 pad bytes were written after 1 byte$'
pads part '1 pad byte was written after 1 byte$'

of_kind ganesha pad-written false true false
of_kind unknown pad-written false false
of_kind ganesha linux-3=page-base false true false
of_kind unknown linux-3=page-base false false true
echo "ok - causes by kind of server"

# An unidentified server gets no zero-length READ: the other marks are enough, and the report says
# that one was not checked.
probe --embedded --fault linux-3 --fault foreign=unknown --nfs-version 3 --level quick
expect_finding bug.linux3-write warn
expect_report "how many marks" 'any(.findings[]; .id == "bug.linux3-write" and (.summary | test("three of four signs")))'
expect_reason bug.linux3-write/three-marks
probe --embedded --fault pad-written --fault foreign=unknown --nfs-version 3 --level quick
expect_report "a pad alone" 'all(.findings[]; .id != "bug.linux3-write")'
echo "ok - three marks of Linux 3.x"

# A second READ that is wrong, where NFS over TCP cannot show whether RDMA is the cause.
start_server --fault nfs-second-read
run probe --format json --reads 0 --level quick "127.0.0.1:$export" --port "$rdma_port" --nfs-port 1 --mount-port "$mount_port"
expect_status 0
expect_reason probe.read.compound/second-read
stop_server

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# An independent second decoder: Wireshark's dissectors read what --pcap recorded, find no
# malformed frame, and see the same calls as we do.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq tshark

capture=$work/probe.pcap
probe --embedded --level quick --nfs-version 3 --pcap "$capture"
expect_status 0

# Wireshark puts data that came by Write chunk back into the reply, but with their XDR padding
# only if they filled what was offered. The others end too early for it, through no fault of
# ours; the sum of the segments says which they are.
decode -Y '_ws.expert.severity >= 0x00800000' -T fields -E separator=' ' -e frame.number \
	-e rpc.msgtyp -e rpcordma.rdma_length >"$work/wrong"
while read -r frame type lengths; do
	((type == 1 && (${lengths//,/ + }) % 4 != 0)) ||
		fail "Wireshark finds frame $frame wrong: $(decode -Y "frame.number == $frame" \
			-T fields -e _ws.col.Info -e _ws.expert.message)"
done <"$work/wrong"

# seen FIELD...: the values that they have, as Wireshark prints them, "FIELD VALUE" a line to $work/seen: once
# for all, because it takes half a second to start.
seen()
{
	decode -T fields "${@/#/-e}" | awk -F '\t' -v "names=$*" 'BEGIN { split(names, name, " ") }
		{ for (i = 1; i <= NF; i++) { n = split($i, value, ","); for (j = 1; j <= n; j++) print name[i], value[j] } }' |
		sort -u >"$work/seen"
}
seen iwarp_mpa.req iwarp_mpa.rep iwarp_rdma.opcode rpcordma.msg_type rpcordma.reply_count nfs.procedure_v3
for value in 'iwarp_mpa.req 1' 'iwarp_mpa.rep 1' 'iwarp_rdma.opcode 0x00' 'iwarp_rdma.opcode 0x03' 'rpcordma.msg_type 0' \
	'rpcordma.msg_type 1' 'rpcordma.reply_count 1' 'nfs.procedure_v3 6' 'nfs.procedure_v3 17' 'nfs.procedure_v3 5'; do
	grep -qxF "$value" "$work/seen" || { cat "$work/seen"; fail "no frame has $value"; }
done

decode -Y iwarp_mpa.fpdu -O iwarp_mpa >"$work/mpa"
grep -q 'Good CRC32' "$work/mpa" || fail "no CRC was checked"
! grep 'Bad CRC32' "$work/mpa" || fail "a CRC is wrong"

# Every call has its reply: as many Sends in one direction as in the other. (Of several in
# one frame Wireshark shows only the first one's xid.)
port=$(decode -Y iwarp_mpa.rep -T fields -e tcp.srcport | head -n 1)
sends() { decode -Y "$1" -T fields -e iwarp_rdma.opcode | tr ',' '\n' | grep -c 0x03; }
calls=$(sends "tcp.dstport == $port") replies=$(sends "tcp.srcport == $port")
[[ $calls == "$replies" ]] || fail "$calls calls, $replies replies"
xids() { decode -Y "rpcordma && $1" -T fields -e rpcordma.xid | tr ',' '\n' | sort -u; }
# The RPC message of a call that the server fetches is not in the frame: RDMA_NOMSG.
stray=$(comm -13 <(xids "(rpc.msgtyp == 0 || (rpcordma.msg_type == 1 && tcp.dstport == $port))") <(xids "rpc.msgtyp == 1"))
[[ ! $stray ]] || fail "replies to no call: $stray"
fetched=$(xids "rpcordma.msg_type == 1 && rpcordma.reads_count == 1 && tcp.dstport == $port" | grep -c .) || true
[[ $fetched == 1 ]] || fail "$fetched calls have a Read chunk"

# What the Write list of a READ's reply returns adds up to the bytes of its result.
decode -Y 'nfs.procedure_v3 == 6 && rpc.msgtyp == 1 && rpcordma.writes_count == 1' \
	-T fields -E separator=' ' -e nfs.count3 -e rpcordma.rdma_length >"$work/reads"
[[ -s $work/reads ]] || fail "no READ by Write chunk"
while read -r counts lengths; do
	((${counts%%,*} == (${lengths//,/ + }))) ||
		fail "a READ of ${counts%%,*} bytes returns segments of $lengths"
done <"$work/reads"

# WRITEs as Linux clients send them: none is malformed, and each has the data that its count says. (Of chunks of
# several segments Wireshark pads each, and it does not put the chunk of a long call into it: those
# are called malformed, and go only to servers that are known.)
capture=$work/write.pcap
probe --embedded --fault foreign=unknown --level quick --nfs-version 3 --scratch new --pcap "$capture"
expect_status 0
decode -Y 'nfs.procedure_v3 == 7' -T fields -E separator=' ' -e rpc.msgtyp -e nfs.count3 -e _ws.malformed -e nfs.data |
	awk '$1 == 0 { calls++; if (NF != 3 || length($3) != 2 * $2) { print; exit 1 } }
		$1 == 1 { replies++ } END { exit !(calls > 50 && calls == replies) }' >"$work/writes" ||
	fail "WRITEs are not as Wireshark reads them: $(cut -c 1-200 "$work/writes")"
seen nfs.procedure_v3 nfs.write.stable
for value in 'nfs.procedure_v3 8' 'nfs.procedure_v3 12' 'nfs.procedure_v3 2' 'nfs.procedure_v3 21' 'nfs.write.stable 0' \
	'nfs.write.stable 1' 'nfs.write.stable 2'; do
	grep -qxF "$value" "$work/seen" || { cat "$work/seen"; fail "no frame has $value"; }
done

# NFSv4.1: every operation is there as Wireshark knows it, the client's first and last too.
capture=$work/probe4.pcap
probe --embedded --level quick --nfs-version 4.1 --scratch new --pcap "$capture"
expect_status 0
seen nfs.opcode
for opcode in 4 5 9 10 15 18 24 22 25 26 27 28 38 42 43 44 53 57 58; do
	grep -qxF "nfs.opcode $opcode" "$work/seen" || { cat "$work/seen"; fail "no frame has operation $opcode"; }
done
decode -Y 'nfs.nfsstat4 != 0 && nfs.opcode != 24' -T fields -e frame.number >"$work/errors"
[[ ! -s $work/errors ]] || fail "errors in frames $(tr '\n' ' ' <"$work/errors")"

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The golden COMPOUNDs of tests/wire/nfs4/, which our encoders and decoders are held against, as
# Wireshark reads them: as one conversation of NFS over TCP.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires text2pcap tshark

golden=$NFSRDMA_SOURCE/tests/wire/nfs4
capture=$work/nfs4.pcap

# The hex digits of a golden file, and the text behind "---". The 1023 bytes of a WRITE are not in it.
data=$(printf '%02048d' 0)
digits() { sed -e '/^---$/,$d' -e "s/# data: length; .*/$data/" -e 's/#.*//' "$1" | tr -d ' \n'; }
text() { sed -e '1,/^---$/d' "$1"; }
# packet I|O RPC-HEADER FILE: a record of TCP as text2pcap takes it.
packet()
{
	local all

	all=$2$(digits "$3")
	all=$(printf '8%07x' $((${#all} / 2)))$all
	printf '%s\n000000' "$1"
	fold -w 2 <<<"$all" | tr '\n' ' ' | sed 's/^/ /'
	printf '\n'
}

none=0000000000000000
call() { packet O "$(printf '%08x%08x%08x%08x%08x%08x' "$2" 0 2 100003 4 1)$none$none" "$1"; }
reply() { packet I "$(printf '%08x%08x%08x' "$2" 1 0)$none$(printf %08x 0)" "$1"; }

# Each reply behind the call that it answers; those whose data are in a Write chunk are not whole.
xid=0
for file in "$golden"/reply-* "$golden"/session-reply-*; do
	read -r version request reduced < <(text "$file") || true
	[[ ! $reduced ]] || continue
	name=call-$version-$request
	[[ $file != */session-* ]] || name=session-call-$version
	name=${name,,}
	xid=$((xid + 1))
	call "$golden/${name//_/-}.hex" $xid
	reply "$file" $xid
done >"$work/packets"
replies=$xid
for file in "$golden"/call-* "$golden"/session-call-*; do
	xid=$((xid + 1))
	call "$file" $xid
	printf '%d %s\n' $xid "$(text "$file" | sed -n 's/^operations //p' | tr ' ' ,)" >&3
done >>"$work/packets" 3>"$work/operations"
text2pcap -q -D -4 10.0.0.2,10.0.0.1 -T 700,2049 "$work/packets" "$capture" 2>"$work/text2pcap.err" ||
	{ cat "$work/text2pcap.err"; fail text2pcap; }

count() { decode -Y "$1" -T fields -e frame.number | wc -l; }

# Severities from error on, which malformed frames have.
wrong=$(decode -Y '_ws.expert.severity >= 0x00800000')
[[ ! $wrong ]] || fail "Wireshark finds frames wrong: $wrong"
(($(count 'nfs && rpc.msgtyp == 1') == replies)) || fail "not every reply is one to Wireshark"
(($(count 'nfs && rpc.msgtyp == 0') == xid)) || fail "not every call is one to Wireshark"

# The operations of each call are those that its file names.
decode -Y 'rpc.msgtyp == 0' -T fields -E separator=' ' -e rpc.xid -e nfs.opcode |
	while read -r id operations; do printf '%d %s\n' "$id" "$operations"; done |
	awk -v "replies=$replies" '$1 > replies' >"$work/seen"
diff "$work/operations" "$work/seen" || fail "calls of other operations"

# Attributes, which libnfs takes for bytes: Wireshark finds each where we do.
decode -Y 'nfs.opcode == 26 && rpc.msgtyp == 1' -V >"$work/readdir"
for line in 'Entry: disk.qcow2' 'size: 4294971392' 'fileid: 21474836486' 'mode: 0644' \
	'fattr4_owner: vdsm@example.org' 'fattr4_owner_group: 37' 'space_used: 8192' \
	'seconds: 8589934591' 'nseconds: 9' 'Status: NFS4ERR_ACCESS (13)' 'EOF: Yes'; do
	grep -qF "$line" "$work/readdir" || fail "no attribute is $line"
done

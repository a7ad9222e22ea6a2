# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# nfsrdma mounts against a kernel client: RDMA proven, its columns named correctly, a closed
# connection reopened, a limited wait for an absent server; and every silent fallback to TCP,
# found.
server plain

mounts() { inside_run mounts --format json "$@"; }
# nfs OPTIONS SOURCE TARGET: by hand, since the agent's mount is soft.
nfs() { inside "mkdir -p $3; mount.nfs $2 $3 -o $1"; }
unmount() { inside "umount $*"; }
nfsd() { inside "rpc.nfsd $*; echo Y >/proc/fs/nfsd/v4_end_grace"; }
fast=proto=rdma,port=20049,hard

# evidence ID TARGET KEY
evidence()
{
	# shellcheck disable=SC2016 # jq's variables
	jq -r --arg id "$1" --arg target "$2" --arg key "$3" '.findings[]
		| select(.id == $id and .evidence.target == $target) | .evidence[$key]' "$work/out"
}

mounts
expect_status 0
expect_words mount.list pass 'this host has no NFS mount'

# Two connections of NFSv3, both used for reads.
nfs "$fast,vers=3,mountproto=tcp,nolock,nconnect=2" 192.168.77.1:/export/plain /mnt
guest_tell check >"$work/check" || fail "$(head -n1 "$work/check")"
# Each operation as the kernel counts it.
inside_run mounts --format prometheus
guest_tell sh "cat /proc/self/mountstats" >"$work/mountstats"
for field in operations_total:2 operation_rtt_seconds_total:8 operation_execution_seconds_total:9; do
	ours=$(sed -n "s|^nfsrdma_mount_${field%:*}{.*mountpoint=\"/mnt\".*operation=\"READ\"} ||p" "$work/out")
	kernels=$(awk -v at="${field#*:}" '/ mounted on \/mnt / { on = 1 } on && $1 == "READ:" { print $at; exit }' "$work/mountstats")
	[[ $field == operations_total:* ]] || kernels=$(awk -v ms="$kernels" 'BEGIN { print ms / 1000 }')
	[[ $ours && $ours == "$kernels" ]] || fail "${field%:*} is $ours, the kernel has $kernels"
done
mounts
expect_status 0
expect_words mount.transport pass 'proven by a call, 2 connections'
[[ $(evidence mount.transport /mnt wanted_by) == 'its mount options' ]] || fail "nobody knows what was asked"

# The order of the columns as in mountstats of nfs-utils, summed.
names=(port bind_count connect_count connect_time - sends recvs bad_xids req_u bklog_u
	read_chunk_count write_chunk_count reply_chunk_count total_rdma_request total_rdma_reply
	pullup_copy_count fixup_copy_count hardway_register_count failed_marshal_count
	bad_reply_count nomsg_call_count mrs_recycled mrs_orphaned mrs_allocated
	local_inv_needed empty_sendctx_q reply_waits_for_send)
inside "awk '\$1 == \"xprt:\" && \$2 == \"rdma\" { for (i = 3; i <= NF; i++) s[i] += \$i; n = NF } END { for (i = 3; i <= n; i++) printf \"%d \", s[i]; print }' /proc/self/mountstats" >"$work/columns"
read -ra sums <"$work/columns"
((${#sums[@]} == ${#names[@]})) || fail "the kernel has ${#sums[@]} columns: ${sums[*]}"
for i in "${!names[@]}"; do
	# The current idle time.
	[[ ${names[i]} != - ]] || continue
	[[ $(evidence mount.counters /mnt "${names[i]}") == "${sums[i]}" ]] ||
		fail "${names[i]} is $(evidence mount.counters /mnt "${names[i]}"), not ${sums[i]}"
done
((sums[11] > 0 && sums[14] > 0)) || fail "nothing was read by Write chunk: ${sums[*]}"
note "27 columns of 2 connections: ${sums[*]}"

# Reads at the ends of files, which are shorter than what was asked for: the kernel's client is sound.
# shellcheck disable=SC2016 # the guest's
inside 'mkdir /export/plain/ends; for i in $(seq 40); do head -c 5000 /dev/zero >/export/plain/ends/$i || exit; done'
# shellcheck disable=SC2016 # the guest's
inside 'for i in $(seq 40); do tail -c 100 /mnt/ends/$i || exit; done | wc -c | grep -qx 4000; rm -r /export/plain/ends'
inside "awk '\$1 == \"events:\" { e = \$24 } \$1 == \"bytes:\" { b = \$6 } \$1 == \"READ:\" { print \$2, e, b, \$6; exit }' /proc/self/mountstats" \
	>"$work/reads"
read -r calls short delivered received <"$work/reads"
((calls >= 40)) || fail "only $calls READs"
mounts
expect_status 0
expect_finding bug.read-812 pass
inside_run check --role client --format json
expect_words bug.read-812 pass 'this host.s kernel delivers what it reads'
expect_report ".findings[] | select(.id == \"bug.read-812\") | .evidence | .reads == $calls and .reads_short == $short
	and .read_bytes_delivered == $delivered and .read_bytes_received == $received" "other numbers than the kernel's: $calls $short $delivered $received"
note "$calls READs, $short short, $delivered of $received bytes delivered"

# The server closes the connections, as Linux does after five idle minutes.
disconnected='while grep -q CONNECTED /sys/kernel/sunrpc/xprt-switches/switch-*/xprt-*-rdma/xprt_state; do sleep 0.2; done'
inside "rpc.nfsd 0; $disconnected"
nfsd --rdma=20049 4
mounts
expect_status 0
expect_words mount.transport pass 'proven'
expect_finding mount.counters pass
[[ $(evidence mount.counters /mnt connect_count) == 4 ]] || fail "not both connections were woken"

# The server is gone.
inside "rpc.nfsd 0; $disconnected"
mounts --timeout 10
expect_status 1
expect_words mount.answer fail 'does not answer'
expect_finding mount.transport skip
# It has ended; a hard mount waits forever.
took=$(jq '.elapsed_ms | floor' "$work/out")
within 20000 "mounts, whose server is gone,"
# What was killed ends when the kernel comes to it.
inside 'while ps | grep "[n]fsrdma mounts"; do sleep 0.2; done'
inside_run check --role client --format json
expect_status 0
took=$(jq '.elapsed_ms | floor' "$work/out")
within 20000 "check, with a mount whose server is gone,"
nfsd --rdma=20049 4
unmount /mnt

# A mount over TCP first: NFSv4.2 gives the next one its connection, whatever it requests. Another
# version has its own.
nfs vers=4.2,proto=tcp,hard 192.168.77.1:/export/plain /run/iso
nfs "$fast,vers=4.2" 192.168.77.1:/export/locks /run/vm
nfs "$fast,vers=4.1" 192.168.77.1:/export/live /run/other
inside "grep -q ' /run/vm nfs4 .*proto=tcp,port=20049' /proc/mounts"
mounts
expect_status 1
[[ $(jq -r '[.findings[] | select(.id == "mount.transport") | "\(.evidence.target) \(.status)"] | sort | join(", ")' "$work/out") == \
	'/run/iso pass, /run/other pass, /run/vm fail' ]] || fail "silent TCP: $(summary)"
expect_words mount.transport fail 'it shares the tcp connection of /run/iso'
inside_run check --role client --format json
expect_status 1
expect_words mount.transport fail '/run/vm: over tcp'
# Without an entry in utab the port decides.
inside 'mv /run/mount/utab /run/utab'
mounts
inside 'mv /run/utab /run/mount/utab'
expect_words mount.transport warn 'its mount option port= requests RDMA'
unmount /run/vm /run/iso /run/other

# nfsmount.conf overrides the option rdma.
inside 'printf "[ NFSMount_Global_Options ]\nProto=tcp\n" >/etc/nfsmount.conf'
nfs rdma,vers=4.2,hard 192.168.77.1:/export/plain /mnt
mounts
expect_status 1
expect_words mount.transport fail 'Proto= in /etc/nfsmount.conf'
inside_run check --role client --format json
expect_finding client.nfsmount-conf warn
expect_finding mount.transport fail
inside 'rm /etc/nfsmount.conf'
unmount /mnt

# What the kernel mounts below: another file system of the server; and where that refers to a
# server without RDMA, which is ours, over TCP alone.
# shellcheck disable=SC2016 # the guest's
inside 'for dir in x x/sub x/ref; do mkdir -p /run/$dir; mount -t tmpfs $dir /run/$dir || exit; done; echo x >/run/x/sub/file'
inside 'exportfs -o fsid=50,crossmnt,insecure "*:/run/x"; exportfs -o fsid=51,insecure "*:/run/x/sub"; exportfs -o fsid=52,insecure,refer=/@192.168.78.1 "*:/run/x/ref"'
inside 'rpc.nfsd 0'
nfsd -H 192.168.77.1 --rdma=20049 4
serve_inside --listen 192.168.78.1:0 --nfs-port 2049
nfs "$fast,vers=4.1" 192.168.77.1:/run/x /mnt
inside 'cat /mnt/sub/file; ls /mnt/ref/'
mounts
expect_status 1
expect_words mount.submount pass 'mount above'
expect_words mount.submount fail '/mnt/ref: over tcp to 192.168.78.1: a referral below /mnt'
inside 'umount /mnt/ref; umount /mnt/sub; umount /mnt'
serve_end
server off
inside 'exportfs -ra; umount /run/x/ref /run/x/sub /run/x'
server plain

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# probe --mount: through a mount of the kernel's server, healthy, sick and gone. The one of
# kernel, own client and TCP that differs is at fault; a server that never answers blocks one
# child, which is named.
server plain
inside 'mkdir -p /srv/m /srv/tcp'
# It is named, because it may be young.
file="file-1048579"
mounted() { inside "/usr/sbin/mount -t nfs 10.0.2.15:/export/plain /srv/m -o vers=$1,proto=rdma,port=20049,nolock,hard,noac"; }

for version in 3 4.1 4.2; do
	mounted $version
	inside_run probe --mount /srv/m/$file --format json
	expect_status 0
	expect_only ''
	expect_finding kernel.mount pass
	expect_finding kernel.read pass
	expect_finding bug.read-812 pass
	expect_report ".subject.nfs_version == \"$version\"" "not in NFSv$version: $(jq -c .subject "$work/out")"
	note "NFSv$version: $(jq -r '.findings[] | select(.id == "kernel.read") | "\(.evidence.file), \(.evidence.right) of \(.evidence.tried)"' "$work/out")"
	# This changes their ctime, too.
	inside 'find /export/plain -type f -exec touch -d "2024-01-01 00:00:00" {} +'
	inside_run probe --mount /srv/m --format json
	expect_status 3
	expect_words kernel.read unknown 'unchanged for a minute'
	expect_reason kernel.read/no-file
	inside_run probe 10.0.2.15:/export/plain/$file --level quick --format json
	expect_status 0
	expect_words bug.read-812 pass '"decided_by":"reading"'
	inside '/usr/sbin/umount /srv/m'
done
inside_run probe --mount /srv/m --format json
expect_status 3
expect_words kernel.mount unknown 'not on an NFS mount'
expect_reason kernel.mount/not-nfs

inside '/usr/sbin/mount -t nfs 10.0.2.15:/export/plain /srv/tcp -o vers=4.0,proto=tcp'
inside_run probe --mount /srv/tcp --format json
expect_status 3
expect_words kernel.mount unknown 'over tcp'
expect_reason kernel.mount/not-rdma
inside '/usr/sbin/umount /srv/tcp'

# New connections are dropped, and the mount's stays: a comparison is impossible.
mounted 3
inside 'nft "add table inet t; add chain inet t c { type filter hook input priority 0; }; add rule inet t c tcp dport 20049 tcp flags syn drop"'
inside_run probe --mount /srv/m/$file --timeout 60 --format json
inside 'nft flush ruleset'
expect_status 3
expect_reason kernel.read/no-reference
inside '/usr/sbin/umount /srv/m'

# Gone: nothing is blamed, and only the child hangs.
mounted 3
server_gone /srv/m
inside_run probe --mount /srv/m/$file --timeout 60 --format json
expect_status 3
expect_finding kernel.read unknown
expect_reason kernel.read/no-answer
expect_report 'all(.findings[]; .status != "fail")' "somebody is accused"
took=$(jq '.elapsed_ms | floor' "$work/out")
within 90000 "a probe of 60 s"
server_back
inside '/usr/sbin/umount /srv/m'

# Its Write chunks are wrong for every client: the server is at fault.
server sick zeros-over-812
mounted 3
inside_run probe --mount /srv/m/$file --format json
expect_status 1
expect_words kernel.read fail 'server or transport'
expect_reason kernel.read/server
expect_report 'all(.findings[]; .id != "bug.read-812" or .status != "fail")' "the kernel's client is accused"
inside '/usr/sbin/umount /srv/m'

# A server whose NFS over TCP has another port: it is contacted where --nfs-port says, and only
# there.
serve
mount_serve 4.1
inside_run probe --mount /mnt --format json
expect_status 0
expect_finding probe.reference skip
inside_run probe --mount /mnt --nfs-port "$serve_nfs" --format json
expect_status 0
expect_finding kernel.read pass
expect_finding probe.reference pass
guest_tell umount

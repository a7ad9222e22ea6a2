# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# doctor --try and check --role server --try: what the checks cannot know is tried. The cause comes first, the kernel and mount.nfs are quoted, and
# nothing is left, whatever is killed.
server plain
# Mounts of all namespaces, and processes that may be ours.
# shellcheck disable=SC2016 # for the guest's shell
left() { guest_tell sh 'cat /proc/[0-9]*/mountinfo 2>/dev/null | grep -w nfs4\\? ; cat /run/mount/utab 2>/dev/null | grep /proc/driver; pidof nfsrdma mount.nfs rpc.statd; true'; }
before=$(left)
nothing_left()
{
	local what

	what=$(left)
	[[ $what == "$before" ]] || fail "left: $what; before: $before"
}

for version in 3 4.1 4.2; do
	inside_run doctor 10.0.2.15:/export/plain --try --nfs-version $version --timeout 120 --format json
	expect_status 0
	expect_words kernel.trial pass "over rdma, NFSv$version, in .* unmounted"
	expect_words kernel.read pass 'identical for the probe.s own client'
	expect_finding kernel.modules pass
	nothing_left
done

# Connections that are there are shared, and prove less.
inside 'mkdir -p /srv/m && mount -t nfs 10.0.2.15:/export/scratch /srv/m -o vers=4.2,proto=rdma,port=20049'
inside_run doctor 10.0.2.15:/export/plain --try --nfs-version 4.2 --timeout 120 --format json
expect_words kernel.trial pass 'shared the connection of /srv/m'
inside umount /srv/m
# NFSv4.1 over TCP lends its connection to a mount that says rdma.
inside 'mount -t nfs 10.0.2.15:/export/scratch /srv/m -o vers=4.2,proto=tcp'
inside_run doctor 10.0.2.15:/export/plain --try --nfs-version 4.2 --timeout 120 --format json
expect_status 1
expect_reason kernel.trial/not-rdma
inside umount /srv/m
nothing_left

# No check knows this: a kernel that cannot read.
server sick
inside 'echo Y >/sys/module/rpcrdma/parameters/sick_client'
inside_run doctor 10.0.2.15:/export/plain --try --nfs-version 3 --timeout 120 --format json
inside 'echo N >/sys/module/rpcrdma/parameters/sick_client'
expect_status 1
expect_words kernel.trial pass 'over rdma'
expect_reason bug.read-812/lost
server plain
nothing_left

# What the checks say leads, and the trial belongs to it.
inside_run doctor 10.0.2.15:/export/plain --try --port 20050 --timeout 120 --format json
expect_status 1
expect_report '.findings[] | select(.id == "kernel.trial") | .reason == "failed" and .because_of == "fabric.listener"' "the listener is not the cause"
inside_run doctor 10.0.2.15:/export/none --try --nfs-version 4.2 --timeout 120 --format json
expect_status 1
expect_report '.findings[] | select(.id == "kernel.trial") | .because_of == "probe.root"' "the export is not the cause"
inside_run doctor 10.0.2.15:/export/plain --try --nfs-version 4.2 --sec krb5 --timeout 120 --format json
expect_status 1
expect_report ".findings[] | select(.id == \"kernel.trial\") | .because_of == \"fabric.krb5\"" "Kerberos is not the cause"
nothing_left

# By policy it would be mounted without RDMA.
inside 'printf "[default]\npolicy = off\n" >/etc/nfsrdma.conf'
inside_run doctor 10.0.2.15:/export/plain --try --timeout 120 --format json
inside 'rm /etc/nfsrdma.conf'
expect_report '.findings[] | select(.id == "kernel.trial") | .status == "skip" and (.summary | test("the policy is off"))' "a trial without RDMA"

# Killed at any moment: nothing is mounted in any namespace, and no process waits.
# shellcheck disable=SC2016 # for the guest's shell
try='nfsrdma doctor 10.0.2.15:/export/plain --try --timeout 120 >/run/out 2>&1 & p=$!;'
# shellcheck disable=SC2016 # for the guest's shell
mounting='for i in $(seq 20000); do grep -qs /proc/driver /proc/[0-9]*/mountinfo && break; pidof mount.nfs >/run/pid && break; kill -0 $p 2>/run/err || break; sleep 0.01; done;'
for ms in 0 1 2 3 5 8 13 21 34 55 89 144 233 377 610; do
	guest_tell sh "$try $mounting sleep $(printf 0.%03d $ms); kill -9 \$p; wait \$p; true" || fail "the guest"
done
sleep 1
nothing_left

# The server tries itself: at both devices, and where a packet filter drops what portlist shows.
server plain
inside_run check --role server --try --timeout 60 --format json
expect_words server.trial pass 'at .*10.0.2.15 \(siw0\)'
expect_words server.trial pass '192.168.77.1 \(rxe0\).*rpcbind names TCP port 2049'
inside_run check --role server --format json
! in_report 'any(.findings[]; .id == "server.trial")' || fail "a trial that was not asked for"
inside 'iptables -V 2>/dev/null; nft "add table inet t; add chain inet t c { type filter hook input priority 0; }; add rule inet t c tcp dport 20049 drop"'
inside_run check --role server --try --timeout 60 --format json
inside 'nft flush ruleset'
note "$(jq -r '.findings[] | select(.id == "server.trial") | .summary' "$work/out")"
expect_reason server.trial/no-loop

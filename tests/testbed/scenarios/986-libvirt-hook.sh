# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The hook under Debian's libvirt, with guests of Debian's qemu: those are stopped whose disks
# should be on NFS over RDMA and are not, by file and by volume, with virsh saying why; the right
# one starts; and a server that is gone costs no time.
# shellcheck source=../libvirt.sh
. "$testbed/libvirt.sh"
server plain
hook=/etc/libvirt/hooks/qemu.d/nfsrdma

inside "rm -f $hook" # as before it was installed
libvirt_begin libvirt qemu
guest_tell journal start || fail "no journal"

# starting NAME: without a step of its processor, for which there is nothing to do
starting()
{
	status=0
	guest_tell sh "virsh -q -c qemu:///system start --paused $1 2>&1" >"$work/said" || status=$?
	cat "$work/said"
}

# refused NAME WORDS: libvirt does not start it, and virsh shows the hook's sentence.
refused()
{
	starting "$1"
	[[ $status == 1 ]] || fail "$1 starts"
	tr '\n' ' ' <"$work/said" | grep -qE "qemu.d/nfsrdma.*$2" ||
		fail "virsh does not say \"$2\": $(tail -n1 "$work/said")"
}

# asked WANT NAME: the hook by itself, as libvirt calls it; WANT is its exit status.
asked()
{
	status=0
	guest_tell sh "$hook $2 prepare begin - </run/$2.xml 2>&1" >"$work/said" || status=$?
	cat "$work/said"
	[[ $status == "$1" ]] || fail "$2: exit status $status, not $1: $(tail -n1 "$work/said")"
}

echo "--- libvirt reads its hooks when it starts, and when it is told to"
netfs vms /export/locks /srv/vms proto=rdma port=20049
netfs plain /export/plain /srv/plain proto=tcp
machine volume vms:web1.raw
machine file /srv/vms/web1.raw
machine right vms:web1.raw /srv/vms/web2.raw /srv/link/web3.raw
machine backed '/srv/top.qcow2</srv/vms/base.raw'
machine linked /srv/link/web3.raw
machine policy /srv/plain/file-1
machine twenty /srv/vms/disk-{01..20}.raw
machines volume file right backed policy
starting volume
inside "mkdir -p ${hook%/*}; ln -s /usr/sbin/nfsrdma-libvirt-hook $hook"
starting volume
grep -q "pool 'vms'.* is not active" "$work/said" || fail "$(tail -n1 "$work/said")"
guest_tell libvirt reload
# Its own error would come later: the pool does not run, so the file would be a local one.
refused volume "nothing is mounted at /srv/vms, where pool 'vms'"
refused file "/srv/vms/web1.raw.*nothing is mounted at /srv/vms"
in_journal gate-refused NFSRDMA_GUEST=file NFSRDMA_DISK=vda

echo "--- over RDMA: by volume, by path, and by a link to it"
virsh_inside pool-start --build vms
[[ $(proto_of /srv/vms) == rdma ]] || fail "the pool goes over $(proto_of /srv/vms)"
virsh_inside "vol-create-as vms web1.raw 1M --format raw"
inside 'truncate -s 1M /srv/vms/web2.raw /srv/vms/web3.raw; ln -s /srv/vms /srv/link'
before=$(date +%s%N)
starting right
[[ $status == 0 ]] || fail "it does not start: $(tail -n1 "$work/said")"
note "a guest on RDMA starts in $((($(date +%s%N) - before) / 1000000)) ms"
virsh_inside list | grep -q 'right.*paused' || fail "it does not run"
virsh_inside destroy right
virsh_inside pool-destroy vms

echo "--- silently over TCP: another mount of the server is there first"
inside 'mkdir -p /mnt2; /usr/sbin/mount -t nfs 10.0.2.15:/export/live /mnt2 -o vers=4.2,proto=tcp'
virsh_inside pool-start vms
[[ $(proto_of /srv/vms) == tcp ]] || fail "the kernel does not share connections: $(proto_of /srv/vms)"
refused volume '10.0.2.15:/export/locks.*over tcp.*pool .vms'
refused file '10.0.2.15:/export/locks.*over tcp'
refused backed '/srv/vms/base.raw.*over tcp'
asked 1 linked

echo "--- a policy, whatever the pool says"
virsh_inside pool-start --build plain
asked 0 policy # nobody wants it there
inside 'printf "[directory /srv/plain]\npolicy = require\n" >/etc/nfsrdma.conf'
refused policy '/srv/plain.*over tcp.*/etc/nfsrdma.conf:2'
virsh_inside pool-destroy plain
refused policy '/srv/plain.*/etc/nfsrdma.conf:2' # nothing is mounted there
# What nobody can read lets pass, and the journal has it.
inside 'echo policy=of >/etc/nfsrdma.conf'
asked 0 policy
in_journal gate-failed NFSRDMA_GUEST=policy
grep -q '/etc/nfsrdma.conf:1' "$work/said" || fail "$(cat "$work/said")"
inside 'rm /etc/nfsrdma.conf'

echo "--- twenty disks, and a server that is gone"
# timed WORD...: the hook five times; sets $took (ms of one) and $ended (its exit status).
timed()
{
	guest_tell timed 5 /run/twenty.xml $hook twenty "$@" - >"$work/timed" || fail "no end of it"
	read -r took ended <"$work/timed"
}

# decided WANT WHAT: how long it takes for twenty disks, and where it has nothing to look at.
decided()
{
	local none

	timed stopped end
	none=$took
	timed prepare begin
	note "20 disks, $2: $((took - none)) ms, and $none ms to start the program"
	[[ $ended == "$1" ]] || fail "$2: exit status $ended, not $1"
	within 2000 "20 disks, $2:"
}
decided 1 "over TCP"
server_gone /srv/vms
decided 1 "over TCP, dead"
before=$(date +%s%N)
refused volume '10.0.2.15:/export/locks.*over tcp'
note "a guest on TCP, dead, is refused in $((($(date +%s%N) - before) / 1000000)) ms"
server_back
virsh_inside pool-destroy vms
inside 'umount /mnt2'
virsh_inside pool-start vms
[[ $(proto_of /srv/vms) == rdma ]] || fail "the pool goes over $(proto_of /srv/vms)"
decided 0 "over RDMA"
server_gone /srv/vms
decided 0 "over RDMA, dead"
asked 0 right
server_back
virsh_inside pool-destroy vms
inside 'rm -f /export/locks/web*.raw /srv/link'
guest_tell journal end
libvirt_end

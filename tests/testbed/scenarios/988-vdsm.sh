# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# VDSM's hooks over real mounts of storage domains: a POSIX-compliant one of type nfsrdma, an NFS one
# with RDMA among its options, one that is over TCP since before, one that is not there; called as
# VDSM does, as its user, by paths as it links them, also when the server is gone.
server plain
guest_tell journal start || fail "no journal"

spec=10.0.2.15:/export/locks
where=/rhev/data-center/mnt/10.0.2.15:_export_locks
pool=/rhev/data-center/5849b030-626e-47cb-ad90-3ce782d831b3
domain=7c0b1fd2-3f0b-4f3c-9a39-0b7b0a1d2c11
image=images/6f2d1d4c-3a52-4a64-9ce8-0f4d6d1f3f55
volume=$image/9c1f6c52-6f0e-4b1b-8a39-52c4a5a0d6a1

# The domain as it is on the server, and VDSM's links to where it mounts it.
inside "mkdir -p /export/locks/$domain/dom_md /export/locks/$domain/$image; check fill /export/locks/$domain/$volume 65536; check fill /export/locks/$domain/dom_md/metadata 512; chown -R 36:36 /export/locks/$domain"
inside "mkdir -p $where $pool /run/vdsm/storage/$domain; chown -R 36:36 /rhev/data-center; ln -sfn $where/$domain $pool/$domain; ln -sfn $where/$domain/$image /run/vdsm/storage/$domain/${image#images/}"

put /run/disk.xml <<END
<disk type="file" device="disk" snapshot="no"><driver name="qemu" type="raw" cache="none"/>
<source file="$pool/$domain/$volume"/><target dev="vda" bus="virtio"/></disk>
END
put /run/guest.xml <<END
<domain type="kvm"><name>web1</name><devices><disk type="file" device="disk" snapshot="no">
<driver name="qemu" type="raw" cache="none"/><source file="/run/vdsm/storage/$domain/${volume#images/}"/>
<target dev="sda" bus="scsi"/></disk></devices></domain>
END

# vdsm POINT [DATA]: sets $status and $took (ms); what is said on stderr is $work/said. Never fails.
vdsm()
{
	status=0
	guest_tell vdsm "$1" "${2:-/dev/null}" >"$work/said" || status=$?
	echo "+ $1: exit status $status"
	cat "$work/said"
	took=$(sed -n 's/^took: //p' "$work/said")
	sed -i '/^took: /d' "$work/said"
	# Its own limit is 2 s, and 5 s before VDSM starts.
	[[ $1 == before_vdsm_start ]] || within 4000 "$1"
	within 7000 "$1"
}

# gates WANT [WORDS]: each of the points answers so: 0, or 2 with one sentence.
gates()
{
	local point data

	for point in before_vm_start before_vm_dehibernate before_vm_migrate_destination before_disk_hotplug; do
		data=/run/guest.xml
		[[ $point != before_disk_* ]] || data=/run/disk.xml
		vdsm $point $data
		if [[ $point == before_vm_dehibernate ]]; then
			# It keeps its memory, whatever it is on.
			[[ $status == 0 && ! -s $work/said ]] || fail "a restore is refused: $(cat "$work/said")"
			continue
		fi
		[[ $status == "$1" ]] || fail "$point: exit status $status, not $1: $(tail -n1 "$work/said")"
		if [[ $1 == 0 ]]; then
			[[ ! -s $work/said ]] || fail "$point says: $(cat "$work/said")"
			continue
		fi
		[[ $(wc -l <"$work/said") == 1 ]] || fail "$point does not say one sentence"
		grep -qE "$2" "$work/said" || fail "$point does not say \"$2\": $(cat "$work/said")"
	done
}

gone() { inside "/usr/sbin/umount -f -l $where"; }

echo "--- before VDSM starts"
vdsm before_vdsm_start
[[ $status == 0 && ! -s $work/said ]] || fail "before_vdsm_start: exit status $status: $(cat "$work/said")"

echo "--- a POSIX-compliant domain of type nfsrdma"
inside 'printf "[directory /rhev/data-center/mnt/*]\npolicy = require\n" >/etc/nfsrdma.conf'
mounting $where -t nfsrdma $spec $where -o vers=4.2,soft,nosharecache,timeo=100,retrans=3
expect_mounted 'vers=4.2,'
gates 0
server_gone $where
gates 0
note "server gone, on RDMA: the gate took $took ms"
server_back
gone

echo "--- an NFS domain with custom options, mounted as VDSM mounts it"
mounting $where -t nfs -o soft,nosharecache,timeo=100,retrans=3,nfsvers=4,minorversion=2,proto=rdma,port=20049 $spec $where
[[ $status == 0 && $mounted == *proto=rdma* ]] || fail "it is \"$mounted\""
gates 0
gone

echo "--- the same, over TCP since before its options were changed"
mounting $where -t nfs -o soft,nosharecache,timeo=100,retrans=3,nfsvers=4,minorversion=2 $spec $where
[[ $status == 0 && $mounted == *proto=tcp* ]] || fail "it is \"$mounted\""
gates 2 'over tcp.*/etc/nfsrdma.conf:2'
in_journal gate-refused "NFSRDMA_TARGET=$where" NFSRDMA_TRANSPORT=tcp
server_gone $where
gates 2 'over tcp'
note "server gone, on TCP: the gate took $took ms"
server_back
gone

echo "--- not mounted at all"
gates 2 "$where"
# Nobody wants it anywhere.
inside 'rm /etc/nfsrdma.conf'
gates 0

inside "rm -rf /export/locks/$domain /rhev /run/vdsm"
guest_tell journal end

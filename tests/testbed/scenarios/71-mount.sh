# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# mount -t nfsrdma over RoCE and iWARP, in every version, mounted in the open and hidden until it
# is proven; then common operations on a mount.
server plain

for propagation in private shared; do
	inside "/usr/sbin/mount --make-r$propagation /"
	for address in 192.168.77.1 10.0.2.15; do
		for version in 3,nolock 4.1 4.2; do
			mounting /mnt -t nfsrdma $address:/export/plain /mnt -o vers=$version
			expect_mounted "vers=${version%,*}"
			[[ $mounted == *" $address:/export/plain "* ]] || fail "SPEC is \"$mounted\""
			inside 'cat /mnt/file-1* >/dev/null && /usr/sbin/umount /mnt'
		done
	done
done

# NFSv3 with locks: mount.nfs starts rpc.statd, which must not hold the caller's stderr.
mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o vers=3
expect_mounted vers=3

# Mounting the same again is no error, and remounting works.
mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o vers=3
expect_mounted vers=3
mounting /mnt -t nfsrdma -o remount,ro 192.168.77.1:/export/plain /mnt
expect_mounted 'ro,vers=3'
inside '/usr/sbin/umount /mnt'

# -f: everything except the mount.
mounting /mnt -f -t nfsrdma 192.168.77.1:/export/plain /mnt -o vers=4.2
[[ $status == 0 && $mounted == none ]] || fail "-f: exit status $status, $mounted"

# umount(8) needs no helper, not even where the mount asks for one as with an earlier version. A guest is not refused.
mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o vers=4.2,helper=nfsrdma
expect_mounted vers=4.2
inside '/usr/sbin/umount /mnt && ! grep " /mnt " /proc/self/mountinfo; ! grep -l "^pending" /run/nfsrdma/requests/*'

# A host name; and the options of a POSIX domain of oVirt.
inside 'grep -q " nas1$" /etc/hosts || echo 192.168.77.1 nas1 >>/etc/hosts; mkdir -p /rhev/data-center/mnt/nas1:_export_plain'
mounting /rhev/data-center/mnt/nas1:_export_plain -t nfsrdma nas1:/export/plain \
	/rhev/data-center/mnt/nas1:_export_plain -o vers=4.2,soft,nosharecache,timeo=100,retrans=3
expect_mounted 'vers=4.2'
inside '/usr/sbin/umount -f -l /rhev/data-center/mnt/nas1:_export_plain'

# The examples of the manual page, word for word.
page=$testbed/../../mount-helper/mount.nfsrdma.8.scd
inside 'mkdir -p /srv/vm /export/vm; grep -q " /export/vm " /proc/mounts || /usr/sbin/mount -t tmpfs vm /export/vm; exportfs -o rw,insecure,no_root_squash,fsid=77 "*:/export/vm"'
inside "echo '$(grep -m1 '^nas1:/export/vm .* nfsrdma ' "$page")' >/etc/fstab"
mounting /srv/vm /srv/vm
expect_mounted 'vers=4.2'
inside '/usr/sbin/umount /srv/vm; rm /etc/fstab'

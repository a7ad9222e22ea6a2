# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The README alone: its command that installs, then the commands of the QUICK START of nfsrdma-libvirt(7), to
# which it leads, as they are printed there. Only the export, limits of time and the editor are others. At the
# end the pool is mounted over RDMA, and a guest on it is guarded.
checkout=$system/../..
page=$checkout/plugin/libvirt/nfsrdma-libvirt.7.scd
target=/var/lib/libvirt/vms
started=$SECONDS typed=0

# type_in COMMAND: what a person types, as root.
type_in()
{
	typed=$((typed + 1))
	inside "$1"
}

# A long command continues on the next line.
# shellcheck disable=SC2016 # the page's
quick_start()
{
	sed -n '/^# QUICK START$/,/^# CONVERTING A POOL$/p' "$page" | sed -n '/^```$/,/^```$/p' |
		sed -e :again -e '/[\\|]$/ { N; s/ *\\*\n */ /; b again' -e '}'
}

# Guests of other scenarios have this name, too.
inside 'rm -f /srv/nfs/web1.raw'
# The export of guests has an image, from which something can be read.
inside 'head -c 2M /dev/urandom >/srv/nfs/template.raw'
not_installed
# As README's build-deb leaves them.
inside 'rm -rf /tmp/deb && mkdir /tmp/deb && tar -C /tmp/deb -xf /dev/disk/by-id/virtio-packages'
install=$(sed -n 's/^    sudo apt install \(.*nfsrdma_.*\)$/\1/p' "$checkout/README.md")
[[ $install ]] || fail "the README does not install the packages"
type_in "DEBIAN_FRONTEND=noninteractive apt install -y $install"

section=''
while IFS= read -r line; do
	line=${line//nas1:\/export\/vms/nas1:\/srv\/nfs}
	# On a busy machine a check can exceed its time.
	[[ $line != '# nfsrdma '@(check|pool)* ]] || line+=' --timeout 120'
	case $line in
	'# virsh edit web1')
		typed=$((typed + 1))
		new_guest web1 "$target/web1.raw" ;;
	'# '*)	type_in "${line#\# }" ;;
	'['*)	section=$line ;;
	*=*)	[[ ! $section ]] || type_in "printf '%s\n' '$section' '$line' >>/etc/nfsrdma.conf" ;;
	*)	section='' ;;
	esac
done < <(quick_start)
((typed > 12)) || fail "only $typed commands are in the README and in nfsrdma-libvirt(7)"
note "$typed commands, $(((SECONDS - started + 59) / 60)) minutes"

# What they are for.
expect_rdma "$target"
expect_output running "$virsh domstate web1 | head -n1"
inside "$virsh destroy web1 && $virsh pool-destroy vms && mount -t nfs -o vers=4.1,proto=tcp nas1:/srv/nfs $target"
expect_refused web1 "disk vda \\($target/web1.raw\\) is on nas1:/srv/nfs, mounted at $target over tcp"

inside "umount $target; $virsh undefine web1; $virsh pool-undefine vms; rm /srv/nfs/web1.raw /srv/nfs/template.raw"
inside "sed -i '/^\\[server nas1\\]\$/,\$d' /etc/nfsrdma.conf"
expect_running

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The SELinux module in the whole policy of Debian, by semodule: it installs, breaks no assertion of that policy, gives
# its rules and labels, and goes. No kernel enforces it here.
requires make checkmodule semodule_package strace
[[ -f /usr/share/selinux/devel/Makefile ]] || skip "no selinux-policy-dev"
/usr/bin/python3 -c 'import setools' 2>/dev/null || skip "no python3-setools"
root=$work/roots/selinux
debian_root "$root" bookworm selinux-policy-default policycoreutils selinux-utils

mkdir "$work/module"
cp "$source"/packaging/selinux/nfsrdma.{te,if,fc} "$work/module/"
make -s -C "$work/module" -f /usr/share/selinux/devel/Makefile NAME=default nfsrdma.pp
cp "$work/module/nfsrdma.pp" "$root/tmp/"

# expect: the lines of stdin hold in the policy that the root's kernel would load.
expect()
{
	"$source/tests/support/selinux-policy" expect "$(echo "$root"/etc/selinux/default/policy/policy.*)" >"$work/wrong"
	[[ ! -s $work/wrong ]] || fail "$(cat "$work/wrong")"
}

label()
{
	local have

	have=$(inside "$root" "matchpathcon -n $1")
	[[ $have == *:"$2":* ]] || fail "$1 has the label $have, not $2"
}

expect <<'END'
allows mount_t self netlink_rdma_socket:
END
inside "$root" semodule -n -i /tmp/nfsrdma.pp
expect <<'END'
allows mount_t self netlink_rdma_socket: append bind connect create getattr getopt ioctl read setattr setopt shutdown write
allows mount_t infiniband_device_t chr_file: append getattr ioctl lock map open read write
becomes virtd_t nfsrdma_hook_exec_t process: nfsrdma_hook_t
allows nfsrdma_hook_t self tcp_socket:
allows nfsrdma_hook_t lib_t file: execute getattr ioctl map open read
allows nfsrdma_hook_t devlog_t sock_file: append getattr open write
allows nfsrdma_hook_t self file: append getattr ioctl lock open read write
END

# What the hook opens on a host with pools, policies and a refused guest, by the labels of Debian.
pool="<pool type='netfs'><name>vms</name><uuid>5c0d5f0e-0000-4000-8000-000000000001</uuid><source><host name='nas1'/><dir path='/x'/>
	<format type='nfs'/></source><target><path>/data/vms</path></target></pool>"
mkdir -p "$root"/{etc/nfsrdma.conf.d,etc/libvirt/storage,etc/vdsm/vdsm.conf.d,run/libvirt/storage,run/nfsrdma/requests,proc/self,data/vms}
printf '[directory /data]\npolicy = require\n' | tee "$root/etc/nfsrdma.conf" >"$root/etc/nfsrdma.conf.d/site.conf"
tee "$root/etc/libvirt/storage/vms.xml" >"$root/run/libvirt/storage/vms.xml" <<<"$pool"
touch "$root"/etc/{fstab,nfsmount.conf,vdsm/vdsm.conf} "$root/run/nfsrdma/requests/0123456789abcdef" "$root/data/vms/web1.raw"
ln -s data/vms "$root/vms"
cat /proc/self/mountinfo >"$root/proc/self/mountinfo"
dpkg -x "$(echo "$debs"/nfsrdma-libvirt_*.deb)" "$work/roots/hook"
# shellcheck disable=SC2016 # an XML document
domain='<domain><name>web1</name><devices><disk type="file"><source file="/vms/web1.raw"/><target dev="vda"/></disk>
	<disk type="volume"><source pool="vms" volume="web1.raw"/><target dev="vdb"/></disk></devices></domain>'
strace -f -y -e trace=openat,openat2,readlinkat -o "$work/trace" "$work/roots/hook/usr/sbin/nfsrdma-libvirt-hook" \
	--root "$root" web1 prepare begin - <<<"$domain" 2>"$work/refusal" || true
grep -q 'requires a mount over RDMA' "$work/refusal" || fail "the hook says $(cat "$work/refusal")"
"$source/tests/support/selinux-policy" needs "$work/trace" "$root" >"$work/needs"
grep -q '^/run/libvirt/storage/vms.xml file ' "$work/needs" || fail "the hook reads no pool"
cut -d' ' -f1 "$work/needs" | sort -u >"$root/tmp/paths"
inside "$root" 'xargs matchpathcon </tmp/paths' >"$work/labels"
awk 'NR == FNR { split($2, label, ":"); type[$1] = label[3]; next }
	{ class = $2; path = $1; $1 = $2 = ""; print "may nfsrdma_hook_t " type[path] " " class ":" $0 }' \
	"$work/labels" "$work/needs" | sort -u | tee "$work/rules" | expect
echo "the hook needs $(wc -l <"$work/rules") rules for $(wc -l <"$work/needs") objects"

label /usr/sbin/nfsrdma-libvirt-hook nfsrdma_hook_exec_t
label /run/nfsrdma/requests nfsrdma_runtime_t
# The helpers have the label of mount(8), whose domain they need, by the policy itself.
label /usr/sbin/mount.nfsrdma mount_exec_t
label /usr/libexec/nfsrdma/vdsm-hook bin_t
inside "$root" semodule -n -r nfsrdma
label /usr/sbin/nfsrdma-libvirt-hook bin_t
expect <<'END'
allows mount_t self netlink_rdma_socket:
END

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The SELinux module in the whole policy of Debian, by semodule: it installs, breaks no assertion of that policy, gives
# its rules and labels, and goes. No kernel enforces it here.
requires make checkmodule semodule_package
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
label /usr/sbin/nfsrdma-libvirt-hook nfsrdma_hook_exec_t
label /run/nfsrdma/mounts nfsrdma_runtime_t
# The helpers have the label of mount(8), whose domain they need, by the policy itself.
label /usr/sbin/mount.nfsrdma mount_exec_t
label /usr/sbin/umount.nfsrdma mount_exec_t
label /usr/libexec/nfsrdma/vdsm-hook bin_t
inside "$root" semodule -n -r nfsrdma
label /usr/sbin/nfsrdma-libvirt-hook bin_t
expect <<'END'
allows mount_t self netlink_rdma_socket:
END

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The SELinux module compiles against refpolicy, and adds to each supported policy the rules that
# packaging/selinux/README.md lists. The policies are stubs: the types that the module requires, less
# those that a distribution does not have. So optional blocks are enabled where their types exist.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires m4 make checkmodule semodule_package semodule_link semodule_expand
/usr/bin/python3 -c 'import setools' 2>/dev/null || skip "no python3-setools"
devel=/usr/share/selinux/devel/Makefile
[[ -f $devel ]] || skip "no $devel"
policy=$NFSRDMA_SOURCE/tests/support/selinux-policy

cp "$NFSRDMA_SOURCE"/packaging/selinux/nfsrdma.{te,if,fc} "$work/"
make -s -C "$work" -f "$devel" NAME=default nfsrdma.pp >"$work/make.log" 2>&1 || fail "$(cat "$work/make.log")"
! grep -iE 'warning|error' "$work/make.log" || fail "the module does not compile cleanly"

# link NAME [TYPE...]: the module with a policy that lacks these types.
link()
{
	local name=$1

	shift
	"$policy" base "$work/tmp/nfsrdma.tmp" "$@" >"$work/$name.conf"
	checkmodule -M -o "$work/$name.mod" "$work/$name.conf"
	semodule_package -o "$work/$name.pp" -m "$work/$name.mod"
	semodule_link -o "$work/$name.linked" "$work/$name.pp" "$work/nfsrdma.pp" >/dev/null
	semodule_expand "$work/$name.linked" "$work/$name.policy" >/dev/null
}

# expect NAME: the lines of stdin hold in that policy; READ is short for reading files, RW for a device.
expect()
{
	sed 's/READ/getattr ioctl lock open read/; s/RW/append getattr ioctl lock map open read write/' |
		"$policy" expect "$work/$1.policy" >"$work/wrong"
	[[ ! -s $work/wrong ]] || fail "$1: $(cat "$work/wrong")"
}

link fedora virt_runtime_t systemd_unit_t
link el9 virt_runtime_t systemd_unit_t virtqemud_t virt_hook_t virtstoraged_var_run_t
link debian virt_var_run_t systemd_unit_file_t virtqemud_t virt_hook_t virtstoraged_var_run_t
link without-libvirt virt_{runtime,var_run,etc,etc_rw,hook}_t virtd_t virtqemud_t virtstoraged_var_run_t

for name in fedora el9 debian without-libvirt; do
	# The mount helper uses RDMA devices and writes records. The hook reads, and notes a mount that it sees: no device, no
	# network.
	expect $name <<-'END'
		allows mount_t infiniband_device_t chr_file: RW
		allows mount_t self netlink_rdma_socket: append bind connect create getattr getopt ioctl read setattr setopt shutdown write
		allows mount_t unlabeled_t infiniband_pkey: access
		allows mount_t self capability: kill setgid setpcap setuid
		becomes mount_t var_run_t dir: nfsrdma_runtime_t
		allows nfsrdma_hook_t nfsrdma_runtime_t file: append create getattr ioctl link lock open read rename setattr unlink write
		allows nfsrdma_hook_t var_run_t file: READ
		allows nfsrdma_hook_t etc_t file: READ
		may nfsrdma_hook_t mnt_t dir: getattr open read search
		allows nfsrdma_hook_t syslogd_t unix_dgram_socket: sendto
		allows nfsrdma_hook_t self capability: dac_read_search
		allows nfsrdma_hook_t self netlink_rdma_socket:
		allows nfsrdma_hook_t self tcp_socket:
		allows nfsrdma_hook_t self udp_socket:
		allows nfsrdma_hook_t infiniband_device_t chr_file:
	END
done

# The daemons of libvirt start the hook in its own domain. VDSM, and its hooks, are virtd_t.
for name in fedora el9 debian; do
	expect $name <<-'END'
		becomes virtd_t nfsrdma_hook_exec_t process: nfsrdma_hook_t
		allows virtd_t nfsrdma_hook_t process: transition
		allows nfsrdma_hook_t virtd_t fifo_file: append getattr ioctl lock read write
		allows nfsrdma_hook_t virt_etc_rw_t file: READ
		allows virtd_t infiniband_device_t chr_file: RW
		becomes virtd_t var_run_t dir: nfsrdma_runtime_t
	END
done
expect fedora <<-'END'
	becomes virtqemud_t nfsrdma_hook_exec_t process: nfsrdma_hook_t
	allows virtqemud_t nfsrdma_hook_t process: transition
	allows virtqemud_t virt_hook_t lnk_file: getattr read
	allows nfsrdma_hook_t virtstoraged_var_run_t file: READ
	allows nfsrdma_hook_t virt_var_run_t file: READ
END
expect el9 <<<'allows nfsrdma_hook_t virt_var_run_t file: READ'
expect debian <<<'allows nfsrdma_hook_t virt_runtime_t file: READ'
# The units that say what should be mounted.
for name in fedora:systemd_unit_file_t el9:systemd_unit_file_t debian:systemd_unit_t; do
	expect "${name%:*}" <<-END
		allows nfsrdma_hook_t ${name#*:} file: READ
		may nfsrdma_hook_t ${name#*:} dir: getattr open read search
	END
done

# The paths of the files that meson installs.
expect_label() { grep -qE "^$1[[:space:]].*:$2," "$work/nfsrdma.fc" || fail "no label $2 for $1"; }
expect_label /usr/sbin/nfsrdma-libvirt-hook nfsrdma_hook_exec_t
expect_label '/run/nfsrdma\(/\.\*\)\?' nfsrdma_runtime_t
grep -q ' usr/sbin/nfsrdma-libvirt-hook$' "$NFSRDMA_SOURCE/tests/install.list"

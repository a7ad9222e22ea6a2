# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# nfsrdma setup --software with the kernel's own siw and rxe: the link exists at once and carries
# NFS, the unit's command adds it again after a boot and does nothing if it exists, and --undo
# removes it unless something uses it.
server plain

restore()
{
	# shellcheck disable=SC2016 # the guest's shell
	guest_tell sh 'umount -f -l /mnt 2>/dev/null; nfsrdma setup --undo >/dev/null; for name in siw_veth1 rxe_veth1; do rdma link delete $name 2>/dev/null; done; rm -rf /var/lib/nfsrdma' || true
}
trap restore EXIT

# setup STATUS ARGUMENT...: the exit status is expected.
setup()
{
	local expected=$1

	shift
	printf '+ in the guest: nfsrdma setup %s\n' "$*"
	status=0
	guest_tell sh "nfsrdma setup $* 2>&1" >"$work/setup" || status=$?
	cat "$work/setup"
	[[ $status == "$expected" ]] || fail "exit status $status of setup $*, not $expected"
}
says() { tr -s ' \n' ' ' <"$work/setup" | grep -qF -- "$1" || fail "setup does not say \"$1\""; }
picture() { inside 'find /etc /var/lib ! -path "/var/lib/nfs*" | sort; find /etc -type f -exec md5sum {} + | sort; rdma link show'; }
links() { guest_tell sh "rdma link show | grep -c ' netdev $1 *\$'" || true; }

# --- refusals -------------------------------------------------------------------------------

picture >"$work/before"
setup 2 client --software siw lo
says 'is the loopback interface'
setup 2 client --software siw veth9
says "no interface 'veth9' on this host"
setup 2 client --software siw veth0
says 'already has the RDMA device rxe0'
inside 'mv /usr/sbin/rdma /run/rdma'
setup 1 client --software siw veth1
says 'no command rdma'
inside 'mv /run/rdma /usr/sbin/rdma'
setup 0 client --software siw veth1 --dry-run
says 'rdma link add siw_veth1 type siw netdev veth1'
picture | diff -u "$work/before" - || fail "something was changed"

# --- a link of each type, there and back ------------------------------------------------------

for type in siw rxe; do
	setup 0 client --software "$type" veth1
	says "RDMA link ${type}_veth1 on veth1 added"
	inside "rdma link show ${type}_veth1/1 | grep -q 'state ACTIVE .*netdev veth1'"
	# shellcheck disable=SC2016 # the guest's shell
	inside 'test "$(readlink /etc/systemd/system/multi-user.target.wants/nfsrdma-link-veth1.service)" = /etc/systemd/system/nfsrdma-link-veth1.service'
	setup 0 client --software "$type" veth1
	says 'Nothing to do.'

	probe_inside 192.168.78.1:/export/plain --transport verbs --device "${type}_veth1" --level quick --format json
	expect_status 0

	# As systemd runs it: "$$" means one "$".
	inside 'sed -n "s/^ExecStart=//p" /etc/systemd/system/nfsrdma-link-veth1.service | sed "s/[$][$]/$/g" >/run/command'
	inside 'sh /run/command'
	[[ $(links veth1) == 1 ]] || fail "the unit's command is not idempotent"
	inside "rdma link delete ${type}_veth1; sh /run/command"
	[[ $(links veth1) == 1 ]] || fail "the unit's command does not add the link"

	# The server's listener is extended to every device.
	setup 0 --undo --dry-run
	says 'the NFS server of this host listens for RDMA'
	server off
	setup 0 --undo
	says "RDMA link ${type}_veth1 on veth1 deleted"
	picture | diff -u "$work/before" - || fail "undo left something"
	server plain
done

# --- a link that is used ----------------------------------------------------------------------

setup 0 client --software siw veth1
guest_tell mount 20049 20048 /export/plain 4.1 192.168.78.1 || fail "it cannot be mounted"
inside 'rdma resource show qp link siw_veth1/1 | grep -q " lqpn .* type RC "'
setup 0 --undo
says 'siw_veth1 stays until the next boot: this host has 1 NFS mount over RDMA'
[[ $(links veth1) == 1 ]] || fail "a link that is used was deleted"
inside 'grep -q " /mnt nfs4 .*proto=rdma" /proc/mounts && cmp /mnt/file-4096 /export/plain/file-4096'
guest_tell umount
inside 'rdma link delete siw_veth1'
picture | diff -u "$work/before" - || fail "undo left something but the link"
server off

# --- one that was made by hand gets its unit, and stays -----------------------------------------

inside 'rdma link add mine type siw netdev veth1'
setup 0 client --software siw veth1
inside 'grep -q "rdma link add mine type siw netdev veth1" /etc/systemd/system/nfsrdma-link-veth1.service'
setup 0 --undo
[[ $(links veth1) == 1 ]] || fail "a link that setup did not make was deleted"
inside 'rdma link delete mine'
picture | diff -u "$work/before" - || fail "undo left something"

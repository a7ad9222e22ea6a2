# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# nfsrdma setup in the guest, which has no systemd and no firewalld: a server and a module that are
# broken on purpose are found by check, mended by setup, found in order by check, by the kernel's
# client and by the next start of rpc.nfsd, and broken again after --undo.
server plain

restore()
{
	guest_tell sh 'umount -f -l /mnt 2>/dev/null; nfsrdma setup --undo >/dev/null; rm -rf /etc/modprobe.d /etc/nfs.conf.d; ip link set veth0 up' || true
	guest_tell server off || true
}
trap restore EXIT

setup() { printf '+ in the guest: nfsrdma setup %s\n' "$*"; guest_tell sh "nfsrdma setup $* 2>&1" >"$work/setup" || fail "setup $*: $(tail -n1 "$work/setup")"; cat "$work/setup"; }
says() { grep -qF -- "$1" "$work/setup" || fail "setup does not say \"$1\""; }
check() { inside_run check --format json "$@"; }
# What is not good, in a line.
bad() { jq -r '[.findings[] | select(.status != "pass" and .status != "skip") | "\(.status) \(.id)"] | join(", ")' "$work/out"; }
picture() { inside 'find /etc /var/lib ! -path "/var/lib/nfs*" | sort; find /etc -type f -exec md5sum {} + | sort'; }
listens() { guest_tell sh 'grep -q "^rdma 20049" /proc/fs/nfsd/portlist'; }

# --- a server without a listener, its module blacklisted, and then only not loaded -----------

server off
inside 'mkdir -p /etc/modprobe.d /etc/nfs.conf.d; echo blacklist rpcrdma >/etc/modprobe.d/test.conf; ! test -e /sys/module/rpcrdma && rpc.nfsd 4'
picture >"$work/before"
! listens || fail "it listens before setup"
check --role server
[[ $(bad) == "fail server.module" ]] || fail "check does not find it: $(bad)"
expect_status 1
# It asks for the module by its alias, which is withheld: told to listen, it might not start.
setup server --restart --dry-run
says 'blacklist'
says 'might not start at all'
! grep -q 'rdma-port' "$work/setup" || fail "a server that cannot load rpcrdma is told to listen"

inside 'rm -r /etc/modprobe.d'
picture >"$work/before"
check --role server
[[ $(bad) == *server.nfs-conf* ]] || fail "check does not find it: $(bad)"
# A port that the server has for TCP: some kernels fall over a listener that cannot be opened.
setup server --port 2049
says 'tcp 2049'
! grep -q 'rdma-port\|nfs.conf\|listens for RDMA' "$work/setup" || fail "a port that is taken is given to the server"
inside '! grep rdma /proc/fs/nfsd/portlist'
setup --undo
inside 'rmmod rpcrdma'
picture | diff -u "$work/before" - || fail "a port that is taken, and something stays"

setup server --restart --dry-run
says 'modprobe rpcrdma'
says '+rdma-port=20049'
picture | diff -u "$work/before" - || fail "a dry run changed something"
! listens || fail "a dry run opened a listener"

setup server --restart
says '/etc/nfs.conf.d/nfsrdma.conf written'
says 'module rpcrdma loaded'
says 'the NFS server listens for RDMA on port 20049'
says 'systemd does not run here'
check --role server
[[ ! $(bad) ]] || fail "after setup: $(bad)"
expect_status 0
expect_words server.listener pass 20049
setup server
says 'Nothing to do.'

inside 'echo Y >/proc/fs/nfsd/v4_end_grace'
guest_tell mount 20049 20048 /export/plain 4.1 192.168.77.1 || fail "it cannot be mounted"
inside 'grep -q " /mnt nfs4 .*proto=rdma" /proc/mounts && cmp /mnt/file-4096 /export/plain/file-4096'
guest_tell umount

# What rpc.nfsd itself makes of the drop-in. The port is free only when the last connection is gone.
inside 'rpc.nfsd 0; rpc.nfsd 4'
until listens; do
	((SECONDS < guest_patience)) || break
	inside 'rpc.nfsd 0; sleep 1; rpc.nfsd 4'
done
listens || fail "rpc.nfsd does not read what setup wrote"

# Somebody else's line is kept.
inside 'cp /etc/nfs.conf.d/nfsrdma.conf /run/ours; echo threads=6 >>/etc/nfs.conf.d/nfsrdma.conf'
guest_tell sh 'nfsrdma setup --undo 2>&1' >"$work/setup" && fail "undo of a file that was edited"
says 'was edited since setup wrote it'
says 'nothing was undone'
inside 'cp /run/ours /etc/nfs.conf.d/nfsrdma.conf'

setup --undo
says '/etc/nfs.conf.d/nfsrdma.conf removed'
says 'until it is restarted'
picture | diff -u "$work/before" - || fail "undo left something"
inside 'rpc.nfsd 0; rpc.nfsd 4'
! listens || fail "it listens after undo"
check --role server
[[ $(bad) == *server.nfs-conf* ]] || fail "after undo: $(bad)"

# --- a client's module, not loaded and in no list ---------------------------------------------

inside 'rpc.nfsd 0; rmmod rpcrdma; ! test -e /sys/module/rpcrdma'
picture >"$work/before"
setup client --for-probe
says '/etc/modules-load.d/nfsrdma.conf written'
says '/etc/security/limits.d/nfsrdma.conf written'
inside 'test -e /sys/module/rpcrdma && grep -qx rpcrdma /etc/modules-load.d/nfsrdma.conf'
check --role client
[[ ! $(bad) ]] || fail "after setup of a client: $(bad)"

# --- the limit is enough, and not much more ---------------------------------------------------

server big
kib=$(inside "sed -n 's/.* memlock //p' /etc/security/limits.d/nfsrdma.conf")
# as_user KIB WORDS...: our command by somebody who may lock so much and is not root.
as_user()
{
	local kib=$1

	shift
	guest_tell sh "ulimit -l $kib; exec su -s /bin/sh nobody -c 'exec nfsrdma $* 192.168.77.1:/export/plain --transport verbs --timeout $run_timeout --format json'" \
		>"$work/out" 2>"$work/err" && status=0 || status=$?
}
for words in probe bench; do
	as_user "$kib" $words
	expect_status 0
done
as_user $((kib * 3 / 4)) bench
grep -q RLIMIT_MEMLOCK "$work/out" || fail "three quarters of $kib KiB would do"
note "locked memory for the probe: $kib KiB"
setup --undo
picture | diff -u "$work/before" - || fail "undo of a client left something"

# --- what setup cannot mend -------------------------------------------------------------------

inside 'ip link set veth0 down'
check 192.168.77.1 --role client
[[ $(bad) == 'fail fabric.cable' ]] || fail "a link that is down: $(bad)"
setup client
says 'Nothing to do.'
inside 'ip link set veth0 up'

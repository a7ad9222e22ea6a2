# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# nfsrdma check of the guest's kernel server, from the server and from a client: what nfs.conf is
# said to make of RDMA is what rpc.nfsd then does, and each way not to listen is told as that one.
server plain
server off

here() { inside_run check --role server --format json "$@"; }
both() { inside_run check --role both --format json; }
client() { inside_run check --role client --format json 192.168.77.1 "$@"; }

# conf LINE...: section [nfsd] of the guest's nfs.conf
conf() { inside "printf '%s\\n' '[nfsd]' ${*@Q} >/etc/nfs.conf"; }

# A starting server reads nfs.conf; a running one does not.
start() { inside 'rpc.nfsd 4 2>&1'; }
stop() { inside 'rpc.nfsd 0'; }
restart() { inside 'rpc.nfsd 0; rpc.nfsd 4 2>&1; cat /proc/fs/nfsd/portlist'; }
listens() { guest_tell sh "grep -qx 'rdma ${1:-.*}' /proc/fs/nfsd/portlist"; }

# --- nfs.conf, against what rpc.nfsd makes of it

rows=('fail|rdma=y' 'pass|rdma=y rdma-port=20049' 'fail|rdma-port=20049' 'pass|RDMA=on rdma-port=20050')
[[ ! ${NFSRDMA_TESTBED_NIGHTLY:-} ]] ||
	rows+=('pass|rdma=20049' 'fail|rdma=n' 'fail|rdma=nfsrdma' 'fail|rdma=y rdma-port=nfsrdma' 'fail|threads=4')
for row in "${rows[@]}"; do
	read -ra lines <<<"${row#*|}"
	conf "${lines[@]}"
	restart
	here
	expect_finding server.nfs-conf "${row%%|*}"
	case $row in
	pass*)	listens || fail "${row#*|}: rpc.nfsd does not listen"
		expect_only ;;
	fail*)	! listens || fail "${row#*|}: rpc.nfsd listens"
		expect_only 'fail server.nfs-conf' ;;
	esac
done

# A service nfsrdma is all that Debian lacks.
conf rdma=y
inside 'cp /etc/services /run/services; echo "nfsrdma 20049/tcp" >>/etc/services'
restart
here
inside 'cp /run/services /etc/services'
expect_only
listens 20049 || fail "rpc.nfsd did not find the service"

# --- the listener

# The server is started before nfs.conf requests RDMA: rpc.nfsd then only changes threads.
conf rdma=n
restart
conf rdma=y rdma-port=20049
start
here
expect_only 'fail server.listener'
client
expect_only 'fail fabric.listener'
expect_words fabric.listener fail 'refuses RDMA on port 20049'
expect_words fabric.listener fail REJECTED
inside 'echo rdma 20049 >/proc/fs/nfsd/portlist'
here
expect_only
expect_words server.listener pass 20049
client
expect_only
expect_words fabric.listener pass 20049

conf rdma=n
here
expect_only 'warn server.nfs-conf'

# Another port
conf rdma=y rdma-port=20050
here
expect_only 'warn server.port'
restart
here
expect_only
expect_words server.port pass 'port=20050'
here --port 20049
expect_only 'fail server.port'
client
expect_only 'fail fabric.listener'
client --port 20050
expect_only

# --- the server

here --nfs-version 4.2
expect_only
inside 'exportfs -ua'
here
inside 'exportfs -ra'
expect_only 'fail server.exports'

# Users other than root see as much.
inside 'chmod 755 /run'
# If a previous scenario had rules, only root can list them.
guest_tell sh "su -s /bin/sh nobody -c 'nfsrdma check --role server --format json --timeout $run_timeout'" >"$work/out" ||
	[[ $? == 3 ]] || fail "as nobody: $(summary)"
expect_report '[.findings[] | select(.status == "fail" or (.status == "unknown" and (.id | startswith("firewall.") | not)))] == []' \
	"as nobody: more than the firewall is not known"
expect_words server.threads pass '4 threads'
expect_words server.listener pass 20050

conf rdma=y rdma-port=20049
stop
here
expect_only 'fail server.threads'
inside 'umount /proc/fs/nfsd'
here
inside 'mount -t nfsd nfsd /proc/fs/nfsd'
expect_only 'fail server.threads'

# --- devices that come when the server listens already: the order does not matter

# shellcheck disable=SC2016 # the guest's variable
inside 'for link in rxe0 rxe1 siw0; do [ ! -d /sys/class/infiniband/$link ] || rdma link del $link; done'
start
listens 20049 || fail "no listener without device"
here
expect_only 'fail server.device'
both
expect_only 'fail client.device'
guest_tell devices || fail "no devices"
here
expect_only
client
expect_only

# --- the module

guest_tell server off
inside 'mkdir -p /etc/modprobe.d; echo blacklist rpcrdma >/etc/modprobe.d/test.conf'
start
! listens || fail "a blacklist does not stop the server"
here
expect_only 'fail server.module'
expect_words server.module fail svcrdma
both
expect_only 'warn client.module, fail server.module'
inside 'echo install rpcrdma /bin/false >/etc/modprobe.d/test.conf'
here
expect_only 'fail server.module'
both
expect_only 'fail client.module'
inside 'rm /etc/modprobe.d/test.conf'
here
expect_only 'fail server.listener'
restart
here
expect_only

inside 'rm /etc/nfs.conf'
guest_tell server off

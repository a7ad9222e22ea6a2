#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# firewalld, nft and ufw take the files of packaging/{firewalld,nftables,ufw}; all three open the same
# ports, and nft's rules pass packets that the filter drops without them.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires nft ip unshare python3
requires_root
for module in firewall ufw; do
	/usr/bin/python3 -c "import $module" 2>/dev/null || skip "no Python module $module"
done
unshare -n nft add table inet t 2>/dev/null || skip "the kernel has no nftables"
packaging=$NFSRDMA_SOURCE/packaging

# firewalld, by its own reader.
/usr/bin/python3 - "$packaging/firewalld" >"$work/ports" <<'END'
import sys
from firewall.core.io.service import service_reader

for name in ("nfsrdma-roce", "nfsrdma-iwarp"):
    service = service_reader(name + ".xml", sys.argv[1])
    service.check_config(service.export_config())
    print(service.name, *("/".join(port) for port in service.ports))
END
diff -u - "$work/ports" <<'END' || fail "firewalld reads other ports"
nfsrdma-roce 4791/udp
nfsrdma-iwarp 20049/tcp
END

# ufw, by its own parser.
mkdir "$work/applications.d"
cp "$packaging/ufw/nfsrdma" "$work/applications.d/"
/usr/bin/python3 - "$work/applications.d" >"$work/ufw" <<'END'
import gettext
import sys

# ufw's main program does this.
gettext.install("ufw")
import ufw.applications as applications

profiles = applications.get_profiles(sys.argv[1])
for name in ("nfsrdma-roce", "nfsrdma-iwarp"):
    applications.verify_profile(name, profiles[name])
    print(name, *applications.get_ports(profiles[name]))
END
diff -u "$work/ports" "$work/ufw" || fail "ufw reads other ports than firewalld"

# nft: a filter that drops what is not listed. The sender is a network namespace of its own.
cat >"$work/filter.nft" <<'END'
table inet filter {
	chain input {
		type filter hook input priority filter; policy drop;
		iif lo accept
		ct state established,related accept
		counter reject
	}
}
END
cat >"$work/passes.sh" <<'END'
# passes.sh UDP|TCP PORT: is a packet from 192.0.2.2 delivered to a socket of this namespace?
python3 - "$@" <<'PYTHON'
import os, socket, sys
kind = {"udp": socket.SOCK_DGRAM, "tcp": socket.SOCK_STREAM}[sys.argv[1]]
port = int(sys.argv[2])
here = socket.socket(socket.AF_INET, kind)
here.bind(("192.0.2.1", port))
if sys.argv[1] == "tcp":
    here.listen()
# The sender's socket stays in its namespace.
mine = os.open("/proc/self/ns/net", os.O_RDONLY)
def enter(fd):
    import ctypes
    if ctypes.CDLL(None, use_errno=True).setns(fd, 0):
        raise OSError(ctypes.get_errno(), "setns")
enter(os.open("/run/netns/sender", os.O_RDONLY))
there = socket.socket(socket.AF_INET, kind)
enter(mine)
there.connect(("192.0.2.1", port))
if sys.argv[1] == "udp":
    there.send(b"x")
    try:
        there.send(b"x")
    except ConnectionRefusedError:
        raise SystemExit("dropped")
    here.recv(1)
PYTHON
END
cat >"$work/network.sh" <<'END'
set -e
work=$1 examples=$2
mount -t tmpfs none /run && mkdir -p /run/netns
ip netns add sender
ip link set lo up
ip link add in type veth peer name out netns sender
ip addr add 192.0.2.1/24 dev in && ip link set in up
ip -n sender addr add 192.0.2.2/24 dev out && ip -n sender link set out up
nft -f "$work/filter.nft"
check() { sh "$work/passes.sh" "$1" "$2" >"$work/packet" 2>&1; }
for file in roce:udp:4791 iwarp:tcp:20049; do
	example=$examples/nfsrdma-${file%%:*}.nft rest=${file#*:}
	proto=${rest%:*} port=${rest#*:}
	! check $proto $port || { echo "$proto port $port passes without the example"; exit 1; }
	nft -c -f "$example"
	! check $proto $port || { echo "nft -c changes the rules"; exit 1; }
	nft -f "$example"
	check $proto $port || { echo "$proto port $port does not pass with the example"; cat "$work/packet"; exit 1; }
done
END
unshare -n -m sh "$work/network.sh" "$work" "$packaging/nftables" >"$work/nft" 2>&1 || fail "nft: $(cat "$work/nft")"

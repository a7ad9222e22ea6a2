#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
"""The firewall evaluation against the kernel.

	firewall.py check ANSWERS COUNT FILE...	the cases, then COUNT random rulesets
	firewall.py record FILE...		writes into the cases what nft prints of their rules

Makes a network namespace, which is the host under test: eth0 and eth1, each
a veth pair to a peer in a second namespace. A ruleset is loaded, packets are sent, and what
ANSWERS (tests/support/firewall-answers.c) says of `nft -j list ruleset` must be what became
of them; "unknown" is right where something cannot be evaluated, and nowhere else.
"""
import ctypes
import json
import os
import random
import select
import socket
import subprocess
import sys
import time

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
# netdev: (ours, theirs), IPv4 and IPv6
ADDRESSES = {
    "eth0": (("192.0.2.2", "192.0.2.1"), ("2001:db8::2", "2001:db8::1")),
    "eth1": (("198.51.100.2", "198.51.100.1"), ("2001:db8:1::2", "2001:db8:1::1")),
}
TCP_ESTABLISHED, TCP_SYN_RECV = 1, 3
# A packet over veth is there when the call that sends it returns, or soon after.
QUICK, SLOW = 0.02, 0.5


def sh(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **options).stdout


class Network:
    """This namespace and the peer's."""

    def __init__(self):
        self.ours = os.open("/proc/self/ns/net", os.O_RDONLY)
        self.sleeper = subprocess.Popen(["unshare", "-n", "sleep", "900"])
        peer = f"/proc/{self.sleeper.pid}"
        while os.readlink(f"{peer}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        self.theirs = os.open(f"{peer}/ns/net", os.O_RDONLY)
        self.tables = {True: "/proc/self/net", False: f"{peer}/net"}
        self.there = ["nsenter", f"--net={peer}/ns/net"]
        sh("ip", "link", "set", "lo", "up")
        for name, pairs in ADDRESSES.items():
            self.add_pair(name, pairs)
        # What is routed here and has no route back, and a network behind the peer.
        sh("ip", "route", "add", "10.0.0.0/24", "via", "192.0.2.1")
        sh(*self.there, "ip", "address", "add", "10.0.0.1/32", "dev", "eth0")
        self.port = 20100

    def add_pair(self, name, pairs):
        sh("ip", "link", "add", name, "type", "veth", "peer", "name", "far")
        sh("ip", "link", "set", "far", "netns", str(self.sleeper.pid))
        sh(*self.there, "ip", "link", "set", "far", "name", name)
        for prefix, end in (([], 0), (self.there, 1)):
            sh(*prefix, "ip", "link", "set", name, "up")
            for pair, length in zip(pairs, ("24", "64")):
                nodad = ["nodad"] if ":" in pair[end] else []
                sh(*prefix, "ip", "address", "add", f"{pair[end]}/{length}", "dev", name, *nodad)
        # Rules may drop what finds neighbours.
        for prefix, end, other in (([], 0, self.there), (self.there, 1, [])):
            link = json.loads(sh(*other, "ip", "-j", "link", "show", name))[0]["address"]
            for pair in pairs:
                sh(*prefix, "ip", "neigh", "replace", pair[1 - end], "lladdr", link, "dev", name,
                   "nud", "permanent")

    def close(self):
        self.sleeper.kill()
        self.sleeper.wait()

    def socket(self, kind, ours, family, address, port):
        """A bound socket in one of the two namespaces."""
        if LIBC.setns(self.ours if ours else self.theirs, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
        try:
            s = socket.socket(family, kind)
        finally:
            LIBC.setns(self.ours, CLONE_NEWNET)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.setblocking(False)
        s.bind((address, port))
        return s

    def fresh_port(self):
        self.port += 1
        return self.port

    def tcp_state(self, ours, port, peer_port):
        """States of the connections at a port, by the kernel's table: a SYN that came in is one."""
        states = set()
        for name in ("tcp", "tcp6"):
            with open(f"{self.tables[ours]}/{name}", encoding="ascii") as table:
                for line in list(table)[1:]:
                    words = line.split()
                    if (int(words[1].split(":")[1], 16) == port
                            and int(words[2].split(":")[1], 16) == peer_port):
                        states.add(int(words[3], 16))
        return states


def wait_for(what, seconds):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


class Packet:
    """One packet of a case, and what the kernel does with it."""

    def __init__(self, network, case):
        self.network, self.case = network, case
        self.incoming = "in" in case
        netdev = case.get("in") or case.get("out")
        self.kind = socket.SOCK_DGRAM if "udp" in case else socket.SOCK_STREAM
        far, near = ("from", "to") if self.incoming else ("to", "from")
        self.v6 = ":" in (case.get(far) or case.get(near) or "")
        pair = ADDRESSES.get(netdev, ADDRESSES["eth0"])[self.v6]
        self.near = case.get(near) or pair[0]
        self.far = case.get(far) or pair[1]
        self.family = socket.AF_INET6 if self.v6 else socket.AF_INET
        self.possible = netdev in ADDRESSES and not case.get("bridge") \
            and (case.get("udp") or case.get("tcp"))

    def ports(self):
        """Ports of source and destination; a source that may be any is a new one each time."""
        to = self.case.get("udp") or self.case.get("tcp")
        return self.case.get("sport") or self.network.fresh_port(), to

    def sockets(self, opened):
        """(sender, receiver): bound, of the packet itself."""
        sport, dport = self.ports()
        source = (self.far, sport) if self.incoming else (self.near, sport)
        target = (self.near, dport) if self.incoming else (self.far, dport)
        for ours, name in ((not self.incoming, source), (self.incoming, target)):
            opened.append(self.network.socket(self.kind, ours, self.family, *name))
        return opened

    def udp(self, sender, receiver, seconds):
        to = receiver.getsockname()[:2]
        token = os.urandom(8)
        try:
            sender.sendto(token, to)
        except PermissionError:
            return False
        except OSError:
            return None
        if not select.select([receiver], [], [], seconds)[0]:
            return False
        return receiver.recv(64) == token

    def tcp(self, sender, receiver, seconds):
        """Whether the SYN comes to the listener."""
        receiver.listen(5)
        to = receiver.getsockname()[:2]
        code = sender.connect_ex(to)
        if code == 1:
            return False
        here = (self.incoming, to[1], sender.getsockname()[1])
        return wait_for(lambda: self.network.tcp_state(*here)
                        & {TCP_SYN_RECV, TCP_ESTABLISHED}, seconds)

    def reply(self, sender, receiver, seconds):
        """The other end speaks first. None: it is not let."""
        if self.kind == socket.SOCK_DGRAM:
            if not self.udp(receiver, sender, SLOW):
                return None
            return self.udp(sender, receiver, seconds)
        # The packet is the SYN/ACK.
        sender.listen(5)
        code = receiver.connect_ex(sender.getsockname()[:2])
        if code == 1:
            return None
        here = (not self.incoming, sender.getsockname()[1], receiver.getsockname()[1])
        if not wait_for(lambda: self.network.tcp_state(*here), SLOW):
            return None
        return bool(select.select([], [receiver], [], seconds)[1]) and \
            receiver.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0

    def arrives(self, seconds):
        """True, False, or None where it cannot be tried."""
        opened = []
        try:
            sender, receiver = self.sockets(opened)
            if self.case.get("reply"):
                return self.reply(sender, receiver, seconds)
            how = self.udp if self.kind == socket.SOCK_DGRAM else self.tcp
            return how(sender, receiver, seconds)
        except OSError as error:
            if error.errno in (98, 99):
                return None
            raise
        finally:
            for s in opened:
                s.close()


def load(case):
    """Loads a case's rules: nft's language, commands, or a listing. False: nft takes them not."""
    sh("nft", "flush", "ruleset")
    if "commands" in case:
        for command in case["commands"]:
            sh(*command.split())
        return True
    if "source" in case:
        text, options = "\n".join(case["source"]), []
    else:
        text, options = json.dumps(case["ruleset"]), ["-j"]
    done = subprocess.run(["nft", *options, "-f", "-"], input=text.encode(), check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode and "random" not in case["name"]:
        print(f"nft: {done.stderr.decode()}{text}", file=sys.stderr)
    return done.returncode == 0


def listing():
    return json.loads(sh("nft", "-j", "list", "ruleset"))


# --- random rulesets ---------------------------------------------------------------

MATCHES = """
udp dport 4791
tcp dport 20049
tcp dport { 111, 2049, 20049 }
udp dport 4000-5000
tcp dport != 20049
udp dport != { 111, 4791 }
meta l4proto { tcp, udp } th dport { 4791, 20049 }
meta l4proto tcp
meta l4proto != udp
tcp dport > 20000
udp dport <= 4791
tcp sport 1024-65535
udp sport < 1024
th sport != 111
ip saddr 192.0.2.1
ip saddr 192.0.2.0/24
ip saddr != 192.0.2.0/24
ip saddr { 10.0.0.0/8, 192.0.2.0-192.0.2.9 }
ip daddr @hosts
ip saddr != @hosts
ip6 saddr 2001:db8::/64
ip6 saddr != { 2001:db8::1, 2001:db8:1::/64 }
ip6 daddr 2001:db8:0:0:8000::/65
iifname "eth0"
iifname "eth*"
iifname != "eth1"
iif lo
iifname { "eth1", "lo" }
oifname "eth0"
oifname "lo"
ct state new
ct state established,related
ct state != new
ct state != { established, related }
ct state invalid
ct state { new, untracked }
ct state ! established,related
ct state != established,related
ct direction original
ct direction reply
ct status dnat
meta nfproto ipv4
meta protocol ip6
ip protocol udp
ip protocol != tcp
ip6 nexthdr tcp
icmp type echo-request
icmpv6 type nd-neighbor-solicit
ip saddr . udp dport { 192.0.2.1 . 4791, 10.0.0.1 . 4000-5000 }
ip daddr . tcp dport != { 192.0.2.2 . 20049 }
tcp dport @ports
udp dport != @ports
iifname . meta l4proto { "eth0" . udp, "eth1" . tcp }
meta l4proto . th dport @services
ether type ip
ip frag-off & 0x1fff != 0
fib daddr type local
fib saddr type local
fib daddr type { broadcast, multicast }
meta nfproto . meta l4proto { ipv4 . tcp, ipv6 . udp }
""".strip().split("\n")
# Of the first packet only.
FIRST_MATCHES = """
tcp flags syn / fin,syn,rst,ack
tcp flags & (fin|syn) == (fin|syn)
tcp flags != syn
tcp flags syn
tcp flags ack
tcp flags & (fin|syn|rst|ack) != syn
meta pkttype host
meta pkttype { broadcast, multicast }
fib saddr . iif oif missing
fib saddr . mark . iif oif eq 0
""".strip().split("\n")
UNMODELLED = """
meta mark 0
limit rate 1000/second
limit rate over 1000/second
meta length 1-2000
ct mark 1
ip ttl 64
ip dscp cs1
@th,0,16 22
quota 1000 mbytes
""".strip().split("\n")
VERDICTS = ["accept"] * 5 + ["drop"] * 5 + ["reject", "reject with icmpx admin-prohibited",
            "reject with icmp host-prohibited", "reject with icmpv6 no-route",
            "reject with tcp reset", "return", "return", "counter", "continue",
            "meta mark set 1", "log prefix \"x\""] + ["jump"] * 4 + ["goto"] * 2
VMAPS = [
    "udp dport vmap { 4791 : %s, 4000-4790 : %s, 111 : drop }",
    "tcp dport vmap { 2049 : accept, 20049 : %s }",
    "iifname vmap { \"eth0\" : %s, \"lo\" : accept, \"eth1\" : %s }",
    "ct state vmap { established : %s, related : accept, invalid : drop }",
    "ct state vmap { established : accept, new : %s }",
    "ip saddr vmap { 192.0.2.0/24 : %s, * : %s }",
    "ip saddr . th dport vmap { 192.0.2.1 . 4791 : %s, 192.0.2.1 . 20049 : %s }",
    "meta l4proto vmap @protocols",
]


class Generator:
    def __init__(self, rng, modelled, incoming):
        self.rng, self.modelled, self.incoming = rng, modelled, incoming
        self.first_only = False

    def verdict(self, level):
        choice = self.rng.choice(VERDICTS)
        if choice not in ("jump", "goto"):
            return choice
        return f"{choice} c{self.rng.randrange(level + 1, 4)}" if level < 3 else "accept"

    def final(self, level):
        choice = self.verdict(level)
        return choice if choice.split()[0] in ("accept", "drop", "return", "continue", "jump",
                                               "goto") else "drop"

    def match(self, hook):
        pool = list(MATCHES)
        if hook in ("prerouting", "input"):
            pool += FIRST_MATCHES
        if not self.modelled and self.rng.random() < 0.4:
            pool = UNMODELLED
        choice = self.rng.choice(pool)
        if choice.startswith("fib saddr .") and hook != "prerouting":
            choice = "udp dport 4791"
        self.first_only |= choice in FIRST_MATCHES
        return self.named(choice)

    def named(self, text):
        """Interfaces of the wrong direction are compared as equal only: kernels differ."""
        ours, other = ("iif", "oif") if self.incoming else ("oif", "iif")
        if "!=" in text or "vmap" in text or "iifname ." in text:
            text = text.replace(other, ours)
        return text

    def rule(self, level, hook):
        if self.rng.random() < 0.12:
            vmap = self.rng.choice(VMAPS)
            if "th dport" in vmap:
                vmap = "meta l4proto { tcp, udp } " + vmap
            return self.named(vmap) % tuple(self.final(level) for _ in range(vmap.count("%s")))
        matches = [self.match(hook) for _ in range(self.rng.choice((0, 1, 1, 1, 2, 2)))]
        verdict = self.verdict(level)
        if not matches and verdict.split()[0] in ("accept", "drop", "reject", "return"):
            matches = [self.match(hook)]
        if any("th dport" in m or "th sport" in m for m in matches):
            matches.insert(0, "meta l4proto { tcp, udp }")
        if "reject" in verdict:
            # At postrouting there is none; and nft 1.0.6 does not list these tests before it.
            if hook == "postrouting":
                verdict = "drop"
            matches = [m for m in matches
                       if m not in ("ether type ip", "meta protocol ip6", "meta nfproto ipv4")]
        return " ".join(matches + [verdict])

    def chain(self, name, level, hook, head, count):
        lines = [f"chain {name} {{"] + ([head] if head else [])
        lines += [self.rule(level, hook) for _ in range(count)]
        return lines + ["}"]

    def table(self, name, hook, priority):
        lines = [f"table inet {name} {{",
                 "set hosts { type ipv4_addr; flags interval; "
                 "elements = { 192.0.2.1, 198.51.100.0/25 }; }",
                 "set ports { type inet_service; flags interval; elements = { 111, 4000-5000, 20049 }; }",
                 "set services { type inet_proto . inet_service; elements = { tcp . 2049, udp . 4791 }; }",
                 "map protocols { type inet_proto : verdict; elements = { tcp : %s, icmp : drop }; }"
                 % self.rng.choice(("accept", "drop", "continue"))]
        for level in (3, 2, 1):
            lines += self.chain(f"c{level}", level, hook, None, self.rng.randrange(1, 4))
        policy = self.rng.choice(("accept", "drop"))
        head = f"type filter hook {hook} priority {priority}; policy {policy};"
        return lines + self.chain("base", 0, hook, head, self.rng.randrange(1, 7)) + ["}"]

    def source(self):
        hooks = ["prerouting", "input"] if self.incoming else ["output", "postrouting"]
        lines = self.table("one", hooks[1] if self.incoming else hooks[0], 0)
        if self.rng.random() < 0.4:
            lines += self.table("two", self.rng.choice(hooks),
                                self.rng.choice((-300, -150, 10)))
        return lines

    def packets(self, network):
        out = []
        for _ in range(6):
            netdev = self.rng.choice(("eth0", "eth0", "eth1"))
            v6 = self.rng.random() < 0.35
            near, far = ADDRESSES[netdev][v6]
            if not v6 and netdev == "eth0" and self.rng.random() < 0.2:
                far = "10.0.0.1"
            udp = self.rng.random() < 0.5
            packet = {"in" if self.incoming else "out": netdev,
                      "udp" if udp else "tcp":
                      self.rng.choice((4791, 4791, 4500, 111) if udp else (20049, 20049, 2049, 22)),
                      "from": far if self.incoming else near, "to": near if self.incoming else far,
                      "sport": network.fresh_port(), "symmetric": True}
            if self.rng.random() < 0.3 and not self.first_only:
                # The port of the one that began is its own.
                key = "udp" if udp else "tcp"
                packet["sport"], packet[key] = packet[key], packet["sport"]
                packet["reply"] = True
            out.append(packet)
        return out


def random_cases(network, count):
    rng = random.Random(int(os.environ.get("FIREWALL_SEED", "20049")))
    for i in range(count):
        modelled = rng.random() < 0.7
        generator = Generator(rng, modelled, rng.random() < 0.65)
        yield {"name": f"random {i}", "source": generator.source(), "modelled": modelled,
               "packets": generator.packets(network)}


# --- the comparison ----------------------------------------------------------------

class Check:
    def __init__(self, program):
        self.answers = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)
        self.count = {"accept": 0, "drop": 0, "unknown": 0, "not tried": 0}
        self.bad = self.refused = 0

    def ask(self, ruleset, packets):
        line = json.dumps({"ruleset": ruleset, "packets": packets})
        self.answers.stdin.write(line + "\n")
        self.answers.stdin.flush()
        return json.loads(self.answers.stdout.readline())

    def complain(self, case, ruleset, packet, what):
        self.bad += 1
        if self.bad > 3:
            return
        print(f"not ok - {case['name']}: {what}\n  packet {json.dumps(packet)}")
        print("  " + "\n  ".join(case.get("source") or case.get("commands") or []))
        if os.environ.get("FIREWALL_DEBUG"):
            print(json.dumps(ruleset))

    def packet(self, network, case, ruleset, packet, said):
        what = Packet(network, packet)
        answer = said["answer"]
        if answer == "error":
            self.complain(case, ruleset, packet, said["why"])
        elif answer == "unknown" and case.get("modelled"):
            self.complain(case, ruleset, packet, f"unknown, but all is modelled: {said['why']}")
        if not what.possible:
            self.count["not tried"] += 1
            return
        arrives = what.arrives(QUICK)
        for _ in range(2):
            # Rather than on the time that a busy machine takes.
            if answer == "accept" and arrives is False:
                arrives = what.arrives(SLOW)
        if arrives is None:
            self.count["not tried"] += 1
            return
        self.count[answer] = self.count.get(answer, 0) + 1
        if answer in ("accept", "drop") and arrives != (answer == "accept"):
            self.complain(case, ruleset, packet, "{}, but it {}: {}".format(
                answer, "arrives" if arrives else "does not arrive", said["why"]))

    def case(self, network, case):
        if not load(case):
            # Random rules may contradict each other, which nft refuses.
            self.refused += 1
            self.bad += "random" not in case["name"]
            return
        ruleset = listing()
        for packet, said in zip(case["packets"], self.ask(ruleset, case["packets"])):
            self.packet(network, case, ruleset, packet, said)
            # nft after 1.0.6 prints what is left open where a case was stored; the kernel judges that answer, too.
            if packet.get("want") == "unknown" and devices(ruleset) != devices(case["ruleset"]):
                continue
            if "want" in packet and said["answer"] != packet["want"]:
                self.complain(case, ruleset, packet, f"{said['answer']}, not {packet['want']}: {said['why']}")


def devices(ruleset):
    return [one["chain"]["dev"] for one in ruleset["nftables"] if "dev" in one.get("chain", {})]


def read_case(path):
    with open(path, encoding="utf-8") as file:
        case = json.load(file)
    case["name"] = os.path.basename(path)
    return case


def write_case(path, case):
    """A line for each rule and packet, so that a change is seen."""
    del case["name"]
    text = []
    for key, value in case.items():
        lines = value["nftables"] if key == "ruleset" else value
        if isinstance(lines, list):
            body = ",\n".join("\t\t" + json.dumps(line) for line in lines)
            body = "[\n" + body + "\n\t]"
            value = '{"nftables": ' + body + "}" if key == "ruleset" else body
        else:
            value = json.dumps(value)
        text.append(f'\t"{key}": {value}')
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(text) + "\n}\n")


def record(files):
    """Counters stay at zero, for nothing is sent."""
    for path in files:
        case = read_case(path)
        if "source" not in case and "commands" not in case:
            continue
        if not load(case):
            return 1
        case["ruleset"] = listing()
        write_case(path, case)
    return 0


def check(program, count, files):
    check = Check(program)
    network = Network()
    cases = 0
    try:
        for path in files:
            case = read_case(path)
            if case.keys() & {"source", "commands", "load"}:
                check.case(network, case)
                cases += 1
        for case in random_cases(network, int(count)):
            check.case(network, case)
            cases += 1
    finally:
        network.close()
    print(f"{cases} rulesets, {check.refused} refused by nft; packets: "
          + ", ".join(f"{n} {k}" for k, n in check.count.items()))
    return 1 if check.bad or 2 * check.refused > cases else 0


if __name__ == "__main__":
    if LIBC.unshare(CLONE_NEWNET):
        sys.exit(f"no network namespace: {os.strerror(ctypes.get_errno())}")
    if sys.argv[1] == "record":
        sys.exit(record(sys.argv[2:]))
    sys.exit(check(sys.argv[2], sys.argv[3], sys.argv[4:]))

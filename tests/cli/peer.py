#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
"""peer.py MODE: a TCP peer on loopback that is no NFS/RDMA server, or stops being one.
Prints its port, then serves every connection in the same way until it is killed.
peer.py crowded PORT connections=NUMBER|calls=NUMBER: in front of a server, with too many clients at first.
peer.py flooding PORT: in front of a server, floods each connection once there is a session.
peer.py starved PORT: in front of a server that answers, but as one that is short of processors.
peer.py mountd status=NUMBER|flavor=NUMBER [port=NUMBER]: no such peer, but mountd, which answers every
MNT so; and rpcbind, which answers with that number as a port.
peer.py slow PORT [delay=MS] [rate=BYTES/S] [stall=MS every=CHUNKS]: in front of it, a slow path."""
import queue
import select
import socket
import struct
import sys
import threading
import time

# RFC 5044 7.1: key, flags (0x80 markers, 0x40 CRC, 0x20 rejected, 0x10 enhanced RFC 6581),
# revision, length of the private data.
REPLY = b"MPA ID Rep Frame"


def mpa_reply(flags, rev, private=b""):
    return REPLY + struct.pack(">BBH", flags, rev, len(private)) + private


def accept(sock):
    """The MPA handshake as any iWARP peer does it; True when the request was one."""
    request = b""
    while len(request) < 20:
        got = sock.recv(20 - len(request))
        if not got:
            return False
        request += got
    flags, rev, length = struct.unpack(">BBH", request[16:20])
    private = sock.recv(length, socket.MSG_WAITALL) if length else b""
    # IRD and ORD come first in enhanced private data: one of each is enough here.
    answer = struct.pack(">HH", 1, 1) if flags & 0x10 else b""
    sock.sendall(mpa_reply(0x40 | flags & 0x10, rev, answer))
    return private is not None


def http(sock):
    sock.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")


def banner(sock):
    sock.sendall(b"SSH-2.0-OpenSSH_9.2\x1b[31m\r\n")
    sock.recv(4096)
    threading.Event().wait()


def silence(_sock):
    threading.Event().wait()


def half_mpa(sock):
    sock.sendall(REPLY[:7])
    threading.Event().wait()


def reject(sock):
    sock.recv(4096)
    sock.sendall(mpa_reply(0x60, 1))


def private_too_long(sock):
    sock.recv(4096)
    sock.sendall(REPLY + struct.pack(">BBH", 0x40, 1, 0xFFFF))
    threading.Event().wait()


def half_frame(sock):
    """An FPDU that says 60 bytes and stops after 30, when the first call has come."""
    if accept(sock):
        sock.recv(4096)
        # RFC 5040, 5041: Send, queue 0, message 1, offset 0.
        header = struct.pack(">HBBIIII", 60, 0x41, 0x43, 0, 0, 1, 0)
        sock.sendall(header + bytes(30 - len(header)))
        threading.Event().wait()


def no_reply(sock):
    if accept(sock):
        print("accepted", flush=True)
        threading.Event().wait()


def garbage(sock):
    """Well past the handshake, bytes that are no frame."""
    if accept(sock):
        sock.recv(4096)
        sock.sendall(bytes(range(256)) * 64)
        threading.Event().wait()


def crc32c(data):
    """RFC 5044 4.4, as a number whose least significant byte goes first."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


def flood(sock, frame):
    """The same good frame without end, when the first call has come; what comes is not read."""
    if accept(sock):
        sock.recv(4096)
        flood_forever(sock, frame)


def flood_forever(sock, frame):
    stream = (frame + crc32c(frame)) * 4096
    while True:
        sock.sendall(stream)


# RFC 5040, 5041: RDMA Write, last, STag 0, offset 0; no bytes.
EMPTY_WRITE = struct.pack(">HBBIQ", 14, 0xC1, 0x40, 0, 0)


def flood_writes(sock):
    flood(sock, EMPTY_WRITE)


def flood_sends(sock):
    # Send, not the last segment, queue 0, message 1, offset 0; no bytes.
    flood(sock, struct.pack(">HBBIIII", 18, 0x01, 0x43, 0, 0, 1, 0))


def hang_up(sock):
    if accept(sock):
        sock.recv(4096)


def recv_exactly(sock, length):
    data = b""
    while len(data) < length:
        got = sock.recv(length - len(data))
        if not got:
            raise OSError("closed")
        data += got
    return data


class Answer:
    """An RPC-over-RDMA server (RFC 8166) that gives every call the same answer."""
    def __init__(self, proc, body):
        self.proc, self.body = proc, body

    def __call__(self, sock):
        msn = 0
        if not accept(sock):
            return
        while True:
            # RFC 5044: length, then DDP and RDMAP headers of 18 bytes, the message, pad, CRC.
            length, = struct.unpack(">H", recv_exactly(sock, 2))
            frame = recv_exactly(sock, length + (-(length + 2) % 4) + 4)
            xid = frame[18:22]
            msn += 1
            message = xid + struct.pack(">III", 1, 16, self.proc)
            message += self.body if self.proc else bytes(12) + xid + self.body
            head = struct.pack(">HBBIIII", 18 + len(message), 0x41, 0x43, 0, 0, msn, 0)
            reply = head + message + bytes(-len(head + message) % 4)
            sock.sendall(reply + crc32c(reply))


# RFC 5531 9: REPLY, MSG_ACCEPTED, no verifier, accept_stat; RFC 8166 4.5: ERR_CHUNK.
ANSWERS = {
    "no-program": (0, struct.pack(">IIIII", 1, 0, 0, 0, 1)),
    "system-error": (0, struct.pack(">IIIII", 1, 0, 0, 0, 5)),
    "rdma-error": (4, struct.pack(">I", 2)),
}


class Mountd:
    """mountd, of which every export is refused with a status, or has one flavor."""
    def __init__(self, word):
        number = int(word.split("=")[1])
        self.result = struct.pack(">I", number)
        if word.startswith("flavor"):
            # RFC 1813 5.2.1: MNT3_OK, a handle of 4 bytes, a list of one flavor.
            self.result = struct.pack(">II4sII", 0, 4, b"root", 1, number)

    def __call__(self, sock):
        while True:
            mark, = struct.unpack(">I", recv_exactly(sock, 4))
            call = recv_exactly(sock, mark & 0x7FFFFFFF)
            reply = call[:4] + struct.pack(">IIIII", 1, 0, 0, 0, 0) + self.result
            sock.sendall(struct.pack(">I", 0x80000000 | len(reply)) + reply)


def relay(sock, server):
    while True:
        for ready in select.select([sock, server], [], [])[0]:
            data = ready.recv(65536)
            if not data:
                return
            (sock if ready is server else server).sendall(data)


class Starved:
    """Relays to the server. Resets the first connection within a READ, and each of the next four
    before it says anything."""
    def __init__(self, port):
        self.port = port
        self.lost = False
        self.resets = 0

    def reset(self, sock):
        self.resets += 1
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        print("reset", flush=True)

    def __call__(self, sock):
        if self.lost and self.resets < 5:
            self.reset(sock)
            return
        received = 0
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            while True:
                for ready in select.select([sock, server], [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    if ready is server:
                        received += len(data)
                    if received > 200000 and not self.lost:
                        self.lost = True
                        self.reset(sock)
                        return
                    (sock if ready is server else server).sendall(data)


class Crowded:
    """Relays to the server, but closes the first connections, as a server with too many clients does:
    before it says anything, or, with calls=, each at its first call."""
    def __init__(self, port, word):
        self.port = port
        self.what, number = word.split("=")
        self.left = int(number)

    def __call__(self, sock):
        if self.left:
            self.left -= 1
            print("closed", flush=True)
            if self.what == "calls":
                hang_up(sock)
            return
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            relay(sock, server)


class Flooding:
    """Relays to the server until a client has a session (NFSv4.1), and from then on floods each connection."""
    def __init__(self, port):
        self.port = port
        self.flooding = False

    def __call__(self, sock):
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            while not self.flooding:
                for ready in select.select([sock, server], [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    (sock if ready is server else server).sendall(data)
                    # RFC 8881 18.36: CREATE_SESSION is operation 43; its reply has come whole.
                    self.flooding = ready is server and struct.pack(">II", 43, 0) in data
        print("flooding", flush=True)
        flood_forever(sock, EMPTY_WRITE)


class Siw2015:
    """Relays to the server, as soft-iWARP of 2015 with mpa_crc_strict would take connections: it closes
    at MPA revision 2, and rejects a CRC that it does not want."""
    def __init__(self, port):
        self.port = port

    def __call__(self, sock):
        flags, rev = sock.recv(20, socket.MSG_PEEK | socket.MSG_WAITALL)[16:18]
        print("revision", rev, "flags", flags, flush=True)
        if rev != 1:
            return
        if flags & 0x40:
            sock.recv(4096)
            sock.sendall(mpa_reply(0x20, 1))
            return
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            relay(sock, server)


class Slow:
    """Relays to the server as a slow path would: a round trip takes delay ms longer, bytes come at
    rate bytes/s from the server, and nothing for stall ms at the tenth of every so many chunks from it."""
    def __init__(self, port, words):
        self.port = port
        self.of = {"delay": 0, "rate": 0, "stall": 0, "every": 0}
        self.of.update((word.split("=")[0], int(word.split("=")[1])) for word in words)
        self.chunks = 0

    def pump(self, source, sink, rate, stalls):
        """One direction: a thread reads, stamped with the time when it is to go on."""
        todo = queue.Queue(maxsize=64)

        def read():
            while True:
                try:
                    data = source.recv(16384)
                except OSError:
                    data = b""
                todo.put((time.monotonic() + self.of["delay"] / 2000, data))
                if not data:
                    return

        threading.Thread(target=read, daemon=True).start()
        while True:
            due, data = todo.get()
            time.sleep(max(0, due - time.monotonic()))
            if not data:
                break
            if stalls:
                self.chunks += 1
                if self.chunks % self.of["every"] == 10:
                    print("stall", flush=True)
                    time.sleep(self.of["stall"] / 1000)
            sink.sendall(data)
            if rate:
                time.sleep(len(data) / rate)
        sink.shutdown(socket.SHUT_WR)

    def __call__(self, sock):
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            # A small buffer, or the kernel hides the rate.
            server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            for end in (sock, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            up = threading.Thread(target=self.quietly, args=(sock, server, 0, False), daemon=True)
            up.start()
            self.quietly(server, sock, self.of["rate"], self.of["every"] > 0)
            up.join()

    def quietly(self, *args):
        try:
            self.pump(*args)
        except OSError:
            for end in args[:2]:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


def serve(sock, mode):
    try:
        mode(sock)
    except OSError:
        pass
    finally:
        sock.close()


def main():
    modes = {f.__name__.replace("_", "-"): f for f in (
        http, banner, silence, half_mpa, reject, private_too_long, half_frame, no_reply,
        garbage, flood_writes, flood_sends, hang_up)}
    relays = {"starved": Starved, "siw-2015": Siw2015, "flooding": Flooding}
    if sys.argv[1] in relays:
        mode = relays[sys.argv[1]](int(sys.argv[2]))
    elif sys.argv[1] == "slow":
        mode = Slow(int(sys.argv[2]), sys.argv[3:])
    elif sys.argv[1] == "crowded":
        mode = Crowded(int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1] == "mountd":
        mode = Mountd(sys.argv[2])
    elif sys.argv[1] in ANSWERS:
        mode = Answer(*ANSWERS[sys.argv[1]])
    else:
        mode = modes[sys.argv[1]]
    port = int(sys.argv[-1].split("=")[1]) if sys.argv[-1].startswith("port=") else 0
    listener = socket.create_server(("127.0.0.1", port))
    print(listener.getsockname()[1], flush=True)
    while True:
        sock, _ = listener.accept()
        threading.Thread(target=serve, args=(sock, mode), daemon=True).start()


main()

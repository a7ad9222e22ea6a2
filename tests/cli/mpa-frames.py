#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
"""mpa-frames.py IN OUT: the capture IN again, with one MPA frame a packet.

A packet of --pcap is what one system call sent or received, so that frames are cut where the
reader's buffer ended. Wireshark 4.0 loses the frames' boundaries in some of such streams. No
byte of either stream is changed, left out or reordered here: what does not add up stays wrong."""
import struct
import sys

PACKET, ETHERNET, IP, TCP = 16, 14, 20, 20
HEADERS = ETHERNET + IP + TCP


class Stream:
    """One direction: what came and is not yet a whole frame."""

    def __init__(self, seq):
        self.seq = seq
        self.data = b""
        self.started = False

    def frame_length(self):
        """RFC 5044: a start frame says its private data's length, an FPDU its ULPDU's."""
        if not self.started:
            return 20 + int.from_bytes(self.data[18:20], "big") if len(self.data) >= 20 else None
        if len(self.data) < 2:
            return None
        return (2 + int.from_bytes(self.data[:2], "big") + 3) // 4 * 4 + 4

    def take_frame(self):
        length = self.frame_length()
        if length is None or len(self.data) < length:
            return None
        frame, self.data = self.data[:length], self.data[length:]
        self.started = True
        return frame


def write(out, when, headers, payload):
    headers = bytearray(headers)
    struct.pack_into(">H", headers, ETHERNET + 2, IP + TCP + len(payload))
    length = len(headers) + len(payload)
    out.write(when + struct.pack("=II", length, length) + headers + payload)


def main(source, out):
    streams = {}
    out.write(source.read(24))
    while record := source.read(PACKET):
        packet = source.read(struct.unpack("=I", record[8:12])[0])
        headers, payload = packet[:HEADERS], packet[HEADERS:]
        ports, seq = struct.unpack_from(">II", headers, ETHERNET + IP)
        if not payload:
            write(out, record[:8], headers, payload)
            continue
        stream = streams.setdefault(ports, Stream(seq))
        if seq != stream.seq + len(stream.data):
            sys.exit(f"sequence number {seq}, not {stream.seq + len(stream.data)}")
        stream.data += payload
        while frame := stream.take_frame():
            headers = headers[:38] + struct.pack(">I", stream.seq) + headers[42:]
            write(out, record[:8], headers, frame)
            stream.seq += len(frame)
    left = sum(len(stream.data) for stream in streams.values())
    if left:
        sys.exit(f"{left} bytes at the end are no frame")


with open(sys.argv[1], "rb") as read_from, open(sys.argv[2], "wb") as write_to:
    main(read_from, write_to)

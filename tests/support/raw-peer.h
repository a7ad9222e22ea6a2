/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A peer of software iWARP that is a bare TCP socket and sends whatever a test tells it to:
 * good bytes, bad ones, in pieces, or none. */
#ifndef TESTS_SUPPORT_RAW_PEER_H
#define TESTS_SUPPORT_RAW_PEER_H

#include "rpcrdma/transport/internal.h"

/* Connects a bare socket to a new listener and sends the bytes; the connection is accepted and
 * not yet established. 0 or -errno. */
struct raw_peer {
	struct transport *listener, *t;
	int fd;
	uint64_t deadline;
};

int raw_peer_open(struct raw_peer *r, const void *request, size_t len);
/* An established connection to a peer that asked for a CRC (and offered IRD 4, ORD 4), as the
 * side that was connected to, with @param. */
int raw_peer_establish(struct raw_peer *r, const struct transport_param *param);
void raw_peer_close(struct raw_peer *r);
void raw_peer_send(struct raw_peer *r, const void *bytes, size_t len);
/* Reads exactly @len bytes within five seconds. */
bool raw_peer_read(struct raw_peer *r, void *buf, size_t len);
/* Reads one whole FPDU; returns its length, 0 when the connection ended. */
size_t raw_peer_read_fpdu(struct raw_peer *r, uint8_t *buf, size_t cap);

/* A whole FPDU with its CRC; @f->payload is set to @len. Returns its length. */
size_t raw_peer_build(uint8_t *buf, struct fpdu *f, const void *payload, uint32_t len);

/* The other way round: a listener on loopback whose thread accepts one connection, reads a
 * request of 20 to @request bytes, sends the script, and closes then or when told to. */
struct raw_server {
	struct transport_address at;
	const void *script;
	size_t len;
	bool stays;          /* does not close before raw_server_close() */
	bool deaf;           /* sends without reading */
	unsigned int gap_ms; /* between two bytes */
	const void *flood;   /* after the script, and once more has come: as of struct raw_flood */
	size_t flood_len;
	/* Not NULL: a connection before that one, on which the peer hears the request, sends
	 * this, and closes. */
	const void *before;
	size_t before_len;
	int listener, stop[2];
	uint8_t heard[64];
	size_t heard_len;
	unsigned long thread;
};

/* Sends the same bytes again and again, by a thread, until it is told to stop or, so that a test
 * of what never ends fails, for 15 seconds; then its side is closed. */
struct raw_flood {
	int fd;
	const void *bytes;
	size_t len;
	int stop[2];
	unsigned long thread;
};

int raw_flood_begin(struct raw_flood *f);
void raw_flood_end(struct raw_flood *f);

int raw_server_open(struct raw_server *s);
void raw_server_close(struct raw_server *s);

#endif

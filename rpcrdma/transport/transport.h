/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The transport seam: one reliable RDMA connection, as RPC-over-RDMA needs it. Behind it are
 * verbs (librdmacm and libibverbs: InfiniBand, RoCE, hardware and soft iWARP), iWARP in this
 * process over TCP, and in the tests an in-memory pair.
 *
 * Life: connect, or listen -> accept -> establish; then reg/send/recv/write/read; close.
 * A transport belongs to one thread. All waits end at a deadline (clock.c).
 *
 * Receives: `recv_depth` buffers of `recv_size` bytes are posted before the connection is
 * offered. recv lends one of them; repost gives it back. A peer that sends a longer message, or
 * more than is posted, breaks the connection, as an adapter would (more than is posted is repeated
 * on InfiniBand and RoCE instead, until there is room).
 *
 * Order: RDMA Writes of the peer that precede a Send are in memory when recv returns it. The side
 * that was connected to speaks second: its send, write and read wait for the peer's first word.
 *
 * All that has come is taken in at once, so messages may wait although ->fd is not readable:
 * who polls it receives with deadline 0 until -ETIMEDOUT first. */
#ifndef RPCRDMA_TRANSPORT_H
#define RPCRDMA_TRANSPORT_H

#include <sys/socket.h>
#include <sys/uio.h>

#include "rpcrdma/base.h"

struct transport;
struct pcap;

enum transport_access {
	TRANSPORT_REMOTE_WRITE = 1, /* Write and Reply chunks */
	TRANSPORT_REMOTE_READ = 2,  /* Read chunks */
};

/* A registered region: [offset, offset + length) under handle, exactly. */
struct transport_region {
	uint32_t handle; /* STag or rkey, never 0; on software iWARP random */
	uint32_t length;
	uint64_t offset; /* the tagged offset of the first byte; verbs: its address */
	void *priv;
};

struct transport_address {
	struct sockaddr_storage addr;
	socklen_t len;
};

/* What the peer did with our memory: the exact log that only a software endpoint can give. */
struct transport_tagged {
	uint32_t handle;
	uint64_t offset;
	uint32_t length;
};

/* How a peer is reached, for the report. */
struct transport_route {
	char device[64]; /* "rxe0" */
	uint8_t port;
	char text[256]; /* "rxe0 port 1 (RoCE over veth0, ACTIVE)" */
};

struct transport_param {
	/* connect and route: local address, where the route shall not choose it
	 * (NULL: it does); verbs: the device that it must be (NULL: any). Borrowed. */
	const struct transport_address *bind;
	const char *device;
	uint32_t recv_depth;
	uint32_t recv_size;
	uint16_t ird; /* RDMA Reads that the peer may have outstanding towards us */
	uint16_t ord; /* those that we want */
	const void *private_data;
	size_t private_len; /* InfiniBand, RoCE: 56 to connect, 196 to answer, zeros added */
	bool no_crc; /* iwarp: do not ask for the MPA CRC (it is asked for by default) */
	/* iwarp, connect: MPA's revision (0: 2). @mpa_retry: a peer that refuses it is
	 * asked again for revision 1 and no CRC, one that rejects the CRC without. The error is
	 * that of the first request. */
	uint8_t mpa_revision;
	bool mpa_retry;
	/* iwarp, a fault of the embedded server: every FPDU of the third and later messages
	 * that go out has a wrong CRC. It shows only where the CRC is on. */
	bool corrupt_crc;
	struct pcap *pcap; /* iwarp: records the stream; borrowed, may be NULL */
	/* Called for each RDMA Write segment that was placed, where that can be seen (verbs:
	 * never); may be NULL. */
	void (*on_write)(void *arg, const struct transport_tagged *placed);
	void *on_write_arg;
};

/* A received Send. Valid until repost. */
struct transport_msg {
	const uint8_t *data;
	size_t len;
	bool solicited;             /* verbs does not tell */
	bool invalidated;           /* Send With Invalidate: */
	uint32_t invalidate_handle; /* the region is gone already */
	uint32_t slot;              /* private to the transport */
};

enum transport_send_flags {
	TRANSPORT_SEND_SOLICITED = 1,
	TRANSPORT_SEND_INVALIDATE = 2,
};

/* What the peer did wrong, kept for the report. frame holds the first bytes as they came. */
/* Which kind of rule. */
enum transport_breach {
	BREACH_FRAME,  /* any other */
	BREACH_CRC,    /* the frame was damaged on its way, or the checksum is wrong */
	BREACH_MEMORY, /* it names memory that it may not touch */
};

struct transport_violation {
	char text[256]; /* empty: nothing */
	enum transport_breach breach;
	bool released; /* a Write to a region that was there, and was taken back */
	uint8_t frame[96];
	size_t frame_len;
};

struct transport_stats {
	uint64_t sends_in, sends_out;
	uint64_t writes_in, write_bytes_in; /* whole messages; bytes of every segment */
	uint64_t writes_out, write_bytes_out;
	uint64_t reads_in, reads_out;
};

/* Errors that every callback may return:
 *   -ETIMEDOUT  the deadline passed; the connection is as it was (recv), or broken (others).
 *               recv looks once even if it had passed before: deadline 0 polls
 *   -ECONNRESET the peer closed or reset the connection
 *   -EPROTO     the peer broke the protocol; transport->violation says how
 *   -EREMOTEIO  the peer sent a Terminate, or refused a request as a verbs peer does (NAK);
 *               err_text() has its words
 *   -ENODEV     verbs: the device is gone, or was never there
 *   -EIO        verbs: the adapter failed a request, by its own word not through the peer
 * After the first of them but a time-out of recv, all calls return the same again. Messages that
 * came before it are received first.
 * connect also: -ECONNREFUSED nothing listens or the peer rejected it,
 *   -EHOSTUNREACH/-ENETUNREACH, -EPROTONOSUPPORT the peer speaks something else (its first
 *   line is in the text), -ETIMEDOUT for silence or half an answer.
 * send also: -EMSGSIZE verbs: longer than its send buffers, which are as long as recv_size and
 *   4096 at least; nothing was sent.
 * reg, connect and establish also: -ENOMEM more locked memory than RLIMIT_MEMLOCK allows; the
 *   text has both numbers.
 * read also: -EOPNOTSUPP the peer accepts no RDMA Reads. */
struct transport_ops {
	const char *name;
	/* What it opens works for the identity that opened it and for no other (the kernel looks
	 * at who writes to a device's file). Everything below, listen and route too, is called
	 * after privileges are given up, and transport_raise_memlock() before. */
	bool personal;

	/* Finds the way to @to. Of @param bind and device count. Nothing is sent but what
	 * resolves the address. To be called after the last fork. NULL: every host is reached
	 * alike.
	 * Errors: -ENODEV no RDMA device here, or none on the route, or not the one wanted;
	 * -ENETDOWN its port is down; -EADDRNOTAVAIL bind is no address of this host;
	 * -EHOSTUNREACH, -ENETUNREACH, -ETIMEDOUT the address is not resolved; -EACCES the device
	 * may not be opened. The text names the event or the file. */
	int (*route)(const struct transport_address *to,
		     const struct transport_param *param, struct transport_route *out,
		     uint64_t deadline);

	int (*connect)(struct transport **out, const struct transport_address *to,
		       const struct transport_param *param, uint64_t deadline);
	/* A listening transport; its bound address is in ->local, and ->fd can be polled. */
	int (*listen)(struct transport **out, const struct transport_address *at);
	/* The next connection, without a handshake: -EAGAIN when there is none. */
	int (*accept)(struct transport *listener, struct transport **out);
	/* Answers the peer's request: its private data are in ->peer_private afterwards. */
	int (*establish)(struct transport *t, const struct transport_param *param,
			 uint64_t deadline);

	/* @base stays the caller's and must outlive dereg. */
	int (*reg)(struct transport *t, void *base, size_t len, unsigned int access,
		   struct transport_region *out);
	/* After it the peer can reach nothing of the region. Copes with a region that the peer
	 * invalidated. */
	void (*dereg)(struct transport *t, struct transport_region *region);

	int (*send)(struct transport *t, const struct iovec *iov, int iovcnt,
		    unsigned int flags, uint32_t invalidate_handle, uint64_t deadline);
	int (*recv)(struct transport *t, struct transport_msg *msg, uint64_t deadline);
	void (*repost)(struct transport *t, struct transport_msg *msg);

	/* One-sided, used by a responder. write returns when @data is the caller's again, and
	 * a later failure ends the connection; read when the data has arrived. */
	int (*write)(struct transport *t, const void *data, size_t len, uint32_t handle,
		     uint64_t offset, uint64_t deadline);
	int (*read)(struct transport *t, void *data, size_t len, uint32_t handle,
		    uint64_t offset, uint64_t deadline);

	/* Connection or listener, half-built ones too. NULL is fine. */
	void (*close)(struct transport *t);
};

#define TRANSPORT_PRIVATE_MAX 512

/* The part that users may read; every implementation embeds it first. */
struct transport {
	const struct transport_ops *ops;
	int fd; /* to poll for input; -1 when there is none */
	struct transport_address local;
	struct transport_address peer;
	uint8_t peer_private[TRANSPORT_PRIVATE_MAX];
	size_t peer_private_len;
	bool crc;             /* iwarp: negotiated */
	uint8_t mpa_revision; /* iwarp: of the request */
	/* iwarp, by connect with mpa_retry: what the peer refused before, "MPA revision 2"; or
	 * NULL */
	const char *refused;
	uint16_t ord; /* RDMA Reads that the peer grants us */
	struct transport_stats stats;
	struct transport_violation violation;
};

/* transport.c */

extern const struct transport_ops transport_iwarp;
extern const struct transport_ops transport_verbs;
/* By name, NULL if there is none such. */
const struct transport_ops *transport_find(const char *name);
/* Closes and forgets; for _cleanup_. */
void transport_close_p(struct transport **t);
/* Lets this process lock as much memory as it may: registered memory is locked memory. Root any
 * amount, also after it became somebody else; others up to their hard limit. */
void transport_raise_memlock(void);
/* Numeric host, or name; every address in the resolver's order, by the deadline. Deadline 0:
 * numeric only, without a name service.
 * Errors: -ENOENT the name is not known; -EAGAIN no answer from the resolver. */
int transport_resolve(const char *host, uint16_t port, struct transport_address *out,
		      size_t max, size_t *count, uint64_t deadline);
/* Whether both are addresses of one host, by the address alone; false for NULL. */
bool transport_same_host(const struct sockaddr *a, const struct sockaddr *b);
uint16_t transport_port(const struct transport_address *a);
void transport_set_port(struct transport_address *a, uint16_t port);
/* "192.0.2.1", "2001:db8::1", "fe80::1%eth0"; returns buf. */
const char *transport_host_text(const struct transport_address *a, char *buf, size_t cap);
/* "192.0.2.1:20049", "[2001:db8::1]:20049"; returns buf. */
#define TRANSPORT_ADDRESS_TEXT 80
const char *transport_address_text(const struct transport_address *a, char *buf,
				   size_t cap);

/* pcap.c: the TCP stream of an iwarp connection as a capture file (made-up Ethernet, IP and
 * TCP headers around the real payload), so that other dissectors can read it. */

/* Creates or truncates the file. Errors: -errno of open or write, with the path. */
int pcap_open(struct pcap **out, const char *path);
/* The same in two steps, for a child process that may not open the path: pcap_create returns a
 * descriptor; pcap_fdopen owns it if it returns 0. */
int pcap_create(const char *path);
int pcap_fdopen(struct pcap **out, int fd);
/* -errno if anything could not be written. NULL is fine. */
int pcap_close(struct pcap *pcap);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The transport interface: one reliable RDMA connection, as RPC-over-RDMA needs it. It is
 * implemented by verbs (librdmacm and libibverbs: InfiniBand, RoCE, hardware and soft iWARP),
 * iWARP in this process over TCP, and in the tests an in-memory pair.
 *
 * Life: connect, or listen -> accept -> establish; then reg/send/recv/write/read; close.
 * A transport belongs to one thread. All waits end at a deadline (clock.c).
 *
 * Receives: `recv_depth` buffers of `recv_size` bytes are posted before the connection is
 * offered. recv lends one of them; repost gives it back. A peer that sends a longer message, or
 * more than is posted, breaks the connection, as an adapter would (more than is posted is
 * repeated on InfiniBand and RoCE instead, until there is room).
 *
 * Order: RDMA Writes of the peer that precede a Send are in memory when recv returns it. The
 * passive side sends second: its send, write and read wait for the peer's first message.
 *
 * All available input is taken at once, so messages may be queued although ->fd is not readable:
 * before polling it, call recv with deadline 0 until -ETIMEDOUT. */
#ifndef RPCRDMA_TRANSPORT_H
#define RPCRDMA_TRANSPORT_H

#include <sys/socket.h>
#include <sys/uio.h>

#include "rpcrdma/base/base.h"

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

/* One access of the peer to our memory: the exact log that only a software endpoint can
 * provide. */
struct transport_tagged {
	uint32_t handle;
	uint64_t offset;
	uint32_t length;
};

/* The route to a peer, for the report. */
struct transport_route {
	char device[64]; /* "rxe0" */
	uint8_t port;
	char text[256]; /* "rxe0 port 1 (RoCE over veth0, ACTIVE)" */
};

struct transport_param {
	/* connect and route: local address (NULL: chosen by the route); verbs: required device
	 * (NULL: any). Borrowed. */
	const struct transport_address *bind;
	const char *device;
	uint32_t recv_depth;
	uint32_t recv_size;
	uint16_t ird; /* RDMA Reads that the peer may have outstanding to us */
	uint16_t ord; /* RDMA Reads that we request */
	const void *private_data;
	size_t private_len; /* InfiniBand, RoCE: 56 to connect, 196 to answer, zeros added */
	bool no_crc;        /* iwarp: do not request the MPA CRC (requested by default) */
	/* iwarp, connect: MPA's revision (0: 2). @mpa_retry: a peer that refuses it is retried
	 * with revision 1 and no CRC, one that rejects the CRC without it. The error is that of
	 * the first request. */
	uint8_t mpa_revision;
	bool mpa_retry;
	/* iwarp, connect: until when a peer whose host accepted the TCP connection may take to
	 * answer; a server that has many clients may leave it in its backlog. 0, or earlier:
	 * the deadline of connect. */
	uint64_t answer_by;
	/* iwarp, a fault of the embedded server: every FPDU of the third and later messages sent
	 * has a wrong CRC. It has an effect only with the CRC enabled. */
	bool corrupt_crc;
	struct pcap *pcap; /* iwarp: records the stream; borrowed, may be NULL */
	/* Called for each RDMA Write segment placed, if the transport sees them (verbs: never);
	 * may be NULL. */
	void (*on_write)(void *arg, const struct transport_tagged *placed);
	void *on_write_arg;
};

/* A received Send. Valid until repost. */
struct transport_msg {
	const uint8_t *data;
	size_t len;
	bool solicited;             /* not known with verbs */
	bool invalidated;           /* Send With Invalidate: */
	uint32_t invalidate_handle; /* the region was already removed */
	uint32_t slot;              /* private to the transport */
};

enum transport_send_flags {
	TRANSPORT_SEND_SOLICITED = 1,
	TRANSPORT_SEND_INVALIDATE = 2,
};

/* Which kind of rule the peer broke. */
enum transport_breach {
	BREACH_FRAME,  /* any other */
	BREACH_CRC,    /* the frame was corrupted, or its checksum is wrong */
	BREACH_MEMORY, /* it accesses memory that is not permitted */
};

/* The peer's protocol violation, kept for the report. frame holds the first bytes as received. */
struct transport_violation {
	char text[256]; /* empty: nothing */
	enum transport_breach breach;
	bool released; /* a Write to a region that was already deregistered */
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
 *   -ETIMEDOUT  the deadline passed; the connection is unchanged (recv) or broken (others).
 *               recv checks once even if it had already passed: deadline 0 polls
 *   -ECONNRESET the peer closed or reset the connection
 *   -EPROTO     the peer broke the protocol; transport->violation says how
 *   -EREMOTEIO  the peer sent a Terminate, or refused a request (a verbs NAK); err_text()
 *               has its text
 *   -ENODEV     verbs: the device was removed, or does not exist
 *   -EIO        verbs: the adapter failed a request, by its status not because of the peer
 * Errors of connect and route that the peer or the host causes have a reason (err_because()), which
 * probe.findings explains.
 * After the first error, except a time-out of recv, all calls return the same error. Messages
 * received before it are delivered first.
 * connect also: -ECONNREFUSED nothing listens or the peer rejected it,
 *   -EHOSTUNREACH/-ENETUNREACH, -EPROTONOSUPPORT the peer speaks something else (its first
 *   line is in the text), -ETIMEDOUT for silence or an incomplete answer.
 * send also: -EMSGSIZE verbs: longer than its send buffers, which are as long as recv_size and
 *   4096 at least; nothing was sent.
 * reg, connect and establish also: -ENOMEM more locked memory than RLIMIT_MEMLOCK allows; the
 *   text has both numbers.
 * read also: -EOPNOTSUPP the peer accepts no RDMA Reads. */
struct transport_ops {
	const char *name;
	const char *title; /* for the report, of a transport without route; or NULL */
	/* Descriptors work only for the identity that opened them (the kernel checks the
	 * credentials of writers to a device's file). Call everything below, including listen and
	 * route, after dropping privileges, and transport_raise_memlock() before. */
	bool personal;

	/* Finds the route to @to. Of @param only bind and device are used. Sends only address
	 * resolution. Call it after the last fork. NULL: the transport needs no route.
	 * Errors: -ENODEV no RDMA device on this host or on the route, or not the required
	 * one; -ENETDOWN its port is down; -EADDRNOTAVAIL bind is not an address of this host;
	 * -EHOSTUNREACH, -ENETUNREACH, -ETIMEDOUT the address is not resolved; -EACCES the
	 * device may not be opened. The text has the event or the file. */
	int (*route)(const struct transport_address *to, const struct transport_param *param,
		     struct transport_route *out, uint64_t deadline);

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
	/* Afterwards the peer cannot access the region. Accepts a region that the peer
	 * invalidated. */
	void (*dereg)(struct transport *t, struct transport_region *region);

	int (*send)(struct transport *t, const struct iovec *iov, int iovcnt, unsigned int flags,
		    uint32_t invalidate_handle, uint64_t deadline);
	int (*recv)(struct transport *t, struct transport_msg *msg, uint64_t deadline);
	void (*repost)(struct transport *t, struct transport_msg *msg);

	/* One-sided, used by a responder. write returns when the caller may reuse @data, and a
	 * later failure ends the connection; read returns when the data have arrived. */
	int (*write)(struct transport *t, const void *data, size_t len, uint32_t handle,
		     uint64_t offset, uint64_t deadline);
	int (*read)(struct transport *t, void *data, size_t len, uint32_t handle, uint64_t offset,
		    uint64_t deadline);

	/* Closes a connection or listener, also an incomplete one. NULL is fine. */
	void (*close)(struct transport *t);
};

#define TRANSPORT_PRIVATE_MAX 512
/* Connections that a listener holds until they are accepted. Linux limits it, to
 * net.core.somaxconn or net.rdma_ucm.max_backlog; a client beyond it waits for a second or more
 * before it tries again. */
#define TRANSPORT_BACKLOG 1024

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
	/* iwarp, set by connect with mpa_retry: what the peer refused, "MPA revision 2"; or
	 * NULL */
	const char *refused;
	uint16_t ord; /* RDMA Reads that the peer grants us */
	struct transport_stats stats;
	struct transport_violation violation;
};

/* transport.c */

extern const struct transport_ops transport_iwarp;
extern const struct transport_ops transport_verbs;
/* By name, NULL if unknown. */
const struct transport_ops *transport_find(const char *name);
/* Closes *@t and sets it to NULL; for _cleanup_. */
void transport_close_p(struct transport **t);
/* Raises RLIMIT_MEMLOCK, as registered memory is locked memory: for root to unlimited, which
 * lasts after a change of identity; for others to the hard limit. */
void transport_raise_memlock(void);
/* Resolves a numeric host or a name by the deadline; up to @max addresses in the resolver's order.
 * Returns their number, which is not 0. Deadline 0: numeric only, without a name service.
 * Errors: -ENOENT the name is not known; -EAGAIN the resolver does not answer. */
int transport_resolve(const char *host, uint16_t port, struct transport_address *out, size_t max,
		      uint64_t deadline);
/* Whether both are addresses of one host, by the address alone; false for NULL. */
bool transport_same_host(const struct sockaddr *a, const struct sockaddr *b);
uint16_t transport_port(const struct transport_address *a);
void transport_set_port(struct transport_address *a, uint16_t port);
/* "192.0.2.1", "2001:db8::1", "fe80::1%eth0"; returns buf. */
const char *transport_host_text(const struct transport_address *a, char *buf, size_t cap);
/* "192.0.2.1:20049", "[2001:db8::1]:20049"; returns buf. */
#define TRANSPORT_ADDRESS_TEXT 80
const char *transport_address_text(const struct transport_address *a, char *buf, size_t cap);

/* tcp.c */

/* Sends all bytes on a stream socket that may be blocking or not. @iov is used up.
 * Errors: -ETIMEDOUT, -ECONNRESET, -EPIPE's cases too. */
int tcp_send(int fd, struct iovec *iov, size_t count, uint64_t deadline);

/* tcp-gaps.c */

/* Packets of an iwarp connection that do not arrive; zeros for verbs. */
struct transport_gaps {
	/* Memory of packets that came, behind one that did not; 0 before Linux 4.12. */
	uint32_t held;
	/* How often our oldest packet that is not acknowledged was sent again. */
	uint32_t again;
};

void transport_gaps(const struct transport *t, struct transport_gaps *out);

/* pcap.c: the TCP stream of an iwarp connection as a capture file (synthetic Ethernet, IP and TCP
 * headers around the real payload), for other dissectors. */

/* Creates or truncates the file. Errors: -errno of open or write, with the path. */
int pcap_open(struct pcap **out, const char *path);
/* The same in two steps, for a child process that may not open the path: pcap_create returns a
 * descriptor; pcap_fdopen owns it if it returns 0. */
int pcap_create(const char *path);
int pcap_fdopen(struct pcap **out, int fd);
/* -errno if anything could not be written. NULL is fine. */
int pcap_close(struct pcap *pcap);

#endif

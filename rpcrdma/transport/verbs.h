/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Overview of verbs*.c, the only files that use librdmacm and libibverbs.
 *
 * verbs.c manages connections and listeners. Below it: verbs-cm calls the connection manager and
 * waits for its events, verbs-route finds the device, verbs-qp posts work requests and takes
 * their completions, verbs-io moves bytes, verbs-mr registers memory. verbs-text and verbs-quirks
 * are tables.
 *
 * Nothing is initialised at program start, and no object is created before the first call. */
#ifndef RPCRDMA_TRANSPORT_VERBS_H
#define RPCRDMA_TRANSPORT_VERBS_H

#include <rdma/rdma_cma.h>

#include "rpcrdma/transport/internal.h"

#define VERBS_PRIVATE_MAX 255 /* the limit of librdmacm */

/* verbs-text.c: events, states and refusals as text, and as -errno */

/* An event of the connection manager, copied so that it can be acknowledged at once. */
struct verbs_event {
	enum rdma_cm_event_type type;
	int status;
	struct rdma_cm_id *id; /* CONNECT_REQUEST: the new one */
	uint8_t ird, ord;      /* RDMA Reads: those we answer; those we may have outstanding */
	uint8_t private_data[VERBS_PRIVATE_MAX + 1];
	size_t private_len;
};

/* The properties of a device that texts and quirks depend on. */
struct verbs_kind {
	enum ibv_transport_type transport;
	uint8_t link_layer; /* IBV_LINK_LAYER_* */
	uint32_t vendor_id;
};

/* "InfiniBand", "RoCE", "iWARP". */
const char *verbs_text_kind(const struct verbs_kind *kind);
/* Reports a step that ended with an unexpected event: sets the error text, returns -errno. @kind
 * may be NULL before a device is known. */
int verbs_text_event(const struct verbs_event *event, const char *step,
		     const struct verbs_kind *kind);
/* Likewise for a connection that a completion ended. @theirs: it was a Receive, and the peer
 * caused the error. */
int verbs_text_completion(enum ibv_wc_status status, bool theirs);
/* "IBV_WC_RETRY_EXC_ERR" */
const char *verbs_text_status(enum ibv_wc_status status);

/* verbs-quirks.c: device differences */

enum verbs_quirk_flags {
	VERBS_SINK_NEEDS_WRITE = 1, /* memory that an RDMA Read fills is REMOTE_WRITE */
	VERBS_CONNECT_BLOCKS = 2,   /* rdma_connect() waits for TCP */
	VERBS_CLOSE_BLOCKS = 4,     /* so does rdma_destroy_id() while it connects */
	VERBS_PORT_MAPPER = 8,      /* iwpmd must run on both hosts */
	VERBS_FLUSH_FIRST = 16,     /* an end breaks the queue pair before the event */
	VERBS_DEPTHS_SWAPPED = 32,  /* ird and ord in the answer to a connect */
	VERBS_MAY_SLEEP = 64,       /* the first message may be processed late */
};

struct verbs_quirk {
	const char *name;
	int transport;      /* ibv_transport_type; -1: any */
	uint32_t vendor_id; /* 0: any */
	unsigned int flags; /* may be 0: documentation only */
	const char *what;   /* a sentence */
	const char *tested; /* "soft-iWARP of Linux 6.1", or why not */
};

extern const struct verbs_quirk verbs_quirks[]; /* ends with name NULL */

/* The flags of all rows that match. */
unsigned int verbs_quirk_flags(const struct verbs_kind *kind);

/* verbs-mr.c: memory, and how much of it may be locked */

struct verbs;

struct verbs_region {
	struct verbs_region *next, **at;
	struct ibv_mr *mr;
	uint64_t locked; /* bytes, whole pages */
};

/* Bytes of the pages that [base, base + len) touches. */
uint64_t verbs_mr_locked(const void *base, size_t len, size_t page);
/* Whether @need more bytes may be locked: 0, or -ENOMEM with the numbers and the fix in the
 * text. */
int verbs_mr_allowed(size_t len, uint64_t need, uint64_t in_use, uint64_t limit);
/* @access: IBV_ACCESS_*. -ENOMEM as above, or -errno of ibv_reg_mr. */
int verbs_mr_register(struct verbs *c, void *base, size_t len, int access,
		      struct verbs_region **out);
/* Also works after the device was removed. NULL is fine. */
void verbs_mr_release(struct verbs_region *region);
int verbs_mr_reg(struct transport *t, void *base, size_t len, unsigned int access,
		 struct transport_region *out);
void verbs_mr_dereg(struct transport *t, struct transport_region *region);

/* A connection or a listener */

/* A buffer for work requests, freed oldest first. */
struct verbs_ring {
	uint8_t *memory;
	struct verbs_region *region;
	size_t size, head, used;
};

/* A work request posted to the send queue; requests complete in order. */
struct verbs_request {
	struct verbs_ring *ring; /* NULL: none */
	size_t bytes;            /* returned to the ring */
};

struct verbs {
	struct transport t; /* first */
	bool initiator;
	bool listens;
	bool ready;             /* established */
	bool received;          /* the peer has sent something */
	bool connecting;        /* rdma_connect() was called and has not finished */
	unsigned int nudge_ms;  /* until the next one, while the peer has said nothing */
	bool removed;           /* the device was removed */
	bool disconnected;      /* the peer has disconnected */
	bool flushed;           /* the queue pair is broken, and no completion says why */
	struct err_kept failed; /* what ended the connection; rc 0: nothing did */

	/* the connection manager */
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	uint8_t peer_ird, peer_ord; /* of a request not yet answered */

	/* the device */
	struct verbs_kind kind;
	unsigned int quirks;
	struct ibv_device_attr device;
	uint32_t message_max;

	/* the queue pair */
	struct ibv_pd *pd;
	struct ibv_comp_channel *events;
	struct ibv_cq *cq;
	bool armed;
	struct verbs_region *regions;

	/* receiving */
	uint32_t recv_depth, recv_size;
	uint8_t *recv_memory;
	struct verbs_region *recv_region;
	uint32_t posted;               /* Receives posted to the adapter */
	struct transport_msg *waiting; /* a ring of recv_depth */
	uint32_t first, nwaiting;

	/* sending */
	size_t send_max;                /* bytes of a Send */
	struct verbs_request *requests; /* a ring of request_depth */
	uint32_t request_depth, request_first, nrequests;
	uint64_t completed;      /* completed requests */
	struct verbs_ring out;   /* Sends */
	struct verbs_ring stage; /* Writes; made by the first one */
	struct verbs_ring sink;  /* Reads; made by the first one */
};

static inline struct verbs *verbs_of(struct transport *t)
{
	return (struct verbs *)t;
}

/* verbs.c */

/* Marks the connection as broken, with the text of the last error; returns rc. */
int verbs_fail(struct verbs *c, int rc);
/* 0, or the error that makes it unusable. */
int verbs_usable(struct verbs *c);
/* Frees everything, also of an incomplete connection. */
void verbs_free(struct verbs *c);
void verbs_free_p(struct verbs **c);

/* verbs-cm.c: the connection manager */

/* A channel, and an identifier on it.
 * Errors: -ENODEV, -EACCES, with the missing part in the text. */
int verbs_cm_open(struct verbs *c);
/* Identifier and channel. */
void verbs_cm_close(struct verbs *c);
/* A new channel that does not block. */
int verbs_cm_channel(struct rdma_event_channel **out);
/* Takes the next event: 1 taken and acknowledged, 0 no event, -errno. */
int verbs_cm_take(struct rdma_event_channel *channel, struct verbs_event *out);
/* Waits for the event @wanted, the outcome of @step; any other ends it. */
int verbs_cm_expect(struct verbs *c, enum rdma_cm_event_type wanted, const char *step,
		    struct verbs_event *out, uint64_t deadline);
/* Address and device. */
int verbs_cm_resolve(struct verbs *c, const struct transport_address *to,
		     const struct transport_param *param, uint64_t deadline);
int verbs_cm_resolve_route(struct verbs *c, uint64_t deadline);
/* Connects. On -ETIMEDOUT *@c may be NULL: another thread then frees it. */
int verbs_cm_connect(struct verbs **c, const struct transport_param *param, uint64_t deadline);
int verbs_cm_accept(struct verbs *c, const struct transport_param *param, uint64_t deadline);
/* Handles pending events of an established connection: 0, or the error that ended it. */
int verbs_cm_check(struct verbs *c);

/* verbs-route.c: devices, ports, addresses */

/* 0, or -ENODEV and -EACCES: what this host lacks. */
int verbs_route_present(void);
/* A source address of the device, of @to's family. */
int verbs_route_source(const char *device, const struct transport_address *to,
		       struct transport_address *out);
/* Checks that the identifier's device is the required one and its port is up. */
int verbs_route_device(struct verbs *c, const char *device);
int verbs_route(const struct transport_address *to, const struct transport_param *param,
		struct transport_route *out, uint64_t deadline);
void verbs_route_address(const struct sockaddr *from, struct transport_address *out);

/* verbs-qp.c: queue pair, work requests, completions */

/* Creates everything that a connection needs, and posts Receives. */
int verbs_qp_open(struct verbs *c, const struct transport_param *param);
/* Moves it to the error state, waits for all completions, and frees it. */
void verbs_qp_close(struct verbs *c);
int verbs_qp_post_receive(struct verbs *c, uint32_t slot);
/* Posts one request to the send queue, which must have room. */
int verbs_qp_post(struct verbs *c, struct ibv_send_wr *wr, struct verbs_ring *ring, size_t bytes);
/* Takes available completions, or waits for them: 0 also when the caller must wait again,
 * -ETIMEDOUT, or the error that ended the connection. */
int verbs_qp_step(struct verbs *c, uint64_t deadline);
/* The same without waiting: the number of completions, or the error. */
int verbs_qp_poll(struct verbs *c);

/* verbs-io.c */

int verbs_ring_open(struct verbs *c, struct verbs_ring *ring, size_t size, int access);
void verbs_ring_close(struct verbs_ring *ring);
/* @len contiguous bytes; NULL when there is no room now. @bytes is the space they use. */
uint8_t *verbs_ring_take(struct verbs_ring *ring, size_t len, size_t *bytes);
int verbs_io_send(struct transport *t, const struct iovec *iov, int iovcnt, unsigned int flags,
		  uint32_t invalidate_handle, uint64_t deadline);
int verbs_io_recv(struct transport *t, struct transport_msg *msg, uint64_t deadline);
void verbs_io_repost(struct transport *t, struct transport_msg *msg);
int verbs_io_write(struct transport *t, const void *data, size_t len, uint32_t handle,
		   uint64_t offset, uint64_t deadline);
int verbs_io_read(struct transport *t, void *data, size_t len, uint32_t handle, uint64_t offset,
		  uint64_t deadline);

#endif

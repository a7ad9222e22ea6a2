/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Overview of this folder. Pure: crc, mpa, fpdu, terminate, region, slots. Then software iWARP: tcp
 * and iwarp-io use the socket, iwarp-rx parses bytes from any source (a socket, a test, a fuzzer),
 * iwarp-place checks and executes them, iwarp-tx builds output. For the transport of RDMA devices
 * see verbs.h. */
#ifndef RPCRDMA_TRANSPORT_INTERNAL_H
#define RPCRDMA_TRANSPORT_INTERNAL_H

#include "rpcrdma/transport/transport.h"

/* crc-isal.c or crc-no-isal.c: state starts at CRC_START; the CRC is ~state after the last byte. */

#define CRC_START UINT32_MAX

uint32_t crc_more(uint32_t state, const void *bytes, size_t len);
/* crc-table.c: the same. */
uint32_t crc_table_more(uint32_t state, const void *bytes, size_t len);

/* mpa.c */

#define MPA_HEAD        20
#define MPA_PRIVATE_MAX 512 /* RFC 5044 section 7.1.1; IRD and ORD count */
#define MPA_FRAME_MAX   (MPA_HEAD + MPA_PRIVATE_MAX)
#define MPA_DEPTH_MAX   0x3fff

enum mpa_kind { MPA_REQUEST, MPA_REPLY };

struct mpa_frame {
	uint8_t revision;
	bool markers;
	bool crc;
	bool reject;
	bool enhanced; /* IRD and ORD are present */
	uint16_t ird;
	uint16_t ord;
	const uint8_t *private_data; /* borrowed from the frame */
	size_t private_len;
};

/* Returns the length. Private data must not exceed MPA_PRIVATE_MAX. */
size_t mpa_encode(uint8_t buf[MPA_FRAME_MAX], enum mpa_kind kind, const struct mpa_frame *f);
/* Returns the frame's length, 0 when the bytes are valid so far and more are needed.
 * Errors: -EPROTONOSUPPORT another key; -EPROTO an impossible length. */
int mpa_decode(struct mpa_frame *f, enum mpa_kind kind, const uint8_t *buf, size_t len);
/* After 0: how many bytes to read next, never beyond the frame. */
size_t mpa_missing(const uint8_t *buf, size_t len);

/* fpdu.c */

enum rdmap_opcode {
	RDMAP_WRITE = 0,
	RDMAP_READ_REQUEST = 1,
	RDMAP_READ_RESPONSE = 2,
	RDMAP_SEND = 3,
	RDMAP_SEND_INVALIDATE = 4,
	RDMAP_SEND_SE = 5,
	RDMAP_SEND_SE_INVALIDATE = 6,
	RDMAP_TERMINATE = 7,
	RDMAP_OPCODES
};

enum ddp_queue { DDP_QN_SEND = 0, DDP_QN_READ = 1, DDP_QN_TERMINATE = 2, DDP_QUEUES };

#define FPDU_PREFIX      4  /* MPA length, DDP and RDMAP control: gives the header's length */
#define FPDU_HEAD_MIN    16 /* tagged, MPA length included */
#define FPDU_HEAD_MAX    20 /* untagged */
#define FPDU_TAIL_MAX    7  /* pad and CRC */
#define FPDU_ULPDU_MAX   65535
#define READ_REQUEST_LEN 28
#define TERMINATE_LEN    4

/* The header of one FPDU. */
struct fpdu {
	bool tagged;
	bool last;
	uint8_t ddp_version;
	uint8_t rdmap_version;
	uint8_t opcode;
	uint32_t stag; /* tagged: the target; Send with Invalidate: what to invalidate */
	uint64_t to;
	uint32_t qn;
	uint32_t msn;
	uint32_t mo;
	uint32_t payload; /* bytes after the header */
};

/* Length of a header that starts with @prefix, MPA length included. */
size_t fpdu_head_len(const uint8_t prefix[FPDU_PREFIX]);
size_t fpdu_pad(const struct fpdu *f);
/* Header, payload, pad and CRC together. */
size_t fpdu_total(const struct fpdu *f);
/* @len is at least fpdu_head_len(). Returns it, or -EPROTO when the MPA length is shorter. */
int fpdu_decode(struct fpdu *f, const uint8_t *buf, size_t len);
/* Returns the header's length. */
size_t fpdu_encode(uint8_t buf[FPDU_HEAD_MAX], const struct fpdu *f);
/* A header with the versions, tag bit and queue that belong to the opcode. */
void fpdu_init(struct fpdu *f, enum rdmap_opcode opcode);
bool fpdu_is_tagged(uint8_t opcode);
enum ddp_queue fpdu_queue(uint8_t opcode);
bool fpdu_invalidates(uint8_t opcode);
bool fpdu_is_solicited(uint8_t opcode);
/* "RDMA Write"; "opcode 9". Static or in the caller's buffer. */
const char *fpdu_opcode_text(uint8_t opcode);

struct read_request {
	uint32_t sink_stag;
	uint64_t sink_to;
	uint32_t size;
	uint32_t source_stag;
	uint64_t source_to;
};

void read_request_encode(uint8_t buf[READ_REQUEST_LEN], const struct read_request *r);
void read_request_decode(struct read_request *r, const uint8_t buf[READ_REQUEST_LEN]);

/* terminate.c */

enum terminate_layer { TERMINATE_RDMAP = 0, TERMINATE_DDP = 1, TERMINATE_LLP = 2 };

/* layer, error type, code: RFC 5040 section 4.8, RFC 5041 section 6.2, RFC 5044 section 8. */
#define TERMINATE(layer, etype, code) ((layer) << 12 | (etype) << 8 | (code))

enum terminate_reason {
	TERMINATE_CATASTROPHIC = TERMINATE(0, 0, 0x00),
	TERMINATE_READ_STAG = TERMINATE(0, 1, 0x00),
	TERMINATE_READ_BOUNDS = TERMINATE(0, 1, 0x01),
	TERMINATE_ACCESS = TERMINATE(0, 1, 0x02),
	TERMINATE_READ_WRAP = TERMINATE(0, 1, 0x04),
	TERMINATE_INVALIDATE = TERMINATE(0, 1, 0x09),
	TERMINATE_RDMAP_VERSION = TERMINATE(0, 2, 0x05),
	TERMINATE_OPCODE = TERMINATE(0, 2, 0x06),
	TERMINATE_TAGGED_STAG = TERMINATE(1, 1, 0x00),
	TERMINATE_TAGGED_BOUNDS = TERMINATE(1, 1, 0x01),
	TERMINATE_TAGGED_WRAP = TERMINATE(1, 1, 0x03),
	TERMINATE_TAGGED_VERSION = TERMINATE(1, 1, 0x04),
	TERMINATE_QN = TERMINATE(1, 2, 0x01),
	TERMINATE_NO_BUFFER = TERMINATE(1, 2, 0x02),
	TERMINATE_MSN = TERMINATE(1, 2, 0x03),
	TERMINATE_MO = TERMINATE(1, 2, 0x04),
	TERMINATE_TOO_LONG = TERMINATE(1, 2, 0x05),
	TERMINATE_UNTAGGED_VERSION = TERMINATE(1, 2, 0x06),
	TERMINATE_CRC = TERMINATE(2, 0, 0x02),
	TERMINATE_MPA = TERMINATE(2, 0, 0x05),
};

/* Writes the Terminate control word; @with_header sets the bits for a following DDP segment
 * length and header. */
void terminate_encode(uint8_t buf[TERMINATE_LEN], enum terminate_reason reason, bool with_header);
/* Text for a received control word, with the raw word; accepts either nibble order (soft-iWARP on
 * little-endian machines swaps them). Returns @buf. */
const char *terminate_text(const uint8_t word[TERMINATE_LEN], char *buf, size_t cap);

/* region.c: memory that the peer may access */

struct region {
	struct region *next;
	uint8_t *base;
	uint64_t to;
	uint32_t stag;
	uint32_t length;
	unsigned int access;
};

#define REGION_BUCKETS  256
#define REGION_RELEASED 256 /* for the largest chunks of all READs in flight */

struct region_table {
	struct region *buckets[REGION_BUCKETS];
	uint32_t random[32];
	unsigned int random_left;
	uint32_t released[REGION_RELEASED]; /* ring of the last removed STags */
	unsigned int released_next;
};

enum region_verdict { REGION_OK, REGION_NO_RIGHT, REGION_WRAP, REGION_BOUNDS };

/* The region gets a random STag and a random tagged offset that keeps the page offset of @base.
 * Errors: -EINVAL longer than 32 bits; -ENOMEM; those of random_bytes(). */
int region_add(struct region_table *table, void *base, size_t len, unsigned int access,
	       struct transport_region *out);
/* NULL when not found. */
struct region *region_find(const struct region_table *table, uint32_t stag);
/* False when not found. */
bool region_remove(struct region_table *table, uint32_t stag);
/* Whether this is one of the most recently removed regions. */
bool region_was_released(const struct region_table *table, uint32_t stag);
/* Whether this access to @len bytes at @to is allowed. Never overflows. */
enum region_verdict region_check(const struct region *r, uint64_t to, uint64_t len,
				 unsigned int access);
void region_fini(struct region_table *table);
int region_random(struct region_table *table, uint32_t *out);

/* slots.c: the posted receive buffers, each posted, being filled, waiting, or lent */

struct slots {
	uint8_t *memory;
	struct slots_entry *entries;
	uint32_t *posted;
	uint32_t *waiting;
	uint32_t depth, size;
	uint32_t nposted;
	uint32_t first, nwaiting;
};

int slots_init(struct slots *s, uint32_t depth, uint32_t size);
void slots_fini(struct slots *s);
/* Takes a posted buffer to fill: its number, or -ENOBUFS. */
int slots_fill(struct slots *s);
uint8_t *slots_memory(const struct slots *s, uint32_t slot);
/* Queues the filled buffer @msg->slot; @msg describes its content (data is set here). */
void slots_deliver(struct slots *s, const struct transport_msg *msg);
/* Lends the oldest queued message; false when there is none. */
bool slots_lend(struct slots *s, struct transport_msg *msg);
void slots_repost(struct slots *s, const struct transport_msg *msg);

/* pcap.c: one connection within a capture */

/* One direction's frame, until it is complete. */
struct pcap_half {
	uint8_t *bytes;
	size_t have;
	bool past_mpa; /* FPDUs follow */
	bool raw;      /* not MPA: recorded as received */
};

struct pcap_flow {
	struct pcap *pcap; /* NULL: records nothing */
	struct transport_address end[2];
	uint32_t seq[2];
	struct pcap_half half[2];
};

enum pcap_direction { PCAP_OUT = 0, PCAP_IN = 1 };

/* Records a TCP handshake, started by this end if @initiator, else by the peer. */
void pcap_flow_open(struct pcap_flow *flow, struct pcap *pcap,
		    const struct transport_address *local, const struct transport_address *peer,
		    bool initiator);
/* Records @len bytes of @iov in this direction. */
void pcap_flow_data(struct pcap_flow *flow, enum pcap_direction dir, const struct iovec *iov,
		    int iovcnt, size_t len);
void pcap_flow_close(struct pcap_flow *flow);

/* tcp.c */

/* Never returns -EINPROGRESS and the like; the socket is non-blocking, with TCP_NODELAY. @from:
 * the source address, or NULL; its port is ignored. */
int tcp_connect(const struct transport_address *to, const struct transport_address *from,
		uint64_t deadline);
int tcp_listen(const struct transport_address *at);
/* The socket, or -EAGAIN. */
int tcp_accept(int listener, struct transport_address *peer);
void tcp_local(int fd, struct transport_address *local);
/* Waits for events; returns those that occurred, or -ETIMEDOUT. */
int tcp_wait(int fd, short events, uint64_t deadline);

/* iwarp.c */

/* Large enough to receive a small message in one system call; at most this much of a long FPDU is
 * copied twice. */
#define IWARP_STAGE   4096
#define IWARP_SCRATCH 1024

enum iwarp_rx_state { RX_HEAD, RX_BODY, RX_TAIL };

struct iwarp_rx {
	enum iwarp_rx_state state;
	bool check_crc;
	bool crc_unsure; /* the peer did not agree to the CRC: its first FPDU shows */
	uint8_t stage[IWARP_STAGE];
	size_t begin, end;
	uint8_t scratch[IWARP_SCRATCH]; /* for discarded payload */

	/* the current FPDU */
	struct fpdu fpdu;
	uint8_t frame[sizeof(((struct transport_violation *)0)->frame)];
	size_t frame_len;
	uint32_t crc;
	uint8_t *target; /* where the next byte of payload goes; NULL: discarded */
	uint32_t left;   /* payload still to come */
	uint64_t fpdus;  /* complete ones so far */

	uint32_t msn[DDP_QUEUES]; /* expected */

	/* the Send being reassembled */
	bool in_message;
	uint8_t message_opcode;
	uint32_t slot;
	uint32_t mo;

	/* the peer's Read Requests, oldest first */
	struct read_request *requests;
	uint32_t first, count, depth;

	/* our own Read */
	bool reading;
	struct read_request read;
	uint8_t *read_base;
	uint32_t read_got;

	/* the Terminate to send for the peer's error */
	bool terminate;
	enum terminate_reason reason;
};

struct iwarp_tx {
	uint32_t msn[DDP_QUEUES]; /* next */
	uint32_t mulpdu;          /* longest FPDU without its length field and CRC */
	bool near;                /* the peer is on this machine */
	uint64_t messages;
	bool in_fpdu; /* an FPDU is partly sent */

	/* a Read Response segment that waits for the socket */
	uint8_t *out;
	size_t out_begin, out_end;
	uint32_t answered; /* bytes of the oldest Read Request */
};

struct iwarp {
	struct transport t; /* first */
	struct transport_param param;
	bool initiator;
	bool refuses_revision, refuses_crc; /* guessed from the peer's refusal */
	bool ready;                         /* FPDUs may be sent */
	bool send_crc;
	unsigned int nudge_ms;  /* until the next one, while the peer has said nothing */
	struct err_kept failed; /* what ended the connection; rc 0: nothing did */
	struct region_table regions;
	struct slots slots;
	struct pcap_flow flow;
	uint64_t received; /* bytes, of all */
	/* The last expired deadline, and the value of `received` then. */
	struct {
		bool is_set;
		uint64_t deadline, until;
	} late;
	struct iwarp_rx rx;
	struct iwarp_tx tx;
};

/* A connection without a socket, for iwarp_rx_* and the fuzzer. */
int iwarp_new(struct iwarp **out);
int iwarp_prepare(struct iwarp *c, const struct transport_param *param);
void iwarp_free(struct iwarp *c);
void iwarp_free_p(struct iwarp **c);
/* Marks the connection as broken, with the text of the last error; returns rc. */
int iwarp_fail(struct iwarp *c, int rc);

/* iwarp-handshake.c */

int iwarp_handshake_connect(struct iwarp *c, uint64_t deadline);
int iwarp_handshake_answer(struct iwarp *c, uint64_t deadline);

/* iwarp-io.c: the only file that reads and writes the connected socket */

/* One recvmsg into the parser: 1 bytes received, 0 none available, -errno the connection
 * ended. */
int iwarp_io_pump(struct iwarp *c);
/* The same after waiting for input, or for room if output is pending: one system call instead of
 * three for a message that has not arrived. 0 also when the caller must wait again; -ETIMEDOUT
 * also while more arrives: only bytes received by the deadline are taken. */
int iwarp_io_take(struct iwarp *c, uint64_t deadline);
/* After the handshake: receives may block from now on. */
int iwarp_io_may_block(struct iwarp *c);
/* Sends everything, or breaks the connection. Takes input while the socket is full. */
int iwarp_io_send(struct iwarp *c, struct iovec *iov, int iovcnt, uint64_t deadline);
/* Sends what the socket takes now; returns the count, 0 when it is full. */
ssize_t iwarp_io_try(struct iwarp *c, const struct iovec *iov, int iovcnt);
/* Waits for input, or for room if output is pending. */
int iwarp_io_wait(struct iwarp *c, uint64_t deadline);
/* For the handshake: reads between one and @len bytes; 0 when the peer has closed. */
ssize_t iwarp_io_read(struct iwarp *c, void *buf, size_t len, uint64_t deadline);

/* iwarp-rx.c */

/* Where the next bytes of the stream go: 1 or 2 pieces. */
int iwarp_rx_buffers(struct iwarp *c, struct iovec iov[2]);
/* @len bytes have been put there. 0, -EPROTO with the violation, -EREMOTEIO. */
int iwarp_rx_filled(struct iwarp *c, size_t len);
/* "12 of 92 bytes of a Send", or "" between two FPDUs. Returns @buf. */
const char *iwarp_rx_position(const struct iwarp *c, char *buf, size_t cap);
/* Records the peer's protocol violation; returns -EPROTO. */
int iwarp_rx_violation(struct iwarp *c, enum terminate_reason reason, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* iwarp-place.c */

/* Called when the header of rx.fpdu is complete: checks it, and sets the target of its
 * payload. */
int iwarp_place(struct iwarp *c);
/* Called when the FPDU is complete and its CRC correct. */
int iwarp_place_done(struct iwarp *c);

/* iwarp-tx.c */

/* Updates the maximum length of an FPDU. */
void iwarp_tx_measure(struct iwarp *c);
/* Sends one RDMAP message in one or more FPDUs; @f is its first header. */
int iwarp_tx_message(struct iwarp *c, struct fpdu *f, const struct iovec *iov, int iovcnt,
		     uint64_t deadline);
/* Answers Read Requests as far as the socket takes them now. */
int iwarp_tx_responses(struct iwarp *c);
/* Sends pending output that must precede any other: a Read Response segment, or (@whole) all of
 * it. */
int iwarp_tx_drain(struct iwarp *c, bool whole, uint64_t deadline);
bool iwarp_tx_waits(const struct iwarp *c);
/* Sends the Terminate if that is still possible, and shuts down our direction. */
void iwarp_tx_terminate(struct iwarp *c);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of the checks.
 *
 *	list.h        the table, in the order of causes
 *	checks.c      runs them
 *	facts.c       what several of them need, read once
 *	words.c       lists of things in a sentence
 *	ports.c       ports of RDMA devices: which of them matter, what they are called
 *	defects.c     known defects of kernels
 *	GROUP-NAME.c  one check a file: check_GROUP_NAME
 *	firewall*.c   what a packet filter does with one packet (pure; firewall.h)
 */
#ifndef PLUGIN_CHECKS_INTERNAL_H
#define PLUGIN_CHECKS_INTERNAL_H

#include "plugin/checks/checks.h"

#define CHECK(name) extern const struct check check_##name;
#include "plugin/checks/list.h"
#undef CHECK

/* facts.c */

struct facts *facts_new(void);
void facts_free_p(struct facts **facts);

/* words.c: pure */

#define WORDS_MAX 512

/* "192.0.2.1", without port. */
#define ADDRESS_NAME_MAX 64
const char *words_address(const struct transport_address *address,
			  char name[ADDRESS_NAME_MAX]);

/* Things in a sentence: "a, b and 3 more". */
struct words {
	const char *separator; /* NULL: ", "; "; " between sentences */
	unsigned int count, left_out;
	size_t used;
	char text[WORDS_MAX];
};

void words_add(struct words *words, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The whole of it; "" when nothing was added. */
const char *words_text(struct words *words);

/* ports.c: pure but for what facts.c reads */

#define PORT_NAME_MAX 128

/* "mlx5_0 port 1 (ens1f0np0)" */
const char *port_name(const struct rdma_device *device, const struct rdma_port *port,
		      char name[PORT_NAME_MAX]);

/* Ports that a check looks at: the one on the route to the server, or all. */
struct port_list {
	unsigned int count;
	bool routed; /* it is the one on the route */
	struct {
		const struct rdma_device *device;
		const struct rdma_port *port;
	} list[RDMA_DEVICES_MAX * RDMA_PORTS_MAX];
};

int ports_wanted(struct check_run *run, struct port_list *out);
/* NFS over RDMA can use a device of this kind. */
bool port_usable(const struct rdma_device *device);
bool port_is_up(const struct rdma_port *port);
/* -EIO with words where the state of a port could not be read. */
int port_problem(const struct rdma_device *device, const struct rdma_port *port);
const char *port_kind_name(const struct rdma_device *device);

/* fabric-gid.c */

/* The port has a GID for the address, in numbers; *@v2 is set where it is one of RoCE v2. */
bool port_has_gid(const struct rdma_port *port, const char *address, bool *v2);

/* remote.c: what the server answers; below a root, what the record .nfsrdma/remote.json says */

enum remote_answer {
	REMOTE_OPEN,        /* connected; rdma: and NULL was answered */
	REMOTE_REFUSED,     /* an answer: nothing listens there */
	REMOTE_SILENT,      /* no answer in time */
	REMOTE_UNREACHABLE, /* the network, or the connection manager, says so */
	REMOTE_NO_NFS,      /* rdma: connected, and NULL was not answered as it should */
	REMOTE_UNASKED,     /* this host could not ask */
};

struct remote {
	enum remote_answer answer;
	char text[256]; /* more words; may be empty */
};

/* A connection by RDMA, and NULL. Errors: -ENODATA not recorded; -ENOMEM and the like. */
int remote_rdma(struct check_run *run, uint16_t port, struct remote *out);
/* A TCP connection to the port, of the first address that says something. */
int remote_tcp(struct check_run *run, uint16_t port, struct remote *out);
/* The TCP port that rpcbind names. Errors: -EADDRNOTAVAIL not registered; -ENODATA; -ETIMEDOUT. */
int remote_rpcbind(struct check_run *run, uint32_t program, uint32_t version,
		   uint16_t *port);

/* remote-rpcbind.c: asks in a process without privilege, since it decodes what comes */

int remote_rpcbind_ask(const struct transport_address *server, uint32_t program,
		       uint32_t version, uint16_t *port, uint64_t deadline);

/* defects.c: pure */

enum defect_part {
	DEFECT_CLIENT = 1,
	DEFECT_SERVER = 2,
	DEFECT_ROCE = 4,
	DEFECT_SIW = 8,
	DEFECT_RXE = 16,
};

struct defect {
	unsigned int part;              /* enum defect_part: any of these is concerned */
	unsigned int from[3], until[3]; /* the first version with it, the first without */
	const char *text;
};

extern const struct defect defect_table[]; /* ends with text NULL */
bool defect_in(const struct defect *defect, const unsigned int kernel[3]);

#endif

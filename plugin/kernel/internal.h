/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of the folder.
 *
 *	kernel.c   the parent: server, one child a version, findings
 *	place.c    which device and address
 *	client.c   the child: namespace, mount(2), reads, umount2(2)
 *	judge.c    pure: from reads to what is wrong
 */
#ifndef PLUGIN_KERNEL_INTERNAL_H
#define PLUGIN_KERNEL_INTERNAL_H

#include "plugin/host/host.h"
#include "plugin/kernel/kernel.h"
#include "rpcrdma/child/child.h"
#include "rpcrdma/server/server.h"

/* A file of the memory export that all ranges fit into. */
#define KERNEL_FILE     "data-4194304"
#define KERNEL_READ_MAX (1024 * 1024)
/* Of the mount: what took as long may be a time-out. */
#define KERNEL_TIMEO_MS 5000

/* --- place.c ------------------------------------------------------------------ */

struct kernel_place {
	struct transport_address at;
	char device[64], driver[32], netdev[IFNAMSIZ], address[64];
	bool software;
};

/* The address that was named, or one of the device that was, or the best there is: an adapter
 * before a device in software.
 * Errors: -ENODEV with a sentence: there is none; of reading. */
int kernel_place(const struct host *host, const struct kernel_options *options,
		 struct kernel_place *out);

/* --- client.c ----------------------------------------------------------------- */

enum kernel_step {
	KERNEL_SPACE,   /* a mount namespace */
	KERNEL_MOUNT,   /* mount(2) */
	KERNEL_OPEN,    /* the file, O_DIRECT */
	KERNEL_READ,    /* a range; many times */
	KERNEL_UNMOUNT, /* umount2(2); the last */
	KERNEL_STEPS
};

/* What the child says after each step. */
struct kernel_record {
	uint32_t step;   /* enum kernel_step */
	uint32_t index;  /* of the range */
	int32_t error;   /* errno, or 0 */
	uint32_t length; /* that read(2) returned */
	uint32_t wrong;  /* place of the first wrong byte of these; UINT32_MAX: none */
	uint32_t ms;
};

struct kernel_task {
	const struct nfs_version *version;
	char address[64]; /* numeric, without brackets */
	bool ipv6;
	struct server_ports ports;
};

/* The options of mount(2). Pure. */
void kernel_mount_data(const struct kernel_task *task, char *buf, size_t cap);
/* The body of the child; @arg is a struct kernel_task. Records are of type CHANNEL_ANSWER. */
int kernel_client(void *arg, int channel);

/* --- judge.c ------------------------------------------------------------------ */

struct kernel_range {
	uint64_t offset;
	uint32_t length;
};

#define KERNEL_RANGES 40
/* In the order of lengths. */
extern const uint32_t kernel_lengths[KERNEL_RANGES];
struct kernel_range kernel_range(unsigned int index);

struct kernel_read {
	bool tried;
	bool whole; /* the server sent all of it */
	struct kernel_record record;
};

enum kernel_fault {
	KERNEL_RIGHT,   /* all of them */
	KERNEL_BUG_812, /* right up to a size, EIO from there on, though all was sent */
	KERNEL_WRONG,   /* otherwise wrong */
	KERNEL_CUT      /* none is wrong, and some were not tried */
};

struct kernel_judgement {
	enum kernel_fault fault;
	unsigned int tried, right;
	uint32_t largest_right, smallest_wrong; /* lengths; 0: none */
	unsigned int first;                     /* index of the first that is wrong */
};

void kernel_judge(const struct kernel_read reads[KERNEL_RANGES],
		  struct kernel_judgement *out);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What only a running system can answer: the route to an address, its own addresses, firewall
 * and units. There are two implementations: the system itself, and its record in a snapshot.
 *
 * The system is queried through rtnetlink(7), libsystemd and a child process. Programs that root
 * runs at mount time must not be linked with libsystemd; so live_system is in a separate library,
 * plugin-live-system, that only the command links. The record, the route, and everything that a
 * check needs, is in plugin-live.
 *
 * A record is a directory .nfsrdma below the root, with a JSON file for each query:
 *
 *	route-ADDRESS.json      {"netdev": "eth0", "gateway": "192.0.2.1", "source": "192.0.2.2",
 *	                         "mtu": 1500, "local": false}
 *	nft.json                the output of nft
 *	firewalld-NETDEV.json   {"running": true, "panic": false, "zone": "public", "target": "default",
 *	                         "ports": [{"first": 22, "last": 22, "protocol": "tcp",
 *	                         "some": false}], "more": ""}
 *	addresses-NETDEV.json   ["192.0.2.2", "2001:db8::2"]
 *	units.json              {"nfs-server.service": "active", "opensm.service": null}
 *	log.json                [{"age": 180, "level": 3, "text": "rpcrdma: ..."}], of the kernel's log, oldest first
 *
 * null is a unit that does not exist. A query that failed is recorded too, as
 * {"error": "EPERM", "text": "..."}: its replay returns the same error with the same text.
 * ADDRESS is numeric, without port and scope. Everything in a record is hostile: a malformed
 * file is -EBADMSG, strings are sanitized and bounded.
 *
 * Errors of every query: -ENODATA: the snapshot does not contain the answer, which is unknown
 * and never absent; -EBADMSG; -ETIMEDOUT: each query has its own deadline. */
#ifndef PLUGIN_LIVE_H
#define PLUGIN_LIVE_H

#include <netinet/in.h>

#include "plugin/host/host.h"

struct host_route {
	char netdev[IFNAMSIZ];
	char gateway[64]; /* empty: on link */
	char source[64];
	unsigned int mtu; /* of the route, 0: the netdev's */
	bool local;       /* the destination is an address of this host; netdev is "lo" */
};

/* The ports of a service, or those that a zone lists. */
struct host_firewalld_port {
	uint16_t first, last;
	uint8_t protocol; /* IPPROTO_TCP, IPPROTO_UDP; others are left out */
	bool some;        /* only for some destinations, which the service names */
};

#define HOST_FIREWALLD_PORTS_MAX 256

struct host_firewalld {
	bool running; /* if not, all fields below are empty */
	bool panic;   /* panic mode: all packets are dropped */
	char zone[64];
	char target[32]; /* "default", "ACCEPT", "DROP", "%%REJECT%%" */
	unsigned int nports;
	struct host_firewalld_port ports[HOST_FIREWALLD_PORTS_MAX];
	char more[160]; /* settings that cannot be evaluated; empty: none */
};

#define HOST_ADDRESSES_MAX 64

/* IP addresses of an interface, numeric, without prefix and scope. */
struct host_addresses {
	unsigned int count;
	bool cut; /* there are more */
	char list[HOST_ADDRESSES_MAX][INET6_ADDRSTRLEN];
};

#define LIVE_LOG_LINES 400
#define LIVE_LOG_TEXT  480

struct live_log_line {
	int64_t age;        /* in seconds */
	unsigned int level; /* of the kernel: 0 emergency, 3 error, 4 warning, 7 debug */
	char text[LIVE_LOG_TEXT];
};

/* Of this boot: what names NFS, RPC, RDMA or a driver of it. */
struct live_log {
	unsigned int
		count; /* the newest ones, at least 3/4 of LIVE_LOG_LINES if there are more; oldest first */
	struct live_log_line *list;
};

void live_log_fini(struct live_log *log);

/* Enough for nft's listing of a host with many containers; more is -EFBIG. */
#define LIVE_NFT_MAX (8 * 1024 * 1024)

struct live_ops {
	/* The route of a packet to @to. Errors: -ENETUNREACH: there is no route, or it is
	 * of type unreachable or the like. */
	int (*route)(const struct host *host, const struct transport_address *to,
		     struct host_route *out);
	/* The output of `nft -j list ruleset`, which includes iptables-nft's rules.
	 * Errors: -EPERM: only root may list them; -ENOENT: nft is not installed; -EIO:
	 * it fails, with its message. */
	int (*nftables)(const struct host *host, struct host_text *json);
	/* firewalld's zone for packets received on @netdev. It is no error if firewalld
	 * is not running. Errors: -EACCES. */
	int (*firewalld)(const struct host *host, const char *netdev, struct host_firewalld *out);
	/* ActiveState of a systemd unit: "active", "inactive", "failed"... Starts
	 * nothing. Errors: -ENOENT: no such unit; -EHOSTDOWN: systemd does not run here. */
	int (*unit)(const struct host *host, const char *unit, char *state, size_t cap);
	/* The addresses of an interface; one that does not exist has none. */
	int (*addresses)(const struct host *host, const char *netdev, struct host_addresses *out);
	/* When the unit last changed its state, by a reload too; in seconds since the
	 * epoch. Not part of a record. Errors: as for unit. */
	int (*changed)(const struct host *host, const char *unit, int64_t *seconds);
	/* The kernel's log; *@out is for live_log_fini(). Errors: -EPERM: only root may read it;
	 * -ENOENT: it is not in this container. NULL: it is not asked for. */
	int (*log)(const struct host *host, struct live_log *out);
};

/* record.c */

extern const struct live_ops live_replay;

/* Lists the tables of iptables-legacy, which nft does not show: "filter nat", mostly
 * empty. Nothing here reads their rules. Errors: as host_read(). */
int live_legacy_tables(const struct host *host, char *names, size_t cap);

/* Units that checks query; a snapshot records all of them. NULL-terminated. */
extern const char *const live_units[];

/* What a record contains in addition to nftables and live_units. */
struct live_wanted {
	const struct transport_address *addresses;
	unsigned int naddresses;
	const char *const *netdevs; /* for firewalld, and their addresses */
	unsigned int nnetdevs;
};

/* Receives a file of the record: its path below the root, ".nfsrdma/nft.json". A non-zero
 * return value stops. */
typedef int (*live_file)(void *arg, const char *path, const char *text, size_t len);
/* Queries @live for everything in @wanted and passes the files that live_replay reads to
 * @file. Failed queries are recorded as errors. Errors: of @file; -ENOMEM. */
int live_record(const struct live_ops *live, const struct host *host,
		const struct live_wanted *wanted, live_file file, void *arg);

/* kmsg.c: what the kernel logs between two moments, of what live_ops.log has. A descriptor, or
 * -errno. */
int live_kmsg_begin(void);
/* @fd: an error of live_kmsg_begin() is returned. *@out is for live_log_fini(). */
int live_kmsg_since(int fd, struct live_log *out);

/* route.c */

/* As live_ops.route, of the running system. */
int live_route(const struct host *host, const struct transport_address *to, struct host_route *out);

/* log.c: pure */

/* Names NFS, RPC, RDMA or a driver of it; other lines are not kept. */
bool live_log_concerns(const char *text);
/* It begins with a word of RDMA: "client" (xprtrdma), "server" (svcrdma) or "device"; NULL: it does
 * not. What is behind the beginning may be any process's name. *@ethernet: it may be of an adapter
 * that is used without RDMA. */
const char *live_log_rdma(const char *text, bool *ethernet);
/* Appends a line, for which the oldest ones go if there are LIVE_LOG_LINES. @log->list has room for
 * as many, or is NULL. Errors: -ENOMEM. */
int live_log_add(struct live_log *log, int64_t age, unsigned int level, const char *text);

/* system.c, in plugin-live-system */

extern const struct live_ops live_system;

/* nfs-utils.c, in plugin-live-system */

struct nfs_utils_behaviour {
	enum nfs_utils_sections sections;
	bool drop_ins; /* it reads nfsmount.conf.d */
};

/* Tests how the nfs-utils of this host behaves, with nfsconf(8). @nfsconf: NULL: the one
 * in /usr/sbin. Errors: -ENOENT: it does not exist, as before 2.3.2; -ENODATA; of running
 * it. */
int live_nfs_utils(const struct host *host, const char *nfsconf, struct nfs_utils_behaviour *out);

/* rpm.c, in plugin-live-system */

/* Prints one "NAME VERSION" per line for the installed packages among @names, which is
 * NULL-terminated and has at most 32 names. Errors: as tool_run(). */
int live_rpm(const struct host *host, const char *const names[], struct host_text *out);

/* mounts.c, in plugin-live-system */

/* The result of querying a mount. */
struct mount_answer {
	enum {
		MOUNT_NOT_QUERIED, /* not queried, see error; 0: no time was left */
		MOUNT_ANSWERED,    /* after ms */
		MOUNT_REFUSED,     /* an error was returned */
		MOUNT_NO_ANSWER,   /* no answer before the deadline */
	} state;
	/* errno. EXDEV: something else is mounted there now; ETIMEDOUT or EIO: a soft
	 * mount gave up; ESTALE; EACCES: the caller may not enter it, so nothing was
	 * sent. */
	int error;
	double ms;
	/* MOUNT_NO_ANSWER: the process that queried it, which the kernel holds despite
	 * SIGKILL and which was left running; or 0. */
	pid_t left;
};

/* Queries all mounts in parallel, each in its own process, and returns by the deadline,
 * or some 200 ms later if a process cannot be killed. *@out: an answer for each mount, to
 * be freed with free(3). Errors: -ENOMEM. */
int live_mounts(const struct nfs_mounts *mounts, uint64_t deadline, struct mount_answer **out);

#endif

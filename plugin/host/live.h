/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What only a running system can be asked: the route to an address, its addresses, firewall and units. Two
 * implementations: the system itself, and the record of it that a snapshot holds.
 *
 * The system is asked through libnl, libsystemd and a child process, which what root runs at
 * mount time must not be linked with; so live_system is a library of its own, plugin-host-live, that
 * the command alone links. The record, and all that a check needs, is in plugin-host.
 *
 * A record is a folder .nfsrdma below the root, with a JSON file for each question:
 *
 *	route-ADDRESS.json      {"netdev": "eth0", "gateway": "192.0.2.1", "source": "192.0.2.2",
 *	                         "mtu": 1500, "local": false}
 *	nft.json                what nft printed
 *	firewalld-NETDEV.json   {"running": true, "panic": false, "zone": "public", "target": "default",
 *	                         "ports": [{"first": 22, "last": 22, "protocol": "tcp",
 *	                         "some": false}], "more": ""}
 *	addresses-NETDEV.json   ["192.0.2.2", "2001:db8::2"]
 *	units.json              {"nfs-server.service": "active", "opensm.service": null}
 *
 * null is a unit that does not exist. A question that the system did not answer is recorded
 * too, as {"error": "EPERM", "text": "..."}: its replay is the same error with the same words.
 * ADDRESS is numeric, without port and scope. Everything in a record is hostile: what breaks
 * the form is -EBADMSG, texts are clean and bounded.
 *
 * Errors of every question: -ENODATA the snapshot does not hold the answer, which is unknown and
 * never absent; -EBADMSG; -ETIMEDOUT: each has a deadline of its own. */
#ifndef PLUGIN_LIVE_H
#define PLUGIN_LIVE_H

#include <netinet/in.h>

#include "plugin/host/host.h"

struct host_route {
	char netdev[IFNAMSIZ];
	char gateway[64]; /* empty: on link */
	char source[64];
	unsigned int mtu; /* of the route, 0: the netdev's */
	bool local;       /* to an address of this host itself; netdev is "lo" then */
};

/* A service's ports, or those that a zone lists. */
struct host_firewalld_port {
	uint16_t first, last;
	uint8_t protocol; /* IPPROTO_TCP, IPPROTO_UDP; others are left out */
	bool some;        /* to some destinations only, which the service names */
};

#define HOST_FIREWALLD_PORTS_MAX 256

struct host_firewalld {
	bool running; /* all below is empty when it is not */
	bool panic;   /* panic mode: nothing passes */
	char zone[64];
	char target[32]; /* "default", "ACCEPT", "DROP", "%%REJECT%%" */
	unsigned int nports;
	struct host_firewalld_port ports[HOST_FIREWALLD_PORTS_MAX];
	char more[160]; /* what is set there that we do not model; empty: nothing */
};

#define HOST_ADDRESSES_MAX 64

/* IP addresses of an interface, numeric, without prefix and scope. */
struct host_addresses {
	unsigned int count;
	bool cut; /* there are more */
	char list[HOST_ADDRESSES_MAX][INET6_ADDRSTRLEN];
};

/* nft's listing of a host with many containers; what is longer is -EFBIG. */
#define LIVE_NFT_MAX (8 * 1024 * 1024)

struct live_ops {
	/* Where a packet to @to would leave. Errors: -ENETUNREACH there is no route, or one that
	 * says so. */
	int (*route)(const struct host *host, const struct transport_address *to,
		     struct host_route *out);
	/* `nft -j list ruleset`, as it printed it; iptables-nft's rules are in it. Errors:
	 * -EPERM only root may; -ENOENT there is no nft; -EIO it fails, with its words. */
	int (*nftables)(const struct host *host, struct host_text *json);
	/* firewalld's zone for packets that come in by @netdev. Not running is no error.
	 * Errors: -EACCES. */
	int (*firewalld)(const struct host *host, const char *netdev,
			 struct host_firewalld *out);
	/* ActiveState of a systemd unit: "active", "inactive", "failed"... Starts nothing.
	 * Errors: -ENOENT there is no such unit; -EHOSTDOWN systemd does not run here. */
	int (*unit)(const struct host *host, const char *unit, char *state, size_t cap);
	/* The addresses of an interface; one that is not there has none. */
	int (*addresses)(const struct host *host, const char *netdev,
			 struct host_addresses *out);
	/* When the unit last went from one state to another, a reload too; in seconds since the epoch.
	 * A record does not hold it. Errors: as of unit. */
	int (*changed)(const struct host *host, const char *unit, int64_t *seconds);
};

/* live-json.c */

/* The number of an error's name, "EACCES"; 0: there is none such. */
int live_errno(const char *name);

/* live-record.c */

extern const struct live_ops live_replay;

/* Tables of iptables-legacy, which nft does not list: "filter nat", mostly empty. Their rules
 * are not seen by anything here. Errors: as host_read(). */
int live_legacy_tables(const struct host *host, char *names, size_t cap);

/* Units that checks ask for; a snapshot records all of them. Ends with NULL. */
extern const char *const live_units[];

/* What a record is to hold besides nftables and live_units. */
struct live_wanted {
	const struct transport_address *addresses;
	unsigned int naddresses;
	const char *const *netdevs; /* for firewalld, and their addresses */
	unsigned int nnetdevs;
};

/* Takes a file of the record: its name below the root, ".nfsrdma/nft.json". Non-zero stops. */
typedef int (*live_file)(void *arg, const char *path, const char *text, size_t len);
/* Asks @live everything that is wanted and hands over the files that live_replay reads.
 * What could not be found out is recorded as that. Errors: of @file; -ENOMEM. */
int live_record(const struct live_ops *live, const struct host *host,
		const struct live_wanted *wanted, live_file file, void *arg);

/* live-system.c, in plugin-host-live */

extern const struct live_ops live_system;

/* live-nfs-utils.c, in plugin-host-live */

struct nfs_utils_tried {
	enum nfs_utils_sections sections;
	bool drop_ins; /* it reads nfsmount.conf.d */
};

/* What the nfs-utils of this host really does, by nfsconf(8). @nfsconf: NULL: that in /usr/sbin.
 * Errors: -ENOENT there is none, as before 2.3.2; -ENODATA; of running it. */
int live_nfs_utils(const char *nfsconf, struct nfs_utils_tried *out);

/* live-wake.c, in plugin-host-live */

/* What came of asking a mount for an answer. */
struct mount_answer {
	enum {
		MOUNT_UNASKED, /* could not be asked, see error; 0: the time ran out before */
		MOUNT_ANSWERED, /* after ms */
		MOUNT_REFUSED,  /* an error came in place of an answer */
		MOUNT_SILENT,   /* nothing until the deadline */
	} state;
	/* errno. EXDEV: something else is mounted there now; a soft mount that gave up: ETIMEDOUT or
	 * EIO; ESTALE; EACCES: the caller may not enter it, so nothing was asked. */
	int error;
	double ms;
	/* MOUNT_SILENT: the process that asked survives SIGKILL, held by the kernel, and was left; or
	 * 0. */
	pid_t left;
};

/* Asks all of them at a time, each in a process of its own, and returns at the deadline at the
 * latest, or some 200 ms later where a process cannot be killed. *@out: an answer for each, to
 * be freed with free(3). Errors: -ENOMEM. */
int live_wake(const struct nfs_mounts *mounts, uint64_t deadline,
	      struct mount_answer **out);

/* live-child.c, in plugin-host: it links nothing that talks to a bus */

/* Runs argv[0], a path, with an empty environment and nothing to read, and takes what it prints.
 * Whatever happens, no process of it is left at the deadline.
 * Errors: -ENOENT no such program; -EFBIG it prints more than @max; -ETIMEDOUT; -EIO it fails, and
 * err_text() has the first line of what it says. */
int live_child(const char *const argv[], size_t max, uint64_t deadline,
	       struct host_text *out);

#endif

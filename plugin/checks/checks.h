/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Is this host, and that server, ready for NFS over RDMA? A check looks at one thing and says one
 * finding about it. One function a check, one table (table.c) in the order of causes. A check whose
 * cause failed is not run: it is skipped, and says because of what. What a finding means, its
 * cause and remedy, is the paragraph of the same id in plugin/report/findings.
 *
 * A check reads the machine through plugin/host only, decides, and writes nothing. What it
 * cannot find out is unknown, for it alone. */
#ifndef PLUGIN_CHECKS_H
#define PLUGIN_CHECKS_H

#include "plugin/host/host.h"
#include "plugin/live/live.h"
#include "plugin/mounts/mounts.h"
#include "rpcrdma/base/finding.h"
#include "rpcrdma/nfs/nfs.h"

enum check_role {
	CHECK_CLIENT = 1,
	CHECK_SERVER = 2,
	CHECK_BOTH = 3,
};

/* What is asked about. */
struct check_target {
	const char *server; /* NULL: this host alone */
	const char *export; /* NULL: none named */
	uint16_t port;
	bool has_port; /* asked for, so no other is tried */
	unsigned int roles;
	unsigned int naddresses; /* of the server; 0: not resolved, or below a root */
	struct transport_address addresses[8];
	char unresolved[160]; /* why there is none; empty */
	char unresolved_reason[FINDING_REASON_MAX];
	unsigned int nfs_version; /* 0 any, 3, 4 */
	unsigned int nfs_minor;   /* of 4 */
	bool krb5;
	bool try; /* what is there is tried, too: the server of this host */
	/* Adds what libvirt's pools request, from its files. What could not be read is in @buf, as
	 * in struct view_sources.pools_unknown. NULL: the caller has no pools. */
	const char *(*pools)(const struct host *host, struct view_places *out,
			     char buf[ERR_TEXT_MAX]);
};

/* mounts.c */

/* Whether a mount from @source ("nas:/vm"), or from that address, is of the target's server, by its
 * name or by an address; all are of a target without a server. Either may be NULL. */
bool check_target_has(const struct check_target *target, const char *source, const char *address);

/* What several checks need, read once and lazily; and what the checks before came to. */
struct check_facts;
struct check_outcomes;

struct check_run {
	const struct host *host;
	const struct live_ops *live; /* the system, or below a root its record */
	const struct check_target *target;
	struct check_facts *facts;
	uint64_t deadline;
	struct finding finding; /* being filled in by check_say() and finding_text() */
	const char *because;    /* set by check_skip() */
	bool silent;            /* it has nothing to say, and its finding is left out */
	bool stops;             /* what needs this check is skipped, though it did not fail */
	/* Of the checks before; see check_failed(). */
	const struct check_outcomes *outcomes;
};

/* In a table. */
#define CHECKS_MAX 128

#define CHECK_NEEDS_MAX 4

/* Whether the mount helper runs it, too. */
enum check_at_mount {
	CHECK_MOUNT_NO,
	CHECK_MOUNT_STOPS,  /* before each mount: of this host alone, and quick; where it fails
			     * there can be no mount over RDMA */
	CHECK_MOUNT_DEVICE, /* the same, of the device, which may come a little later */
	CHECK_MOUNT_TELLS,  /* the same, and worth a word where it fails */
	CHECK_MOUNT_PATH,   /* the path to the server: where the policy wants it, and for the
			     * cause when a mount failed */
	CHECK_MOUNT_SERVER, /* the same, of the listener: refused, or with CHECK_SILENT unknown */
};

/* Evidence of an unknown CHECK_MOUNT_SERVER that was asked and did not answer; where the question
 * was denied or not possible there is none. */
#define CHECK_SILENT "silent_at"

/* Evidence of a CHECK_MOUNT_TELLS that failed: mounts with these options are none the worse. */
#define CHECK_SPARES "spares"

struct check {
	const char *id;
	unsigned int roles; /* enum check_role: for whom it is asked */
	bool remote;        /* only where a server was named */
	bool trial;         /* only where the target says try */
	enum check_at_mount at_mount;
	/* Ids that must not have failed; what is unknown there stops it only if that check
	 * says so (check_run.stops). */
	const char *needs[CHECK_NEEDS_MAX];
	/* Says its finding by check_say() or check_skip(). 0, or -errno with words: then it is
	 * unknown, with those. */
	int (*run)(struct check_run *run);
};

extern const struct check *const check_table[]; /* ends with NULL */

#define CHECKS_AT_MOUNT_MAX 64

/* Those of the table that are run before a mount, of this host alone; @path: and those of the path
 * to the server. NULL is behind the last. */
void checks_at_mount(bool path, const struct check *out[CHECKS_AT_MOUNT_MAX + 1]);

/* remote.c */

/* The addresses of target->server, or why there are none. Below a root only those that the
 * record has. */
void remote_resolve(const struct host *host, struct check_target *target, uint64_t deadline);

/* checks.c */

/* The roles of this host if none are given: a client, and a server too if it is one already, as far
 * as this user can see. */
unsigned int checks_roles(const struct host *host);
/* The reason, in report/findings, for an error that has none of its own (-errno); all findings have
 * these. NULL: no such error is expected of a check. */
const char *checks_reason(int rc);
/* Runs those that apply, in table order, until the deadline; what it cut is unknown. */
/* @table: check_table, or a test's. Errors: -ENOMEM. */
int checks_run(const struct check *const *table, const struct host *host,
	       const struct live_ops *live, const struct check_target *target, uint64_t deadline,
	       finding_sink sink, void *arg);
/* What the check @id of the table says, alone: as if none before it had failed. @out: for
 * finding_fini(). Errors: -ENOENT: no such check; -ENOMEM. */
int checks_run_one(const char *id, const struct host *host, const struct live_ops *live,
		   const struct check_target *target, struct finding *out);
/* For a snapshot: runs the checks of this host for what they read, whatever earlier checks found,
 * and drops their findings. */
int checks_visit(const struct check *const *table, const struct host *host,
		 const struct live_ops *live, const struct check_target *target, uint64_t deadline);
/* For a check: its finding. Evidence by finding_text(&run->finding, ...). Returns 0. */
int check_say(struct check_run *run, enum finding_status status, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* The same where it is not good: and why, a reason of the finding's meaning. Returns 0. */
int check_say_why(struct check_run *run, enum finding_status status, const char *reason,
		  const char *fmt, ...) PRINTF_LIKE(4, 5);
/* For a check that passed and has to tell something all the same: brief reports show it. */
void check_note(struct check_run *run);
/* For a check that finds out that another one, which came before, says the cause already: skipped,
 * and with it what needs it. @id is static. Returns 0. */
int check_skip(struct check_run *run, const char *id);
/* Whether the check @id, of those before, failed. */
bool check_failed(const struct check_run *run, const char *id);

/* systems.c */

/* What the steps on @host depend on: enum report_system. @of: what those steps have; what
 * configures network and firewall is read only where one has that, from many files. */
unsigned int systems_of(const struct host *host, unsigned int of);

/* ports.c */

#define PORT_NAME_MAX 128

/* "mlx5_0 port 1 (ens1f0np0)" */
const char *port_name(const struct rdma_device *device, const struct rdma_port *port,
		      char name[PORT_NAME_MAX]);
bool port_is_up(const struct rdma_port *port);
/* "down", "active" */
const char *port_state_name(const struct rdma_port *port);
/* "RoCE" */
const char *port_kind_name(const struct rdma_device *device);

/* defects.c: whether this host's kernel client has the 812-byte bug, as finding bug.read-812. Its
 * evidence decided_by is "counters", of a mount over RDMA (then it fails or passes, and target and
 * source name the mount), or "version" (then it never fails). It speaks of this host, of no
 * server. */

/* @spec: "nas:/vm", whose mount is preferred where it proves as much as another; or NULL. Cannot
 * fail: what could not be read is judged without. */
void read_812_find(const struct host *host, const char *spec, struct finding *out);
/* Pure. @mounts: NULL: not known. */
void read_812_judge(const struct nfs_mounts *mounts, const struct host_system *system,
		    const char *spec, struct finding *out);

/* platform.c: whether libvirt's daemon knows its hook, as finding platform.libvirt-hook.
 * Errors: of host_libvirt_hook(). */

int libvirt_hook_find(const struct host *host, const struct live_ops *live, struct finding *out);
/* The same of what was read; it asks @live alone. */
void libvirt_hook_judge(const struct host_libvirt_hook *hook, const struct host *host,
			const struct live_ops *live, struct finding *out);

/* facts.c: each reads on first use and remembers, errors too */

int facts_system(struct check_run *run, const struct host_system **out);
int facts_rdma(struct check_run *run, const struct rdma_devices **out);
int facts_mounts(struct check_run *run, const struct nfs_mounts **out);
/* What is wanted of the mounts, and what they are. */
int facts_view(struct check_run *run, const struct view **out);
int facts_nfs_conf(struct check_run *run, const struct conf **out);
int facts_nfsmount_conf(struct check_run *run, const struct conf **out);
int facts_nfsd(struct check_run *run, const struct host_nfsd **out);
/* What is known is filled in, with an error too: that of reading ganesha.conf. */
int facts_ganesha(struct check_run *run, const struct host_ganesha **out);
int facts_platform(struct check_run *run, const struct host_platform **out);
int facts_rpcrdma(struct check_run *run, const struct host_module **out);
/* -ENOENT: the kernel's configuration is nowhere. */
int facts_kconfig(struct check_run *run, const struct host_kconfig **out);
/* Every network interface, of which those of RDMA devices are told. */
struct netdevs {
	unsigned int count;
	struct host_netdev *list;
};

int facts_netdevs(struct check_run *run, const struct netdevs **out);

/* The path to one of the server's addresses. */
struct server_path {
	const struct transport_address *to;
	int rc; /* of the route, with @why */
	char why[256];
	struct host_route route;
	struct host_netdev netdev;
	const struct rdma_device *device; /* NULL: of none */
	const struct rdma_port *port;
};

/* @count of the target's addresses, in their order; 0 where none is known. */
int facts_paths(struct check_run *run, const struct server_path **out, unsigned int *count);
/* The device and port that the route to the server leads through, by the first address for which
 * it does. -ENODEV: through none; -ENODATA no address, or no route, is known. */
int facts_route_port(struct check_run *run, const struct rdma_device **device,
		     const struct rdma_port **port);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of the checks.
 *
 *	table.c       the table, in the order of causes
 *	checks.c      runs them
 *	facts.c       what several of them need, read once
 *	ports.c       ports of RDMA devices: which of them matter, their names, the loop over them
 *	addresses.c   this host's addresses on its RDMA devices
 *	nfsd.c        the kernel's NFS server as it runs
 *	nfsd-conf.c   what its configuration makes of RDMA
 *	modules.c, devices.c, client.c, fabric-*.c, firewall-*.c, path.c, server*.c, mounts.c, platform.c, defects.c
 *	              the checks, check_GROUP_NAME(), by subject
 *	netfilter*.c  what the filters of this host do with one, and what opens them to it
 *	packet-paths.c  the paths of packets between this host and its peers
 *	log.c         what the kernel logged
 *	channels.c    the side channels of NFS: who connects to whom, at which port
 */
#ifndef PLUGIN_CHECKS_INTERNAL_H
#define PLUGIN_CHECKS_INTERNAL_H

#include "plugin/checks/checks.h"
#include "plugin/firewall/firewall.h"
#include "plugin/report/report.h"
#include "plugin/report/words.h"

/* The checks, which table.c lists. */
typedef int check_fn(struct check_run *run);
check_fn check_client_module, check_server_module, check_client_drivers, check_server_device,
	check_client_module_identity, check_client_module_boot, check_client_kernel_config,
	check_client_kernel_defects, check_client_uverbs, check_client_memlock, check_client_helper,
	check_client_nfsmount_conf, check_client_nfsmount_bug, check_client_sysctl,
	check_client_nfs3, check_fabric_software_device, check_fabric_netns, check_fabric_cable,
	check_fabric_subnet_manager, check_fabric_opensm, check_fabric_port, check_fabric_node_guid,
	check_fabric_gid, check_fabric_roce_version, check_fabric_mtu, check_fabric_bond,
	check_fabric_one_subnet, check_fabric_counters, check_fabric_pkey, check_fabric_ipoib,
	check_fabric_ipoib_mode, check_fabric_ipoib_mtu, check_fabric_tso_defect,
	check_fabric_udev_names, check_fabric_udev_ipoib, check_firewall_rdma,
	check_firewall_side_channels, check_server_ganesha, check_server_nfs3, check_server_threads,
	check_server_nfs_conf, check_server_listener, check_server_port, check_server_address,
	check_server_boot, check_server_exports, check_server_versions, check_server_grace,
	check_server_trial, check_server_block_size, check_server_sysctl, check_server_counters,
	check_fabric_address, check_fabric_route, check_fabric_listener, check_fabric_side_channels,
	check_fabric_krb5, check_mount_missing, check_mount_boot_order, check_mount_transport,
	check_mount_submount, check_mount_options, check_mount_counters, check_bug_read_812,
	check_platform_vdsm, check_platform_libvirt, check_platform_libvirt_hook,
	check_platform_proxmox, check_log_device, check_log_client, check_log_server;

/* log.c */

#define LOGGED_VALUE_MAX 80

/* A message of the kernel, for one value of its first {name}. */
struct logged {
	const struct message *message; /* NULL: an error about RDMA that the index does not have */
	const char *where;             /* of which log.*: "client"; "": it is evidence only */
	bool shared;                   /* it may be of NFS, or of an adapter, without RDMA */
	char value[LOGGED_VALUE_MAX];
	const struct live_log_line *line; /* the newest */
	unsigned int times;
};

/* What was logged and is not over. */
struct log_facts {
	struct live_log lines;
	unsigned int count;
	struct logged list[64];
};

/* Finds them in ->lines. Pure. */
void log_facts_learn(struct log_facts *facts);
/* Adds to a finding that is not good what the kernel logged of it. */
void log_add_evidence(struct check_run *run);
/* Whether the check @id, of those before, failed, warned or is unknown. */
bool check_not_good(const struct check_run *run, const char *id);

/* facts.c */

/* Errors: of live_ops.log; -ENOSYS: it is not asked for. */
int facts_log(struct check_run *run, const struct log_facts **out);
struct check_facts *facts_new(void);
void facts_free_p(struct check_facts **facts);
/* What may be asked about packets; its zones grow. */
struct filters;
struct filters *facts_filters(struct check_run *run);
/* remote_rdma() of the target's port. */
struct remote;
int facts_listener(struct check_run *run, struct remote *out);
/* remote_rpcbind(), or of this host itself; one that is silent is not asked again. */
int facts_rpcbind(struct check_run *run, bool here, uint32_t program, uint32_t version,
		  uint16_t *port);

/* ports.c: pure but for what facts.c reads */

struct port_at {
	const struct rdma_device *device;
	const struct rdma_port *port;
};

/* Ports that a check looks at: the one on the route to the server, or all. */
struct port_list {
	unsigned int count;
	struct port_at list[RDMA_DEVICES_MAX * RDMA_PORTS_MAX];
};

int ports_wanted(struct check_run *run, struct port_list *out);

/* Ports of which a check says the same. */
struct port_group {
	struct words words;
	const struct port_at *first;
};

void port_group_add(struct port_group *group, const struct port_at *at, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* Each of the wanted ports by @judge, which adds it to one of @groups or leaves it out.
 * Errors: of reading the ports, and @judge's, which ends it. */
int ports_judge(struct check_run *run, struct port_list *ports,
		int (*judge)(struct check_run *run, const struct port_at *at,
			     struct port_group *groups),
		struct port_group *groups);
/* NFS over RDMA can use a device of this kind. */
bool port_usable(const struct rdma_device *device);
/* -EIO with words where the state of a port could not be read. */
int port_problem(const struct rdma_device *device, const struct rdma_port *port);
/* Whether it is the port of that interface. */
bool port_is_of(const struct rdma_device *device, const struct rdma_port *port,
		const struct host_netdev *netdev);
/* Its interface: that of RoCE and iWARP, or the first of IPoIB; "" where there is none. */
const char *port_interface(struct check_run *run, const struct port_at *at);
/* For the steps of a reason: the names of a port as evidence, "device", "device_port", "interface"
 * and "pci". */
void port_evidence(struct check_run *run, const struct port_at *at);

/* fabric-ip.c */

/* The port has a GID for the address, in numbers; *@v2 is set where it is one of RoCE v2. */
bool port_has_gid(const struct rdma_port *port, const char *address, bool *v2);
/* It is one of an IPv4 address, which its last four bytes are. */
bool gid_is_ipv4(const struct rdma_gid *gid);

/* addresses.c: this host's addresses on its RDMA devices */

/* The interface lies on that of a RoCE device, which has no GID for its addresses. */
bool netdev_lacks_gid(const struct host_netdev *netdev, const struct rdma_device *device);

/* facts.c: "container" where this system is one, with its kind in the evidence; else @otherwise. */
const char *container_reason(struct check_run *run, const char *otherwise);

bool netdev_is_bridge(struct check_run *run, const char *netdev);
/* It is a bridge, whose packets the device below, rxe or iWARP, does not see. */
bool netdev_is_passed_by(struct check_run *run, const char *netdev,
			 const struct rdma_device *device);

enum own_state {
	OWN_REACHED, /* by RDMA */
	OWN_DOWN,    /* its port is not active */
	OWN_BRIDGE,  /* of rxe and iWARP: a bridge above has it */
	OWN_NO_GID,  /* of RoCE: the device has no GID for it; with ->lower it lies above */
};

struct own_address {
	char text[INET6_ADDRSTRLEN];
	char netdev[IFNAMSIZ];
	char lower[IFNAMSIZ]; /* the device's netdev, where that is another one; or empty */
	const struct rdma_device *device;
	const struct rdma_port *port;
	enum own_state state;
};

#define OWN_ADDRESSES_MAX 128

struct own_addresses {
	unsigned int count;
	bool cut; /* there are more */
	struct own_address list[OWN_ADDRESSES_MAX];
	int rc; /* of an interface whose addresses are not known, with @why */
	char why[256];
};

/* Those that are not link-local. Errors: of reading devices and interfaces. */
int addresses_read(struct check_run *run, struct own_addresses *out);

enum own_bound {
	OWN_BOUND_HERE,      /* one of them is reached by RDMA, or is any */
	OWN_BOUND_ELSEWHERE, /* none of them is */
	OWN_BOUND_UNKNOWN,   /* there are names among them */
};

/* Pure. @hosts: "192.0.2.10, nas1", as host= of nfs.conf has them. */
enum own_bound addresses_bound(const struct own_addresses *all, const char *hosts);

/* packet-paths.c: between this host and its peers, as the packet filters see it */

struct packet_path {
	const struct rdma_device *device; /* NULL: of none */
	const struct rdma_port *port;
	char netdev[IFNAMSIZ]; /* empty: not known */
	/* Port 0, and address zero where it is any of that family. */
	struct transport_address near, far;
	bool bridge; /* netdev is one */
	bool local;  /* far is an address of this host itself */
};

#define PACKET_PATHS_MAX 64

struct packet_path_list {
	unsigned int count;
	struct packet_path list[PACKET_PATHS_MAX];
};

/* To each address of the server that has a route; none where none is known. */
void packet_paths_to_server(struct check_run *run, struct packet_path_list *out);
/* By each usable port to any peer, in each family that the port has addresses of. */
int packet_paths_to_any(struct check_run *run, struct packet_path_list *out);

struct packet_kind {
	uint8_t protocol;
	bool in;    /* the far end opens the connection */
	bool reply; /* one of those that come back; otherwise the one that opens it */
};

/* A packet of a connection to @port. */
void packet_path_packet(const struct packet_path *path, struct packet_kind kind, uint16_t port,
			struct firewall_packet *out);

/* netfilter.c: what the packet filters of this host do */

#define ZONES_MAX 8

/* Read once: facts_filters(). */
struct filters {
	bool no_nft; /* the kernel has no nf_tables, so no rules of it */
	int nft_rc;
	char nft_why[256];
	struct host_text nft;
	int legacy_rc;
	char legacy[160]; /* tables of iptables-legacy that can drop; empty */
	/* Set by firewall.rdma: what this host sends to the server, or what comes back, is
	 * dropped for certain. */
	bool client_is_cut_off;
	unsigned int nzones;
	struct {
		char netdev[IFNAMSIZ];
		int rc;
		struct host_firewalld zone;
	} zones[ZONES_MAX];
};

void filters_read(struct check_run *run, struct filters *out);
void filters_fini(struct filters *filters);

#define NETFILTER_COMMAND_MAX 320

/* What owns the rule that drops a packet, as far as a command is known that opens it. */
enum netfilter_owner {
	NETFILTER_NONE,
	NETFILTER_FIREWALLD,
	NETFILTER_PANIC, /* firewalld's panic mode */
	NETFILTER_UFW,
	NETFILTER_IPTABLES,
	NETFILTER_NFTABLES,
};

struct netfilter_answer {
	enum firewall_answer answer;
	bool by_zone;  /* firewalld said so: of other rules nothing is known */
	bool for_some; /* asked for any peer, and some peers can pass: rules name them */
	bool of_all;   /* why is about no packet in particular */
	char why[FIREWALL_WHY_MAX];
	const char *unknown;                 /* where it is that: the reason of firewall.rdma */
	enum netfilter_owner owner;          /* where it is dropped */
	char command[NETFILTER_COMMAND_MAX]; /* what opens it; empty: none is known */
};

/* Errors: the rules could not be read: -EPERM, -ENOENT, -ENODATA...; -EBADMSG, -E2BIG. */
int netfilter_ask(struct check_run *run, const struct firewall_packet *packet,
		  struct netfilter_answer *out);

/* What several packets came to. */
struct netfilter_tally {
	struct words dropped, unknown;
	struct words open, keep; /* commands, and those that make it permanent */
	char zone[192];          /* the command of firewalld that is last in both, without ports */
	bool by_zone, for_some;
	/* Of the first that is dropped, or else the first that is unknown. */
	enum netfilter_owner owner;
	const char *reason; /* if it is unknown */
	char packet[160];   /* "UDP to port 4791 arriving on eth0" */
	char what[64], rule[FIREWALL_WHY_MAX];
};

/* Asks about one more. @what: whose packet it is, or NULL. Errors: as above. */
int netfilter_count(struct check_run *run, struct netfilter_tally *tally, const char *what,
		    const struct firewall_packet *packet, enum firewall_answer *answer);
/* Fail before unknown before warn before pass. */
enum finding_status netfilter_worse(enum finding_status a, enum finding_status b);
/* "dropped: ...; unknown: ..."; "" where all pass. */
const char *netfilter_text(struct netfilter_tally *tally, char text[FINDING_SUMMARY_MAX]);
/* Gives the finding the reason why not all pass, and what its steps name. */
void netfilter_explain(struct check_run *run, struct netfilter_tally *tally);

/* netfilter-open.c: pure */

/* The command of nft, iptables, ufw or firewalld that opens @place for the packet, and which of
 * them it is; @zone: firewalld's, or NULL; @has_ufw: ufw's chains are among the rules. Empty where
 * none is known, or a name is not fit for a shell. */
enum netfilter_owner netfilter_command(const struct firewall_packet *packet,
				       const struct firewall_place *place,
				       const struct host_firewalld *zone, bool has_ufw,
				       char command[NETFILTER_COMMAND_MAX]);

/* channels.c: beside the connection that carries NFS */

enum channel_use { USE_V3, USE_V40, USE_KRB5, USE_COUNT };

struct channel {
	const char *name;
	enum check_role role; /* of this host */
	enum channel_use use;
	bool in;    /* the far end connects to this host */
	bool minor; /* without it something is slower, or lost after a restart; NFS works */
	uint8_t protocol;
	/* 0 where the port is not known, or another one each time. */
	uint16_t (*port)(struct check_run *run);
};

extern const struct channel channel_table[]; /* ends with name NULL */
/* Whether the command line asks for it; or that, or else a server here offers it, a mount over RDMA
 * uses it. */
bool channel_is_asked(const struct check_run *run, enum channel_use use);
bool channel_is_wanted(struct check_run *run, enum check_role role, enum channel_use use);
/* The port that NFS over RDMA listens at, here: the one asked about, else as it does, or as
 * nfs.conf has it. */
uint16_t channel_rdma_port(struct check_run *run);

/* remote.c: what the server answers; below a root, what the record .nfsrdma/remote.json says. What
 * was asked is told to who watches the host, in that form. */

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
/* The same to this host itself. */
int remote_rdma_here(struct check_run *run, const struct own_address *own, uint16_t port,
		     struct remote *out);
/* A TCP connection to the port, of the first address that says something. */
int remote_tcp(struct check_run *run, uint16_t port, struct remote *out);
/* What this host's own firewall would make of it, where it is known to drop such packets. */
bool remote_is_kept_off(const struct remote *remote);
/* The TCP port that rpcbind names. Errors: -EADDRNOTAVAIL not registered; -ENODATA; -ETIMEDOUT. */
int remote_rpcbind(struct check_run *run, uint32_t program, uint32_t version, uint16_t *port);
/* The same of this host's own rpcbind. */
int remote_rpcbind_here(struct check_run *run, uint32_t program, uint32_t version, uint16_t *port);

/* remote-rpcbind.c: asks in a process without privilege, since it decodes what comes */

int remote_rpcbind_ask(const struct transport_address *server, uint32_t program, uint32_t version,
		       uint16_t *port, uint64_t deadline);

/* What the process sends that decoded a peer's bytes. */
struct rpcbind_reply {
	int32_t rc;
	uint32_t port;
	char text[256];
};

/* Ends and cleans its text. False: neither a port nor an error. */
bool remote_rpcbind_is_sane(struct rpcbind_reply *reply);

/* mounts.c: what the checks of group mount have in common */

/* Says one finding about an aspect of all mounts, or of those of the server that is asked about. */
int mounts_check(struct check_run *run, enum mount_aspect aspect);

/* devices.c */

/* client.device, and the same of a server. */
int device_check(struct check_run *run);

/* nfsd.c: the kernel's NFS server as it runs */

/* -ESRCH: it does not run; else why it is not known. Both are server.threads' to say. */
int nfsd_running(struct check_run *run, const struct host_nfsd **out);

/* server.c */

/* NFS-Ganesha serves here, or would if it ran, and the kernel does not. */
bool ganesha_serves(struct check_run *run);

struct nfsd_ports {
	unsigned int count;
	unsigned int list[NFSD_LISTENERS_MAX];
};

/* Where it listens for RDMA. */
void nfsd_ports(const struct host_nfsd *nfsd, struct nfsd_ports *out);
bool nfsd_has_port(const struct nfsd_ports *ports, unsigned int port);

/* nfsd-conf.c: what the server's configuration makes of RDMA */

struct nfsd_conf_input {
	const char *rdma, *rdma_port; /* of section nfsd; NULL: not set */
	unsigned int version[3];      /* of nfs-utils; zeros: not known */
	bool nfsdctl;                 /* by which the server starts */
	/* The port that a name has, 0: none. */
	unsigned int (*service)(const void *arg, const char *name);
	const void *arg;
};

enum nfsd_conf_state {
	NFSD_CONF_OFF,    /* RDMA is not enabled */
	NFSD_CONF_BROKEN, /* it is, in a way that has no effect */
	NFSD_CONF_ON,     /* at @port */
};

struct nfsd_conf {
	enum nfsd_conf_state state;
	unsigned int port;
	char where[128]; /* "/etc/nfs.conf:12", or the unit */
	/* Where it listens for RDMA, if not everywhere: host=, which nfsdctl alone takes for
	 * that. */
	char hosts[128], hosts_where[128];
	/* Unless on: the reason of server.nfs-conf, what is wrong, and what to write instead into
	 * @where, or into @file where that is set. */
	const char *reason;
	char why[512], write[192], file[64];
};

/* Pure: state, port, reason and why. */
void nfsd_conf_judge(const struct nfsd_conf_input *in, struct nfsd_conf *out);
/* Pure: of a package's version. */
void nfsd_conf_version(const char *text, unsigned int version[3]);
int nfsd_conf_read(struct check_run *run, struct nfsd_conf *out);

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

enum defect_presence {
	DEFECT_ABSENT,
	DEFECT_POSSIBLE, /* a vendor's kernel, which may have the repair */
	DEFECT_PRESENT,
};

extern const struct defect defect_table[]; /* ends with text NULL */
/* The row that counters of mounts overrule: bug.read-812. */
extern const struct defect *const defect_read_812;
bool defect_in(const struct defect *defect, const unsigned int kernel[3]);
enum defect_presence defect_presence(const struct defect *defect, const struct host_system *system);

#endif

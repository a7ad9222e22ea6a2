/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What mounts of this host go through: mount helper, nfsmount.conf, settings and services. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "plugin/checks/internal.h"
#include "rpcrdma/nfs/nfs.h"

/* mount.nfs of nfs-utils, without which mount(8) says "bad option; you might need a helper
 * program". */
int check_client_helper(struct check_run *run)
{
	static const char *const places[] = { "sbin/mount.nfs", "usr/sbin/mount.nfs",
					      "usr/bin/mount.nfs" };
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		rc = host_exists(run->host, places[i]);
		if (!rc)
			return check_say(run, FINDING_PASS, "/%s is installed", places[i]);
		if (rc != -ENOENT)
			return rc;
	}
	return check_say_why(run, FINDING_FAIL, "not-installed", "mount.nfs is not installed");
}

/* Settings in nfsmount.conf that turn RDMA off, or change the port, of mounts that ask for it. What
 * mount.nfs makes of them (utils/mount/configfile.c): an option of the file is added unless the
 * command line has one of the same name; "rdma" and "proto" are different names, and the kernel
 * believes the last. So "Proto=tcp" wins over "-o rdma", and does not over "-o proto=rdma". */

enum harm {
	HARM_ALL,  /* every mount fails */
	HARM_BARE, /* mounts fail that do not name port and transport themselves */
	HARM_SOME, /* some mounts are not what they were meant to be */
	HARM_COUNT
};

struct nfsmount_judge {
	const struct conf *conf;
	const char *server; /* NULL: any */
	const char *section;
	struct words harm[HARM_COUNT], good;
	/* Of the first of each kind. */
	struct {
		const char *reason;
		char file[160], setting[80];
	} first[HARM_COUNT];
};

/* A setting of one section. */
struct nfsmount_setting {
	const char *section, *arg, *key;
	const struct conf_value *value;
};

/* "/etc/nfsmount.conf:3 (Server "nas") Proto=tcp" */
static const char *nfsmount_where(const struct nfsmount_setting *at, char buf[256])
{
	if (at->arg)
		snprintf(buf, 256, "/%.64s:%u (%s \"%.64s\") %.20s=%.40s", at->value->file,
			 at->value->line, at->section, at->arg, at->key, at->value->value);
	else
		snprintf(buf, 256, "/%.64s:%u %.20s=%.40s", at->value->file, at->value->line,
			 at->key, at->value->value);
	return buf;
}

static void nfsmount_add_harm(struct nfsmount_judge *judge, enum harm harm, const char *reason,
			      const struct nfsmount_setting *at, const char *effect)
{
	char text[256];

	if (!judge->first[harm].reason) {
		judge->first[harm].reason = reason;
		snprintf(judge->first[harm].file, sizeof(judge->first[harm].file), "/%.128s:%u",
			 at->value->file, at->value->line);
		snprintf(judge->first[harm].setting, sizeof(judge->first[harm].setting),
			 "%.20s=%.40s", at->key, at->value->value);
	}
	words_add(&judge->harm[harm], "%s: %s", nfsmount_where(at, text), effect);
}

/* Of a whole file. @file: up to the first blank; of a problem, "FILE:LINE: what it is". */
PRINTF_LIKE(5, 6)
static void nfsmount_add_form(struct nfsmount_judge *judge, enum harm harm, const char *reason,
			      const char *file, const char *fmt, ...)
{
	int len = (int)strcspn(file, " ");
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (len && file[len - 1] == ':')
		len--;
	if (!judge->first[harm].reason) {
		judge->first[harm].reason = reason;
		snprintf(judge->first[harm].file, sizeof(judge->first[harm].file), "/%.*s", len,
			 file);
	}
	words_add(&judge->harm[harm], "%s", text);
}

static void nfsmount_judge_proto(struct nfsmount_judge *judge, const struct nfsmount_setting *at)
{
	static const char *const others[] = { "tcp", "tcp6", "udp", "udp6" };
	char text[256];
	size_t i;

	if (view_is_rdma(at->value->value)) {
		words_add(&judge->good, "%s", nfsmount_where(at, text));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (strcmp(at->value->value, others[i]))
			continue;
		nfsmount_add_harm(
			judge, HARM_SOME, "proto-tcp", at,
			"a mount with the option rdma uses TCP or UDP, one with proto=rdma uses RDMA");
		return;
	}
	nfsmount_add_harm(judge, HARM_ALL, "unknown-protocol", at,
			  "mount.nfs does not know this protocol and refuses every mount");
}

/* The option proto= of mounts is the file's where they have none; so is the port. */
static void nfsmount_judge_port(struct nfsmount_judge *judge, const struct nfsmount_setting *at)
{
	const struct conf_value *proto = conf_get(judge->conf, at->section, at->arg, "proto");
	bool rdma = proto && view_is_rdma(proto->value);
	char text[256];

	if (rdma && !strcmp(at->value->value, NFS_TCP_PORT_TEXT))
		nfsmount_add_harm(judge, HARM_BARE, "rdma-at-tcp-port", at,
				  "RDMA mounts use the TCP port, where no RDMA listener is");
	else if (rdma)
		words_add(&judge->good, "%s", nfsmount_where(at, text));
	else if (!strcmp(at->value->value, NFS_RDMA_PORT_TEXT))
		nfsmount_add_harm(judge, HARM_BARE, "tcp-at-rdma-port", at,
				  "TCP mounts use the RDMA port, where no TCP listener is");
	else
		nfsmount_add_harm(judge, HARM_SOME, "other-port", at,
				  "RDMA mounts without a port use this one, not 20049");
}

static void nfsmount_judge_rdma(struct nfsmount_judge *judge, const struct nfsmount_setting *at)
{
	char text[256];

	if (conf_bool(at->value, 1))
		words_add(&judge->good, "%s", nfsmount_where(at, text));
	else
		nfsmount_add_harm(
			judge, HARM_ALL, "nordma", at,
			"mount.nfs passes nordma, which the kernel refuses, so mounts fail");
}

/* tcp and udp: another name than proto, so added behind it, and the kernel believes the last. */
static void nfsmount_judge_flag(struct nfsmount_judge *judge, const struct nfsmount_setting *at)
{
	if (conf_bool(at->value, 1))
		nfsmount_add_harm(judge, HARM_ALL, "transport-flag", at,
				  "no mount uses RDMA, not even one with proto=rdma");
}

static void nfsmount_judge_background(struct nfsmount_judge *judge,
				      const struct nfsmount_setting *at)
{
	if (conf_bool(at->value, 1))
		nfsmount_add_harm(judge, HARM_SOME, "background", at,
				  "mount(8) reports success before anything is mounted");
}

static void nfsmount_judge_mountproto(struct nfsmount_judge *judge,
				      const struct nfsmount_setting *at)
{
	nfsmount_add_harm(judge, HARM_SOME, "mountproto", at,
			  "mounts without a version become NFSv3");
}

static void nfsmount_judge_default(struct nfsmount_judge *judge, const struct nfsmount_setting *at)
{
	if (!strncasecmp(at->value->value, "rdma", 4))
		nfsmount_add_harm(judge, HARM_SOME, "defaultproto", at,
				  "this has no effect on NFSv4; use Proto=rdma");
}

static const struct {
	const char *key;
	void (*judge)(struct nfsmount_judge *judge, const struct nfsmount_setting *at);
} keys[] = {
	{ "proto", nfsmount_judge_proto },
	{ "port", nfsmount_judge_port },
	{ "rdma", nfsmount_judge_rdma },
	{ "tcp", nfsmount_judge_flag },
	{ "udp", nfsmount_judge_flag },
	{ "background", nfsmount_judge_background },
	{ "mountproto", nfsmount_judge_mountproto },
	{ "defaultproto", nfsmount_judge_default },
};

static int nfsmount_judge_one(void *arg, const char *section_arg, const char *key,
			      const struct conf_value *value)
{
	struct nfsmount_judge *judge = arg;
	const struct nfsmount_setting at = { judge->section, section_arg, key, value };
	size_t i;

	/* Of another server than the one that is asked about. */
	if (judge->server && section_arg && !strcmp(judge->section, "Server") &&
	    strcmp(section_arg, judge->server))
		return 0;
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcasecmp(key, keys[i].key))
			keys[i].judge(judge, &at);
	return 0;
}

/* What nfs-utils leaves out of its own files. */
static void nfsmount_judge_form(struct nfsmount_judge *judge)
{
	const char *cut = conf_cut_file(judge->conf), *problem = conf_problem(judge->conf),
		   *deadly = conf_crash(judge->conf);

	if (cut)
		nfsmount_add_form(
			judge, HARM_SOME, "no-newline", cut,
			"the last line of /%.160s has no newline, so mount.nfs ignores it", cut);
	if (deadly)
		nfsmount_add_form(
			judge, HARM_ALL, "open-quote", deadly,
			"/%.96s is in a section whose argument has no closing quote: mount.nfs crashes (SIGSEGV) at every NFS mount of this host",
			deadly);
	if (problem)
		nfsmount_add_form(judge, HARM_SOME, "ignored-line", problem, "/%.240s", problem);
}

static int nfsmount_say_harm(struct check_run *run, struct nfsmount_judge *judge, enum harm harm,
			     enum finding_status status)
{
	struct words *some = &judge->harm[HARM_SOME];
	/* Often because of the other: a Proto=rdma that is dropped. */
	bool both = harm == HARM_BARE && some->count;

	finding_text(&run->finding, "file", "%s", judge->first[harm].file);
	finding_text(&run->finding, "setting", "%s", judge->first[harm].setting);
	return check_say_why(run, status, judge->first[harm].reason, "%s%s%s",
			     words_text(&judge->harm[harm]), both ? "; " : "",
			     both ? words_text(some) : "");
}

int check_client_nfsmount_conf(struct check_run *run)
{
	static const char *const sections[] = { "MountPoint", "Server", "NFSMount_Global_Options" };
	struct nfsmount_judge judge = {
		.server = run->target->server,
		.harm = { { .separator = "; " }, { .separator = "; " }, { .separator = "; " } }
	};
	size_t i;
	int rc = facts_nfsmount_conf(run, &judge.conf);

	if (rc)
		return rc;
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		judge.section = sections[i];
		conf_each(judge.conf, sections[i], nfsmount_judge_one, &judge);
	}
	nfsmount_judge_form(&judge);
	if (judge.harm[HARM_ALL].count)
		return nfsmount_say_harm(run, &judge, HARM_ALL, FINDING_FAIL);
	if (judge.harm[HARM_BARE].count) {
		finding_text(&run->finding, CHECK_SPARES, "proto=rdma,port=20049");
		return nfsmount_say_harm(run, &judge, HARM_BARE, FINDING_FAIL);
	}
	if (judge.harm[HARM_SOME].count)
		return nfsmount_say_harm(run, &judge, HARM_SOME, FINDING_WARN);
	if (!judge.good.count)
		return check_say(run, FINDING_PASS, "nfsmount.conf sets no transport and no port");
	check_note(run);
	return check_say(run, FINDING_PASS, "mounts use RDMA by %s", words_text(&judge.good));
}

/* The defect of nfs-utils by which of several Server (or MountPoint) sections only the last keeps
 * a key that all of them have: setting one removes it from every section of the name, whatever its
 * argument (conf_set_now() in support/nfs/conffile.c; repaired in 2.8.3, and in RHEL 9's 2.5.4 by a
 * patch of January 2025). The other servers are mounted over TCP then, without a word. */

static int nfsmount_bug_judge(struct check_run *run, const char *section, const char *key)
{
	const struct host_system *system;
	struct nfs_utils utils;
	int rc = facts_system(run, &system);

	finding_text(&run->finding, "section", "%s", section);
	finding_text(&run->finding, "key", "%s", key);
	if (!rc)
		rc = nfs_utils_read(run->host, &utils);
	if (rc && rc != -ENOENT && rc != -ENODATA)
		return rc;
	if (rc || !utils.number)
		return check_say_why(
			run, FINDING_WARN, "version-unknown",
			"several %s sections set %s; nfs-utils before 2.8.3 uses only the last, and its version is unknown",
			section, key);
	finding_text(&run->finding, "nfs_utils", "%s", utils.version);
	switch (nfs_utils_sections(&utils, system->distro)) {
	case NFS_UTILS_KEEPS:
		return check_say(run, FINDING_PASS,
				 "nfs-utils %s handles several %s sections correctly",
				 utils.version, section);
	case NFS_UTILS_MAY_LOSE:
		return check_say_why(
			run, FINDING_WARN, "may-ignore",
			"several %s sections set %s; nfs-utils %s may use only the last", section,
			key, utils.version);
	case NFS_UTILS_LOSES:
	case NFS_UTILS_UNKNOWN: break;
	}
	return check_say_why(run, FINDING_WARN, "ignores",
			     "several %s sections set %s; nfs-utils %s uses only the last", section,
			     key, utils.version);
}

int check_client_nfsmount_bug(struct check_run *run)
{
	static const char *const sections[] = { "Server", "MountPoint" };
	const struct conf *conf;
	const char *key;
	size_t i;
	int rc = facts_nfsmount_conf(run, &conf);

	if (rc)
		return rc;
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		key = nfs_utils_clash(conf, sections[i]);
		if (key)
			return nfsmount_bug_judge(run, sections[i], key);
	}
	return check_say(run, FINDING_SKIP,
			 "nfsmount.conf does not set one option in several sections");
}

/* Settings of rpcrdma in /proc/sys, of its client half and of its server half: as the kernel has
 * them, changed, or so small that calls wait. */

struct sysctl_setting {
	const char *name;
	int64_t usual, older; /* defaults of kernels */
	int64_t least;        /* below it calls wait */
};

/* Says the finding of those in @folder below the root; @settings end with name NULL. */
static int sysctls_judge(struct check_run *run, const char *folder,
			 const struct sysctl_setting *settings)
{
	/* As sysctl(8) names it. */
	const char *namespace = strstr(folder, "svc_rdma") ? "sunrpc.svc_rdma" : "sunrpc";
	struct words low = { 0 }, other = { 0 };
	unsigned int found = 0;
	char path[96];
	int64_t value;
	int rc;

	for (; settings->name; settings++) {
		snprintf(path, sizeof(path), "%s/%s", folder, settings->name);
		rc = host_attr_number(run->host, path, &value);
		if (rc == -ENOENT)
			continue;
		if (rc)
			return rc;
		found++;
		finding_number(&run->finding, settings->name, (double)value);
		if (value < settings->least && !low.count) {
			finding_text(&run->finding, "setting", "%s.%s", namespace, settings->name);
			finding_number(&run->finding, "value", (double)value);
			finding_number(&run->finding, "default", (double)settings->usual);
		}
		if (value < settings->least)
			words_add(&low, "%s is %" PRId64, settings->name, value);
		else if (value != settings->usual && value != settings->older)
			words_add(&other, "%s is %" PRId64, settings->name, value);
	}
	if (!found)
		return check_say(run, FINDING_SKIP, "rpcrdma has settings only when it is loaded");
	if (low.count)
		return check_say_why(run, FINDING_WARN, "too-small", "%s", words_text(&low));
	if (other.count)
		return check_say(run, FINDING_PASS, "changed, but not too small: %s",
				 words_text(&other));
	return check_say(run, FINDING_PASS, "all have the kernel's defaults");
}

/* The client's settings in /proc/sys/sunrpc, which are there once rpcrdma is loaded by a kernel
 * with CONFIG_SUNRPC_DEBUG (net/sunrpc/xprtrdma/transport.c). They hold for new mounts. */

static const struct sysctl_setting client_settings[] = {
	/* So many calls may be under way; 128 since 4.15, 32 before. */
	{ "rdma_slot_table_entries", 128, 128, 16 },
	{ "rdma_max_inline_read", 4096, 4096, 1024 },
	{ "rdma_max_inline_write", 4096, 4096, 1024 },
	{ NULL, 0, 0, 0 },
};

int check_client_sysctl(struct check_run *run)
{
	return sysctls_judge(run, "proc/sys/sunrpc", client_settings);
}

/* The server's settings in /proc/sys/sunrpc/svc_rdma, which exist once rpcrdma is loaded
 * (net/sunrpc/xprtrdma/svc_rdma.c). They apply to new connections. */

static const struct sysctl_setting server_settings[] = {
	/* Calls that a client may have outstanding. */
	{ "max_requests", 64, 32, 16 },
	{ "max_req_size", 4096, 4096, 4096 },
	/* Concurrent RDMA Reads, which fetch the data of WRITEs. */
	{ "max_outbound_read_requests", 16, 16, 4 },
	{ NULL, 0, 0, 0 },
};

int check_server_sysctl(struct check_run *run)
{
	return sysctls_judge(run, "proc/sys/sunrpc/svc_rdma", server_settings);
}

/* What NFSv3 needs of this host beside nfsd or the kernel's client: rpcbind, and statd for locks. A
 * masked unit is started by nothing, not by a socket either. */

static const char *const rpcbind_units[] = { "rpcbind.service", "rpcbind.socket", NULL };
static const char *const statd_units[] = { "rpc-statd.service", "nfs-lock.service", NULL };

/* The first of them, NULL: none. Errors: of reading units. */
static int nfs3_masked(struct check_run *run, const char *const *units, const char **out)
{
	enum unit_state state = UNIT_MISSING;
	int rc = 0;

	for (; *units && !rc; units++) {
		rc = host_unit_state(run->host, *units, &state);
		if (!rc && state == UNIT_MASKED)
			break;
	}
	*out = rc ? NULL : *units;
	return rc;
}

static int nfs3_say_masked(struct check_run *run, const char *unit, const char *reason, bool asked)
{
	finding_text(&run->finding, "unit", "%s", unit);
	return check_say_why(run, asked ? FINDING_FAIL : FINDING_WARN, reason,
			     "%s is masked, and NFSv3 needs it", unit);
}

static int nfs3_check(struct check_run *run, enum check_role role)
{
	bool asked = channel_is_asked(run, USE_V3);
	const char *unit;
	int rc;

	if (!channel_is_wanted(run, role, USE_V3))
		return check_say(run, FINDING_SKIP,
				 role == CHECK_SERVER ? "the server does not offer NFSv3"
						      : "nothing uses NFSv3 over RDMA");
	rc = nfs3_masked(run, rpcbind_units, &unit);
	if (unit)
		return nfs3_say_masked(run, unit, "rpcbind-masked", asked);
	rc = rc ? rc : nfs3_masked(run, statd_units, &unit);
	if (rc)
		return rc;
	if (unit)
		return nfs3_say_masked(run, unit, "statd-masked", asked);
	return check_say(run, FINDING_PASS, "rpcbind and statd are not masked");
}

/* Whether the services that NFSv3 needs of a client can start. */
int check_client_nfs3(struct check_run *run)
{
	return nfs3_check(run, CHECK_CLIENT);
}

/* Whether the services that NFSv3 needs of a server can start. */
int check_server_nfs3(struct check_run *run)
{
	if (ganesha_serves(run))
		return check_skip(run, "server.ganesha");
	return nfs3_check(run, CHECK_SERVER);
}

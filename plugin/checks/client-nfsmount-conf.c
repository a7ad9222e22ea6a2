/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Settings in nfsmount.conf that turn RDMA off, or change the port, of mounts that ask for it. What
 * mount.nfs makes of them (utils/mount/configfile.c): an option of the file is added unless the
 * command line has one of the same name; "rdma" and "proto" are different names, and the kernel
 * believes the last. So "Proto=tcp" wins over "-o rdma", and does not over "-o proto=rdma". */
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "plugin/checks/internal.h"
#include "rpcrdma/nfs/nfs.h"

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

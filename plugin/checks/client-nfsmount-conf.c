/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Settings in nfsmount.conf that turn RDMA off, or change the port, of mounts that ask for it. What
 * mount.nfs makes of them (utils/mount/configfile.c): an option of the file is added unless the
 * command line has one of the same name; "rdma" and "proto" are different names, and the kernel
 * believes the last. So "Proto=tcp" wins over "-o rdma", and does not over "-o proto=rdma". */
#include <stdio.h>
#include <strings.h>

#include "plugin/checks/internal.h"

struct judge {
	const struct conf *conf;
	const char *server; /* NULL: any */
	const char *section;
	/* Every mount fails; mounts fail that do not name port and transport themselves. */
	struct words broken, broken_bare;
	struct words doubtful, good;
};

/* A setting of one section. */
struct setting {
	const char *section, *arg, *key;
	const struct conf_value *value;
};

/* "/etc/nfsmount.conf:3 (Server "nas") Proto=tcp" */
static const char *where(const struct setting *at, char buf[256])
{
	if (at->arg)
		snprintf(buf, 256, "/%.64s:%u (%s \"%.64s\") %.20s=%.40s",
			 at->value->file, at->value->line, at->section, at->arg, at->key,
			 at->value->value);
	else
		snprintf(buf, 256, "/%.64s:%u %.20s=%.40s", at->value->file,
			 at->value->line, at->key, at->value->value);
	return buf;
}

static void judge_proto(struct judge *judge, const struct setting *at)
{
	static const char *const others[] = { "tcp", "tcp6", "udp", "udp6" };
	char text[256];
	size_t i;

	if (view_is_rdma(at->value->value)) {
		words_add(&judge->good, "%s", where(at, text));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (strcmp(at->value->value, others[i]))
			continue;
		words_add(
			&judge->doubtful,
			"%s: a mount with the option rdma does not go over RDMA, one with proto=rdma does",
			where(at, text));
		return;
	}
	words_add(&judge->broken, "%s: mount.nfs knows no such protocol and refuses",
		  where(at, text));
}

/* The option proto= of mounts is the file's where they have none; so is the port. */
static void judge_port(struct judge *judge, const struct setting *at)
{
	const struct conf_value *proto = conf_get(judge->conf, at->section, at->arg,
						  "proto");
	bool rdma = proto && view_is_rdma(proto->value);
	char text[256];

	if (rdma && !strcmp(at->value->value, "2049"))
		words_add(
			&judge->broken_bare,
			"%s: mounts go over RDMA to the port of TCP, where nothing answers",
			where(at, text));
	else if (rdma)
		words_add(&judge->good, "%s", where(at, text));
	else if (!strcmp(at->value->value, "20049"))
		words_add(
			&judge->broken_bare,
			"%s: mounts over TCP go to the port of RDMA, where nothing answers",
			where(at, text));
	else
		words_add(&judge->doubtful,
			  "%s: mounts over RDMA that name no port go there, not to 20049",
			  where(at, text));
}

static void judge_rdma(struct judge *judge, const struct setting *at)
{
	char text[256];

	if (conf_bool(at->value, 1))
		words_add(&judge->good, "%s", where(at, text));
	else
		words_add(
			&judge->broken,
			"%s: becomes nordma, which the kernel does not know, so mounts fail",
			where(at, text));
}

/* tcp and udp: another name than proto, so added behind it, and the kernel believes the last. */
static void judge_flag(struct judge *judge, const struct setting *at)
{
	char text[256];

	if (conf_bool(at->value, 1))
		words_add(&judge->broken,
			  "%s: no mount goes over RDMA, not even one with "
			  "proto=rdma",
			  where(at, text));
}

static void judge_background(struct judge *judge, const struct setting *at)
{
	char text[256];

	if (conf_bool(at->value, 1))
		words_add(&judge->doubtful,
			  "%s: a mount that does not succeed at once counts as one, and "
			  "nothing is mounted",
			  where(at, text));
}

static void judge_mountproto(struct judge *judge, const struct setting *at)
{
	char text[256];

	words_add(&judge->doubtful, "%s: mounts that name no version become NFSv3",
		  where(at, text));
}

static void judge_default(struct judge *judge, const struct setting *at)
{
	char text[256];

	if (!strncasecmp(at->value->value, "rdma", 4))
		words_add(&judge->doubtful,
			  "%s: has no effect on NFSv4; Proto=rdma is what is meant",
			  where(at, text));
}

static const struct {
	const char *key;
	void (*judge)(struct judge *judge, const struct setting *at);
} keys[] = {
	{ "proto", judge_proto },
	{ "port", judge_port },
	{ "rdma", judge_rdma },
	{ "tcp", judge_flag },
	{ "udp", judge_flag },
	{ "background", judge_background },
	{ "mountproto", judge_mountproto },
	{ "defaultproto", judge_default },
};

static int judge_one(void *arg, const char *section_arg, const char *key,
		     const struct conf_value *value)
{
	struct judge *judge = arg;
	const struct setting at = { judge->section, section_arg, key, value };
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
static void judge_form(struct judge *judge)
{
	const char *cut = conf_cut_file(judge->conf),
		   *problem = conf_problem(judge->conf),
		   *deadly = conf_deadly(judge->conf);

	if (cut)
		words_add(&judge->doubtful,
			  "the last line of /%s has no newline and is ignored for that",
			  cut);
	if (deadly)
		words_add(
			&judge->broken,
			"/%s stands in a section whose argument has no second quote: of "
			"that mount.nfs dies (SIGSEGV), at every NFS mount of this host",
			deadly);
	if (problem)
		words_add(&judge->doubtful, "/%s", problem);
}

static int run_check(struct check_run *run)
{
	static const char *const sections[] = { "MountPoint", "Server",
						"NFSMount_Global_Options" };
	struct judge judge = { .server = run->target->server,
			       .broken = { .separator = "; " },
			       .broken_bare = { .separator = "; " },
			       .doubtful = { .separator = "; " } };
	size_t i;
	int rc = facts_nfsmount_conf(run, &judge.conf);

	if (rc)
		return rc;
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		judge.section = sections[i];
		conf_each(judge.conf, sections[i], judge_one, &judge);
	}
	judge_form(&judge);
	if (judge.broken.count)
		return check_say(run, FINDING_FAIL, "%s", words_text(&judge.broken));
	if (judge.broken_bare.count) {
		finding_text(&run->finding, CHECK_SPARES, "proto=rdma,port=20049");
		/* Often because of the other: a Proto=rdma that is dropped. */
		return check_say(
			run, FINDING_FAIL, "%s%s%s", words_text(&judge.broken_bare),
			judge.doubtful.count ? "; " : "", words_text(&judge.doubtful));
	}
	if (judge.doubtful.count)
		return check_say(run, FINDING_WARN, "%s", words_text(&judge.doubtful));
	if (!judge.good.count)
		return check_say(run, FINDING_PASS,
				 "nfsmount.conf says nothing of transports and ports");
	check_note(run);
	return check_say(run, FINDING_PASS, "mounts go over RDMA by %s",
			 words_text(&judge.good));
}

const struct check check_client_nfsmount_conf = {
	.id = "client.nfsmount-conf",
	.roles = CHECK_CLIENT,
	.at_mount = CHECK_MOUNT_TELLS,
	.needs = { "client.module", "client.device" },
	.run = run_check,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Arguments for an rpc.nfsd that does not read nfs.conf. Reading it began with nfs-utils 2.1.1
 * (conf_init_file() in utils/nfsd/nfsd.c); earlier versions take only arguments, --rdma among
 * them since 1.3.0. nfs-server.service takes them from a file in shell syntax:
 *
 * - Debian, Ubuntu: RPCNFSDCOUNT in /etc/default/nfs-kernel-server is expanded on the command
 *   line without quotes, so it may contain further arguments after the number (nfs-utils_env.sh);
 * - RHEL 7, CentOS 7: RPCNFSDARGS in /etc/sysconfig/nfs, before the number. */
#include <stdio.h>

#include "plugin/host/internal.h"

#define READS_CONF 20101
#define HAS_RDMA   10300

static const struct nfsd_arguments_file {
	bool debian; /* or Ubuntu; otherwise RHEL's family */
	const char *file, *variable, *usual;
} nfsd_arguments_files[] = {
	{ true, "etc/default/nfs-kernel-server", "RPCNFSDCOUNT", "8" },
	{ false, "etc/sysconfig/nfs", "RPCNFSDARGS", "" },
};

/* The first version in a distribution's release, if no file has the package's version; 0:
 * unknown. */
static unsigned int nfsd_arguments_release_number(const struct host_system *system)
{
	static const struct {
		enum distro distro;
		unsigned long from, number;
	} releases[] = {
		{ DISTRO_RHEL, 8, 20303 },
		{ DISTRO_RHEL, 7, 10300 },
		{ DISTRO_SUSE, 15, 20101 },
		{ DISTRO_SUSE, 12, 10300 },
	};
	unsigned long release = strtoul(system->version_id, NULL, 10);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(releases); i++)
		if (releases[i].distro == system->distro && release >= releases[i].from)
			return (unsigned int)releases[i].number;
	return 0;
}

/* If nfsconf(8) exists, which was added in 2.3.2, the other programs read nfs.conf, too. */
static void nfsd_arguments_find_number(const struct host *host, const struct host_system *system,
				       struct nfsd_arguments *out)
{
	struct nfs_utils utils;

	if (!nfs_utils_read(host, &utils) && utils.number) {
		out->number = utils.number;
		snprintf(out->who, sizeof(out->who), "nfs-utils %.40s", utils.version);
		return;
	}
	out->number = nfsd_arguments_release_number(system);
	if (!out->number && !host_exists(host, "usr/sbin/nfsconf"))
		out->number = 20302;
	if (out->number && *system->name)
		snprintf(out->who, sizeof(out->who), "nfs-utils of %.40s", system->name);
	else
		str_copy(out->who, sizeof(out->who), "nfs-utils of this host");
}

/* Copies the words except --rdma, which is replaced. Returns false if a shell would
 * interpret a word differently, because such words are not shown. */
static bool nfsd_arguments_copy_words(char *value, char *out, size_t cap)
{
	char *word;
	size_t used = 0;

	while ((word = word_next(&value))) {
		if (word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-=.,:_")] ||
		    used + strlen(word) + 2 > cap)
			return false;
		if (strncmp(word, "--rdma", 6))
			used += (size_t)snprintf(out + used, cap - used, "%s%s", used ? " " : "",
						 word);
	}
	return true;
}

/* The current value of the variable; the last assignment wins. */
static void nfsd_arguments_read_words(const struct host *host,
				      const struct nfsd_arguments_file *row, char *out, size_t cap)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	size_t len = strlen(row->variable);
	char *cursor, *line, *end, words[128];

	str_copy(out, cap, row->usual);
	if (host_read(host, row->file, 65536, &text))
		return;
	for (cursor = text.text; (line = line_next(&cursor));) {
		line = text_trim(line);
		if (strncmp(line, row->variable, len) || line[len] != '=')
			continue;
		line += len + 1;
		end = strchr("\"'", *line) && *line ? strchr(line + 1, *line) : NULL;
		if (end)
			*end = '\0';
		words[0] = '\0';
		if (nfsd_arguments_copy_words(line + !!end, words, sizeof(words)))
			str_copy(out, cap, *words ? words : row->usual);
	}
}

static void nfsd_arguments_explain(unsigned int port, struct nfsd_arguments *out)
{
	if (!out->has_rdma)
		snprintf(
			out->why, sizeof(out->why),
			"%s does not read nfs.conf, and its rpc.nfsd has no --rdma: update it, or write 'rdma %u' to /proc/fs/nfsd/portlist after each start of the server",
			out->who, port);
	else if (*out->file)
		snprintf(out->why, sizeof(out->why), "%s does not read nfs.conf: write %s in %s",
			 out->who, out->line, out->file);
	else
		snprintf(
			out->why, sizeof(out->why),
			"%s does not read nfs.conf: give rpc.nfsd the argument %s in the unit nfs-server.service",
			out->who, out->line);
}

void nfsd_arguments(const struct host *host, unsigned int port, struct nfsd_arguments *out)
{
	const struct nfsd_arguments_file *row;
	struct host_system system;
	char words[128];

	memset(out, 0, sizeof(*out));
	if (host_system(host, &system))
		memset(&system, 0, sizeof(system));
	nfsd_arguments_find_number(host, &system, out);
	out->reads_conf = out->number >= READS_CONF;
	out->has_rdma = out->number >= HAS_RDMA;
	/* NULL: it is unknown how its unit takes arguments. */
	row = NULL;
	if (system.distro == DISTRO_DEBIAN || system.distro == DISTRO_UBUNTU)
		row = &nfsd_arguments_files[0];
	else if (system.distro == DISTRO_RHEL)
		row = &nfsd_arguments_files[1];
	words[0] = '\0';
	if (row)
		nfsd_arguments_read_words(host, row, words, sizeof(words));
	if (!out->number) {
		out->reads_conf = true;
		snprintf(
			out->why, sizeof(out->why),
			"the version of nfs-utils is unknown: before 2.1.1 it does not read nfs.conf, and rpc.nfsd needs the argument --rdma=%u",
			port);
	} else if (!out->reads_conf) {
		if (row) {
			snprintf(out->file, sizeof(out->file), "/%s", row->file);
			snprintf(out->line, sizeof(out->line), "%s=\"%s%s--rdma=%u\"",
				 row->variable, words, *words ? " " : "", port);
		} else {
			snprintf(out->line, sizeof(out->line), "--rdma=%u", port);
		}
		nfsd_arguments_explain(port, out);
	}
}

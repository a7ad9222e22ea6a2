/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The versions of NFS that the server serves, over any transport: "+3 +4 +4.1 +4.2 -4.0". */
#include <stdio.h>

#include "plugin/checks/internal.h"

static const char *const names[] = { "3", "4.0", "4.1", "4.2" };

/* "+4.0" is never shown: "+4" stands for it, unless there is "-4.0"
 * (nfsd_print_version_support() in fs/nfsd/nfsctl.c). */
static bool server_versions_has(const char *versions, const char *name)
{
	char text[64], sign[8];

	snprintf(text, sizeof(text), " %.60s ", versions);
	snprintf(sign, sizeof(sign), " -%s ", name);
	if (strstr(text, sign))
		return false;
	snprintf(sign, sizeof(sign), " +%s ", name);
	return strstr(text, sign) || (!strcmp(name, "4.0") && strstr(text, " +4 "));
}

static bool server_versions_wants(const struct check_target *target, const char *name)
{
	char wanted[16];

	if (!target->nfs_version || target->server)
		return false;
	if (target->nfs_version == 3)
		return !strcmp(name, "3");
	snprintf(wanted, sizeof(wanted), "4.%u", target->nfs_minor);
	return !strcmp(name, wanted);
}

/* Disabled by a line of nfs.conf, if it has one; else by an argument, or by hand. */
static int server_versions_say_lacking(struct check_run *run, const char *name)
{
	const struct conf_value *value = NULL;
	const struct conf *conf;
	char key[16];

	finding_text(&run->finding, "version", "%s", name);
	if (!facts_nfs_conf(run, &conf)) {
		snprintf(key, sizeof(key), "vers%s", name);
		value = conf_get(conf, "nfsd", NULL, key);
		if (!value && name[0] == '4')
			value = conf_get(conf, "nfsd", NULL, "vers4");
	}
	if (!value || conf_bool(value, 1) > 0)
		return check_say_why(run, FINDING_FAIL, "off-by-hand",
				     "the server does not serve NFSv%s", name);
	finding_text(&run->finding, "file", "/%s:%u", value->file, value->line);
	return check_say_why(run, FINDING_FAIL, "off-in-nfs-conf",
			     "the server does not serve NFSv%s: /%s:%u disables it", name,
			     value->file, value->line);
}

int check_server_versions(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	struct words on = { 0 }, off = { 0 };
	const char *lacking = NULL;
	size_t i;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	if (!nfsd->versions[0])
		return check_say(run, FINDING_SKIP, "only root can see which versions are served");
	if (!strchr("+-", nfsd->versions[0]))
		return err_set(EBADMSG, "/proc/fs/nfsd/versions is not in the expected form: %.60s",
			       nfsd->versions);
	finding_text(&run->finding, "versions", "%s", nfsd->versions);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		bool served = server_versions_has(nfsd->versions, names[i]);

		words_add(served ? &on : &off, "%s", names[i]);
		if (!served && server_versions_wants(run->target, names[i]))
			lacking = names[i];
	}
	if (lacking)
		return server_versions_say_lacking(run, lacking);
	if (!on.count)
		return check_say_why(run, FINDING_FAIL, "none",
				     "the server serves no version of NFS");
	if (off.count)
		check_note(run);
	return check_say(run, FINDING_PASS, "NFS %s%s%s", words_text(&on),
			 off.count ? "; off: " : "", words_text(&off));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Configuration of a single host: sections of nfsmount.conf that make VDSM's mounts use
 * RDMA, and sections of nfsrdma.conf that tell the gates to require it. Before writing, the
 * new nfsmount.conf is evaluated by the rules of mount.nfs for each domain: a section that
 * would have no effect, or would take a key from another section, is refused.
 *
 * A section for a directory affects VDSM's mount of one domain only, and is preferred. If
 * this nfs-utils keeps a key in only one such section, several domains of one server can
 * still share a section for their server. */
#include <stdio.h>
#include <strings.h>

#include "plugin/ovirt/internal.h"

#define NFSMOUNT_CONF "etc/nfsmount.conf"

struct ovirt_change_making {
	const struct ovirt_change_request *request;
	struct ovirt_change *change;
	struct ovirt_list lists[2];
	bool lost; /* the last attempt would work if this nfs-utils kept every section */
};

/* --- the file for mount.nfs ---------------------------------------------------------- */

/* Before 2.8.3 nfs-utils keeps a key in the last section of a kind only. */
struct ovirt_change_clash {
	const char *key, *arg;
	const struct conf_value *value; /* that was set before */
	char *reason;
};

static int ovirt_change_on_value(void *arg, const char *section_arg, const char *key,
				 const struct conf_value *value)
{
	struct ovirt_change_clash *clash = arg;

	if (strcasecmp(key, clash->key) || !section_arg)
		return 0;
	if (clash->value && strcasecmp(section_arg, clash->arg)) {
		snprintf(clash->reason, OVIRT_WHY_MAX, "both /%.80s:%u and /%.80s:%u set %s",
			 clash->value->file, clash->value->line, value->file, value->line,
			 clash->key);
		return 1;
	}
	clash->value = value;
	clash->arg = section_arg;
	return 0;
}

/* Whether other sections of ours kind set what ours set. */
static bool ovirt_change_clashes(const struct conf *conf, enum ovirt_form form,
				 char reason[OVIRT_WHY_MAX])
{
	static const char *const keys[] = { "proto", "port" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		struct ovirt_change_clash clash = { .key = keys[i], .reason = reason };

		if (conf_each(conf, form == OVIRT_BY_SERVER ? "Server" : "MountPoint",
			      ovirt_change_on_value, &clash))
			return true;
	}
	return false;
}

/* VDSM's own options have no name that matters here, so only those entered in the engine
 * count. They are not known for domains that were written without them. */
static const char *ovirt_change_options(const struct ovirt_change_making *making,
					const struct ovirt_entry *entry)
{
	const struct ovirt_change_request *request = making->request;
	size_t i;

	for (i = 0; request->options && i < request->ndomains; i++)
		if (!strcmp(request->domains[i].dir, entry->dir))
			return request->options;
	return "";
}

/* Returns 0, or -EPERM with the reason. */
static int ovirt_change_try(struct ovirt_change_making *making, enum ovirt_form form)
{
	_cleanup_(conf_close_p) struct conf *conf = NULL;
	const struct ovirt_list *list = &making->lists[OVIRT_NFSMOUNT];
	_cleanup_free_ char *text = NULL;
	char why[OVIRT_WHY_MAX];
	size_t i;
	int rc = ovirt_list_write(list, form, &text);

	making->lost = false;
	rc = rc ? rc
		: conf_open_as(&conf, making->request->host, NFSMOUNT_CONF, OVIRT_NFSMOUNT_PATH,
			       text);
	if (rc)
		return rc;
	for (i = 0; i < list->count; i++)
		if (!ovirt_effect(conf, &list->domains[i],
				  ovirt_change_options(making, &list->domains[i]), why))
			return err_set(EPERM, "%.120s would not be over RDMA: %s",
				       list->domains[i].spec, why);
	making->lost = making->request->sections != NFS_UTILS_KEEPS &&
		       ovirt_change_clashes(conf, form, why);
	if (making->lost)
		return err_set(EPERM, "%s", why);
	making->change->form = form;
	making->change->after[OVIRT_NFSMOUNT] = take_ptr(text);
	return 0;
}

/* Whether all domains are on one server. */
static bool ovirt_change_one_server(const struct ovirt_list *list)
{
	size_t i, len = strcspn(list->domains[0].spec, ":");

	for (i = 1; i < list->count; i++)
		if (strncasecmp(list->domains[i].spec, list->domains[0].spec, len + 1))
			return false;
	return true;
}

/* A domain that cannot share a section with the first; NULL: all can. */
static const struct ovirt_entry *ovirt_change_find_other(const struct ovirt_list *list)
{
	size_t i;

	for (i = 1; i < list->count; i++)
		if (list->domains[i].six != list->domains[0].six ||
		    list->domains[i].port != list->domains[0].port)
			return &list->domains[i];
	return NULL;
}

/* Adds what to do if a key is lost; otherwise the reason includes it. */
static int ovirt_change_refuse(const struct ovirt_change_making *making)
{
	const struct ovirt_list *list = &making->lists[OVIRT_NFSMOUNT];
	enum nfs_utils_sections sections = making->request->sections;
	const struct ovirt_entry *other = ovirt_change_find_other(list);
	char why[ERR_TEXT_MAX];

	if (!making->lost)
		return -EPERM;
	/* Several domains of one server, which cannot share a section because their requests
	 * differ. */
	if (ovirt_change_one_server(list) && other)
		return err_set(
			EPERM,
			"%.120s has proto=%s,port=%u and %.120s proto=%s,port=%u, and with %.64s they have to share one section for their server: name all its domains in one command, with one --port",
			list->domains[0].spec, list->domains[0].six ? "rdma6" : "rdma",
			list->domains[0].port, other->spec, other->six ? "rdma6" : "rdma",
			other->port, making->request->nfs_utils);
	str_copy(why, sizeof(why), err_text());
	return err_set(
		EPERM,
		"%.500s. %.64s %s a key in one section of a kind only (repaired in nfs-utils 2.8.3): type the options into the engine (nfsrdma ovirt options), or update nfs-utils",
		why, making->request->nfs_utils,
		sections == NFS_UTILS_LOSES ? "keeps" : "may keep");
}

static int ovirt_change_nfsmount(struct ovirt_change_making *making)
{
	const struct ovirt_list *list = &making->lists[OVIRT_NFSMOUNT];
	int rc;

	if (making->request->drop_ins == DROP_INS_UNKNOWN)
		return err_set(
			EPERM,
			"the version of %.64s is not known, and nfsmount.conf.d is read from 2.5.3 on: type the options into the engine (nfsrdma ovirt options), or create /etc/nfsmount.conf.d where 'rpm -q nfs-utils' says 2.5.3 or later",
			making->request->nfs_utils);
	if (making->request->drop_ins == DROP_INS_IGNORED)
		return err_set(
			EPERM,
			"%.64s reads no nfsmount.conf.d: type the options into the engine (nfsrdma ovirt options), or update nfs-utils",
			making->request->nfs_utils);
	rc = ovirt_change_try(making, OVIRT_BY_DIRECTORY);
	if (making->lost && ovirt_change_one_server(list) && !ovirt_change_find_other(list) &&
	    !ovirt_change_try(making, OVIRT_BY_SERVER)) {
		snprintf(
			making->change->note, sizeof(making->change->note),
			"%.64s keeps a key in one section of a kind only, so it is one for the server and not for the directory: whatever else this host mounts from %.*s, by that name and without a transport of its own, goes over RDMA, too",
			making->request->nfs_utils, (int)strcspn(list->domains[0].spec, ":"),
			list->domains[0].spec);
		return 0;
	}
	/* The second attempt has its own message. */
	if (rc == -EPERM)
		rc = ovirt_change_try(making, OVIRT_BY_DIRECTORY);
	return rc == -EPERM ? ovirt_change_refuse(making) : rc;
}

/* --- the gates' --------------------------------------------------------------------- */

/* Also verifies that the text is a valid policy: an invalid file prevents every mount of type
 * nfsrdma. */
static int ovirt_change_guard(struct ovirt_change_making *making)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	_cleanup_free_ char *copy = NULL;
	struct ovirt_change *change = making->change;
	int rc = ovirt_list_write(&making->lists[OVIRT_GUARD], OVIRT_BY_DIRECTORY,
				  &change->after[OVIRT_GUARD]);

	if (!rc)
		rc = policy_new(&policies);
	if (rc || !change->after[OVIRT_GUARD])
		return rc;
	copy = strdup(change->after[OVIRT_GUARD]);
	if (!copy)
		return err_no_memory();
	return policy_add(policies, "/" OVIRT_GUARD_PATH, copy);
}

int ovirt_change_overruled(const struct ovirt_change_request *request, char text[OVIRT_TEXT_MAX])
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	struct policy policy;
	size_t i;
	int rc = policy_open(&policies, request->host);

	text[0] = '\0';
	for (i = 0; !rc && i < request->ndomains; i++) {
		policy_get_dir(policies, request->domains[i].dir, &policy);
		if (policy.mode == POLICY_REQUIRE)
			continue;
		snprintf(
			text, OVIRT_TEXT_MAX,
			"%.160s has policy = %s for %.200s and takes precedence: the gates allow guests there that are not over RDMA",
			policy.mode_from, policy_mode_name(policy.mode), request->domains[i].dir);
		break;
	}
	return rc;
}

/* --- both --------------------------------------------------------------------------- */

static int ovirt_change_add(struct ovirt_change_making *making)
{
	const struct ovirt_change_request *request = making->request;
	size_t i, file;
	int rc = 0;

	for (file = request->guard_only ? OVIRT_GUARD : OVIRT_NFSMOUNT; !rc && file <= OVIRT_GUARD;
	     file++)
		for (i = 0; !rc && i < request->ndomains; i++) {
			const struct ovirt_domain *domain = &request->domains[i];
			bool six = domain->parsed.family == IP_V6 ||
				   (domain->parsed.family == IP_UNKNOWN && request->six);

			rc = ovirt_list_add(&making->lists[file], domain, six, request->port);
		}
	return rc;
}

static int ovirt_change_remove(struct ovirt_change_making *making)
{
	const struct ovirt_change_request *request = making->request;
	size_t i, file;

	for (file = 0; file < ARRAY_SIZE(making->lists) && !request->ndomains; file++)
		ovirt_list_fini(&making->lists[file]);
	for (i = 0; i < request->ndomains; i++) {
		const struct ovirt_domain *domain = &request->domains[i];
		bool any = false;

		for (file = 0; file < ARRAY_SIZE(making->lists); file++)
			any |= ovirt_list_remove(&making->lists[file], domain->dir);
		if (!any)
			return err_set(ENOENT,
				       "nfsrdma ovirt policy has written nothing for %.120s",
				       domain->spec);
	}
	return 0;
}

static void ovirt_change_making_fini(struct ovirt_change_making *making)
{
	ovirt_list_fini(&making->lists[OVIRT_NFSMOUNT]);
	ovirt_list_fini(&making->lists[OVIRT_GUARD]);
}

int ovirt_change_make(const struct ovirt_change_request *request, struct ovirt_change *change)
{
	static const char *const paths[] = { OVIRT_NFSMOUNT_PATH, OVIRT_GUARD_PATH };
	_cleanup_(ovirt_change_making_fini) struct ovirt_change_making making = {
		.request = request, .change = change
	};
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	struct ovirt_list *nfsmount = &making.lists[OVIRT_NFSMOUNT];
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(making.lists); i++) {
		rc = ovirt_list_read(&making.lists[i], (enum ovirt_file)i, change->before[i]);
		if (rc)
			return err_context(rc, "/%s", paths[i]);
	}
	rc = request->remove ? ovirt_change_remove(&making) : ovirt_change_add(&making);
	if (rc)
		return rc;
	/* If another file makes the policy invalid, it must be fixed first: no gate works with it.
	 * Not an error of the command line. */
	if (!request->remove && policy_open(&policies, request->host))
		return -ENODATA;
	/* What is left, or not added to, keeps its form: removing does no harm. */
	rc = request->remove || request->guard_only
		     ? ovirt_list_write(nfsmount, nfsmount->form, &change->after[OVIRT_NFSMOUNT])
		     : ovirt_change_nfsmount(&making);
	return rc ? rc : ovirt_change_guard(&making);
}

void ovirt_change_fini(struct ovirt_change *change)
{
	free(take_ptr(change->after[OVIRT_NFSMOUNT]));
	free(take_ptr(change->after[OVIRT_GUARD]));
}

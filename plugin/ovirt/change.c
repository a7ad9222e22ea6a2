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

struct making {
	const struct ovirt_change_request *request;
	struct ovirt_change *change;
	struct ovirt_part parts[2];
	struct conf *now; /* the present nfsmount.conf */
	bool lost; /* the last attempt would work if this nfs-utils kept every section */
};

/* --- does another section lose a key ------------------------------------------------ */

struct loss {
	const struct conf *before, *after;
	const char *section;
	char who[256]; /* what loses a key; "" nothing */
};

/* The last section of a name that has a key keeps it. */
struct last {
	const char *key, *arg;
};

static int note_last(void *arg, const char *section_arg, const char *key,
		     const struct conf_value *value)
{
	struct last *last = arg;

	(void)value;
	if (!strcasecmp(key, last->key))
		last->arg = section_arg;
	return 0;
}

static bool keeps(const struct conf *conf, const char *section, const char *arg,
		  const char *key)
{
	struct last last = { key, NULL };

	if (!conf_get(conf, section, arg, key))
		return false;
	conf_each(conf, section, note_last, &last);
	return last.arg && arg ? !strcasecmp(last.arg, arg) : last.arg == arg;
}

static int look_for_loss(void *arg, const char *section_arg, const char *key,
			 const struct conf_value *value)
{
	struct loss *loss = arg;

	/* Our own file is judged by its effect instead. */
	if (!strcmp(value->file, OVIRT_NFSMOUNT_PATH) ||
	    !keeps(loss->before, loss->section, section_arg, key) ||
	    keeps(loss->after, loss->section, section_arg, key))
		return 0;
	snprintf(loss->who, sizeof(loss->who),
		 "/%.80s:%u (%s \"%.80s\") would lose its %.20s", value->file,
		 value->line, loss->section, section_arg ? section_arg : "", key);
	return 1;
}

static bool takes_from_others(const struct making *making, const struct conf *after,
			      char who[256])
{
	static const char *const sections[] = { "MountPoint", "Server" };
	struct loss loss = { making->now, after, NULL, "" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		loss.section = sections[i];
		if (conf_each(making->now, sections[i], look_for_loss, &loss))
			break;
	}
	snprintf(who, 256, "%s", loss.who);
	return *who;
}

/* --- does it have an effect --------------------------------------------------------- */

/* VDSM's own options have no name that matters here, so only those entered in the engine
 * count. They are not known for domains that were written without them. */
static const char *options_of(const struct making *making,
			      const struct ovirt_entry *entry)
{
	const struct ovirt_change_request *request = making->request;
	size_t i;

	for (i = 0; request->options && i < request->ndomains; i++)
		if (!strcmp(request->domains[i].dir, entry->dir))
			return request->options;
	return "";
}

/* Returns 0, or -EPERM with the reason. @lossy: this nfs-utils does, or may, drop sections. */
static int try_form(struct making *making, enum ovirt_form form, bool lossy)
{
	_cleanup_(conf_close_p) struct conf *conf = NULL;
	const struct ovirt_part *part = &making->parts[OVIRT_NFSMOUNT];
	_cleanup_free_ char *text = NULL;
	struct ovirt_effect effect;
	char who[256];
	size_t i;
	int rc = ovirt_part_write(part, form, making->change->before[OVIRT_NFSMOUNT],
				  &text);

	rc = rc ? rc
		: conf_open_as(&conf, making->request->host, NFSMOUNT_CONF,
			       OVIRT_NFSMOUNT_PATH, text);
	if (rc)
		return rc;
	for (i = 0; i < part->count; i++) {
		ovirt_effect(conf, lossy, &part->list[i],
			     options_of(making, &part->list[i]), &effect);
		making->lost = effect.lost;
		if (!effect.rdma)
			return err_set(EPERM, "%.120s would not be over RDMA: %s",
				       part->list[i].spec, effect.why);
	}
	if (lossy && takes_from_others(making, conf, who)) {
		making->lost = true;
		return err_set(EPERM, "%s", who);
	}
	making->change->form = form;
	making->change->after[OVIRT_NFSMOUNT] = take_ptr(text);
	return 0;
}

/* Whether all domains are on one server. */
static bool is_one_server(const struct ovirt_part *part)
{
	size_t i, len = strcspn(part->list[0].spec, ":");

	for (i = 1; i < part->count; i++)
		if (strncasecmp(part->list[i].spec, part->list[0].spec, len + 1))
			return false;
	return true;
}

/* A domain that cannot share a section with the first; NULL: all can. */
static const struct ovirt_entry *find_other(const struct ovirt_part *part)
{
	size_t i;

	for (i = 1; i < part->count; i++)
		if (part->list[i].six != part->list[0].six ||
		    part->list[i].port != part->list[0].port)
			return &part->list[i];
	return NULL;
}

static void note_server(struct making *making)
{
	const struct ovirt_part *part = &making->parts[OVIRT_NFSMOUNT];

	snprintf(
		making->change->note, sizeof(making->change->note),
		"%.64s keeps a key in one section of a kind only, so it is one for the server and not for the directory: whatever else this host mounts from %.*s, by that name and without a transport of its own, goes over RDMA, too",
		making->request->nfs_utils, (int)strcspn(part->list[0].spec, ":"),
		part->list[0].spec);
}

/* Several domains of one server, which cannot share a section because their requests
 * differ. */
static int refuse_other(const struct making *making, const struct ovirt_entry *a,
			const struct ovirt_entry *b)
{
	return err_set(
		EPERM,
		"%.120s has proto=%s,port=%u and %.120s proto=%s,port=%u, and with %.64s they have to share one section for their server: name all its domains in one command, with one --port",
		a->spec, a->six ? "rdma6" : "rdma", a->port, b->spec,
		b->six ? "rdma6" : "rdma", b->port, making->request->nfs_utils);
}

/* Adds what to do if a key is lost; otherwise the reason includes it. */
static int refuse_sections(const struct making *making)
{
	const struct ovirt_part *part = &making->parts[OVIRT_NFSMOUNT];
	enum nfs_utils_sections sections = making->request->sections;
	const struct ovirt_entry *other = find_other(part);
	char why[ERR_TEXT_MAX];

	if (!making->lost)
		return -EPERM;
	if (is_one_server(part) && other)
		return refuse_other(making, &part->list[0], other);
	snprintf(why, sizeof(why), "%s", err_text());
	return err_set(
		EPERM,
		"%.500s. %.64s %s a key in one section of a kind only (repaired in nfs-utils 2.8.3): type the options into the engine (nfsrdma ovirt options), or update nfs-utils",
		why, making->request->nfs_utils,
		sections == NFS_UTILS_LOSES ? "keeps" : "may keep");
}

static int make_nfsmount(struct making *making)
{
	const struct ovirt_part *part = &making->parts[OVIRT_NFSMOUNT];
	bool lossy = making->request->sections != NFS_UTILS_KEEPS;
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
	rc = try_form(making, OVIRT_BY_DIRECTORY, lossy);
	if (rc == -EPERM && lossy && is_one_server(part) && !find_other(part) &&
	    !try_form(making, OVIRT_BY_SERVER, true)) {
		note_server(making);
		return 0;
	}
	/* The second attempt has its own message. */
	if (rc == -EPERM)
		rc = try_form(making, OVIRT_BY_DIRECTORY, lossy);
	return rc == -EPERM ? refuse_sections(making) : rc;
}

/* --- the gates' --------------------------------------------------------------------- */

/* Verifies that the text is a valid policy: an invalid file prevents every mount of type nfsrdma. */
static int check_guard(const char *text)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	_cleanup_free_ char *copy = text ? strdup(text) : NULL;
	int rc = policy_new(&policies);

	if (!rc && text)
		rc = copy ? policy_add(policies, "/" OVIRT_GUARD_PATH, copy)
			  : err_set(ENOMEM, "no memory");
	return rc;
}

static int make_guard(struct making *making)
{
	struct ovirt_change *change = making->change;
	int rc = ovirt_part_write(&making->parts[OVIRT_GUARD], OVIRT_BY_DIRECTORY,
				  change->before[OVIRT_GUARD],
				  &change->after[OVIRT_GUARD]);

	return rc ? rc : check_guard(change->after[OVIRT_GUARD]);
}

/* If another file makes the policy invalid, it must be fixed first: no gate works with it. */
static int check_others(const struct host *host)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;

	/* Not an error of the command line. */
	return policy_open(&policies, host) ? -ENODATA : 0;
}

int ovirt_change_overruled(const struct ovirt_change_request *request,
			   char text[OVIRT_TEXT_MAX])
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
			policy.mode_from, policy_mode_name(policy.mode),
			request->domains[i].dir);
		break;
	}
	return rc;
}

/* --- both --------------------------------------------------------------------------- */

static int read_parts(struct making *making)
{
	static const char *const paths[] = { OVIRT_NFSMOUNT_PATH, OVIRT_GUARD_PATH };
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < ARRAY_SIZE(making->parts); i++) {
		rc = ovirt_part_read(&making->parts[i], (enum ovirt_file)i,
				     making->change->before[i]);
		if (rc)
			err_context(rc, "/%s", paths[i]);
	}
	return rc;
}

static int add_all(struct making *making)
{
	const struct ovirt_change_request *request = making->request;
	size_t i, file;
	int rc = 0;

	for (file = request->guard_only ? OVIRT_GUARD : OVIRT_NFSMOUNT;
	     !rc && file <= OVIRT_GUARD; file++)
		for (i = 0; !rc && i < request->ndomains; i++) {
			const struct ovirt_domain *domain = &request->domains[i];
			bool six = domain->parsed.family == IP_V6 ||
				   (domain->parsed.family == IP_UNKNOWN && request->six);

			rc = ovirt_part_add(&making->parts[file], domain, six,
					    request->port);
		}
	return rc;
}

static int remove_all(struct making *making)
{
	const struct ovirt_change_request *request = making->request;
	size_t i, file;

	for (file = 0; file < ARRAY_SIZE(making->parts) && !request->ndomains; file++)
		ovirt_part_fini(&making->parts[file]);
	for (i = 0; i < request->ndomains; i++) {
		const struct ovirt_domain *domain = &request->domains[i];
		bool any = false;

		for (file = 0; file < ARRAY_SIZE(making->parts); file++)
			any |= ovirt_part_remove(&making->parts[file], domain->dir);
		if (!any)
			return err_set(
				ENOENT,
				"nfsrdma ovirt policy has written nothing for %.120s",
				domain->spec);
	}
	return 0;
}

/* The rest keeps its form if that still works; removing does no harm. */
static int make_removed(struct making *making)
{
	struct ovirt_change *change = making->change;
	int rc;

	rc = ovirt_part_write(
		&making->parts[OVIRT_NFSMOUNT], making->parts[OVIRT_NFSMOUNT].form,
		change->before[OVIRT_NFSMOUNT], &change->after[OVIRT_NFSMOUNT]);
	return rc ? rc : make_guard(making);
}

static int keep_nfsmount(struct ovirt_change *change)
{
	const char *text = change->before[OVIRT_NFSMOUNT];

	change->after[OVIRT_NFSMOUNT] = text ? strdup(text) : NULL;
	return text && !change->after[OVIRT_NFSMOUNT] ? err_set(ENOMEM, "no memory") : 0;
}

static int make_added(struct making *making)
{
	int rc = check_others(making->request->host);

	if (!rc)
		rc = making->request->guard_only ? keep_nfsmount(making->change)
						 : make_nfsmount(making);
	return rc ? rc : make_guard(making);
}

int ovirt_change_make(const struct ovirt_change_request *request,
		      struct ovirt_change *change)
{
	struct making making = { .request = request, .change = change };
	int rc = read_parts(&making);

	rc = rc ? rc : conf_open(&making.now, request->host, NFSMOUNT_CONF);
	if (!rc && request->remove) {
		rc = remove_all(&making);
		rc = rc ? rc : make_removed(&making);
	} else if (!rc) {
		rc = add_all(&making);
		rc = rc ? rc : make_added(&making);
	}
	ovirt_part_fini(&making.parts[OVIRT_NFSMOUNT]);
	ovirt_part_fini(&making.parts[OVIRT_GUARD]);
	conf_close(making.now);
	return rc;
}

void ovirt_change_fini(struct ovirt_change *change)
{
	free(take_ptr(change->after[OVIRT_NFSMOUNT]));
	free(take_ptr(change->after[OVIRT_GUARD]));
}

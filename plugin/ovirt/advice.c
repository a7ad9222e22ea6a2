/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The custom mount options of a domain, planned within the complete mount command: VDSM's options
 * are added to the requested ones, the result is planned (plugin/options), and VDSM's options are
 * removed again. So no option is entered twice, and contradictions are found.
 *
 * For a POSIX domain VDSM adds nothing; then the options to enter include its defaults, which
 * sanlock and the engine rely on. */
#include <stdarg.h>
#include <stdio.h>

#include "plugin/ovirt/internal.h"

#define OWN_PREFIX "nfsrdma."
#define VFS_TYPE   "nfsrdma"
/* sanlock allows ten seconds for an I/O: an NFS client must not time out before. */
#define TIMEO_LEAST 100

int ovirt_advice_note(struct ovirt_advice *advice, const char *fmt, ...)
{
	char **grown = realloc(advice->notes, (advice->nnotes + 1) * sizeof(*grown));
	va_list ap;
	int len;

	if (!grown)
		return err_no_memory();
	advice->notes = grown;
	va_start(ap, fmt);
	len = vasprintf(&grown[advice->nnotes], fmt, ap);
	va_end(ap);
	if (len < 0)
		return err_no_memory();
	advice->nnotes++;
	return 0;
}

static bool ovirt_advice_same_value(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static ssize_t ovirt_advice_find(const struct opts *opts, const struct opt *opt)
{
	size_t i;

	for (i = 0; i < opts_count(opts); i++) {
		struct opt other = opts_at(opts, i);

		if (!strcmp(other.name, opt->name) &&
		    ovirt_advice_same_value(other.value, opt->value))
			return (ssize_t)i;
	}
	return -1;
}

/* --- an NFS domain ------------------------------------------------------------------ */

static struct ovirt_connection ovirt_advice_connection(const struct ovirt_request *request,
						       const char *options)
{
	return (struct ovirt_connection){ .type = request->type,
					  .version = request->version,
					  .vfs_type = VFS_TYPE,
					  .options = options };
}

/* Regardless of the policy: the domain is to use RDMA. */
static int ovirt_advice_refuse(const struct opts *typed)
{
	const struct opt rdma = { "rdma", NULL }, bg = { "bg", NULL };
	size_t i;
	ssize_t at;

	for (i = 0; i < opts_count(typed); i++) {
		struct opt opt = opts_at(typed, i);
		const char *value = opt.value ? opt.value : opt.name;

		if (!strcmp(opt.name, "nordma") ||
		    (!strcmp(known_group(&opt), known_group(&rdma)) && strncmp(value, "rdma", 4)))
			return err_set(EINVAL,
				       "'%.60s%s%.60s' selects another transport; remove it",
				       opt.name, opt.value ? "=" : "", opt.value ? value : "");
	}
	/* VDSM relies on the exit status of mount.nfs. */
	at = opts_find_group(typed, known_group(&bg));
	if (at >= 0 && !strcmp(opts_at(typed, (size_t)at).name, bg.name))
		return err_set(
			EINVAL,
			"with bg mount.nfs may exit with 0 and nothing mounted, and VDSM would use an empty directory; remove bg");
	return 0;
}

static int ovirt_advice_plan(struct ovirt_advice *advice, const struct ovirt_request *request,
			     const char *options)
{
	const struct plan_request planned = {
		.spec = advice->domain.spec,
		.options = options,
		.dir = advice->domain.dir,
		.policies = request->policies,
		.family = request->family,
		.keep_own = request->type == OVIRT_POSIX,
	};
	unsigned int i;
	int rc = plan_make(&advice->plan, &planned);

	if (rc)
		return rc;
	/* A plan's warning about an option that mount.nfs would refuse is an error here, since its
	 * message would not be seen. */
	for (i = 0; i < advice->plan->nwarnings; i++)
		if (strstr(advice->plan->warnings[i], "is written in lower case"))
			return err_set(EINVAL, "%.300s", advice->plan->warnings[i]);
	if (advice->plan->wants_rdma)
		return 0;
	return advice->plan->policy.mode == POLICY_OFF
		       ? err_set(EINVAL,
				 "the policy for it is off (%s): it needs no options for RDMA",
				 advice->plan->policy.mode_from)
		       : err_set(EINVAL, "the options ask for %s, not RDMA",
				 advice->plan->transport);
}

static int ovirt_advice_nfs(struct ovirt_advice *advice, const struct ovirt_request *request,
			    const struct opts *typed, const char *options)
{
	const struct ovirt_connection connection = ovirt_advice_connection(request, options),
				      bare = ovirt_advice_connection(request, NULL);
	const bool locks = opts_find(typed, "lock") >= 0 || opts_find(typed, "nolock") >= 0;
	_cleanup_(opts_free_p) struct opts *vdsm = NULL, *planned = NULL;
	_cleanup_free_ char *whole = NULL, *own = NULL;
	size_t i;
	int rc;

	/* nfsrdma.* are for mount.nfsrdma, which an NFS domain does not use. */
	for (i = 0; i < opts_count(typed); i++) {
		struct opt opt = opts_at(typed, i);

		if (!strncmp(opt.name, OWN_PREFIX, strlen(OWN_PREFIX)))
			return err_set(
				EINVAL,
				"'%.60s' is an option of mount.nfsrdma, but mount.nfs mounts an NFS domain; set it in nfsrdma.conf(5), or use --type posix",
				opt.name);
	}
	rc = ovirt_command_options(&connection, &whole);
	rc = rc ? rc : ovirt_command_options(&bare, &own);
	rc = rc ? rc : opts_parse(&vdsm, own);
	rc = rc ? rc : ovirt_advice_plan(advice, request, whole);
	rc = rc ? rc : opts_parse(&planned, advice->plan->options);
	if (rc)
		return rc;
	/* The first occurrence of each that VDSM adds is removed again; it adds nolock if neither
	 * was entered. */
	for (i = 0; i < opts_count(vdsm); i++) {
		struct opt opt = opts_at(vdsm, i);
		ssize_t at = ovirt_advice_find(planned, &opt);

		if (at >= 0 && !(locks && !strcmp(opt.name, "nolock")))
			opts_remove(planned, (size_t)at);
	}
	return opts_format(planned, &advice->options);
}

/* --- a POSIX domain ----------------------------------------------------------------- */

/* VDSM's for NFS domains, before the requested options, so that these override them. */
static int ovirt_advice_defaults(struct opts *opts, const char *version)
{
	static const struct opt defaults[] = { { "soft", NULL },
					       { "nosharecache", NULL },
					       { "timeo", "100" },
					       { "retrans", "3" },
					       /* VDSM mounts one at a time. */
					       { "retry", "0" } };
	size_t i, at = 0;
	int rc = 0;

	for (i = 0; !rc && i < ARRAY_SIZE(defaults); i++)
		if (opts_find_group(opts, known_group(&defaults[i])) < 0)
			rc = opts_insert(opts, at++, defaults[i].name, defaults[i].value);
	if (!rc && strcmp(version, "auto") != 0)
		rc = opts_insert(opts, at, "vers", version);
	return rc;
}

static int ovirt_advice_posix(struct ovirt_advice *advice, const struct ovirt_request *request,
			      const char *options)
{
	_cleanup_(opts_free_p) struct opts *whole = NULL, *planned = NULL;
	_cleanup_free_ char *text = NULL;
	const char *timeo = NULL;
	ssize_t at;
	int rc = opts_parse(&whole, options);

	if (rc)
		return rc;
	at = opts_find(whole, "timeo");
	if (at >= 0)
		timeo = opts_at(whole, (size_t)at).value;
	if (timeo && *timeo && strtol(timeo, NULL, 10) < TIMEO_LEAST)
		return err_set(
			EINVAL,
			"timeo=%.20s is below sanlock's I/O timeout of ten seconds; use %d or more",
			timeo, TIMEO_LEAST);
	rc = ovirt_advice_defaults(whole, request->version);
	rc = rc ? rc : opts_format(whole, &text);
	rc = rc ? rc : ovirt_advice_plan(advice, request, text);
	rc = rc ? rc : opts_parse(&planned, advice->plan->options);
	if (rc)
		return rc;
	/* As VDSM does for NFS domains: NFSv3 locks would outlive a failed host. */
	if (advice->plan->nfs_major != 4 && opts_find(planned, "lock") < 0 &&
	    opts_find(planned, "nolock") < 0)
		rc = opts_append(planned, "nolock", NULL);
	return rc ? rc : opts_format(planned, &advice->options);
}

/* --- both --------------------------------------------------------------------------- */

/* A storage domain must get an error eventually; options that the engine does not check get a note. */
static int ovirt_advice_notes(struct ovirt_advice *advice, const struct opts *typed)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	unsigned int i;
	int rc = opts_parse(&opts, advice->options);

	if (!rc && opts_trimmed(typed))
		rc = ovirt_advice_note(
			advice,
			"remove the blank after the comma: the engine and VDSM pass it on, and mount.nfs rejects an option that begins with one");
	for (i = 0; !rc && i < advice->plan->nwarnings; i++)
		rc = ovirt_advice_note(advice, "%s", advice->plan->warnings[i]);
	if (!rc && opts_find(opts, "hard") >= 0 &&
	    opts_find(opts, "hard") > opts_find(opts, "soft"))
		rc = ovirt_advice_note(
			advice,
			"with hard, VDSM and sanlock hang when the server is gone: they never get the error on which they release the domain");
	for (i = 0; !rc && i < opts_count(opts); i++) {
		struct opt opt = opts_at(opts, i);

		if (opt.value && strchr(opt.value, '='))
			rc = ovirt_advice_note(
				advice,
				"the engine does not check %.60s, because it has more than one '='",
				opt.name);
	}
	return rc;
}

int ovirt_advise(struct ovirt_advice **out, const struct ovirt_request *request)
{
	_cleanup_free_ char *options = NULL;
	_cleanup_(ovirt_advice_free_p) struct ovirt_advice *advice = calloc(1, sizeof(*advice));
	_cleanup_(opts_free_p) struct opts *typed = NULL;
	struct ovirt_connection connection;
	int rc;

	if (!advice)
		return err_no_memory();
	rc = ovirt_engine_source(request->type, request->spec);
	rc = rc ? rc : ovirt_domain(request->spec, request->repository, &advice->domain);
	rc = rc ? rc : opts_parse(&typed, request->options);
	rc = rc ? rc : opts_format(typed, &options);
	rc = rc ? rc : ovirt_engine_options(request->type, options);
	rc = rc ? rc : ovirt_advice_refuse(typed);
	if (rc)
		return rc;
	rc = request->type == OVIRT_NFS ? ovirt_advice_nfs(advice, request, typed, options)
					: ovirt_advice_posix(advice, request, options);
	if (!rc)
		rc = ovirt_engine_options(request->type, advice->options);
	if (rc)
		return rc;
	connection = ovirt_advice_connection(request, advice->options);
	rc = ovirt_command(&connection, &advice->domain, &advice->command);
	if (!rc)
		rc = ovirt_advice_notes(advice, typed);
	if (rc)
		return rc;
	*out = take_ptr(advice);
	return 0;
}

void ovirt_advice_free(struct ovirt_advice *advice)
{
	if (!advice)
		return;
	while (advice->nnotes)
		free(advice->notes[--advice->nnotes]);
	free(advice->notes);
	free(advice->options);
	ovirt_command_fini(&advice->command);
	plan_free(advice->plan);
	free(advice);
}

void ovirt_advice_free_p(struct ovirt_advice **advice)
{
	ovirt_advice_free(*advice);
}

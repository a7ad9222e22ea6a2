/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What requests which transport for a mount, or for a place without one, and whether it is
 * binding: the rules of view.h, implemented only here. Pure. */
#include <limits.h>
#include <stdio.h>

#include "plugin/host/text.h"
#include "plugin/view/internal.h"
#include "rpcrdma/nfs/nfs.h"

/* Limit of the steps from a sub-mount to the mount at the top. */
#define DEPTH_MAX 64

/* --- words ---------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *from; /* NULL: each one has its own text */
	bool many, lasting;
} wanted_bys[] = {
	[BY_NOBODY] = { "nobody", "", false, false },
	[BY_SECTION] = { "section", NULL, false, false },
	[BY_POOL] = { "pool", NULL, false, true },
	[BY_FSTAB] = { "fstab", NULL, false, false },
	[BY_UNIT] = { "unit", NULL, false, false },
	[BY_STORAGE] = { "storage", NULL, false, false },
	[BY_AUTOFS] = { "autofs", NULL, false, false },
	[BY_OPTIONS] = { "options", "its mount options", true, true },
	[BY_REQUEST] = { "request", "its mount by mount.nfsrdma", false, true },
	[BY_PENDING] = { "unfinished", NULL, false, false },
	[BY_NFSMOUNT_CONF] = { "nfsmount.conf", NULL, false, false },
	[BY_PORT] = { "port", "its mount option port=", false, false },
	[BY_ABOVE] = { "above", "the mount above it", false, false },
	[BY_DEFAULT] = { "default", NULL, false, false },
};

const char *view_by_name(enum view_by by)
{
	return wanted_bys[by].name;
}

const char *view_verb(const struct view_wanted *wanted)
{
	if (!wanted->covered)
		return wanted->many ? "request" : "requests";
	return wanted->mode == POLICY_PREFER ? "prefers" : "requires";
}

const char *view_binds_name(const struct view_wanted *wanted)
{
	if (!wanted->rdma)
		return wanted->by != BY_NOBODY && wanted->mode == POLICY_OFF ? "off" : "nobody";
	return wanted->mode == POLICY_PREFER ? "prefer" : "require";
}

/* The request of one source. */
struct wanted_word {
	enum view_by by;
	enum view_asked asked;
	bool weak;             /* a request for this very mount outweighs it */
	bool guess;            /* TCP is acceptable, unless [default] is off */
	enum view_force force; /* its nfsrdma.policy= outweighs [default] */
	const char *from;
	const struct view_place *place;
};

struct wanted_search {
	const struct view *view;
	const struct wanted_input *input;
	struct view_wanted *out;
	struct policy policy;
	enum policy_mode mode; /* of the request in @out */
	bool loose;            /* TCP is acceptable to it */
	enum view_force force; /* of the mount's own options */
	char conf_from[POLICY_FROM_MAX];
};

/* With nfsrdma.policy= that, else what nfsrdma.conf says. */
static enum policy_mode wanted_mode(const struct wanted_search *f, const struct wanted_word *word)
{
	static const enum policy_mode forced[] = { [FORCE_OFF] = POLICY_OFF,
						   [FORCE_PREFER] = POLICY_PREFER,
						   [FORCE_REQUIRE] = POLICY_REQUIRE };

	if (word->force)
		return forced[word->force];
	return word->guess && f->policy.mode == POLICY_REQUIRE ? POLICY_PREFER : f->policy.mode;
}

/* The strictest of the requests for RDMA counts; of two that are alike the first that is firm. */
static void wanted_take(struct wanted_search *f, const struct wanted_word *word)
{
	enum policy_mode mode = wanted_mode(f, word);
	bool loose = word->guess || word->force == FORCE_PREFER;
	struct view_wanted *out = f->out;

	out->lasting |= word->asked == ASKED_RDMA && wanted_bys[word->by].lasting;
	if (word->weak && out->asked == ASKED_TCP)
		return;
	if (word->asked < out->asked || (word->asked == out->asked && mode >= f->mode &&
					 (mode > f->mode || !f->loose || loose)))
		return;
	out->asked = word->asked;
	f->mode = mode;
	f->loose = loose;
	out->place = word->place;
	if (word->asked < ASKED_TCP)
		return;
	out->by = word->by;
	out->guess = word->guess;
	out->many = wanted_bys[word->by].many;
	snprintf(out->from, sizeof(out->from), "%s",
		 word->from ? word->from : wanted_bys[word->by].from);
}

/* --- each source -------------------------------------------------------------------- */

static void wanted_take_place(struct wanted_search *f, const struct view_place *place)
{
	static const enum view_by bys[] = {
		[PLACE_POOL] = BY_POOL,       [PLACE_FSTAB] = BY_FSTAB,
		[PLACE_UNIT] = BY_UNIT,       [PLACE_STORAGE] = BY_STORAGE,
		[PLACE_AUTOFS] = BY_AUTOFS,   [PLACE_DOMAIN] = BY_NOBODY,
		[PLACE_PENDING] = BY_PENDING, [PLACE_SECTION] = BY_SECTION,
	};
	const struct wanted_word word = {
		.by = bys[place->kind],
		.asked = place->asked,
		.force = place->force,
		.from = place->by,
		.place = place,
	};

	wanted_take(f, &word);
	if (place->kind != PLACE_POOL && place->force)
		f->force = place->force;
}

/* Of an idle place only if something is mounted there. */
bool wanted_counts(const struct view_dir *dir)
{
	return dir->place->fs_spec && (!dir->place->idle || dir->mounted != DIR_NOT_MOUNTED);
}

static void wanted_take_places(struct wanted_search *f)
{
	const struct view_dir *dir = places_at(f->view, f->input->dir);

	/* A directory without a source: the caller evaluates each of its places. */
	if (!f->input->source)
		return;
	if (f->input->place)
		wanted_take_place(f, f->input->place);
	for (; dir; dir = places_next(f->view, dir))
		if (dir->place != f->input->place && wanted_counts(dir))
			wanted_take_place(f, dir->place);
}

const struct conf_value *wanted_conf(const struct view *view, const char *source, const char *dir)
{
	const struct conf *conf = view->nfsmount_conf;
	const struct conf_value *value;
	const struct conf_section *at;
	struct conf_mount mount;
	size_t i;

	if (!conf)
		return NULL;
	conf_mount(&mount, source, dir);
	for (i = 0; i < ARRAY_SIZE(mount.sections); i++) {
		at = &mount.sections[i];
		value = conf_get(conf, at->section, at->arg, "proto");
		if (value)
			return view_is_rdma(value->value) ? value : NULL;
		value = conf_get(conf, at->section, at->arg, "rdma");
		if (conf_bool(value, 0) == 1)
			return value;
	}
	return NULL;
}

static void wanted_take_conf(struct wanted_search *f)
{
	struct wanted_word word = {
		.by = BY_NFSMOUNT_CONF, .asked = ASKED_RDMA, .weak = true, .force = f->force
	};
	const struct conf_value *value =
		f->input->source ? wanted_conf(f->view, f->input->source, f->input->dir) : NULL;

	if (!value)
		return;
	snprintf(f->conf_from, sizeof(f->conf_from), "/%.280s:%u", value->file, value->line);
	word.from = f->conf_from;
	wanted_take(f, &word);
}

/* A mount keeps the requested port in its options when it shares another's connection. The
 * port is RDMA's, or one by which other mounts reach the same server over RDMA. */
static bool wanted_has_rdma_port(const struct view *view, const struct nfs_mount *mount)
{
	unsigned int i;

	if (*mount->asked || !mount->port || view_is_rdma(mount->proto))
		return false;
	if (mount->port == NFS_RDMA_PORT)
		return true;
	for (i = 0; i < view->nfs->count; i++) {
		const struct nfs_mount *other = &view->nfs->list[i];

		if (view_is_rdma(other->proto) && other->port == mount->port && *mount->addr &&
		    !strcmp(other->addr, mount->addr))
			return true;
	}
	return false;
}

/* fstab data of given mounts, for which no line is known. */
static void wanted_take_fstab(struct wanted_search *f, const struct nfs_mount *mount)
{
	struct wanted_word word = { .by = BY_FSTAB, .from = "/etc/fstab" };
	struct view_asks asks;

	if (!*mount->fstab || places_at(f->view, mount->target))
		return;
	view_asks(NULL, mount->fstab, &asks);
	word.asked = asks.asked;
	word.force = asks.force;
	wanted_take(f, &word);
}

/* The options mount.nfs was given no longer have nfsrdma.policy=: the helper removes it, and notes
 * it. */
static enum view_force wanted_force(const struct nfs_mount *mount, const struct view_asks *asks,
				    enum view_force requested)
{
	struct view_asks fstab;

	view_asks(NULL, mount->fstab, &fstab);
	if (asks->force)
		return asks->force;
	return requested ? requested : fstab.force;
}

static void wanted_take_mount(struct wanted_search *f)
{
	const struct nfs_mount *mount = &f->view->nfs->list[f->input->mount];
	struct wanted_word options = { .by = BY_OPTIONS };
	const struct request *request = requests_of(f->view, mount);
	const struct wanted_word port = { .by = BY_PORT,
					  .asked = wanted_has_rdma_port(f->view, mount)
							   ? ASKED_RDMA
							   : ASKED_UNKNOWN,
					  .weak = true,
					  .guess = true };
	struct wanted_word helper = { .by = BY_REQUEST, .asked = ASKED_RDMA };
	struct view_asks asks;

	view_asks(NULL, mount->asked, &asks);
	if (request) {
		/* Options that request RDMA are those of mount.nfsrdma. */
		helper.guess = !view_is_rdma(mount->proto) && asks.asked != ASKED_RDMA &&
			       requests_is_shared(f->view, request, mount);
		helper.force = requests_force(request);
		if (helper.guess && helper.force == FORCE_REQUIRE)
			helper.force = FORCE_PREFER;
	}
	/* A guess neither weakens what others say nor makes it stricter. */
	f->force = wanted_force(mount, &asks, helper.guess ? FORCE_NONE : helper.force);
	options.asked = asks.asked == ASKED_RDMA && f->force == FORCE_OFF ? ASKED_ANY : asks.asked;
	options.force = f->force;
	wanted_take_fstab(f, mount);
	wanted_take(f, &options);
	if (request)
		wanted_take(f, &helper);
	if (f->force != FORCE_OFF) {
		wanted_take_conf(f);
		wanted_take(f, &port);
	}
}

/* --- the policy --------------------------------------------------------------------- */

/* A mount may have a source that our configuration cannot express ("nas:vm", a blank in a
 * name). Its server is still known, and a section for that covers it. */
static void wanted_parse_source(const char *source, struct spec *out)
{
	size_t len = *source == '[' ? strcspn(source, "]") : strcspn(source, ":");
	const char *host = source + (*source == '['), *path = source + len;

	if (!spec_parse(source, out))
		return;
	*out = (struct spec){ .family = IP_UNKNOWN };
	path += strspn(path, "]:");
	snprintf(out->host, sizeof(out->host), "%.*s", (int)(len - (size_t)(host - source)), host);
	snprintf(out->path, sizeof(out->path), "%s%s", *path == '/' ? "" : "/", path);
}

static void wanted_cover(struct wanted_search *f, enum view_by by)
{
	struct view_wanted *out = f->out;

	out->covered = true;
	out->mode = f->policy.mode;
	out->rdma = out->mode != POLICY_OFF;
	out->asked = out->rdma ? ASKED_RDMA : out->asked == ASKED_TCP ? ASKED_TCP : ASKED_ANY;
	out->by = by;
	out->many = false;
	out->lasting &= out->rdma;
	memcpy(out->from, f->policy.mode_from, sizeof(out->from));
}

/* Notes the place that is covered or requests it, which shows how a missing mount is made. */
static void wanted_note_place(struct wanted_search *f)
{
	const struct view_dir *dir = places_at(f->view, f->input->dir);

	if (f->out->place && f->out->place->asked == ASKED_RDMA)
		return;
	f->out->place = f->input->place;
	for (; dir && !f->out->place; dir = places_next(f->view, dir))
		if (wanted_counts(dir))
			f->out->place = dir->place;
}

/* --- all of them -------------------------------------------------------------------- */

/* Rules 1 and 2, except for the mounts above and mounts of the same file system. */
static void wanted_find_own(struct wanted_search *f)
{
	const struct view *view = f->view;
	struct view_wanted *out = f->out;
	bool is_mount = f->input->mount < view->nfs->count;
	struct spec spec;

	*out = (struct view_wanted){ .by = BY_NOBODY };
	if (f->input->source) {
		wanted_parse_source(f->input->source, &spec);
		policy_get(view->policies, &spec, f->input->dir, &f->policy);
	} else {
		policy_get_dir(view->policies, f->input->dir, &f->policy);
	}
	out->mode = f->mode = f->policy.mode;
	out->on_unknown = f->policy.on_unknown;
	wanted_take_places(f);
	if (is_mount)
		wanted_take_mount(f);
	else if (f->force != FORCE_OFF)
		wanted_take_conf(f);
	wanted_note_place(f);
	if (f->policy.scope >= POLICY_OF_SERVER) {
		wanted_cover(f, BY_SECTION);
		return;
	}
	if (out->asked != ASKED_RDMA)
		return;
	out->mode = f->mode;
	out->rdma = out->mode != POLICY_OFF;
	/* [default] switches it off, unless nfsrdma.policy= says otherwise. */
	if (!out->rdma)
		wanted_cover(f, BY_DEFAULT);
}

/* A guess does not count as a request. */
static bool wanted_is_empty(const struct view_wanted *wanted)
{
	return !wanted->covered && (!wanted->rdma || wanted->guess);
}

static void wanted_of_mount(const struct view *view, unsigned int index, struct view_wanted *out)
{
	const struct nfs_mount *mount = &view->nfs->list[index];
	const struct wanted_input input = { mount->fs_spec, mount->target, index, NULL };
	struct wanted_search f = { .view = view, .input = &input, .out = out };

	wanted_find_own(&f);
}

/* A mount that the kernel made by itself, where the server has another file system or a
 * referral. It never had options of its own. */
unsigned int wanted_below(const struct nfs_mounts *mounts, unsigned int index)
{
	const struct nfs_mount *mount = &mounts->list[index];
	const char *below;

	if (mount->parent >= mounts->count || *mount->asked || *mount->fstab)
		return UINT_MAX;
	below = text_below(mounts->list[mount->parent].target, mount->target);
	return below && *below ? mount->parent : UINT_MAX;
}

bool view_is_part(const struct nfs_mount *mount, const struct nfs_mount *above)
{
	return *mount->addr && !strcmp(mount->addr, above->addr) &&
	       !strncmp(mount->fs_spec, above->fs_spec, strlen(above->fs_spec));
}

/* A mount that the kernel made below another one requests what that one does; and if that
 * one runs over RDMA, this one should as well. */
static void wanted_take_above(const struct view *view, unsigned int index, struct view_wanted *out)
{
	unsigned int above = wanted_below(view->nfs, index), steps;
	struct view_wanted wanted;

	if (above == UINT_MAX)
		return;
	for (steps = 0; wanted_below(view->nfs, above) != UINT_MAX && steps < DEPTH_MAX; steps++)
		above = wanted_below(view->nfs, above);
	wanted_of_mount(view, above, &wanted);
	if (wanted.covered && wanted.by == BY_SECTION) {
		*out = wanted;
		return;
	}
	if (!wanted.rdma && !view_run_is_rdma(view_run(&view->nfs->list[above]))) {
		if (!out->rdma)
			out->asked = wanted.asked;
		return;
	}
	if (wanted.mode == POLICY_OFF)
		return;
	/* If libmount has no options, a mount of another server may have been made by hand. */
	if (!view_is_part(&view->nfs->list[index], &view->nfs->list[above]) &&
	    !*view->nfs->list[above].asked)
		wanted.mode = POLICY_PREFER;
	wanted.rdma = true;
	wanted.asked = ASKED_RDMA;
	wanted.by = BY_ABOVE;
	wanted.many = wanted.lasting = false;
	wanted.place = NULL;
	snprintf(wanted.from, sizeof(wanted.from), "%s", wanted_bys[BY_ABOVE].from);
	*out = wanted;
}

/* The same file system may also be mounted elsewhere, for instance by a bind mount, which
 * has no options of its own: the same request applies there. */
static void wanted_take_same_device(const struct view *view, unsigned int index,
				    struct view_wanted *out)
{
	const struct nfs_mount *list = view->nfs->list;
	struct view_wanted same;
	unsigned int i;

	for (i = 0; i < view->nfs->count && wanted_is_empty(out); i++) {
		if (i == index || strcmp(list[i].dev, list[index].dev) != 0)
			continue;
		wanted_of_mount(view, i, &same);
		if (same.rdma && (!same.guess || !out->rdma))
			*out = same;
	}
}

void wanted_find(const struct view *view, const struct wanted_input *input, struct view_wanted *out)
{
	struct wanted_search f = { .view = view, .input = input, .out = out };

	wanted_find_own(&f);
	if (input->mount < view->nfs->count && f.force != FORCE_OFF) {
		if (wanted_is_empty(out))
			wanted_take_above(view, input->mount, out);
		if (wanted_is_empty(out))
			wanted_take_same_device(view, input->mount, out);
	}
	/* Rule 3. The mount's own options are more specific. */
	if (!wanted_is_empty(out) || f.force == FORCE_OFF || !input->source ||
	    f.policy.scope != POLICY_DEFAULT)
		return;
	wanted_cover(&f, BY_DEFAULT);
	if (f.force == FORCE_PREFER && out->mode == POLICY_REQUIRE)
		out->mode = POLICY_PREFER;
}

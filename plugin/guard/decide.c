/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The answer, from what a path lies on and what is requested there, as one sentence with
 * every name that an administrator needs: virsh and VDSM show only that. */
#include <stdarg.h>
#include <stdio.h>

#include "plugin/guard/internal.h"
#include "plugin/report/shell.h"

/* A path in a sentence; its beginning and end are the most useful. */
#define SHOWN_MAX 160

struct decide_shown {
	char text[SHOWN_MAX + 4];
};

static const char *decide_show(struct decide_shown *shown, const char *text)
{
	size_t len = strlen(text), half = SHOWN_MAX / 2;

	if (len <= SHOWN_MAX)
		str_copy(shown->text, sizeof(shown->text), text);
	else
		snprintf(shown->text, sizeof(shown->text), "%.*s...%s", (int)half - 3, text,
			 text + len - half);
	return shown->text;
}

PRINTF_LIKE(3, 4)
static void decide_print(char *buf, size_t cap, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* Text from outside has no newline left, and is not cut within a character. */
	text_copy(buf, cap, text);
}

/* --- parts of messages ---------------------------------------------------------------------- */

struct decide_sentence {
	const struct guard_seen *seen;
	const char *disk, *file;
	const char *source, *target, *type; /* of the mount; "" none known */
	const char *by, *verb;              /* "/etc/nfsrdma.conf:3" "requires" */
	const char *what;                   /* requested there: "nas:/vm", "a mount" */
	const char *dir, *pool;             /* quoted for a command */
	char *text, *remedy;
};

#define SAY(sentence, ...)    decide_print((sentence)->text, GUARD_TEXT_MAX, __VA_ARGS__)
#define REMEDY(sentence, ...) decide_print((sentence)->remedy, GUARD_TEXT_MAX, __VA_ARGS__)

/* How to mount a missing mount. */
static void decide_say_mount(struct decide_sentence *s, const char *before)
{
	const struct view_place *place = s->seen->wanted.place;

	if (place && place->pool)
		/* libvirt does not start a pool that it shows as running. */
		REMEDY(s,
		       "%sStart the pool (%s%s%s'virsh pool-start %s'), then run 'nfsrdma pool verify %s'.",
		       before, place->expected ? "'virsh pool-destroy " : "",
		       place->expected ? s->pool : "", place->expected ? "', " : "", s->pool,
		       s->pool);
	else if (place && place->kind == PLACE_PENDING)
		REMEDY(s,
		       "If mount.nfsrdma still runs, wait for it; else mount it again ('mount -t nfsrdma %s %s'), or clear the request if nothing belongs there ('rm %s').",
		       SHELL_OPERAND(place->fs_spec), s->dir, place->name);
	else if (place && place->kind == PLACE_UNIT)
		REMEDY(s, "%sStart its unit ('systemctl start %s'), then run 'nfsrdma mounts'.",
		       before, SHELL_OPERAND(place->name));
	else if (place && place->kind == PLACE_STORAGE)
		REMEDY(s,
		       "%sHave Proxmox VE mount the storage ('pvesm status --storage %s'), then run 'nfsrdma mounts'.",
		       before, SHELL_OPERAND(place->name));
	else if (place && place->kind == PLACE_FSTAB)
		REMEDY(s, "%sMount it ('mount %s'), then run 'nfsrdma mounts'.", before, s->dir);
	else
		REMEDY(s,
		       "%sMount what belongs on %s over RDMA ('mount -t nfsrdma SERVER:/EXPORT %s').",
		       before, s->seen->dir, s->dir);
}

static void decide_say_other(struct decide_sentence *s)
{
	const struct view_place *place = s->seen->wanted.place;

	SAY(s, "disk %s (%s) is on %s, mounted at %s over %s, but %s %s RDMA", s->disk, s->file,
	    s->source, s->target, s->seen->proto, s->by, s->verb);
	if (place && place->pool)
		REMEDY(s,
		       "Shut down the guests of pool '%s', then restart it over RDMA ('nfsrdma pool convert %s'); 'nfsrdma mounts' shows the cause.",
		       place->pool, s->pool);
	else
		REMEDY(s,
		       "Unmount it ('umount %s') and mount it with proto=rdma,port=20049; 'nfsrdma mounts' shows the cause and the commands.",
		       s->dir);
}

/* In place of commands to run by hand. */
static void decide_say_domain(struct decide_sentence *s)
{
	char spec[PATH_MAX];

	/* The mount in its place is not the domain's. */
	if (*s->seen->proto && s->seen->mount)
		str_copy(spec, sizeof(spec), s->seen->mount->source);
	else if (host_repository_source(s->seen->dir, spec, sizeof(spec)))
		spec[0] = '\0';
	REMEDY(s,
	       "In the engine, put the storage domain into maintenance and activate it again, so that VDSM mounts it anew on this host; 'nfsrdma ovirt options %s' prints what its custom mount options should be.",
	       *spec ? SHELL_OPERAND(spec) : "SERVER:/EXPORT");
}

static void decide_say_doubtful(struct decide_sentence *s)
{
	SAY(s,
	    "disk %s (%s) is on %s, mounted at %s, its transport is unknown (%s), and %s %s RDMA",
	    s->disk, s->file, s->source, s->target, s->seen->why, s->by, s->verb);
	REMEDY(s,
	       "Run 'nfsrdma mounts' as root on this host; on-unknown= in nfsrdma.conf decides while it is unknown.");
}

static void decide_say_alias(struct decide_sentence *s)
{
	SAY(s,
	    "disk %s (%s) is on %s, mounted at %s over %s, where %s %s %s: unknown whether both names mean the same export",
	    s->disk, s->file, s->source, s->target, s->seen->proto, s->by, s->verb, s->what);
	REMEDY(s,
	       "If it is the same, write the same source in both places; else unmount it ('umount %s') and mount the right one.",
	       s->dir);
}

static void decide_say_foreign(struct decide_sentence *s)
{
	struct decide_shown dir;

	SAY(s, "disk %s (%s) is on %s (%s), mounted at %s, where %s %s %s over RDMA", s->disk,
	    s->file, s->source, s->type, s->target, s->by, s->verb, s->what);
	snprintf(dir.text, sizeof(dir.text), "Unmount %.100s. ", s->target);
	decide_say_mount(s, dir.text);
}

static void decide_say_empty(struct decide_sentence *s)
{
	bool nfs = *s->seen->proto || !strncmp(s->type, "nfs", 3);
	struct decide_shown dir;

	SAY(s,
	    "disk %s (%s) would be on %s (%s): nothing is mounted at %s, where %s %s %s over RDMA",
	    s->disk, s->file, nfs ? s->source : s->target, s->type, decide_show(&dir, s->seen->dir),
	    s->by, s->verb, s->what);
	decide_say_mount(s, "");
}

static void decide_say_automount(struct decide_sentence *s)
{
	SAY(s,
	    "disk %s (%s) is below %s, which is mounted on demand and not mounted now (%s), but %s %s RDMA",
	    s->disk, s->file, s->target, s->seen->why, s->by, s->verb);
	REMEDY(s, "Mount it before the guest starts ('ls %s').", s->dir);
}

static void decide_say_demand(struct decide_sentence *s)
{
	SAY(s, "disk %s (%s) is below %s, on which %s will be mounted without RDMA, but %s %s RDMA",
	    s->disk, s->file, s->target, s->seen->source, s->by, s->verb);
	REMEDY(s,
	       "Add proto=rdma to its options in fstab, the unit or the automounter's map, and reload that.");
}

static void decide_say_unknown(struct decide_sentence *s)
{
	struct decide_shown dir;

	if (*s->seen->proto && !view_is_rdma(s->seen->proto))
		SAY(s,
		    "disk %s (%s) is on %s, mounted at %s over %s, and it is unknown whether it should be over RDMA: %s",
		    s->disk, s->file, s->source, s->target, s->seen->proto, s->seen->why);
	else if (*s->seen->request)
		SAY(s,
		    "disk %s (%s): unknown whether mount.nfsrdma was to mount something on %s: %s",
		    s->disk, s->file, decide_show(&dir, s->seen->dir), s->seen->why);
	else
		SAY(s, "disk %s (%s): unknown whether it is on RDMA: %s", s->disk, s->file,
		    s->seen->why);
	if (*s->seen->request)
		REMEDY(s,
		       "If mount.nfsrdma does not run, mount again what belongs there, or clear it ('rm -r %s').",
		       s->seen->request);
	else
		REMEDY(s,
		       "Fix what is named, or run 'nfsrdma mounts' as root on this host; on-unknown= in nfsrdma.conf decides while it is unknown.");
}

/* --- the answer ----------------------------------------------------------------------------- */

static const struct {
	enum guard_answer answer;
	const char *id;
	/* One for each origin of the request: a line of fstab or none known, a pool, VDSM,
	 * or only a section of the policy. */
	const char *reason, *pool_reason, *vdsm_reason, *section_reason;
	void (*say)(struct decide_sentence *sentence);
	bool remount; /* the remedy */
	bool strict;  /* no NFS mount, so not TCP either: "prefer" does not allow it */
} decide_rows[BACKING_COUNT] = {
	[BACKING_RDMA] = { GUARD_PASS, "gate.transport", "", "", "", "", NULL, false, false },
	[BACKING_OTHER] = { GUARD_REFUSE, "gate.transport", "not-rdma", "pool-not-rdma", "vdsm",
			    "not-rdma", decide_say_other, true, false },
	[BACKING_DOUBTFUL] = { GUARD_UNKNOWN, "gate.unknown", "transport", "transport", "transport",
			       "transport", decide_say_doubtful, false, false },
	[BACKING_ALIAS] = { GUARD_PASS, "gate.mount", "other-source", "other-source",
			    "other-source", "other-source", decide_say_alias, false, false },
	[BACKING_FOREIGN] = { GUARD_REFUSE, "gate.mount", "occupied", "pool-occupied", "vdsm",
			      "section-occupied", decide_say_foreign, true, true },
	[BACKING_EMPTY] = { GUARD_REFUSE, "gate.mount", "not-mounted", "pool-not-mounted", "vdsm",
			    "section-not-mounted", decide_say_empty, true, true },
	[BACKING_AUTOMOUNT] = { GUARD_UNKNOWN, "gate.unknown", "automount", "automount",
				"automount", "automount", decide_say_automount, false, false },
	[BACKING_DEMAND] = { GUARD_PASS, "gate.transport", "", "", "", "", NULL, false, false },
	[BACKING_DEMAND_OTHER] = { GUARD_REFUSE, "gate.transport", "on-demand", "on-demand",
				   "on-demand", "on-demand", decide_say_demand, false, false },
	[BACKING_UNKNOWN] = { GUARD_UNKNOWN, "gate.unknown", "lost", "lost", "lost", "lost",
			      decide_say_unknown, false, false },
};

/* Of a mount that is missing, by what requests it. NULL: that of its row. */
static const char *const decide_reasons[] = {
	[PLACE_UNIT] = "unit-not-mounted",
	[PLACE_STORAGE] = "storage-not-mounted",
	[PLACE_PENDING] = "unfinished",
	[PLACE_SECTION] = NULL,
};

/* The policy that refuses is the decision of this host's administrator, and so is the exception.
 * Never for a disk that would be local. */
static void decide_say_exception(struct decide_sentence *s)
{
	size_t used = strlen(s->remedy);

	if (strlen(s->seen->dir) <= SHOWN_MAX)
		decide_print(
			s->remedy + used, GUARD_TEXT_MAX - used,
			" An administrator of this host can allow TCP meanwhile: '[directory %s]' with 'policy = prefer' in /etc/nfsrdma.conf.",
			s->seen->dir);
}

static void decide_message(const struct guard_seen *seen, const struct guard_disk *disk,
			   const char *file, struct guard_verdict *out)
{
	const struct view_place *place = seen->wanted.place;
	const struct host_mount *mount = seen->mount;
	struct decide_shown shown[4];
	struct shell_word words[2];
	struct decide_sentence s = {
		.seen = seen,
		.disk = disk->name ? disk->name : "?",
		.file = decide_show(&shown[0], file),
		.source = decide_show(&shown[1], mount ? mount->source : ""),
		.target = decide_show(&shown[2], mount ? mount->target : "/"),
		.type = mount ? mount->type : "?",
		.by = seen->wanted.from,
		.verb = view_verb(&seen->wanted),
		.what = decide_show(&shown[3],
				    place && place->fs_spec ? place->fs_spec : "a mount"),
		.dir = shell_word(&words[0], seen->dir),
		.pool = shell_operand(&words[1], place && place->pool ? place->pool : ""),
		.text = out->text,
		.remedy = out->remedy,
	};

	decide_rows[seen->backing].say(&s);
	if (seen->domain)
		out->reason = decide_rows[seen->backing].vdsm_reason;
	else if (place && place->pool)
		out->reason = decide_rows[seen->backing].pool_reason;
	else if (!place || place->kind == PLACE_SECTION)
		out->reason = decide_rows[seen->backing].section_reason;
	else
		out->reason = decide_rows[seen->backing].reason;
	if (place && decide_reasons[place->kind] &&
	    (seen->backing == BACKING_EMPTY ||
	     (seen->backing == BACKING_FOREIGN && place->kind == PLACE_PENDING)))
		out->reason = decide_reasons[place->kind];
	out->key = place ? view_place_key(place) : NULL;
	if (out->key)
		text_copy(out->name, sizeof(out->name), place->name);
	if (*seen->request) {
		out->reason = "request";
		out->key = "request";
		str_copy(out->name, sizeof(out->name), seen->request);
	}
	if (place && place->pool)
		text_copy(out->pool, sizeof(out->pool), place->pool);
	if (seen->domain && decide_rows[seen->backing].remount)
		decide_say_domain(&s);
	if ((seen->backing == BACKING_OTHER || seen->backing == BACKING_DEMAND_OTHER) &&
	    seen->wanted.mode != POLICY_PREFER)
		decide_say_exception(&s);
}

void decide_disk(const struct guard_seen *seen, const struct guard_disk *disk, const char *file,
		 struct guard_verdict *out)
{
	const struct view_wanted *wanted = &seen->wanted;
	bool empty = seen->backing == BACKING_EMPTY;
	bool nfs = seen->backing < BACKING_FOREIGN || *seen->proto;
	const char *source = seen->mount ? seen->mount->source : NULL;
	bool tolerated;

	if (*seen->source)
		source = seen->source;
	if (empty || (*seen->request && !*seen->proto))
		source = wanted->place ? wanted->place->fs_spec : NULL;
	*out = (struct guard_verdict){ .answer = GUARD_PASS, .id = "gate.transport", .reason = "" };
	out->wanted = wanted->rdma;
	text_copy(out->path, sizeof(out->path), file);
	if (wanted->rdma)
		text_copy(out->by, sizeof(out->by), wanted->from);
	if (out->wanted || nfs || *seen->request) {
		text_copy(out->target, sizeof(out->target), seen->dir);
		text_copy(out->fs_spec, sizeof(out->fs_spec), source ? source : "");
		str_copy(out->proto, sizeof(out->proto), seen->proto);
	}
	if (!out->wanted && seen->backing != BACKING_UNKNOWN)
		return;
	out->answer = decide_rows[seen->backing].answer;
	out->id = decide_rows[seen->backing].id;
	if (!decide_rows[seen->backing].say)
		return;
	decide_message(seen, disk, file, out);
	/* TCP is acceptable, or the guest starts without this disk. */
	tolerated = (wanted->mode == POLICY_PREFER && !decide_rows[seen->backing].strict) ||
		    (disk->optional && empty);
	if (out->answer == GUARD_PASS || (out->wanted && tolerated)) {
		out->loud = true;
		out->answer = out->answer == GUARD_REFUSE ? GUARD_PASS : out->answer;
		return;
	}
	out->refuse = out->answer == GUARD_REFUSE || wanted->on_unknown == POLICY_UNKNOWN_REFUSE;
}

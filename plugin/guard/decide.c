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

struct shown {
	char text[SHOWN_MAX + 4];
};

static const char *show(struct shown *shown, const char *text)
{
	size_t len = strlen(text), half = SHOWN_MAX / 2;

	if (len <= SHOWN_MAX)
		strcpy(shown->text, text);
	else
		snprintf(shown->text, sizeof(shown->text), "%.*s...%s", (int)half - 3,
			 text, text + len - half);
	return shown->text;
}

PRINTF_LIKE(3, 4)
static void say(char *buf, size_t cap, const char *fmt, ...)
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

struct sentence {
	const struct guard_seen *seen;
	const char *disk, *file;
	const char *source, *target, *type; /* of the mount; "" none known */
	const char *by, *verb;              /* "/etc/nfsrdma.conf:3" "requires" */
	const char *what;                   /* requested there: "nas:/vm", "a mount" */
	const char *dir, *pool;             /* quoted for a command */
	char *text, *remedy;
};

#define SAY(sentence, ...)    say((sentence)->text, GUARD_TEXT_MAX, __VA_ARGS__)
#define REMEDY(sentence, ...) say((sentence)->remedy, GUARD_TEXT_MAX, __VA_ARGS__)

/* How to mount a missing mount. */
static void say_mount(struct sentence *s, const char *before)
{
	const struct view_place *place = s->seen->wanted.place;

	if (place && place->pool)
		/* libvirt does not start a pool that it shows as running. */
		REMEDY(s,
		       "%sStart the pool (%s%s%s'virsh pool-start %s'), then run 'nfsrdma pool verify %s'.",
		       before, place->expected ? "'virsh pool-destroy " : "",
		       place->expected ? s->pool : "", place->expected ? "', " : "",
		       s->pool, s->pool);
	else if (place && place->kind == PLACE_FSTAB)
		REMEDY(s, "%sMount it ('mount %s'), then run 'nfsrdma mounts'.", before,
		       s->dir);
	else
		REMEDY(s,
		       "%sMount what belongs on %s over RDMA ('mount -t nfsrdma SERVER:/EXPORT %s').",
		       before, s->seen->dir, s->dir);
}

static void say_other(struct sentence *s)
{
	const struct view_place *place = s->seen->wanted.place;

	SAY(s, "disk %s (%s) is on %s, mounted at %s over %s, but %s %s RDMA", s->disk,
	    s->file, s->source, s->target, s->seen->proto, s->by, s->verb);
	if (place && place->pool)
		REMEDY(s,
		       "Shut down the guests of pool '%s', then restart it over RDMA ('nfsrdma pool convert %s'); 'nfsrdma mounts' shows the cause.",
		       place->pool, s->pool);
	else
		REMEDY(s,
		       "Unmount it ('umount %s') and mount it with proto=rdma,port=20049; 'nfsrdma mounts' shows the cause and the commands.",
		       s->dir);
}

static void say_unproven(struct sentence *s)
{
	SAY(s,
	    "disk %s (%s) is on %s, mounted at %s, not proven to be over RDMA (%s), but %s %s RDMA",
	    s->disk, s->file, s->source, s->target, s->seen->why, s->by, s->verb);
	REMEDY(s,
	       "Wait until the mount has ended, and have the watcher prove it ('systemctl start nfsrdma-watch'); if it stays so, unmount it ('umount %s') and mount it again.",
	       s->dir);
}

/* In place of commands to run by hand. */
static void say_domain(struct sentence *s)
{
	char spec[PATH_MAX];

	/* The mount in its place is not the domain's. */
	if (*s->seen->proto && s->seen->mount)
		snprintf(spec, sizeof(spec), "%s", s->seen->mount->source);
	else if (host_repository_source(s->seen->dir, spec, sizeof(spec)))
		spec[0] = '\0';
	REMEDY(s,
	       "In the engine, put the storage domain into maintenance and activate it again, so that VDSM mounts it anew on this host; 'nfsrdma ovirt options %s' prints what its custom mount options should be.",
	       *spec ? SHELL_OPERAND(spec) : "SERVER:/EXPORT");
}

static void say_doubtful(struct sentence *s)
{
	SAY(s,
	    "disk %s (%s) is on %s, mounted at %s, its transport is unknown (%s), and %s %s RDMA",
	    s->disk, s->file, s->source, s->target, s->seen->why, s->by, s->verb);
	REMEDY(s,
	       "Run 'nfsrdma mounts' as root on this host; on-unknown= in nfsrdma.conf decides while it is unknown.");
}

static void say_alias(struct sentence *s)
{
	SAY(s,
	    "disk %s (%s) is on %s, mounted at %s over %s, where %s %s %s: unknown whether both names mean the same export",
	    s->disk, s->file, s->source, s->target, s->seen->proto, s->by, s->verb,
	    s->what);
	REMEDY(s,
	       "If it is the same, write the same source in both places; else unmount it ('umount %s') and mount the right one.",
	       s->dir);
}

static void say_stranger(struct sentence *s)
{
	struct shown dir;

	SAY(s, "disk %s (%s) is on %s (%s), mounted at %s, where %s %s %s over RDMA",
	    s->disk, s->file, s->source, s->type, s->target, s->by, s->verb, s->what);
	snprintf(dir.text, sizeof(dir.text), "Unmount %.100s. ", s->target);
	say_mount(s, dir.text);
}

static void say_empty(struct sentence *s)
{
	bool nfs = *s->seen->proto || !strncmp(s->type, "nfs", 3);
	struct shown dir;

	SAY(s,
	    "disk %s (%s) would be on %s (%s): nothing is mounted at %s, where %s %s %s over RDMA",
	    s->disk, s->file, nfs ? s->source : s->target, s->type,
	    show(&dir, s->seen->dir), s->by, s->verb, s->what);
	say_mount(s, "");
}

static void say_automount(struct sentence *s)
{
	SAY(s,
	    "disk %s (%s) is below %s, which is mounted on demand and not mounted now, but %s %s RDMA",
	    s->disk, s->file, s->target, s->by, s->verb);
	REMEDY(s, "Mount it before the guest starts ('ls %s').", s->dir);
}

static void say_lost(struct sentence *s)
{
	if (*s->seen->proto && !view_is_rdma(s->seen->proto))
		SAY(s,
		    "disk %s (%s) is on %s, mounted at %s over %s, and it is unknown whether it should be over RDMA: %s",
		    s->disk, s->file, s->source, s->target, s->seen->proto, s->seen->why);
	else
		SAY(s, "disk %s (%s): unknown whether it is on RDMA: %s", s->disk,
		    s->file, s->seen->why);
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
	void (*say)(struct sentence *sentence);
	bool remount; /* the remedy */
	bool strict;  /* no NFS mount, so not TCP either: "prefer" does not allow it */
} rows[GROUND_COUNT] = {
	[GROUND_RDMA] = { GUARD_PASS, "gate.transport", "", "", "", "", NULL, false,
			  false },
	[GROUND_OTHER] = { GUARD_REFUSE, "gate.transport", "not-rdma", "pool-not-rdma",
			   "vdsm", "not-rdma", say_other, true, false },
	[GROUND_UNPROVEN] = { GUARD_REFUSE, "gate.transport", "unproven", "unproven",
			      "vdsm-unproven", "unproven", say_unproven, true, false },
	[GROUND_DOUBTFUL] = { GUARD_UNKNOWN, "gate.unknown", "transport", "transport",
			      "transport", "transport", say_doubtful, false, false },
	[GROUND_ALIAS] = { GUARD_PASS, "gate.mount", "other-source", "other-source",
			   "other-source", "other-source", say_alias, false, false },
	[GROUND_STRANGER] = { GUARD_REFUSE, "gate.mount", "occupied", "pool-occupied",
			      "vdsm", "section-occupied", say_stranger, true, true },
	[GROUND_EMPTY] = { GUARD_REFUSE, "gate.mount", "not-mounted", "pool-not-mounted",
			   "vdsm", "section-not-mounted", say_empty, true, true },
	[GROUND_AUTOMOUNT] = { GUARD_UNKNOWN, "gate.unknown", "automount", "automount",
			       "automount", "automount", say_automount, false, false },
	[GROUND_LOST] = { GUARD_UNKNOWN, "gate.unknown", "lost", "lost", "lost", "lost",
			  say_lost, false, false },
};

static const char *reason_of(const struct guard_seen *seen)
{
	const struct view_place *place = seen->wanted.place;

	if (seen->domain)
		return rows[seen->ground].vdsm_reason;
	if (place && place->pool)
		return rows[seen->ground].pool_reason;
	return !place || place->kind == PLACE_SECTION ? rows[seen->ground].section_reason
						      : rows[seen->ground].reason;
}

static void tell(const struct guard_seen *seen, const struct guard_disk *disk,
		 const char *file, struct guard_verdict *out)
{
	const struct view_place *place = seen->wanted.place;
	const struct host_mount *mount = seen->mount;
	struct shown shown[4];
	struct shell_word words[2];
	struct sentence s = {
		.seen = seen,
		.disk = disk->name ? disk->name : "?",
		.file = show(&shown[0], file),
		.source = show(&shown[1], mount ? mount->source : ""),
		.target = show(&shown[2], mount ? mount->target : "/"),
		.type = mount ? mount->type : "?",
		.by = seen->wanted.from,
		.verb = view_verb(&seen->wanted),
		.what = show(&shown[3],
			     place && place->fs_spec ? place->fs_spec : "a mount"),
		.dir = shell_word(&words[0], seen->dir),
		.pool = shell_operand(&words[1], place && place->pool ? place->pool : ""),
		.text = out->text,
		.remedy = out->remedy,
	};

	rows[seen->ground].say(&s);
	out->reason = reason_of(seen);
	if (place && place->pool)
		text_copy(out->pool, sizeof(out->pool), place->pool);
	if (seen->domain && rows[seen->ground].remount)
		say_domain(&s);
}

static void keep_names(const struct guard_seen *seen, const char *file,
		       struct guard_verdict *out)
{
	const struct view_place *place = seen->wanted.place;
	bool empty = seen->ground == GROUND_EMPTY;
	const char *source = empty         ? place ? place->fs_spec : NULL
			     : seen->mount ? seen->mount->source
					   : NULL;
	bool nfs = seen->ground < GROUND_STRANGER || *seen->proto;

	text_copy(out->path, sizeof(out->path), file);
	if (seen->wanted.rdma)
		text_copy(out->by, sizeof(out->by), seen->wanted.from);
	if (!out->wanted && !nfs)
		return;
	text_copy(out->target, sizeof(out->target), seen->dir);
	text_copy(out->fs_spec, sizeof(out->fs_spec), source ? source : "");
	snprintf(out->proto, sizeof(out->proto), "%s", seen->proto);
}

/* TCP is acceptable, or the guest starts without this disk. */
static bool is_borne(const struct guard_seen *seen, const struct guard_disk *disk)
{
	return (seen->wanted.mode == POLICY_PREFER && !rows[seen->ground].strict) ||
	       (disk->optional && seen->ground == GROUND_EMPTY);
}

void decide(const struct guard_seen *seen, const struct guard_disk *disk,
	    const char *file, struct guard_verdict *out)
{
	const struct view_wanted *wanted = &seen->wanted;

	*out = (struct guard_verdict){ .answer = GUARD_PASS,
				       .id = "gate.transport",
				       .reason = "" };
	out->wanted = wanted->rdma;
	keep_names(seen, file, out);
	if (!out->wanted && seen->ground != GROUND_LOST)
		return;
	out->answer = rows[seen->ground].answer;
	out->id = rows[seen->ground].id;
	if (!rows[seen->ground].say)
		return;
	tell(seen, disk, file, out);
	if (out->answer == GUARD_PASS || (out->wanted && is_borne(seen, disk))) {
		out->loud = true;
		out->answer = out->answer == GUARD_REFUSE ? GUARD_PASS : out->answer;
		return;
	}
	out->refuse = out->answer == GUARD_REFUSE ||
		      wanted->on_unknown == POLICY_UNKNOWN_REFUSE;
}

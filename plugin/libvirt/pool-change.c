/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* define, convert, revert. The former definition is on disk before anything changes. The
 * change itself, and the rollback if it fails, is in pool-switch.c. */
#include "plugin/report/shell.h"
#include "plugin/libvirt/internal.h"

/* --- convert ---------------------------------------------------------------------------------- */

static bool pool_change_names_version(const struct pool_xml *xml)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;

	return !pool_state_options(xml, &opts) && pool_state_versions(opts);
}

/* The new definition. A pool that names no version keeps the version of its mount:
 * otherwise it could come up as NFSv3 later. */
static int pool_change_new_xml(struct pool_switch *change, const struct pool_request *request,
			       char **before, char **after)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	struct pool_request mine = *request;
	struct pool_state state;
	char version[8] = "";
	int rc = pool_xml_format_bare(change->xml, before);

	if (!mine.version && change->info.active && !pool_change_names_version(change->xml) &&
	    !pool_switch_mount(change, false, &state, version) && *version)
		mine.version = version;
	rc = rc ? rc : pool_xml_parse(&xml, *before, strlen(*before));
	rc = rc ? rc : pool_xml_convert(xml, &mine);
	rc = rc ? rc : pool_xml_format(xml, after);
	return err_context(rc, "pool %.60s", change->info.name);
}

/* An interrupted change may have left it stopped. @original: zeroed if there is none. */
static bool pool_change_must_run(const struct pool_switch *change,
				 const struct pool_original *original)
{
	if (change->run)
		return true;
	if (original->reverting)
		return original->runs_reverted;
	return original->before && !original->after && original->active;
}

/* Saves the pool's former state before any change. A pool that was converted before, and
 * not edited since, keeps its state before that conversion. */
static int pool_change_save(struct pool_switch *change, const char *before,
			    struct pool_original *original)
{
	const char *folder = change->changer->folder;
	int rc = pool_original_read(folder, change->info.uuid, original);

	if (rc && rc != -ENOENT)
		return rc;
	change->run = pool_change_must_run(change, original);
	if (!rc && original->after && strcmp(original->after, before))
		pool_original_fini(original);
	if (!original->before) {
		original->name = strdup(change->info.name);
		original->uri = strdup(change->changer->uri);
		original->before = strdup(change->info.xml);
		original->autostart = change->info.autostart;
		if (!original->name || !original->uri || !original->before)
			return err_no_memory();
	}
	free(original->after);
	original->after = NULL;
	original->active = change->run;
	original->reverting = false;
	return pool_original_write(folder, change->info.uuid, original);
}

/* @rc: of pool_switch_to(). If the rollback failed, the former definition is kept for a
 * revert. */
static int pool_change_close(struct pool_switch *change, struct pool_original *original,
			     const char *before, int rc)
{
	const char *folder = change->changer->folder;
	const char *text = rc ? before : NULL;
	int result;

	if (rc < 0)
		return 0;
	/* Restored to its state before any conversion: there is nothing left to revert. */
	if (rc && !strcmp(original->before, change->info.xml))
		return pool_original_remove(folder, change->info.uuid);
	result = text ? ((original->after = strdup(text)) ? 0 : err_no_memory())
		      : pool_xml_format_bare(change->xml, &original->after);
	result = result ? result : pool_original_write(folder, change->info.uuid, original);
	return result;
}

static void pool_change_report_saved(struct pool_switch *change, int rc)
{
	if (rc)
		pool_switch_report(
			change, "pool.original", FINDING_WARN, "not-saved",
			"the former definition could not be saved in %s, so nfsrdma pool revert may refuse: %s",
			change->changer->folder, err_text());
	else
		pool_switch_report(change, "pool.original", FINDING_PASS, "",
				   "nfsrdma pool revert %s restores the former definition",
				   SHELL_OPERAND(change->info.name));
}

static int pool_change_convert_now(struct pool_switch *change, const char *before,
				   const char *after)
{
	_cleanup_(pool_original_fini) struct pool_original original = { .name = NULL };
	int rc = pool_change_save(change, before, &original), result;

	if (rc)
		return rc;
	rc = pool_switch_to(change, after);
	result = pool_change_close(change, &original, before, rc);
	if (!rc || result)
		pool_change_report_saved(change, result);
	return 0;
}

static int pool_change_refuse_remote(const struct pool_changer *changer)
{
	if (!changer->remote)
		return 0;
	return err_because(
		err_set(EINVAL,
			"%s is on another host, whose mounts cannot be seen from here: run nfsrdma there",
			changer->uri),
		"remote");
}

/* Its definition is correct. Whether it runs over RDMA, which the findings report. */
static bool pool_change_is_proven(struct pool_switch *change)
{
	struct pool_state state;
	char version[8];

	if (pool_switch_mount(change, false, &state, version) || state.run != POOL_RUN_RDMA)
		return false;
	pool_switch_mount(change, true, &state, version);
	return true;
}

/* @after: the present definition, which is correct. */
static int pool_change_complete(struct pool_switch *change, const char *after)
{
	_cleanup_(pool_original_fini) struct pool_original original = { .name = NULL };
	int rc = pool_original_read(change->changer->folder, change->info.uuid, &original);
	bool cut_off = !rc && !original.after;
	char *back;

	if (rc && rc != -ENOENT)
		return rc;
	pool_switch_report(change, "pool.definition", FINDING_PASS, "",
			   "the pool already requests RDMA");
	/* An interrupted conversion: the pool may have been stopped and not started again. It
	 * returns to its former state if it does not come up over RDMA now. */
	if (cut_off) {
		back = strdup(original.before);
		if (!back)
			return err_no_memory();
		free(change->info.xml);
		change->info.xml = back;
		change->run = pool_change_must_run(change, &original);
	}
	if (!change->run) {
		pool_switch_report(change, "pool.transport", FINDING_SKIP, "", "%s: not running",
				   change->info.name);
		return cut_off ? pool_change_close(change, &original, after, 0) : 0;
	}
	if (pool_change_is_proven(change))
		return cut_off ? pool_change_close(change, &original, after, 0) : 0;
	if (pool_switch_guests(change))
		return 0;
	if (cut_off)
		return pool_change_convert_now(change, after, after);
	/* A new start may bring it up over RDMA; there is nothing to restore. */
	pool_switch_to(change, after);
	return 0;
}

int pool_change_convert(struct pool_changer *changer, const char *name,
			const struct pool_request *request)
{
	_cleanup_(pool_switch_fini) struct pool_switch change = { .changer = changer,
								  .action = "convert",
								  .prove = true };
	_cleanup_free_ char *before = NULL, *after = NULL;
	_cleanup_close_ int lock = -1;
	int rc = pool_change_refuse_remote(changer);

	rc = rc ? rc : pool_switch_read(&change, name);
	rc = rc ? rc : pool_change_new_xml(&change, request, &before, &after);
	if (rc)
		return rc;
	lock = pool_original_lock(changer->folder);
	if (lock < 0)
		return lock;
	if (!strcmp(before, after))
		return pool_change_complete(&change, after);
	return pool_switch_guests(&change) ? 0 : pool_change_convert_now(&change, before, after);
}

/* --- revert
 * ------------------------------------------------------------------------------------ */

static int pool_change_read_saved(struct pool_switch *change, struct pool_original *original)
{
	int rc = pool_original_read(change->changer->folder, change->info.uuid, original);

	if (rc == -ENOENT)
		return err_because(
			err_set(ENOENT,
				"nfsrdma has not converted the pool %.60s: %s has no file of it",
				change->info.name, change->changer->folder),
			"not-converted");
	return rc;
}

/* The definition is the former one already: a revert was interrupted after that step, or it
 * was edited by hand. */
static bool pool_change_is_restored(const struct pool_original *original, const char *now)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	_cleanup_free_ char *before = NULL;

	return !pool_xml_parse(&xml, original->before, strlen(original->before)) &&
	       !pool_xml_format_bare(xml, &before) && !strcmp(before, now);
}

/* Later edits would be lost. After an interrupted change any definition is possible. */
static int pool_change_check_unedited(const struct pool_switch *change,
				      const struct pool_original *original)
{
	_cleanup_free_ char *now = NULL;
	int rc = pool_xml_format_bare(change->xml, &now);

	if (rc || !original->after || !strcmp(original->after, now) ||
	    pool_change_is_restored(original, now) || change->changer->force)
		return rc;
	return err_because(
		err_set(EINVAL,
			"the pool %.60s was edited since: nfsrdma pool revert --dry-run shows what would be lost, --force does it",
			change->info.name),
		"edited");
}

int pool_change_revert(struct pool_changer *changer, const char *name)
{
	_cleanup_(pool_switch_fini) struct pool_switch change = { .changer = changer,
								  .action = "revert" };
	_cleanup_(pool_original_fini) struct pool_original original = { .name = NULL };
	_cleanup_close_ int lock = -1;
	int rc = pool_change_refuse_remote(changer);

	if (rc)
		return rc;
	rc = pool_switch_read(&change, name);
	/* Of a pool that is not one of NFS there is nothing to take back. */
	if (rc && change.info.uuid && pool_change_read_saved(&change, &original) == -ENOENT)
		return -ENOENT;
	if (rc)
		return rc;
	lock = pool_original_lock(changer->folder);
	if (lock < 0)
		return lock;
	rc = pool_change_read_saved(&change, &original);
	if (!rc)
		rc = pool_change_check_unedited(&change, &original);
	if (rc || pool_switch_guests(&change))
		return rc;
	/* Saved before the first step, so that the next revert can finish this one if it is
	 * interrupted. */
	change.run = pool_change_must_run(&change, &original);
	original.reverting = true;
	original.runs_reverted = change.run;
	rc = pool_original_write(changer->folder, change.info.uuid, &original);
	if (rc)
		return rc;
	rc = pool_switch_to(&change, original.before);
	if (rc < 0)
		return 0;
	if (rc) {
		original.reverting = false;
		rc = pool_original_write(changer->folder, change.info.uuid, &original);
	} else {
		rc = pool_original_remove(changer->folder, change.info.uuid);
	}
	if (rc)
		pool_change_report_saved(&change, rc);
	return 0;
}

/* --- define, and showing -------------------------------------------------------------------- */

int pool_change_define(struct pool_changer *changer, const struct pool_xml *xml)
{
	struct pool_switch change = { .changer = changer, .prove = true };
	const char *name = pool_xml_facts(xml)->name;
	_cleanup_free_ char *text = NULL;
	int rc = pool_xml_format(xml, &text);

	rc = rc ? rc : changer->ops->get(changer->conn, changer->deadline, name, &change.info);
	if (!rc)
		rc = err_because(
			err_set(EEXIST, "%s already has a pool '%.60s'", changer->uri, name),
			"exists");
	pool_info_fini(&change.info);
	if (rc != -ENOENT)
		return rc;
	rc = changer->ops->define(changer->conn, changer->deadline, text, true);
	if (rc) {
		pool_switch_failed(&change, "pool.definition", "refused",
				   "libvirt refused the definition", rc);
		return 0;
	}
	rc = pool_switch_check_kept(&change, text);
	if (rc) {
		pool_switch_failed(&change, "pool.definition", "error",
				   "libvirt did not keep the definition; it is undefined again",
				   rc);
		changer->ops->undefine(changer->conn, changer->deadline, name);
	} else {
		pool_switch_report(
			&change, "pool.definition", FINDING_PASS, "",
			"libvirt accepted the definition; next: virsh pool-start --build %s, then nfsrdma pool verify %s",
			SHELL_OPERAND(name), SHELL_OPERAND(name));
	}
	pool_switch_fini(&change);
	return 0;
}

int pool_change_show(struct pool_changer *changer, const char *name,
		     const struct pool_request *request, char **before, char **after)
{
	_cleanup_(pool_switch_fini) struct pool_switch change = { .changer = changer };
	_cleanup_(pool_original_fini) struct pool_original original = { .name = NULL };
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	int rc = pool_change_refuse_remote(changer);

	if (!rc)
		rc = pool_switch_read(&change, name);
	if (rc || request)
		return rc ? rc : pool_change_new_xml(&change, request, before, after);
	rc = pool_change_read_saved(&change, &original);
	rc = rc ? rc : pool_xml_format_bare(change.xml, before);
	rc = rc ? rc : pool_xml_parse(&xml, original.before, strlen(original.before));
	return rc ? rc : pool_xml_format_bare(xml, after);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Where it is kept what setup has changed: /var/lib/nfsrdma/setup.json, for root alone, since it
 * has texts of files that others may not read. The folder is locked while a setup is at work. */
#include <fcntl.h>
#include <stdio.h>

#include "plugin/setup/internal.h"

#define FOLDER LOCK_FOLDER
#define NAME   "setup.json"
#define FRESH  "setup.json.new"

/* Only an administrator can go on from there. */
static int store_broken(const struct store *store, int rc)
{
	char why[ERR_TEXT_MAX], paths[512];

	if (rc != -EBADMSG)
		return rc;
	str_copy(why, sizeof(why), err_text());
	state_name_paths(paths, sizeof(paths));
	return err_set(EBADMSG,
		       "%s" FOLDER "/" NAME
		       ": %.160s; setup may have written %s: check them, then move " NAME " away",
		       host_prefix(store->host), why, paths);
}

static int store_read(struct store *store)
{
	struct host_text text = { NULL, 0 };
	_cleanup_close_ int fd = host_open_at(store->host, FOLDER "/" NAME, O_PATH | O_NOFOLLOW);
	int rc;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	/* It says what root is to write. */
	rc = lock_check_ours(store->host, fd, FOLDER "/" NAME);
	if (!rc)
		rc = host_read(store->host, FOLDER "/" NAME, STATE_JSON_MAX, &text);
	if (rc)
		return store_broken(store, rc == -EINVAL || rc == -EFBIG ? -EBADMSG : rc);
	rc = state_decode(&store->state, text.text, text.len);
	host_text_fini(&text);
	return store_broken(store, rc);
}

int store_open(struct store *store, const struct host *host, bool create)
{
	struct setup_lock lock;
	int rc;

	memset(store, 0, sizeof(*store));
	store->host = host;
	store->dir = -1;
	rc = setup_lock_take(&lock, host, create, 0);
	if (rc == -ENOENT && !create)
		return 0;
	store->dir = lock.dir;
	if (!rc)
		rc = store_read(store);
	/* Only the first setup knows which folders it made. */
	if (!store->state.count && !store->state.made.count)
		store->state.made = lock.made;
	if (rc)
		store_close(store);
	return rc;
}

void store_close(struct store *store)
{
	state_fini(&store->state);
	if (store->dir >= 0)
		close(store->dir);
	store->dir = -1;
}

static int store_save_error(const struct store *store)
{
	return err_sys("write %s" FOLDER "/" NAME, host_prefix(store->host));
}

int store_save(struct store *store)
{
	_cleanup_free_ char *text = NULL;
	struct fd_file file = { .mode = 0600 };
	int rc;

	if (store->dir < 0)
		return 0;
	if (!store->state.count) {
		unlinkat(store->dir, FRESH, 0);
		if (unlinkat(store->dir, NAME, 0) && errno != ENOENT)
			return store_save_error(store);
		if (fsync(store->dir))
			return store_save_error(store);
		/* The folder goes too. */
		return lock_remove_folder(store->host, &store->state.made);
	}
	rc = state_encode(&store->state, &text);
	if (!rc) {
		file.bytes = text;
		file.len = strlen(text);
		if (fd_replace(store->dir, FRESH, NAME, &file))
			rc = store_save_error(store);
	}
	if (rc)
		unlinkat(store->dir, FRESH, 0);
	return rc;
}

/* --- what was under way ------------------------------------------------------------ */

int store_drop_file(struct store *store, struct setup_change *change)
{
	int rc;

	if (change->was) {
		free(change->after);
		change->after = take_ptr(change->was);
		change->done = true;
		return 0;
	}
	rc = place_remove_dirs(store->host, &change->made);
	if (!rc)
		state_remove(&store->state, change);
	return rc;
}

static int store_settle_file(struct store *store, struct setup_change *change, bool dry)
{
	const char *last = change->was ? change->was : change->before;
	_cleanup_free_ char *now = NULL;
	struct place_attr attr;
	int rc = place_get(store->host, change->kind, change->path, &now, &attr);

	if (rc)
		return rc;
	if (!dry)
		place_tidy(store->host, change->path);
	change->done = true;
	/* Done; or it was changed since, and the undo will say so. */
	if (same_text(now, change->after) || !same_text(now, last))
		return 0;
	if (dry)
		change->made.count = 0;
	return store_drop_file(store, change);
}

/* It was closed when it was planned. */
static int store_settle_port(struct store *store, struct setup_change *change,
			     const struct setup_actions *actions)
{
	bool open = true;
	int rc = actions ? actions->port_get(&change->port, &open) : 0;

	if (rc || !actions)
		return rc;
	change->done = true;
	if (!open)
		state_remove(&store->state, change);
	return 0;
}

int store_settle(struct store *store, const struct setup_actions *actions, bool dry)
{
	unsigned int i;
	bool any = false;
	int rc = 0;

	for (i = store->state.count; !rc && i-- > 0;) {
		struct setup_change *change = &store->state.changes[i];

		if (change->done)
			continue;
		any = true;
		/* Of a link the undo looks for the device. */
		if (change->kind == SETUP_LINK)
			change->done = true;
		else
			rc = setup_has_path(change->kind)
				     ? store_settle_file(store, change, dry)
				     : store_settle_port(store, change, actions);
	}
	return rc || dry || !any || !store->state.count ? rc : store_save(store);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What setup of nfsrdma 0.2 and before changed, which also edited files of others and kept their texts in
 * /var/lib/nfsrdma/setup.json:
 *
 *	{"schema": "nfsrdma-setup/1", "made": ["var/lib/nfsrdma"], "changes": [
 *	 {"kind": "file", "done": true, "path": "etc/nfs.conf", "before": "...", "was": null,
 *	  "after": "...", "mode": 420, "uid": 0, "gid": 0, "made": []},
 *	 {"kind": "port", "done": false, "zone": "public", "port": 4791, "protocol": "udp",
 *	  "permanent": true},
 *	 {"kind": "symlink", ... as a file, texts are targets},
 *	 {"kind": "link", "done": true, "type": "siw", "name": "siw_eth0", "netdev": "eth0"}]}
 *
 * It is only read, for an undo, and removed with the last of its changes. The file is root's. Its
 * content is checked nevertheless: it says what root writes and where, and only paths that setup wrote
 * to are accepted. */
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/host/json.h"
#include "plugin/setup/internal.h"

#define OLD_FILE     LOCK_FOLDER "/setup.json"
#define OLD_JSON_MAX (16 * 1024 * 1024)

static const char *const old_paths[] = {
	PATH_MODULES, "etc/rdma/modules/rdma.conf", PATH_NFS_OURS, PATH_NFS, PATH_UDEV, PATH_LIMITS,
};

static bool old_knows_path(enum setup_kind kind, const char *path)
{
	size_t i;

	if (link_is_path(path, kind == SETUP_SYMLINK))
		return true;
	for (i = 0; i < ARRAY_SIZE(old_paths); i++)
		if (kind == SETUP_FILE && !strcmp(path, old_paths[i]))
			return true;
	return false;
}

static int old_bad(const char *what)
{
	return err_set(EBADMSG, "%s is not in the form that setup writes", what);
}

/* NULL: it is absent, null, no string, too long, or has a NUL. */
static const char *old_text(struct json_object *json, const char *key)
{
	struct json_object *value;
	const char *text;

	if (!json_object_object_get_ex(json, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	text = json_object_get_string(value);
	return strlen(text) == (size_t)json_object_get_string_len(value) &&
			       strlen(text) <= SETUP_TEXT_MAX
		       ? text
		       : NULL;
}

/* A text, or null where there was no file. Everything else would be taken for null. */
static bool old_has_text(struct json_object *json, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(json, key, &value) && (!value || old_text(json, key));
}

/* A short one, clean, that is not empty. */
static bool old_word(struct json_object *json, const char *key, char *buf, size_t cap)
{
	const char *text = old_text(json, key);

	if (!text || !*text || strlen(text) >= cap || !finding_is_clean(text))
		return false;
	str_copy(buf, cap, text);
	return true;
}

/* The earlier text takes the place of ours; no step where it did already, or where setup has
 * written the file anew since. */
static int old_add_file(struct setup_plan *plan, const struct host *host, struct json_object *json,
			enum setup_kind kind)
{
	const char *before = old_text(json, "before"), *was = old_text(json, "was"),
		   *after = old_text(json, "after"), *body;
	_cleanup_free_ char *now = NULL;
	struct json_object *made;
	char path[SETUP_PATH_MAX];
	struct setup_step *step;
	unsigned int folders;
	int rc;

	if (!old_word(json, "path", path, sizeof(path)) || !old_knows_path(kind, path))
		return old_bad("path");
	if (!after || !old_has_text(json, "before") ||
	    (json_object_object_get_ex(json, "was", NULL) && !old_has_text(json, "was")) ||
	    !json_object_object_get_ex(json, "made", &made) ||
	    !json_object_is_type(made, json_type_array) ||
	    json_object_array_length(made) > PLACE_MADE_MAX)
		return old_bad(path);
	rc = place_get(host, kind, path, &now);
	if (rc || same_text(now, before) || own_read(now, &body, &folders) == OWN_OURS)
		return rc;
	step = undo_step(plan, kind, path);
	if (!step)
		return -ENOSPC;
	step->folders = (unsigned int)json_object_array_length(made);
	step->refused = !same_text(now, after) && !(was && same_text(now, was));
	/* Of a refused one the difference is what was edited. */
	if (step->refused)
		before = now;
	step->before = step->refused ? strdup(after) : strdup(now);
	step->after = before ? strdup(before) : NULL;
	return step->before && (step->after || !before) ? 0 : err_no_memory();
}

static int old_add_port(struct setup_plan *plan, const struct setup_machine *machine,
			struct json_object *json)
{
	struct setup_port port = { .port = 0 };
	struct json_object *number, *permanent;
	int64_t value = json_object_object_get_ex(json, "port", &number)
				? json_object_get_int64(number)
				: 0;
	char protocol[8];

	if (!old_word(json, "zone", port.zone, sizeof(port.zone)) ||
	    !old_word(json, "protocol", protocol, sizeof(protocol)) || value < 1 ||
	    value > UINT16_MAX || !json_object_object_get_ex(json, "permanent", &permanent))
		return old_bad("port");
	port.port = (uint16_t)value;
	port.protocol = protocol[0] == 'u' ? IPPROTO_UDP : IPPROTO_TCP;
	port.permanent = json_object_get_boolean(permanent);
	return undo_add_port(plan, machine, &port);
}

static int old_add_change(struct setup_plan *plan, const struct setup_machine *machine,
			  struct json_object *json)
{
	struct setup_link link;
	char kind[8];

	memset(&link, 0, sizeof(link));
	if (!json_object_is_type(json, json_type_object) ||
	    !old_word(json, "kind", kind, sizeof(kind)))
		return old_bad("changes");
	if (!strcmp(kind, "file"))
		return old_add_file(plan, machine->host, json, SETUP_FILE);
	if (!strcmp(kind, "symlink"))
		return old_add_file(plan, machine->host, json, SETUP_SYMLINK);
	if (!strcmp(kind, "port"))
		return old_add_port(plan, machine, json);
	if (strcmp(kind, "link") != 0 || !old_word(json, "type", link.type, sizeof(link.type)) ||
	    !old_word(json, "netdev", link.netdev, sizeof(link.netdev)) ||
	    !link_module(link.type) || !link_is_plain(link.netdev))
		return old_bad("link");
	return undo_add_link(plan, machine, &link);
}

int old_add_changes(struct setup_plan *plan, const struct setup_machine *machine, const char *text,
		    size_t len)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	struct json_object *list;
	char schema[32];
	size_t i;
	int rc = 0;

	if (json_parse_object(text, len, JSON_BYTES, &json))
		return old_bad("the text");
	if (!old_word(json, "schema", schema, sizeof(schema)) ||
	    strcmp(schema, "nfsrdma-setup/1") != 0)
		return old_bad("schema");
	if (!json_object_object_get_ex(json, "changes", &list) ||
	    !json_object_is_type(list, json_type_array))
		return old_bad("changes");
	for (i = json_object_array_length(list); !rc && i-- > 0;)
		rc = old_add_change(plan, machine, json_object_array_get_idx(list, i));
	return rc;
}

/* Only an administrator can go on from there. */
static int old_broken(const struct host *host)
{
	char why[ERR_TEXT_MAX], paths[256] = "";
	size_t i, used = 0;

	str_copy(why, sizeof(why), err_text());
	for (i = 0; i < ARRAY_SIZE(old_paths) && used < sizeof(paths); i++)
		used += (size_t)snprintf(paths + used, sizeof(paths) - used, "/%s, ", old_paths[i]);
	return err_set(EBADMSG,
		       "%s" OLD_FILE ": %.160s; setup may have written %s/" PATH_UNITS LINK_UNIT
		       "*: check them, then move setup.json away",
		       host_prefix(host), why, paths);
}

int old_add_steps(struct setup_plan *plan, const struct setup_machine *machine)
{
	const struct host *host = machine->host;
	_cleanup_close_ int fd = host_open_at(host, OLD_FILE, O_PATH | O_NOFOLLOW);
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	rc = lock_check_ours(host, fd, OLD_FILE);
	if (rc)
		return rc;
	rc = host_read(host, OLD_FILE, OLD_JSON_MAX, &text);
	rc = rc ? rc : old_add_changes(plan, machine, text.text, text.len);
	return rc == -EBADMSG || rc == -EINVAL || rc == -EFBIG ? old_broken(host) : rc;
}

int old_forget(const struct host *host)
{
	_cleanup_close_ int folder = host_open_at(host, LOCK_FOLDER, O_RDONLY | O_DIRECTORY);

	if (folder < 0)
		return folder == -ENOENT ? 0 : folder;
	unlinkat(folder, "setup.json.new", 0);
	if (!unlinkat(folder, "setup.json", 0))
		return fsync(folder) ? err_sys("flush %s" LOCK_FOLDER, host_prefix(host)) : 0;
	return errno == ENOENT ? 0 : err_sys("remove %s" OLD_FILE, host_prefix(host));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reads and writes requests. A file is replaced by rename(2), so that a reader sees the old or the new one.
 *
 * A lock tells whether a helper is at work; it ends with the process, in any PID namespace: all helpers
 * of a directory share one on a byte of the lock file, and who is about to decide for a dead one takes it
 * alone. Only root can open that file; otherwise any user could hold the lock. */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>

#include "plugin/request/request.h"

#define REQUEST_MAX (3 * PATH_MAX)
#define LOCK_FILE   ".lock"
#define LOCK_MS     500

static const char *const request_states[] = { "pending", "mounted", "background" };

static unsigned int request_state(const struct request *request)
{
	return request->mounted ? 1 : request->background ? 2 : 0;
}

void request_fini(struct request *request)
{
	free(request->text);
	*request = (struct request){ .text = NULL };
}

/* If two directories have one hash, the file is that of the later one. */
static uint64_t request_hash(const char *target)
{
	return bytes_digest(target, strlen(target));
}

void request_name(const char *target, char name[REQUEST_NAME_MAX])
{
	snprintf(name, REQUEST_NAME_MAX, "%016" PRIx64, request_hash(target));
}

/* --- reading ------------------------------------------------------------------------ */

int request_parse(char *text, const char *boot_id, struct request *out)
{
	char *lines[4], state[12], more;
	size_t i, which;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		lines[i] = text;
		text += strcspn(text, "\n");
		if (!*text)
			return err_set(EBADMSG, "it has not all lines");
		*text++ = '\0';
	}
	i = strlen(text);
	if (*text != '/' || text[i - 1] != '\n' ||
	    sscanf(lines[0], "%11s %20" SCNu64 "%c", state, &out->at_ms, &more) != 2)
		return err_set(EBADMSG, "it is not a request");
	for (which = 0; which < ARRAY_SIZE(request_states); which++)
		if (!strcmp(state, request_states[which]))
			break;
	if (which == ARRAY_SIZE(request_states))
		return err_set(EBADMSG, "it is not a request");
	if (strcmp(lines[1], boot_id) != 0)
		return err_set(ESTALE, "it is of another boot");
	text[i - 1] = '\0';
	out->mounted = which == 1;
	out->background = which == 2;
	out->boot_id = lines[1];
	out->policy = lines[2];
	out->source = lines[3];
	out->target = text;
	return 0;
}

int request_boot(const struct host *host, char boot_id[REQUEST_BOOT_MAX])
{
	return host_attr(host, "proc/sys/kernel/random/boot_id", boot_id, REQUEST_BOOT_MAX);
}

static int request_read_file(const struct host *host, const char *name, const char *boot_id,
			     struct request *out)
{
	char path[sizeof(REQUEST_FOLDER) + NAME_MAX + 1], right[REQUEST_NAME_MAX];
	struct host_text text = { NULL, 0 };
	int rc;

	*out = (struct request){ .text = NULL };
	snprintf(path, sizeof(path), REQUEST_FOLDER "/%.*s", NAME_MAX, name);
	rc = host_read(host, path, REQUEST_MAX, &text);
	if (rc)
		return rc;
	str_copy(out->name, sizeof(out->name), name);
	out->text = text.text;
	rc = request_parse(text.text, boot_id, out);
	if (!rc) {
		request_name(out->target, right);
		if (strcmp(right, name) != 0)
			rc = err_set(EBADMSG, "it belongs to %s", right);
	}
	if (!rc)
		return 0;
	request_fini(out);
	return err_context(rc, "/%s", path);
}

int request_read(const struct host *host, const char *target, struct request *out)
{
	char name[REQUEST_NAME_MAX], boot_id[REQUEST_BOOT_MAX];
	int rc = request_boot(host, boot_id);

	request_name(target, name);
	if (!rc)
		rc = request_read_file(host, name, boot_id, out);
	if (!rc && strcmp(out->target, target) != 0) {
		request_fini(out);
		rc = -ESTALE;
	}
	return rc == -ESTALE ? err_set(ENOENT, "nothing was requested there") : rc;
}

/* What has another name is of no directory. */
static bool request_is_name(const char *name)
{
	size_t len = strspn(name, "0123456789abcdef");

	return len == REQUEST_NAME_DIGITS && !name[len];
}

static int request_compare(const void *a, const void *b)
{
	const struct request *one = a, *other = b;

	return strcmp(one->name, other->name);
}

int request_list(const struct host *host, struct request_list *out)
{
	_cleanup_(host_list_fini) struct host_list names = { NULL, 0, false };
	char boot_id[REQUEST_BOOT_MAX];
	int rc = host_list(host, REQUEST_FOLDER, &names);
	size_t i;

	*out = (struct request_list){ .count = 0 };
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	rc = request_boot(host, boot_id);
	if (rc)
		return rc;
	out->list = calloc(names.count + 1, sizeof(*out->list));
	if (!out->list)
		return err_no_memory();
	for (i = 0; i < names.count; i++) {
		struct request *request = &out->list[out->count];

		if (!request_is_name(names.names[i]))
			continue;
		rc = request_read_file(host, names.names[i], boot_id, request);
		if (rc == -ENOENT || rc == -ESTALE)
			continue;
		if (rc) {
			*request = (struct request){ .broken = true, .text = strdup(err_text()) };
			str_copy(request->name, sizeof(request->name), names.names[i]);
		}
		out->count++;
		if (!request->text) {
			request_list_fini(out);
			return err_no_memory();
		}
	}
	qsort(out->list, out->count, sizeof(*out->list), request_compare);
	return names.cut
		       ? err_set(E2BIG, "/" REQUEST_FOLDER " has more than %d files", HOST_LIST_MAX)
		       : 0;
}

const struct request *request_of(const struct request_list *list, const char *target)
{
	const struct request *found;
	struct request key;

	if (!list->count)
		return NULL;
	request_name(target, key.name);
	found = bsearch(&key, list->list, list->count, sizeof(*list->list), request_compare);
	return found && (found->broken || !strcmp(found->target, target)) ? found : NULL;
}

void request_list_fini(struct request_list *list)
{
	while (list->count)
		request_fini(&list->list[--list->count]);
	free(list->list);
	*list = (struct request_list){ .count = 0 };
}

/* --- writing ------------------------------------------------------------------------ */

/* If @root is not a system's root, its /run may be a symbolic link; only systems have requests. The
 * folders are readable by all and writable by root, regardless of the umask. */
int request_open(const char *root)
{
	static const char *const names[] = { "run", "nfsrdma", "requests" };
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), below, rc = 0;
	mode_t mask = umask(0022);
	size_t i;

	for (i = 0; fd >= 0 && i < ARRAY_SIZE(names); i++) {
		below = mkdirat(fd, names[i], 0755) && errno != EEXIST
				? -1
				: openat(fd, names[i],
					 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below < 0)
			rc = err_sys("make the folder %s of /" REQUEST_FOLDER, names[i]);
		close(fd);
		fd = below;
	}
	if (!rc && fd < 0)
		rc = err_sys("open %s", root);
	umask(mask);
	return rc ? rc : fd;
}

/* @type: F_RDLCK shared, F_WRLCK alone. Kernels before 3.15 have no such lock: then nobody else is
 * seen. */
static bool request_lock(int lock, const char *target, short type)
{
	const struct flock range = { .l_type = type,
				     .l_whence = SEEK_SET,
				     .l_start = (off_t)(request_hash(target) >> 2),
				     .l_len = 1 };

	return !fcntl(lock, F_OFD_SETLK, &range) || errno == EINVAL;
}

static int request_open_lock(int folder)
{
	return openat(folder, LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int request_begin(int folder, const char *target)
{
	uint64_t deadline = deadline_in(LOCK_MS);
	int lock = request_open_lock(folder);

	while (lock >= 0 && !request_lock(lock, target, F_RDLCK)) {
		if (!deadline_left(deadline)) {
			close(lock);
			return -1;
		}
		poll(NULL, 0, 2);
	}
	return lock;
}

bool request_is_busy(int folder, const char *target)
{
	_cleanup_close_ int lock = request_open_lock(folder);

	return lock >= 0 && !request_lock(lock, target, F_WRLCK);
}

/* Who is alone replaces what a killed writer left; others have a temporary name of their own. */
int request_write(int folder, int lock, const struct request *request)
{
	char name[REQUEST_NAME_MAX], temporary[REQUEST_NAME_MAX + 16];
	bool alone = lock >= 0 && request_lock(lock, request->target, F_WRLCK);
	struct fd_file file = { .mode = 0644 };
	_cleanup_free_ char *text = NULL;
	int len = asprintf(&text, "%s %" PRIu64 "\n%s\n%s\n%s\n%s\n",
			   request_states[request_state(request)], request->at_ms, request->boot_id,
			   request->policy, request->source, request->target),
	    rc = 0;

	if (len < 0) {
		text = NULL;
		return err_no_memory();
	}
	request_name(request->target, name);
	if (alone)
		snprintf(temporary, sizeof(temporary), ".%s.new", name);
	else
		snprintf(temporary, sizeof(temporary), ".%s.%d", name, (int)getpid());
	file.bytes = text;
	file.len = (size_t)len;
	if (fd_replace(folder, temporary, name, &file))
		rc = err_sys("write /" REQUEST_FOLDER "/%s", name);
	/* On a full file system: what is mounted is not pending, or it would refuse guests once it
	 * is unmounted. */
	if (rc && request->mounted)
		unlinkat(folder, name, 0);
	if (alone)
		request_lock(lock, request->target, F_RDLCK);
	return rc;
}

static int request_remove(int folder, const char *target)
{
	char name[REQUEST_NAME_MAX];

	request_name(target, name);
	if (unlinkat(folder, name, 0) && errno != ENOENT)
		return err_sys("remove /" REQUEST_FOLDER "/%s", name);
	return 0;
}

/* What there was before this helper's own. */
static int request_put_back(const struct host *host, int folder, int lock, const char *target,
			    const struct request *before)
{
	_cleanup_(request_fini) struct request now = { .text = NULL };

	if (!request_read(host, target, &now) && request_state(&now))
		return 0;
	if (before && before->text && request_state(before))
		return request_write(folder, lock, before);
	return request_remove(folder, target);
}

int request_end(const struct host *host, int folder, int lock, const char *target,
		const struct request *before)
{
	int rc;

	if (lock < 0)
		return request_is_busy(folder, target)
			       ? 0
			       : request_put_back(host, folder, lock, target, before);
	/* Of two that end at the same time, each of which holds it, one must get it. */
	request_lock(lock, target, F_UNLCK);
	if (!request_lock(lock, target, F_WRLCK))
		return 0;
	rc = request_put_back(host, folder, lock, target, before);
	/* A mounter that hangs has a copy of the descriptor. */
	request_lock(lock, target, F_UNLCK);
	return rc;
}

int request_forget(int folder, const char *target)
{
	_cleanup_close_ int lock = request_open_lock(folder);

	return lock >= 0 && !request_lock(lock, target, F_WRLCK) ? 0
								 : request_remove(folder, target);
}

int request_settle(const struct host *host, int folder, const struct request *seen, bool mounted)
{
	_cleanup_close_ int lock = request_open_lock(folder);
	_cleanup_(request_fini) struct request now = { .text = NULL };

	if (lock < 0 || !request_lock(lock, seen->target, F_WRLCK) ||
	    request_read(host, seen->target, &now) || now.at_ms != seen->at_ms ||
	    now.mounted != seen->mounted)
		return 0;
	if (!mounted)
		return request_remove(folder, seen->target);
	now.mounted = true;
	now.at_ms = now_ms();
	return request_write(folder, lock, &now);
}

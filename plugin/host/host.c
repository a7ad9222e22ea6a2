/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The root and the files below it. A path is first opened with O_PATH, which has no side
 * effects; only a regular file is then opened for reading. So a FIFO, device or directory
 * in its place yields an error at once, and no driver is triggered. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "plugin/host/internal.h"
#include "plugin/host/snapshot-index.h"
#include "rpcrdma/base/grow.h"

struct host {
	int fd;
	bool live;
	uint64_t deadline;
	bool *slow_index;             /* owned; set on a const host */
	bool *quiet;                  /* owned; the watcher receives no events */
	struct snapshot_index *index; /* of a snapshot, or NULL */
	host_watch_fn watch;          /* or NULL */
	void *watch_arg;
	char prefix[256];
};

void host_call(struct host *host, const char *name)
{
	size_t len;

	text_copy(host->prefix, sizeof(host->prefix) - 1, name);
	len = strlen(host->prefix);
	if (!len || host->prefix[len - 1] != '/')
		str_copy(host->prefix + len, sizeof(host->prefix) - len, "/");
}

int host_open(struct host **out, const char *root)
{
	_cleanup_(host_close_p) struct host *host = calloc(1, sizeof(*host));
	int rc;

	if (!host)
		return err_no_memory();
	host->live = !root;
	host->deadline = UINT64_MAX;
	host->fd = -1;
	host->slow_index = calloc(1, sizeof(*host->slow_index));
	host->quiet = calloc(1, sizeof(*host->quiet));
	if (!host->slow_index || !host->quiet)
		return err_no_memory();
	host->fd = open(root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (host->fd < 0)
		return err_sys("open %s", root ? root : "/");
	host_call(host, root ? root : "/");
	rc = root ? snapshot_index_open(&host->index, host) : 0;
	if (rc)
		return rc;
	*out = take_ptr(host);
	return 0;
}

void host_limit(struct host *host, uint64_t deadline)
{
	host->deadline = deadline;
}

uint64_t host_deadline(const struct host *host, unsigned int ms)
{
	return deadline_min(host ? host->deadline : UINT64_MAX, deadline_in(ms));
}

void host_close(struct host *host)
{
	if (!host)
		return;
	if (host->fd >= 0)
		close(host->fd);
	free(host->slow_index);
	free(host->quiet);
	snapshot_index_close(host->index);
	free(host);
}

void host_close_p(struct host **host)
{
	host_close(*host);
}

bool host_is_live(const struct host *host)
{
	return host->live;
}

bool host_is_snapshot(const struct host *host)
{
	return host->index;
}

int host_fd(const struct host *host)
{
	return host->fd;
}

bool *host_slow_index(const struct host *host)
{
	return host->slow_index;
}

bool *host_quiet(const struct host *host)
{
	return host->quiet;
}

const char *host_prefix(const struct host *host)
{
	return host->prefix;
}

/* --- the watcher -------------------------------------------------------------------- */

void host_watch(struct host *host, host_watch_fn fn, void *arg)
{
	host->watch = fn;
	host->watch_arg = arg;
}

bool host_is_watched(const struct host *host)
{
	return host->watch;
}

/* Preserves errno and err_text(), so that readers behave as without a watcher. */
static void host_notify(const struct host *host, const struct host_event *event)
{
	char words[ERR_TEXT_MAX];
	int saved = errno;

	if (!host->watch || *host->quiet)
		return;
	str_copy(words, sizeof(words), err_text());
	host->watch(host->watch_arg, event);
	err_set(EIO, "%s", words);
	errno = saved;
}

/* Returns @rc. */
static int host_notify_error(const struct host *host, const char *path, int rc)
{
	host_notify(host, &(struct host_event){ .type = HOST_EVENT_ERROR, .path = path, .rc = rc });
	return rc;
}

static void host_notify_path(const struct host *host, enum host_event_type type, const char *path)
{
	host_notify(host, &(struct host_event){ .type = type, .path = path });
}

void host_answer(const struct host *host, const char *record, const char *key, const char *value,
		 const char *words)
{
	host_notify(host, &(struct host_event){ .type = HOST_EVENT_ANSWER,
						.path = record,
						.key = key,
						.value = value,
						.words = words });
}

/* --- files -------------------------------------------------------------------------- */

static const char *host_relative(const char *path)
{
	return path + strspn(path, "/");
}

int host_open_at(const struct host *host, const char *path, int flags)
{
	int fd, rc;

	path = host_relative(path);
	fd = rc = inroot_open(host->fd, path, flags);
	if (fd < 0) {
		/* In a snapshot, a missing file is not necessarily absent. */
		if (host->index && rc == -ENOENT)
			rc = snapshot_index_missing(host->index, host->fd, path);
		if (rc == fd || rc == -ENOENT) {
			/* If a component of the path is not a directory, the rest does
			 * not exist either. */
			errno = rc == -ENOTDIR ? ENOENT : -rc;
			rc = err_sys("%s%s", host->prefix, path);
		}
		return host_notify_error(host, path, rc);
	}
	if (flags & O_PATH)
		host_notify_path(host, flags & O_NOFOLLOW ? HOST_EVENT_LINK : HOST_EVENT_EXISTS,
				 path);
	return fd;
}

static int host_check_regular(const struct host *host, const char *path, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys("%s%s", host->prefix, path);
	if (S_ISREG(st.st_mode))
		return 0;
	err_set(EINVAL, "%s%s is not a regular file", host->prefix, path);
	/* A snapshot contains the directory itself, which yields the same error. */
	return S_ISDIR(st.st_mode) ? -EINVAL : host_notify_error(host, path, -EINVAL);
}

/* Returns the error of reading or listing @path that the index records. */
static int host_replay_error(const struct host *host, const char *path)
{
	int rc = host->index ? snapshot_index_error(host->index, path) : 0;

	return rc ? host_notify_error(host, path, rc) : 0;
}

/* @path is host_relative(). */
static int host_open_regular(const struct host *host, const char *path)
{
	_cleanup_close_ int seen = -1;
	_cleanup_close_ int fd = -1;
	int rc = host_replay_error(host, path);

	if (rc)
		return rc;
	/* Files below the live /sys do not change when they are opened. */
	if (!host->live || strncmp(path, "sys/", 4) != 0) {
		seen = host_open_at(host, path, O_PATH);
		if (seen < 0)
			return seen;
		rc = host_check_regular(host, path, seen);
		if (rc)
			return rc;
	}
	/* It may have been replaced by now, hence the flags and the second check. */
	fd = host_open_at(host, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fd;
	rc = host_check_regular(host, path, fd);
	if (rc)
		return rc;
	rc = host->index ? snapshot_index_content(fd, path) : 0;
	return rc ? host_notify_error(host, path, rc) : take_fd(&fd);
}

int host_open_file(const struct host *host, const char *path)
{
	int fd = host_open_regular(host, host_relative(path));

	if (fd >= 0)
		host_notify_path(host, HOST_EVENT_OPENED, host_relative(path));
	return fd;
}

/* Up to @cap bytes; fewer only at the end of the file. */
static ssize_t host_read_up_to(int fd, char *buf, size_t cap)
{
	size_t used = 0;
	ssize_t got = 1;

	while (used < cap && got) {
		got = read(fd, buf + used, cap - used);
		if (got < 0 && errno != EINTR)
			return -errno;
		used += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)used;
}

/* Doubles the buffer: most files have one line, and their st_size is meaningless. */
static ssize_t host_read_all(int fd, size_t max, char **out)
{
	size_t cap = max < 4096 ? max : 4096, used = 0;
	_cleanup_free_ char *buf = NULL;

	for (;; cap = cap * 2 < max ? cap * 2 : max) {
		char *grown = realloc(buf, cap + 1);
		ssize_t got;

		if (!grown)
			return -ENOMEM;
		buf = grown;
		got = host_read_up_to(fd, buf + used, cap + 1 - used);
		if (got < 0)
			return got;
		used += (size_t)got;
		if (used > max)
			return -EFBIG;
		if (used <= cap)
			break;
	}
	buf[used] = '\0';
	*out = take_ptr(buf);
	return (ssize_t)used;
}

static int host_read_any(const struct host *host, const char *path, const char *by, size_t max,
			 struct host_text *out)
{
	_cleanup_close_ int fd = host_open_regular(host, host_relative(path));
	char *text = NULL;
	ssize_t len;

	if (fd < 0) {
		debug(DEBUG_HOST, "%s", err_text());
		return fd;
	}
	path = host_relative(path);
	len = host_read_all(fd, max, &text);
	if (len == -EFBIG)
		err_set(EFBIG, "%s%s has more than %zu bytes", host->prefix, path, max);
	errno = (int)-len;
	if (len < 0 && len != -EFBIG)
		err_sys("read %s%s", host->prefix, path);
	if (len < 0)
		return host_notify_error(host, path, (int)len);
	out->text = text;
	out->len = (size_t)len;
	debug(DEBUG_HOST, "read %s%s: %zu bytes", host->prefix, path, out->len);
	host_notify(host, &(struct host_event){
				  .type = HOST_EVENT_TEXT, .path = path, .by = by, .text = out });
	return 0;
}

int host_read_bytes(const struct host *host, const char *path, size_t max, struct host_text *out)
{
	return host_read_any(host, path, NULL, max, out);
}

int host_read_included(const struct host *host, const char *path, const char *by, size_t max,
		       struct host_text *out)
{
	struct host_text got;
	int rc = host_read_any(host, path, by, max, &got);

	if (rc)
		return rc;
	if (memchr(got.text, '\0', got.len)) {
		host_text_fini(&got);
		return err_set(EINVAL, "%s%s is not a text", host->prefix, path);
	}
	*out = got;
	return 0;
}

int host_read(const struct host *host, const char *path, size_t max, struct host_text *out)
{
	return host_read_included(host, path, NULL, max, out);
}

void host_text_fini(struct host_text *text)
{
	free(text->text);
	*text = (struct host_text){ NULL, 0 };
}

int host_attr(const struct host *host, const char *path, char *buf, size_t cap)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc;

	buf[0] = '\0';
	/* Room for the newline. */
	rc = host_read(host, path, cap, &text);
	if (rc)
		return rc;
	if (text.len && text.text[text.len - 1] == '\n')
		text.text[--text.len] = '\0';
	if (text.len >= cap)
		return err_set(EFBIG, "%s%s has more than %zu bytes", host->prefix, path, cap - 1);
	text_copy(buf, cap, text.text);
	return 0;
}

/* "17", "-1", "0x11", "4: ACTIVE", "100 Gb/sec": the number at the beginning. */
static int host_parse_number(const char *text, int64_t *out)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;
	int64_t value;

	errno = 0;
	value = strtoimax(text, &end, hex ? 16 : 10);
	if (end == text || errno || (*end && *end != ':' && *end != ' ' && *end != '\t'))
		return -EINVAL;
	*out = value;
	return 0;
}

int host_attr_number(const struct host *host, const char *path, int64_t *out)
{
	char text[256];
	int rc = host_attr(host, path, text, sizeof(text));

	if (rc)
		return rc;
	if (host_parse_number(text, out))
		return err_set(EINVAL, "%s%s is no number: %.40s", host->prefix, path, text);
	return 0;
}

int host_link(const struct host *host, const char *path, char *buf, size_t cap)
{
	_cleanup_close_ int fd = host_open_at(host, path, O_PATH | O_NOFOLLOW);
	struct stat st;
	ssize_t len;

	buf[0] = '\0';
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return err_sys("%s%s", host->prefix, path);
	if (!S_ISLNK(st.st_mode))
		return err_set(EINVAL, "%s%s is not a link", host->prefix, path);
	len = readlinkat(fd, "", buf, cap);
	if (len < 0 || (size_t)len >= cap) {
		buf[0] = '\0';
		return len < 0 ? err_sys("%s%s", host->prefix, path)
			       : err_set(EFBIG, "%s%s leads to more than %zu bytes", host->prefix,
					 path, cap - 1);
	}
	buf[len] = '\0';
	return 0;
}

int host_exists(const struct host *host, const char *path)
{
	_cleanup_close_ int fd = host_open_at(host, path, O_PATH);

	return fd < 0 ? fd : 0;
}

int host_path(char *buf, const char *folder, const char *name)
{
	int len = snprintf(buf, HOST_PATH_MAX, "%s/%s", folder, name);

	if (len < 0 || len >= HOST_PATH_MAX)
		return err_set(ENAMETOOLONG, "the path of %.64s is too long", name);
	return 0;
}

int host_attr_in(const struct host *host, const char *folder, const char *name, char *buf,
		 size_t cap)
{
	char path[HOST_PATH_MAX];
	int rc = host_path(path, folder, name);

	buf[0] = '\0';
	return rc ? rc : host_attr(host, path, buf, cap);
}

int host_number_in(const struct host *host, const char *folder, const char *name, int64_t *out)
{
	char path[HOST_PATH_MAX];
	int rc = host_path(path, folder, name);

	return rc ? rc : host_attr_number(host, path, out);
}

int host_link_name_in(const struct host *host, const char *folder, const char *name, char *buf,
		      size_t cap)
{
	char path[HOST_PATH_MAX], link[HOST_PATH_MAX];
	int rc = host_path(path, folder, name);

	if (!rc)
		rc = host_link(host, path, link, sizeof(link));
	if (!rc)
		text_copy(buf, cap, text_base_name(link));
	return rc;
}

/* Lists of names */

static int host_list_compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int host_list_add(struct host_list *list, const char *name)
{
	if (!grow(list->names, list->count))
		return err_no_memory();
	list->names[list->count] = strdup(name);
	if (!list->names[list->count])
		return err_no_memory();
	list->count++;
	return 0;
}

static int host_list_read(DIR *dir, struct host_list *list)
{
	struct dirent *entry;
	int rc = 0;

	for (errno = 0; !rc && (entry = readdir(dir)); errno = 0) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (list->count == HOST_LIST_MAX) {
			list->cut = true;
			return 0;
		}
		rc = host_list_add(list, entry->d_name);
	}
	return rc ? rc : -errno;
}

/* It is absent, was made since by another process, or is no directory. */
static int host_list_open_again(const struct host *host, const char *path)
{
	_cleanup_close_ int seen = host_open_at(host, path, O_PATH);
	struct stat st;
	int fd;

	if (seen < 0)
		return seen;
	if (fstat(seen, &st))
		return err_sys("%s%s", host->prefix, path);
	if (!S_ISDIR(st.st_mode))
		return err_set(ENOTDIR, "%s%s is not a directory", host->prefix, path);
	fd = openat(seen, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? err_sys("%s%s", host->prefix, path) : fd;
}

int host_list(const struct host *host, const char *path, struct host_list *out)
{
	struct host_list list = { NULL, 0, false };
	int fd, rc;
	DIR *dir;

	path = host_relative(path);
	rc = host_replay_error(host, path);
	if (rc)
		return rc;
	fd = host_open_at(host, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
	if (fd == -ENOENT)
		fd = host_list_open_again(host, path);
	if (fd < 0)
		return fd;
	rc = host->index ? snapshot_index_listed(host->index, path) : 0;
	if (rc) {
		close(fd);
		return host_notify_error(host, path, rc);
	}
	dir = fdopendir(fd);
	if (!dir) {
		rc = err_sys("%s%s", host->prefix, path);
		close(fd);
		return rc;
	}
	rc = host_list_read(dir, &list);
	closedir(dir);
	if (rc) {
		host_list_fini(&list);
		errno = -rc;
		err_sys("list %s%s", host->prefix, path);
		return host_notify_error(host, path, rc);
	}
	if (list.count)
		qsort(list.names, list.count, sizeof(*list.names), host_list_compare);
	*out = list;
	host_notify(host,
		    &(struct host_event){ .type = HOST_EVENT_NAMES, .path = path, .names = out });
	return 0;
}

void host_list_fini(struct host_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct host_list){ NULL, 0, false };
}

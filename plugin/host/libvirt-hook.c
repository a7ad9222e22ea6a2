/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which hooks libvirt's daemons can have found. virHookInitialize() looks for them when a
 * daemon starts and on SIGHUP, and remembers for each driver whether there was any; which
 * ones exist is looked up again at each call. So it matters whether a daemon started
 * before the first hook was installed. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "plugin/host/internal.h"

#define HOOKS "etc/libvirt/hooks/"
#define OURS  "nfsrdma"

static const struct {
	const char *name, *pidfile;
} libvirt_hook_daemons[HOST_HOOK_DAEMONS] = {
	{ "libvirtd", "run/libvirtd.pid" },
	{ "virtqemud", "run/virtqemud.pid" },
};

/* When the file at this path itself, not the target of a link, was last created or
 * changed. */
static int libvirt_hook_stat(const struct host *host, const char *path, struct stat *st)
{
	_cleanup_close_ int fd = host_open_at(host, path, O_PATH | O_NOFOLLOW);

	if (fd < 0)
		return fd;
	return fstat(fd, st) ? err_sys("%s%s", host_prefix(host), path) : 0;
}

/* Notes another hook if it certainly is one: an executable file. */
static void libvirt_hook_add_other(const struct host *host, const char *path,
				   struct host_libvirt_hook *out)
{
	struct stat st;

	if (libvirt_hook_stat(host, path, &st) || !S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return;
	if (!out->other_at || st.st_ctime < out->other_at)
		out->other_at = st.st_ctime;
}

/* "812 (libvirtd) S 1 ..."; the 22nd value is the start time, in ticks after boot. */
static bool libvirt_hook_parse_stat(const char *text, const char *name, uint64_t *ticks)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')'), *p;
	unsigned int field;

	if (!open || !close || close < open || (size_t)(close - open) != strlen(name) + 1 ||
	    memcmp(open + 1, name, strlen(name)) != 0)
		return false;
	for (p = close + 1, field = 2; field < 22; field++) {
		p = strchr(p, ' ');
		if (!p)
			return false;
		p++;
	}
	return sscanf(p, "%" SCNu64, ticks) == 1;
}

/* Seconds since the epoch; 0: unknown. */
static int64_t libvirt_hook_boot_time(const struct host *host)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char *cursor, *line;
	int64_t boot;

	if (host_read(host, "proc/stat", HOST_FILE_MAX, &text))
		return 0;
	for (cursor = text.text; (line = line_next(&cursor));)
		if (sscanf(line, "btime %" SCNd64, &boot) == 1)
			return boot;
	return 0;
}

/* The pid file may outlive its daemon, so the process with that pid must have its name. */
static void libvirt_hook_add_daemon(const struct host *host, size_t index, int64_t boot,
				    struct host_libvirt_hook *out)
{
	struct host_hook_daemon *daemon = &out->daemons[out->ndaemons];
	long hertz = sysconf(_SC_CLK_TCK);
	char path[HOST_PATH_MAX], stat[1024];
	int64_t pid;
	uint64_t ticks;

	if (host_attr_number(host, libvirt_hook_daemons[index].pidfile, &pid) || pid <= 0)
		return;
	snprintf(path, sizeof(path), "proc/%" PRId64 "/stat", pid);
	if (hertz <= 0 || host_attr(host, path, stat, sizeof(stat)) ||
	    !libvirt_hook_parse_stat(stat, libvirt_hook_daemons[index].name, &ticks))
		return;
	daemon->name = libvirt_hook_daemons[index].name;
	daemon->pid = pid;
	daemon->started_at = boot + (int64_t)(ticks / (uint64_t)hertz);
	out->ndaemons++;
}

int host_libvirt_hook(const struct host *host, struct host_libvirt_hook *out)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[HOST_PATH_MAX];
	int64_t boot = libvirt_hook_boot_time(host);
	struct stat st;
	size_t i;
	int rc;

	*out = (struct host_libvirt_hook){ .linked_at = 0 };
	rc = libvirt_hook_stat(host, HOOKS "qemu.d/" OURS, &st);
	if (rc && rc != -ENOENT)
		return rc;
	if (rc)
		return 0;
	if (!boot)
		return err_set(ENODATA, "%sproc/stat does not say when this host was booted",
			       host_prefix(host));
	out->linked_at = st.st_ctime;
	libvirt_hook_add_other(host, HOOKS "qemu", out);
	/* The list stays empty if there is no such directory. */
	host_list(host, HOOKS "qemu.d", &list);
	for (i = 0; i < list.count; i++)
		if (strcmp(list.names[i], OURS) != 0 &&
		    !host_path(path, HOOKS "qemu.d", list.names[i]))
			libvirt_hook_add_other(host, path, out);
	for (i = 0; i < ARRAY_SIZE(libvirt_hook_daemons); i++)
		libvirt_hook_add_daemon(host, i, boot, out);
	return 0;
}

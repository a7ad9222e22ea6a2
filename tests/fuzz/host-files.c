/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The readers of a host's files, on a host with one file: its path is the first line, the rest its
 * content. Every text that they return is clean. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/host/host.h"
#include "plugin/libvirt/libvirt.h"
#include "plugin/view/view.h"
#include "rpcrdma/base/finding.h"
#include "tests/fuzz/fuzz.h"

static char top[] = "/tmp/nfsrdma-fuzz-XXXXXX";
static struct host *host;

/* Makes or removes the folders of the path. False: it is not a path. */
static bool folders(int root, char *path, bool make)
{
	char *slash = make ? path : path + strlen(path);

	if (strstr(path, "..") || *path == '/' || strstr(path, "//"))
		return false;
	while (make ? (slash = strchr(slash, '/')) != NULL
		    : (slash = memrchr(path, '/', (size_t)(slash - path))) != NULL) {
		*slash = '\0';
		if (make)
			mkdirat(root, path, 0700);
		else
			unlinkat(root, path, AT_REMOVEDIR);
		*slash = '/';
		slash += make;
	}
	return true;
}

/* Ganesha's files are read where it runs, and libvirt's version where it confines guests. */
static const struct {
	const char *path, *text;
} files[] = {
	{ "run/ganesha.pid", "" },
	{ "sys/module/apparmor/parameters/enabled", "Y\n" },
	{ "etc/apparmor.d/usr.sbin.libvirtd", "" },
};

static void make_or_remove_files(bool make)
{
	int root = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	char path[64];
	size_t i;

	FUZZ_CHECK(root >= 0);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		str_copy(path, sizeof(path), files[i].path);
		if (make) {
			folders(root, path, true);
			fd = openat(root, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
			FUZZ_CHECK(fd >= 0 &&
				   !fd_write_all(fd, files[i].text, strlen(files[i].text)));
			close(fd);
		} else {
			unlinkat(root, path, 0);
			folders(root, path, false);
		}
	}
	close(root);
}

static void make_host(void)
{
	FUZZ_CHECK(mkdtemp(top) && !host_open(&host, top));
	make_or_remove_files(true);
}

static void remove_host(void)
{
	make_or_remove_files(false);
	host_close(host);
	rmdir(top);
}

static void read_units(void)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char what[256], after[256], line[256];
	const struct unit_setting settings[] = { { "What", what, sizeof(what), false },
						 { "After", after, sizeof(after), true },
						 { NULL, NULL, 0, false } };
	enum unit_state state;
	size_t i;

	FUZZ_CHECK(!host_units(host, ".mount", &list));
	for (i = 0; i < list.count; i++) {
		const char *unit = strrchr(list.names[i], '/') + 1;

		host_unit_state(host, unit, &state);
		FUZZ_CHECK(state <= UNIT_MASKED);
		if (!host_unit_read(host, unit, "Mount", settings))
			FUZZ_CHECK(finding_is_clean(what) && finding_is_clean(after));
	}
	if (!host_listener_unit(host, line, sizeof(line)))
		FUZZ_CHECK(finding_is_clean(line));
	if (!host_unit_get(host, "nfs-server.service", "ExecStart", line, sizeof(line)))
		FUZZ_CHECK(finding_is_clean(line));
}

/* What libvirt's version says of volumes. */
static void read_version(void)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	if (pool_volume_audit(host, &finding))
		FUZZ_CHECK(finding_is_clean(finding.summary) && *finding.reason);
}

static void read_system(void)
{
	struct host_system system;
	struct host_memlock memlock;
	struct host_platform platform;
	char who[NFS_UTILS_WHO_MAX];
	char kind[HOST_CONTAINER_MAX];

	if (!host_system(host, &system))
		FUZZ_CHECK(finding_is_clean(system.name) && finding_is_clean(system.id));
	if (!host_memlock(host, &memlock) && memlock.nlines)
		FUZZ_CHECK(finding_is_clean(memlock.lines[0].domain));
	host_platform(host, &platform);
	nfs_utils_conf(host, who);
	FUZZ_CHECK(finding_is_clean(who));
	host_managers(host);
	read_units();
	if (host_container(host, kind))
		FUZZ_CHECK(finding_is_clean(kind));
}

static void read_servers(void)
{
	struct host_ganesha ganesha;
	struct host_exports *exports = calloc(1, sizeof(*exports));
	struct host_opensm *opensm = calloc(1, sizeof(*opensm));
	struct host_nfsd *nfsd = calloc(1, sizeof(*nfsd));
	struct host_listed listed;
	unsigned int port;

	FUZZ_CHECK(exports && opensm && nfsd);
	if (!host_ganesha(host, &ganesha))
		FUZZ_CHECK(finding_is_clean(ganesha.protocols) &&
			   finding_is_clean(ganesha.versions));
	if (!host_exports(host, exports) && exports->count)
		FUZZ_CHECK(finding_is_clean(exports->list[0].client) &&
			   finding_is_clean(exports->list[0].path));
	if (!host_opensm(host, opensm) && opensm->npartitions)
		FUZZ_CHECK(finding_is_clean(opensm->partitions[0].name));
	host_nfsd(host, nfsd);
	host_module_listed(host, "rpcrdma", &listed);
	if (!host_service(host, "nfsrdma", "tcp", &port))
		FUZZ_CHECK(port && port <= UINT16_MAX);
	free(exports);
	free(opensm);
	free(nfsd);
}

static void read_mounts(void)
{
	struct proxmox_storages *storages = calloc(1, sizeof(*storages));
	struct view_places places = { 0 };
	struct nfs_mounts mounts;
	char repository[HOST_REPOSITORY_MAX], skipped[256];
	unsigned int i;

	FUZZ_CHECK(storages);
	if (!host_nfs_mounts(host, &mounts)) {
		for (i = 0; i < mounts.count; i++)
			FUZZ_CHECK(finding_is_clean(mounts.list[i].asked) &&
				   finding_is_clean(mounts.list[i].target));
		host_nfs_mounts_fini(&mounts);
	}
	host_repository(host, repository);
	FUZZ_CHECK(*repository == '/' && finding_is_clean(repository));
	if (!host_proxmox(host, storages) && storages->count)
		FUZZ_CHECK(finding_is_clean(storages->list[0].options));
	view_places_fstab(host, &places);
	pool_places(host, &places, skipped);
	FUZZ_CHECK(finding_is_clean(skipped));
	view_places_fini(&places);
	free(storages);
}

static int ignore_rule(void *arg, const char *file, unsigned int line, const char *rule)
{
	(void)arg, (void)file;
	FUZZ_CHECK(line && finding_is_clean(rule));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *end = memchr(data, '\n', size);
	size_t name = end ? (size_t)(end - (const char *)data) : 0, left;
	_cleanup_close_ int root = -1;
	_cleanup_close_ int fd = -1;
	char path[128];

	if (!name || name >= sizeof(path))
		return 0;
	if (!host) {
		make_host();
		atexit(remove_host);
	}
	memcpy(path, data, name);
	path[name] = '\0';
	root = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_CHECK(root >= 0);
	if (folders(root, path, true))
		fd = openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		/* Nothing of it is left for the next input: it ends with a slash, or is there. */
		folders(root, path, false);
		return 0;
	}
	left = size - name - 1;
	FUZZ_CHECK(!fd_write_all(fd, end + 1, left));
	read_system();
	read_servers();
	read_mounts();
	read_version();
	host_udev_each(host, ignore_rule, NULL);
	unlinkat(root, path, 0);
	folders(root, path, false);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Loads libvirt: the module of libvirt-calls.h, from the folder of the installed modules, or beside
 * a program that is not installed, like that of the build folder. Nothing else chooses it, no
 * environment variable either. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>

#include "plugin/libvirt/internal.h"
#include "plugin/libvirt/libvirt-calls.h"

#define SELF   "/proc/self/exe"
#define MODULE "nfsrdma-libvirt.so"

const struct libvirt_calls *libvirt;

/* @path: of the program; then of the module. In a folder where others may write, like /tmp, they
 * could put one beside the program. */
static int libvirt_beside(const struct stat *program, char path[PATH_MAX])
{
	struct stat module;

	memcpy(strrchr(path, '/') + 1, MODULE, sizeof(MODULE));
	if (lstat(path, &module))
		return err_sys("%s", path);
	if (!S_ISREG(module.st_mode) || module.st_uid != program->st_uid)
		return err_set(EPERM, "%s is not a file of the program's owner", path);
	return 0;
}

static int libvirt_path(char path[PATH_MAX])
{
	ssize_t len = readlink(SELF, path, PATH_MAX - sizeof(MODULE));
	struct stat program, installed;

	if (len < 0)
		return err_sys("%s", SELF);
	path[len] = '\0';
	if (stat(path, &program))
		return err_sys("%s", path);
	if (stat(NFSRDMA_BINDIR "/nfsrdma", &installed) || program.st_ino != installed.st_ino ||
	    program.st_dev != installed.st_dev)
		return libvirt_beside(&program, path);
	str_copy(path, PATH_MAX, NFSRDMA_LIBDIR "/nfsrdma/" MODULE);
	return 0;
}

static int libvirt_open(void)
{
	const struct libvirt_calls *calls;
	char path[PATH_MAX];
	void *module;
	int rc = libvirt_path(path);

	if (rc)
		return rc;
	/* Never closed: libvirt's threads run until the process ends. */
	module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	calls = module ? dlsym(module, "libvirt_module") : NULL;
	if (!calls)
		return err_set(ELIBACC, "%s", dlerror());
	if (strcmp(calls->version, NFSRDMA_VERSION) != 0)
		return err_set(ELIBBAD, "%s is of nfsrdma %s, the program of %s", path,
			       calls->version, NFSRDMA_VERSION);
	libvirt = calls;
	return 0;
}

int libvirt_load(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int rc;

	pthread_mutex_lock(&lock);
	rc = libvirt ? 0 : libvirt_open();
	pthread_mutex_unlock(&lock);
	return rc ? err_because(err_context(rc, "cannot load libvirt"), "no-library") : 0;
}

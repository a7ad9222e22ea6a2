/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a process gives up permanently before it decodes anything: its identity, its capabilities,
 * the right to gain new ones, and memory, files and system calls that it does not need. */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "rpcrdma/child/compat.h"
#include "rpcrdma/child/internal.h"

#define NOBODY 65534
/* Only a process under a sanitizer uses this much address space. Its shadow memory grows as it
 * runs, and a limit would kill it. */
#define SHADOW_SIZE ((rlim_t)1 << 40)

/* Drops all capabilities except those in @kept that the process has. */
static int confine_drop_capabilities(uint32_t kept)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { { 0, 0, 0 } };
	uint32_t has;

	if (syscall(SYS_capget, &header, caps))
		return err_sys("reading capabilities");
	has = caps[0].permitted & kept;
	memset(caps, 0, sizeof(caps));
	caps[0].permitted = caps[0].effective = has;
	if (syscall(SYS_capset, &header, caps))
		return err_sys("dropping capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return err_sys("setting no_new_privs");
	return 0;
}

static void confine_limit(int resource, rlim_t max)
{
	struct rlimit r = { max, max };
	struct rlimit now;

	/* Only root may raise a hard limit. */
	if (!getrlimit((__rlimit_resource_t)resource, &now) && now.rlim_max < max)
		r.rlim_cur = r.rlim_max = now.rlim_max;
	setrlimit((__rlimit_resource_t)resource, &r);
}

/* Bytes of address space and of private writable memory in use; 0 if not known. */
static void confine_used_memory(rlim_t *space, rlim_t *data)
{
	_cleanup_close_ int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE);
	unsigned long pages, private;
	char text[128] = "";

	*space = *data = 0;
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ||
	    sscanf(text, "%lu %*u %*u %*u %*u %lu", &pages, &private) != 2)
		return;
	*space = pages * page;
	*data = private * page;
}

static void confine_set_limits(const struct child_limits *limits, rlim_t space, rlim_t data)
{
	if (limits->no_core)
		confine_limit(RLIMIT_CORE, 0);
	if (limits->no_files || limits->file_size)
		confine_limit(RLIMIT_FSIZE, limits->no_files ? 0 : limits->file_size);
	if (limits->files)
		confine_limit(RLIMIT_NOFILE, limits->files);
	if (limits->cpu)
		confine_limit(RLIMIT_CPU, limits->cpu);
	if (limits->space && !COMPAT_SANITIZED)
		confine_limit(RLIMIT_AS, limits->space);
	if (limits->more_space && space)
		confine_limit(RLIMIT_AS, space + limits->more_space);
	if (limits->more_data && data && data < SHADOW_SIZE)
		confine_limit(RLIMIT_DATA, data + limits->more_data);
}

int confine_drop(enum child_kind kind)
{
	bool nobody = child_is(kind, CHILD_NOBODY);
	rlim_t space, data;
	unsigned int cap;
	int rc = 0;

	random_keep();
	/* /proc/self is not readable after a change of identity. */
	confine_used_memory(&space, &data);
	/* Prevents executed programs from regaining capabilities. The kernel refuses the first
	 * unknown number, and all of them without CAP_SETPCAP. */
	if (nobody || child_is(kind, CHILD_POWERLESS))
		for (cap = 0; !prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); cap++)
			;
	if (nobody && !geteuid() &&
	    (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	     setresuid(NOBODY, NOBODY, NOBODY)))
		return err_sys("becoming nobody");
	if (nobody)
		rc = confine_drop_capabilities(0);
	else if (child_is(kind, CHILD_POWERLESS))
		rc = confine_drop_capabilities(1u << CAP_DAC_READ_SEARCH);
	if (rc)
		return rc;
	/* Other processes of that uid must not trace or dump it. */
	if (nobody)
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	confine_set_limits(&child_profiles[kind].limits, space, data);
	if (child_is(kind, CHILD_DENY))
		landlock_restrict(child_is(kind, CHILD_SYSTEM_FILES));
	return 0;
}

int child_confine(enum child_kind kind)
{
	int rc = confine_drop(kind);

	if (!rc && child_is(kind, CHILD_DENY))
		deny_install(kind);
	return rc;
}

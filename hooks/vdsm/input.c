/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The file with VDSM's data, which VDSM creates for this one call, in a directory for temporary
 * files that all users can write to. It is never opened through a link, and replaced by rename(2),
 * so that it always has either the old or the new text. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "hooks/vdsm/internal.h"

int vdsm_input_read(const struct vdsm_call *call, size_t max, struct vdsm_input *input)
{
	const char *path = call->file, *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;
	int rc;

	*input = (struct vdsm_input){ .folder = -1 };
	if (path[0] != '/' || !slash[1] || strlen(slash + 1) > NAME_MAX)
		return err_set(EINVAL, "invalid path of VDSM's data: %.200s", path);
	str_copy(input->name, sizeof(input->name), slash + 1);
	/* With the slash: it may be the root directory. */
	folder = strndup(path, (size_t)(slash - path) + 1);
	if (!folder)
		return err_no_memory();
	input->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (input->folder < 0)
		return err_sys("open %.200s", folder);
	fd = openat(input->folder, input->name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return err_sys("open VDSM's data, %.200s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(EINVAL, "VDSM's data, %.200s, is not a regular file",
			       path);
	input->mode = st.st_mode & 07777;
	input->uid = st.st_uid;
	input->gid = st.st_gid;
	rc = hook_read(fd, max, call->deadline, &input->text, &input->len);
	if (rc)
		return err_context(rc, "VDSM's data");
	return input->len ? 0 : err_set(ENODATA, "VDSM's data is empty");
}

void vdsm_input_fini(struct vdsm_input *input)
{
	if (input->folder >= 0)
		close(input->folder);
	free(input->text);
	*input = (struct vdsm_input){ .folder = -1 };
}

/* The mode last: a change of owner clears bits. */
static int vdsm_input_set_owner(void *arg, int fd)
{
	const struct vdsm_input *input = arg;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if ((st.st_uid != input->uid || st.st_gid != input->gid) &&
	    fchown(fd, input->uid, input->gid))
		return -errno;
	return fchmod(fd, input->mode) ? -errno : 0;
}

int vdsm_input_replace(const struct vdsm_input *input, const char *text, size_t len)
{
	struct vdsm_input ours = *input;
	const struct fd_file file = {
		text, len, 0600, vdsm_input_set_owner, &ours, false
	};
	char temporary[64];
	uint64_t number;

	/* Others can write to this directory: use a name that cannot be guessed. */
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return err_sys("random number");
	snprintf(temporary, sizeof(temporary), ".nfsrdma-hook-%016llx",
		 (unsigned long long)number);
	if (fd_replace(input->folder, temporary, input->name, &file))
		return err_sys("replace VDSM's data");
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Replays a corpus: calls the fuzz target with each file of the folder that is given. A folder
 * that is missing or empty is a failure, for then nothing was tested. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "rpcrdma/base/base.h"
#include "tests/fuzz/fuzz.h"

/* Corpora are of small files; a longer one is a mistake. */
#define FILE_MAX (1024 * 1024)

static int replay(const char *folder, const char *name)
{
	static uint8_t file[FILE_MAX];
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];
	uint8_t *exact;
	ssize_t size;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? -1 : read(fd, file, sizeof(file));
	if (size < 0)
		return err_sys("%s", path);
	if (size == sizeof(file))
		return err_set(EFBIG, "%s has %zd bytes or more", path, size);
	/* Of its very size, so that a sanitizer sees the first byte that is read behind it. */
	exact = malloc((size_t)size);
	if (!exact)
		return err_sys("%s", path);
	memcpy(exact, file, (size_t)size);
	/* Said first: a target that fails does not come back. */
	printf("%s, %zd bytes\n", name, size);
	fflush(stdout);
	LLVMFuzzerTestOneInput(exact, (size_t)size);
	free(exact);
	return 0;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay_folder(const char *folder)
{
	struct dirent **entries;
	int count, i, rc = 0;

	count = scandir(folder, &entries, is_visible, alphasort);
	if (count < 0)
		return err_sys("%s", folder);
	for (i = 0; i < count; i++) {
		if (!rc)
			rc = replay(folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return rc || count ? rc : err_set(ENOENT, "%s is empty", folder);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	if (!replay_folder(argv[1]))
		return 0;
	fprintf(stderr, "%s\n", err_text());
	return 1;
}

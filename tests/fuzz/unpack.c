/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An archive for --root, unpacked by a child that may have been taken over. What its records make lies in the folder,
 * whatever their names and links say; what an archive of these bytes makes is removed. An input is records (played.h),
 * or, behind the byte "A", an archive. */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plugin/snapshot/internal.h"
#include "tests/fuzz/played.h"

static char top[] = "/tmp/nfsrdma-fuzz-XXXXXX";

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type;
	return walk->level ? remove(path) : 0;
}

static unsigned int entries_of(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int n = 0;

	FUZZ_CHECK(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static void play(const uint8_t *data, size_t size)
{
	struct child child = CHILD_NONE;
	struct unpacked to = { .fd = -1, .file = -1 };
	char inside[sizeof(top) + 8];
	int ends[2], room = 4 << 20;

	snprintf(inside, sizeof(inside), "%s/in", top);
	FUZZ_CHECK(!mkdir(inside, 0700) && !socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
	to.fd = open(inside, O_PATH | O_DIRECTORY);
	setsockopt(ends[1], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	play_records(ends[1], data, data + size);
	close(ends[1]);
	child.channel = ends[0];
	child.name = "the process that unpacks";
	unpack_receive(&child, &to, deadline_in(10000));
	close(ends[0]);
	close(to.fd);
	if (to.file >= 0)
		close(to.file);
	FUZZ_CHECK(entries_of(top) == 1);
}

static void unpack(const uint8_t *data, size_t size)
{
	struct snapshot_unpacked unpacked;
	char path[sizeof(top) + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/archive", top);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	if (!snapshot_unpack(path, deadline_in(10000), &unpacked))
		snapshot_unpacked_remove(&unpacked);
	FUZZ_CHECK(entries_of(top) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Again for each: a target that fails leaves nothing that the next one trips over. */
	strcpy(top + sizeof(top) - 7, "XXXXXX");
	FUZZ_CHECK(mkdtemp(top) && !setenv("TMPDIR", top, 1));
	if (size && data[0] == 'A')
		unpack(data + 1, size - 1);
	else
		play(data, size);
	nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	FUZZ_CHECK(!rmdir(top));
	return 0;
}

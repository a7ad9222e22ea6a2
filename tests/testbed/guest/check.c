// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the nfsrdma authors

/*
 * Makes, checks and changes files whose content says where it belongs: the
 * eight bytes at each offset that is a multiple of eight are that offset, most
 * significant byte first. So every byte that arrives wrong says from where it
 * came. Static, for the guest of the testbed; runs on the host as well.
 *
 *	check make DIR		files, links and a big directory
 *	check fill FILE SIZE	one file
 *	check check DIR		everything below DIR: exit 0, or 1 and what is wrong
 *	check write FILE	changes the file until killed
 *	check hold DIR		opens and locks files until SIGTERM, then says "kept" if it
 *				still can use them, and exits 0
 *	check refused FILE	exit 0 if another process has locked all that hold does
 *
 * check reads what it finds. Sizes are not known to it, but names tell:
 * "NAME-123" is 123 bytes long, or a link to 123 bytes, or a directory with 123
 * entries; in "sparse…" a block of zeros is right too, and only the first, the
 * last and the 4 GiB border are read.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 262144 };

static const uint64_t four_gib = UINT64_C(1) << 32;
static unsigned long files, links, directories, bad;
static uint64_t bytes;

static void die(const char *what)
{
	fprintf(stderr, "check: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void pattern(unsigned char *buf, size_t len, uint64_t offset)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (unsigned char)(((offset + i) & ~UINT64_C(7)) >>
					 (8 * (7 - ((offset + i) & 7))));
}

static void put(int fd, uint64_t offset, uint64_t end)
{
	static unsigned char buf[BLOCK];

	while (offset < end) {
		size_t len = end - offset < BLOCK ? end - offset : BLOCK;

		pattern(buf, len, offset);
		if (pwrite(fd, buf, len, (off_t)offset) != (ssize_t)len)
			die("pwrite");
		offset += len;
	}
}

static void fill(const char *path, uint64_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		die(path);
	put(fd, 0, size);
	close(fd);
}

static void fill_sparse(const char *path, uint64_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		die(path);
	put(fd, 0, BLOCK);
	put(fd, four_gib - BLOCK, four_gib + BLOCK);
	put(fd, size - BLOCK, size);
	close(fd);
}

static void make(const char *dir)
{
	static const unsigned int sizes[] = { 0, 1, 811, 812, 813, 4096, 65536, 1048579, 4194304 };
	static const unsigned int lengths[] = { 1, 2, 3, 4, 5, 811, 812, 813, 1023, 4095 };
	char path[64];
	char target[PATH_MAX];

	if (chdir(dir))
		die(dir);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		snprintf(path, sizeof(path), "file-%u", sizes[i]);
		fill(path, sizes[i]);
	}
	fill_sparse("sparse-5368709123", UINT64_C(5368709123));
	if (mkdir("links", 0755) || mkdir("entries-2000", 0755))
		die("mkdir");
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		snprintf(path, sizeof(path), "links/link-%u", lengths[i]);
		for (unsigned int at = 0; at < lengths[i]; at++)
			target[at] = (char)('a' + at % 26);
		target[lengths[i]] = 0;
		if (symlink(target, path))
			die(path);
	}
	for (unsigned int i = 0; i < 2000; i++) {
		snprintf(path, sizeof(path), "entries-2000/entry.%04u", i);
		fill(path, 0);
	}
}

static void wrong(const char *path, const char *what, uint64_t want, uint64_t got)
{
	printf("wrong %s: %s: want %llu, have %llu\n", path, what, (unsigned long long)want,
	       (unsigned long long)got);
	bad++;
}

static int is_zero(const unsigned char *buf, size_t len)
{
	return !len || (!buf[0] && !memcmp(buf, buf + 1, len - 1));
}

/* Reads [offset, end) and reports the first byte that is wrong. */
static void check_range(int fd, const char *path, uint64_t offset, uint64_t end, int holes)
{
	static unsigned char have[BLOCK], want[BLOCK];

	while (offset < end) {
		size_t len = end - offset < BLOCK ? end - offset : BLOCK, at = 0;
		ssize_t n = pread(fd, have, len, (off_t)offset);

		if (n <= 0) {
			printf("wrong %s: read at %llu: %s\n", path, (unsigned long long)offset,
			       n ? strerror(errno) : "end of file");
			bad++;
			return;
		}
		bytes += (uint64_t)n;
		pattern(want, (size_t)n, offset);
		if (memcmp(have, want, (size_t)n) && !(holes && is_zero(have, (size_t)n))) {
			while (have[at] == want[at])
				at++;
			wrong(path, "first wrong byte at", offset + at, have[at]);
			return;
		}
		offset += (uint64_t)n;
	}
}

/* The number that a name ends in, after a "-". */
static int number(const char *path, uint64_t *out)
{
	const char *name = strrchr(path, '/');
	const char *dash = strrchr(name ? name : path, '-');
	char *end;

	if (!dash || dash[1] < '0' || dash[1] > '9')
		return 0;
	*out = strtoull(dash + 1, &end, 10);
	return !*end;
}

static void check_file(const char *path, uint64_t size)
{
	const char *name = strrchr(path, '/') + 1;
	int holes = !strncmp(name, "sparse", 6);
	uint64_t want;
	int fd;

	files++;
	/* There are 2000 of these, and under emulation each open is felt. */
	if (!size && (!number(path, &want) || !want))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		printf("wrong %s: open: %s\n", path, strerror(errno));
		bad++;
		return;
	}
	if (number(path, &want) && want != size)
		wrong(path, "size", want, size);
	if (holes && size > four_gib + BLOCK) {
		check_range(fd, path, 0, BLOCK, 1);
		check_range(fd, path, four_gib - BLOCK, four_gib + BLOCK, 1);
		check_range(fd, path, size - BLOCK, size, 1);
	} else {
		check_range(fd, path, 0, size, holes);
	}
	close(fd);
}

static void check_link(const char *path)
{
	static char target[PATH_MAX + 1];
	ssize_t n = readlink(path, target, sizeof(target));
	uint64_t want;

	links++;
	if (n < 0) {
		printf("wrong %s: readlink: %s\n", path, strerror(errno));
		bad++;
	} else if (number(path, &want) && want != (uint64_t)n) {
		wrong(path, "length of the link", want, (uint64_t)n);
	} else if (memchr(target, 0, (size_t)n)) {
		printf("wrong %s: the link contains a NUL\n", path);
		bad++;
	}
}

static void check_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	uint64_t entries = 0, want;

	directories++;
	if (!dir) {
		printf("wrong %s: opendir: %s\n", path, strerror(errno));
		bad++;
		return;
	}
	for (errno = 0; (entry = readdir(dir)); errno = 0) {
		char child[PATH_MAX];
		struct stat st;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		entries++;
		snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
		if (lstat(child, &st)) {
			printf("wrong %s: stat: %s\n", child, strerror(errno));
			bad++;
		} else if (S_ISDIR(st.st_mode)) {
			check_dir(child);
		} else if (S_ISLNK(st.st_mode)) {
			check_link(child);
		} else if (S_ISREG(st.st_mode)) {
			check_file(child, (uint64_t)st.st_size);
		}
	}
	if (errno) {
		printf("wrong %s: readdir: %s\n", path, strerror(errno));
		bad++;
	}
	if (number(path, &want) && want != entries)
		wrong(path, "entries", want, entries);
	closedir(dir);
}

/* A disk of a running virtual machine: blocks change, the size does not. */
static void write_forever(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct timespec pause = { .tv_nsec = 2000000 };
	unsigned char block[4096];
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	for (unsigned int turn = 1;; turn++) {
		memset(block, (int)(turn & 0xff), sizeof(block));
		for (off_t at = 0; at + (off_t)sizeof(block) <= st.st_size; at += 65536)
			if (pwrite(fd, block, sizeof(block), at + (turn % 16) * 4096) < 0)
				die("pwrite");
		nanosleep(&pause, NULL);
	}
}

/* What is locked in DIR/locked: one range to write, one to read. */
static const struct flock lock_table[] = {
	{ .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 4096 },
	{ .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 8192, .l_len = 100 },
};

static int open_at(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		die(name);
	return fd;
}

/* Past the caches of a client: what it wrote is read from the server. */
static void use(int fd, uint64_t value)
{
	uint64_t back = 0;

	if (pwrite(fd, &value, sizeof(value), 0) != sizeof(value) || fsync(fd))
		die("writing to the file that is held");
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (pread(fd, &back, sizeof(back), 0) != sizeof(back) || back != value)
		die("reading the file that is held");
}

static void hold(const char *path)
{
	int dir = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC), fd, other;
	struct timespec second = { .tv_sec = 1 };
	uint64_t turn = 0;
	sigset_t stop;

	if (dir < 0)
		die(path);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	fd = open_at(dir, "locked", O_RDWR);
	other = open_at(dir, "opened", O_RDONLY);
	for (size_t i = 0; i < sizeof(lock_table) / sizeof(*lock_table); i++)
		if (fcntl(fd, F_SETLK, &lock_table[i]))
			die("fcntl");
	use(fd, ++turn);
	printf("held\n");
	fflush(stdout);
	while (sigtimedwait(&stop, NULL, &second) < 0)
		use(fd, ++turn);
	use(fd, ++turn);
	close(other);
	printf("kept, used %llu times\n", (unsigned long long)turn);
}

static void refused(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die(path);
	for (size_t i = 0; i < sizeof(lock_table) / sizeof(*lock_table); i++) {
		struct flock lock = lock_table[i];

		lock.l_type = F_WRLCK;
		if (!fcntl(fd, F_SETLK, &lock))
			wrong(path, "lock granted at", (uint64_t)lock.l_start, 0);
		else if (errno != EAGAIN && errno != EACCES)
			die("fcntl");
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "make")) {
		make(argv[2]);
	} else if (argc == 4 && !strcmp(argv[1], "fill")) {
		fill(argv[2], strtoull(argv[3], NULL, 0));
	} else if (argc == 3 && !strcmp(argv[1], "write")) {
		write_forever(argv[2]);
	} else if (argc == 3 && !strcmp(argv[1], "hold")) {
		hold(argv[2]);
	} else if (argc == 3 && !strcmp(argv[1], "refused")) {
		refused(argv[2]);
	} else if (argc == 3 && !strcmp(argv[1], "check")) {
		check_dir(argv[2]);
		printf("checked %lu files, %lu links, %lu directories, %llu bytes, %lu wrong\n",
		       files, links, directories, (unsigned long long)bytes, bad);
	} else {
		fprintf(stderr,
			"usage: check make|check|hold DIR, check fill FILE SIZE, check write|refused FILE\n");
		return 2;
	}
	return bad ? 1 : 0;
}

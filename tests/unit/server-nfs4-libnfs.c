/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* libnfs, an independent NFSv4.0 client, mounts the whole server over TCP: lists, stats, opens,
 * reads, follows links. It only supports port 2049, so the test runs in its own network
 * namespace; where none can be created, the test is skipped. */
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <nfsc/libnfs.h>

#include "rpcrdma/server/internal.h"
#include "tests/unit/suite.h"

#define SKIPPED    77
#define NFS4_PORT  2049
#define TIMEOUT_MS PATIENCE_MS

static struct nfs_context *nfs;

/* The failure, if any. */
static bool is_good(int rc)
{
	if (rc < 0)
		fprintf(stderr, "libnfs: %s\n", nfs_get_error(nfs));
	return rc >= 0;
}

static void listings_have_every_name(void)
{
	static const struct {
		const char *path;
		unsigned int count; /* without the dots, which libnfs adds or not */
	} dirs[] = { { "/", 19 }, { "/entries-2000", 2000 } };
	const struct nfsdirent *entry;
	struct nfsdir *dir;
	unsigned int count;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		SUITE_ROW("%zu: %s", i, dirs[i].path);
		CU_ASSERT_FATAL(is_good(nfs_opendir(nfs, dirs[i].path, &dir)));
		for (count = 0; (entry = nfs_readdir(nfs, dir));)
			count += strcmp(entry->name, ".") && strcmp(entry->name, "..");
		nfs_closedir(nfs, dir);
		CU_ASSERT_EQUAL(count, dirs[i].count);
	}
}

static void entries_have_their_attributes(void)
{
	const struct nfsdirent *entry;
	struct nfsdir *dir;
	unsigned int seen = 0;

	CU_ASSERT_FATAL(is_good(nfs_opendir(nfs, "/", &dir)));
	while ((entry = nfs_readdir(nfs, dir))) {
		SUITE_ROW("%s", entry->name);
		if (strcmp(entry->name, "data-65536") != 0)
			continue;
		seen++;
		CU_ASSERT_EQUAL(entry->size, 65536);
		CU_ASSERT_EQUAL(entry->type, NFS_REG);
		CU_ASSERT_EQUAL(entry->mode & 07777, 0644);
		CU_ASSERT_EQUAL(entry->mtime.tv_sec, 1700000000);
	}
	nfs_closedir(nfs, dir);
	CU_ASSERT_EQUAL(seen, 1);
}

static void files_match_stat(void)
{
	struct nfs_stat_64 st;

	CU_ASSERT_FATAL(is_good(nfs_stat64(nfs, "/data-1048579", &st)));
	CU_ASSERT_EQUAL(st.nfs_size, 1048579);
	CU_ASSERT_EQUAL(st.nfs_mode, S_IFREG | 0644);
	CU_ASSERT_EQUAL(st.nfs_nlink, 1);
	CU_ASSERT_EQUAL(st.nfs_uid, 0);
	CU_ASSERT_EQUAL(st.nfs_mtime, 1700000000);
	CU_ASSERT_FATAL(is_good(nfs_stat64(nfs, "/entries-2000/entry.0042", &st)));
	CU_ASSERT_EQUAL(st.nfs_size, 0);
	CU_ASSERT_FATAL(is_good(nfs_stat64(nfs, "/entries-2000", &st)));
	CU_ASSERT_TRUE(S_ISDIR(st.nfs_mode));
	CU_ASSERT_FATAL(is_good(nfs_lstat64(nfs, "/link-5", &st)));
	CU_ASSERT_TRUE(S_ISLNK(st.nfs_mode));
	CU_ASSERT_EQUAL(nfs_stat64(nfs, "/none", &st), -ENOENT);
}

/* Whether these bytes of the file equal their own offsets. */
static bool reads_right(struct nfsfh *file, uint64_t offset, unsigned int len)
{
	uint8_t *buf = malloc(len), word[8];
	unsigned int i;
	bool right;

	right = is_good(nfs_pread(nfs, file, offset, len, buf));
	for (i = 0; right && i < len; i++) {
		put_be64(word, (offset + i) & ~UINT64_C(7));
		right = buf[i] == word[(offset + i) & 7];
	}
	free(buf);
	return right;
}

static void files_are_opened_and_read(void)
{
	static const struct {
		uint64_t offset;
		unsigned int len;
	} ranges[] = { { 0, 1 },         { 0, 813 },           { 3, 4097 },
		       { 65536, 65536 }, { 4194304 - 11, 11 }, { 0, 1048576 } };
	struct nfsfh *file;
	uint8_t byte;
	size_t i;

	CU_ASSERT_FATAL(is_good(nfs_open(nfs, "/data-4194304", O_RDONLY, &file)));
	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_TRUE(reads_right(file, ranges[i].offset, ranges[i].len));
	}
	CU_ASSERT_EQUAL(nfs_pread(nfs, file, 4194304, 1, &byte), 0);
	CU_ASSERT_TRUE(is_good(nfs_close(nfs, file)));
}

/* An open-owner that is reused; only its first OPEN had to be confirmed. libnfs does not know
 * that a second OPEN of a file outdates the stateid of the first, so files are opened one at a
 * time. */
static void files_are_opened_many_times(void)
{
	struct nfsfh *file, *other;
	unsigned int i;

	CU_ASSERT_FATAL(is_good(nfs_open(nfs, "/data-4096", O_RDONLY, &other)));
	for (i = 0; i < 20; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_FATAL(is_good(nfs_open(nfs, "/data-813", O_RDONLY, &file)));
		CU_ASSERT_TRUE(reads_right(file, i, 700));
		CU_ASSERT_TRUE(reads_right(other, i, 4000));
		CU_ASSERT_TRUE(is_good(nfs_close(nfs, file)));
	}
	CU_ASSERT_TRUE(is_good(nfs_close(nfs, other)));
}

static void symlinks_are_read(void)
{
	char text[4096];
	size_t i;

	CU_ASSERT_FATAL(is_good(nfs_readlink(nfs, "/link-1023", text, sizeof(text))));
	CU_ASSERT_EQUAL(strlen(text), 1023);
	for (i = 0; text[i]; i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(text[i], 'a' + (int)(i % 26));
	}
}

static void writing_is_refused(void)
{
	struct nfsfh *file;

	CU_ASSERT_EQUAL(nfs_open(nfs, "/data-1", O_RDWR, &file), -EROFS);
	CU_ASSERT_EQUAL(nfs_mkdir(nfs, "/new"), -EROFS);
	CU_ASSERT_EQUAL(nfs_unlink(nfs, "/data-1"), -EROFS);
	CU_ASSERT_EQUAL(nfs_rename(nfs, "/data-1", "/data-2"), -EROFS);
	CU_ASSERT_EQUAL(nfs_symlink(nfs, "target", "/new"), -EROFS);
}

/* The server, and a client of it */

static struct server *server;
static struct server_options options;
static int stop[2];
static pthread_t thread;

static void *serve(void *arg)
{
	(void)arg;
	server_run(server, stop[0]);
	return NULL;
}

static int server_start(void)
{
	const struct sockaddr_in loopback = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	options.transport = &transport_iwarp;
	options.nfs_port = NFS4_PORT;
	memcpy(&options.listen.addr, &loopback, sizeof(loopback));
	options.listen.len = sizeof(loopback);
	if (export_memory_new(&options.exp) || server_open(&server, &options) || pipe(stop))
		return -1;
	return pthread_create(&thread, NULL, serve, NULL);
}

static void server_end(void)
{
	close(stop[1]);
	pthread_join(thread, NULL);
	close(stop[0]);
	server_close(server);
	export_free(options.exp);
}

/* Before threads exist. */
static bool own_loopback(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd, rc;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	rc = ioctl(fd, SIOCSIFFLAGS, &lo);
	close(fd);
	return !rc;
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(listings_have_every_name),
		TEST(entries_have_their_attributes),
		TEST(files_match_stat),
		TEST(files_are_opened_and_read),
		TEST(files_are_opened_many_times),
		TEST(symlinks_are_read),
		TEST(writing_is_refused),
	};
	int rc = 2;

	if (!own_loopback()) {
		printf("no network namespace: %s\n0 passed, 0 failed, %zu skipped\n",
		       strerror(errno), ARRAY_SIZE(tests));
		return SKIPPED;
	}
	debug_init();
	if (server_start())
		return 2;
	nfs = nfs_init_context();
	nfs_set_version(nfs, 4);
	nfs_set_timeout(nfs, TIMEOUT_MS);
	if (is_good(nfs_mount(nfs, "127.0.0.1", "/")))
		rc = suite_run("server-nfs4-libnfs", tests, ARRAY_SIZE(tests));
	nfs_destroy_context(nfs);
	server_end();
	return rc;
}

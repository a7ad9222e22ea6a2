/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* In a child: writes to a new file through a mount, and reads back what it wrote. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "plugin/kernel/internal.h"

#define PAGE 4096
/* Each may take as long as its mount waits for a server. */
#define ERRORS_MAX 3

static int writer_set_direct(int fd, bool direct)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 ? -1 : fcntl(fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT);
}

static ssize_t writer_map(int fd, const struct kernel_write_row *row, const uint8_t *data)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	uint32_t start = row->offset & ~(page - 1), len = row->offset + row->length - start;
	uint8_t *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)start);
	int rc;

	if (map == MAP_FAILED)
		return -1;
	memcpy(map + (row->offset - start), data, row->length);
	rc = msync(map, len, MS_SYNC);
	munmap(map, len);
	return rc ? -1 : (ssize_t)row->length;
}

static ssize_t writer_write(int fd, const struct kernel_write_row *row, const uint8_t *data)
{
	ssize_t n;

	if (writer_set_direct(fd, row->how == KERNEL_DIRECT))
		return -1;
	if (row->how == KERNEL_MAPPED)
		return writer_map(fd, row, data);
	n = pwrite(fd, data, row->length, (off_t)row->offset);
	return n >= 0 && row->how == KERNEL_BUFFERED && fsync(fd) ? -1 : n;
}

/* Sets @record's first byte that is not @data, and the file's size. Returns errno. */
static int writer_read_back(int fd, const struct kernel_write_row *row, const uint8_t *data,
			    uint8_t *back, struct kernel_record *record)
{
	ssize_t n;
	uint32_t i;
	struct stat st;

	if (writer_set_direct(fd, true))
		return errno;
	n = pread(fd, back, row->length, (off_t)row->offset);
	if (n < 0 || fstat(fd, &st))
		return errno;
	for (i = 0; (ssize_t)i < n && data[i] == back[i]; i++)
		;
	record->wrong = i == row->length ? UINT32_MAX : i;
	record->digest = (uint64_t)st.st_size;
	return 0;
}

/* @memory: a page longer than the longest row. Not always at the start of a page: segments then
 * begin within one. */
static int writer_try(int channel, int fd, unsigned int index, uint64_t key,
		      uint8_t *const memory[2])
{
	const struct kernel_write_row *row = &kernel_write_rows[index];
	uint8_t *data = memory[0] + (index % 2 ? 36 * index + 1 : 0), next[4];
	struct kernel_record record = { .step = KERNEL_WRITE, .index = index, .wrong = UINT32_MAX };
	uint64_t start = now_ms();
	int type, passed;
	ssize_t n;

	kernel_write_content(data, index, key);
	n = writer_write(fd, row, data);
	record.error = n < 0 ? errno : 0;
	record.length = n < 0 ? 0 : (uint32_t)n;
	record.ms = (uint32_t)(now_ms() - start);
	/* Its error is not one of the data, and the length says that the write itself had none. */
	if (!record.error)
		record.error = writer_read_back(fd, row, data, memory[1], &record);
	channel_send(channel, CHANNEL_ANSWER, &record, sizeof(record), -1);
	/* Before the next one the parent looks at what the server received. */
	n = channel_receive(channel, &type, next, sizeof(next), &passed);
	return n < 0 ? (int)n : record.error;
}

void kernel_write_file(int channel, int fd, uint64_t key)
{
	void *memory[2] = { NULL, NULL };
	unsigned int i, errors = 0;
	int rc = 0;

	if (!posix_memalign(&memory[0], PAGE, KERNEL_WRITE_MAX + PAGE) &&
	    !posix_memalign(&memory[1], PAGE, KERNEL_WRITE_MAX))
		for (i = 0; i < KERNEL_WRITES && rc >= 0 && errors < ERRORS_MAX; i++) {
			rc = writer_try(channel, fd, i, key,
					(uint8_t *const[]){ memory[0], memory[1] });
			errors += rc > 0;
		}
	free(memory[0]);
	free(memory[1]);
}

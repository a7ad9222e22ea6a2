/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files that clients make in the memory export: one directory of names, each with a memory file
 * of the kernel, which may be sparse and knows its size and the space that it uses.
 *
 * A peer chooses names, offsets and lengths. Space and number are bounded, so that it cannot use
 * up this host's memory. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rpcrdma/server/internal.h"

#define MODE_BITS 07777
#define BLOCK     512 /* of st_blocks */
#define CHANGES   4096

struct made_file {
	uint64_t number; /* 0: unused */
	int fd;
	uint64_t size; /* that of the memory file may be larger: see made_resize() */
	char name[NFS3_NAME_MAX + 1];
	uint8_t verifier[8];
	bool exclusive; /* made with that verifier */
	uint32_t uid, gid, mode;
	struct nfs_time atime, mtime, ctime;
};

/* A range that was written, for made_forget(). */
struct made_change {
	uint64_t number, offset;
	uint32_t len;
};

struct made {
	pthread_mutex_t lock;
	uint64_t last; /* number */
	struct made_file files[MADE_FILES];
	struct made_change changes[CHANGES];
	unsigned int nchanges;
};

int made_new(struct made **out)
{
	struct made *made = calloc(1, sizeof(*made));

	if (!made)
		return err_no_memory();
	pthread_mutex_init(&made->lock, NULL);
	made->last = MADE_FIRST;
	*out = made;
	return 0;
}

void made_free(struct made *made)
{
	unsigned int i;

	for (i = 0; made && i < MADE_FILES; i++)
		if (made->files[i].number)
			close(made->files[i].fd);
	if (made)
		pthread_mutex_destroy(&made->lock);
	free(made);
}

static struct nfs_time made_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (struct nfs_time){ (uint32_t)now.tv_sec, (uint32_t)now.tv_nsec };
}

static void made_touch(struct made_file *file)
{
	file->mtime = file->ctime = made_now();
}

static struct made_file *made_by_number(struct made *made, uint64_t number)
{
	unsigned int i;

	for (i = 0; number && i < MADE_FILES; i++)
		if (made->files[i].number == number)
			return &made->files[i];
	return NULL;
}

static struct made_file *made_by_name(struct made *made, const char *name)
{
	unsigned int i;

	for (i = 0; i < MADE_FILES; i++)
		if (made->files[i].number && !strcmp(made->files[i].name, name))
			return &made->files[i];
	return NULL;
}

static uint64_t made_used(const struct made_file *file)
{
	struct stat st;

	return file->number && !fstat(file->fd, &st) ? (uint64_t)st.st_blocks * BLOCK : 0;
}

static uint64_t made_free_locked(struct made *made)
{
	uint64_t used = 0;
	unsigned int i;

	for (i = 0; i < MADE_FILES; i++)
		used += made_used(&made->files[i]);
	return used < MADE_BYTES ? MADE_BYTES - used : 0;
}

uint64_t made_bytes_free(struct made *made)
{
	uint64_t left;

	pthread_mutex_lock(&made->lock);
	left = made_free_locked(made);
	pthread_mutex_unlock(&made->lock);
	return left;
}

/* CREATE */

/* Not by ftruncate(2), which a confined process may not use. */
static bool made_resize(struct made_file *file, uint64_t size)
{
	if (size < file->size && fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					   (off_t)size, (off_t)(file->size - size)))
		return false;
	file->size = size;
	return true;
}

static uint32_t made_open_existing(struct made_file *file, const struct export_create *create)
{
	if (create->exclusive)
		return file->exclusive && !memcmp(file->verifier, create->verifier,
						  sizeof(file->verifier))
			       ? NFS3_STATUS_OK
			       : NFS3_STATUS_EXIST;
	if (create->guarded)
		return NFS3_STATUS_EXIST;
	if (create->truncate && !made_resize(file, 0))
		return NFS3_STATUS_IO;
	return NFS3_STATUS_OK;
}

static uint32_t made_add(struct made *made, const struct export_create *create,
			 struct made_file **out)
{
	struct made_file *file = NULL;
	unsigned int i;
	int fd;

	for (i = 0; i < MADE_FILES && !file; i++)
		if (!made->files[i].number)
			file = &made->files[i];
	fd = file ? memfd_create("nfsrdma-file", MFD_CLOEXEC) : -1;
	if (fd < 0)
		return NFS3_STATUS_NOSPC;
	*file = (struct made_file){
		.number = ++made->last,
		.fd = fd,
		.exclusive = create->exclusive,
		.uid = create->uid,
		.gid = create->gid,
		.mode = create->mode & MODE_BITS,
	};
	memcpy(file->verifier, create->verifier, sizeof(file->verifier));
	str_copy(file->name, sizeof(file->name), create->name);
	made_touch(file);
	file->atime = file->mtime;
	*out = file;
	return NFS3_STATUS_OK;
}

uint32_t made_create(struct made *made, const struct export_create *create, uint64_t *number)
{
	struct made_file *file;
	uint32_t status;

	pthread_mutex_lock(&made->lock);
	file = made_by_name(made, create->name);
	status = file ? made_open_existing(file, create) : made_add(made, create, &file);
	if (!status)
		*number = file->number;
	pthread_mutex_unlock(&made->lock);
	return status;
}

uint32_t made_remove(struct made *made, const char *name)
{
	struct made_file *file;

	pthread_mutex_lock(&made->lock);
	file = made_by_name(made, name);
	if (file) {
		close(file->fd);
		file->number = 0;
	}
	pthread_mutex_unlock(&made->lock);
	return file ? NFS3_STATUS_OK : NFS3_STATUS_NOENT;
}

/* Names */

uint32_t made_lookup(struct made *made, const char *name, uint64_t *number)
{
	const struct made_file *file;

	pthread_mutex_lock(&made->lock);
	file = made_by_name(made, name);
	if (file)
		*number = file->number;
	pthread_mutex_unlock(&made->lock);
	return file ? NFS3_STATUS_OK : NFS3_STATUS_NOENT;
}

uint32_t made_next(struct made *made, unsigned int *at, char *name, uint64_t *number)
{
	uint32_t status = NFS3_STATUS_NOENT;

	pthread_mutex_lock(&made->lock);
	while (*at < MADE_FILES && !made->files[*at].number)
		++*at;
	if (*at < MADE_FILES) {
		str_copy(name, NFS3_NAME_MAX + 1, made->files[*at].name);
		*number = made->files[*at].number;
		status = NFS3_STATUS_OK;
	}
	pthread_mutex_unlock(&made->lock);
	return status;
}

/* Files */

/* Runs @fn on the file while the lock is held. */
#define MADE_LOCKED(made, number_, file, status, what)      \
	do {                                                \
		pthread_mutex_lock(&(made)->lock);          \
		file = made_by_number(made, number_);       \
		status = file ? (what) : NFS3_STATUS_STALE; \
		pthread_mutex_unlock(&(made)->lock);        \
	} while (0)

static uint32_t made_attr_of(const struct made_file *file, struct nfs_attr *attr)
{
	*attr = (struct nfs_attr){
		.type = NFS_REG,
		.mode = file->mode,
		.nlink = 1,
		.uid = file->uid,
		.gid = file->gid,
		.size = file->size,
		.used = made_used(file),
		.fileid = file->number,
		.atime = file->atime,
		.mtime = file->mtime,
		.ctime = file->ctime,
	};
	return NFS3_STATUS_OK;
}

uint32_t made_getattr(struct made *made, uint64_t number, struct nfs_attr *attr)
{
	const struct made_file *file;
	uint32_t status;

	MADE_LOCKED(made, number, file, status, made_attr_of(file, attr));
	return status;
}

static uint32_t made_change(struct made_file *file, const struct export_setattr *set)
{
	if (set->has_size && set->size > INT64_MAX)
		return NFS3_STATUS_FBIG;
	if (set->has_size && !made_resize(file, set->size))
		return NFS3_STATUS_IO;
	if (set->has_mode)
		file->mode = set->mode & MODE_BITS;
	if (set->has_uid)
		file->uid = set->uid;
	if (set->has_gid)
		file->gid = set->gid;
	if (set->has_size || set->has_mode || set->has_uid || set->has_gid)
		file->ctime = made_now();
	if (set->has_size)
		file->mtime = file->ctime;
	return NFS3_STATUS_OK;
}

uint32_t made_setattr(struct made *made, uint64_t number, const struct export_setattr *set)
{
	struct made_file *file;
	uint32_t status;

	MADE_LOCKED(made, number, file, status, made_change(file, set));
	return status;
}

static uint32_t made_read_from(const struct made_file *file, struct export_read *read)
{
	ssize_t n = 0;

	read->len = 0;
	if (read->offset < file->size) {
		read->len = (uint32_t)min_u64(read->count, file->size - read->offset);
		n = pread(file->fd, read->scratch, read->len, (off_t)read->offset);
	}
	if (n < 0)
		return NFS3_STATUS_IO;
	memset(read->scratch + n, 0, read->len - (size_t)n);
	read->data = read->scratch;
	read->eof = read->offset + read->len >= file->size;
	return NFS3_STATUS_OK;
}

uint32_t made_read(struct made *made, uint64_t number, struct export_read *read)
{
	const struct made_file *file;
	uint32_t status;

	MADE_LOCKED(made, number, file, status, made_read_from(file, read));
	return status;
}

/* What is stable is not forgotten, whatever was written there before. */
static void made_settle(struct made *made, const struct made_file *file, uint64_t offset,
			uint64_t end)
{
	const unsigned int n = made->nchanges;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct made_change *c = &made->changes[i];
		const uint64_t c_end = c->offset + c->len;

		if (c->number != file->number || c->offset >= end || c_end <= offset)
			continue;
		if (c_end > end && made->nchanges < CHANGES)
			made->changes[made->nchanges++] =
				(struct made_change){ c->number, end, (uint32_t)(c_end - end) };
		c->len = c->offset < offset ? (uint32_t)(offset - c->offset) : 0;
	}
}

static uint32_t made_write_to(struct made *made, struct made_file *file, uint64_t offset,
			      const uint8_t *data, uint32_t len, bool stable)
{
	uint32_t done = 0;
	ssize_t n;

	if (offset > INT64_MAX || len > INT64_MAX - offset)
		return NFS3_STATUS_FBIG;
	if (len > made_free_locked(made))
		return NFS3_STATUS_NOSPC;
	for (; done < len; done += (uint32_t)n) {
		n = pwrite(file->fd, data + done, len - done, (off_t)(offset + done));
		if (n <= 0)
			return NFS3_STATUS_NOSPC;
	}
	if (offset + len > file->size)
		file->size = offset + len;
	if (stable)
		made_settle(made, file, offset, offset + len);
	else if (made->nchanges < CHANGES)
		made->changes[made->nchanges++] = (struct made_change){ file->number, offset, len };
	made_touch(file);
	return NFS3_STATUS_OK;
}

uint32_t made_write(struct made *made, uint64_t number, uint64_t offset, const uint8_t *data,
		    uint32_t len, bool stable)
{
	struct made_file *file;
	uint32_t status;

	MADE_LOCKED(made, number, file, status,
		    made_write_to(made, file, offset, data, len, stable));
	return status;
}

void made_forget(struct made *made)
{
	const struct made_file *file;
	unsigned int i;

	pthread_mutex_lock(&made->lock);
	for (i = 0; i < made->nchanges; i++) {
		const struct made_change *c = &made->changes[i];

		file = made_by_number(made, c->number);
		if (file && c->len)
			fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				  (off_t)c->offset, (off_t)c->len);
	}
	made->nchanges = 0;
	pthread_mutex_unlock(&made->lock);
}

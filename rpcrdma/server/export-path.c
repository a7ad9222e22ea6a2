/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Paths by device and inode, to resolve the file handles of a directory export.
 *
 * Linux opens an inode by handle only with CAP_DAC_READ_SEARCH, so the table keeps the path of
 * each handle. It is bounded in entries and bytes; the least recently used entry is evicted, and
 * its handle becomes stale. Thread-safe. */
#include <pthread.h>

#include "rpcrdma/server/internal.h"

#define PATHS_MAX      65536
#define PATH_BYTES_MAX (16u * 1024 * 1024)
#define BUCKETS        16384

struct path_entry {
	uint64_t dev, ino;
	struct path_entry *chain;         /* of the bucket */
	struct path_entry *newer, *older; /* by use */
	size_t len;
	char path[];
};

struct path_table {
	pthread_mutex_t lock;
	struct path_entry *buckets[BUCKETS];
	struct path_entry *newest, *oldest;
	size_t count, bytes;
};

static struct path_entry **path_table_bucket(struct path_table *table, uint64_t dev, uint64_t ino)
{
	/* Fibonacci hashing: inode numbers are often consecutive. */
	uint64_t hash = (ino ^ (dev << 32)) * UINT64_C(0x9e3779b97f4a7c15);

	return &table->buckets[hash >> 50];
}

static struct path_entry **path_table_find(struct path_table *table, uint64_t dev, uint64_t ino)
{
	struct path_entry **link = path_table_bucket(table, dev, ino);

	while (*link && ((*link)->ino != ino || (*link)->dev != dev))
		link = &(*link)->chain;
	return link;
}

static void path_table_unlink(struct path_table *table, struct path_entry *entry)
{
	*(entry->newer ? &entry->newer->older : &table->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &table->oldest) = entry->newer;
}

static void path_table_link(struct path_table *table, struct path_entry *entry)
{
	entry->newer = NULL;
	entry->older = table->newest;
	*(table->newest ? &table->newest->newer : &table->oldest) = entry;
	table->newest = entry;
}

static void path_table_evict(struct path_table *table, struct path_entry **link)
{
	struct path_entry *entry = *link;

	*link = entry->chain;
	path_table_unlink(table, entry);
	table->count--;
	table->bytes -= entry->len;
	free(entry);
}

int path_table_put(struct path_table *table, uint64_t dev, uint64_t ino, const char *path)
{
	size_t len = strlen(path) + 1;
	struct path_entry *entry = malloc(sizeof(*entry) + len), **link;

	if (!entry)
		return err_no_memory();
	entry->dev = dev;
	entry->ino = ino;
	entry->len = len;
	memcpy(entry->path, path, len);
	pthread_mutex_lock(&table->lock);
	link = path_table_find(table, dev, ino);
	if (*link)
		path_table_evict(table, link);
	link = path_table_bucket(table, dev, ino);
	entry->chain = *link;
	*link = entry;
	path_table_link(table, entry);
	table->count++;
	table->bytes += len;
	while (table->count > PATHS_MAX || table->bytes > PATH_BYTES_MAX)
		path_table_evict(table,
				 path_table_find(table, table->oldest->dev, table->oldest->ino));
	pthread_mutex_unlock(&table->lock);
	return 0;
}

int path_table_get(struct path_table *table, uint64_t dev, uint64_t ino, char *buf, size_t cap)
{
	struct path_entry *entry;
	int rc = -ESTALE;

	pthread_mutex_lock(&table->lock);
	entry = *path_table_find(table, dev, ino);
	if (entry && entry->len <= cap) {
		memcpy(buf, entry->path, entry->len);
		path_table_unlink(table, entry);
		path_table_link(table, entry);
		rc = 0;
	}
	pthread_mutex_unlock(&table->lock);
	return rc;
}

struct path_table *path_table_new(void)
{
	struct path_table *table = calloc(1, sizeof(*table));

	if (table)
		pthread_mutex_init(&table->lock, NULL);
	return table;
}

void path_table_free(struct path_table *table)
{
	struct path_entry *entry, *older;

	if (!table)
		return;
	for (entry = table->newest; entry; entry = older) {
		older = entry->older;
		free(entry);
	}
	pthread_mutex_destroy(&table->lock);
	free(table);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The self-test's export: in memory, with content that depends on the offset. The eight bytes at
 * each offset that is a multiple of eight are that offset, big-endian, so misplaced data identify
 * the offset they came from.
 *
 * All files are prefixes of this pattern and share one buffer, which READ returns without a copy.
 * The sparse file is too large for memory and is generated in the scratch buffer.
 *
 * If it was made writable, clients may make files in the root (made.c). Nothing else can be
 * changed. */
#include <stdio.h>

#include "rpcrdma/server/internal.h"

#define PATTERN_MAX (4u * 1024 * 1024)
#define DIR_ENTRIES 2000u

/* The sparse file has data at its start, and from this many bytes before 4 GiB to its end. */
#define SPARSE_DATA (256u * 1024)
#define FOUR_GIB    (UINT64_C(1) << 32)

/* Old: a probe prefers files that are not being written. */
#define MEMORY_TIME 1700000000u
#define MEMORY_FSID UINT64_C(0x6e66737264616d61)

static const uint64_t memory_data_sizes[] = {
	0, 1, 811, 812, 813, 4096, 65536, 1024 * 1024 + 3, PATTERN_MAX,
};
static const uint64_t memory_sparse_size = FOUR_GIB + 1024 * 1024 + 5;
static const uint32_t memory_link_sizes[] = { 1, 2, 3, 4, 5, 255, 1023, 4095 };

/* The root, and a directory of empty files. */
#define ROOT_ENTRIES (ARRAY_SIZE(memory_data_sizes) + 1 + ARRAY_SIZE(memory_link_sizes) + 1)
#define NODE_COUNT   (1 + ROOT_ENTRIES + DIR_ENTRIES)

struct memory_node {
	char name[24];
	enum nfs_type type;
	uint64_t size;
	uint32_t parent;
	uint32_t first, count; /* children of a directory */
};

struct memory_export {
	struct export exp;
	uint8_t *pattern; /* PATTERN_MAX bytes */
	struct memory_node nodes[NODE_COUNT];
	struct made *made; /* NULL: read-only */
	/* The root, if the export is hidden: READDIR shows it empty, and LOOKUP finds one name. */
	struct memory_node top;
	char secret[EXPORT_SECRET_MAX]; /* empty: not hidden */
};

/* The pattern */

void export_memory_fill(uint8_t *buf, uint64_t offset, size_t len)
{
	uint8_t word[8];
	size_t i;

	for (i = 0; i < len; i++) {
		if (!i || !((offset + i) & 7))
			put_be64(word, (offset + i) & ~UINT64_C(7));
		buf[i] = word[(offset + i) & 7];
	}
}

/* Fills the buffer with the pattern where it overlaps [from, to). */
static void memory_fill_range(uint8_t *buf, uint64_t offset, size_t len, uint64_t from, uint64_t to)
{
	uint64_t start = from > offset ? from : offset;
	uint64_t end = min_u64(to, offset + len);

	if (start < end)
		export_memory_fill(buf + (start - offset), start, end - start);
}

/* Nodes */

static uint32_t memory_node_index(const struct memory_export *mem, const struct memory_node *node)
{
	return node == &mem->top ? NODE_COUNT : (uint32_t)(node - mem->nodes);
}

static void memory_node_handle(const struct memory_export *mem, const struct memory_node *node,
			       struct nfs_fh *fh)
{
	export_handle(&mem->exp, memory_node_index(mem, node), 0, fh);
}

/* A file that a client made has its number, and no node. */
static uint32_t memory_find(struct export *exp, const struct nfs_fh *fh,
			    const struct memory_node **node, uint64_t *number)
{
	struct memory_export *mem = (struct memory_export *)exp;
	uint64_t index, unused;
	uint32_t status;

	*node = NULL;
	*number = 0;
	status = export_handle_parse(exp, fh, &index, &unused);
	if (status)
		return status;
	if (mem->made && index > MADE_FIRST && !unused) {
		*number = index;
		return NFS3_STATUS_OK;
	}
	if (index > NODE_COUNT || (index == NODE_COUNT && !*mem->secret) || unused)
		return NFS3_STATUS_BADHANDLE;
	*node = index == NODE_COUNT ? &mem->top : &mem->nodes[index];
	return NFS3_STATUS_OK;
}

/* Only the operations that files have. */
static uint32_t memory_node_find(struct export *exp, const struct nfs_fh *fh,
				 const struct memory_node **node)
{
	static const struct memory_node file = { .type = NFS_REG };
	uint64_t number;
	uint32_t status = memory_find(exp, fh, node, &number);

	if (number)
		*node = &file;
	return status;
}

static void memory_node_attr(const struct memory_export *mem, const struct memory_node *node,
			     struct nfs_attr *attr)
{
	static const uint32_t modes[] = {
		[NFS_REG] = 0644,
		[NFS_DIR] = 0755,
		[NFS_LNK] = 0777,
	};
	const struct nfs_time then = { .sec = MEMORY_TIME };

	*attr = (struct nfs_attr){
		.type = node->type,
		.mode = modes[node->type],
		.nlink = node->type == NFS_DIR ? 2 : 1,
		.size = node->size,
		.used = node->size > PATTERN_MAX ? SPARSE_DATA : node->size,
		.fsid = MEMORY_FSID,
		.fileid = memory_node_index(mem, node) + 1,
		.atime = then,
		.mtime = then,
		.ctime = then,
	};
	/* Where clients make files. */
	if (mem->made && node == mem->nodes)
		attr->mode = 0777;
}

/* Callbacks */

static uint32_t memory_root(struct export *exp, struct nfs_fh *fh)
{
	struct memory_export *mem = (struct memory_export *)exp;

	memory_node_handle(mem, *mem->secret ? &mem->top : mem->nodes, fh);
	return NFS3_STATUS_OK;
}

static uint32_t memory_getattr(struct export *exp, const struct nfs_fh *fh, struct nfs_attr *attr)
{
	struct memory_export *mem = (struct memory_export *)exp;
	const struct memory_node *node;
	uint64_t number;
	uint32_t status;

	status = memory_find(exp, fh, &node, &number);
	if (number) {
		status = made_getattr(mem->made, number, attr);
		attr->fsid = MEMORY_FSID;
	} else if (!status) {
		memory_node_attr(mem, node, attr);
	}
	return status;
}

/* Children including dot entries: 0 is ".", 1 is "..". */
static const struct memory_node *memory_node_child(const struct memory_export *mem,
						   const struct memory_node *dir, uint64_t index,
						   const char **name)
{
	const struct memory_node *child;

	if (index < 2) {
		*name = index ? ".." : ".";
		return index && dir != &mem->top ? &mem->nodes[dir->parent] : dir;
	}
	if (index - 2 >= dir->count)
		return NULL;
	child = &mem->nodes[dir->first + index - 2];
	*name = child->name;
	return child;
}

static uint32_t memory_lookup(struct export *exp, const struct nfs_fh *dir, const char *name,
			      struct nfs_fh *fh)
{
	struct memory_export *mem = (struct memory_export *)exp;
	const struct memory_node *node, *child;
	const char *child_name;
	uint32_t status, i;
	uint64_t number;

	status = memory_node_find(exp, dir, &node);
	if (status)
		return status;
	if (node->type != NFS_DIR)
		return NFS3_STATUS_NOTDIR;
	if (node == &mem->top && !strcmp(name, mem->secret)) {
		memory_node_handle(mem, mem->nodes, fh);
		return NFS3_STATUS_OK;
	}
	for (i = 0; (child = memory_node_child(mem, node, i, &child_name)); i++) {
		if (strcmp(child_name, name))
			continue;
		memory_node_handle(mem, child, fh);
		return NFS3_STATUS_OK;
	}
	status = mem->made && node == mem->nodes ? made_lookup(mem->made, name, &number)
						 : NFS3_STATUS_NOENT;
	if (!status)
		export_handle(exp, number, 0, fh);
	return status;
}

/* A dangling target of the node's size in bytes. */
static uint32_t memory_readlink(struct export *exp, const struct nfs_fh *fh,
				struct export_read *read)
{
	const struct memory_node *node;
	uint32_t status, i;

	status = memory_node_find(exp, fh, &node);
	if (status)
		return status;
	if (node->type != NFS_LNK)
		return NFS3_STATUS_INVAL;
	for (i = 0; i < node->size; i++)
		read->scratch[i] = (uint8_t)('a' + i % 26);
	read->data = read->scratch;
	read->len = (uint32_t)node->size;
	return NFS3_STATUS_OK;
}

static uint32_t memory_read(struct export *exp, const struct nfs_fh *fh, struct export_read *read)
{
	struct memory_export *mem = (struct memory_export *)exp;
	const struct memory_node *node;
	uint64_t number;
	uint32_t status;

	status = memory_find(exp, fh, &node, &number);
	if (status)
		return status;
	if (number)
		return made_read(mem->made, number, read);
	if (node->type != NFS_REG)
		return node->type == NFS_DIR ? NFS3_STATUS_ISDIR : NFS3_STATUS_INVAL;
	read->len = read->offset < node->size
			    ? (uint32_t)min_u64(read->count, node->size - read->offset)
			    : 0;
	read->eof = read->offset >= node->size || read->offset + read->len == node->size;
	if (node->size <= PATTERN_MAX) {
		read->data = read->len ? mem->pattern + read->offset : mem->pattern;
		return NFS3_STATUS_OK;
	}
	memset(read->scratch, 0, read->len);
	memory_fill_range(read->scratch, read->offset, read->len, 0, SPARSE_DATA);
	memory_fill_range(read->scratch, read->offset, read->len, FOUR_GIB - SPARSE_DATA,
			  memory_sparse_size);
	read->data = read->scratch;
	return NFS3_STATUS_OK;
}

/* The files that clients made follow the root's own. */
static bool memory_list_made(struct memory_export *mem, uint64_t first,
			     struct export_readdir *readdir)
{
	char name[NFS3_NAME_MAX + 1];
	struct export_entry entry = { .name = name };
	unsigned int at = readdir->cookie > first ? (unsigned int)(readdir->cookie - first) : 0;
	uint64_t number;

	for (; !made_next(mem->made, &at, name, &number); at++) {
		entry.cookie = first + at + 1;
		if (made_getattr(mem->made, number, &entry.attr))
			continue;
		entry.attr.fsid = MEMORY_FSID;
		export_handle(&mem->exp, number, 0, &entry.fh);
		if (!readdir->fn(readdir->arg, &entry))
			return false;
	}
	return true;
}

static uint32_t memory_readdir(struct export *exp, const struct nfs_fh *dir,
			       struct export_readdir *readdir)
{
	struct memory_export *mem = (struct memory_export *)exp;
	const struct memory_node *node, *child;
	struct export_entry entry;
	uint32_t status;
	uint64_t i;

	status = memory_node_find(exp, dir, &node);
	if (status)
		return status;
	if (node->type != NFS_DIR)
		return NFS3_STATUS_NOTDIR;
	if (readdir->cookie > node->count + 2 + (mem->made && node == mem->nodes ? MADE_FILES : 0))
		return NFS3_STATUS_BAD_COOKIE;
	for (i = readdir->cookie; (child = memory_node_child(mem, node, i, &entry.name)); i++) {
		entry.cookie = i + 1;
		memory_node_attr(mem, child, &entry.attr);
		memory_node_handle(mem, child, &entry.fh);
		if (!readdir->fn(readdir->arg, &entry))
			return NFS3_STATUS_OK;
	}
	readdir->eof = !mem->made || node != mem->nodes ||
		       memory_list_made(mem, node->count + 2, readdir);
	return NFS3_STATUS_OK;
}

static uint32_t memory_space(struct export *exp, struct export_space *space)
{
	struct memory_export *mem = (struct memory_export *)exp;

	*space = (struct export_space){ .bytes = 2 * FOUR_GIB, .files = NODE_COUNT };
	if (mem->made) {
		space->bytes_free = made_bytes_free(mem->made);
		space->files_free = MADE_FILES;
	}
	return NFS3_STATUS_OK;
}

/* Changes */

static uint32_t memory_create(struct export *exp, const struct nfs_fh *dir,
			      const struct export_create *create, struct nfs_fh *fh)
{
	struct memory_export *mem = (struct memory_export *)exp;
	const struct memory_node *node;
	uint64_t number = 0;
	uint32_t status = memory_lookup(exp, dir, create->name, fh);

	if (status && status != NFS3_STATUS_NOENT)
		return status;
	/* The server's own files are not made again. */
	if (!status && !memory_find(exp, fh, &node, &number) && !number)
		return create->guarded || create->exclusive ? NFS3_STATUS_EXIST : NFS3_STATUS_ROFS;
	status = memory_node_find(exp, dir, &node);
	if (status || node != mem->nodes)
		return status ? status : NFS3_STATUS_ROFS;
	status = made_create(mem->made, create, &number);
	if (!status)
		export_handle(exp, number, 0, fh);
	return status;
}

/* The number of a file that may be changed. */
static uint32_t memory_find_made(struct export *exp, const struct nfs_fh *fh, uint64_t *number)
{
	const struct memory_node *node;
	uint32_t status = memory_find(exp, fh, &node, number);

	return status || *number ? status : NFS3_STATUS_ROFS;
}

static uint32_t memory_setattr(struct export *exp, const struct nfs_fh *fh,
			       const struct export_setattr *set)
{
	uint64_t number;
	uint32_t status = memory_find_made(exp, fh, &number);

	return status ? status : made_setattr(((struct memory_export *)exp)->made, number, set);
}

static uint32_t memory_write(struct export *exp, const struct nfs_fh *fh, uint64_t offset,
			     const uint8_t *data, uint32_t len, bool stable)
{
	uint64_t number;
	uint32_t status = memory_find_made(exp, fh, &number);

	return status ? status
		      : made_write(((struct memory_export *)exp)->made, number, offset, data, len,
				   stable);
}

static uint32_t memory_remove(struct export *exp, const struct nfs_fh *dir, const char *name)
{
	struct memory_export *mem = (struct memory_export *)exp;
	const struct memory_node *node;
	struct nfs_fh fh;
	uint64_t number;
	uint32_t status = memory_lookup(exp, dir, name, &fh);

	if (!status)
		status = memory_find(exp, &fh, &node, &number);
	if (status)
		return status;
	return number ? made_remove(mem->made, name) : NFS3_STATUS_ROFS;
}

static void memory_free(struct export *exp)
{
	struct memory_export *mem = (struct memory_export *)exp;

	made_free(mem->made);
	free(mem->pattern);
	free(mem);
}

static const struct export_ops memory_ops = {
	.free = memory_free,
	.root = memory_root,
	.getattr = memory_getattr,
	.lookup = memory_lookup,
	.readlink = memory_readlink,
	.read = memory_read,
	.readdir = memory_readdir,
	.space = memory_space,
	.create = memory_create,
	.setattr = memory_setattr,
	.write = memory_write,
	.remove = memory_remove,
};

void export_forget(struct export *exp)
{
	if (exp->writable)
		made_forget(((struct memory_export *)exp)->made);
}

/* Building */

static struct memory_node *memory_node_add(struct memory_export *mem, uint32_t *used,
					   enum nfs_type type, uint64_t size)
{
	struct memory_node *node = &mem->nodes[(*used)++];

	node->type = type;
	node->size = size;
	return node;
}

/* The root, its files and links, then the directory of empty files and these. */
static void memory_build(struct memory_export *mem)
{
	uint32_t used = 0, i;
	struct memory_node *root, *dir, *node;

	root = memory_node_add(mem, &used, NFS_DIR, 4096);
	root->first = used;
	root->count = ROOT_ENTRIES;
	for (i = 0; i < ARRAY_SIZE(memory_data_sizes); i++) {
		node = memory_node_add(mem, &used, NFS_REG, memory_data_sizes[i]);
		snprintf(node->name, sizeof(node->name), "data-%llu",
			 (unsigned long long)memory_data_sizes[i]);
	}
	node = memory_node_add(mem, &used, NFS_REG, memory_sparse_size);
	snprintf(node->name, sizeof(node->name), "sparse-%llu",
		 (unsigned long long)memory_sparse_size);
	for (i = 0; i < ARRAY_SIZE(memory_link_sizes); i++) {
		node = memory_node_add(mem, &used, NFS_LNK, memory_link_sizes[i]);
		snprintf(node->name, sizeof(node->name), "link-%u", memory_link_sizes[i]);
	}
	dir = memory_node_add(mem, &used, NFS_DIR, 64 * 1024);
	snprintf(dir->name, sizeof(dir->name), "entries-%u", DIR_ENTRIES);
	dir->first = used;
	dir->count = DIR_ENTRIES;
	for (i = 0; i < DIR_ENTRIES; i++) {
		node = memory_node_add(mem, &used, NFS_REG, 0);
		node->parent = memory_node_index(mem, dir);
		snprintf(node->name, sizeof(node->name), "entry.%04u", i + 1);
	}
}

int export_memory_new(struct export **out)
{
	struct memory_export *mem = calloc(1, sizeof(*mem));
	int rc;

	if (mem)
		mem->pattern = malloc(PATTERN_MAX);
	if (!mem || !mem->pattern) {
		free(mem);
		return err_no_memory();
	}
	export_memory_fill(mem->pattern, 0, PATTERN_MAX);
	memory_build(mem);
	rc = export_init(&mem->exp, &memory_ops);
	if (rc)
		memory_free(&mem->exp);
	else
		*out = &mem->exp;
	return rc;
}

void export_memory_hide(struct export *exp, const char *secret)
{
	struct memory_export *mem = (struct memory_export *)exp;

	mem->top = (struct memory_node){ .type = NFS_DIR, .size = 4096 };
	str_copy(mem->secret, sizeof(mem->secret), secret);
}

int export_memory_make_writable(struct export *exp)
{
	struct memory_export *mem = (struct memory_export *)exp;
	int rc = made_new(&mem->made);

	exp->writable = !rc;
	return rc;
}

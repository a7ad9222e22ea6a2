/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Common code: errors (err.c), time (clock.c), debug areas (debug.c), writing (fd.c), structs
 * that grow (abi.c), clean-up attributes. Nothing here depends on RDMA, NFS or a hypervisor.
 *
 * Functions return 0 (or a count) or -errno. The line that detects a failure describes it with
 * err_set() or err_sys(); callers prepend their context with err_context(). The text is in one
 * thread-local slot. */
#ifndef RPCRDMA_BASE_H
#define RPCRDMA_BASE_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* err.c */

#define ERR_TEXT_MAX   1024
#define ERR_REASON_MAX 32

/* Remembers the text, returns -errnum: `return err_set(EPROTO, "%u segments", n);` */
int err_set(int errnum, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Same with errno as the number and its strerror() after the text. */
int err_sys(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* "no memory", returns -ENOMEM. What it was for: err_context(), where that is worth saying. */
int err_no_memory(void);
/* Puts "fmt: " before the text, returns rc unchanged. */
int err_context(int rc, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The text of this thread's last error, never NULL, valid until the next one. */
const char *err_text(void);
/* Sets the reason, one word, that a finding about this error takes: "refused". Call it after the
 * err_set() or err_sys() of the error. Returns @rc; err_context() keeps the reason. */
int err_because(int rc, const char *reason);
/* "": unknown. */
const char *err_reason(void);
void err_clear(void);

/* Saves an error while other code runs. err_again() restores it and returns its rc. */
struct err_kept {
	int rc; /* 0: there was none */
	char reason[ERR_REASON_MAX];
	char text[ERR_TEXT_MAX];
};

void err_keep(struct err_kept *kept, int rc);
int err_again(const struct err_kept *kept);

/* fd.c */

/* Writes all bytes. For blocking descriptors. Errors: -errno of write(2), without text. */
int fd_write_all(int fd, const void *bytes, size_t len);

/* Content and mode of a file. */
struct fd_file {
	const void *bytes;
	size_t len;
	unsigned int mode;
	/* Called before the file is visible, to set an owner or a label. NULL: nothing. Returns 0
	 * or -errno. */
	int (*prepare)(void *arg, int fd);
	void *arg;
	bool fresh; /* no file has the name yet; -EEXIST otherwise */
};

/* Replaces a file of a folder, given by its descriptor: writes it beside as @temporary, a name
 * that no other process uses at the same time; flushes it; renames it; flushes the folder.
 * Readers see the old file or the new one, even after a loss of power. Errors: -errno without
 * text, and errno; the old file then remains, unless the folder's fsync(2) failed. */
int fd_replace(int folder, const char *temporary, const char *name, const struct fd_file *file);

/* out.c: a file whose path a user or a configuration gives. Its name is never followed as a link,
 * and links on the way only in folders that only root and the caller can change. Errors: with text;
 * -ELOOP a link. */

/* Opens it for writing, or creates it with mode 0600; also a pipe, which must have a reader, or a
 * device: the caller looks at what it is. The descriptor does not block. */
int out_open_stream(const char *path);
/* Whether there is nothing or, with @force, a regular file. -EEXIST: anything else. */
int out_check_file(const char *path, bool force);
/* Writes it by fd_replace(), after out_check_file(). */
int out_write_file(const char *path, const struct fd_file *file, bool force);

/* clock.c: CLOCK_MONOTONIC. A deadline is an absolute time in milliseconds, and is passed
 * down unchanged: no step ever restarts a time-out. */

uint64_t now_ms(void);
uint64_t now_ns(void);

/* What a peer must not guess. Errors: errno of getrandom(2), or where the kernel lacks it of
 * reading /dev/urandom. */
int random_bytes(void *buf, size_t len);
/* What only has to differ from the last one; never waits, never fails. */
uint64_t random_number(void);
/* Before this process gives up the right to open files: random_bytes() works afterwards on a kernel
 * without getrandom(2) too. Returns the descriptor that must stay open; -1: none is needed, or
 * there is no /dev/urandom. Done by child.h's functions. */
int random_keep(void);
uint64_t deadline_in(unsigned int ms);
/* Milliseconds left for poll(2): 0 when it has passed. */
int deadline_left(uint64_t deadline);
/* The earlier of the two. */
uint64_t deadline_min(uint64_t a, uint64_t b);
/* As pthread_cond_clockwait(3) takes it. */
struct timespec deadline_timespec(uint64_t deadline);

/* abi.c: structs of the public headers, which begin with their size and may grow */

/* Copies the caller's struct to @ours and zeros the rest. @min is the size of the first version's
 * struct. -EINVAL: shorter than that, or longer than @ours with unknown members that are not
 * zero. */
int abi_take(void *ours, size_t ours_size, const void *theirs, size_t theirs_size, size_t min);

/* near.c: did you mean? For commands, options, ids. */

#define NEAR_WORD_MAX 64

struct near {
	const char *word; /* NULL: too short or too long to compare */
	const char *best;
	size_t edits;
};

/* @word may be anything, and is borrowed, as candidates are. */
void near_init(struct near *near, const char *word);
void near_try(struct near *near, const char *candidate);
/* The nearest candidate, the first of several; NULL: none is near enough. */
const char *near_found(const struct near *near);

/* debug.c: NFSRDMA_DEBUG=wire,conn,...|all|help, to stderr, off by default. */

enum debug_area {
	DEBUG_WIRE,
	DEBUG_TRANSPORT,
	DEBUG_CONN,
	DEBUG_NFS,
	DEBUG_SERVER,
	DEBUG_PROBE,
	DEBUG_CHILD,
	DEBUG_HOST,
	DEBUG_CHECKS,
	DEBUG_MOUNT,
	DEBUG_GATE,
	DEBUG_WATCH,
	DEBUG_AREA_COUNT
};

extern unsigned int debug_mask;
/* Reads the environment once. A program that runs with more rights than its caller, for instance
 * when started by a set-user-ID mount(8), ignores it: secure_getenv(3). True: "help" was among
 * the words, and the areas are on stderr. A command then exits; a mount helper or hook continues,
 * because its exit status would be taken for an answer. */
bool debug_init(void);
/* Prints one line. Replaces control characters, which a guest's name may contain. */
void debug_print(enum debug_area area, const char *fmt, ...) PRINTF_LIKE(2, 3);
#define debug(area, ...)                                \
	do {                                            \
		if (debug_mask & (1u << (area)))        \
			debug_print(area, __VA_ARGS__); \
	} while (0)

/* Sizes, bytes and strings */

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* XDR round-up: the next multiple of four. */
static inline size_t xdr_pad4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static inline uint16_t get_be16(const void *p)
{
	const uint8_t *b = p;

	return (uint16_t)(b[0] << 8 | b[1]);
}

static inline uint32_t get_be32(const void *p)
{
	const uint8_t *b = p;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* FNV-1a: detects lost or moved bytes, not forged ones. */
static inline uint64_t bytes_digest(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t digest = UINT64_C(0xcbf29ce484222325);

	while (len--)
		digest = (digest ^ *at++) * UINT64_C(0x100000001b3);
	return digest;
}

static inline uint64_t get_be64(const void *p)
{
	const uint8_t *b = p;

	return (uint64_t)get_be32(b) << 32 | get_be32(b + 4);
}

static inline void put_be16(void *p, uint16_t v)
{
	uint8_t *b = p;

	b[0] = v >> 8;
	b[1] = v & 0xff;
}

static inline void put_be32(void *p, uint32_t v)
{
	put_be16(p, v >> 16);
	put_be16((uint8_t *)p + 2, v & 0xffff);
}

static inline void put_be64(void *p, uint64_t v)
{
	put_be32(p, v >> 32);
	put_be32((uint8_t *)p + 4, v & 0xffffffff);
}

/* Copies @text, or as much of it as @cap holds, and a NUL. False: truncated. A caller whose text
 * is known to fit ignores the result. */
static inline bool str_copy(char *out, size_t cap, const char *text)
{
	size_t len = strlen(text);
	bool fits = len < cap;

	if (!fits)
		len = cap - 1;
	memcpy(out, text, len);
	out[len] = '\0';
	return fits;
}

/* Clean-up. Locals that own a resource are marked; take_ptr() hands it out: `_cleanup_free_ char
 * *path = ...; *out = take_ptr(path);` */

#define _cleanup_(func) __attribute__((cleanup(func)))
#define _cleanup_free_  _cleanup_(cleanup_free)
#define _cleanup_close_ _cleanup_(cleanup_close)

static inline void cleanup_free(void *p)
{
	void *mem;

	memcpy(&mem, p, sizeof(mem));
	free(mem);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define take_ptr(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* The signals by which a user, a service manager or a closed terminal ends a process. */
static inline void signals_that_end(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

#endif

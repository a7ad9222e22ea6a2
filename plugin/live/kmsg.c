/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The kernel's log from /dev/kmsg (Documentation/ABI/testing/dev-kmsg): a record a read,
 * "LEVEL,NUMBER,USEC,FLAGS;TEXT", then lines with what belongs to it. The journal has the same
 * lines for longer, but this needs neither it nor a process. Lines that programs write have another
 * facility; of a line of the kernel a user may have chosen a word, as the name of a process. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "plugin/live/internal.h"

#define KMSG_RECORD 8192
#define KMSG_MS     300
/* Facility and level are one number; the kernel's own facility is 0. */
#define KMSG_LEVELS 8

int live_kmsg_line(char *record, uint64_t now_us, struct live_log *log)
{
	char *text = strchr(record, ';');
	uint64_t us;
	unsigned int level;

	if (!text || sscanf(record, "%u,%*u,%" SCNu64, &level, &us) != 2 || level >= KMSG_LEVELS)
		return 0;
	text++;
	text[strcspn(text, "\n")] = '\0';
	if (!live_log_concerns(text))
		return 0;
	return live_log_add(log, us < now_us ? (int64_t)((now_us - us) / 1000000) : 0, level, text);
}

/* To its end. The descriptor does not wait. */
static int kmsg_read(int fd, struct live_log *out)
{
	uint64_t deadline = deadline_in(KMSG_MS);
	char record[KMSG_RECORD];
	struct timespec now;
	ssize_t n = 0;
	int rc = 0;

	*out = (struct live_log){ 0 };
	/* The kernel's local_clock(), which stands still as CLOCK_MONOTONIC does while the machine
	 * sleeps. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	while (!rc && deadline_left(deadline)) {
		n = read(fd, record, sizeof(record) - 1);
		/* EPIPE: it was overwritten meanwhile; EINVAL: longer than our room. */
		if (n < 0 && (errno == EPIPE || errno == EINTR || errno == EINVAL))
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		rc = live_kmsg_line(
			record, (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000, out);
	}
	/* Without the newest lines the older ones say little. */
	if (!rc && n >= 0)
		rc = err_set(ETIMEDOUT, "it could not be read in %d ms", KMSG_MS);
	else if (!rc && errno != EAGAIN)
		rc = err_sys("/dev/kmsg");
	if (rc)
		live_log_fini(out);
	return rc;
}

int live_kmsg(const struct host *host, struct live_log *out)
{
	_cleanup_close_ int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	(void)host;
	*out = (struct live_log){ 0 };
	return fd < 0 ? err_sys("/dev/kmsg") : kmsg_read(fd, out);
}

int live_kmsg_begin(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return err_sys("/dev/kmsg");
	lseek(fd, 0, SEEK_END);
	return fd;
}

int live_kmsg_since(int fd, struct live_log *out)
{
	*out = (struct live_log){ 0 };
	return fd < 0 ? fd : kmsg_read(fd, out);
}

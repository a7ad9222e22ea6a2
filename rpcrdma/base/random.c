/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* getrandom(2) is younger (Linux 3.17) than the kernels whose NFS/RDMA client cannot read more
 * than 812 bytes: there /dev/urandom is read, which a confined process must have open. */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/random.h>

#include "rpcrdma/base/base.h"

static atomic_int random_fd = -1;

static bool random_has_call(void)
{
	uint8_t byte;

	return getrandom(&byte, 1, GRND_NONBLOCK) >= 0 || errno != ENOSYS;
}

int random_keep(void)
{
	int none = -1, fd;

	if (random_fd >= 0 || random_has_call())
		return random_fd;
	fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !atomic_compare_exchange_strong(&random_fd, &none, fd))
		close(fd);
	return random_fd;
}

int random_bytes(void *buf, size_t len)
{
	ssize_t n = getrandom(buf, len, 0);
	int fd;

	if (n < 0 && errno == ENOSYS) {
		fd = random_keep();
		n = fd < 0 ? -1 : read(fd, buf, len);
	}
	if (n < 0)
		return err_sys("/dev/urandom");
	if ((size_t)n != len)
		return err_set(EIO, "random bytes: %zd of %zu", n, len);
	return 0;
}

uint64_t random_number(void)
{
	uint64_t number;

	return getrandom(&number, sizeof(number), GRND_NONBLOCK) == sizeof(number) ? number
										   : now_ns();
}

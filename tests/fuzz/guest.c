/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A guest's XML, as a hook gets it on its stdin, and in VDSM's file: it is read within its bound,
 * and the gate answers about its disks in clean words, a refusal with its reason, twice the same,
 * and without touching a path at or below a mount of a network. */
#include <fcntl.h>
#include <sys/mman.h>

#include "hooks/vdsm/internal.h"
#include "plugin/journal/journal.h"
#include "plugin/libvirt/libvirt.h"
#include "tests/fuzz/machine.h"

static struct host *host;

/* In place of the journal's. */
int journal_send(enum journal_event event, const char *who, const char *message,
		 const struct journal_field *fields, size_t nfields)
{
	(void)who, (void)fields, (void)nfields;
	FUZZ_CHECK(event < JOURNAL_EVENT_COUNT && *message && finding_is_clean(message));
	return 0;
}

static void watch(void *arg, const struct host_event *event)
{
	static const char *const mounts[] = { "srv/vm", "srv/tcp", "srv/free" };
	size_t i;

	(void)arg;
	for (i = 0; i < ARRAY_SIZE(mounts); i++) {
		size_t len = strlen(mounts[i]);

		FUZZ_CHECK(strncmp(event->path, mounts[i], len) ||
			   (event->path[len] && event->path[len] != '/'));
	}
}

static void make(void)
{
	machine_make("fuzz/guest.machine");
	FUZZ_CHECK(!host_open(&host, machine_root));
	host_watch(host, watch, NULL);
}

/* The input arrives as it is, or is refused if it is longer than what is read. */
static void check_input(const uint8_t *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("guest", MFD_CLOEXEC);
	char *text = NULL;
	size_t len = 0;

	FUZZ_CHECK(fd >= 0 && !fd_write_all(fd, data, size));
	FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
	FUZZ_CHECK(!hook_read(fd, size, deadline_in(10000), &text, &len));
	FUZZ_CHECK(len == size && !memcmp(text, data, size) && !text[size]);
	free(take_ptr(text));
	FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
	FUZZ_CHECK(!size || hook_read(fd, size - 1, deadline_in(10000), &text, &len) == -EFBIG);
}

/* As VDSM leaves it, in a file. */
static void check_file(const uint8_t *data, size_t size)
{
	char path[sizeof(machine_root) + 16], *text = NULL;
	struct vdsm_call call = { .file = path, .deadline = deadline_in(10000) };
	_cleanup_close_ int fd = -1;
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/vdsm", machine_root);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0 && !fd_write_all(fd, data, size));
	if (!size) {
		FUZZ_CHECK(vdsm_input_read(&call, 1, &text, &len) == -ENODATA && !text);
		return;
	}
	FUZZ_CHECK(!vdsm_input_read(&call, size, &text, &len));
	FUZZ_CHECK(len == size && !memcmp(text, data, size) && !text[size]);
	free(take_ptr(text));
	FUZZ_CHECK(vdsm_input_read(&call, size - 1, &text, &len) == -EFBIG && !text);
}

static void ask(const struct domain_disks *disks, bool of_libvirt, struct hook_answer *out)
{
	const struct hook_guest guest = { "fuzz", disks->name, host, disks, of_libvirt };

	*out = (struct hook_answer){ .refuse = false };
	FUZZ_CHECK(!hook_guest_ask(&guest, out));
	FUZZ_CHECK(finding_is_clean(out->text));
	FUZZ_CHECK(!out->refuse || (*out->text && disks->count));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(domain_disks_fini) struct domain_disks disks = { .count = 0 };
	struct hook_answer once, twice;
	int i;

	if (!host)
		make();
	check_input(data, size);
	check_file(data, size);
	if (domain_disks_parse(&disks, (const char *)data, size))
		return 0;
	for (i = 0; i < 2; i++) {
		ask(&disks, i, &once);
		ask(&disks, i, &twice);
		FUZZ_CHECK(once.refuse == twice.refuse && !strcmp(once.text, twice.text));
	}
	return 0;
}

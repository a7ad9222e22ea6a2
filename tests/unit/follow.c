/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Following libvirt with its test driver, which runs in this process and has one guest, and with
 * unreachable daemons. tests/cli/watch-libvirt.sh uses real ones. */
#include <dirent.h>
#include <dlfcn.h>
#include <libvirt/libvirt.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "plugin/libvirt/internal.h"
#include "suite.h"

/* The next event. */
static bool wait_for(struct follow *follow, struct follow_changes *out)
{
	struct pollfd pfd = { .fd = follow_fd(follow), .events = POLLIN };
	uint64_t deadline = deadline_in(PATIENCE_MS);

	while (deadline_left(deadline)) {
		poll(&pfd, 1, deadline_left(deadline));
		if (follow_take(follow, out))
			return true;
	}
	return false;
}

/* Events accumulate until the connection succeeds or fails. */
static void settle(struct follow *follow, struct follow_changes *all)
{
	struct follow_changes changes;

	*all = (struct follow_changes){ .connected = false };
	while (!all->connected && !*all->why && wait_for(follow, &changes)) {
		changes.has_pools |= all->has_pools;
		if (!changes.nguests) {
			changes.guests = all->guests;
			changes.nguests = all->nguests;
			all->guests = NULL;
			all->nguests = 0;
		}
		follow_changes_fini(all);
		*all = changes;
	}
}

static void pools_and_guests_are_listed_on_connection(void)
{
	_cleanup_(follow_close_p) struct follow *follow = NULL;
	struct follow_changes changes;

	CU_ASSERT_EQUAL_FATAL(follow_open(&follow, "test:///default"), 0);
	settle(follow, &changes);
	CU_ASSERT(changes.connected);
	CU_ASSERT(changes.has_pools);
	CU_ASSERT_STRING_EQUAL(changes.uri, "test:///default");
	CU_ASSERT_FALSE(changes.remote);
	CU_ASSERT_EQUAL_FATAL(changes.nguests, 1);
	CU_ASSERT_FALSE(changes.guests[0].gone);
	CU_ASSERT_STRING_EQUAL(changes.guests[0].disks.name, "test");
	CU_ASSERT_STRING_EQUAL(changes.guests[0].broken, "");
	follow_changes_fini(&changes);
	CU_ASSERT_EQUAL(follow_take(follow, &changes), 0);
}

static void pools_are_queried_again(void)
{
	_cleanup_(follow_close_p) struct follow *follow = NULL;
	struct follow_changes changes;
	uint64_t before;

	CU_ASSERT_EQUAL_FATAL(follow_open(&follow, "test:///default"), 0);
	settle(follow, &changes);
	follow_changes_fini(&changes);
	before = now_ms();
	follow_request_pools(follow);
	CU_ASSERT(wait_for(follow, &changes));
	CU_ASSERT(changes.has_pools);
	CU_ASSERT(changes.connected);
	ASSERT_AT_LEAST(changes.pools_ms, before);
	follow_changes_fini(&changes);
}

static void an_unreachable_daemon_is_reported_with_the_reason(void)
{
	_cleanup_(follow_close_p) struct follow *follow = NULL;
	struct follow_changes changes;

	CU_ASSERT_EQUAL_FATAL(follow_open(&follow, "qemu+unix:///system?socket=/nowhere/sock"), 0);
	settle(follow, &changes);
	CU_ASSERT_FALSE(changes.connected);
	ASSERT_CONTAINS(changes.why, "/nowhere/sock");
	follow_changes_fini(&changes);
}

/* --- many guests --------------------------------------------------------------------------------- */

#define MANY 200

static atomic_int calls_left = -1; /* calls until libvirt starts to fail; -1: never */

/* Replaces libvirt's function: a call that must fail gets unsupported flags. */
char *virDomainGetXMLDesc(virDomainPtr domain, unsigned int flags)
{
	static char *(*real)(virDomainPtr domain, unsigned int flags);
	bool fails = !calls_left;

	if (calls_left > 0)
		calls_left--;
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "virDomainGetXMLDesc");
	return real(domain, fails ? ~0u : flags);
}

static void write_node(char uri[128])
{
	char path[96];
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "/tmp/nfsrdma-node.%d.xml", (int)getpid());
	snprintf(uri, 128, "test://%s", path);
	file = fopen(path, "we");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs("<node>", file);
	for (i = 0; i < MANY; i++)
		fprintf(file,
			"<domain type='test'><name>vm%d</name><memory>8192</memory>"
			"<os><type>hvm</type></os></domain>",
			i);
	fputs("</node>", file);
	fclose(file);
}

/* Until all guests were queried. */
static bool wait_for_all(struct follow *follow, struct follow_changes *out)
{
	while (wait_for(follow, out)) {
		if (out->forget_guests)
			return true;
		follow_changes_fini(out);
	}
	return false;
}

static void ask_all_again(struct follow *follow)
{
	pthread_mutex_lock(&follow->lock);
	follow->requests.all_guests = true;
	pthread_cond_broadcast(&follow->changed);
	pthread_mutex_unlock(&follow->lock);
}

/* A guest that is not listed would be considered gone, and new again a moment later. */
static void all_guests_come_in_one_step(void)
{
	_cleanup_(follow_close_p) struct follow *follow = NULL;
	struct follow_changes changes;
	char uri[128];
	int i;

	write_node(uri);
	CU_ASSERT_EQUAL_FATAL(follow_open(&follow, uri), 0);
	for (i = 0; i < 5; i++) {
		SUITE_ROW("%d", i);
		CU_ASSERT_FATAL(wait_for_all(follow, &changes));
		CU_ASSERT_EQUAL(changes.nguests, MANY);
		follow_changes_fini(&changes);
		ask_all_again(follow);
	}
	unlink(uri + strlen("test://"));
}

static void earlier_guests_are_kept_if_a_query_fails(void)
{
	_cleanup_(follow_close_p) struct follow *follow = NULL;
	struct follow_changes changes;
	bool lost = false;
	char uri[128];

	write_node(uri);
	calls_left = MANY / 2;
	CU_ASSERT_EQUAL_FATAL(follow_open(&follow, uri), 0);
	while (!lost && wait_for(follow, &changes)) {
		CU_ASSERT_FALSE(changes.forget_guests);
		CU_ASSERT_FALSE(changes.nguests);
		lost = *changes.why;
		follow_changes_fini(&changes);
	}
	CU_ASSERT(lost);
	/* The query is retried. Not earlier: a new connection clears the reason. */
	calls_left = -1;
	CU_ASSERT_FATAL(wait_for_all(follow, &changes));
	CU_ASSERT_EQUAL(changes.nguests, MANY);
	follow_changes_fini(&changes);
	unlink(uri + strlen("test://"));
}

static unsigned int count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned int count = 0;

	while (readdir(tasks))
		count++;
	closedir(tasks);
	return count;
}

/* Accepts connections, and never answers. */
static void a_daemon_that_hangs_does_not_block(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct follow *follow = NULL;
	struct follow_changes changes;
	uint64_t start = now_ms(), deadline;
	unsigned int threads;
	char uri[160];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/nfsrdma-hang.%d", (int)getpid());
	unlink(address.sun_path);
	CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	CU_ASSERT_EQUAL_FATAL(listen(fd, 1), 0);
	snprintf(uri, sizeof(uri), "qemu+unix:///system?socket=%s", address.sun_path);
	/* The thread of libvirt's events stays. */
	CU_ASSERT_EQUAL_FATAL(follow_events_start(), 0);
	threads = count_threads();
	CU_ASSERT_EQUAL_FATAL(follow_open(&follow, uri), 0);
	poll(NULL, 0, 300);
	CU_ASSERT_EQUAL(follow_take(follow, &changes), 0);
	follow_close(follow);
	ASSERT_WITHIN_MS(now_ms() - start, 5000);
	/* The thread ends with its connection, and frees its memory. */
	close(fd);
	unlink(address.sun_path);
	deadline = deadline_in(PATIENCE_MS);
	while (count_threads() > threads && deadline_left(deadline))
		usleep(10000);
	CU_ASSERT_EQUAL(count_threads(), threads);
}

SUITE_MAIN("follow", TEST(pools_and_guests_are_listed_on_connection), TEST(pools_are_queried_again),
	   TEST(an_unreachable_daemon_is_reported_with_the_reason),
	   TEST(all_guests_come_in_one_step), TEST(earlier_guests_are_kept_if_a_query_fails),
	   TIMED(a_daemon_that_hangs_does_not_block))

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Journal entries: their bytes, and how they reach a socket. */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "plugin/journal/journal.h"
#include "tests/unit/suite.h"

static char path[64];
static int receiver = -1;

static void listen_here(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(path, sizeof(path), "/tmp/nfsrdma-journal.%d", (int)getpid());
	unlink(path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	receiver = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (receiver < 0 || bind(receiver, (struct sockaddr *)&address, sizeof(address)))
		abort();
}

static void stop(void)
{
	close(receiver);
	unlink(path);
}

static void an_entry_has_its_fields_in_order(void)
{
	const struct journal_field fields[] = { { "NFSRDMA_SPEC", "nas:/vm" },
						{ "NFSRDMA_TARGET", NULL },
						{ "X", "a\nb" } };
	static const char want[] = "MESSAGE=it is so\n"
				   "MESSAGE_ID=01f18171755b4af1942d86837ab2f5ff\n"
				   "PRIORITY=3\n"
				   "SYSLOG_IDENTIFIER=mount.nfsrdma\n"
				   "NFSRDMA_EVENT=undone\n"
				   "NFSRDMA_SPEC=nas:/vm\n"
				   "X\n\3\0\0\0\0\0\0\0a\nb\n";
	char *text = NULL;
	size_t len = 0;

	CU_ASSERT_EQUAL_FATAL(
		journal_encode(&(struct journal_entry){ JOURNAL_UNDONE, "mount.nfsrdma", "it is so",
							fields, ARRAY_SIZE(fields) },
			       &text, &len),
		0);
	CU_ASSERT_EQUAL_FATAL(len, sizeof(want) - 1);
	ASSERT_BYTES(text, want, len);
	free(text);
}

static void a_bad_name_is_refused(void)
{
	static const char *const names[] = { "", "_SECRET", "lower", "A=B", "1A", "A\nB" };
	char *text = NULL;
	size_t len, i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct journal_field field = { names[i], "x" };
		SUITE_ROW("%zu: %s", i, names[i]);

		CU_ASSERT_EQUAL(
			journal_encode(&(struct journal_entry){ JOURNAL_TCP, "w", "m", &field, 1 },
				       &text, &len),
			-EINVAL);
	}
}

static void each_event_has_a_unique_id(void)
{
	int i, j;

	for (i = 0; i < JOURNAL_EVENT_COUNT; i++) {
		const char *id = journal_table[i].message_id;
		SUITE_ROW("%d", i);

		CU_ASSERT_EQUAL(strlen(id), 32);
		CU_ASSERT_EQUAL(strspn(id, "0123456789abcdef"), 32);
		for (j = 0; j < i; j++) {
			SUITE_ROW("%d", j);
			CU_ASSERT_STRING_NOT_EQUAL(id, journal_table[j].message_id);
		}
	}
}

/* journalctl -x prints the names of fields that are not there. */
static void an_entry_has_the_fields_of_its_text(void)
{
	const struct journal_field fields[] = { { "NFSRDMA_ADVICE", "Do it." },
						{ "NFSRDMA_FINDING", NULL } };
	char *text = NULL;
	size_t len = 0;

	CU_ASSERT_EQUAL_FATAL(journal_encode(&(struct journal_entry){ JOURNAL_FINDING, "w", "m",
								      fields, ARRAY_SIZE(fields) },
					     &text, &len),
			      0);
	ASSERT_CONTAINS(text, "\nNFSRDMA_ADVICE=Do it.\nNFSRDMA_FINDING=\n");
	free(text);
	CU_ASSERT_EQUAL_FATAL(
		journal_encode(&(struct journal_entry){ JOURNAL_LOST, "w", "m", NULL, 0 }, &text,
			       &len),
		0);
	ASSERT_CONTAINS(text, "\nNFSRDMA_ADVICE=\nNFSRDMA_FINDING=\n");
	free(text);
}

static void an_entry_is_sent_as_a_datagram(void)
{
	char buf[1024] = "";

	listen_here();
	CU_ASSERT_EQUAL(journal_send_to(path, &(struct journal_entry){ JOURNAL_PROVEN, "w", "hello",
								       NULL, 0 }),
			0);
	ASSERT_MORE(recv(receiver, buf, sizeof(buf) - 1, 0), 0);
	ASSERT_STARTS(buf, "MESSAGE=hello\n");
	stop();
}

static void a_long_entry_is_sent_as_a_sealed_file(void)
{
	size_t size = 1024 * 1024;
	_cleanup_free_ char *huge = malloc(size + 1);
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = { .msg_control = &control, .msg_controllen = sizeof(control) };
	struct stat st;
	int fd = -1;

	SKIP_IF_EMULATED("does not send messages without data");
	memset(huge, 'x', size);
	huge[size] = '\0';
	listen_here();
	CU_ASSERT_EQUAL(journal_send_to(path, &(struct journal_entry){ JOURNAL_PROVEN, "w", huge,
								       NULL, 0 }),
			0);
	CU_ASSERT_EQUAL(recvmsg(receiver, &message, 0), 0);
	CU_ASSERT_EQUAL_FATAL(message.msg_controllen, sizeof(control));
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	CU_ASSERT_EQUAL(fstat(fd, &st), 0);
	ASSERT_MORE((size_t)st.st_size, size);
	/* Sealed: otherwise the journal would not accept it. */
	CU_ASSERT_EQUAL(ftruncate(fd, 0), -1);
	close(fd);
	stop();
}

static void a_missing_journal_is_not_an_error(void)
{
	CU_ASSERT_EQUAL(journal_send_to("/tmp/nfsrdma-no-such",
					&(struct journal_entry){ JOURNAL_TCP, "w", "m", NULL, 0 }),
			0);
	CU_ASSERT_EQUAL(journal_send_to("/dev/null/socket",
					&(struct journal_entry){ JOURNAL_TCP, "w", "m", NULL, 0 }),
			0);
	listen_here();
	close(receiver);
	CU_ASSERT_EQUAL(
		journal_send_to(path, &(struct journal_entry){ JOURNAL_TCP, "w", "m", NULL, 0 }),
		0);
	stop();
}

static void a_blocked_journal_does_not_delay(void)
{
	uint64_t start = now_ms();
	int rc = 0, i;

	listen_here();
	for (i = 0; i < 100000 && !rc; i++)
		rc = journal_send_to(path,
				     &(struct journal_entry){ JOURNAL_TCP, "w", "m", NULL, 0 });
	CU_ASSERT_EQUAL(rc, -EAGAIN);
	ASSERT_WITHIN_MS(now_ms() - start, 3000);
	stop();
}

SUITE_MAIN("journal", TEST(an_entry_has_its_fields_in_order), TEST(a_bad_name_is_refused),
	   TEST(each_event_has_a_unique_id), TEST(an_entry_has_the_fields_of_its_text),
	   TEST(an_entry_is_sent_as_a_datagram), TEST(a_long_entry_is_sent_as_a_sealed_file),
	   TEST(a_missing_journal_is_not_an_error), TIMED(a_blocked_journal_does_not_delay))

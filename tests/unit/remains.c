/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* State of a client that remains on the server, against a server that is a table: in every case
 * the steps end with nothing left, or give up. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

#define OWNER "nfsrdma-probe/00112233445566778899aabbccddeeff"

static struct remains r;
static char log_text[256];

static struct remains of_owner(void)
{
	struct remains fresh = { .exists = true, .minor = 1 };

	snprintf(fresh.owner, sizeof(fresh.owner), "%s", OWNER);
	return fresh;
}

/* Each step gets the next status of the list, the last one repeatedly; "x d D" are the steps. */
static bool play(const uint32_t *statuses, size_t n)
{
	static const char letters[] = {
		[REMAINS_EXCHANGE_ID] = 'x',
		[REMAINS_CREATE_SESSION] = 'c',
		[REMAINS_DESTROY_SESSION] = 's',
		[REMAINS_DESTROY_CLIENTID] = 'd',
	};
	size_t i = 0, used = 0;
	enum remains_step step;

	log_text[0] = '\0';
	while ((step = remains_next(&r)) != REMAINS_NOTHING) {
		if (used + 2 > sizeof(log_text))
			return false;
		log_text[used++] = letters[step];
		log_text[used] = '\0';
		if (!remains_answered(&r, step, statuses[i < n ? i : n - 1]))
			return false;
		i++;
	}
	return true;
}

#define PLAY(...)                                         \
	({                                                \
		const uint32_t list_[] = { __VA_ARGS__ }; \
		play(list_, ARRAY_SIZE(list_));           \
	})

static void nothing_created_means_nothing_to_remove(void)
{
	memset(&r, 0, sizeof(r));
	CU_ASSERT_TRUE(PLAY(NFS4_OK));
	CU_ASSERT_STRING_EQUAL(log_text, "");
}

static void a_session_is_destroyed_before_its_client(void)
{
	r = of_owner();
	r.has_client = r.has_session = true;
	CU_ASSERT_TRUE(PLAY(NFS4_OK));
	CU_ASSERT_STRING_EQUAL(log_text, "sd");
	CU_ASSERT_FALSE(r.exists);
}

static void a_client_without_a_session_is_destroyed_alone(void)
{
	r = of_owner();
	r.has_client = true;
	CU_ASSERT_TRUE(PLAY(NFS4_OK));
	CU_ASSERT_STRING_EQUAL(log_text, "d");
}

static void an_uncertain_state_restarts_the_owner(void)
{
	r = of_owner();
	r.unsure = true;
	CU_ASSERT_TRUE(PLAY(NFS4_OK));
	CU_ASSERT_STRING_EQUAL(log_text, "xcsd");
	r = of_owner();
	r.unsure = r.has_client = r.has_session = true;
	CU_ASSERT_TRUE(PLAY(NFS4_OK));
	CU_ASSERT_STRING_EQUAL(log_text, "xcsd");
}

static void a_busy_server_is_retried(void)
{
	r = of_owner();
	r.has_client = r.has_session = true;
	CU_ASSERT_TRUE(PLAY(NFS4ERR_DELAY, NFS4ERR_DELAY, NFS4_OK));
	CU_ASSERT_STRING_EQUAL(log_text, "sssd");
	CU_ASSERT_FALSE(r.exists);
}

static void a_client_with_unknown_state_restarts_once(void)
{
	r = of_owner();
	r.has_client = true;
	CU_ASSERT_TRUE(PLAY(NFS4ERR_CLIENTID_BUSY, NFS4_OK));
	CU_ASSERT_STRING_EQUAL(log_text, "dxcsd");
	/* Then only a call has not ended yet. */
	r = of_owner();
	r.has_client = true;
	CU_ASSERT_TRUE(PLAY(NFS4ERR_CLIENTID_BUSY, NFS4_OK, NFS4_OK, NFS4_OK, NFS4ERR_CLIENTID_BUSY,
			    NFS4_OK));
	CU_ASSERT_STRING_EQUAL(log_text, "dxcsdd");
}

static void state_that_the_server_lost_is_gone(void)
{
	r = of_owner();
	r.has_client = r.has_session = true;
	CU_ASSERT_TRUE(PLAY(NFS4ERR_BADSESSION, NFS4ERR_STALE_CLIENTID));
	CU_ASSERT_STRING_EQUAL(log_text, "sd");
	CU_ASSERT_FALSE(r.exists);
	r = of_owner();
	r.unsure = true;
	CU_ASSERT_TRUE(PLAY(NFS4_OK, NFS4ERR_STALE_CLIENTID, NFS4ERR_STALE_CLIENTID));
	CU_ASSERT_STRING_EQUAL(log_text, "xcd");
	CU_ASSERT_FALSE(r.exists);
}

static void any_answers_come_to_an_end(void)
{
	static const uint32_t statuses[] = { NFS4_OK,
					     NFS4ERR_INVAL,
					     NFS4ERR_CLID_INUSE,
					     NFS4ERR_BADSESSION,
					     NFS4ERR_STALE_CLIENTID,
					     NFS4ERR_SERVERFAULT };
	unsigned int seed, i, flags;
	uint32_t list[12];

	for (flags = 0; flags < 8; flags++) {
		SUITE_ROW("flags %u", flags);
		for (seed = 0; seed < 5000; seed++) {
			unsigned int x = seed * 2654435761u + flags;
			SUITE_ROW("seed %u", seed);

			for (i = 0; i < ARRAY_SIZE(list); i++) {
				x = x * 1103515245u + 12345u;
				list[i] = statuses[(x >> 16) % ARRAY_SIZE(statuses)];
			}
			r = of_owner();
			r.unsure = flags & 1;
			r.has_client = flags & 2;
			r.has_session = flags & 4;
			if (play(list, ARRAY_SIZE(list)))
				CU_ASSERT_TRUE(!r.exists || !r.has_client);
			ASSERT_LESS(strlen(log_text), 16);
		}
	}
}

static void a_record_survives_the_pipe(void)
{
	uint8_t buf[REMAINS_RECORD_MAX];
	struct remains back;
	size_t len;

	r = of_owner();
	r.unsure = r.has_session = true;
	r.minor = 2;
	r.address = 7;
	r.sequenceid = 0x01020304;
	r.clientid = 0x1122334455667788;
	memcpy(r.sessionid, "sixteen bytes, y", NFS4_SESSIONID_SIZE);
	len = remains_encode(&r, buf);
	ASSERT_AT_MOST(len, sizeof(buf));
	CU_ASSERT_EQUAL(remains_decode(&back, buf, len), 0);
	CU_ASSERT(back.exists);
	CU_ASSERT(back.unsure);
	CU_ASSERT(back.has_session);
	CU_ASSERT_FALSE(back.has_client);
	CU_ASSERT_FALSE(back.restarted);
	CU_ASSERT_EQUAL(back.minor, 2);
	CU_ASSERT_EQUAL(back.address, 7);
	CU_ASSERT_EQUAL(back.sequenceid, r.sequenceid);
	CU_ASSERT_EQUAL(back.clientid, r.clientid);
	ASSERT_BYTES(back.sessionid, r.sessionid, NFS4_SESSIONID_SIZE);
	CU_ASSERT_STRING_EQUAL(back.owner, OWNER);
}

/* A valid record with this owner text of @len bytes, with or without NUL. */
static int decode_owner(const char *owner, size_t owner_len)
{
	uint8_t buf[REMAINS_RECORD_MAX + 256];
	size_t fixed;

	r = of_owner();
	fixed = remains_encode(&r, buf) - sizeof(OWNER);
	memcpy(buf + fixed, owner, owner_len);
	return remains_decode(&r, buf, fixed + owner_len);
}

static void an_owner_that_is_not_ours_is_refused(void)
{
	char longest[200];

	memset(longest, 'a', sizeof(longest));
	memcpy(longest, REMAINS_OWNER, strlen(REMAINS_OWNER));
	CU_ASSERT_EQUAL(decode_owner(OWNER, sizeof(OWNER)), 0);
	CU_ASSERT_EQUAL(decode_owner("Linux NFSv4.1 host", 19), -EPROTO);
	CU_ASSERT_EQUAL(decode_owner("", 1), -EPROTO);
	CU_ASSERT_EQUAL(decode_owner(REMAINS_OWNER "xyz", 18), -EPROTO);
	CU_ASSERT_EQUAL(decode_owner(REMAINS_OWNER "0a\0b", 19), -EPROTO);
	CU_ASSERT_EQUAL(decode_owner(OWNER, sizeof(OWNER) - 1), -EPROTO);
	longest[REMAINS_OWNER_MAX - 1] = '\0';
	CU_ASSERT_EQUAL(decode_owner(longest, REMAINS_OWNER_MAX), 0);
	longest[REMAINS_OWNER_MAX - 1] = 'a';
	longest[REMAINS_OWNER_MAX] = '\0';
	CU_ASSERT_EQUAL(decode_owner(longest, REMAINS_OWNER_MAX + 1), -EPROTO);
}

static void a_truncated_or_unversioned_record_is_refused(void)
{
	uint8_t buf[REMAINS_RECORD_MAX];
	struct remains back;
	size_t len, i;

	r = of_owner();
	len = remains_encode(&r, buf);
	for (i = 0; i < len; i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(remains_decode(&back, buf, i), -EPROTO);
	}
	buf[1] = 0;
	CU_ASSERT_EQUAL(remains_decode(&back, buf, len), -EPROTO);
	buf[1] = NFS4_MINOR_MAX + 1;
	CU_ASSERT_EQUAL(remains_decode(&back, buf, len), -EPROTO);
	buf[1] = 1;
	buf[0] = 0xff;
	CU_ASSERT_EQUAL(remains_decode(&back, buf, len), -EPROTO);
}

SUITE_MAIN("remains", TEST(nothing_created_means_nothing_to_remove),
	   TEST(a_session_is_destroyed_before_its_client),
	   TEST(a_client_without_a_session_is_destroyed_alone),
	   TEST(an_uncertain_state_restarts_the_owner), TEST(a_busy_server_is_retried),
	   TEST(a_client_with_unknown_state_restarts_once),
	   TEST(state_that_the_server_lost_is_gone), TEST(any_answers_come_to_an_end),
	   TEST(a_record_survives_the_pipe), TEST(an_owner_that_is_not_ours_is_refused),
	   TEST(a_truncated_or_unversioned_record_is_refused))

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The state that setup writes: read back unchanged, and nothing else is accepted. */
#include <netinet/in.h>

#include "plugin/setup/internal.h"
#include "tests/unit/suite.h"

static struct setup_state state;

static void add_file(const char *path, const char *before, const char *after)
{
	struct setup_change *change = state_add(&state);

	change->kind = SETUP_FILE;
	strcpy(change->path, path);
	change->before = before ? strdup(before) : NULL;
	change->after = strdup(after);
	change->mode = 0640;
	change->gid = 7;
}

static void changes_survive_the_file(void)
{
	struct setup_change *port;
	struct setup_state got = { .count = 0 };
	char *text;

	memset(&state, 0, sizeof(state));
	/* Bytes that are not UTF-8, and control characters. */
	add_file(PATH_NFS, "# \xe9t\xe9\n\x01\t\"\\x\n", "b");
	state.changes[0].was = strdup("between");
	add_file(PATH_NFS_OURS, NULL, "c\n");
	state.changes[1].done = true;
	state.changes[1].made.count = 1;
	strcpy(state.changes[1].made.list[0], PATH_NFS_D);
	port = state_add(&state);
	port->kind = SETUP_PORT;
	port->port = (struct setup_port){ "public", 4791, IPPROTO_UDP, true };
	add_file(PATH_WANTS LINK_UNIT "eth0.service", NULL, "/" PATH_UNITS "x");
	state.changes[3].kind = SETUP_SYMLINK;
	port = state_add(&state);
	port->kind = SETUP_LINK;
	port->link = (struct setup_link){ "rxe", "rxe_br-ex.5", "br-ex.5" };
	state.made.count = 1;
	strcpy(state.made.list[0], "var/lib/nfsrdma");

	CU_ASSERT_EQUAL_FATAL(state_encode(&state, &text), 0);
	CU_ASSERT_EQUAL_FATAL(state_decode(&got, text, strlen(text)), 0);
	CU_ASSERT_EQUAL(got.count, 5);
	CU_ASSERT_STRING_EQUAL(got.changes[0].before, state.changes[0].before);
	CU_ASSERT_STRING_EQUAL(got.changes[0].was, "between");
	CU_ASSERT_EQUAL(got.changes[0].mode, 0640);
	CU_ASSERT_EQUAL(got.changes[0].gid, 7);
	CU_ASSERT_FALSE(got.changes[0].done);
	CU_ASSERT_PTR_NULL(got.changes[1].before);
	CU_ASSERT(got.changes[1].done);
	CU_ASSERT_STRING_EQUAL(got.changes[1].made.list[0], PATH_NFS_D);
	CU_ASSERT_PTR_EQUAL(state_find_port(&got, &state.changes[2].port), &got.changes[2]);
	CU_ASSERT_EQUAL(got.changes[3].kind, SETUP_SYMLINK);
	CU_ASSERT_STRING_EQUAL(got.changes[3].after, "/" PATH_UNITS "x");
	CU_ASSERT_PTR_EQUAL(state_find_link(&got, &state.changes[4].link), &got.changes[4]);
	CU_ASSERT_STRING_EQUAL(got.changes[4].link.name, "rxe_br-ex.5");
	CU_ASSERT_STRING_EQUAL(got.made.list[0], "var/lib/nfsrdma");
	state_fini(&got);
	state_fini(&state);
	free(text);
}

#define HEAD "{\"schema\":\"nfsrdma-setup/1\",\"made\":[],\"changes\":["
#define FILE_REST                                                                  \
	"\"done\":true,\"before\":null,\"was\":null,\"after\":\"x\",\"mode\":420," \
	"\"uid\":0,\"gid\":0"
#define PORT_REST "\"done\":true,\"port\":1,\"protocol\":\"udp\",\"permanent\":true"

static void foreign_members_are_refused(void)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"null",
		"{}",
		"x",
		HEAD,
		HEAD "]} x",
		HEAD "1]}",
		HEAD "{}]}",
		HEAD "{\"kind\":\"file\"}]}",
		"{\"schema\":\"nfsrdma-setup/2\",\"made\":[],\"changes\":[]}",
		/* paths of others, and parent directories */
		HEAD "{\"kind\":\"file\",\"path\":\"etc/shadow\",\"made\":[]," FILE_REST "}]}",
		HEAD "{\"kind\":\"file\",\"path\":\"/etc/nfs.conf\",\"made\":[]," FILE_REST "}]}",
		HEAD "{\"kind\":\"file\",\"path\":\"etc/../etc/nfs.conf\",\"made\":[]," FILE_REST
		     "}]}",
		HEAD "{\"kind\":\"symlink\",\"path\":\"etc/nfs.conf\",\"made\":[]," FILE_REST "}]}",
		HEAD "{\"kind\":\"file\",\"path\":\"" PATH_UNITS LINK_UNIT
		     "a/b.service\",\"made\":[]," FILE_REST "}]}",
		HEAD "{\"kind\":\"file\",\"path\":\"" PATH_UNITS LINK_UNIT
		     ".service\",\"made\":[]," FILE_REST "}]}",
		HEAD "{\"kind\":\"file\",\"path\":\"" PATH_WANTS LINK_UNIT
		     "a.service\",\"made\":[]," FILE_REST "}]}",
		/* folders that are not parents, or in another order */
		HEAD "{\"kind\":\"file\",\"path\":\"etc/nfs.conf\",\"made\":[\"var\"]," FILE_REST
		     "}]}",
		HEAD "{\"kind\":\"file\",\"path\":\"etc/nfs.conf\",\"made\":[1]," FILE_REST "}]}",
		HEAD
		"{\"kind\":\"file\",\"path\":\"etc/nfs.conf.d/nfsrdma.conf\",\"made\":[\"etc/nfs.conf.d\",\"etc\"]," FILE_REST
		"}]}",
		/* twice */
		HEAD "{\"kind\":\"file\",\"path\":\"etc/nfs.conf\",\"made\":[]," FILE_REST
		     "},{\"kind\":\"file\",\"path\":\"etc/nfs.conf\",\"made\":[]," FILE_REST "}]}",
		/* values */
		HEAD
		"{\"kind\":\"file\",\"path\":\"etc/nfs.conf\",\"made\":[],\"done\":true,\"before\":null,\"was\":null,\"after\":null,\"mode\":420,\"uid\":0,\"gid\":0}]}",
		HEAD
		"{\"kind\":\"file\",\"path\":\"etc/nfs.conf\",\"made\":[],\"done\":true,\"before\":null,\"was\":null,\"after\":\"a\\u0000b\",\"mode\":420,\"uid\":0,\"gid\":0}]}",
		HEAD
		"{\"kind\":\"file\",\"path\":\"etc/nfs.conf\",\"made\":[],\"done\":true,\"before\":null,\"was\":null,\"after\":\"a\",\"mode\":65536,\"uid\":0,\"gid\":0}]}",
		HEAD
		"{\"kind\":\"link\",\"done\":true,\"type\":\"x\",\"name\":\"x\",\"netdev\":\"eth0\"}]}",
		HEAD
		"{\"kind\":\"link\",\"done\":true,\"type\":\"siw\",\"name\":\"x\",\"netdev\":\"a;b\"}]}",
		HEAD "{\"kind\":\"port\",\"zone\":\"\"," PORT_REST "}]}",
		HEAD "{\"kind\":\"port\",\"zone\":\"a\\u001bb\"," PORT_REST "}]}",
		HEAD
		"{\"kind\":\"port\",\"zone\":\"a\",\"done\":true,\"port\":0,\"protocol\":\"udp\",\"permanent\":true}]}",
		HEAD
		"{\"kind\":\"port\",\"zone\":\"a\",\"done\":true,\"port\":1,\"protocol\":\"sctp\",\"permanent\":true}]}",
		HEAD "{\"kind\":\"port\",\"zone\":\"a\"," PORT_REST
		     "},{\"kind\":\"port\",\"zone\":\"a\"," PORT_REST "}]}",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct setup_state got = { .count = 0 };
		SUITE_ROW("%zu: %s", i, texts[i]);

		CU_ASSERT_EQUAL(state_decode(&got, texts[i], strlen(texts[i])), -EBADMSG);
		CU_ASSERT_EQUAL(got.count, 0);
		state_fini(&got);
	}
}

static void a_truncated_state_is_refused(void)
{
	char *text;
	size_t len;

	memset(&state, 0, sizeof(state));
	add_file(PATH_LIMITS, "a", "b");
	CU_ASSERT_EQUAL_FATAL(state_encode(&state, &text), 0);
	for (len = 0; len < strlen(text); len++) {
		struct setup_state got = { .count = 0 };
		SUITE_ROW("len %zu", len);

		CU_ASSERT_EQUAL(state_decode(&got, text, len), -EBADMSG);
	}
	state_fini(&state);
	free(text);
}

static void changes_have_a_maximum_number(void)
{
	unsigned int i;

	memset(&state, 0, sizeof(state));
	for (i = 0; i < STATE_CHANGES_MAX; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_PTR_NOT_NULL(state_add(&state));
	}
	CU_ASSERT_PTR_NULL(state_add(&state));
	state_remove(&state, &state.changes[0]);
	CU_ASSERT_PTR_NOT_NULL(state_add(&state));
}

SUITE_MAIN("setup-state", TEST(changes_survive_the_file), TEST(foreign_members_are_refused),
	   TEST(a_truncated_state_is_refused), TEST(changes_have_a_maximum_number))

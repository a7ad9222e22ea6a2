/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Identifying a server by its handles and names, and the tests that it gets: only a server with
 * proof is treated as Linux or as ours. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

/* A file system's id by number (fsid=1), and by uuid with the inode number of the export's root. */
#define FSID "00000001"
#define UUID               \
	"0200000000000000" \
	"30313233343536373839616263646566"
#define INODE      \
	"0c000000" \
	"11223344"
#define OURS               \
	"6e667372"         \
	"0102030405060708" \
	"0000000000000001"

/* Handles of Linux nfsd. */
#define ROOT_FSID "01000100" FSID
#define FILE_FSID "01000101" FSID INODE
#define ROOT_UUID "01000700" UUID
#define FILE_UUID "01000781" UUID INODE "00000000"
#define ROOT_UUID_16 \
	"01000600"   \
	"30313233343536373839616263646566"
#define FILE_UUID_16 \
	"0100064d"   \
	"30313233343536373839616263646566" INODE INODE INODE

#define GANESHA    \
	"43000001" \
	"10"       \
	"000102030405060708090a0b0c0d0e0f"

struct row {
	const char *name;
	const char *handles[5]; /* in hex */
	const char *scope, *domain, *implementation;
	enum server_kind kind;
};

static const struct row rows[] = {
	{ "nothing was seen", { NULL }, "", "", "", SERVER_UNKNOWN },
	/* Linux */
	{ "root and file", { ROOT_FSID, FILE_FSID }, "", "", "", SERVER_LINUX },
	{ "by uuid", { ROOT_UUID, FILE_UUID }, "nas1", "", "", SERVER_LINUX },
	{ "by uuid alone", { ROOT_UUID_16, FILE_UUID_16 }, "", "", "", SERVER_LINUX },
	{ "a pseudo root before", { ROOT_FSID, ROOT_UUID, FILE_UUID }, "", "", "", SERVER_LINUX },
	{ "it names itself",
	  { ROOT_UUID, FILE_UUID },
	  "nas1",
	  "kernel.org",
	  "Linux 6.18.3 #1 SMP x86_64",
	  SERVER_LINUX },
	{ "it names itself, with handles of a form to come",
	  { "01010700" UUID "1122334455667788" },
	  "",
	  "kernel.org",
	  "Linux 7.3.0",
	  SERVER_LINUX },
	{ "it names itself, before handles",
	  { NULL },
	  "",
	  "kernel.org",
	  "Linux 7.3.0",
	  SERVER_LINUX },
	/* Too little */
	{ "a root alone", { ROOT_FSID }, "", "", "", SERVER_UNKNOWN },
	{ "a file alone", { FILE_UUID }, "", "", "", SERVER_UNKNOWN },
	{ "files of a directory below the export",
	  { FILE_UUID, "01000781" UUID "0d000000"
		       "11223344"
		       "00000000" },
	  "",
	  "",
	  "",
	  SERVER_UNKNOWN },
	{ "root and file of two exports", { ROOT_UUID, FILE_FSID }, "", "", "", SERVER_UNKNOWN },
	{ "ids that differ in their last byte",
	  { ROOT_FSID, "01000101"
		       "00000002" INODE },
	  "",
	  "",
	  "",
	  SERVER_UNKNOWN },
	/* Nearly */
	{ "another version",
	  { "02000100" FSID, "02000101" FSID INODE },
	  "",
	  "",
	  "",
	  SERVER_UNKNOWN },
	{ "authentication",
	  { "01010100" FSID, "01010101" FSID INODE },
	  "",
	  "",
	  "",
	  SERVER_UNKNOWN },
	{ "no such type of an id",
	  { "01000800" FSID, "01000801" FSID INODE },
	  "",
	  "",
	  "",
	  SERVER_UNKNOWN },
	{ "a root that is too long",
	  { "01000100" FSID "00000000", FILE_FSID },
	  "",
	  "",
	  "",
	  SERVER_UNKNOWN },
	{ "a root that is too short", { "01000700" FSID, FILE_UUID }, "", "", "", SERVER_UNKNOWN },
	{ "a file with nothing behind the id",
	  { ROOT_FSID, "01000101" FSID },
	  "",
	  "",
	  "",
	  SERVER_UNKNOWN },
	{ "no whole words", { ROOT_FSID, "01000101" FSID INODE "00" }, "", "", "", SERVER_UNKNOWN },
	{ "the type that is never sent",
	  { ROOT_FSID, "010001ff" FSID INODE },
	  "",
	  "",
	  "",
	  SERVER_UNKNOWN },
	{ "one of them is of no form",
	  { ROOT_FSID, FILE_FSID,
	    "80f0f0f0"
	    "0000000000000000" },
	  "",
	  "",
	  "",
	  SERVER_UNKNOWN },
	{ "handles of Linux, and another name",
	  { ROOT_FSID, FILE_FSID },
	  "",
	  "example.com",
	  "Proxy 1.0",
	  SERVER_UNKNOWN },
	{ "the name, and handles of none",
	  { "80f0f0f0"
	    "0000000000000000" },
	  "",
	  "kernel.org",
	  "Linux 7.3.0",
	  SERVER_UNKNOWN },
	{ "the domain, and another system",
	  { ROOT_FSID, FILE_FSID },
	  "",
	  "kernel.org",
	  "fuse-nfsd 1",
	  SERVER_UNKNOWN },
	{ "another domain",
	  { ROOT_FSID, FILE_FSID },
	  "",
	  "not-kernel.org",
	  "Linux 6.1",
	  SERVER_UNKNOWN },
	{ "a domain that is nobody's",
	  { NULL },
	  "",
	  "nfsv41.ietf.org",
	  "NFSv4.1 Server",
	  SERVER_UNKNOWN },
	/* By their names, whatever their handles look like */
	{ "illumos",
	  { NULL },
	  "",
	  "nfsv41.ietf.org",
	  "illumos NFSv4.1 Server Implementation",
	  SERVER_SOLARIS },
	{ "Solaris", { NULL }, "", "oracle.com", "SunOS 5.11", SERVER_SOLARIS },
	{ "ONTAP",
	  { ROOT_FSID, FILE_FSID },
	  "",
	  "netapp.com",
	  "NetApp Release 9.9.1P3",
	  SERVER_ONTAP },
	{ "OneFS", { NULL }, "", "isilon.com", "", SERVER_ONEFS },
	{ "ONTAP's name, and a handle of Ganesha's",
	  { GANESHA },
	  "",
	  "netapp.com",
	  "",
	  SERVER_GANESHA },
	/* Ganesha, also with NFSv3 only */
	{ "ganesha", { GANESHA }, "", "", "", SERVER_GANESHA },
	{ "an old one",
	  { "41000001"
	    "10"
	    "0001" },
	  "",
	  "",
	  "",
	  SERVER_GANESHA },
	{ "its scope", { NULL }, "nas1_NFS-Ganesha", "", "", SERVER_GANESHA },
	{ "its scope, and handles of Linux",
	  { ROOT_FSID, FILE_FSID },
	  "nas1_NFS-Ganesha",
	  "",
	  "",
	  SERVER_GANESHA },
	{ "a pair of Linux, and a handle of Ganesha's",
	  { ROOT_FSID, FILE_FSID, GANESHA },
	  "",
	  "kernel.org",
	  "Linux 6.1",
	  SERVER_GANESHA },
	{ "its name", { NULL }, "", "example.com", "NFS-Ganesha 9", SERVER_GANESHA },
	/* Ours */
	{ "ours", { OURS "0000000000000002" }, "nfsrdma-0", "", "", SERVER_OURS },
	{ "ours, too short", { OURS "00000000" }, "", "", "", SERVER_UNKNOWN },
	{ "ours, and one of Linux",
	  { OURS "0000000000000002", ROOT_FSID },
	  "",
	  "",
	  "",
	  SERVER_UNKNOWN },
	{ "ours, with a name",
	  { OURS "0000000000000002" },
	  "",
	  "example.com",
	  "x",
	  SERVER_UNKNOWN },
};

static void add_hex(struct server_seen *seen, const char *hex)
{
	struct nfs_fh fh = { 0 };
	unsigned int byte;

	for (; *hex; hex += 2) {
		CU_ASSERT_EQUAL_FATAL(sscanf(hex, "%2x", &byte), 1);
		fh.data[fh.len++] = (uint8_t)byte;
	}
	identity_add(seen, &fh);
}

static void begin(struct server_seen *seen, const struct row *row)
{
	size_t i;

	memset(seen, 0, sizeof(*seen));
	for (i = 0; i < ARRAY_SIZE(row->handles) && row->handles[i]; i++)
		add_hex(seen, row->handles[i]);
	snprintf(seen->scope, sizeof(seen->scope), "%s", row->scope);
	snprintf(seen->domain, sizeof(seen->domain), "%s", row->domain);
	snprintf(seen->implementation, sizeof(seen->implementation), "%s", row->implementation);
}

static void only_proven_servers_are_identified(void)
{
	struct server_seen seen;
	char why[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].name);
		begin(&seen, &rows[i]);
		why[0] = '\0';
		CU_ASSERT_EQUAL(identity_of(&seen, why, sizeof(why)), rows[i].kind);
		CU_ASSERT(*why);
	}
}

/* In any order. */
static void the_order_of_handles_does_not_matter(void)
{
	struct server_seen seen, turned;
	char why[256];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%u: %s", i, rows[i].name);
		begin(&seen, &rows[i]);
		turned = seen;
		for (j = 0; j < seen.nhandles; j++)
			turned.handles[j] = seen.handles[seen.nhandles - 1 - j];
		CU_ASSERT_EQUAL(identity_of(&turned, why, sizeof(why)), rows[i].kind);
	}
}

/* Linux handles, truncated anywhere or with any bit of their header flipped, prove nothing. */
static void a_damaged_handle_proves_nothing(void)
{
	static const struct row row = { "", { ROOT_UUID, FILE_UUID }, "", "", "", SERVER_LINUX };
	struct server_seen seen;
	char why[256];
	uint32_t i, bit;

	begin(&seen, &row);
	CU_ASSERT_EQUAL(identity_of(&seen, why, sizeof(why)), SERVER_LINUX);
	for (i = 0; i < 28; i++) {
		SUITE_ROW("root of %u bytes", i);
		begin(&seen, &row);
		seen.handles[0].len = i;
		CU_ASSERT_NOT_EQUAL(identity_of(&seen, why, sizeof(why)), SERVER_LINUX);
	}
	for (bit = 0; bit < 32; bit++) {
		SUITE_ROW("bit %u of the root", bit);
		begin(&seen, &row);
		seen.handles[0].data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CU_ASSERT_NOT_EQUAL(identity_of(&seen, why, sizeof(why)), SERVER_LINUX);
	}
}

static void excess_handles_are_dropped(void)
{
	struct server_seen seen = { 0 };
	struct nfs_fh fh = { .len = 4 };
	unsigned int i;

	for (i = 0; i < 2 * IDENTITY_HANDLES; i++) {
		fh.data[0] = (uint8_t)i;
		identity_add(&seen, &fh);
		identity_add(&seen, &fh);
	}
	CU_ASSERT_EQUAL(seen.nhandles, IDENTITY_HANDLES);
	memset(&seen, 0, sizeof(seen));
	fh.len = NFS_FH_MAX + 1;
	identity_add(&seen, &fh);
	CU_ASSERT_EQUAL(seen.nhandles, 0);
}

#define UNKNOWN UINT64_MAX
#define ANY     UINT32_MAX

static const struct {
	const char *name;
	struct gate_request q; /* Reply chunk, followed, offset, count, size, most */
	enum gate gate;
} requests[] = {
	{ "plain", { false, false, 0, 4096, UNKNOWN, ANY }, GATE_OPEN },
	{ "odd", { false, false, 1, 1048571, UNKNOWN, ANY }, GATE_OPEN },
	{ "1 MiB", { false, false, 1, 1048576, UNKNOWN, ANY }, GATE_OPEN },
	{ "no room for a pad", { false, false, 0, 1048575, UNKNOWN, ANY }, GATE_LONG },
	{ "so many come", { false, false, 4, 1048576, 1048579, ANY }, GATE_LONG },
	{ "4 less come", { false, false, 8, 1048576, 1048579, ANY }, GATE_OPEN },
	{ "over 1 MiB", { false, false, 0, 1048580, UNKNOWN, ANY }, GATE_LONG },
	{ "over 1 MiB, of which few come", { false, false, 0, 1048577, 4096, ANY }, GATE_LONG },
	{ "past the end", { false, false, 4095, 4096, 4096, ANY }, GATE_OPEN },
	{ "0 bytes", { false, false, 0, 0, UNKNOWN, ANY }, GATE_EMPTY },
	{ "0 bytes by Reply chunk", { true, false, 0, 0, UNKNOWN, ANY }, GATE_EMPTY },
	{ "at the end", { false, false, 4096, 4096, 4096, ANY }, GATE_EMPTY },
	{ "beyond it", { false, false, UINT64_MAX, 1, 4096, ANY }, GATE_EMPTY },
	{ "of an empty file", { false, false, 0, 1, 0, ANY }, GATE_EMPTY },
	{ "Reply chunk", { true, false, 3, 65536, UNKNOWN, ANY }, GATE_OPEN },
	{ "the longest", { true, false, 0, 262144, UNKNOWN, ANY }, GATE_OPEN },
	{ "longer", { true, false, 0, 262148, UNKNOWN, ANY }, GATE_REPLY_CHUNK },
	{ "1 MiB", { true, false, 0, 1048576, UNKNOWN, ANY }, GATE_REPLY_CHUNK },
	{ "1 byte", { true, false, 0, 1, UNKNOWN, ANY }, GATE_REPLY_CHUNK },
	{ "2 more", { true, false, 0, 4098, UNKNOWN, ANY }, GATE_REPLY_CHUNK },
	{ "1 byte comes", { true, false, 4095, 4096, 4096, ANY }, GATE_REPLY_CHUNK },
	{ "4 bytes come", { true, false, 4092, 4096, 4096, ANY }, GATE_OPEN },
	{ "cut by an odd largest READ",
	  { true, false, 0, 65536, UNKNOWN, 65535 },
	  GATE_REPLY_CHUNK },
	{ "followed", { false, true, 0, 812, UNKNOWN, ANY }, GATE_FOLLOWED },
	{ "followed, of 0 bytes", { false, true, 0, 0, UNKNOWN, ANY }, GATE_FOLLOWED },
};

static void tests_that_can_crash_a_server_have_a_class(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		SUITE_ROW("%zu: %s", i, requests[i].name);
		CU_ASSERT_EQUAL(gate_class(&requests[i].q), requests[i].gate);
	}
}

static void only_linux_and_our_server_get_such_tests(void)
{
	enum server_kind kind;
	enum gate gate;

	for (kind = SERVER_UNKNOWN; kind < SERVER_KINDS; kind++)
		for (gate = GATE_OPEN; gate < GATE_COUNT; gate++) {
			SUITE_ROW("%s, class %d", identity_name(kind), gate);
			CU_ASSERT_EQUAL(gate_lets(kind, gate), gate == GATE_OPEN ||
								       kind == SERVER_LINUX ||
								       kind == SERVER_OURS);
		}
}

#define KIB 1024u
#define MIB (KIB * KIB)

static const struct {
	const char *name;
	struct server_habits h; /* private data, NFSv4, 4.2, inline, largest, preferred */
	enum server_kind kind;
} habits[] = {
	{ "nothing", { 0 }, SERVER_UNKNOWN },
	{ "Ganesha", { false, true, true, 1024, 64 * MIB, 0 }, SERVER_GANESHA },
	{ "Linux", { true, true, true, 4096, MIB, MIB }, SERVER_LINUX },
	{ "Linux with little memory",
	  { true, true, true, 4096, 64 * KIB, 64 * KIB },
	  SERVER_LINUX },
	{ "OneFS", { false, false, false, 1024, MIB, 128 * KIB }, SERVER_ONEFS },
	{ "Solaris", { false, true, false, 1024, 32 * KIB, 0 }, SERVER_SOLARIS },
	{ "ONTAP", { true, true, false, 4096, 64 * KIB, 0 }, SERVER_ONTAP },
	{ "an old Linux", { false, true, false, 1024, MIB, MIB }, SERVER_UNKNOWN },
	{ "private data alone", { true, true, false, 4096, MIB, MIB }, SERVER_UNKNOWN },
	{ "32 KiB, NFSv3 alone",
	  { false, false, false, 1024, 32 * KIB, 32 * KIB },
	  SERVER_UNKNOWN },
};

static void typical_behaviour_gives_a_guess(void)
{
	char why[96];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(habits); i++) {
		SUITE_ROW("%zu: %s", i, habits[i].name);
		why[0] = '\0';
		CU_ASSERT_EQUAL(identity_guess(&habits[i].h, why, sizeof(why)), habits[i].kind);
		CU_ASSERT_EQUAL(*why != '\0', habits[i].kind != SERVER_UNKNOWN);
	}
}

/* Ours has a fault that looks like Linux. */
static void linux_defects_are_not_reported_for_other_servers(void)
{
	enum server_kind kind;

	for (kind = SERVER_UNKNOWN; kind < SERVER_KINDS; kind++) {
		SUITE_ROW("%s", identity_name(kind));
		CU_ASSERT_EQUAL(identity_may_be_linux(kind), kind < SERVER_GANESHA);
		CU_ASSERT(*identity_word(kind));
	}
}

SUITE_MAIN("identity", TEST(typical_behaviour_gives_a_guess),
	   TEST(linux_defects_are_not_reported_for_other_servers),
	   TEST(only_proven_servers_are_identified), TEST(the_order_of_handles_does_not_matter),
	   TEST(a_damaged_handle_proves_nothing), TEST(excess_handles_are_dropped),
	   TEST(tests_that_can_crash_a_server_have_a_class),
	   TEST(only_linux_and_our_server_get_such_tests))

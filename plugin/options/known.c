/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A row for each mount option that means something: to mount(8) and libmount (mount(8), section
 * "FILESYSTEM-INDEPENDENT MOUNT OPTIONS"), to mount.nfs and the kernel's NFS client (nfs(5);
 * fs/nfs/fs_context.c for the limits), and to this program. An option without a row is kept as
 * it is. */
#include <stdio.h>
#include <strings.h>

#include "plugin/options/internal.h"

static const char *const known_protos[] = { "tcp", "udp", "rdma", "tcp6", "udp6", "rdma6", NULL };
static const char *const known_mount_protos[] = { "tcp", "udp", "tcp6", "udp6", NULL };
static const char *const known_lookups[] = { "all", "none", "pos", "positive", NULL };
static const char *const known_locals[] = { "all", "flock", "posix", "none", NULL };
static const char *const known_writes[] = { "lazy", "eager", "wait", NULL };
/* nfs_secflavor_tokens of fs/nfs/fs_context.c. */
static const char *const known_flavours[] = { "sys",    "krb5",   "krb5i", "krb5p", "none",
					      "null",   "lkey",   "lkeyi", "lkeyp", "spkm3",
					      "spkm3i", "spkm3p", NULL };
static const char *const known_secured[] = { "none", "tls", "mtls", NULL };

/* clang-format off */
#define FLAG(text, of) { .name = (text), .group = (of) }
#define PAIR(text)     FLAG(text, text), FLAG("no" text, text)
#define OTHER(text)    { .name = (text), .kind = KNOWN_TEXT }
#define NUMBER(text, from, to) \
	{ .name = (text), .kind = KNOWN_NUMBER, .min = (from), .max = (to) }
#define SIZE(text)                  \
	{                           \
		.name = (text),     \
		.kind = KNOWN_SIZE, \
		.max = (U32),       \
	}
#define WORD(text, list) { .name = (text), .kind = KNOWN_WORD, .words = (list) }
#define MOUNT8(text)     { .name = (text), .kind = KNOWN_FREE, .mount8 = true }
#define SELINUX(text)    { .name = (text), .kind = KNOWN_TEXT, .selinux = true }
/* clang-format on */
/* Two that are not a pair "x" and "nox". */
#define EITHER(one, other) FLAG(one, one), FLAG(other, one)

#define U32 UINT32_MAX
#define S32 INT32_MAX

static const struct known known_table[] = {
	/* The transport */
	{ .name = "proto", .kind = KNOWN_WORD, .words = known_protos, .group = GROUP_TRANSPORT },
	{ .name = "rdma", .group = GROUP_TRANSPORT, .answer = "rdma" },
	{ .name = "tcp", .group = GROUP_TRANSPORT, .answer = "tcp" },
	{ .name = "udp", .group = GROUP_TRANSPORT, .answer = "udp" },
	{ .name = "nordma",
	  .kind = KNOWN_FREE,
	  .refused = "is not a mount option; for plain NFS use mount -t nfs" },
	{ .name = "port", .kind = KNOWN_NUMBER, .min = 1, .max = 65535, .group = GROUP_PORT },

	/* The version of NFS */
	{ .name = "vers", .kind = KNOWN_TEXT, .group = GROUP_VERSION },
	{ .name = "nfsvers", .kind = KNOWN_TEXT, .group = GROUP_VERSION },
	FLAG("v2", GROUP_VERSION),
	FLAG("v3", GROUP_VERSION),
	FLAG("v4", GROUP_VERSION),
	FLAG("v4.0", GROUP_VERSION),
	FLAG("v4.1", GROUP_VERSION),
	FLAG("v4.2", GROUP_VERSION),
	FLAG("v4.*", GROUP_VERSION),
	{ .name = "minorversion", .kind = KNOWN_NUMBER, .max = 2, .group = GROUP_VERSION },

	/* mount.nfs: how long it tries, and MOUNT of version 3 */
	EITHER("bg", "fg"),
	NUMBER("retry", 0, S32),
	WORD("mountproto", known_mount_protos),
	NUMBER("mountport", 0, 65535),
	NUMBER("mountvers", 1, 3),
	OTHER("mounthost"),
	OTHER("mountaddr"),
	NUMBER("mountprog", 0, U32),
	NUMBER("nfsprog", 0, U32),
	FLAG("sloppy", NULL),

	/* The kernel's client */
	FLAG("soft", "hard"),
	FLAG("softerr", "hard"),
	FLAG("hard", "hard"),
	PAIR("softreval"),
	NUMBER("timeo", 1, S32),
	NUMBER("retrans", 0, S32),
	SIZE("rsize"),
	SIZE("wsize"),
	NUMBER("bsize", 0, U32),
	NUMBER("namlen", 0, U32),
	NUMBER("nconnect", 1, 16),
	NUMBER("max_connect", 1, 16),
	{ .name = "sec", .kind = KNOWN_WORDS, .words = known_flavours },
	WORD("xprtsec", known_secured),
	PAIR("lock"),
	WORD("local_lock", known_locals),
	WORD("lookupcache", known_lookups),
	WORD("write", known_writes),
	OTHER("fatal_neterrors"),
	PAIR("sharecache"),
	PAIR("ac"),
	NUMBER("acregmin", 0, U32),
	NUMBER("acregmax", 0, U32),
	NUMBER("acdirmin", 0, U32),
	NUMBER("acdirmax", 0, U32),
	NUMBER("actimeo", 0, U32),
	PAIR("cto"),
	PAIR("acl"),
	{ .name = "rdirplus", .kind = KNOWN_FREE, .group = "rdirplus" },
	FLAG("nordirplus", "rdirplus"),
	PAIR("resvport"),
	PAIR("intr"),
	PAIR("posix"),
	PAIR("migration"),
	PAIR("alignwrite"),
	PAIR("trunkdiscovery"),
	{ .name = "fsc", .kind = KNOWN_FREE, .group = "fsc" },
	FLAG("nofsc", "fsc"),
	OTHER("addr"),
	OTHER("clientaddr"),

	/* mount(8): what the kernel takes as flags */
	EITHER("rw", "ro"),
	EITHER("sync", "async"),
	EITHER("exec", "noexec"),
	EITHER("suid", "nosuid"),
	EITHER("dev", "nodev"),
	PAIR("atime"),
	PAIR("relatime"),
	PAIR("strictatime"),
	PAIR("diratime"),
	PAIR("lazytime"),
	PAIR("iversion"),
	PAIR("mand"),
	EITHER("silent", "loud"),
	FLAG("dirsync", NULL),
	FLAG("defaults", NULL),
	{ .name = "remount", .kind = KNOWN_FREE },
	SELINUX("context"),
	SELINUX("fscontext"),
	SELINUX("defcontext"),
	SELINUX("rootcontext"),

	/* mount(8), systemd, autofs: what stays on the host */
	EITHER("auto", "noauto"),
	FLAG("_netdev", NULL),
	FLAG("nofail", NULL),
	MOUNT8("user"),
	FLAG("nouser", NULL),
	FLAG("users", NULL),
	FLAG("nousers", NULL),
	FLAG("owner", NULL),
	FLAG("noowner", NULL),
	FLAG("group", NULL),
	FLAG("nogroup", NULL),
	OTHER("helper"),
	OTHER("uhelper"),
	MOUNT8("comment"),
	MOUNT8("x-*"),
	MOUNT8("X-*"),

	/* Our own; removed before mount.nfs */
	{ .name = OWN_PREFIX "*", .kind = KNOWN_OWN },
};

static bool known_is_row(const struct known *row, const char *name,
			 int (*compare)(const char *a, const char *b, size_t n))
{
	size_t len = strlen(row->name);

	if (row->name[len - 1] == '*')
		return !compare(row->name, name, len - 1);
	return !compare(row->name, name, len + 1);
}

const struct known *known_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known_table); i++)
		if (known_is_row(&known_table[i], name, strncmp))
			return &known_table[i];
	return NULL;
}

/* Two letters swapped are two edits. */
static bool known_is_swapped(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;
	return a[i] && b[i] && a[i + 1] && a[i] == b[i + 1] && a[i + 1] == b[i] &&
	       !strcmp(a + i + 2, b + i + 2);
}

/* One slip: what differs more may be an option of a newer kernel. Rows for all names with one
 * beginning are not names. */
const char *known_near(const char *name)
{
	struct near near;
	size_t i;

	if (known_find(name))
		return NULL;
	near_init(&near, name);
	for (i = 0; i < ARRAY_SIZE(known_table); i++)
		if (!strchr(known_table[i].name, '*'))
			near_try(&near, known_table[i].name);
	/* A part of a longer word is not one. */
	if (!near_found(&near) || strlen(near.best) > strlen(name) + 1)
		return NULL;
	return near.edits <= 1 || known_is_swapped(name, near.best) ? near.best : NULL;
}

const struct known *known_other_case(const char *name)
{
	size_t i;

	if (known_find(name))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(known_table); i++)
		if (known_is_row(&known_table[i], name, strncasecmp))
			return &known_table[i];
	return NULL;
}

int known_word(const char *const *words, const char *word)
{
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

const char *known_words(const char *const *words, char *buf, size_t cap)
{
	size_t used = 0, i;

	for (i = 0; words[i] && used < cap; i++)
		used += (size_t)snprintf(buf + used, cap - used, "%s%s",
					 !i             ? ""
					 : words[i + 1] ? ", "
							: " or ",
					 words[i]);
	return buf;
}

bool known_number(const char *text, uint32_t min, uint32_t max, uint32_t *out)
{
	uint64_t n = 0;
	size_t i;

	/* The kernel reads a number with a leading zero as octal, and one with 0x as
	 * hexadecimal. */
	if (!*text || (*text == '0' && text[1]))
		return false;
	for (i = 0; text[i]; i++) {
		if (text[i] < '0' || text[i] > '9' || i == 10)
			return false;
		n = n * 10 + (uint64_t)(text[i] - '0');
	}
	if (n < min || n > max)
		return false;
	*out = (uint32_t)n;
	return true;
}

bool known_version(const struct opt *opt, int *nfs_major, int *nfs_minor)
{
	static const struct {
		const char *text;
		int nfs_major, nfs_minor;
	} versions[] = {
		{ "3", 3, -1 }, { "4", 4, -1 }, { "4.0", 4, 0 }, { "4.1", 4, 1 }, { "4.2", 4, 2 },
	};
	const char *text = opt->name[0] == 'v' && opt->name[1] != 'e' ? opt->name + 1 : opt->value;
	size_t i;

	for (i = 0; text && i < ARRAY_SIZE(versions); i++) {
		if (strcmp(text, versions[i].text))
			continue;
		*nfs_major = versions[i].nfs_major;
		*nfs_minor = versions[i].nfs_minor;
		return true;
	}
	return false;
}

/* "sys:krb5"; what stands between two colons may be empty. */
static int known_check_words(const struct known *row, const struct opt *opt)
{
	_cleanup_free_ char *copy = strdup(opt->value);
	char words[160], *rest = copy, *word;

	if (!copy)
		return err_no_memory();
	while ((word = strsep(&rest, ":")))
		if (*word && known_word(row->words, word) < 0)
			return err_set(EINVAL, "%s= takes %s, not '%.60s'", opt->name,
				       known_words(row->words, words, sizeof(words)), word);
	return 0;
}

/* Those of policy_keys that are mount options. */
static int known_check_own(const struct opt *opt)
{
	int key = known_word(policy_keys, opt->name + strlen(OWN_PREFIX)), i;
	char list[160] = "";
	size_t used = 0;

	if (key >= 0 && key < POLICY_MOUNT_KEYS)
		return opt->value && *opt->value
			       ? 0
			       : err_set(EINVAL, "the option %s needs a value: %s=...", opt->name,
					 opt->name);
	for (i = 0; i < POLICY_MOUNT_KEYS; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s" OWN_PREFIX "%s=",
					 !i                          ? ""
					 : i + 1 < POLICY_MOUNT_KEYS ? ", "
								     : " and ",
					 policy_keys[i]);
	if (key >= 0)
		return err_set(EINVAL,
			       "'%.60s': '%s' is a key of nfsrdma.conf only; mount options are %s",
			       opt->name, policy_keys[key], list);
	return err_set(EINVAL, "'%.60s': the " OWN_PREFIX "* options are %s", opt->name, list);
}

int known_check(const struct known *row, const struct opt *opt)
{
	int nfs_major, nfs_minor;
	char words[160];
	uint32_t n;

	if (!row)
		return 0;
	if (row->refused)
		return err_set(EINVAL, "'%.60s' %s", opt->name, row->refused);
	if (row->kind == KNOWN_OWN)
		return known_check_own(opt);
	if (row->kind == KNOWN_FREE)
		return 0;
	if (row->kind == KNOWN_FLAG && opt->value)
		return err_set(EINVAL, "the option %s takes no value, not '%.60s'", opt->name,
			       opt->value);
	if (row->kind != KNOWN_FLAG && (!opt->value || !*opt->value))
		return err_set(EINVAL, "the option %s needs a value: %s=...", opt->name, opt->name);
	if (row->kind == KNOWN_WORDS)
		return known_check_words(row, opt);
	if ((row->kind == KNOWN_NUMBER || row->kind == KNOWN_SIZE) &&
	    !known_number(opt->value, row->min, row->max, &n))
		return err_set(EINVAL, "%s= takes a decimal number from %u to %u, not '%.60s'",
			       opt->name, row->min, row->max, opt->value);
	if (row->kind == KNOWN_WORD && known_word(row->words, opt->value) < 0)
		return err_set(EINVAL, "%s= takes %s, not '%.60s'", opt->name,
			       known_words(row->words, words, sizeof(words)), opt->value);
	if (row->group && !strcmp(row->group, GROUP_VERSION) && strcmp(opt->name, "minorversion") &&
	    !known_version(opt, &nfs_major, &nfs_minor))
		return err_set(
			EINVAL,
			"unknown NFS version; expected 3, 4, 4.0, 4.1 or 4.2, not '%.40s%s%.40s'",
			opt->name, opt->value ? "=" : "", opt->value ? opt->value : "");
	return 0;
}

/* nfs_io_size() of fs/nfs/internal.h; before Linux 6.1 it rounds down to a power of two. */
const char *known_note(const struct known *row, const struct opt *opt)
{
	uint32_t n;

	if (!row || row->kind != KNOWN_SIZE || !known_number(opt->value, 0, U32, &n) || !n)
		return NULL;
	if (n < 1024)
		return "the kernel uses 4096 for values below 1024";
	if (n > 1024 * 1024)
		return "the kernel limits it to 1048576";
	if (n < 4096 ? n & (n - 1) : n % 4096)
		return "the kernel rounds it down, to a power of two below 4096 and to a multiple of 4096 above";
	return NULL;
}

const char *known_group(const struct opt *opt)
{
	const struct known *row = known_find(opt->name);

	return row && row->group ? row->group : opt->name;
}

const char *known_answer(const struct opt *opt)
{
	const struct known *row = known_find(opt->name);

	if (row && row->answer)
		return row->answer;
	return opt->value ? opt->value : opt->name;
}

void known_each(void (*fn)(void *arg, const char *name, const char *about), void *arg)
{
	const char *const *word;
	char name[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known_table); i++) {
		const struct known *row = &known_table[i];
		bool valued = row->kind != KNOWN_FLAG && row->kind != KNOWN_FREE;

		if (row->refused || strchr(row->name, '*'))
			continue;
		for (word = row->words; word && *word; word++) {
			snprintf(name, sizeof(name), "%s=%s", row->name, *word);
			fn(arg, name, NULL);
		}
		if (row->words)
			continue;
		snprintf(name, sizeof(name), "%s%s", row->name, valued ? "=" : "");
		fn(arg, name, NULL);
	}
}

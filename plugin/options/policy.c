/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* This host's policy for a mount. Each key is looked up by itself: the most specific section
 * that has it applies (directory, export, server, default); of two of a kind one without
 * wildcards, then the longer pattern, then the later. This file reads the files and finds the
 * section; policy-file.c parses them. nfsrdma.conf(5). */
#include <arpa/inet.h>
#include <fnmatch.h>
#include <stdio.h>

#include "plugin/options/internal.h"

#define DEADLINE_DEFAULT_S 10

#define POLICY_FILE    "etc/nfsrdma.conf"
#define POLICY_FOLDER  "etc/nfsrdma.conf.d"
#define NAME_MAX_BYTES 255
/* Every options = is parsed when it is read: one that is too long for a mount is refused. */
#define FILE_MAX_BYTES (64 * 1024)

const char *const policy_keys[] = {
	[KEY_POLICY] = "policy",
	[KEY_CHECK] = "check",
	[KEY_DEADLINE] = "deadline",
	[KEY_ON_UNKNOWN] = "on-unknown",
	[KEY_OPTIONS] = "options",
	[KEY_OPTIONS_V3] = "options-v3",
	NULL,
};

static const char *const policy_modes[] = {
	[POLICY_REQUIRE] = "require",
	[POLICY_PREFER] = "prefer",
	[POLICY_OFF] = "off",
	NULL,
};

static const char *const policy_checks[] = {
	[POLICY_CHECK_NONE] = "none",
	[POLICY_CHECK_FAST] = "fast",
	[POLICY_CHECK_CONNECT] = "connect",
	[POLICY_CHECK_READ] = "read",
	NULL,
};

static const char *const policy_unknowns[] = {
	[POLICY_UNKNOWN_ALLOW] = "allow",
	[POLICY_UNKNOWN_REFUSE] = "refuse",
	NULL,
};

const char *policy_mode_name(enum policy_mode mode)
{
	return policy_modes[mode];
}

const char *policy_check_name(enum policy_check check)
{
	return policy_checks[check];
}

const char *policy_unknown_name(enum policy_unknown on_unknown)
{
	return policy_unknowns[on_unknown];
}

static int policy_choose_word(const char *const *words, const char *value, int *out)
{
	char list[64];

	*out = known_word(words, value);
	return *out >= 0 ? 0
			 : err_set(EINVAL, "takes %s, not '%.60s'",
				   known_words(words, list, sizeof(list)), value);
}

static int policy_set_mode(struct policy *policy, const char *value)
{
	int word, rc = policy_choose_word(policy_modes, value, &word);

	if (!rc)
		policy->mode = (enum policy_mode)word;
	return rc;
}

static int policy_set_check(struct policy *policy, const char *value)
{
	int word, rc = policy_choose_word(policy_checks, value, &word);

	if (!rc)
		policy->check = (enum policy_check)word;
	return rc;
}

static int policy_set_unknown(struct policy *policy, const char *value)
{
	int word, rc = policy_choose_word(policy_unknowns, value, &word);

	if (!rc)
		policy->on_unknown = (enum policy_unknown)word;
	return rc;
}

static int policy_set_deadline(struct policy *policy, const char *value)
{
	uint32_t seconds;

	if (!known_number(value, 1, POLICY_DEADLINE_MAX_S, &seconds))
		return err_set(EINVAL, "takes seconds from 1 to %d, not '%.60s'",
			       POLICY_DEADLINE_MAX_S, value);
	policy->deadline_ms = seconds * 1000;
	return 0;
}

static int policy_check_options(const char *value)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;

	return settle_added(&opts, value);
}

static int policy_set_options(struct policy *policy, const char *value)
{
	policy->options = value;
	return policy_check_options(value);
}

static int policy_set_options_v3(struct policy *policy, const char *value)
{
	policy->options_v3 = value;
	return policy_check_options(value);
}

static const struct {
	int (*set)(struct policy *policy, const char *value);
	size_t from; /* the place in struct policy of the value's origin */
} policy_key_rows[] = {
	[KEY_POLICY] = { policy_set_mode, offsetof(struct policy, mode_from) },
	[KEY_CHECK] = { policy_set_check, offsetof(struct policy, check_from) },
	[KEY_DEADLINE] = { policy_set_deadline, offsetof(struct policy, deadline_from) },
	[KEY_ON_UNKNOWN] = { policy_set_unknown, offsetof(struct policy, on_unknown_from) },
	[KEY_OPTIONS] = { policy_set_options, offsetof(struct policy, options_from) },
	[KEY_OPTIONS_V3] = { policy_set_options_v3, offsetof(struct policy, options_v3_from) },
};

int policy_set(struct policy *policy, enum policy_key key, const char *value, const char *from)
{
	int rc = policy_key_rows[key].set(policy, value);

	if (!rc)
		snprintf((char *)policy + policy_key_rows[key].from, POLICY_FROM_MAX, "%s", from);
	return rc;
}

/* The case of a server's name does not matter, and an address has several forms. */
static bool section_is_server(const char *pattern, const struct spec *spec)
{
	struct in6_addr a, b;

	if (inet_pton(AF_INET6, pattern, &a) == 1 && inet_pton(AF_INET6, spec->host, &b) == 1)
		return !memcmp(&a, &b, sizeof(a));
	return !fnmatch(pattern, spec->host, FNM_CASEFOLD);
}

/* @spec: NULL: of a directory, whatever is mounted there. */
static bool section_is_for(const struct policy_section *section, const struct spec *spec,
			   const char *path, const char *dir)
{
	switch (section->kind) {
	case SECTION_DEFAULT: return true;
	case SECTION_SERVER: return spec && section_is_server(section->server, spec);
	case SECTION_EXPORT:
		return spec && section_is_server(section->server, spec) &&
		       !fnmatch(section->path, path, FNM_PATHNAME);
	case SECTION_DIRECTORY:
		/* A path without wildcards may have got some when a link was followed. */
		if (!dir)
			return false;
		return section->literal ? !strcmp(section->path, dir)
					: !fnmatch(section->path, dir, FNM_PATHNAME);
	}
	return false;
}

/* The values were checked when the file was read. */
static void policy_take_value(struct policy *policy, enum policy_key key,
			      const struct policy_section *section)
{
	static const enum policy_scope scopes[] = {
		[SECTION_DEFAULT] = POLICY_DEFAULT,
		[SECTION_SERVER] = POLICY_OF_SERVER,
		[SECTION_EXPORT] = POLICY_OF_EXPORT,
		[SECTION_DIRECTORY] = POLICY_OF_DIRECTORY,
	};
	char from[POLICY_FROM_MAX];

	if (key == KEY_POLICY)
		policy->scope = scopes[section->kind];

	snprintf(from, sizeof(from), "%.*s:%u", POLICY_FROM_MAX - 12, section->file,
		 section->lines[key]);
	policy_set(policy, key, section->values[key], from);
}

void policy_get(const struct policies *policies, const struct spec *spec, const char *dir,
		struct policy *out)
{
	const struct policy_section *best[KEY_COUNT] = { NULL };
	char path[SPEC_PATH_MAX + 1];
	_cleanup_free_ char *target = dir ? strdup(dir) : NULL;
	size_t i, key;

	str_copy(path, sizeof(path), spec ? spec->path : "");
	section_squeeze(path);
	if (target)
		section_squeeze(target);
	*out = (struct policy){
		.mode = POLICY_REQUIRE,
		.check = POLICY_CHECK_CONNECT,
		.on_unknown = POLICY_UNKNOWN_ALLOW,
		.deadline_ms = DEADLINE_DEFAULT_S * 1000,
	};
	for (key = 0; key < KEY_COUNT; key++)
		str_copy((char *)out + policy_key_rows[key].from, POLICY_FROM_MAX, "built in");
	for (i = 0; policies && i < policies->count; i++) {
		const struct policy_section *section = &policies->list[i];

		if (!section_is_for(section, spec, path, target))
			continue;
		for (key = 0; key < KEY_COUNT; key++) {
			const struct policy_section *other = best[key];

			if (!section->values[key])
				continue;
			if (!other || section->kind > other->kind ||
			    (section->kind == other->kind && section->weight >= other->weight))
				best[key] = section;
		}
	}
	for (key = 0; key < KEY_COUNT; key++)
		if (best[key])
			policy_take_value(out, (enum policy_key)key, best[key]);
}

void policy_get_dir(const struct policies *policies, const char *dir, struct policy *out)
{
	policy_get(policies, NULL, dir, out);
}

int policy_follow(struct policies *policies, policy_follow_fn *follow, void *arg)
{
	char path[PATH_MAX], *copy;
	size_t i;

	for (i = 0; i < policies->count; i++) {
		struct policy_section *section = &policies->list[i];

		if (section->kind != SECTION_DIRECTORY || !section->literal ||
		    !follow(arg, section->path, path))
			continue;
		copy = strdup(path);
		if (!copy)
			return err_no_memory();
		free(section->path);
		section->path = copy;
	}
	return 0;
}

int policy_each_dir(const struct policies *policies, policy_dir_fn *fn, void *arg)
{
	struct policy policy;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && policies && i < policies->count; i++) {
		const struct policy_section *section = &policies->list[i];

		if (section->kind != SECTION_DIRECTORY || !section->literal ||
		    !section->values[KEY_POLICY])
			continue;
		policy_get_dir(policies, section->path, &policy);
		rc = fn(arg, section->path, &policy);
	}
	return rc;
}

bool policy_is_of_servers(const struct policies *policies)
{
	const char *require = policy_mode_name(POLICY_REQUIRE);
	size_t i;

	for (i = 0; policies && i < policies->count; i++) {
		const struct policy_section *section = &policies->list[i];
		const char *mode = section->values[KEY_POLICY];

		if ((section->kind == SECTION_SERVER || section->kind == SECTION_EXPORT) && mode &&
		    !strcmp(mode, require))
			return true;
	}
	return false;
}

bool policy_requests_rdma(const struct policies *policies)
{
	const char *off = policy_mode_name(POLICY_OFF);
	size_t i;

	for (i = 0; policies && i < policies->count; i++) {
		const struct policy_section *section = &policies->list[i];
		const char *mode = section->values[KEY_POLICY];

		if (mode && strcmp(mode, off) != 0)
			return true;
	}
	return false;
}

int policy_new(struct policies **out)
{
	struct policies *policies = calloc(1, sizeof(*policies));

	if (!policies)
		return err_no_memory();
	*out = policies;
	return 0;
}

int policy_add(struct policies *policies, const char *file, char *text)
{
	return policy_file_parse(policies, file, text);
}

void policy_free(struct policies *policies)
{
	if (!policies)
		return;
	while (policies->count)
		section_fini(&policies->list[--policies->count]);
	free(policies->list);
	free(policies);
}

void policy_free_p(struct policies **policies)
{
	policy_free(*policies);
}

/* A dangling link exists, but has no content: it is not an empty file. */
static bool policy_file_is_absent(const struct host *host, const char *path)
{
	char target[4096];

	return host_link(host, path, target, sizeof(target)) == -ENOENT;
}

/* What to do with each file that exists. */
struct policy_reader {
	int (*take)(void *arg, const char *file, char *text);
	void *arg;
	bool all; /* a file that is damaged or unreadable does not hide the others */
};

static int policy_read_file(const struct host *host, const char *path,
			    const struct policy_reader *reader)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char shown[sizeof(POLICY_FOLDER) + NAME_MAX_BYTES + 2];
	int rc = host_read(host, path, FILE_MAX_BYTES, &text);

	if (rc == -ENOENT && policy_file_is_absent(host, path))
		return 0;
	if (rc == -ENOENT)
		return err_set(EINVAL, "/%s is a dangling link", path);
	if (rc)
		return rc;
	snprintf(shown, sizeof(shown), "/%s", path);
	return reader->take(reader->arg, shown, text.text);
}

static int policy_read_all(const struct host *host, const struct policy_reader *reader)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[sizeof(POLICY_FOLDER) + NAME_MAX_BYTES + 1];
	int rc = policy_read_file(host, POLICY_FILE, reader);
	size_t i;

	if (rc && !reader->all)
		return rc;
	rc = host_list(host, POLICY_FOLDER, &list);
	if (rc)
		return rc == -ENOENT && policy_file_is_absent(host, POLICY_FOLDER) ? 0 : rc;
	if (list.cut && !reader->all)
		return err_set(EFBIG, "/" POLICY_FOLDER " has more than %d files", HOST_LIST_MAX);
	for (i = 0; (!rc || reader->all) && i < list.count; i++) {
		if (fnmatch("*.conf", list.names[i], FNM_PERIOD))
			continue;
		snprintf(path, sizeof(path), POLICY_FOLDER "/%s", list.names[i]);
		rc = policy_read_file(host, path, reader);
	}
	return rc;
}

static int policy_take_sections(void *arg, const char *file, char *text)
{
	return policy_add(arg, file, text);
}

int policy_open(struct policies **out, const struct host *host)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	struct policy_reader reader = { .take = policy_take_sections };
	int rc = policy_new(&policies);

	reader.arg = policies;
	if (!rc)
		rc = policy_read_all(host, &reader);
	if (!rc)
		*out = take_ptr(policies);
	return rc;
}

static int policy_take_refusal(void *arg, const char *file, char *text)
{
	char *from = arg;

	if (!*from)
		policy_file_refuses(file, text, from);
	return 0;
}

bool policy_refuses_unknown(const struct host *host, char from[POLICY_FROM_MAX])
{
	const struct policy_reader reader = { .take = policy_take_refusal,
					      .arg = from,
					      .all = true };

	*from = '\0';
	policy_read_all(host, &reader);
	return *from;
}

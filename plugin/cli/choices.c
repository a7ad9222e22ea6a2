/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What options and operands accept: words, or names of this host. The parser and the completion of
 * shells use the same tables.
 *
 * Names come from files of the kernel and of this host only, because a shell waits for them on each
 * Tab: no mount is accessed, libvirt is not called (which could start a daemon or ask for a
 * password), and no server is contacted. */
#include <ifaddrs.h>
#include <netinet/in.h>

#include "plugin/cli/cli.h"
#include "plugin/libvirt/libvirt.h"
#include "plugin/report/words.h"

#define CHOICE_WORDS(id, ...)                                        \
	const struct cli_choice choice_##id = {                      \
		.name = #id,                                         \
		.words = (const char *const[]){ __VA_ARGS__, NULL }, \
	}

CHOICE_WORDS(roles, "client", "server", "both");
CHOICE_WORDS(flavors, "sys", "krb5", "krb5i", "krb5p");
CHOICE_WORDS(transports, "auto", "verbs", "iwarp");
CHOICE_WORDS(versions, "auto", "3", "4.0", "4.1", "4.2");
/* Those of the engine's field. */
CHOICE_WORDS(engine_versions, "auto", "3", "4", "4.0", "4.1", "4.2");
CHOICE_WORDS(types, "nfs", "posix");
CHOICE_WORDS(links, "rxe", "siw");
CHOICE_WORDS(plan_formats, "text", "json");

static const char *const level_names[] = {
	[PROBE_QUICK] = "quick",
	[PROBE_STANDARD] = "standard",
	[PROBE_FULL] = "full",
	NULL,
};
const struct cli_choice choice_levels = { .name = "levels", .words = level_names };

int choice_index(const struct cli_choice *choice, const char *word)
{
	int i;

	for (i = 0; choice->words[i]; i++)
		if (!strcmp(choice->words[i], word))
			return i;
	return -1;
}

int choice_check(const struct cli_choice *choice, const char *word)
{
	struct words words = { .separator = ", " };
	int i;

	if (!choice->words || choice_index(choice, word) >= 0)
		return 0;
	for (i = 0; choice->words[i]; i++) {
		if (i && !choice->words[i + 1])
			words.separator = " or ";
		words_add(&words, "%s", choice->words[i]);
	}
	return err_set(EINVAL, "takes %s, not '%.40s'", words_text(&words), word);
}

/* --- the same on every host -------------------------------------------------------- */

static void choice_formats_each(const struct host *host, const char *prefix, choice_fn fn,
				void *arg)
{
	const struct report_format *const *format;

	(void)host;
	(void)prefix;
	for (format = report_formats; *format; format++)
		fn(arg, (*format)->name, NULL);
}

/* Also with each of its values: "NAME=VALUE". */
static void choice_faults_each(const struct host *host, const char *prefix, choice_fn fn, void *arg)
{
	const struct fault_row *row;
	char name[128];
	const char *value;
	size_t len;

	(void)host;
	(void)prefix;
	for (row = fault_table; row->name; row++) {
		fn(arg, row->name, row->description);
		for (value = row->values; value && *value; value += len) {
			value += *value == '|';
			len = strcspn(value, "|");
			snprintf(name, sizeof(name), "%s=%.*s", row->name, (int)len, value);
			fn(arg, name, NULL);
		}
	}
}

static void choice_commands_each(const struct host *host, const char *prefix, choice_fn fn,
				 void *arg)
{
	const struct cli_command *const *command;

	(void)host;
	(void)prefix;
	for (command = cli_commands; *command; command++)
		if (!(*command)->hidden)
			fn(arg, (*command)->name, (*command)->summary);
}

/* Reasons only of an id that was entered: there are hundreds. */
static void choice_findings_each(const struct host *host, const char *prefix, choice_fn fn,
				 void *arg)
{
	size_t len = strcspn(prefix, "/");
	const struct meaning *meaning = NULL;
	const struct reason *reason;
	char name[2 * FINDING_ID_MAX];

	(void)host;
	while ((meaning = meaning_next(meaning))) {
		if (!prefix[len])
			fn(arg, meaning->id, meaning->title);
		if (strlen(meaning->id) != len || strncmp(meaning->id, prefix, len) != 0)
			continue;
		for (reason = meaning->reasons; reason->name; reason++) {
			snprintf(name, sizeof(name), "%s/%s", meaning->id, reason->name);
			fn(arg, name, NULL);
		}
	}
}

static void choice_options_each(const struct host *host, const char *prefix, choice_fn fn,
				void *arg)
{
	(void)host;
	(void)prefix;
	known_each(fn, arg);
}

/* --- of this host ------------------------------------------------------------------ */

/* @targets: mount points, described by what is mounted; else the other way round. */
static void choice_mounted_each(const struct host *host, bool targets, choice_fn fn, void *arg)
{
	struct host_mounts mounts = { .count = 0 };
	const struct host_mount *mount;

	if (!host_mounts(host, &mounts))
		for (mount = mounts.list; mount < mounts.list + mounts.count; mount++)
			if (!strcmp(mount->type, "nfs") || !strcmp(mount->type, "nfs4"))
				fn(arg, targets ? mount->target : mount->source,
				   targets ? mount->source : mount->target);
	host_mounts_fini(&mounts);
}

static void choice_mounts_each(const struct host *host, const char *prefix, choice_fn fn, void *arg)
{
	(void)prefix;
	choice_mounted_each(host, true, fn, arg);
}

/* @names: of pools; else all sources. */
static void choice_places_each(const struct view_places *places, bool names, choice_fn fn,
			       void *arg)
{
	const struct view_place *place;

	for (place = places->list; place < places->list + places->count; place++)
		if (place->fs_spec && (!names || place->pool))
			fn(arg, names ? place->pool : place->fs_spec,
			   names ? place->fs_spec : place->target);
}

static void choice_pools_each(const struct host *host, const char *prefix, choice_fn fn, void *arg)
{
	struct view_places places = { .count = 0 };
	char skipped[256];

	(void)prefix;
	pool_places(host, &places, skipped);
	choice_places_each(&places, true, fn, arg);
	view_places_fini(&places);
}

static void choice_sources_each(const struct host *host, const char *prefix, choice_fn fn,
				void *arg)
{
	struct view_places places = { .count = 0 };
	char skipped[256];

	(void)prefix;
	choice_mounted_each(host, false, fn, arg);
	view_places_fstab(host, &places);
	pool_places(host, &places, skipped);
	choice_places_each(&places, false, fn, arg);
	view_places_fini(&places);
}

static void choice_folder_each(const struct host *host, const char *folder, const char *file,
			       choice_fn fn, void *arg)
{
	struct host_list list = { .count = 0 };
	char path[512];
	size_t i;

	if (!host_list(host, folder, &list))
		for (i = 0; i < list.count; i++) {
			snprintf(path, sizeof(path), "%s/%.255s/%s", folder, list.names[i], file);
			if (!host_exists(host, path))
				fn(arg, list.names[i], NULL);
		}
	host_list_fini(&list);
}

static void choice_devices_each(const struct host *host, const char *prefix, choice_fn fn,
				void *arg)
{
	(void)prefix;
	choice_folder_each(host, "sys/class/infiniband", "ports", fn, arg);
}

/* Files like bonding_masters are no interfaces. */
static void choice_interfaces_each(const struct host *host, const char *prefix, choice_fn fn,
				   void *arg)
{
	(void)prefix;
	choice_folder_each(host, "sys/class/net", "ifindex", fn, arg);
}

/* Link-local addresses need a zone. */
static bool choice_address_text(const struct sockaddr *sa, bool port, char *buf, size_t cap)
{
	bool v6 = sa && sa->sa_family == AF_INET6;
	char name[ADDRESS_NAME_MAX];
	struct transport_address at = { .len = v6 ? sizeof(struct sockaddr_in6)
						  : sizeof(struct sockaddr_in) };
	struct sockaddr_in6 in6;

	if (!sa || (!v6 && sa->sa_family != AF_INET))
		return false;
	memcpy(&at.addr, sa, at.len);
	memcpy(&in6, &at.addr, sizeof(in6));
	if (v6 && IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr))
		return false;
	words_address(&at, name);
	if (port)
		snprintf(buf, cap, v6 ? "[%s]:%d" : "%s:%d", name, NFS_RDMA_PORT);
	else
		snprintf(buf, cap, "%s", name);
	return true;
}

static void choice_system_addresses_each(const struct host *host, bool port, choice_fn fn,
					 void *arg)
{
	struct ifaddrs *list, *address;
	char text[ADDRESS_NAME_MAX + 16];

	if (!host_is_live(host) || getifaddrs(&list))
		return;
	for (address = list; address; address = address->ifa_next)
		if (choice_address_text(address->ifa_addr, port, text, sizeof(text)))
			fn(arg, text, address->ifa_name);
	freeifaddrs(list);
}

static void choice_addresses_each(const struct host *host, const char *prefix, choice_fn fn,
				  void *arg)
{
	(void)prefix;
	choice_system_addresses_each(host, false, fn, arg);
}

static void choice_listeners_each(const struct host *host, const char *prefix, choice_fn fn,
				  void *arg)
{
	(void)prefix;
	choice_system_addresses_each(host, true, fn, arg);
}

static void choice_lists_each(const struct host *host, const char *prefix, choice_fn fn, void *arg);

#define CHOICE_NAMES(id, ...)                                               \
	const struct cli_choice choice_##id = { .name = #id,                \
						.each = choice_##id##_each, \
						##__VA_ARGS__ }

const struct cli_choice choice_file = { .name = "file", .path = PATH_FILE };
const struct cli_choice choice_dir = { .name = "dir", .path = PATH_DIR };
CHOICE_NAMES(formats, .fixed = true);
CHOICE_NAMES(faults, .fixed = true);
CHOICE_NAMES(commands, .fixed = true);
CHOICE_NAMES(pools);
const struct cli_choice choice_pool_or_file = { .name = "pools",
						.each = choice_pools_each,
						.path = PATH_FILE };
/* A file below a mount can be read, too. */
CHOICE_NAMES(mounts, .path = PATH_FILE);
CHOICE_NAMES(sources);
CHOICE_NAMES(devices);
CHOICE_NAMES(interfaces);
CHOICE_NAMES(addresses);
CHOICE_NAMES(listeners);
CHOICE_NAMES(findings);
CHOICE_NAMES(options);
CHOICE_NAMES(lists, .fixed = true);

static const struct cli_choice *const lists[] = {
	&choice_addresses, &choice_devices, &choice_findings, &choice_interfaces, &choice_listeners,
	&choice_mounts,    &choice_options, &choice_pools,    &choice_sources,
};

static void choice_lists_each(const struct host *host, const char *prefix, choice_fn fn, void *arg)
{
	size_t i;

	(void)host;
	(void)prefix;
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		fn(arg, lists[i]->name, NULL);
}

const struct cli_choice *choice_list(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		if (!strcmp(lists[i]->name, name))
			return lists[i];
	return NULL;
}

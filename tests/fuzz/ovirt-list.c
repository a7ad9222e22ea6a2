/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A drop-in that was edited: it is refused, or domains can be added and removed, and
 * nfs-utils reads what was written. */
#include "plugin/host/internal.h"
#include "plugin/ovirt/ovirt.h"
#include "tests/fuzz/fuzz.h"

static void check_removed(struct ovirt_list *list)
{
	char *out = NULL;

	while (list->count)
		FUZZ_CHECK(ovirt_list_remove(list, list->domains[0].dir));
	FUZZ_CHECK(!ovirt_list_write(list, OVIRT_BY_DIRECTORY, &out) && !out);
}

static void check_effect(const char *text, const struct ovirt_list *list)
{
	_cleanup_(conf_close_p) struct conf *conf = conf_new();
	_cleanup_free_ char *copy = strdup(text);
	const struct conf_value *value;

	FUZZ_CHECK(conf && copy);
	if (list->file != OVIRT_NFSMOUNT || conf_add(conf, NULL, "etc/nfsmount.conf", copy))
		return;
	value = conf_get(conf, "MountPoint", "/rhev/data-center/mnt/nas1:_vm", "proto");
	FUZZ_CHECK(value);
}

static void check_file(enum ovirt_file file, const char *text)
{
	_cleanup_free_ char *out = NULL, *twice = NULL;
	struct ovirt_domain domain;
	struct ovirt_list list, again;

	FUZZ_CHECK(!ovirt_domain("nas1:/vm", NULL, &domain));
	if (ovirt_list_read(&list, file, text))
		return;
	FUZZ_CHECK(list.count <= OVIRT_DOMAINS_MAX);
	if (!ovirt_list_add(&list, &domain, false, 20049)) {
		FUZZ_CHECK(!ovirt_list_write(&list, OVIRT_BY_DIRECTORY, &out));
		FUZZ_CHECK(!ovirt_list_read(&again, file, out));
		FUZZ_CHECK(again.count == list.count);
		FUZZ_CHECK(!ovirt_list_write(&again, OVIRT_BY_DIRECTORY, &twice));
		FUZZ_CHECK(!strcmp(out, twice));
		ovirt_list_fini(&again);
		check_effect(out, &list);
		check_removed(&list);
	}
	ovirt_list_fini(&list);
}

/* The first line is a source, too. */
static void check_source(char *text)
{
	struct ovirt_domain domain, again;

	text[strcspn(text, "\n")] = '\0';
	ovirt_engine_source(OVIRT_NFS, text);
	if (ovirt_domain(text, NULL, &domain))
		return;
	FUZZ_CHECK(!ovirt_domain(domain.spec, NULL, &again));
	FUZZ_CHECK(!strcmp(domain.spec, again.spec) && !strcmp(domain.dir, again.dir));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = fuzz_text(data, size);

	check_file(OVIRT_NFSMOUNT, text);
	check_file(OVIRT_GUARD, text);
	check_source(text);
	return 0;
}

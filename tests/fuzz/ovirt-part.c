/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A drop-in in which somebody wrote, ours or theirs: our part of it is refused, or can be added to and
 * taken out, and then all else is as it was, and nfs-utils reads what was written. */
#include "plugin/host/internal.h"
#include "plugin/ovirt/ovirt.h"
#include "tests/fuzz/fuzz.h"

/* Behind it nothing is ours any more. */
static void check_removed(struct ovirt_part *part, const char *text)
{
	char *out = NULL;
	struct ovirt_part again;

	while (part->count)
		FUZZ_CHECK(ovirt_part_remove(part, part->list[0].dir));
	if (ovirt_part_write(part, OVIRT_BY_DIRECTORY, text, &out))
		return;
	FUZZ_CHECK(!out || !ovirt_part_read(&again, part->file, out));
	FUZZ_CHECK(!out || !again.count);
	free(out);
}

static void check_effect(const char *text, const struct ovirt_part *part)
{
	_cleanup_(conf_close_p) struct conf *conf = conf_new();
	_cleanup_free_ char *copy = strdup(text);
	const struct conf_value *value;

	FUZZ_CHECK(conf && copy);
	if (part->file != OVIRT_NFSMOUNT || conf_add(conf, NULL, "etc/nfsmount.conf", copy))
		return;
	value = conf_get(conf, "MountPoint", "/rhev/data-center/mnt/nas1:_vm", "proto");
	FUZZ_CHECK(value);
}

static void check_file(enum ovirt_file file, const char *text)
{
	_cleanup_free_ char *out = NULL, *twice = NULL;
	struct ovirt_domain domain;
	struct ovirt_part part;

	FUZZ_CHECK(!ovirt_domain("nas1:/vm", NULL, &domain));
	if (ovirt_part_read(&part, file, text))
		return;
	FUZZ_CHECK(part.count <= OVIRT_DOMAINS_MAX);
	if (!ovirt_part_add(&part, &domain, false, 20049)) {
		FUZZ_CHECK(!ovirt_part_write(&part, OVIRT_BY_DIRECTORY, text, &out));
		FUZZ_CHECK(!ovirt_part_write(&part, OVIRT_BY_DIRECTORY, out, &twice));
		FUZZ_CHECK(!strcmp(out, twice));
		check_effect(out, &part);
		check_removed(&part, out);
	}
	ovirt_part_fini(&part);
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

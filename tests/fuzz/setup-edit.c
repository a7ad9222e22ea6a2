/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A foreign nfs.conf: whatever it is, after the edit nfs-utils reads what was set, a second edit
 * changes nothing, and the difference can be printed. */
#include "plugin/host/internal.h"
#include "plugin/setup/internal.h"
#include "tests/fuzz/fuzz.h"

static void check_effect(const char *text)
{
	char *copy = strdup(text);
	struct conf *conf = conf_new();
	const struct conf_value *value;

	FUZZ_CHECK(copy && conf);
	if (!conf_add(conf, NULL, "etc/nfs.conf", copy)) {
		value = conf_get(conf, "nfsd", NULL, "rdma-port");
		FUZZ_CHECK(value && !strcmp(value->value, "20049"));
	}
	conf_close(conf);
	free(copy);
}

static void check_diff(const char *before, const char *after)
{
	char *text = NULL;
	size_t len = 0, i;
	FILE *out = open_memstream(&text, &len);

	FUZZ_CHECK(out);
	diff_print(out, "etc/nfs.conf", before, after);
	fclose(out);
	for (i = 0; i < len; i++)
		FUZZ_CHECK((uint8_t)text[i] >= 0x20 || text[i] == '\n' || text[i] == '\t');
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *first, *second, *line;
	bool found;

	FUZZ_CHECK(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	first = edit_set(text, "nfsd", "rdma-port", "20049");
	FUZZ_CHECK(first);
	second = edit_set(first, "nfsd", "rdma-port", "20049");
	FUZZ_CHECK(second && !strcmp(first, second));
	check_effect(first);
	if (size < 4096)
		check_diff(text, first);
	line = edit_uncomment(text, "xprtrdma", &found);
	FUZZ_CHECK(found == (line != NULL));
	free(line);
	free(first);
	free(second);
	free(text);
	return 0;
}

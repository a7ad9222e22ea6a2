/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The configuration of the running kernel: the distribution's file, or the kernel's own
 * (CONFIG_IKCONFIG_PROC), which is gzipped. */
#include <stdio.h>

#include <zlib.h>

#include "plugin/host/internal.h"

#define KCONFIG_MAX (2 * 1024 * 1024)

/* Decompresses a gzip member of at most KCONFIG_MAX bytes of text. */
static int kconfig_gunzip(const struct host_text *packed, struct host_text *out)
{
	z_stream stream = { .next_in = (Bytef *)packed->text, .avail_in = (uInt)packed->len };
	_cleanup_free_ char *text = malloc(KCONFIG_MAX + 1);
	int rc;

	if (!text)
		return err_no_memory();
	stream.next_out = (Bytef *)text;
	stream.avail_out = KCONFIG_MAX;
	/* 16: gzip's header. */
	if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
		return err_no_memory();
	rc = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	if (rc != Z_STREAM_END || memchr(text, '\0', KCONFIG_MAX - stream.avail_out))
		return err_set(EBADMSG, "it is not a text that gzip packed");
	out->len = KCONFIG_MAX - stream.avail_out;
	text[out->len] = '\0';
	out->text = take_ptr(text);
	return 0;
}

int host_kconfig(const struct host *host, struct host_kconfig *out)
{
	static const char *const paths[] = { "boot/config-%s", "lib/modules/%s/config",
					     "usr/lib/modules/%s/config" };
	_cleanup_(host_text_fini) struct host_text packed = { NULL, 0 };
	struct host_kconfig config = { { NULL, 0 }, "" };
	char release[96];
	size_t i;
	int rc = host_attr(host, "proc/sys/kernel/osrelease", release, sizeof(release));

	if (rc)
		return rc;
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		const char *at = strchr(paths[i], '%');

		snprintf(config.file, sizeof(config.file), "%.*s%s%s", (int)(at - paths[i]),
			 paths[i], release, at + 2);
		rc = host_read(host, config.file, KCONFIG_MAX, &config.text);
		if (rc != -ENOENT)
			break;
	}
	if (rc == -ENOENT) {
		rc = host_read_bytes(host, "proc/config.gz", HOST_FILE_MAX, &packed);
		if (rc)
			return rc;
		rc = kconfig_gunzip(&packed, &config.text);
		if (rc)
			return err_context(rc, "%sproc/config.gz", host_prefix(host));
		str_copy(config.file, sizeof(config.file), "proc/config.gz");
	}
	if (!rc)
		*out = config;
	return rc;
}

void host_kconfig_fini(struct host_kconfig *config)
{
	host_text_fini(&config->text);
}

char kconfig_get(const struct host_kconfig *config, const char *option)
{
	size_t len = strlen(option);
	const char *line = config->text.text;

	while (line) {
		if (!strncmp(line, option, len) && line[len] == '=')
			return line[len + 1] == 'y' || line[len + 1] == 'm' ? line[len + 1] : 'n';
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return 'n';
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Command lines: of mount(8) for the helper, which runs as root for a user, and the values of the command's options.
 * What is accepted lies in its bounds; an error has a sentence. The input: words that end with NUL. */
#include "mount-helper/internal.h"
#include "plugin/cli/cli.h"
#include "plugin/cli/options.h"
#include "rpcrdma/base/finding.h"
#include "tests/fuzz/fuzz.h"

#define WORDS_MAX 24

static void check_words(char **words, int n)
{
	struct args args;
	int rc;

	memset(&args, 0, sizeof(args));
	rc = args_parse(&args, n, words);
	FUZZ_CHECK(!rc || *err_text());
	FUZZ_CHECK(rc || args.help || args.version || (args.spec && args.dir));
	args_fini(&args);
}

static void check_value(const char *text)
{
	struct transport_address address;
	struct value_server server;
	struct rpc_cred cred;
	unsigned int ms = 0;
	uint16_t port = 0;
	const void *any;

	if (!value_server(text, &server)) {
		FUZZ_CHECK(strnlen(server.host, sizeof(server.host)) < sizeof(server.host) &&
			   *server.host);
		FUZZ_CHECK(!server.path || strstr(text, server.path));
	}
	FUZZ_CHECK(value_port(text, &port) || port);
	FUZZ_CHECK(value_seconds(text, &ms) || ms);
	FUZZ_CHECK(value_cred(text, &cred) || cred.ngids <= RPC_GIDS_MAX);
	FUZZ_CHECK(value_address(text, &address) || !transport_port(&address));
	(void)value_transport(text, &any);
	(void)value_nfs_version(text, &any);
	(void)value_format(text, &any);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char program[] = "mount.nfsrdma", *words[WORDS_MAX + 2] = { program };
	char *text, *at;
	int n = 1;

	text = fuzz_text(data, size);
	for (at = text; at < text + size && n <= WORDS_MAX; at += strlen(at) + 1)
		words[n++] = at;
	check_value(text);
	check_words(words, n);
	free(text);
	return 0;
}

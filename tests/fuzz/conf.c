/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A configuration of nfs-utils: whatever it is, what is set is printable and found again; and what it
 * makes of RDMA is a port, or words. */
#include "plugin/checks/internal.h"
#include "plugin/host/internal.h"
#include "tests/fuzz/fuzz.h"

static const struct conf *conf;

static void check_text(const char *text)
{
	for (; *text; text++)
		FUZZ_CHECK((unsigned char)*text >= 0x20 && *text != 0x7f);
}

static int check_value(void *arg, const char *section_arg, const char *key,
		       const struct conf_value *value)
{
	const struct conf_value *again;

	again = conf_get(conf, arg, section_arg, key);
	/* "$NAME" is another value, or none. */
	FUZZ_CHECK(value->value[0] == '$' || again == value);
	FUZZ_CHECK(value->line && value->file && value->value[0]);
	check_text(key);
	check_text(value->value);
	return 0;
}

static void check_nfsd(void)
{
	static const char *const versions[] = { "1:2.6.2-4", "2.1.1-150500.22.3.1", "" };
	const struct conf_value *rdma = conf_get(conf, "nfsd", NULL, "rdma"),
				*port = conf_get(conf, "nfsd", NULL, "rdma-port");
	struct nfsd_conf_input in = { .rdma = rdma ? rdma->value : NULL,
				      .rdma_port = port ? port->value : NULL };
	struct nfsd_conf out;
	size_t i;

	for (i = 0; i < 2 * ARRAY_SIZE(versions); i++) {
		nfsd_conf_version(versions[i / 2], in.version);
		in.nfsdctl = i % 2;
		nfsd_conf_judge(&in, &out);
		FUZZ_CHECK((out.state == NFSD_CONF_ON) == !out.why[0]);
		FUZZ_CHECK((out.state == NFSD_CONF_ON) == (out.port && out.port <= UINT16_MAX));
		check_text(out.why);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const sections[] = { "nfsd", "Server", "MountPoint",
						"NFSMount_Global_Options", "environment" };
	char *text = fuzz_text(data, size);
	struct conf *made = conf_new();
	size_t i;

	FUZZ_CHECK(made);
	conf = made;
	if (!conf_add(made, NULL, "etc/nfs.conf", text))
		for (i = 0; i < ARRAY_SIZE(sections); i++)
			conf_each(made, sections[i], check_value, (void *)(uintptr_t)sections[i]);
	check_nfsd();
	if (conf_problem(made))
		check_text(conf_problem(made));
	conf_close(made);
	free(text);
	return 0;
}

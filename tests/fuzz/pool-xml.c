/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A pool's XML: whatever it is, it is read within bounds and told in clean words; what becomes of it
 * asks for RDMA, can be read again, and is the same when it is converted once more. */
#include "plugin/libvirt/internal.h"
#include "tests/fuzz/fuzz.h"

static void on_finding(void *arg, const struct finding *finding)
{
	(void)arg;
	FUZZ_CHECK(finding_is_clean(finding->summary) && finding->summary[0]);
}

static void audit(const struct pool_xml *xml)
{
	static char name[] = "vms";
	static struct pool_info info = { .name = name, .active = true };
	const struct view_sources nothing = { .host = NULL };
	_cleanup_(view_close_p) struct view *view = NULL;
	struct pool_seen seen = { .xml = xml };

	pool_audit(&seen, on_finding, NULL);
	FUZZ_CHECK(!view_open(&view, &nothing));
	seen.info = &info;
	seen.view = view;
	pool_audit(&seen, on_finding, NULL);
}

static char *convert(struct pool_xml *xml)
{
	struct pool_request request = { .policies = NULL };
	struct pool_seen seen = { .xml = xml };
	struct pool_state state;
	char *text = NULL;

	if (pool_xml_convert(xml, &request)) {
		FUZZ_CHECK(*err_text());
		return NULL;
	}
	pool_state(&seen, &state);
	FUZZ_CHECK(state.wanted.rdma && state.wanted.by == BY_POOL);
	FUZZ_CHECK(!pool_xml_facts(xml)->dropped_ns);
	FUZZ_CHECK(!pool_xml_format(xml, &text));
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL, *again = NULL;
	_cleanup_(pool_xml_free_p) struct pool_xml *saved = NULL;
	_cleanup_free_ char *once = NULL, *twice = NULL;
	char *domain = fuzz_text(data, size);

	pool_guests_uses(domain, "vms", "/pool");
	free(domain);
	if (!pool_xml_parse_saved(&saved, (const char *)data, size))
		audit(saved);
	if (pool_xml_parse(&xml, (const char *)data, size))
		return 0;
	/* As libvirt keeps it, it may have more around it. */
	FUZZ_CHECK(saved);
	audit(xml);
	once = convert(xml);
	if (!once)
		return 0;
	/* Indented it may be longer than what is read. */
	if (pool_xml_parse(&again, once, strlen(once))) {
		FUZZ_CHECK(strlen(once) > POOL_XML_MAX);
		return 0;
	}
	twice = convert(again);
	FUZZ_CHECK(twice && !strcmp(once, twice));
	return 0;
}

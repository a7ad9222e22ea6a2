/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Running guests of libvirt, by the files that it keeps of them: no daemon is asked, which may be
 * stuck. Before a step that interrupts guests their names are told. */
#include "plugin/cli/cli.h"
#include "plugin/cli/guests.h"
#include "plugin/host/text.h"
#include "plugin/report/words.h"
#include "rpcrdma/base/grow.h"

/* Guests that could not be read in this time are not named. */
#define GUESTS_MS 1000

static int guests_read(const struct host *host, const char *file, struct guests_one *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };

	snprintf(out->path, sizeof(out->path), GUESTS_FOLDER "/%.400s", file);
	out->rc = host_read(host, out->path, DOMAIN_XML_MAX, &text);
	if (!out->rc)
		out->rc = domain_disks_parse(&out->disks, text.text, text.len);
	out->name = !out->rc && out->disks.name ? out->disks.name : file;
	return out->rc;
}

int guests_each(const struct host *host, uint64_t deadline, guests_fn *fn, void *arg)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	int rc = host_list(host, GUESTS_FOLDER, &list);
	unsigned int n = 0;
	size_t i;

	for (i = 0; !rc && i < list.count; i++) {
		struct guests_one one = { .rc = 0 };

		if (!text_ends_with(list.names[i], ".xml"))
			continue;
		if (!deadline_left(deadline))
			return err_set(ETIMEDOUT, "timed out after %u guests", n);
		/* It may have ended since the folder was listed. */
		if (guests_read(host, list.names[i], &one) != -ENOENT) {
			n++;
			fn(arg, &one);
		}
		domain_disks_fini(&one.disks);
	}
	return rc == -ENOENT ? 0 : rc;
}

/* --- before a step
 * ------------------------------------------------------------------------------- */

/* A finding whose steps interrupt guests, and those that use its target or pool. */
struct guests_finding {
	struct finding *finding;
	struct words words;
};

struct guests_search {
	struct guests_finding *list;
	unsigned int count;
	bool no_memory;
};

static void guests_collect(void *arg, struct finding *finding)
{
	struct guests_search *search = arg;

	if (*finding_evidence(finding, "target") != '/' || search->no_memory)
		return;
	if (!grow(search->list, search->count)) {
		search->no_memory = true;
		return;
	}
	search->list[search->count++] = (struct guests_finding){ .finding = finding,
								 .words = { .separator = ", " } };
}

static bool guests_uses(const struct domain_disk *disk, const struct finding *finding)
{
	if (disk->path)
		return text_below(finding_evidence(finding, "target"), disk->path);
	return disk->pool && !strcmp(disk->pool, finding_evidence(finding, "pool"));
}

static void guests_match(void *arg, const struct guests_one *one)
{
	const struct guests_search *search = arg;
	unsigned int i;
	size_t j;

	for (i = 0; !one->rc && i < search->count; i++) {
		for (j = 0; j < one->disks.count; j++)
			if (guests_uses(&one->disks.list[j], search->list[i].finding))
				break;
		if (j < one->disks.count)
			words_add(&search->list[i].words, "%s", one->name);
	}
}

void guests_name(struct report *report, const struct host *host)
{
	struct guests_search search = { .count = 0 };
	unsigned int i;

	report_interrupting(report, guests_collect, &search);
	if (search.count)
		guests_each(host, host_deadline(host, GUESTS_MS), guests_match, &search);
	for (i = 0; i < search.count; i++) {
		const char *names = words_text(&search.list[i].words);

		if (*names)
			finding_text(search.list[i].finding, "guests", "%s", names);
	}
	free(search.list);
}

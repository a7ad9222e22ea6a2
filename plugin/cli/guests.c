/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Running guests of libvirt, by the files that it keeps of them: no daemon is asked, which may be stuck.
 * Before a step that interrupts guests their names are told. */
#include "plugin/cli/cli.h"
#include "plugin/cli/guests.h"
#include "plugin/host/text.h"
#include "plugin/report/words.h"

#define GUESTS_MS 2000

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

/* --- before a step ------------------------------------------------------------------------------- */

struct guests_search {
	const char *target, *pool;
	struct words words;
};

static void guests_match(void *arg, const struct guests_one *one)
{
	struct guests_search *search = arg;
	size_t i;

	for (i = 0; !one->rc && i < one->disks.count; i++) {
		const struct domain_disk *disk = &one->disks.list[i];

		if (disk->path ? text_below(search->target, disk->path) != NULL
			       : disk->pool && !strcmp(disk->pool, search->pool)) {
			words_add(&search->words, "%s", one->name);
			return;
		}
	}
}

static void guests_add(void *arg, struct finding *finding)
{
	struct guests_search search = {
		.target = finding_evidence(finding, "target"),
		.pool = finding_evidence(finding, "pool"),
		.words = { .separator = ", " },
	};

	if (*search.target == '/' &&
	    !guests_each(arg, host_deadline(arg, GUESTS_MS), guests_match, &search) &&
	    *words_text(&search.words))
		finding_text(finding, "guests", "%s", words_text(&search.words));
}

void guests_name(struct report *report, const struct host *host)
{
	report_interrupting(report, guests_add, (void *)host);
}

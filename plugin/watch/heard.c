/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Pools and guests, as libvirt last reported them. They are kept while libvirt does not
 * answer, and so are the pools' requests for RDMA. */
#include "plugin/watch/internal.h"

static void pool_fini(struct heard_pool *pool)
{
	pool_info_fini(&pool->info);
	pool_xml_free(pool->xml);
}

static void forget_pools(struct heard_pool *pools, size_t count)
{
	while (count)
		pool_fini(&pools[--count]);
	free(pools);
}

static void forget_guests(struct heard *heard)
{
	while (heard->nguests)
		domain_disks_fini(&heard->guests[--heard->nguests].disks);
	free(heard->guests);
	heard->guests = NULL;
}

void heard_fini(struct heard *heard)
{
	forget_pools(heard->pools, heard->npools);
	forget_guests(heard);
	*heard = (struct heard){ .connected = false };
}

static uint64_t missing_since(const struct heard *heard, const struct pool_info *info)
{
	size_t i;

	for (i = 0; i < heard->npools; i++)
		if (!strcmp(heard->pools[i].info.uuid, info->uuid) && info->active)
			return heard->pools[i].missing_ms;
	return 0;
}

static int take_pools(struct heard *heard, struct pool_list *list)
{
	struct heard_pool *pools = calloc(list->count + 1, sizeof(*pools));
	size_t i;

	if (!pools)
		return err_set(ENOMEM, "no memory");
	for (i = 0; i < list->count; i++) {
		const char *xml = list->list[i].xml;

		pools[i].missing_ms = missing_since(heard, &list->list[i]);
		if (pool_xml_parse(&pools[i].xml, xml, strlen(xml)))
			snprintf(pools[i].broken, sizeof(pools[i].broken), "%s",
				 err_text());
		pools[i].info = list->list[i];
		list->list[i] = (struct pool_info){ .name = NULL };
	}
	forget_pools(heard->pools, heard->npools);
	heard->pools = pools;
	heard->npools = list->count;
	heard->has_pools = true;
	return 0;
}

static struct follow_guest *find_guest(const struct heard *heard, const char *uuid)
{
	size_t i;

	for (i = 0; i < heard->nguests; i++)
		if (!strcmp(heard->guests[i].uuid, uuid))
			return &heard->guests[i];
	return NULL;
}

static void forget_guest(struct heard *heard, struct follow_guest *guest)
{
	domain_disks_fini(&guest->disks);
	*guest = heard->guests[--heard->nguests];
}

static int take_guest(struct heard *heard, struct follow_guest *guest)
{
	struct follow_guest *old = find_guest(heard, guest->uuid), *grown;

	if (guest->gone) {
		if (old)
			forget_guest(heard, old);
		return 0;
	}
	if (!old) {
		grown = realloc(heard->guests, (heard->nguests + 1) * sizeof(*grown));
		if (!grown)
			return err_set(ENOMEM, "no memory");
		heard->guests = grown;
		old = &grown[heard->nguests++];
		*old = (struct follow_guest){ .gone = false };
	}
	domain_disks_fini(&old->disks);
	*old = *guest;
	guest->disks = (struct domain_disks){ .name = NULL };
	return 0;
}

int heard_apply(struct heard *heard, struct follow_changes *news)
{
	int rc = 0, one;
	size_t i;

	heard->connected = news->connected;
	heard->remote = news->remote;
	strcpy(heard->uri, news->uri);
	strcpy(heard->why, news->why);
	if (news->has_pools) {
		rc = take_pools(heard, &news->pools);
		heard->pools_ms = news->pools_ms;
	}
	if (news->forget_guests)
		forget_guests(heard);
	for (i = 0; i < news->nguests; i++) {
		one = take_guest(heard, &news->guests[i]);
		rc = rc ? rc : one;
	}
	return rc;
}

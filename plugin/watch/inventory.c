/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Pools and guests, as libvirt last reported them. They are kept while libvirt does not
 * answer, and so are the pools' requests for RDMA. */
#include "plugin/watch/internal.h"

static void pool_fini(struct inventory_pool *pool)
{
	pool_info_fini(&pool->info);
	pool_xml_free(pool->xml);
}

static void forget_pools(struct inventory_pool *pools, size_t count)
{
	while (count)
		pool_fini(&pools[--count]);
	free(pools);
}

static void forget_guests(struct inventory *inventory)
{
	while (inventory->nguests)
		domain_disks_fini(&inventory->guests[--inventory->nguests].disks);
	free(inventory->guests);
	inventory->guests = NULL;
}

void inventory_fini(struct inventory *inventory)
{
	forget_pools(inventory->pools, inventory->npools);
	forget_guests(inventory);
	*inventory = (struct inventory){ .connected = false };
}

static uint64_t missing_since(const struct inventory *inventory,
			      const struct pool_info *info)
{
	size_t i;

	for (i = 0; i < inventory->npools; i++)
		if (!strcmp(inventory->pools[i].info.uuid, info->uuid) && info->active)
			return inventory->pools[i].missing_ms;
	return 0;
}

static int take_pools(struct inventory *inventory, struct pool_list *list)
{
	struct inventory_pool *pools = calloc(list->count + 1, sizeof(*pools));
	size_t i;

	if (!pools)
		return err_set(ENOMEM, "no memory");
	for (i = 0; i < list->count; i++) {
		const char *xml = list->list[i].xml;

		pools[i].missing_ms = missing_since(inventory, &list->list[i]);
		if (pool_xml_parse(&pools[i].xml, xml, strlen(xml)))
			snprintf(pools[i].broken, sizeof(pools[i].broken), "%s",
				 err_text());
		pools[i].info = list->list[i];
		list->list[i] = (struct pool_info){ .name = NULL };
	}
	forget_pools(inventory->pools, inventory->npools);
	inventory->pools = pools;
	inventory->npools = list->count;
	inventory->has_pools = true;
	return 0;
}

static struct follow_guest *find_guest(const struct inventory *inventory,
				       const char *uuid)
{
	size_t i;

	for (i = 0; i < inventory->nguests; i++)
		if (!strcmp(inventory->guests[i].uuid, uuid))
			return &inventory->guests[i];
	return NULL;
}

static void forget_guest(struct inventory *inventory, struct follow_guest *guest)
{
	domain_disks_fini(&guest->disks);
	*guest = inventory->guests[--inventory->nguests];
}

static int take_guest(struct inventory *inventory, struct follow_guest *guest)
{
	struct follow_guest *old = find_guest(inventory, guest->uuid), *grown;

	if (guest->gone) {
		if (old)
			forget_guest(inventory, old);
		return 0;
	}
	if (!old) {
		grown = realloc(inventory->guests,
				(inventory->nguests + 1) * sizeof(*grown));
		if (!grown)
			return err_set(ENOMEM, "no memory");
		inventory->guests = grown;
		old = &grown[inventory->nguests++];
		*old = (struct follow_guest){ .gone = false };
	}
	domain_disks_fini(&old->disks);
	*old = *guest;
	guest->disks = (struct domain_disks){ .name = NULL };
	return 0;
}

int inventory_apply(struct inventory *inventory, struct follow_changes *news)
{
	int rc = 0, one;
	size_t i;

	inventory->connected = news->connected;
	inventory->remote = news->remote;
	strcpy(inventory->uri, news->uri);
	strcpy(inventory->why, news->why);
	if (news->has_pools) {
		rc = take_pools(inventory, &news->pools);
		inventory->pools_ms = news->pools_ms;
	}
	if (news->forget_guests)
		forget_guests(inventory);
	for (i = 0; i < news->nguests; i++) {
		one = take_guest(inventory, &news->guests[i]);
		rc = rc ? rc : one;
	}
	return rc;
}

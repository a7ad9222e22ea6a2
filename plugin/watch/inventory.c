/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Pools and guests, as libvirt last reported them. They are kept while libvirt does not
 * answer, and so are the pools' requests for RDMA. */
#include "plugin/watch/internal.h"
#include "rpcrdma/base/grow.h"

static void inventory_free_pools(struct inventory_pool *pools, size_t count)
{
	while (count) {
		pool_info_fini(&pools[--count].info);
		pool_xml_free(pools[count].xml);
	}
	free(pools);
}

static void inventory_free_guests(struct inventory *inventory)
{
	while (inventory->nguests)
		domain_disks_fini(&inventory->guests[--inventory->nguests].disks);
	free(inventory->guests);
	inventory->guests = NULL;
}

void inventory_fini(struct inventory *inventory)
{
	inventory_free_pools(inventory->pools, inventory->npools);
	inventory_free_guests(inventory);
	*inventory = (struct inventory){ .connected = false };
}

static int inventory_take_pools(struct inventory *inventory, struct pool_list *list)
{
	struct inventory_pool *pools = calloc(list->count + 1, sizeof(*pools));
	size_t i, j;

	if (!pools)
		return err_no_memory();
	for (i = 0; i < list->count; i++) {
		const char *xml = list->list[i].xml, *uuid = list->list[i].uuid;

		for (j = 0; j < inventory->npools; j++)
			if (!strcmp(inventory->pools[j].info.uuid, uuid))
				break;
		if (j < inventory->npools && list->list[i].active)
			pools[i].missing_ms = inventory->pools[j].missing_ms;
		if (pool_xml_parse(&pools[i].xml, xml, strlen(xml)))
			str_copy(pools[i].broken, sizeof(pools[i].broken), err_text());
		pools[i].info = list->list[i];
		list->list[i] = (struct pool_info){ .name = NULL };
	}
	inventory_free_pools(inventory->pools, inventory->npools);
	inventory->pools = pools;
	inventory->npools = list->count;
	inventory->has_pools = true;
	return 0;
}

static int inventory_take_guest(struct inventory *inventory, struct follow_guest *guest)
{
	struct follow_guest *old = NULL;
	size_t i;

	for (i = 0; i < inventory->nguests && !old; i++)
		if (!strcmp(inventory->guests[i].uuid, guest->uuid))
			old = &inventory->guests[i];
	if (guest->gone) {
		if (!old)
			return 0;
		domain_disks_fini(&old->disks);
		*old = inventory->guests[--inventory->nguests];
		return 0;
	}
	if (!old) {
		if (!grow(inventory->guests, inventory->nguests))
			return err_no_memory();
		old = &inventory->guests[inventory->nguests++];
		*old = (struct follow_guest){ .gone = false };
	}
	domain_disks_fini(&old->disks);
	*old = *guest;
	guest->disks = (struct domain_disks){ .name = NULL };
	return 0;
}

int inventory_apply(struct inventory *inventory, struct follow_changes *changes)
{
	int rc = 0, one;
	size_t i;

	inventory->connected = changes->connected;
	inventory->remote = changes->remote;
	str_copy(inventory->uri, sizeof(inventory->uri), changes->uri);
	str_copy(inventory->why, sizeof(inventory->why), changes->why);
	if (changes->has_pools) {
		rc = inventory_take_pools(inventory, &changes->pools);
		inventory->pools_ms = changes->pools_ms;
	}
	if (changes->forget_guests)
		inventory_free_guests(inventory);
	for (i = 0; i < changes->nguests; i++) {
		one = inventory_take_guest(inventory, &changes->guests[i]);
		if (!rc)
			rc = one;
	}
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Directories where something other than fstab and libvirt mounts: .mount units of systemd
 * (systemd.mount(5)), NFS storages of Proxmox VE, and the directories of VDSM's domains, whose
 * names have their source. */
#include <stdio.h>

#include "plugin/view/internal.h"

#define PVE_FOLDER "/etc/pve"

/* Not all is known of what is wanted; the rest of it is still of use: 0. */
static int configured_lose(struct view *view, const char *what)
{
	if (!*view->configured_unknown)
		snprintf(view->configured_unknown, sizeof(view->configured_unknown),
			 "%s could not be read: %.200s", what, err_text());
	return 0;
}

/* No folder is listed, and no file read, that is at or below a network mount. */
static bool configured_is_local(const struct view *view, const char *path)
{
	struct host_path found;

	return !host_path_resolve(view->host, &view->tree, path, &found) &&
	       found.end == HOST_PATH_LOCAL && !found.missing;
}

/* --- units ------------------------------------------------------------------------------ */

static bool configured_is_automounted(const struct host *host, const char *unit)
{
	enum unit_state state;
	char name[NAME_MAX + 16];

	snprintf(name, sizeof(name), "%.*s.automount", (int)(strlen(unit) - strlen(".mount")),
		 unit);
	return !host_unit_state(host, name, &state) && state == UNIT_ENABLED;
}

/* Without [Install] a unit is neither enabled nor disabled: another one that needs it starts it. */
static bool configured_is_static(const struct host *host, const char *unit)
{
	char wanted[64], required[64], upheld[64];
	const struct unit_setting settings[] = { { "WantedBy", wanted, sizeof(wanted), false },
						 { "RequiredBy", required, sizeof(required),
						   false },
						 { "UpheldBy", upheld, sizeof(upheld), false },
						 { NULL, NULL, 0, false } };

	return !host_unit_read(host, unit, "Install", settings) && !*wanted && !*required &&
	       !*upheld;
}

/* A unit that was enabled by its path is a link, perhaps to a file on a network mount. A snapshot
 * has not all mounts, so what cannot be resolved is read. */
static bool configured_is_remote(const struct view *view, const char *file)
{
	struct host_path found;
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "/%s", file) < PATH_MAX &&
	       !host_path_resolve(view->host, &view->tree, path, &found) &&
	       found.end != HOST_PATH_LOCAL;
}

/* @file: "etc/systemd/system/srv-vm.mount". */
static int configured_add_unit(struct view *view, const char *file)
{
	char what[1024], where[PATH_MAX], type[32], options[1024];
	const struct unit_setting settings[] = { { "What", what, sizeof(what), false },
						 { "Where", where, sizeof(where), false },
						 { "Type", type, sizeof(type), false },
						 { "Options", options, sizeof(options), false },
						 { NULL, NULL, 0, false } };
	const char *unit = strrchr(file, '/') + 1;
	struct view_place place = { .kind = PLACE_UNIT,
				    .target = where,
				    .fs_spec = what,
				    .options = options,
				    .name = (char *)unit };
	enum unit_state state;
	struct view_asks asks;
	bool later;
	int rc;

	if (configured_is_remote(view, file)) {
		err_set(EXDEV, "/%.100s is not on a disk of this host", file);
		return configured_lose(view, "units");
	}
	rc = host_unit_read(view->host, unit, "Mount", settings);
	/* A link that leads nowhere is no unit. */
	if (rc == -ENOENT)
		return 0;
	if (rc)
		return configured_lose(view, "units");
	/* mount(8) takes "nas:/vm" without a type for NFS. A specifier is not expanded here. */
	if (*where != '/' || !(*type ? places_is_nfs(type) : strstr(what, ":/") != NULL) ||
	    strchr(where, '%') || strchr(what, '%'))
		return 0;
	/* Last, because it lists folders: most units mount no NFS. */
	if (host_unit_state(view->host, unit, &state))
		return configured_lose(view, "units");
	if (state != UNIT_ENABLED && state != UNIT_DISABLED)
		return 0;
	view_asks(type, options, &asks);
	later = configured_is_automounted(view->host, unit);
	place.asked = asks.asked;
	place.force = asks.force;
	place.idle = state != UNIT_ENABLED && !later && !configured_is_static(view->host, unit);
	place.expected = state == UNIT_ENABLED && !later;
	place.plain = strcmp(type, "nfsrdma") != 0;
	snprintf(place.by, sizeof(place.by), "/%.300s", file);
	return view_places_add(&view->configured, &place);
}

static int configured_add_units(struct view *view)
{
	_cleanup_(host_list_fini) struct host_list files = { NULL, 0, false };
	int rc = host_units(view->host, ".mount", &files);
	size_t i;

	if (files.cut)
		err_set(E2BIG, "there are more than %zu", files.count);
	if (files.cut || (rc && rc != -ENOMEM))
		configured_lose(view, "units");
	for (i = 0; !rc && i < files.count; i++)
		rc = configured_add_unit(view, files.names[i]);
	return rc == -ENOMEM ? rc : 0;
}

/* --- Proxmox VE ------------------------------------------------------------------------- */

/* Proxmox VE mounts a storage before it uses it, and not at boot. */
static int configured_add_storage(struct view *view, const struct proxmox_storage *storage)
{
	char target[PATH_MAX], source[600];
	bool bare = strchr(storage->server, ':') && *storage->server != '[';
	struct view_place place = { .kind = PLACE_STORAGE,
				    .target = target,
				    .fs_spec = source,
				    .options = (char *)storage->options,
				    .name = (char *)storage->name,
				    .idle = storage->disabled,
				    .plain = true };
	struct view_asks asks;

	if (!*storage->server || *storage->export != '/')
		return 0;
	/* The default of PVE::Storage::NFSPlugin. */
	snprintf(target, sizeof(target), "%s%s", *storage->path ? "" : "/mnt/pve/",
		 *storage->path ? storage->path : storage->name);
	snprintf(source, sizeof(source), "%s%s%s:%s", bare ? "[" : "", storage->server,
		 bare ? "]" : "", storage->export);
	view_asks("nfs", storage->options, &asks);
	place.asked = asks.asked;
	place.force = asks.force;
	snprintf(place.by, sizeof(place.by), "/etc/pve/storage.cfg:%u", storage->line);
	return view_places_add(&view->configured, &place);
}

static bool configured_has_pmxcfs(const struct view *view)
{
	size_t i;

	for (i = 0; i < view->tree.count; i++)
		if (!strcmp(view->tree.list[i].target, PVE_FOLDER))
			return true;
	return false;
}

/* Without pmxcfs a running system has no storages, and a snapshot of it does not hold the file. */
static int configured_add_storages(struct view *view)
{
	_cleanup_free_ struct proxmox_storages *storages = malloc(sizeof(*storages));
	unsigned int i;
	int rc;

	if (!storages)
		return err_no_memory();
	if (host_is_live(view->host) && !configured_has_pmxcfs(view))
		return 0;
	rc = host_proxmox(view->host, storages);
	if (rc == -ENODATA && !configured_has_pmxcfs(view))
		return 0;
	if (storages->cut)
		err_set(E2BIG, "there are more than %u", storages->count);
	if (storages->cut || (rc && rc != -ENOMEM))
		configured_lose(view, "storages of Proxmox VE");
	for (i = 0; !rc && i < storages->count; i++)
		rc = configured_add_storage(view, &storages->list[i]);
	return rc == -ENOMEM ? rc : 0;
}

/* --- VDSM ------------------------------------------------------------------------------- */

/* VDSM has linked a domain that it uses: REPOSITORY/POOL/DOMAIN to REPOSITORY/mnt/NAME/DOMAIN. Each
 * link is read once, because a host may have hundreds. */
static void configured_find_linked(const struct view *view, const char *pool,
				   const struct host_list *names, bool *linked)
{
	_cleanup_(host_list_fini) struct host_list links = { NULL, 0, false };
	char path[PATH_MAX], link[PATH_MAX];
	const char *at;
	size_t i, j, len;

	snprintf(path, sizeof(path), "%.2000s/%.255s", view->repository, pool);
	if (!strcmp(pool, "mnt") || !configured_is_local(view, path) ||
	    host_list(view->host, path, &links))
		return;
	for (i = 0; i < links.count; i++) {
		snprintf(path, sizeof(path), "%.2000s/%.255s/%.255s", view->repository, pool,
			 links.names[i]);
		if (host_link(view->host, path, link, sizeof(link)))
			continue;
		at = strstr(link, "/mnt/");
		len = at ? strcspn(at + 5, "/") : 0;
		for (j = 0; at && j < names->count; j++)
			linked[j] |= !strncmp(at + 5, names->names[j], len) &&
				     !names->names[j][len];
	}
}

static int configured_add_domain(struct view *view, const char *name, bool linked)
{
	char target[PATH_MAX], source[PATH_MAX];
	const struct view_place place = { .kind = PLACE_DOMAIN,
					  .target = target,
					  .fs_spec = source,
					  .expected = linked,
					  .by = "VDSM" };

	snprintf(target, sizeof(target), "%.2000s%.255s", view->domains, name);
	if (host_repository_source(target, source, sizeof(source)))
		return 0;
	return view_places_add(&view->configured, &place);
}

static int configured_add_domains(struct view *view)
{
	_cleanup_(host_list_fini) struct host_list pools = { NULL, 0, false },
						   names = { NULL, 0, false };
	_cleanup_free_ bool *linked = NULL;
	size_t i;
	int rc = 0;

	if (!configured_is_local(view, view->domains))
		return 0;
	rc = host_list(view->host, view->repository, &pools);
	if (!rc)
		rc = host_list(view->host, view->domains, &names);
	if (rc && rc != -ENOENT && rc != -ENOMEM)
		configured_lose(view, "domains of VDSM");
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	linked = calloc(names.count + 1, sizeof(*linked));
	if (!linked)
		return err_no_memory();
	for (i = 0; i < pools.count; i++)
		configured_find_linked(view, pools.names[i], &names, linked);
	for (i = 0; !rc && i < names.count; i++)
		rc = configured_add_domain(view, names.names[i], linked[i]);
	return rc;
}

int configured_places(struct view *view)
{
	int rc = configured_add_units(view);

	if (!rc)
		rc = configured_add_storages(view);
	return rc ? rc : configured_add_domains(view);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A drive as VDSM hands it to after_disk_prepare (lib/vdsm/clientIF.py, prepareVolumePath()):
 *
 *	{"device": "disk", "name": "vda", "diskType": "file",
 *	 "path": "/rhev/data-center/POOL/DOMAIN/images/IMAGE/VOLUME",
 *	 "volumeChain": [{"domainID": …, "path": "/rhev/data-center/mnt/…", …}, …],
 *	 "volumeInfo": {"type": "file", "path": …}, …}
 *
 * The chain has the volume itself and those that it is based on, in any order. */
#include "hooks/vdsm/internal.h"
#include "hooks/vdsm/json.h"

/* A chain of snapshots: libvirt takes 200. */
#define PATHS_MAX 512

/* NULL or "": a drive without a medium. */
static int add(struct vdsm_drive *drive, const char *path)
{
	if (!path || !path[0] || drive->npaths == PATHS_MAX)
		return 0;
	drive->paths[drive->npaths] = strdup(path);
	if (!drive->paths[drive->npaths])
		return err_set(ENOMEM, "no memory for a drive");
	drive->npaths++;
	return 0;
}

/* What it is based on is in the same folder, for qemu goes there by a relative name; only what another
 * domain has is asked for by itself. */
static int add_chain(struct vdsm_drive *drive, struct json_object *json)
{
	const char *domain = vdsm_json_text(json, "domainID"), *other;
	struct json_object *chain, *volume;
	size_t i, n;
	int rc = 0;

	if (!json_object_object_get_ex(json, "volumeChain", &chain) ||
	    !json_object_is_type(chain, json_type_array))
		return 0;
	n = json_object_array_length(chain);
	for (i = 0; !rc && i < n; i++) {
		volume = json_object_array_get_idx(chain, i);
		other = vdsm_json_text(volume, "domainID");
		if (!domain || !other || strcmp(domain, other) != 0)
			rc = add(drive, vdsm_json_text(volume, "path"));
	}
	return rc;
}

static int fill(struct vdsm_drive *drive, struct json_object *json)
{
	const char *name = vdsm_json_text(json, "name");
	const char *type = vdsm_json_text(json, "diskType");
	int rc;

	drive->name = strdup(name && name[0] ? name : "?");
	drive->paths = calloc(PATHS_MAX, sizeof(*drive->paths));
	if (!drive->name || !drive->paths)
		return err_set(ENOMEM, "no memory for a drive");
	finding_clean(drive->name);
	/* An older VDSM does not say, and then it is a file. */
	if (type && strcmp(type, "file") != 0)
		return 0;
	rc = add(drive, vdsm_json_text(json, "path"));
	return rc ? rc : add_chain(drive, json);
}

int vdsm_drive_parse(struct vdsm_drive *out, const char *text, size_t len)
{
	_cleanup_(vdsm_json_put_p) struct json_object *json = NULL;
	int rc = vdsm_json_object(text, len, &json);

	if (rc)
		return err_context(rc, "VDSM's drive");
	if (!vdsm_json_text(json, "path"))
		return err_set(EBADMSG, "VDSM's drive names no path");
	*out = (struct vdsm_drive){ NULL, 0, NULL };
	rc = fill(out, json);
	if (rc)
		vdsm_drive_fini(out);
	return rc;
}

void vdsm_drive_fini(struct vdsm_drive *drive)
{
	size_t i;

	for (i = 0; i < drive->npaths; i++)
		free(drive->paths[i]);
	free(drive->paths);
	free(drive->name);
	*drive = (struct vdsm_drive){ NULL, 0, NULL };
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The record of a system's answers (format in live.h): live_record() writes it,
 * live_replay answers from it. Needs no library except json-c, so every program that
 * reads a machine may be linked with it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/host/json.h"
#include "plugin/host/json.h"
#include "plugin/live/internal.h"

#define RECORD_MAX      (256 * 1024)
#define LIVE_RECORD_LOG ".nfsrdma/log.json"

const char *const live_units[] = {
	/* packet filters */
	"firewalld.service",
	"nftables.service",
	"iptables.service",
	"ufw.service",
	/* NFS */
	"nfs-server.service",
	"nfs-ganesha.service",
	"nfs-mountd.service",
	"nfs-client.target",
	"rpcbind.service",
	"rpcbind.socket",
	"rpc-statd.service",
	/* RDMA */
	"rdma-load-modules@rdma.service",
	"rdma-load-modules@infiniband.service",
	"rdma.service",
	"openibd.service",
	"opensm.service",
	/* hypervisors */
	"libvirtd.service",
	"virtqemud.service",
	"virtstoraged.service",
	"vdsmd.service",
	"pveproxy.service",
	NULL,
};

/* --- names of files --------------------------------------------------------------- */

static int live_record_address_path(char path[HOST_PATH_MAX], const struct transport_address *to)
{
	size_t len;
	const void *bytes = live_address_bytes((const struct sockaddr *)&to->addr, &len);
	char text[INET6_ADDRSTRLEN];

	if (!bytes || !inet_ntop(to->addr.ss_family, bytes, text, sizeof(text)))
		return err_set(EINVAL, "an address of another family has no route");
	snprintf(path, HOST_PATH_MAX, ".nfsrdma/route-%s.json", text);
	return 0;
}

static int live_record_netdev_path(char path[HOST_PATH_MAX], const char *what, const char *netdev)
{
	if (!netdev[0] || strlen(netdev) >= IFNAMSIZ || strchr(netdev, '/'))
		return err_set(EINVAL, "no network device has the name \"%.20s\"", netdev);
	snprintf(path, HOST_PATH_MAX, ".nfsrdma/%s-%s.json", what, netdev);
	return 0;
}

/* --- replay ------------------------------------------------------------------------ */

static int live_record_missing(int rc, const char *path)
{
	return rc == -ENOENT ? err_set(ENODATA, "the snapshot has no %s", path) : rc;
}

static int live_record_read(const struct host *host, const char *path, struct json_object **out)
{
	_cleanup_(host_text_fini) struct host_text text = { 0 };
	int rc;

	rc = host_read(host, path, RECORD_MAX, &text);
	if (rc)
		return live_record_missing(rc, path);
	rc = json_parse(text.text, text.len, JSON_BYTES, out);
	return rc ? err_context(rc, "%s", path) : 0;
}

static int live_replay_route(const struct host *host, const struct transport_address *to,
			     struct host_route *out)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	char path[HOST_PATH_MAX];
	int rc;

	rc = live_record_address_path(path, to);
	if (!rc)
		rc = live_record_read(host, path, &json);
	return rc ? rc : live_decode_route(json, out);
}

static int live_replay_nftables(const struct host *host, struct host_text *json)
{
	static const char path[] = ".nfsrdma/nft.json";
	_cleanup_(json_put_p) struct json_object *error = NULL;
	struct host_text text = { 0 };
	int rc;

	rc = host_read(host, path, LIVE_NFT_MAX, &text);
	if (rc)
		return live_record_missing(rc, path);
	/* Errors are short; this avoids parsing nft's own output twice. */
	if (text.len < 2 * ERR_TEXT_MAX)
		json_parse(text.text, text.len, JSON_BYTES, &error);
	rc = answer_decode_error(error);
	if (rc)
		host_text_fini(&text);
	else
		*json = text;
	return rc;
}

static int live_replay_firewalld(const struct host *host, const char *netdev,
				 struct host_firewalld *out)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	char path[HOST_PATH_MAX];
	int rc;

	rc = live_record_netdev_path(path, "firewalld", netdev);
	if (!rc)
		rc = live_record_read(host, path, &json);
	return rc ? rc : live_decode_firewalld(json, out);
}

static int live_replay_unit(const struct host *host, const char *unit, char *state, size_t cap)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	int rc;

	rc = live_record_read(host, ".nfsrdma/units.json", &json);
	return rc ? rc : live_decode_unit(json, unit, state, cap);
}

static int live_replay_addresses(const struct host *host, const char *netdev,
				 struct host_addresses *out)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	char path[HOST_PATH_MAX];
	int rc;

	rc = live_record_netdev_path(path, "addresses", netdev);
	if (!rc)
		rc = live_record_read(host, path, &json);
	return rc ? rc : live_decode_addresses(json, out);
}

static int live_replay_log(const struct host *host, struct live_log *out)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	int rc = live_record_read(host, LIVE_RECORD_LOG, &json);

	return rc ? rc : live_decode_log(json, out);
}

/* --- record ------------------------------------------------------------------------- */

struct live_recorder {
	const struct live_ops *live;
	const struct host *host;
	live_file file;
	void *arg;
};

/* Takes ownership of @json. */
static int live_record_write(struct live_recorder *to, const char *path, struct json_object *json)
{
	_cleanup_(json_put_p) struct json_object *owned = json;
	const char *text;
	size_t len;

	text = json_object_to_json_string_length(
		owned, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
	if (!owned || !text)
		return err_no_memory();
	return to->file(to->arg, path, text, len);
}

static int live_record_route(struct live_recorder *to, const struct transport_address *address)
{
	char path[HOST_PATH_MAX];
	struct host_route route;
	int rc;

	rc = live_record_address_path(path, address);
	if (rc)
		return rc;
	rc = to->live->route(to->host, address, &route);
	return live_record_write(to, path,
				 rc ? answer_encode_error(rc) : live_encode_route(&route));
}

static int live_record_nftables(struct live_recorder *to)
{
	static const char path[] = ".nfsrdma/nft.json";
	_cleanup_(host_text_fini) struct host_text json = { 0 };
	int rc;

	rc = to->live->nftables(to->host, &json);
	if (rc)
		return live_record_write(to, path, answer_encode_error(rc));
	return to->file(to->arg, path, json.text, json.len);
}

static int live_record_firewalld(struct live_recorder *to, const char *netdev)
{
	struct host_firewalld firewalld;
	char path[HOST_PATH_MAX];
	int rc;

	rc = live_record_netdev_path(path, "firewalld", netdev);
	if (rc)
		return rc;
	rc = to->live->firewalld(to->host, netdev, &firewalld);
	return live_record_write(to, path,
				 rc ? answer_encode_error(rc) : live_encode_firewalld(&firewalld));
}

static int live_record_addresses(struct live_recorder *to, const char *netdev)
{
	struct host_addresses addresses;
	char path[HOST_PATH_MAX];
	int rc;

	rc = live_record_netdev_path(path, "addresses", netdev);
	if (rc)
		return rc;
	rc = to->live->addresses(to->host, netdev, &addresses);
	return live_record_write(to, path,
				 rc ? answer_encode_error(rc) : live_encode_addresses(&addresses));
}

static int live_record_log(struct live_recorder *to)
{
	_cleanup_(live_log_fini) struct live_log log = { 0 };
	int rc;

	if (!to->live->log)
		return 0;
	rc = to->live->log(to->host, &log);
	return live_record_write(to, LIVE_RECORD_LOG,
				 rc ? answer_encode_error(rc) : live_encode_log(&log));
}

/* If the first query fails, all would: one error for all, and one deadline. */
static int live_record_units(struct live_recorder *to)
{
	struct json_object *json = json_object_new_object(), *value;
	const char *const *unit;
	char state[64];
	int rc;

	for (unit = live_units; *unit; unit++) {
		rc = to->live->unit(to->host, *unit, state, sizeof(state));
		value = rc == -ENOENT ? NULL
			: rc          ? answer_encode_error(rc)
				      : json_object_new_string(state);
		if (json_object_is_type(value, json_type_object) && unit == live_units) {
			json_object_put(json);
			return live_record_write(to, ".nfsrdma/units.json", value);
		}
		json_object_object_add(json, *unit, value);
	}
	return live_record_write(to, ".nfsrdma/units.json", json);
}

int live_record(const struct live_ops *live, const struct host *host,
		const struct live_wanted *wanted, live_file file, void *arg)
{
	struct live_recorder to = { live, host, file, arg };
	unsigned int i;
	int rc;

	rc = live_record_nftables(&to);
	if (!rc)
		rc = live_record_units(&to);
	if (!rc)
		rc = live_record_log(&to);
	for (i = 0; i < wanted->naddresses && !rc; i++)
		rc = live_record_route(&to, &wanted->addresses[i]);
	for (i = 0; i < wanted->nnetdevs && !rc; i++)
		rc = live_record_firewalld(&to, wanted->netdevs[i]);
	for (i = 0; i < wanted->nnetdevs && !rc; i++)
		rc = live_record_addresses(&to, wanted->netdevs[i]);
	return rc;
}

/* --- files below the root ------------------------------------------------------------- */

/* The kernel lists a table while its module is loaded, with or without rules. */
int live_legacy_tables(const struct host *host, char *names, size_t cap)
{
	static const char *const lists[] = { "proc/net/ip_tables_names",
					     "proc/net/ip6_tables_names" };
	size_t used = 0, i;
	char *cursor, *name;
	int rc;

	names[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		_cleanup_(host_text_fini) struct host_text text = { 0 };

		rc = host_read(host, lists[i], HOST_FILE_MAX, &text);
		if (rc == -ENOENT)
			continue;
		if (rc)
			return rc;
		for (cursor = text.text; (name = word_next(&cursor));) {
			if (used + strlen(name) + 2 > cap)
				break;
			used += (size_t)snprintf(names + used, cap - used, "%s%s", used ? " " : "",
						 name);
		}
	}
	finding_clean(names);
	return 0;
}

static int live_replay_changed(const struct host *host, const char *unit, int64_t *seconds)
{
	(void)host;
	(void)seconds;
	return err_set(ENODATA, "a snapshot does not have when %.64s last changed", unit);
}

const struct live_ops live_replay = {
	.route = live_replay_route,
	.nftables = live_replay_nftables,
	.firewalld = live_replay_firewalld,
	.unit = live_replay_unit,
	.addresses = live_replay_addresses,
	.changed = live_replay_changed,
	.log = live_replay_log,
};

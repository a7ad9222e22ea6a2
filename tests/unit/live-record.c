/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A system's answers, recorded and replayed. This file simulates the system. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include "plugin/live/live.h"
#include "suite.h"

static char root[64];
static struct host *host;

static int write_file(const char *path, const char *text, size_t len)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	file = fopen(full, "w");
	if (!file)
		return -errno;
	fwrite(text, 1, len, file);
	return fclose(file);
}

static int to_root(void *arg, const char *path, const char *text, size_t len)
{
	unsigned int *files = arg;

	(*files)++;
	return write_file(path, text, len);
}

static void begin(void)
{
	char folder[128];

	strcpy(root, "/tmp/nfsrdma-live.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
	snprintf(folder, sizeof(folder), "%s/.nfsrdma", root);
	mkdir(folder, 0700);
	CU_ASSERT_EQUAL_FATAL(host_open(&host, root), 0);
}

static void end(void)
{
	char command[128];

	host_close(host);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	CU_ASSERT_EQUAL(system(command), 0);
}

static struct transport_address address(const char *text)
{
	struct transport_address out;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&out.addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&out.addr;

	memset(&out, 0, sizeof(out));
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		out.len = sizeof(*in);
	} else {
		CU_ASSERT_EQUAL_FATAL(inet_pton(AF_INET6, text, &in6->sin6_addr), 1);
		in6->sin6_family = AF_INET6;
		out.len = sizeof(*in6);
	}
	transport_set_port(&out, 20049);
	return out;
}

/* --- a system --------------------------------------------------------------------- */

static const char ruleset[] = "{\"nftables\": [{\"metainfo\": {\"version\": \"1.0.6\"}}]}\n";

static int fake_route(const struct host *at, const struct transport_address *to,
		      struct host_route *out)
{
	(void)at;
	memset(out, 0, sizeof(*out));
	if (to->addr.ss_family == AF_INET6)
		return err_set(ENETUNREACH, "there is no route to 2001:db8::1");
	strcpy(out->netdev, "eth0");
	strcpy(out->gateway, "192.0.2.254");
	strcpy(out->source, "192.0.2.2");
	out->mtu = 1400;
	return 0;
}

static int fake_nftables(const struct host *at, struct host_text *json)
{
	(void)at;
	json->text = strdup(ruleset);
	json->len = strlen(ruleset);
	return 0;
}

static int no_nftables(const struct host *at, struct host_text *json)
{
	(void)at;
	(void)json;
	return err_set(EPERM, "only root may list the firewall's rules");
}

static int fake_firewalld(const struct host *at, const char *netdev, struct host_firewalld *out)
{
	(void)at;
	memset(out, 0, sizeof(*out));
	if (!strcmp(netdev, "eth1"))
		return err_set(EACCES, "firewalld: not for you");
	out->running = true;
	strcpy(out->zone, "public");
	strcpy(out->target, "%%REJECT%%");
	strcpy(out->more, "rich rules");
	out->nports = 2;
	out->ports[0] = (struct host_firewalld_port){ 4791, 4791, IPPROTO_UDP, false };
	out->ports[1] = (struct host_firewalld_port){ 1, 65535, IPPROTO_TCP, true };
	return 0;
}

static int fake_unit(const struct host *at, const char *unit, char *state, size_t cap)
{
	(void)at;
	if (!strcmp(unit, "opensm.service"))
		return err_set(ENOENT, "there is no unit opensm.service");
	if (!strcmp(unit, "vdsmd.service"))
		return err_set(ETIMEDOUT, "the system bus does not answer");
	snprintf(state, cap, "%s", strcmp(unit, "nfs-server.service") ? "inactive" : "active");
	return 0;
}

static int no_unit(const struct host *at, const char *unit, char *state, size_t cap)
{
	(void)at;
	(void)unit;
	(void)state;
	(void)cap;
	return err_set(EHOSTDOWN, "the system bus: No such file or directory");
}

static int fake_addresses(const struct host *at, const char *netdev, struct host_addresses *out)
{
	(void)at;
	memset(out, 0, sizeof(*out));
	if (!strcmp(netdev, "eth1"))
		return err_set(ENOBUFS, "the addresses of eth1: no buffer");
	strcpy(out->list[out->count++], "192.0.2.10");
	strcpy(out->list[out->count++], "fe80::1");
	return 0;
}

static int fake_log(const struct host *asked, struct live_log *out)
{
	(void)asked;
	*out = (struct live_log){ 0 };
	return live_log_add(out, 7, 3, "rpcrdma: \x1b[31mred");
}

static const struct live_ops fake_system = {
	.log = fake_log,
	.route = fake_route,
	.nftables = fake_nftables,
	.firewalld = fake_firewalld,
	.unit = fake_unit,
	.addresses = fake_addresses,
};

static const struct live_ops poor_system = {
	.route = fake_route,
	.nftables = no_nftables,
	.firewalld = fake_firewalld,
	.unit = no_unit,
	.addresses = fake_addresses,
};

static unsigned int record(const struct live_ops *live)
{
	static const char *const netdevs[] = { "eth0", "eth1" };
	struct transport_address addresses[2] = { address("192.0.2.1"), address("2001:db8::1") };
	const struct live_wanted wanted = { addresses, 2, netdevs, 2 };
	unsigned int files = 0;

	CU_ASSERT_EQUAL(live_record(live, host, &wanted, to_root, &files), 0);
	return files;
}

/* --- replayed answers ---------------------------------------------------------------- */

static void a_route_is_replayed(void)
{
	struct transport_address v4 = address("192.0.2.1"), v6 = address("2001:db8::1"),
				 other = address("192.0.2.3");
	struct host_route route;

	begin();
	CU_ASSERT_EQUAL(record(&fake_system), 9);
	CU_ASSERT_EQUAL(live_replay.route(host, &v4, &route), 0);
	CU_ASSERT_STRING_EQUAL(route.netdev, "eth0");
	CU_ASSERT_STRING_EQUAL(route.gateway, "192.0.2.254");
	CU_ASSERT_STRING_EQUAL(route.source, "192.0.2.2");
	CU_ASSERT_EQUAL(route.mtu, 1400);
	CU_ASSERT_FALSE(route.local);
	CU_ASSERT_EQUAL(live_replay.route(host, &v6, &route), -ENETUNREACH);
	CU_ASSERT_STRING_EQUAL(err_text(), "there is no route to 2001:db8::1");
	CU_ASSERT_EQUAL(live_replay.route(host, &other, &route), -ENODATA);
	CU_ASSERT_STRING_EQUAL(err_text(), "the snapshot has no .nfsrdma/route-192.0.2.3.json");
	end();
}

static void rules_are_replayed_byte_for_byte(void)
{
	struct host_text json = { NULL, 0 };

	begin();
	record(&fake_system);
	CU_ASSERT_EQUAL_FATAL(live_replay.nftables(host, &json), 0);
	CU_ASSERT_EQUAL(json.len, strlen(ruleset));
	CU_ASSERT_STRING_EQUAL(json.text, ruleset);
	host_text_fini(&json);
	end();
}

static void failed_questions_are_replayed_as_failed(void)
{
	struct host_firewalld zone;
	struct host_text json = { NULL, 0 };
	char state[32];

	begin();
	record(&poor_system);
	CU_ASSERT_EQUAL(live_replay.nftables(host, &json), -EPERM);
	CU_ASSERT_STRING_EQUAL(err_text(), "only root may list the firewall's rules");
	CU_ASSERT_EQUAL(live_replay.unit(host, "nfs-server.service", state, sizeof(state)),
			-EHOSTDOWN);
	CU_ASSERT_EQUAL(live_replay.firewalld(host, "eth1", &zone), -EACCES);
	CU_ASSERT_STRING_EQUAL(err_text(), "firewalld: not for you");
	end();
}

static void a_zone_is_replayed(void)
{
	struct host_firewalld zone;

	begin();
	record(&fake_system);
	CU_ASSERT_EQUAL(live_replay.firewalld(host, "eth0", &zone), 0);
	CU_ASSERT(zone.running);
	CU_ASSERT_FALSE(zone.panic);
	CU_ASSERT_STRING_EQUAL(zone.zone, "public");
	CU_ASSERT_STRING_EQUAL(zone.target, "%%REJECT%%");
	CU_ASSERT_STRING_EQUAL(zone.more, "rich rules");
	CU_ASSERT_EQUAL_FATAL(zone.nports, 2);
	CU_ASSERT_EQUAL(zone.ports[0].first, 4791);
	CU_ASSERT_EQUAL(zone.ports[0].protocol, IPPROTO_UDP);
	CU_ASSERT_EQUAL(zone.ports[1].last, 65535);
	CU_ASSERT_EQUAL(zone.ports[1].protocol, IPPROTO_TCP);
	CU_ASSERT(zone.ports[1].some);
	CU_ASSERT_EQUAL(live_replay.firewalld(host, "eth2", &zone), -ENODATA);
	end();
}

static void addresses_are_replayed(void)
{
	struct host_addresses addresses;

	begin();
	record(&fake_system);
	CU_ASSERT_EQUAL(live_replay.addresses(host, "eth0", &addresses), 0);
	CU_ASSERT_EQUAL_FATAL(addresses.count, 2);
	CU_ASSERT_STRING_EQUAL(addresses.list[0], "192.0.2.10");
	CU_ASSERT_STRING_EQUAL(addresses.list[1], "fe80::1");
	CU_ASSERT_EQUAL(live_replay.addresses(host, "eth1", &addresses), -ENOBUFS);
	CU_ASSERT_EQUAL(live_replay.addresses(host, "eth2", &addresses), -ENODATA);
	CU_ASSERT_EQUAL(live_replay.addresses(host, "../eth0", &addresses), -EINVAL);
	end();
}

static void the_log_is_replayed(void)
{
	static const char *const rows[] = { "{}", "[1]",
					    "[{\"age\": -1, \"level\": 3, \"text\": \"nfs\"}]",
					    "[{\"age\": 1, \"level\": 8, \"text\": \"nfs\"}]",
					    "[{\"age\": 1, \"level\": 3}]" };
	struct live_log log;
	size_t i;

	begin();
	record(&fake_system);
	CU_ASSERT_EQUAL_FATAL(live_replay.log(host, &log), 0);
	CU_ASSERT_EQUAL_FATAL(log.count, 1);
	CU_ASSERT_EQUAL(log.list[0].age, 7);
	CU_ASSERT_EQUAL(log.list[0].level, 3);
	CU_ASSERT_STRING_EQUAL(log.list[0].text, "rpcrdma: ?[31mred");
	live_log_fini(&log);
	end();
	begin();
	CU_ASSERT_EQUAL(live_replay.log(host, &log), -ENODATA);
	end();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i]);
		begin();
		write_file(".nfsrdma/log.json", rows[i], strlen(rows[i]));
		CU_ASSERT_EQUAL(live_replay.log(host, &log), -EBADMSG);
		end();
	}
}

static void invalid_addresses_are_ignored(void)
{
	static const char *const rows[] = {
		"{}",
		"[1]",
		"[\"192.0.2.10\", null]",
		"[\"192.0.2.10; reboot\"]",
		"[[\"192.0.2.10\"]]",
		"[\"nas1\"]",
		"\"192.0.2.10\"",
	};
	struct host_addresses addresses;
	char text[4096];
	size_t i, used;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i]);
		begin();
		write_file(".nfsrdma/addresses-eth0.json", rows[i], strlen(rows[i]));
		CU_ASSERT_EQUAL(live_replay.addresses(host, "eth0", &addresses), -EBADMSG);
		end();
	}
	used = (size_t)snprintf(text, sizeof(text), "[");
	for (i = 0; i <= HOST_ADDRESSES_MAX; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\"192.0.2.%zu\"",
					 i ? "," : "", i);
	snprintf(text + used, sizeof(text) - used, "]");
	begin();
	write_file(".nfsrdma/addresses-eth0.json", text, strlen(text));
	CU_ASSERT_EQUAL(live_replay.addresses(host, "eth0", &addresses), 0);
	CU_ASSERT_EQUAL(addresses.count, HOST_ADDRESSES_MAX);
	CU_ASSERT_TRUE(addresses.cut);
	end();
}

/* Absent, not queried, and failed are three different answers. */
static void units_are_replayed(void)
{
	char state[32];

	begin();
	record(&fake_system);
	CU_ASSERT_EQUAL(live_replay.unit(host, "nfs-server.service", state, sizeof(state)), 0);
	CU_ASSERT_STRING_EQUAL(state, "active");
	CU_ASSERT_EQUAL(live_replay.unit(host, "opensm.service", state, sizeof(state)), -ENOENT);
	CU_ASSERT_EQUAL(live_replay.unit(host, "vdsmd.service", state, sizeof(state)), -ETIMEDOUT);
	CU_ASSERT_EQUAL(live_replay.unit(host, "sshd.service", state, sizeof(state)), -ENODATA);
	end();
}

static void an_empty_snapshot_has_no_answers(void)
{
	struct transport_address to = address("192.0.2.1");
	struct host_firewalld zone;
	struct host_route route;
	struct host_text json;
	char text[32];

	begin();
	CU_ASSERT_EQUAL(live_replay.route(host, &to, &route), -ENODATA);
	CU_ASSERT_EQUAL(live_replay.nftables(host, &json), -ENODATA);
	CU_ASSERT_EQUAL(live_replay.firewalld(host, "eth0", &zone), -ENODATA);
	CU_ASSERT_EQUAL(live_replay.unit(host, "nfs-server.service", text, sizeof(text)), -ENODATA);
	CU_ASSERT_EQUAL(live_legacy_tables(host, text, sizeof(text)), 0);
	CU_ASSERT_STRING_EQUAL(text, "");
	end();
}

/* For a route, a zone and units: each is malformed. */
static const char *const bad_routes[] = {
	"",
	"{",
	"[]",
	"7",
	"{}",
	"{\"netdev\":\"interface-too-long\",\"gateway\":\"\",\"source\":\"\",\"mtu\":0,\"local\":false}",
	"{\"netdev\":\"a\\u001b[0m\",\"gateway\":\"\",\"source\":\"\",\"mtu\":0,\"local\":false}",
	"{\"netdev\":\"a\\u0000b\",\"gateway\":\"\",\"source\":\"\",\"mtu\":0,\"local\":false}",
	"{\"netdev\":\"eth0\",\"gateway\":\"\",\"source\":\"\",\"mtu\":-1,\"local\":false}",
	"{\"netdev\":\"eth0\",\"gateway\":\"\",\"source\":\"\",\"mtu\":1e9,\"local\":false}",
	"{\"netdev\":\"eth0\",\"gateway\":1,\"source\":\"\",\"mtu\":0,\"local\":false}",
	"{\"netdev\":\"eth0\",\"gateway\":\"\",\"source\":\"\",\"mtu\":0}",
	"{\"error\":\"EWHATEVER\",\"text\":\"\"}",
	"{\"error\":\"EPERM\"}",
	"{\"error\":\"EPERM\",\"text\":\"\\u001b[2J\"}",
	"{\"error\":5,\"text\":\"\"}",
};

static const char *const bad_zones[] = {
	"{}",
	"{\"running\":1,\"panic\":false,\"zone\":\"\",\"target\":\"\",\"ports\":[],\"more\":\"\"}",
	"{\"running\":true,\"panic\":false,\"zone\":\"\",\"target\":\"\",\"ports\":{},\"more\":\"\"}",
	"{\"running\":true,\"panic\":false,\"zone\":\"\",\"target\":\"\",\"ports\":[1],\"more\":\"\"}",
	"{\"running\":true,\"panic\":false,\"zone\":\"\",\"target\":\"\",\"ports\":[{\"first\":1,\"last\":65536,\"protocol\":\"tcp\",\"some\":false}],\"more\":\"\"}",
	"{\"running\":true,\"panic\":false,\"zone\":\"\",\"target\":\"\",\"ports\":[{\"first\":1,\"last\":2,\"protocol\":\"sctp\",\"some\":false}],\"more\":\"\"}",
};

static const char *const bad_units[] = {
	"[]",
	"{\"nfs-server.service\":1}",
	"{\"nfs-server.service\":[\"active\"]}",
	"{\"nfs-server.service\":\"a\\nb\"}",
	"{\"nfs-server.service\":\"a word that is longer than any state of a unit is\"}",
};

static void a_broken_record_is_reported(void)
{
	struct transport_address to = address("192.0.2.1");
	struct host_firewalld zone;
	struct host_route route;
	char state[32];
	size_t i;

	begin();
	for (i = 0; i < ARRAY_SIZE(bad_routes); i++) {
		SUITE_ROW("%zu: %s", i, bad_routes[i]);
		write_file(".nfsrdma/route-192.0.2.1.json", bad_routes[i], strlen(bad_routes[i]));
		CU_ASSERT_EQUAL(live_replay.route(host, &to, &route), -EBADMSG);
		CU_ASSERT(err_text()[0]);
	}
	for (i = 0; i < ARRAY_SIZE(bad_zones); i++) {
		SUITE_ROW("%zu: %s", i, bad_zones[i]);
		write_file(".nfsrdma/firewalld-eth0.json", bad_zones[i], strlen(bad_zones[i]));
		CU_ASSERT_EQUAL(live_replay.firewalld(host, "eth0", &zone), -EBADMSG);
	}
	for (i = 0; i < ARRAY_SIZE(bad_units); i++) {
		SUITE_ROW("%zu: %s", i, bad_units[i]);
		write_file(".nfsrdma/units.json", bad_units[i], strlen(bad_units[i]));
		CU_ASSERT_EQUAL(live_replay.unit(host, "nfs-server.service", state, sizeof(state)),
				-EBADMSG);
	}
	end();
}

static void a_record_that_is_not_a_file_does_not_block(void)
{
	struct transport_address to = address("192.0.2.1");
	struct host_route route;
	struct host_text json;
	char path[128];

	begin();
	snprintf(path, sizeof(path), "%s/.nfsrdma/route-192.0.2.1.json", root);
	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
	CU_ASSERT_EQUAL(live_replay.route(host, &to, &route), -EINVAL);
	snprintf(path, sizeof(path), "%s/.nfsrdma/nft.json", root);
	CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
	CU_ASSERT_EQUAL(live_replay.nftables(host, &json), -EINVAL);
	end();
}

static void names_with_slashes_are_refused(void)
{
	struct transport_address to = { .len = 2 };
	struct host_firewalld zone;
	struct host_route route;

	begin();
	CU_ASSERT_EQUAL(live_replay.firewalld(host, "../x", &zone), -EINVAL);
	CU_ASSERT_EQUAL(live_replay.firewalld(host, "", &zone), -EINVAL);
	CU_ASSERT_EQUAL(live_replay.firewalld(host, "a-name-that-is-long", &zone), -EINVAL);
	to.addr.ss_family = AF_UNIX;
	CU_ASSERT_EQUAL(live_replay.route(host, &to, &route), -EINVAL);
	end();
}

static void iptables_legacy_tables_are_reported(void)
{
	char names[16], folder[128];

	begin();
	snprintf(folder, sizeof(folder), "mkdir -p %s/proc/net", root);
	CU_ASSERT_EQUAL(system(folder), 0);
	write_file("proc/net/ip_tables_names", "filter\nnat\n", 11);
	write_file("proc/net/ip6_tables_names", "mangle\n", 7);
	CU_ASSERT_EQUAL(live_legacy_tables(host, names, sizeof(names)), 0);
	CU_ASSERT_STRING_EQUAL(names, "filter nat");
	write_file("proc/net/ip_tables_names", "fil\033ter\n", 8);
	CU_ASSERT_EQUAL(live_legacy_tables(host, names, sizeof(names)), 0);
	CU_ASSERT_STRING_EQUAL(names, "fil?ter mangle");
	end();
}

SUITE_MAIN("live-record", TEST(a_route_is_replayed), TEST(rules_are_replayed_byte_for_byte),
	   TEST(failed_questions_are_replayed_as_failed), TEST(a_zone_is_replayed),
	   TEST(units_are_replayed), TEST(addresses_are_replayed), TEST(the_log_is_replayed),
	   TEST(invalid_addresses_are_ignored), TEST(an_empty_snapshot_has_no_answers),
	   TEST(a_broken_record_is_reported), TEST(a_record_that_is_not_a_file_does_not_block),
	   TEST(names_with_slashes_are_refused), TEST(iptables_legacy_tables_are_reported))

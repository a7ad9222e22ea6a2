/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The answers of firewalld and systemd over a bus. */
#include <systemd/sd-bus.h>

#include <netinet/in.h>

#include "tests/unit/fake-bus.h"

/* --- firewalld ----------------------------------------------------------------------- */

static int reply_services(sd_bus_message *reply, const char *key, const char *const *names)
{
	sd_bus_message_open_container(reply, 'e', "sv");
	sd_bus_message_append(reply, "s", key);
	sd_bus_message_open_container(reply, 'v', "as");
	sd_bus_message_append_strv(reply, (char **)(uintptr_t)names);
	sd_bus_message_close_container(reply);
	return sd_bus_message_close_container(reply);
}

static int zone_settings(sd_bus_message *call, const char *zone)
{
	static const char *const services[] = { "ssh", "storage", "dhcpv6-client", NULL };
	sd_bus_message *reply = NULL;
	int rc;

	sd_bus_message_new_method_return(call, &reply);
	sd_bus_message_open_container(reply, 'a', "{sv}");
	sd_bus_message_append(reply, "{sv}", "version", "s", "");
	sd_bus_message_append(reply, "{sv}", "target", "s",
			      strcmp(zone, "trusted") ? "default" : "ACCEPT");
	sd_bus_message_append(reply, "{sv}", "forward", "b", 1);
	if (strcmp(zone, "trusted") != 0)
		reply_services(reply, "services", services);
	sd_bus_message_append(reply, "{sv}", "ports", "a(ss)", 3, "4791", "udp", "4000-5000", "tcp",
			      "9", "sctp");
	sd_bus_message_append(reply, "{sv}", "rules_str", "as", 0);
	sd_bus_message_append(reply, "{sv}", "forward_ports", "a(ssss)", 0);
	sd_bus_message_append(reply, "{sv}", "of_the_future", "a{i(sb)}", 1, 7, "x", 1);
	sd_bus_message_close_container(reply);
	rc = sd_bus_send(NULL, reply, NULL);
	sd_bus_message_unref(reply);
	return rc;
}

/* Service "storage" includes itself and another, "inner". */
static int service_settings(sd_bus_message *call, const char *name)
{
	static const char *const includes[] = { "inner", "storage", NULL };
	sd_bus_message *reply = NULL;
	int rc;

	sd_bus_message_new_method_return(call, &reply);
	sd_bus_message_open_container(reply, 'a', "{sv}");
	if (!strcmp(name, "ssh"))
		sd_bus_message_append(reply, "{sv}", "ports", "a(ss)", 1, "22", "tcp");
	if (!strcmp(name, "inner"))
		sd_bus_message_append(reply, "{sv}", "ports", "a(ss)", 1, "20049", "tcp");
	if (!strcmp(name, "storage"))
		reply_services(reply, "includes", includes);
	if (!strcmp(name, "dhcpv6-client")) {
		sd_bus_message_append(reply, "{sv}", "ports", "a(ss)", 1, "546", "udp");
		sd_bus_message_append(reply, "{sv}", "destination", "a{ss}", 1, "ipv6",
				      "fe80::/64");
	}
	sd_bus_message_close_container(reply);
	rc = sd_bus_send(NULL, reply, NULL);
	sd_bus_message_unref(reply);
	return rc;
}

static int play_firewalld(sd_bus_message *call, const char *member)
{
	const char *arg = "";

	/* A query does not start a service. */
	if (sd_bus_message_get_auto_start(call))
		return 0;
	if (sd_bus_message_has_signature(call, "s"))
		sd_bus_message_read(call, "s", &arg);
	if (!strcmp(member, "getDefaultZone"))
		return sd_bus_reply_method_return(call, "s", "public");
	if (!strcmp(member, "getZoneOfInterface"))
		return sd_bus_reply_method_return(call, "s", strcmp(arg, "eth1") ? "" : "trusted");
	if (!strcmp(member, "getZoneSettings2"))
		return zone_settings(call, arg);
	if (!strcmp(member, "getServiceSettings2"))
		return service_settings(call, arg);
	if (!strcmp(member, "queryPanicMode"))
		return sd_bus_reply_method_return(call, "b", 0);
	if (!strcmp(member, "getActiveZones"))
		return sd_bus_reply_method_return(call, "a{sa{sas}}", 1, "trusted", 1, "interfaces",
						  1, "eth1");
	if (!strcmp(member, "getActivePolicies"))
		return sd_bus_reply_method_return(call, "a{sa{sas}}", 1, "allow-host-ipv6", 2,
						  "ingress_zones", 1, "ANY", "egress_zones", 1,
						  "HOST");
	return 0;
}

static int play_more(sd_bus_message *call, const char *member)
{
	if (!strcmp(member, "getZoneSettings2"))
		return sd_bus_reply_method_return(
			call, "a{sv}", 6, "target", "s", "DROP", "rules_str", "as", 1,
			"rule accept", "forward_ports", "a(ssss)", 1, "1", "tcp", "2", "",
			"source_ports", "a(ss)", 1, "1", "tcp", "protocols", "as", 1, "udp",
			"ports", "a(ss)", 1, "sunrpc", "tcp");
	if (!strcmp(member, "getActiveZones"))
		return sd_bus_reply_method_return(call, "a{sa{sas}}", 2, "work", 2, "interfaces", 0,
						  "sources", 1, "192.0.2.0/24", "home", 1,
						  "sources", 1, "198.51.100.1");
	if (!strcmp(member, "getActivePolicies"))
		return sd_bus_reply_method_return(call, "a{sa{sas}}", 1, "mine", 0);
	if (!strcmp(member, "queryPanicMode"))
		return sd_bus_reply_method_return(call, "b", 1);
	return play_firewalld(call, member);
}

/* Retried if the time was too short: this may run a hundred times slower than usual. */
static int ask_patiently(const char *netdev, struct host_firewalld *zone)
{
	int i, rc = -ETIMEDOUT;

	for (i = 0; i < 5 && rc == -ETIMEDOUT; i++)
		rc = live_firewalld(NULL, netdev, zone);
	return rc;
}

static void the_zone_is_the_interfaces_or_the_default(void)
{
	struct host_firewalld zone;

	start(play_firewalld, NULL);
	CU_ASSERT_EQUAL(ask_patiently("eth0", &zone), 0);
	CU_ASSERT(zone.running);
	CU_ASSERT_FALSE(zone.panic);
	CU_ASSERT_STRING_EQUAL(zone.zone, "public");
	CU_ASSERT_STRING_EQUAL(zone.target, "default");
	CU_ASSERT_STRING_EQUAL(zone.more, "");
	CU_ASSERT_EQUAL(ask_patiently("eth1", &zone), 0);
	CU_ASSERT_STRING_EQUAL(zone.zone, "trusted");
	CU_ASSERT_STRING_EQUAL(zone.target, "ACCEPT");
	CU_ASSERT_EQUAL(zone.nports, 2);
	stop();
}

static bool has_port(const struct host_firewalld *zone, uint16_t port, uint8_t protocol, bool some)
{
	const struct host_firewalld_port *p;
	unsigned int i;

	for (i = 0; i < zone->nports; i++) {
		p = &zone->ports[i];
		if (p->first == port && p->protocol == protocol && p->some == some)
			return true;
	}
	return false;
}

static void services_are_resolved_to_ports(void)
{
	struct host_firewalld zone;

	start(play_firewalld, NULL);
	CU_ASSERT_EQUAL(ask_patiently("eth0", &zone), 0);
	CU_ASSERT_EQUAL(zone.nports, 5);
	CU_ASSERT(has_port(&zone, 4791, IPPROTO_UDP, false));
	CU_ASSERT(has_port(&zone, 4000, IPPROTO_TCP, false));
	CU_ASSERT(has_port(&zone, 22, IPPROTO_TCP, false));
	CU_ASSERT(has_port(&zone, 20049, IPPROTO_TCP, false));
	CU_ASSERT(has_port(&zone, 546, IPPROTO_UDP, true));
	stop();
}

static void unsupported_settings_are_named(void)
{
	struct host_firewalld zone;

	start(play_more, NULL);
	CU_ASSERT_EQUAL(ask_patiently("eth0", &zone), 0);
	CU_ASSERT(zone.panic);
	CU_ASSERT_STRING_EQUAL(zone.more,
			       "rich rules, forwarded ports, source ports, whole protocols, "
			       "ports by name, zones for sources, policies");
	stop();
}

static int play_nothing(sd_bus_message *call, const char *member)
{
	(void)call;
	(void)member;
	return 0;
}

static void a_stopped_firewalld_is_not_an_error(void)
{
	struct host_firewalld zone;
	char state[32];

	start(play_nothing, NULL);
	CU_ASSERT_EQUAL(live_firewalld(NULL, "eth0", &zone), 0);
	CU_ASSERT_FALSE(zone.running);
	CU_ASSERT_EQUAL(live_unit(NULL, "x.service", state, sizeof(state)), -EHOSTDOWN);
	CU_ASSERT_STRING_EQUAL(err_text(), "systemd does not run here");
	stop();
}

static void without_a_bus_there_is_no_firewalld(void)
{
	struct host_firewalld zone;
	char state[32];

	setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1);
	CU_ASSERT_EQUAL(live_firewalld(NULL, "eth0", &zone), 0);
	CU_ASSERT_FALSE(zone.running);
	CU_ASSERT_EQUAL(live_unit(NULL, "x.service", state, sizeof(state)), -EHOSTDOWN);
}

/* --- missing and malformed answers ---------------------------------------------------- */

static int play_forbidden(sd_bus_message *call, const char *member)
{
	if (strcmp(member, "getZoneSettings2") != 0)
		return play_firewalld(call, member);
	return sd_bus_reply_method_errorf(call,
					  "org.fedoraproject.FirewallD1.NotAuthorizedException",
					  "Not Authorized(polkit): \033config.info");
}

static int play_old(sd_bus_message *call, const char *member)
{
	if (!strcmp(member, "getActivePolicies"))
		return sd_bus_reply_method_errorf(call, "org.freedesktop.DBus.Error.UnknownMethod",
						  "no");
	return play_firewalld(call, member);
}

static int play_other_types(sd_bus_message *call, const char *member)
{
	if (!strcmp(member, "getZoneSettings2"))
		return sd_bus_reply_method_return(call, "a{sv}", 1, "ports", "s", "4791");
	return play_firewalld(call, member);
}

static int play_string(sd_bus_message *call, const char *member)
{
	if (!strcmp(member, "getZoneSettings2"))
		return sd_bus_reply_method_return(call, "s", "ports");
	return play_firewalld(call, member);
}

/* Each service includes two others, endlessly. */
static int play_endless(sd_bus_message *call, const char *member)
{
	static unsigned int n;
	char a[16], b[16];

	if (strcmp(member, "getServiceSettings2") != 0)
		return play_firewalld(call, member);
	snprintf(a, sizeof(a), "s%u", n++);
	snprintf(b, sizeof(b), "s%u", n++);
	return sd_bus_reply_method_return(call, "a{sv}", 1, "includes", "as", 2, a, b);
}

static int play_silence(sd_bus_message *call, const char *member)
{
	(void)call;
	return strcmp(member, "getZoneSettings2") == 0 || play_firewalld(call, member);
}

static int ask(play_fn play, const char *bytes, struct host_firewalld *zone)
{
	uint64_t began;
	int rc;

	start(play, bytes);
	began = now_ms();
	rc = live_firewalld(NULL, "eth0", zone);
	ASSERT_WITHIN_MS(now_ms() - began, 2500);
	stop();
	return rc;
}

static void missing_permission_is_reported(void)
{
	struct host_firewalld zone;

	CU_ASSERT_EQUAL(ask(play_forbidden, NULL, &zone), -EACCES);
	/* The control character before "config" is replaced by us, or escaped by newer systemd. */
	ASSERT_CONTAINS(err_text(), "firewalld: getZoneSettings2: Not Authorized(polkit): ");
	CU_ASSERT_TRUE(strstr(err_text(), "?config.info") ||
		       strstr(err_text(), "\\x1bconfig.info"));
	CU_ASSERT_PTR_NULL(strchr(err_text(), '\x1b'));
	CU_ASSERT_EQUAL(ask(play_old, NULL, &zone), 0);
}

static void malformed_answers_are_errors(void)
{
	struct host_firewalld zone;

	CU_ASSERT_EQUAL(ask(play_other_types, NULL, &zone), -EIO);
	ASSERT_CONTAINS(err_text(), "getZoneSettings2 is not understood");
	CU_ASSERT_EQUAL(ask(play_string, NULL, &zone), -EIO);
}

static void endless_service_includes_end(void)
{
	struct host_firewalld zone;

	CU_ASSERT_EQUAL(ask(play_endless, NULL, &zone), 0);
	CU_ASSERT_STRING_EQUAL(zone.more, "more services than are read");
}

static void silence_ends_at_the_deadline(void)
{
	struct host_firewalld zone;

	/* from firewalld, from the bus, and from a peer with another protocol */
	CU_ASSERT_EQUAL(ask(play_silence, NULL, &zone), -ETIMEDOUT);
	CU_ASSERT_EQUAL(ask(NULL, NULL, &zone), -ETIMEDOUT);
	CU_ASSERT_STRING_EQUAL(err_text(), "firewalld: the system bus does not answer");
	ASSERT_LESS(ask(NULL, "220 mail.example.net ESMTP\r\n", &zone), 0);
}

/* --- systemd ----------------------------------------------------------------------------- */

static int play_systemd(sd_bus_message *call, const char *member)
{
	const char *path = sd_bus_message_get_path(call), *a = "", *b = "";

	if (sd_bus_message_get_auto_start(call))
		return 0;
	if (!strcmp(member, "LoadUnit")) {
		sd_bus_message_read(call, "s", &a);
		if (!strcmp(a, "bad name"))
			return sd_bus_reply_method_errorf(
				call, "org.freedesktop.DBus.Error.InvalidArgs", "not valid");
		return sd_bus_reply_method_return(
			call, "o", strcmp(a, "nfs-server.service") ? "/unit/none" : "/unit/nfs");
	}
	if (strcmp(member, "Get") != 0)
		return 0;
	sd_bus_message_read(call, "ss", &a, &b);
	if (!strcmp(b, "LoadState"))
		return sd_bus_reply_method_return(
			call, "v", "s", strcmp(path, "/unit/nfs") ? "not-found" : "loaded");
	if (!strcmp(b, "StateChangeTimestamp"))
		return sd_bus_reply_method_return(call, "v", "t", (uint64_t)1700000000999999);
	return sd_bus_reply_method_return(call, "v", "s", "active");
}

static void a_unit_has_its_state(void)
{
	char state[32] = "";

	start(play_systemd, NULL);
	CU_ASSERT_EQUAL(live_unit(NULL, "nfs-server.service", state, sizeof(state)), 0);
	CU_ASSERT_STRING_EQUAL(state, "active");
	CU_ASSERT_EQUAL(live_unit(NULL, "opensm.service", state, sizeof(state)), -ENOENT);
	CU_ASSERT_STRING_EQUAL(err_text(), "there is no unit opensm.service");
	CU_ASSERT_EQUAL(live_unit(NULL, "bad name", state, sizeof(state)), -EIO);
	stop();
}

static void a_unit_has_the_time_of_its_last_change(void)
{
	int64_t seconds = 0;

	start(play_systemd, NULL);
	CU_ASSERT_EQUAL(live_unit_changed(NULL, "nfs-server.service", &seconds), 0);
	CU_ASSERT_EQUAL(seconds, 1700000000);
	CU_ASSERT_EQUAL(live_unit_changed(NULL, "opensm.service", &seconds), -ENOENT);
	stop();
}

SUITE_MAIN("live-bus", TIMED(the_zone_is_the_interfaces_or_the_default),
	   TIMED(services_are_resolved_to_ports), TIMED(unsupported_settings_are_named),
	   TIMED(a_stopped_firewalld_is_not_an_error), TIMED(without_a_bus_there_is_no_firewalld),
	   TIMED(missing_permission_is_reported), TIMED(malformed_answers_are_errors),
	   TIMED(endless_service_includes_end), TIMED(silence_ends_at_the_deadline),
	   TIMED(a_unit_has_its_state), TIMED(a_unit_has_the_time_of_its_last_change))

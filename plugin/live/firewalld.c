/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What firewalld configures for the packets of an interface, over the system bus
 * (firewalld.dbus(5)): for root, and for users that polkit authorizes, which is every
 * user on a desktop and few on a server. Services are resolved to their ports. Rich
 * rules, sources, policies and the like are not: only their presence is reported. */
#include <systemd/sd-bus.h>

#include <netinet/in.h>
#include <stdio.h>

#include "plugin/live/internal.h"
#include "plugin/live/bus.h"

#define FIREWALLD    "org.fedoraproject.FirewallD1"
#define FIREWALLD_MS 1000
#define SERVICES_MAX 128
#define SERVICE_NAME 64
#define ZONE_NAME    sizeof(((struct host_firewalld *)0)->zone)

static const struct live_object firewalld_main = {
	FIREWALLD,
	"/org/fedoraproject/FirewallD1",
	FIREWALLD,
};

static const struct live_object firewalld_zone = {
	FIREWALLD,
	"/org/fedoraproject/FirewallD1",
	FIREWALLD ".zone",
};

static const struct live_object firewalld_policy = {
	FIREWALLD,
	"/org/fedoraproject/FirewallD1",
	FIREWALLD ".policy",
};

struct firewalld_query {
	struct sd_bus *bus;
	uint64_t deadline;
	struct host_firewalld *out;
	unsigned int nservices;
	char services[SERVICES_MAX][SERVICE_NAME];
	bool narrowed; /* the current service is limited to some destinations */
};

/* Reads the content of a variant. Returns 0 or -errno of sd-bus. */
typedef int (*firewalld_read_fn)(struct firewalld_query *query, struct sd_bus_message *message);

struct firewalld_key {
	const char *name;
	const char *type;
	firewalld_read_fn read;
};

/* Each is listed once, in the order found. */
static void firewalld_add_more(struct firewalld_query *query, const char *what)
{
	char *more = query->out->more;
	size_t used = strlen(more), cap = sizeof(query->out->more);

	if (!strstr(more, what) && used + strlen(what) + 3 < cap)
		snprintf(more + used, cap - used, "%s%s", used ? ", " : "", what);
}

static int firewalld_call(struct firewalld_query *query, const struct live_object *object,
			  const char *method, const char *arg, struct sd_bus_message **reply)
{
	const char *args[LIVE_BUS_ARGS] = { arg };

	return live_bus_call(query->bus, object, method, args, query->deadline, reply);
}

/* --- pieces of settings --------------------------------------------------------- */

static void firewalld_add_service(struct firewalld_query *query, const char *name)
{
	unsigned int i;

	for (i = 0; i < query->nservices; i++)
		if (!strcmp(query->services[i], name))
			return;
	if (query->nservices < SERVICES_MAX &&
	    str_copy(query->services[query->nservices], SERVICE_NAME, name))
		query->nservices++;
	else
		firewalld_add_more(query, "more services than are read");
}

static int firewalld_read_services(struct firewalld_query *query, struct sd_bus_message *message)
{
	const char *name;
	int rc;

	rc = sd_bus_message_enter_container(message, 'a', "s");
	while (rc > 0 && (rc = sd_bus_message_read_basic(message, 's', &name)) > 0)
		firewalld_add_service(query, name);
	return rc < 0 ? rc : sd_bus_message_exit_container(message);
}

/* "20049" or "4000-5000". */
static bool firewalld_parse_ports(const char *text, struct host_firewalld_port *out)
{
	unsigned int first, last;
	char rest;
	int n = sscanf(text, "%5u-%5u%c", &first, &last, &rest);

	if (n < 1 || n > 2 || text[0] < '0' || text[0] > '9')
		return false;
	last = n == 1 ? first : last;
	out->first = (uint16_t)first;
	out->last = (uint16_t)last;
	return first <= UINT16_MAX && last <= UINT16_MAX && first <= last;
}

static void firewalld_add_port(struct firewalld_query *query, const char *port,
			       const char *protocol)
{
	struct host_firewalld_port *out = &query->out->ports[query->out->nports];

	if (query->out->nports == HOST_FIREWALLD_PORTS_MAX) {
		firewalld_add_more(query, "more ports than are read");
		return;
	}
	if (strcmp(protocol, "tcp") != 0 && strcmp(protocol, "udp") != 0)
		return;
	if (!firewalld_parse_ports(port, out)) {
		firewalld_add_more(query, "ports by name");
		return;
	}
	out->protocol = protocol[0] == 'u' ? IPPROTO_UDP : IPPROTO_TCP;
	out->some = false;
	query->out->nports++;
}

static int firewalld_read_ports(struct firewalld_query *query, struct sd_bus_message *message)
{
	const char *port, *protocol;
	int rc;

	rc = sd_bus_message_enter_container(message, 'a', "(ss)");
	while (rc > 0 && (rc = sd_bus_message_read(message, "(ss)", &port, &protocol)) > 0)
		firewalld_add_port(query, port, protocol);
	return rc < 0 ? rc : sd_bus_message_exit_container(message);
}

static int firewalld_read_target(struct firewalld_query *query, struct sd_bus_message *message)
{
	const char *target;
	int rc = sd_bus_message_read_basic(message, 's', &target);

	if (rc >= 0)
		text_copy(query->out->target, sizeof(query->out->target), target);
	return rc;
}

/* Whether an array is not empty. */
static int firewalld_read_presence(struct sd_bus_message *message, const char *contents,
				   bool *present)
{
	int rc = sd_bus_message_enter_container(message, 'a', contents);

	if (rc < 0)
		return rc;
	*present = sd_bus_message_at_end(message, 0) == 0;
	while ((rc = sd_bus_message_skip(message, contents)) > 0)
		;
	return rc < 0 && rc != -ENXIO ? rc : sd_bus_message_exit_container(message);
}

static int firewalld_read_more(struct firewalld_query *query, struct sd_bus_message *message,
			       const char *contents, const char *what)
{
	bool present = false;
	int rc = firewalld_read_presence(message, contents, &present);

	if (present)
		firewalld_add_more(query, what);
	return rc;
}

static int firewalld_read_rich_rules(struct firewalld_query *query, struct sd_bus_message *message)
{
	return firewalld_read_more(query, message, "s", "rich rules");
}

static int firewalld_read_source_ports(struct firewalld_query *query,
				       struct sd_bus_message *message)
{
	return firewalld_read_more(query, message, "(ss)", "source ports");
}

static int firewalld_read_forwards(struct firewalld_query *query, struct sd_bus_message *message)
{
	return firewalld_read_more(query, message, "(ssss)", "forwarded ports");
}

static int firewalld_read_protocols(struct firewalld_query *query, struct sd_bus_message *message)
{
	const char *name;
	int rc;

	rc = sd_bus_message_enter_container(message, 'a', "s");
	while (rc > 0 && (rc = sd_bus_message_read_basic(message, 's', &name)) > 0)
		if (!strcmp(name, "tcp") || !strcmp(name, "udp"))
			firewalld_add_more(query, "whole protocols");
	return rc < 0 ? rc : sd_bus_message_exit_container(message);
}

static int firewalld_read_destinations(struct firewalld_query *query,
				       struct sd_bus_message *message)
{
	return firewalld_read_presence(message, "{ss}", &query->narrowed);
}

/* The settings that narrow or widen a zone; other keys do not affect incoming packets. */
static const struct firewalld_key firewalld_zone_keys[] = {
	{ "target", "s", firewalld_read_target },
	{ "services", "as", firewalld_read_services },
	{ "ports", "a(ss)", firewalld_read_ports },
	{ "source_ports", "a(ss)", firewalld_read_source_ports },
	{ "forward_ports", "a(ssss)", firewalld_read_forwards },
	{ "protocols", "as", firewalld_read_protocols },
	{ "rules_str", "as", firewalld_read_rich_rules },
	{ NULL, NULL, NULL },
};

static const struct firewalld_key firewalld_service_keys[] = {
	{ "ports", "a(ss)", firewalld_read_ports },
	{ "source_ports", "a(ss)", firewalld_read_source_ports },
	{ "protocols", "as", firewalld_read_protocols },
	{ "destination", "a{ss}", firewalld_read_destinations },
	{ "includes", "as", firewalld_read_services },
	{ NULL, NULL, NULL },
};

static int firewalld_read_value(struct firewalld_query *query, struct sd_bus_message *message,
				const struct firewalld_key *keys, const char *name)
{
	int rc;

	for (; keys->name && strcmp(keys->name, name) != 0; keys++)
		;
	if (!keys->name)
		return sd_bus_message_skip(message, "v");
	rc = sd_bus_message_enter_container(message, 'v', keys->type);
	if (rc > 0)
		rc = keys->read(query, message);
	return rc < 0 ? rc : sd_bus_message_exit_container(message);
}

static int firewalld_read_settings(struct firewalld_query *query, struct sd_bus_message *message,
				   const struct firewalld_key *keys)
{
	const char *name;
	int rc;

	rc = sd_bus_message_enter_container(message, 'a', "{sv}");
	while (rc > 0 && (rc = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
		rc = sd_bus_message_read_basic(message, 's', &name);
		if (rc >= 0)
			rc = firewalld_read_value(query, message, keys, name);
		if (rc >= 0)
			rc = sd_bus_message_exit_container(message);
		rc = rc < 0 ? rc : 1;
	}
	return rc;
}

/* --- queries ------------------------------------------------------------------------ */

/* A method that returns the name of a zone. */
static int firewalld_get_zone_name(struct firewalld_query *query, const struct live_object *object,
				   const char *method, const char *arg, char zone[ZONE_NAME])
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	const char *text;
	int rc;

	rc = firewalld_call(query, object, method, arg, &reply);
	if (rc)
		return rc;
	rc = live_bus_check_reply(sd_bus_message_read_basic(reply, 's', &text), method);
	if (!rc)
		text_copy(zone, ZONE_NAME, text);
	return rc;
}

/* firewalld before 0.9 has no such settings. */
static int firewalld_get_settings(struct firewalld_query *query, const struct live_object *object,
				  const char *method, const char *name,
				  const struct firewalld_key *keys)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	int rc;

	rc = firewalld_call(query, object, method, name, &reply);
	return rc ? rc : live_bus_check_reply(firewalld_read_settings(query, reply, keys), method);
}

static int firewalld_get_service(struct firewalld_query *query, const char *name)
{
	unsigned int i, first = query->out->nports;
	int rc;

	query->narrowed = false;
	rc = firewalld_get_settings(query, &firewalld_main, "getServiceSettings2", name,
				    firewalld_service_keys);
	for (i = first; i < query->out->nports; i++)
		query->out->ports[i].some = query->narrowed;
	return rc;
}

/* Reads a{sa{sas}}: the names, each with the content of its lists. */
static int firewalld_read_active(struct firewalld_query *query, struct sd_bus_message *message,
				 bool policies)
{
	const char *name, *list;
	bool present;
	int rc;

	rc = sd_bus_message_enter_container(message, 'a', "{sa{sas}}");
	while (rc > 0 && (rc = sd_bus_message_enter_container(message, 'e', "sa{sas}")) > 0) {
		rc = sd_bus_message_read_basic(message, 's', &name);
		/* predefined by firewalld: neighbour discovery */
		if (rc >= 0 && policies && strcmp(name, "allow-host-ipv6") != 0)
			firewalld_add_more(query, "policies");
		if (rc >= 0)
			rc = sd_bus_message_enter_container(message, 'a', "{sas}");
		while (rc > 0 && (rc = sd_bus_message_enter_container(message, 'e', "sas")) > 0) {
			present = false;
			rc = sd_bus_message_read_basic(message, 's', &list);
			if (rc >= 0)
				rc = firewalld_read_presence(message, "s", &present);
			if (present && !policies && !strcmp(list, "sources"))
				firewalld_add_more(query, "zones for sources");
			if (rc >= 0)
				rc = sd_bus_message_exit_container(message);
			rc = rc < 0 ? rc : 1;
		}
		if (rc >= 0)
			rc = sd_bus_message_exit_container(message);
		if (rc >= 0)
			rc = sd_bus_message_exit_container(message);
		rc = rc < 0 ? rc : 1;
	}
	return rc;
}

/* A zone of the source takes precedence over that of the interface; policies apply
 * between zones. */
static int firewalld_get_active(struct firewalld_query *query, const struct live_object *object,
				const char *method, bool policies)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	int rc;

	rc = firewalld_call(query, object, method, NULL, &reply);
	/* firewalld before 0.9 has no policies. */
	if (rc == -EOPNOTSUPP && policies)
		return 0;
	return rc ? rc
		  : live_bus_check_reply(firewalld_read_active(query, reply, policies), method);
}

static int firewalld_get_zone(struct firewalld_query *query, const char *netdev,
			      const char *by_default)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	struct host_firewalld *out = query->out;
	int panic = 0, rc;
	unsigned int i;

	rc = firewalld_get_zone_name(query, &firewalld_zone, "getZoneOfInterface", netdev,
				     out->zone);
	if (!rc && !out->zone[0])
		text_copy(out->zone, sizeof(out->zone), by_default);
	if (!rc)
		rc = firewalld_get_settings(query, &firewalld_zone, "getZoneSettings2", out->zone,
					    firewalld_zone_keys);
	for (i = 0; i < query->nservices && !rc; i++)
		rc = firewalld_get_service(query, query->services[i]);
	if (!rc)
		rc = firewalld_get_active(query, &firewalld_zone, "getActiveZones", false);
	if (!rc)
		rc = firewalld_get_active(query, &firewalld_policy, "getActivePolicies", true);
	if (!rc)
		rc = firewalld_call(query, &firewalld_main, "queryPanicMode", NULL, &reply);
	if (rc)
		return rc;
	rc = live_bus_check_reply(sd_bus_message_read_basic(reply, 'b', &panic), "queryPanicMode");
	out->panic = panic;
	return rc;
}

int live_firewalld(const struct host *host, const char *netdev, struct host_firewalld *out)
{
	_cleanup_(live_bus_close_p) struct sd_bus *bus = NULL;
	uint64_t deadline = host_deadline(host, FIREWALLD_MS);
	_cleanup_free_ struct firewalld_query *query = calloc(1, sizeof(*query));
	char by_default[sizeof(out->zone)];
	int rc;

	memset(out, 0, sizeof(*out));
	if (!query)
		return err_no_memory();
	rc = live_bus_open(&bus, deadline);
	/* firewalld is not running without a bus. */
	if (rc)
		return rc == -EHOSTDOWN ? 0 : err_context(rc, "firewalld");
	query->bus = bus;
	query->deadline = deadline;
	query->out = out;
	rc = firewalld_get_zone_name(query, &firewalld_main, "getDefaultZone", NULL, by_default);
	if (rc == -ESRCH)
		return 0;
	out->running = true;
	if (!rc)
		rc = firewalld_get_zone(query, netdev, by_default);
	return rc ? err_context(rc, "firewalld") : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What firewalld configures for the packets of an interface, over the system bus
 * (firewalld.dbus(5)): for root, and for users that polkit authorizes, which is every
 * user on a desktop and few on a server. Services are resolved to their ports. Rich
 * rules, sources, policies and the like are not: only their presence is reported. */
#include <systemd/sd-bus.h>

#include <netinet/in.h>
#include <stdio.h>

#include "plugin/host/live-internal.h"

#define FIREWALLD    "org.fedoraproject.FirewallD1"
#define FIREWALLD_MS 1000
#define SERVICES_MAX 128
#define SERVICE_NAME 64
#define ZONE_NAME    sizeof(((struct host_firewalld *)0)->zone)

static const struct live_object firewalld = {
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

struct asker {
	struct sd_bus *bus;
	uint64_t deadline;
	struct host_firewalld *out;
	unsigned int nservices;
	char services[SERVICES_MAX][SERVICE_NAME];
	bool narrowed; /* the current service is limited to some destinations */
};

/* Reads the content of a variant. Returns 0 or -errno of sd-bus. */
typedef int (*read_fn)(struct asker *asker, struct sd_bus_message *message);

struct key {
	const char *name;
	const char *type;
	read_fn read;
};

/* Each is listed once, in the order found. */
static void say_more(struct asker *asker, const char *what)
{
	char *more = asker->out->more;
	size_t used = strlen(more), cap = sizeof(asker->out->more);

	if (!strstr(more, what) && used + strlen(what) + 3 < cap)
		snprintf(more + used, cap - used, "%s%s", used ? ", " : "", what);
}

static int call(struct asker *asker, const struct live_object *object, const char *method,
		const char *arg, struct sd_bus_message **reply)
{
	const char *args[LIVE_BUS_ARGS] = { arg };

	return live_bus_call(asker->bus, object, method, args, asker->deadline, reply);
}

/* --- pieces of settings --------------------------------------------------------- */

static void add_service(struct asker *asker, const char *name)
{
	unsigned int i;

	for (i = 0; i < asker->nservices; i++)
		if (!strcmp(asker->services[i], name))
			return;
	if (asker->nservices == SERVICES_MAX || strlen(name) >= SERVICE_NAME)
		say_more(asker, "more services than are read");
	else
		strcpy(asker->services[asker->nservices++], name);
}

static int read_services(struct asker *asker, struct sd_bus_message *message)
{
	const char *name;
	int rc;

	rc = sd_bus_message_enter_container(message, 'a', "s");
	while (rc > 0 && (rc = sd_bus_message_read_basic(message, 's', &name)) > 0)
		add_service(asker, name);
	return rc < 0 ? rc : sd_bus_message_exit_container(message);
}

/* "20049" or "4000-5000". */
static bool parse_ports(const char *text, struct host_firewalld_port *out)
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

static void add_port(struct asker *asker, const char *port, const char *protocol)
{
	struct host_firewalld_port *out = &asker->out->ports[asker->out->nports];

	if (asker->out->nports == HOST_FIREWALLD_PORTS_MAX) {
		say_more(asker, "more ports than are read");
		return;
	}
	if (strcmp(protocol, "tcp") != 0 && strcmp(protocol, "udp") != 0)
		return;
	if (!parse_ports(port, out)) {
		say_more(asker, "ports by name");
		return;
	}
	out->protocol = protocol[0] == 'u' ? IPPROTO_UDP : IPPROTO_TCP;
	out->some = false;
	asker->out->nports++;
}

static int read_ports(struct asker *asker, struct sd_bus_message *message)
{
	const char *port, *protocol;
	int rc;

	rc = sd_bus_message_enter_container(message, 'a', "(ss)");
	while (rc > 0 &&
	       (rc = sd_bus_message_read(message, "(ss)", &port, &protocol)) > 0)
		add_port(asker, port, protocol);
	return rc < 0 ? rc : sd_bus_message_exit_container(message);
}

static int read_target(struct asker *asker, struct sd_bus_message *message)
{
	const char *target;
	int rc = sd_bus_message_read_basic(message, 's', &target);

	if (rc >= 0)
		text_copy(asker->out->target, sizeof(asker->out->target), target);
	return rc;
}

/* Whether an array is not empty. */
static int read_presence(struct sd_bus_message *message, const char *contents,
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

static int read_more(struct asker *asker, struct sd_bus_message *message,
		     const char *contents, const char *what)
{
	bool present = false;
	int rc = read_presence(message, contents, &present);

	if (present)
		say_more(asker, what);
	return rc;
}

static int read_rich_rules(struct asker *asker, struct sd_bus_message *message)
{
	return read_more(asker, message, "s", "rich rules");
}

static int read_source_ports(struct asker *asker, struct sd_bus_message *message)
{
	return read_more(asker, message, "(ss)", "source ports");
}

static int read_forwards(struct asker *asker, struct sd_bus_message *message)
{
	return read_more(asker, message, "(ssss)", "forwarded ports");
}

static int read_protocols(struct asker *asker, struct sd_bus_message *message)
{
	const char *name;
	int rc;

	rc = sd_bus_message_enter_container(message, 'a', "s");
	while (rc > 0 && (rc = sd_bus_message_read_basic(message, 's', &name)) > 0)
		if (!strcmp(name, "tcp") || !strcmp(name, "udp"))
			say_more(asker, "whole protocols");
	return rc < 0 ? rc : sd_bus_message_exit_container(message);
}

static int read_destinations(struct asker *asker, struct sd_bus_message *message)
{
	return read_presence(message, "{ss}", &asker->narrowed);
}

/* The settings that narrow or widen a zone; other keys do not affect incoming packets. */
static const struct key zone_keys[] = {
	{ "target", "s", read_target },
	{ "services", "as", read_services },
	{ "ports", "a(ss)", read_ports },
	{ "source_ports", "a(ss)", read_source_ports },
	{ "forward_ports", "a(ssss)", read_forwards },
	{ "protocols", "as", read_protocols },
	{ "rules_str", "as", read_rich_rules },
	{ NULL, NULL, NULL },
};

static const struct key service_keys[] = {
	{ "ports", "a(ss)", read_ports },
	{ "source_ports", "a(ss)", read_source_ports },
	{ "protocols", "as", read_protocols },
	{ "destination", "a{ss}", read_destinations },
	{ "includes", "as", read_services },
	{ NULL, NULL, NULL },
};

static int read_value(struct asker *asker, struct sd_bus_message *message,
		      const struct key *keys, const char *name)
{
	int rc;

	for (; keys->name && strcmp(keys->name, name) != 0; keys++)
		;
	if (!keys->name)
		return sd_bus_message_skip(message, "v");
	rc = sd_bus_message_enter_container(message, 'v', keys->type);
	if (rc > 0)
		rc = keys->read(asker, message);
	return rc < 0 ? rc : sd_bus_message_exit_container(message);
}

static int read_settings(struct asker *asker, struct sd_bus_message *message,
			 const struct key *keys)
{
	const char *name;
	int rc;

	rc = sd_bus_message_enter_container(message, 'a', "{sv}");
	while (rc > 0 && (rc = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
		rc = sd_bus_message_read_basic(message, 's', &name);
		if (rc >= 0)
			rc = read_value(asker, message, keys, name);
		if (rc >= 0)
			rc = sd_bus_message_exit_container(message);
		rc = rc < 0 ? rc : 1;
	}
	return rc;
}

/* --- queries ------------------------------------------------------------------------ */

/* A method that returns the name of a zone. */
static int ask_zone_name(struct asker *asker, const struct live_object *object,
			 const char *method, const char *arg, char zone[ZONE_NAME])
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	const char *text;
	int rc;

	rc = call(asker, object, method, arg, &reply);
	if (rc)
		return rc;
	rc = live_bus_form(sd_bus_message_read_basic(reply, 's', &text), method);
	if (!rc)
		text_copy(zone, ZONE_NAME, text);
	return rc;
}

/* firewalld before 0.9 has no such settings. */
static int ask_settings(struct asker *asker, const struct live_object *object,
			const char *method, const char *name, const struct key *keys)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	int rc;

	rc = call(asker, object, method, name, &reply);
	return rc ? rc : live_bus_form(read_settings(asker, reply, keys), method);
}

static int ask_service(struct asker *asker, const char *name)
{
	unsigned int i, first = asker->out->nports;
	int rc;

	asker->narrowed = false;
	rc = ask_settings(asker, &firewalld, "getServiceSettings2", name, service_keys);
	for (i = first; i < asker->out->nports; i++)
		asker->out->ports[i].some = asker->narrowed;
	return rc;
}

/* Reads a{sa{sas}}: the names, each with the content of its lists. */
static int read_active(struct asker *asker, struct sd_bus_message *message, bool policies)
{
	const char *name, *list;
	bool present;
	int rc;

	rc = sd_bus_message_enter_container(message, 'a', "{sa{sas}}");
	while (rc > 0 &&
	       (rc = sd_bus_message_enter_container(message, 'e', "sa{sas}")) > 0) {
		rc = sd_bus_message_read_basic(message, 's', &name);
		/* predefined by firewalld: neighbour discovery */
		if (rc >= 0 && policies && strcmp(name, "allow-host-ipv6") != 0)
			say_more(asker, "policies");
		if (rc >= 0)
			rc = sd_bus_message_enter_container(message, 'a', "{sas}");
		while (rc > 0 &&
		       (rc = sd_bus_message_enter_container(message, 'e', "sas")) > 0) {
			present = false;
			rc = sd_bus_message_read_basic(message, 's', &list);
			if (rc >= 0)
				rc = read_presence(message, "s", &present);
			if (present && !policies && !strcmp(list, "sources"))
				say_more(asker, "zones for sources");
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
static int ask_active(struct asker *asker, const struct live_object *object,
		      const char *method, bool policies)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	int rc;

	rc = call(asker, object, method, NULL, &reply);
	/* firewalld before 0.9 has no policies. */
	if (rc == -EOPNOTSUPP && policies)
		return 0;
	return rc ? rc : live_bus_form(read_active(asker, reply, policies), method);
}

static int ask_zone(struct asker *asker, const char *netdev, const char *by_default)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	struct host_firewalld *out = asker->out;
	int panic = 0, rc;
	unsigned int i;

	rc = ask_zone_name(asker, &firewalld_zone, "getZoneOfInterface", netdev,
			   out->zone);
	if (!rc && !out->zone[0])
		text_copy(out->zone, sizeof(out->zone), by_default);
	if (!rc)
		rc = ask_settings(asker, &firewalld_zone, "getZoneSettings2", out->zone,
				  zone_keys);
	for (i = 0; i < asker->nservices && !rc; i++)
		rc = ask_service(asker, asker->services[i]);
	if (!rc)
		rc = ask_active(asker, &firewalld_zone, "getActiveZones", false);
	if (!rc)
		rc = ask_active(asker, &firewalld_policy, "getActivePolicies", true);
	if (!rc)
		rc = call(asker, &firewalld, "queryPanicMode", NULL, &reply);
	if (rc)
		return rc;
	rc = live_bus_form(sd_bus_message_read_basic(reply, 'b', &panic),
			   "queryPanicMode");
	out->panic = panic;
	return rc;
}

int live_firewalld(const struct host *host, const char *netdev,
		   struct host_firewalld *out)
{
	_cleanup_(live_bus_close_p) struct sd_bus *bus = NULL;
	uint64_t deadline = deadline_in(FIREWALLD_MS);
	_cleanup_free_ struct asker *asker = calloc(1, sizeof(*asker));
	char by_default[sizeof(out->zone)];
	int rc;

	(void)host;
	memset(out, 0, sizeof(*out));
	if (!asker)
		return err_set(ENOMEM, "no memory");
	rc = live_bus_open(&bus, deadline);
	/* firewalld is not running without a bus. */
	if (rc)
		return rc == -EHOSTDOWN ? 0 : err_context(rc, "firewalld");
	asker->bus = bus;
	asker->deadline = deadline;
	asker->out = out;
	rc = ask_zone_name(asker, &firewalld, "getDefaultZone", NULL, by_default);
	if (rc == -ESRCH)
		return 0;
	out->running = true;
	if (!rc)
		rc = ask_zone(asker, netdev, by_default);
	return rc ? err_context(rc, "firewalld") : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the server answers, by RDMA and by TCP. RDMA is asked by the probe, whose worker has no
 * privilege; of TCP only the connection counts here. Below a root it is what was recorded:
 *
 *	.nfsrdma/remote.json    {"rdma/20049": "open", "tcp/111": "silent", "rpcbind/100005/3": 20048}
 *
 * of the one server that the record is for. */
#include <json-c/json.h>
#include <stdio.h>

#include "plugin/checks/internal.h"
#include "rpcrdma/probe/probe.h"

#define RECORD     ".nfsrdma/remote.json"
#define RECORD_MAX (64 * 1024)

/* A connection manager that hears nothing tries for a minute; a check does not wait so long. */
#define RDMA_MS 3000
#define TCP_MS  1000

static const char *const answer_names[] = {
	[REMOTE_OPEN] = "open",     [REMOTE_REFUSED] = "refused",
	[REMOTE_SILENT] = "silent", [REMOTE_UNREACHABLE] = "unreachable",
	[REMOTE_NO_NFS] = "no-nfs", [REMOTE_UNASKED] = "unasked",
};

/* --- the record ------------------------------------------------------------------------ */

static void json_put_p(struct json_object **json)
{
	json_object_put(*json);
}

static int read_record(struct check_run *run, const char *key, char *value, size_t cap)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	struct json_object *member;
	int rc = host_read(run->host, RECORD, RECORD_MAX, &text);

	if (rc && rc != -ENOENT)
		return rc;
	json = rc ? NULL : json_tokener_parse(text.text);
	if (!rc && !json_object_is_type(json, json_type_object))
		return err_set(EBADMSG, RECORD " is no JSON object");
	if (rc || !json_object_object_get_ex(json, key, &member))
		return err_set(ENODATA,
			       "a snapshot does not hold what the server answers");
	snprintf(value, cap, "%s", json_object_get_string(member));
	return 0;
}

static int replay(struct check_run *run, const char *key, struct remote *out)
{
	char value[64];
	size_t i;
	int rc = read_record(run, key, value, sizeof(value));

	for (i = 0; !rc && i < ARRAY_SIZE(answer_names); i++) {
		if (strcmp(value, answer_names[i]))
			continue;
		out->answer = (enum remote_answer)i;
		return 0;
	}
	return rc ? rc : err_set(EBADMSG, RECORD ": there is no answer '%s'", value);
}

/* --- RDMA -------------------------------------------------------------------------------- */

static void take_text(struct remote *out, const struct finding *finding)
{
	snprintf(out->text, sizeof(out->text), "%.255s", finding->summary);
}

static const char *evidence(const struct finding *finding, const char *key)
{
	unsigned int i;

	for (i = 0; i < finding->nevidence; i++)
		if (!strcmp(finding->evidence[i].key, key))
			return finding->evidence[i].value;
	return "";
}

static enum remote_answer connect_answer(const struct finding *finding)
{
	static const struct {
		const char *error;
		enum remote_answer answer;
	} rows[] = {
		{ "ETIMEDOUT", REMOTE_SILENT },
		{ "EHOSTUNREACH", REMOTE_UNREACHABLE },
		{ "ENETUNREACH", REMOTE_UNREACHABLE },
		{ "EPROTONOSUPPORT", REMOTE_NO_NFS },
	};
	const char *error = evidence(finding, "error");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(error, rows[i].error))
			return rows[i].answer;
	return finding->status == FINDING_FAIL ? REMOTE_REFUSED : REMOTE_UNASKED;
}

/* Findings come in the order of causes: the first that is not good decides. */
static void on_finding(void *arg, const struct finding *finding)
{
	struct remote *out = arg;
	bool good = finding->status == FINDING_PASS || finding->status == FINDING_WARN;

	if (out->answer != REMOTE_UNASKED || *out->text)
		return;
	if (!strcmp(finding->id, "probe.null")) {
		out->answer = good ? REMOTE_OPEN : REMOTE_NO_NFS;
		take_text(out, finding);
	} else if (!good) {
		out->answer = connect_answer(finding);
		take_text(out, finding);
	}
}

static void on_subject(void *arg, const char *key, const char *value)
{
	(void)arg;
	(void)key;
	(void)value;
}

static bool is_siw(const struct rdma_device *device)
{
	return device->kind == RDMA_IWARP && device->software;
}

/* siw connects within the system call that asks for it, and nothing ends that before TCP gives up.
 * A program can speak iWARP to the server without it, by the same packets. The same for a server on
 * this host itself that no other device knows. */
static const struct transport_ops *transport_of(struct check_run *run)
{
	const struct rdma_devices *rdma;
	const struct rdma_device *device;
	const struct rdma_port *port;
	bool siw = false;
	unsigned int i;

	if (!facts_route_port(run, &device, &port))
		siw = is_siw(device);
	else if (!facts_rdma(run, &rdma))
		for (i = 0; i < rdma->count; i++)
			siw |= is_siw(&rdma->list[i]);
	return transport_find(siw ? "iwarp" : "verbs");
}

int remote_rdma(struct check_run *run, uint16_t port, struct remote *out)
{
	const struct probe_events events = { .finding = on_finding,
					     .subject = on_subject,
					     .arg = out };
	struct probe_options options = {
		.host = run->target->server,
		.port = port,
		.transport = transport_of(run),
		.level = PROBE_QUICK,
	};
	char key[32];
	int left = deadline_left(run->deadline);

	*out = (struct remote){ .answer = REMOTE_UNASKED };
	snprintf(key, sizeof(key), "rdma/%u", port);
	if (!host_is_live(run->host))
		return replay(run, key, out);
	options.timeout_ms = left < RDMA_MS ? (unsigned int)left : RDMA_MS;
	return probe_run(&options, &events);
}

/* --- TCP ---------------------------------------------------------------------------------- */

static enum remote_answer tcp_answer(int rc)
{
	switch (rc) {
	case 0: return REMOTE_OPEN;
	case -ECONNREFUSED:
	case -ECONNRESET: return REMOTE_REFUSED;
	case -ETIMEDOUT: return REMOTE_SILENT;
	case -EHOSTUNREACH:
	case -ENETUNREACH: return REMOTE_UNREACHABLE;
	default: return REMOTE_UNASKED;
	}
}

static void ask_tcp(const struct transport_address *server, uint16_t port,
		    struct remote *out, uint64_t deadline)
{
	struct transport_address to = *server;
	_cleanup_close_ int fd = -1;

	transport_set_port(&to, port);
	out->answer = tcp_answer(rpc_tcp_connect(&fd, &to, NULL, false, NULL, deadline));
	if (out->answer != REMOTE_OPEN)
		snprintf(out->text, sizeof(out->text), "%.255s", err_text());
}

int remote_tcp(struct check_run *run, uint16_t port, struct remote *out)
{
	uint64_t deadline = deadline_min(run->deadline, deadline_in(TCP_MS));
	unsigned int i;
	char key[32];

	*out = (struct remote){ .answer = REMOTE_UNASKED };
	snprintf(key, sizeof(key), "tcp/%u", port);
	if (!host_is_live(run->host))
		return replay(run, key, out);
	for (i = 0; i < run->target->naddresses; i++) {
		ask_tcp(&run->target->addresses[i], port, out, deadline);
		if (out->answer == REMOTE_OPEN || out->answer == REMOTE_REFUSED)
			break;
	}
	return 0;
}

int remote_rpcbind(struct check_run *run, uint32_t program, uint32_t version,
		   uint16_t *port)
{
	char key[48], value[64];
	long number;
	int rc;

	if (host_is_live(run->host))
		return remote_rpcbind_ask(
			&run->target->addresses[0], program, version, port,
			deadline_min(run->deadline, deadline_in(TCP_MS)));
	snprintf(key, sizeof(key), "rpcbind/%u/%u", program, version);
	rc = read_record(run, key, value, sizeof(value));
	if (rc)
		return rc;
	number = strtol(value, NULL, 10);
	if (number <= 0 || number > UINT16_MAX)
		return err_set(EADDRNOTAVAIL, "rpcbind does not know it");
	*port = (uint16_t)number;
	return 0;
}

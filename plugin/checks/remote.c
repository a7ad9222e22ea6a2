/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the server answers over RDMA and TCP. The probe asks over RDMA, from a worker without
 * privileges; over TCP only the connection matters here. Below a root the answers are recorded:
 *
 *	.nfsrdma/remote.json    {"rdma/20049": "open", "tcp/111": "silent", "rpcbind/100005/3": 20048,
 *	                         "tcp/2049": {"answer": "refused", "text": "..."},
 *	                         "address/nas1": "192.0.2.1 2001:db8::1"}
 *
 * for one server; "here/rpcbind/100005/3" is the host's own. A snapshot has a text with an answer.
 * rpcbind's may be 0, not registered, or the name of an error. */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/checks/internal.h"
#include "plugin/host/answer-json.h"
#include "plugin/host/json.h"
#include "rpcrdma/probe/probe.h"

#define RECORD          ".nfsrdma/remote.json"
#define RECORD_MAX      (64 * 1024)
#define RECORD_TEXT_MAX 512

/* A connection manager without an answer tries for a minute; a check does not wait so long. */
#define RDMA_MS 3000
#define TCP_MS  1000

static const char *const answer_names[] = {
	[REMOTE_OPEN] = "open",     [REMOTE_REFUSED] = "refused",
	[REMOTE_SILENT] = "silent", [REMOTE_UNREACHABLE] = "unreachable",
	[REMOTE_NO_NFS] = "no-nfs", [REMOTE_UNASKED] = "unasked",
};

/* --- the record ------------------------------------------------------------------------ */

/* @text: NULL, or for the words. */
static int remote_record_read(const struct host *host, const char *key, char value[RECORD_TEXT_MAX],
			      char text[RECORD_TEXT_MAX])
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	_cleanup_(host_text_fini) struct host_text file = { NULL, 0 };
	struct json_object *member, *answer, *words = NULL;
	int rc = host_read(host, RECORD, RECORD_MAX, &file);

	if (rc && rc != -ENOENT)
		return rc;
	if (!rc) {
		rc = json_parse_object(file.text, file.len, JSON_BYTES, &json);
		if (rc)
			return err_context(rc, RECORD);
	}
	if (rc || !json_object_object_get_ex(json, key, &member))
		return err_set(ENODATA, "a snapshot does not hold what the server answers");
	if (!json_object_object_get_ex(member, "answer", &answer))
		answer = member;
	else
		json_object_object_get_ex(member, "text", &words);
	snprintf(value, RECORD_TEXT_MAX, "%s", json_object_get_string(answer));
	if (text)
		snprintf(text, RECORD_TEXT_MAX, "%s", words ? json_object_get_string(words) : "");
	/* For a snapshot of that root, whose record has the answers to others' questions, too. */
	host_answer(host, RECORD, key, value, words ? json_object_get_string(words) : NULL);
	return 0;
}

static int remote_replay(struct check_run *run, const char *key, struct remote *out)
{
	char value[RECORD_TEXT_MAX], text[RECORD_TEXT_MAX];
	size_t i;
	int rc = remote_record_read(run->host, key, value, text);

	for (i = 0; !rc && i < ARRAY_SIZE(answer_names); i++) {
		if (strcmp(value, answer_names[i]))
			continue;
		out->answer = (enum remote_answer)i;
		snprintf(out->text, sizeof(out->text), "%.255s", text);
		finding_clean(out->text);
		return 0;
	}
	return rc ? rc : err_set(EBADMSG, RECORD ": unknown answer '%s'", value);
}

static void remote_record(struct check_run *run, const char *key, const struct remote *remote)
{
	host_answer(run->host, RECORD, key, answer_names[remote->answer], remote->text);
}

/* --- the server's name ------------------------------------------------------------------ */

/* Numeric addresses, as remote_record_addresses() joined them. */
static unsigned int remote_parse_addresses(char *text, uint16_t port, struct transport_address *out,
					   unsigned int max)
{
	unsigned int count = 0;
	char *word;

	while (count < max && (word = word_next(&text)))
		if (transport_resolve(word, port, &out[count], 1, 0) > 0)
			count++;
	return count;
}

static void remote_replay_addresses(const struct host *host, struct check_target *target,
				    const char *key)
{
	char value[RECORD_TEXT_MAX], text[RECORD_TEXT_MAX];
	int rc = remote_record_read(host, key, value, text);

	if (!rc)
		target->naddresses = remote_parse_addresses(value, target->port, target->addresses,
							    ARRAY_SIZE(target->addresses));
	snprintf(target->unresolved, sizeof(target->unresolved), "%.159s",
		 !rc ? text : "names cannot be looked up in a snapshot; give the address");
	finding_clean(target->unresolved);
	str_copy(target->unresolved_reason, sizeof(target->unresolved_reason), "snapshot");
}

static void remote_record_addresses(const struct host *host, const struct check_target *target,
				    const char *key)
{
	struct words words = { .separator = " " };
	char name[ADDRESS_NAME_MAX];
	unsigned int i;

	for (i = 0; i < target->naddresses; i++)
		words_add(&words, "%s", words_address(&target->addresses[i], name));
	host_answer(host, RECORD, key, words_text(&words), target->unresolved);
}

/* Below a root no name service is asked: names of that machine are not names of this one. */
void remote_resolve(const struct host *host, struct check_target *target, uint64_t deadline)
{
	bool live = host_is_live(host);
	char key[300];
	int rc;

	snprintf(key, sizeof(key), "address/%.255s", target->server);
	rc = transport_resolve(target->server, target->port, target->addresses,
			       ARRAY_SIZE(target->addresses), live ? deadline : 0);
	target->naddresses = rc < 0 ? 0 : (unsigned int)rc;
	target->unresolved[0] = '\0';
	if (rc < 0 && !live) {
		remote_replay_addresses(host, target, key);
	} else if (rc < 0) {
		str_copy(target->unresolved, sizeof(target->unresolved), err_text());
		str_copy(target->unresolved_reason, sizeof(target->unresolved_reason),
			 err_reason());
		remote_record_addresses(host, target, key);
	} else if (live) {
		remote_record_addresses(host, target, key);
	}
}

/* --- RDMA -------------------------------------------------------------------------------- */

static enum remote_answer remote_connect_answer(const struct finding *finding)
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
	const char *error = finding_evidence(finding, "error");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(error, rows[i].error))
			return rows[i].answer;
	return finding->status == FINDING_FAIL ? REMOTE_REFUSED : REMOTE_UNASKED;
}

/* Findings come in the order of causes: the first that is not good decides. */
static void remote_on_finding(void *arg, const struct finding *finding)
{
	struct remote *out = arg;
	bool good = finding->status == FINDING_PASS || finding->status == FINDING_WARN;

	if (out->answer != REMOTE_UNASKED || *out->text)
		return;
	if (!strcmp(finding->id, "probe.null"))
		out->answer = good ? REMOTE_OPEN : REMOTE_NO_NFS;
	else if (!good)
		out->answer = remote_connect_answer(finding);
	else
		return;
	snprintf(out->text, sizeof(out->text), "%.255s", finding->summary);
}

static void remote_on_subject(void *arg, const char *key, const char *value)
{
	(void)arg;
	(void)key;
	(void)value;
}

static bool remote_is_siw(const struct rdma_device *device)
{
	return device->kind == RDMA_IWARP && device->software;
}

/* siw connects within the system call that requests it, and nothing ends that before TCP gives
 * up. A program can speak iWARP to the server without it, by the same packets. The same applies
 * to a server on this host itself that no other device reaches. */
static const struct transport_ops *remote_transport(struct check_run *run)
{
	const struct rdma_devices *rdma;
	const struct rdma_device *device;
	const struct rdma_port *port;
	bool siw = false;
	unsigned int i;

	if (!facts_route_port(run, &device, &port))
		siw = remote_is_siw(device);
	else if (!facts_rdma(run, &rdma))
		for (i = 0; i < rdma->count; i++)
			siw |= remote_is_siw(&rdma->list[i]);
	return transport_find(siw ? "iwarp" : "verbs");
}

static int remote_rdma_ask(const struct probe_options *to, uint64_t deadline, struct remote *out)
{
	const struct probe_events events = { .finding = remote_on_finding,
					     .subject = remote_on_subject,
					     .arg = out };
	struct probe_options options = *to;
	int left = deadline_left(deadline);

	*out = (struct remote){ .answer = REMOTE_UNASKED };
	options.level = PROBE_QUICK;
	options.timeout_ms = left < RDMA_MS ? (unsigned int)left : RDMA_MS;
	return probe_run(&options, &events);
}

int remote_rdma(struct check_run *run, uint16_t port, struct remote *out)
{
	const struct probe_options to = { .host = run->target->server,
					  .port = port,
					  .transport = remote_transport(run) };
	char key[32];
	int rc;

	snprintf(key, sizeof(key), "rdma/%u", port);
	*out = (struct remote){ .answer = REMOTE_UNASKED };
	if (!host_is_live(run->host))
		return remote_replay(run, key, out);
	rc = remote_rdma_ask(&to, run->deadline, out);
	if (!rc)
		remote_record(run, key, out);
	return rc;
}

int remote_rdma_here(struct check_run *run, const struct own_address *own, uint16_t port,
		     struct remote *out)
{
	const struct probe_options to = { .host = own->text,
					  .port = port,
					  .transport = transport_find(
						  remote_is_siw(own->device) ? "iwarp" : "verbs") };

	return remote_rdma_ask(&to, run->deadline, out);
}

/* --- TCP ---------------------------------------------------------------------------------- */

static enum remote_answer remote_tcp_ask(const struct transport_address *server, uint16_t port,
					 struct remote *out, uint64_t deadline)
{
	struct transport_address to = *server;
	_cleanup_close_ int fd = -1;
	int rc;

	transport_set_port(&to, port);
	rc = rpc_tcp_connect(&fd, &to, NULL, deadline);
	if (!rc)
		return REMOTE_OPEN;
	snprintf(out->text, sizeof(out->text), "%.255s", err_text());
	switch (rc) {
	case -ECONNREFUSED:
	case -ECONNRESET: return REMOTE_REFUSED;
	case -ETIMEDOUT: return REMOTE_SILENT;
	case -EHOSTUNREACH:
	case -ENETUNREACH: return REMOTE_UNREACHABLE;
	default: return REMOTE_UNASKED;
	}
}

int remote_tcp(struct check_run *run, uint16_t port, struct remote *out)
{
	uint64_t deadline = deadline_min(run->deadline, deadline_in(TCP_MS));
	unsigned int i;
	char key[32];

	*out = (struct remote){ .answer = REMOTE_UNASKED };
	snprintf(key, sizeof(key), "tcp/%u", port);
	if (!host_is_live(run->host))
		return remote_replay(run, key, out);
	for (i = 0; i < run->target->naddresses; i++) {
		out->answer = remote_tcp_ask(&run->target->addresses[i], port, out, deadline);
		if (out->answer == REMOTE_OPEN || out->answer == REMOTE_REFUSED)
			break;
	}
	remote_record(run, key, out);
	return 0;
}

/* A firewall rule may also refuse, in the server's name. */
bool remote_is_kept_off(const struct remote *remote)
{
	return remote->answer == REMOTE_REFUSED || remote->answer == REMOTE_SILENT ||
	       remote->answer == REMOTE_UNREACHABLE;
}

/* A port, 0 if there is none, or the name of an error. */
static int remote_replay_rpcbind(struct check_run *run, const char *key, uint16_t *port)
{
	char value[RECORD_TEXT_MAX], text[RECORD_TEXT_MAX];
	int rc = remote_record_read(run->host, key, value, text), number;
	long found;

	if (rc)
		return rc;
	number = answer_errno(value);
	if (number)
		return err_set(number, "%s", text);
	found = strtol(value, NULL, 10);
	if (found <= 0 || found > UINT16_MAX)
		return err_set(EADDRNOTAVAIL, "rpcbind does not know it");
	*port = (uint16_t)found;
	return 0;
}

static void remote_record_rpcbind(struct check_run *run, const char *key, int rc, uint16_t port)
{
	const char *name = rc ? strerrorname_np(-rc) : NULL;
	char number[8];

	snprintf(number, sizeof(number), "%d", rc ? 0 : port);
	host_answer(run->host, RECORD, key, name ? name : number, rc ? err_text() : NULL);
}

int remote_rpcbind(struct check_run *run, uint32_t program, uint32_t version, uint16_t *port)
{
	uint64_t deadline = deadline_min(run->deadline, deadline_in(TCP_MS));
	char key[48];
	int rc;

	snprintf(key, sizeof(key), "rpcbind/%u/%u", program, version);
	if (!host_is_live(run->host))
		return remote_replay_rpcbind(run, key, port);
	rc = remote_rpcbind_ask(&run->target->addresses[0], program, version, port, deadline);
	remote_record_rpcbind(run, key, rc, *port);
	return rc;
}

int remote_rpcbind_here(struct check_run *run, uint32_t program, uint32_t version, uint16_t *port)
{
	uint64_t deadline = deadline_min(run->deadline, deadline_in(TCP_MS));
	struct transport_address here = { .len = sizeof(struct sockaddr_in) };
	struct sockaddr_in *in = (struct sockaddr_in *)&here.addr;
	char key[48];
	int rc;

	snprintf(key, sizeof(key), "here/rpcbind/%u/%u", program, version);
	if (!host_is_live(run->host))
		return remote_replay_rpcbind(run, key, port);
	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	rc = remote_rpcbind_ask(&here, program, version, port, deadline);
	remote_record_rpcbind(run, key, rc, *port);
	return rc;
}

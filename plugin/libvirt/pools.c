/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The interface to libvirt: only its public API, of 9.0 and later. Its calls have no deadline: the
 * daemon answers when its mount(8) ends, which may be much later or never if a server is
 * unreachable, and keepalive would only show that the daemon is alive. So each call is a job, and
 * arguments and results are its thread's if it does not return in time. */
#include <stdatomic.h>

#include "plugin/libvirt/internal.h"
#include "plugin/libvirt/libvirt-calls.h"
#include "rpcrdma/base/job.h"

#define DEFAULT_URI  "qemu:///system"
#define FALLBACK_URI "storage:///system"

struct pools {
	struct pools_connected to;
	atomic_uint refs; /* one each for owner and call */
	bool lost;        /* a call has not returned: no other one is made */
};

/* What a call returns: one of these. */
struct pools_result {
	struct pool_info info;
	struct pool_list list;
	struct pool_guests guests;
};

struct pools_call {
	struct job job; /* first */
	struct pools *pools;
	int (*fn)(struct pools_call *call);
	int rc;
	char why[ERR_TEXT_MAX]; /* if it failed */
	char *text;             /* name, URI or XML; NULL: none */
	bool flag;
	struct pools_result result;
};

/* --- results ------------------------------------------------------------------ */

void pool_info_fini(struct pool_info *info)
{
	free(info->name);
	free(info->uuid);
	free(info->xml);
	*info = (struct pool_info){ .name = NULL };
}

void pool_list_fini(struct pool_list *list)
{
	while (list->count)
		pool_info_fini(&list->list[--list->count]);
	free(list->list);
	list->list = NULL;
}

void pool_guests_fini(struct pool_guests *guests)
{
	while (guests->count) {
		free(guests->list[--guests->count].name);
		free(guests->list[guests->count].xml);
	}
	free(guests->list);
	guests->list = NULL;
}

/* --- errors ------------------------------------------------------------------------------ */

static const struct {
	int code, errnum;
} pools_errnums[] = {
	{ VIR_ERR_NO_STORAGE_POOL, ENOENT },    { VIR_ERR_NO_SUPPORT, EOPNOTSUPP },
	{ VIR_ERR_AUTH_FAILED, EACCES },        { VIR_ERR_AUTH_CANCELLED, EACCES },
	{ VIR_ERR_AUTH_UNAVAILABLE, EACCES },   { VIR_ERR_ACCESS_DENIED, EACCES },
	{ VIR_ERR_OPERATION_DENIED, EACCES },   { VIR_ERR_XML_ERROR, EINVAL },
	{ VIR_ERR_XML_DETAIL, EINVAL },         { VIR_ERR_XML_INVALID_SCHEMA, EINVAL },
	{ VIR_ERR_CONFIG_UNSUPPORTED, EINVAL }, { VIR_ERR_NO_MEMORY, ENOMEM },
};

/* libvirt's message in one line: schema errors have several. */
int pools_error(void)
{
	const virError *error = libvirt->virGetLastError();
	int errnum = EIO;
	char text[ERR_TEXT_MAX];
	size_t i;

	str_copy(text, sizeof(text), error && error->message ? error->message : "no reason given");
	for (i = 0; text[i]; i++)
		if (text[i] == '\n')
			text[i] = text[i + 1] ? ' ' : '\0';
	for (i = 0; error && i < ARRAY_SIZE(pools_errnums); i++)
		if (pools_errnums[i].code == error->code)
			errnum = pools_errnums[i].errnum;
	return err_set(errnum, "libvirt: %s", text);
}

/* Suppresses libvirt's own messages on stderr. */
static void pools_ignore_message(void *arg, virErrorPtr error)
{
	(void)arg;
	(void)error;
}

/* --- calls --------------------------------------------------------------------------------- */

static void pools_unref(struct pools *pools)
{
	if (atomic_fetch_sub(&pools->refs, 1) > 1)
		return;
	if (pools->to.conn)
		libvirt->virConnectClose(pools->to.conn);
	free(pools);
}

static void pools_call_work(struct job *job)
{
	struct pools_call *call = (struct pools_call *)job;

	err_clear();
	call->rc = call->fn(call);
	str_copy(call->why, sizeof(call->why), err_text());
}

static void pools_call_fini(struct job *job)
{
	struct pools_call *call = (struct pools_call *)job;

	free(call->text);
	pool_info_fini(&call->result.info);
	pool_list_fini(&call->result.list);
	pool_guests_fini(&call->result.guests);
	pools_unref(call->pools);
}

static int pools_call_new(struct pools_call **out, struct pools *pools, const char *text)
{
	struct pools_call *call;

	if (pools->lost)
		return err_set(ETIMEDOUT, "libvirt is still busy");
	call = calloc(1, sizeof(*call));
	if (call && text)
		call->text = strdup(text);
	if (!call || (text && !call->text)) {
		free(call);
		return err_no_memory();
	}
	call->job.call = pools_call_work;
	call->job.discard = pools_call_fini;
	call->pools = pools;
	atomic_fetch_add(&pools->refs, 1);
	*out = call;
	return 0;
}

/* @out: NULL: it returns nothing. */
static int pools_ask(struct pools *pools, uint64_t deadline, int (*fn)(struct pools_call *call),
		     const char *text, bool flag, struct pools_result *out)
{
	struct pools_call *call = NULL;
	int rc = pools_call_new(&call, pools, text);

	if (rc)
		return rc;
	call->fn = fn;
	call->flag = flag;
	rc = job_run(&call->job, deadline);
	/* The call is its thread's now. */
	if (rc == -ETIMEDOUT) {
		pools->lost = true;
		return err_set(ETIMEDOUT, "libvirt did not answer in time");
	}
	rc = rc ? err_set(-rc, "no thread for libvirt") : call->rc;
	if (call->rc < 0)
		err_set(-rc, "%s", call->why);
	if (!rc && out) {
		*out = call->result;
		call->result = (struct pools_result){ .info = { .name = NULL } };
	}
	pools_call_fini(&call->job);
	free(call);
	return rc;
}

static virStoragePoolPtr pools_look_up(struct pools_call *call)
{
	return libvirt->virStoragePoolLookupByName(call->pools->to.conn, call->text);
}

/* @rc of libvirt: negative is an error. */
static int pools_done(virStoragePoolPtr pool, int rc)
{
	int result = rc < 0 ? pools_error() : 0;

	libvirt->virStoragePoolFree(pool);
	return result;
}

/* --- reading --------------------------------------------------------------------------------- */

static int pools_fill_info(virStoragePoolPtr pool, struct pool_info *out)
{
	char uuid[VIR_UUID_STRING_BUFLEN];
	const char *name = libvirt->virStoragePoolGetName(pool);
	int autostart = 0, active = libvirt->virStoragePoolIsActive(pool),
	    persistent = libvirt->virStoragePoolIsPersistent(pool);

	/* A transient pool has only the definition in force, and libvirt's test driver
	 * makes no difference. */
	out->xml = libvirt->virStoragePoolGetXMLDesc(pool,
						     persistent > 0 ? VIR_STORAGE_XML_INACTIVE : 0);
	if (!out->xml && libvirt->virGetLastErrorCode() == VIR_ERR_INVALID_ARG)
		out->xml = libvirt->virStoragePoolGetXMLDesc(pool, 0);
	if (!name || !out->xml || active < 0 || persistent < 0 ||
	    libvirt->virStoragePoolGetUUIDString(pool, uuid) < 0)
		return pools_error();
	if (persistent && libvirt->virStoragePoolGetAutostart(pool, &autostart) < 0)
		return pools_error();
	out->name = strdup(name);
	out->uuid = strdup(uuid);
	out->active = active;
	out->persistent = persistent;
	out->autostart = autostart;
	return out->name && out->uuid ? 0 : err_no_memory();
}

static int pools_do_get(struct pools_call *call)
{
	virStoragePoolPtr pool = pools_look_up(call);
	int rc;

	if (!pool)
		return pools_error();
	rc = pools_fill_info(pool, &call->result.info);
	libvirt->virStoragePoolFree(pool);
	return rc;
}

static int pools_get(void *conn, uint64_t deadline, const char *name, struct pool_info *out)
{
	struct pools_result result;
	int rc = pools_ask(conn, deadline, pools_do_get, name, false, &result);

	if (!rc)
		*out = result.info;
	return rc;
}

static int pools_by_name(const void *a, const void *b)
{
	return strcmp(((const struct pool_info *)a)->name, ((const struct pool_info *)b)->name);
}

/* A pool that was removed since the list was read is omitted. */
static int pools_read_each(struct pool_list *list, virStoragePoolPtr *pools, size_t count)
{
	size_t i;
	int rc;

	if (count > POOLS_MAX)
		return err_set(E2BIG, "libvirt has %zu pools of type netfs, %d at most", count,
			       POOLS_MAX);
	list->list = calloc(count + 1, sizeof(*list->list));
	if (!list->list)
		return err_no_memory();
	for (i = 0; i < count; i++) {
		rc = pools_fill_info(pools[i], &list->list[list->count]);
		if (!rc)
			list->count++;
		else
			pool_info_fini(&list->list[list->count]);
		if (rc && rc != -ENOENT)
			return rc;
	}
	qsort(list->list, list->count, sizeof(*list->list), pools_by_name);
	return 0;
}

int pools_read(virConnectPtr conn, struct pool_list *out)
{
	virStoragePoolPtr *pools = NULL;
	int count = libvirt->virConnectListAllStoragePools(conn, &pools,
							   VIR_CONNECT_LIST_STORAGE_POOLS_NETFS);
	int rc, i;

	if (count < 0)
		return pools_error();
	rc = pools_read_each(out, pools, (size_t)count);
	for (i = 0; i < count; i++)
		libvirt->virStoragePoolFree(pools[i]);
	free(pools);
	return rc;
}

static int pools_do_list(struct pools_call *call)
{
	return pools_read(call->pools->to.conn, &call->result.list);
}

static int pools_list(void *conn, uint64_t deadline, struct pool_list *out)
{
	struct pools_result result;
	int rc = pools_ask(conn, deadline, pools_do_list, NULL, false, &result);

	if (!rc)
		*out = result.list;
	return rc;
}

/* A guest that has ended since the list was read is omitted. */
static int pools_read_guests(struct pools_call *call, virDomainPtr *domains, size_t count)
{
	struct pool_guests *guests = &call->result.guests;
	struct pool_guest *guest;
	size_t i;

	if (count > GUESTS_MAX)
		return err_set(E2BIG, "%zu guests run, %d at most", count, GUESTS_MAX);
	guests->list = calloc(count + 1, sizeof(*guests->list));
	if (!guests->list)
		return err_no_memory();
	for (i = 0; i < count; i++) {
		guest = &guests->list[guests->count];
		guest->xml = libvirt->virDomainGetXMLDesc(domains[i], 0);
		if (!guest->xml && libvirt->virGetLastErrorCode() == VIR_ERR_NO_DOMAIN)
			continue;
		if (!guest->xml)
			return pools_error();
		guests->count++;
		guest->name = strdup(libvirt->virDomainGetName(domains[i]));
		if (!guest->name)
			return err_no_memory();
	}
	return 0;
}

static int pools_do_guests(struct pools_call *call)
{
	virDomainPtr *domains = NULL;
	int count = libvirt->virConnectListAllDomains(call->pools->to.conn, &domains,
						      VIR_CONNECT_LIST_DOMAINS_ACTIVE);
	int rc, i;

	if (count < 0)
		return pools_error();
	rc = pools_read_guests(call, domains, (size_t)count);
	for (i = 0; i < count; i++)
		libvirt->virDomainFree(domains[i]);
	free(domains);
	return rc;
}

static int pools_guests(void *conn, uint64_t deadline, struct pool_guests *out)
{
	struct pools_result result;
	int rc = pools_ask(conn, deadline, pools_do_guests, NULL, false, &result);

	if (!rc)
		*out = result.guests;
	return rc;
}

/* --- changing -------------------------------------------------------------------------------- */

/* The schema does not allow a host in brackets, the only form that mount.nfs accepts for
 * IPv6. And a daemon older than 7.8 does not support validation. */
static int pools_do_define(struct pools_call *call)
{
	bool validate = call->flag && !strstr(call->text, "name=\"[");
	virStoragePoolPtr pool;

	pool = libvirt->virStoragePoolDefineXML(call->pools->to.conn, call->text,
						validate ? VIR_STORAGE_POOL_DEFINE_VALIDATE : 0);
	if (!pool && validate && libvirt->virGetLastErrorCode() == VIR_ERR_INVALID_ARG)
		pool = libvirt->virStoragePoolDefineXML(call->pools->to.conn, call->text, 0);
	return pool ? pools_done(pool, 0) : pools_error();
}

static int pools_define(void *conn, uint64_t deadline, const char *xml, bool validate)
{
	return pools_ask(conn, deadline, pools_do_define, xml, validate, NULL);
}

static int pools_do_undefine(struct pools_call *call)
{
	virStoragePoolPtr pool = pools_look_up(call);

	return pool ? pools_done(pool, libvirt->virStoragePoolUndefine(pool)) : pools_error();
}

static int pools_undefine(void *conn, uint64_t deadline, const char *name)
{
	return pools_ask(conn, deadline, pools_do_undefine, name, false, NULL);
}

static int pools_do_start(struct pools_call *call)
{
	virStoragePoolPtr pool = pools_look_up(call);

	return pool ? pools_done(pool, libvirt->virStoragePoolCreate(pool, 0)) : pools_error();
}

static int pools_start(void *conn, uint64_t deadline, const char *name)
{
	return pools_ask(conn, deadline, pools_do_start, name, false, NULL);
}

static int pools_do_stop(struct pools_call *call)
{
	virStoragePoolPtr pool = pools_look_up(call);

	return pool ? pools_done(pool, libvirt->virStoragePoolDestroy(pool)) : pools_error();
}

static int pools_stop(void *conn, uint64_t deadline, const char *name)
{
	return pools_ask(conn, deadline, pools_do_stop, name, false, NULL);
}

static int pools_do_autostart(struct pools_call *call)
{
	virStoragePoolPtr pool = pools_look_up(call);

	return pool ? pools_done(pool, libvirt->virStoragePoolSetAutostart(pool, call->flag))
		    : pools_error();
}

static int pools_set_autostart(void *conn, uint64_t deadline, const char *name, bool on)
{
	return pools_ask(conn, deadline, pools_do_autostart, name, on, NULL);
}

const struct pool_ops pools_ops = {
	.list = pools_list,
	.get = pools_get,
	.define = pools_define,
	.undefine = pools_undefine,
	.start = pools_start,
	.stop = pools_stop,
	.autostart = pools_set_autostart,
	.guests = pools_guests,
};

/* --- the connection --------------------------------------------------------------------------- */

static virConnectPtr pools_connect_to(const char *uri, bool read_only)
{
	return read_only ? libvirt->virConnectOpenReadOnly(uri) : libvirt->virConnectOpen(uri);
}

int pools_connect(const char *uri, bool read_only, struct pools_connected *out)
{
	const char *host;
	virConnectPtr conn;
	char *real;
	int rc;

	uri = uri ? uri : getenv("LIBVIRT_DEFAULT_URI");
	libvirt->virSetErrorFunc(NULL, pools_ignore_message);
	if (libvirt->virInitialize() < 0)
		return pools_error();
	conn = pools_connect_to(uri && *uri ? uri : DEFAULT_URI, read_only);
	if (!conn) {
		rc = pools_error();
		if (uri && *uri)
			return rc;
		/* A host without a driver for guests still has pools. */
		conn = pools_connect_to(FALLBACK_URI, read_only);
		if (!conn)
			return rc;
	}
	out->conn = conn;
	real = libvirt->virConnectGetURI(conn);
	str_copy(out->uri, sizeof(out->uri), real ? real : "");
	/* SCHEME[+TRANSPORT]://[USER@]HOST/...; only the host matters. */
	host = strstr(out->uri, "://");
	out->remote = host && host[3] && host[3] != '/';
	free(real);
	return 0;
}

static int pools_do_open(struct pools_call *call)
{
	return pools_connect(call->text, call->flag, &call->pools->to);
}

static int pools_do_close(struct pools_call *call)
{
	if (call->pools->to.conn)
		libvirt->virConnectClose(call->pools->to.conn);
	call->pools->to.conn = NULL;
	return 0;
}

int pools_open(struct pools **out, const char *uri, bool read_only, uint64_t deadline)
{
	int rc = libvirt_load();
	struct pools *pools;

	if (rc)
		return rc;
	pools = calloc(1, sizeof(*pools));
	if (!pools)
		return err_no_memory();
	pools->refs = 1;
	rc = pools_ask(pools, deadline, pools_do_open, uri, read_only, NULL);
	if (rc)
		pools_close(pools);
	else
		*out = pools;
	return rc;
}

#define CLOSE_MS 1000

void pools_close(struct pools *pools)
{
	char text[ERR_TEXT_MAX];

	if (!pools)
		return;
	/* Report the earlier error. */
	str_copy(text, sizeof(text), err_text());
	pools_ask(pools, deadline_in(CLOSE_MS), pools_do_close, NULL, false, NULL);
	pools_unref(pools);
	err_set(0, "%s", text);
}

const char *pools_uri(const struct pools *pools)
{
	return pools->to.uri;
}

bool pools_remote(const struct pools *pools)
{
	return pools->to.remote;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An RDMA transport within this process. Two ends share a link, which has a queue each way;
 * what one end does is an item that the other applies to its own memory when it looks, in its
 * own thread, by the same STag table and receive buffers that software iWARP has. An eventfd
 * counts the items, so that an end can be polled. */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/eventfd.h>

#include "rpcrdma/transport/internal.h"
#include "tests/support/transport-loop.h"

enum item_kind {
	ITEM_HELLO,
	ITEM_SEND,
	ITEM_WRITE,
	ITEM_READ,
	ITEM_READ_DONE,
	ITEM_TERMINATE,
	ITEM_BYE,
};

struct item {
	struct item *next;
	enum item_kind kind;
	unsigned int flags; /* Send */
	uint16_t ird, ord;  /* hello */
	uint32_t handle;
	uint64_t offset;
	size_t len; /* of data; of a Read, what is wanted */
	uint8_t data[];
};

struct queue {
	struct item *first, *last;
	int eventfd;
};

struct link {
	pthread_mutex_t lock;
	int ends; /* not closed yet */
	struct queue to[2];
	struct link *next; /* waits at a listener */
};

struct loop {
	struct transport t; /* first */
	struct transport_param param;
	struct link *link;
	int side; /* reads link->to[side] */
	bool ready, initiator, heard;
	int failed;
	char why[256];
	struct region_table regions;
	struct slots slots;
	uint8_t *read_data; /* our Read, NULL when there is none */

	/* a listener */
	struct loop *next_listener;
	struct link *waiting;
};

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct loop *listeners;
static uint16_t next_port = 1;

static struct loop *loop_of(struct transport *t)
{
	return (struct loop *)t;
}

static void event_add(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		abort();
}

/* link */

static void link_free(struct link *link)
{
	struct item *item;
	int i;

	for (i = 0; i < 2; i++) {
		while ((item = link->to[i].first)) {
			link->to[i].first = item->next;
			free(item);
		}
		close(link->to[i].eventfd);
	}
	pthread_mutex_destroy(&link->lock);
	free(link);
}

static struct link *link_new(void)
{
	struct link *link = calloc(1, sizeof(*link));
	int i;

	if (!link)
		abort();
	pthread_mutex_init(&link->lock, NULL);
	link->ends = 2;
	for (i = 0; i < 2; i++)
		link->to[i].eventfd = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
	return link;
}

static void link_put(struct link *link, int to, struct item *item)
{
	struct queue *q = &link->to[to];

	pthread_mutex_lock(&link->lock);
	if (q->last)
		q->last->next = item;
	else
		q->first = item;
	q->last = item;
	event_add(q->eventfd);
	pthread_mutex_unlock(&link->lock);
}

static struct item *link_take(struct link *link, int side)
{
	struct queue *q = &link->to[side];
	struct item *item;
	uint64_t count;

	pthread_mutex_lock(&link->lock);
	item = q->first;
	if (item) {
		q->first = item->next;
		if (!q->first)
			q->last = NULL;
		if (read(q->eventfd, &count, sizeof(count)) != (ssize_t)sizeof(count))
			abort();
	}
	pthread_mutex_unlock(&link->lock);
	return item;
}

/* The end at @side goes; the other learns it in order. */
static void link_leave(struct link *link, int side)
{
	struct item *bye = calloc(1, sizeof(*bye));
	bool last;

	if (!bye)
		abort();
	bye->kind = ITEM_BYE;
	link_put(link, !side, bye);
	pthread_mutex_lock(&link->lock);
	last = --link->ends == 0;
	pthread_mutex_unlock(&link->lock);
	if (last)
		link_free(link);
}

/* one end */

static struct loop *loop_new(void)
{
	struct loop *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->t.ops = &transport_loop;
	c->t.fd = -1;
	return c;
}

static void loop_attach(struct loop *c, struct link *link, int side)
{
	c->link = link;
	c->side = side;
	c->t.fd = link->to[side].eventfd;
}

static int loop_fail(struct loop *c, int rc)
{
	if (!c->failed) {
		c->failed = rc;
		str_copy(c->why, sizeof(c->why), err_text());
	}
	return err_set(-c->failed, "%s", c->why);
}

static struct item *item_new(enum item_kind kind, size_t len)
{
	struct item *item = calloc(1, sizeof(*item) + len);

	if (!item)
		abort();
	item->kind = kind;
	item->len = len;
	return item;
}

static void loop_put(struct loop *c, struct item *item)
{
	link_put(c->link, !c->side, item);
}

static int loop_violation(struct loop *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

static int loop_violation(struct loop *c, const char *fmt, ...)
{
	struct transport_violation *v = &c->t.violation;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->text, sizeof(v->text), fmt, ap);
	va_end(ap);
	loop_put(c, item_new(ITEM_TERMINATE, 0));
	return err_set(EPROTO, "%s", v->text);
}

static int apply_send(struct loop *c, const struct item *item)
{
	struct transport_msg msg = { .len = item->len };
	int slot = slots_fill(&c->slots);

	if (slot < 0)
		return loop_violation(c, "Send, and none of the %u receive buffers is posted",
				      c->slots.depth);
	if (item->len > c->slots.size)
		return loop_violation(c, "Send of %zu bytes, receive buffers have %u", item->len,
				      c->slots.size);
	msg.slot = (uint32_t)slot;
	msg.solicited = item->flags & TRANSPORT_SEND_SOLICITED;
	if (item->flags & TRANSPORT_SEND_INVALIDATE) {
		if (!region_remove(&c->regions, item->handle))
			return loop_violation(c, "Send names STag 0x%08x: no region has it",
					      item->handle);
		msg.invalidated = true;
		msg.invalidate_handle = item->handle;
	}
	memcpy(slots_memory(&c->slots, msg.slot), item->data, item->len);
	slots_deliver(&c->slots, &msg);
	c->t.stats.sends_in++;
	return 0;
}

static uint8_t *loop_reach(struct loop *c, const struct item *item, unsigned int access)
{
	const struct region *r = region_find(&c->regions, item->handle);

	if (!r || region_check(r, item->offset, item->len, access) != REGION_OK)
		return NULL;
	return r->base + (item->offset - r->to);
}

static int apply_write(struct loop *c, const struct item *item)
{
	struct transport_tagged placed = { item->handle, item->offset, (uint32_t)item->len };
	uint8_t *target;

	c->t.stats.writes_in++;
	if (!item->len)
		return 0;
	target = loop_reach(c, item, TRANSPORT_REMOTE_WRITE);
	if (!target)
		return loop_violation(c, "RDMA Write of %zu bytes to STag 0x%08x refused",
				      item->len, item->handle);
	memcpy(target, item->data, item->len);
	c->t.stats.write_bytes_in += item->len;
	if (c->param.on_write)
		c->param.on_write(c->param.on_write_arg, &placed);
	return 0;
}

static int apply_read(struct loop *c, const struct item *item)
{
	uint8_t *source = loop_reach(c, item, TRANSPORT_REMOTE_READ);
	struct item *answer;

	if (item->len && !source)
		return loop_violation(c, "RDMA Read of %zu bytes from STag 0x%08x refused",
				      item->len, item->handle);
	answer = item_new(ITEM_READ_DONE, item->len);
	if (item->len)
		memcpy(answer->data, source, item->len);
	loop_put(c, answer);
	c->t.stats.reads_in++;
	return 0;
}

static int apply_read_done(struct loop *c, const struct item *item)
{
	if (item->len)
		memcpy(c->read_data, item->data, item->len);
	c->read_data = NULL;
	return 0;
}

static int apply_hello(struct loop *c, const struct item *item)
{
	c->t.peer_private_len = item->len;
	memcpy(c->t.peer_private, item->data, item->len);
	c->t.ord = (uint16_t)min_u32(c->param.ord, item->ird);
	c->ready = true;
	return 0;
}

static int apply_end(struct loop *c, const struct item *item)
{
	(void)c;
	if (item->kind == ITEM_TERMINATE)
		return err_set(EREMOTEIO, "the peer terminated the connection");
	return err_set(ECONNRESET, "the peer closed the connection");
}

static int (*const apply[])(struct loop *c, const struct item *item) = {
	[ITEM_HELLO] = apply_hello,
	[ITEM_SEND] = apply_send,
	[ITEM_WRITE] = apply_write,
	[ITEM_READ] = apply_read,
	[ITEM_READ_DONE] = apply_read_done,
	[ITEM_TERMINATE] = apply_end,
	[ITEM_BYE] = apply_end,
};

/* 1 something was done, 0 nothing waits, -errno the end. */
static int loop_pump(struct loop *c)
{
	_cleanup_free_ struct item *item = NULL;
	int rc;

	if (c->failed)
		return loop_fail(c, c->failed);
	item = link_take(c->link, c->side);
	if (!item)
		return 0;
	rc = apply[item->kind](c, item);
	c->heard |= item->kind != ITEM_HELLO;
	return rc ? loop_fail(c, rc) : 1;
}

static int loop_step(struct loop *c, uint64_t deadline)
{
	int rc = loop_pump(c);

	if (rc)
		return rc < 0 ? rc : 0;
	rc = tcp_wait(c->t.fd, POLLIN, deadline);
	return rc < 0 ? rc : 0;
}

static int loop_usable(struct loop *c, uint64_t deadline)
{
	int rc = 0;

	if (c->failed)
		return loop_fail(c, c->failed);
	if (!c->ready)
		return err_set(ENOTCONN, "the connection is not established");
	/* As on iWARP: the side that was connected to does not speak first. */
	while (!rc && !c->initiator && !c->heard)
		rc = loop_step(c, deadline);
	return rc;
}

static void loop_hello(struct loop *c)
{
	struct item *hello = item_new(ITEM_HELLO, c->param.private_len);

	hello->ird = c->param.ird;
	if (c->param.private_len)
		memcpy(hello->data, c->param.private_data, c->param.private_len);
	loop_put(c, hello);
}

static int loop_greet(struct loop *c, uint64_t deadline)
{
	int rc = slots_init(&c->slots, c->param.recv_depth, c->param.recv_size);

	if (c->initiator)
		loop_hello(c);
	while (!rc && !c->ready)
		rc = loop_step(c, deadline);
	if (!rc && !c->initiator)
		loop_hello(c);
	return rc;
}

/* the seam */

static void loop_unlist(struct loop *listener)
{
	struct loop **at = &listeners;
	struct link *link;

	pthread_mutex_lock(&registry_lock);
	while (*at && *at != listener)
		at = &(*at)->next_listener;
	if (*at)
		*at = listener->next_listener;
	pthread_mutex_unlock(&registry_lock);
	while ((link = listener->waiting)) {
		listener->waiting = link->next;
		link_leave(link, 1);
	}
	close(listener->t.fd);
}

static void loop_close(struct transport *t)
{
	struct loop *c = loop_of(t);

	if (!c)
		return;
	if (c->link)
		link_leave(c->link, c->side);
	else if (c->t.fd >= 0)
		loop_unlist(c);
	region_fini(&c->regions);
	slots_fini(&c->slots);
	free(c);
}

static int loop_connect(struct transport **out, const struct transport_address *to,
			const struct transport_param *param, uint64_t deadline)
{
	struct loop *c = NULL, *listener;
	struct link *link, **at;
	int rc;

	pthread_mutex_lock(&registry_lock);
	for (listener = listeners; listener; listener = listener->next_listener)
		if (transport_port(&listener->t.local) == transport_port(to))
			break;
	if (listener) {
		c = loop_new();
		link = link_new();
		loop_attach(c, link, 0);
		for (at = &listener->waiting; *at; at = &(*at)->next)
			;
		*at = link;
		event_add(listener->t.fd);
	}
	pthread_mutex_unlock(&registry_lock);
	if (!c)
		return err_set(ECONNREFUSED, "nobody listens on port %u", transport_port(to));
	c->initiator = true;
	c->param = *param;
	c->t.peer = *to;
	rc = loop_greet(c, deadline);
	if (rc) {
		loop_close(&c->t);
		return rc;
	}
	*out = &c->t;
	return 0;
}

static int loop_listen(struct transport **out, const struct transport_address *at)
{
	struct loop *c = loop_new();

	c->t.fd = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
	c->t.local = *at;
	pthread_mutex_lock(&registry_lock);
	if (!transport_port(at))
		transport_set_port(&c->t.local, next_port++);
	c->next_listener = listeners;
	listeners = c;
	pthread_mutex_unlock(&registry_lock);
	*out = &c->t;
	return 0;
}

static int loop_accept(struct transport *t, struct transport **out)
{
	struct loop *c, *listener = loop_of(t);
	struct link *link;
	uint64_t count;

	pthread_mutex_lock(&registry_lock);
	link = listener->waiting;
	if (link) {
		listener->waiting = link->next;
		if (read(t->fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
			abort();
	}
	pthread_mutex_unlock(&registry_lock);
	if (!link)
		return err_set(EAGAIN, "no connection is waiting");
	c = loop_new();
	loop_attach(c, link, 1);
	c->t.local = c->t.peer = t->local;
	*out = &c->t;
	return 0;
}

static int loop_establish(struct transport *t, const struct transport_param *param,
			  uint64_t deadline)
{
	loop_of(t)->param = *param;
	return loop_greet(loop_of(t), deadline);
}

static int loop_reg(struct transport *t, void *base, size_t len, unsigned int access,
		    struct transport_region *out)
{
	return region_add(&loop_of(t)->regions, base, len, access, out);
}

static void loop_dereg(struct transport *t, struct transport_region *region)
{
	region_remove(&loop_of(t)->regions, region->handle);
	region->handle = 0;
}

static int loop_send(struct transport *t, const struct iovec *iov, int iovcnt, unsigned int flags,
		     uint32_t invalidate_handle, uint64_t deadline)
{
	struct loop *c = loop_of(t);
	int rc = loop_usable(c, deadline), i;
	struct item *item;
	size_t len = 0;

	if (rc)
		return rc;
	for (i = 0; i < iovcnt; i++)
		len += iov[i].iov_len;
	item = item_new(ITEM_SEND, len);
	for (len = 0, i = 0; i < iovcnt; len += iov[i++].iov_len)
		if (iov[i].iov_len)
			memcpy(item->data + len, iov[i].iov_base, iov[i].iov_len);
	item->flags = flags;
	item->handle = invalidate_handle;
	loop_put(c, item);
	t->stats.sends_out++;
	return 0;
}

static int loop_recv(struct transport *t, struct transport_msg *msg, uint64_t deadline)
{
	struct loop *c = loop_of(t);
	int rc = 0;

	while (!slots_lend(&c->slots, msg)) {
		if (rc)
			return rc;
		rc = c->ready ? loop_step(c, deadline) : loop_usable(c, deadline);
	}
	return 0;
}

static void loop_repost(struct transport *t, struct transport_msg *msg)
{
	slots_repost(&loop_of(t)->slots, msg);
}

static int loop_write(struct transport *t, const void *data, size_t len, uint32_t handle,
		      uint64_t offset, uint64_t deadline)
{
	struct loop *c = loop_of(t);
	int rc = loop_usable(c, deadline);
	struct item *item;

	if (rc)
		return rc;
	item = item_new(ITEM_WRITE, len);
	if (len)
		memcpy(item->data, data, len);
	item->handle = handle;
	item->offset = offset;
	loop_put(c, item);
	t->stats.writes_out++;
	t->stats.write_bytes_out += len;
	return 0;
}

static int loop_read(struct transport *t, void *data, size_t len, uint32_t handle, uint64_t offset,
		     uint64_t deadline)
{
	struct loop *c = loop_of(t);
	int rc = loop_usable(c, deadline);
	struct item *item;

	if (rc)
		return rc;
	if (!t->ord)
		return err_set(EOPNOTSUPP, "the peer accepts no RDMA Reads");
	item = item_new(ITEM_READ, 0);
	item->len = len;
	item->handle = handle;
	item->offset = offset;
	c->read_data = data;
	loop_put(c, item);
	while (!rc && c->read_data)
		rc = loop_step(c, deadline);
	if (rc)
		return loop_fail(c, rc);
	t->stats.reads_out++;
	return 0;
}

const struct transport_ops transport_loop = {
	.name = "loop",
	.title = "memory of this process",
	.connect = loop_connect,
	.listen = loop_listen,
	.accept = loop_accept,
	.establish = loop_establish,
	.reg = loop_reg,
	.dereg = loop_dereg,
	.send = loop_send,
	.recv = loop_recv,
	.repost = loop_repost,
	.write = loop_write,
	.read = loop_read,
	.close = loop_close,
};

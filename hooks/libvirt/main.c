/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma-libvirt-hook: libvirt runs it before a guest starts, arrives or is restored
 * (libvirt.org/hooks.html), as GUEST OPERATION SUB-OPERATION EXTRA with the guest's XML on stdin.
 * Exit status 1 is a refusal, and virsh shows what is on stderr.
 *
 * It never calls libvirt, which waits for it. It prints nothing on stdout: for "migrate" and
 * "restore" that would replace the guest's XML. A failure of the hook allows the guest, unless the
 * policy has on-unknown = refuse, and is logged in the journal. */
#include <stdio.h>

#include "hooks/hook.h"
#include "plugin/libvirt/libvirt.h"

#define WHO "nfsrdma-libvirt-hook"

#define INPUT "the guest's XML on stdin"

static const char usage[] =
	"usage: nfsrdma-libvirt-hook [--root DIR] GUEST OPERATION SUB-OPERATION EXTRA <XML\n"
	"Refuses a guest whose disks require NFS over RDMA but are not on it. libvirt runs it\n"
	"from /etc/libvirt/hooks/qemu.d. To ask by hand:\n"
	"  virsh dumpxml --inactive GUEST | nfsrdma-libvirt-hook GUEST prepare begin -\n"
	"See nfsrdma-libvirt(7).\n";

/* The operations that can still be refused. */
static const struct {
	const char *operation, *sub;
} gates[] = {
	{ "prepare", "begin" },
	{ "migrate", "begin" },
	{ "restore", "begin" },
};

struct request {
	const char *root; /* NULL: this host */
	const char *guest;
	bool arrives;     /* from another host */
	const char *text; /* the guest's XML */
	size_t len;
};

static bool is_gate(const char *operation, const char *sub)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gates); i++)
		if (!strcmp(operation, gates[i].operation) && !strcmp(sub, gates[i].sub))
			return true;
	return false;
}

/* "vda", or for a backing file "vda, backing file 2". For free(3); NULL: no memory. */
static char *name_of(const struct domain_disk *disk)
{
	char *name;

	if (!disk->depth)
		return strdup(disk->device);
	if (asprintf(&name, "%s, backing file %u", disk->device, disk->depth) < 0)
		return NULL;
	return name;
}

/* --- in the child ----------------------------------------------------------------------------- */

struct work {
	struct host *host;
	struct domain_disks disks;
	struct view_places places;
	struct guard *guard;
	char *names[DOMAIN_DISKS_MAX];
	struct guard_disk asked[DOMAIN_DISKS_MAX];
};

static int read_guest(const struct request *request, struct work *work)
{
	int rc = domain_disks_parse(&work->disks, request->text, request->len);

	return rc ? err_context(rc, INPUT) : 0;
}

static int ask(const struct request *request, struct work *work, struct hook_answer *out)
{
	const struct domain_disk *list = work->disks.list;
	size_t i;

	for (i = 0; i < work->disks.count; i++) {
		work->names[i] = name_of(&list[i]);
		if (!work->names[i])
			return err_set(ENOMEM, "no memory");
		work->asked[i] = (struct guard_disk){ .name = work->names[i],
						      .path = list[i].path,
						      .pool = list[i].pool,
						      .volume = list[i].volume,
						      .optional = list[i].optional };
	}
	hook_ask(WHO, request->guest, work->guard, work->asked, i, out);
	return 0;
}

/* The exit of the process closes everything. */
static int look(const struct request *request, struct work *work, struct hook_answer *out)
{
	char unknown[ERR_TEXT_MAX];
	struct guard_sources sources = { .places = &work->places, .now = now_ms() };
	int rc = read_guest(request, work);

	if (rc || !work->disks.count)
		return rc;
	rc = host_open(&work->host, request->root);
	if (rc)
		return rc;
	if (work->disks.of_vdsm && !request->arrives &&
	    hook_vdsm_restores(work->host, work->disks.uuid))
		hook_spare(out, "not refused, because VDSM restores the guest");
	/* If pools cannot be read, other sources still count. */
	sources.host = work->host;
	sources.places_unknown = pool_places_gap(work->host, &work->places, unknown);
	rc = guard_open(&work->guard, &sources);
	return rc ? rc : ask(request, work, out);
}

static void on_child(void *arg, struct hook_answer *out)
{
	struct work *work = calloc(1, sizeof(*work));
	int rc = work ? look(arg, work, out) : err_set(ENOMEM, "no memory");

	if (!rc)
		return;
	*out = (struct hook_answer){ .failed = true };
	snprintf(out->text, sizeof(out->text), "%s", err_text());
}

/* --- in the parent ---------------------------------------------------------------------------- */

/* The gate's deadline starts when the input is complete. */
static void decide_on(struct request *request, struct hook_answer *out)
{
	_cleanup_free_ char *text = NULL;
	int rc = hook_read(STDIN_FILENO, DOMAIN_XML_MAX, deadline_in(HOOK_INPUT_MS),
			   &text, &request->len);
	char why[ERR_TEXT_MAX];

	request->text = text;
	if (!rc) {
		hook_gate(request->root, on_child, request, deadline_in(HOOK_DEADLINE_MS),
			  out);
		return;
	}
	err_context(rc, INPUT);
	snprintf(why, sizeof(why), "%s", err_text());
	hook_unseen(request->root, why, out);
}

/* @args: GUEST OPERATION SUB-OPERATION ... */
static int run(const char *root, char *const args[])
{
	struct request request = { .root = root, .guest = args[0] };
	struct hook_answer answer;

	debug_init();
	if (!is_gate(args[1], args[2]))
		return 0;
	request.arrives = !strcmp(args[1], "migrate");
	decide_on(&request, &answer);
	hook_answered(WHO, request.guest, &answer);
	if (answer.refuse) {
		fprintf(stderr, "%s See nfsrdma-libvirt(7).\n", answer.text);
		return 1;
	}
	/* For calls by hand: libvirt ignores it. */
	if (*answer.text)
		fprintf(stderr, WHO ": %s: %s\n",
			answer.failed ? "check failed" : "allowed, with a warning",
			answer.text);
	return 0;
}

/* libvirt passes four arguments; a guest may have the name "--help". */
int main(int argc, char **argv)
{
	if (argc >= 7 && !strcmp(argv[1], "--root"))
		return run(argv[2], argv + 3);
	if (argc >= 5)
		return run(NULL, argv + 1);
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts(WHO " " NFSRDMA_VERSION);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	fputs(usage, stderr);
	return 2;
}

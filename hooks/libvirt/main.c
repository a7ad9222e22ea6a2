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

static const char libvirt_hook_usage[] =
	"usage: nfsrdma-libvirt-hook [--root DIR] GUEST OPERATION SUB-OPERATION EXTRA <XML\n"
	"Refuses a guest whose disks require NFS over RDMA but are not on it. libvirt runs it\n"
	"from /etc/libvirt/hooks/qemu.d. To ask by hand:\n"
	"  virsh dumpxml --inactive GUEST | nfsrdma-libvirt-hook GUEST prepare begin -\n"
	"See nfsrdma-libvirt(7).\n";

/* The operations that can still be refused. */
static const struct {
	const char *operation, *sub;
} libvirt_hook_gates[] = {
	{ "prepare", "begin" },
	{ "migrate", "begin" },
	{ "restore", "begin" },
};

struct libvirt_hook_request {
	const char *root; /* NULL: this host */
	const char *guest;
	bool arrives;     /* from another host */
	const char *text; /* the guest's XML */
	size_t len;
};

/* In the child. */
static int libvirt_hook_check(const struct libvirt_hook_request *request, struct hook_answer *out)
{
	_cleanup_(domain_disks_fini) struct domain_disks disks = { .count = 0 };
	_cleanup_(host_close_p) struct host *host = NULL;
	struct hook_guest guest = {
		.who = WHO, .name = request->guest, .disks = &disks, .of_libvirt = true
	};
	int rc = domain_disks_parse(&disks, request->text, request->len);

	if (rc)
		return err_context(rc, INPUT);
	if (!disks.count)
		return 0;
	rc = host_open(&host, request->root);
	if (rc)
		return rc;
	if (disks.of_vdsm && !request->arrives && hook_vdsm_restores(host, disks.uuid))
		hook_spare(out, "not refused, because VDSM restores the guest");
	guest.host = host;
	return hook_guest_ask(&guest, out);
}

static void libvirt_hook_child(void *arg, struct hook_answer *out)
{
	if (!libvirt_hook_check(arg, out))
		return;
	*out = (struct hook_answer){ .failed = true };
	str_copy(out->text, sizeof(out->text), err_text());
}

/* The gate's deadline starts when the input is complete. */
static void libvirt_hook_decide(struct libvirt_hook_request *request, struct hook_answer *out)
{
	_cleanup_free_ char *text = NULL;
	int rc = hook_read(STDIN_FILENO, DOMAIN_XML_MAX, deadline_in(HOOK_INPUT_MS), &text,
			   &request->len);
	char why[ERR_TEXT_MAX];

	request->text = text;
	if (!rc) {
		hook_gate(request->root, libvirt_hook_child, request, deadline_in(HOOK_DEADLINE_MS),
			  out);
		return;
	}
	err_context(rc, INPUT);
	str_copy(why, sizeof(why), err_text());
	hook_unseen(request->root, why, out);
}

/* @args: GUEST OPERATION SUB-OPERATION ... */
static int libvirt_hook_run(const char *root, char *const args[])
{
	struct libvirt_hook_request request = { .root = root, .guest = args[0] };
	struct hook_answer answer;
	size_t i;

	debug_init();
	for (i = 0; i < ARRAY_SIZE(libvirt_hook_gates); i++)
		if (!strcmp(args[1], libvirt_hook_gates[i].operation) &&
		    !strcmp(args[2], libvirt_hook_gates[i].sub))
			break;
	if (i == ARRAY_SIZE(libvirt_hook_gates))
		return 0;
	request.arrives = !strcmp(args[1], "migrate");
	libvirt_hook_decide(&request, &answer);
	hook_answered(WHO, request.guest, &answer);
	if (answer.refuse) {
		fprintf(stderr, "%s See nfsrdma-libvirt(7).\n", answer.text);
		return 1;
	}
	/* For calls by hand: libvirt ignores it. */
	if (*answer.text)
		fprintf(stderr, WHO ": %s: %s\n",
			answer.failed ? "check failed" : "allowed, with a warning", answer.text);
	return 0;
}

/* libvirt passes four arguments; a guest may have the name "--help". */
int main(int argc, char **argv)
{
	if (argc >= 7 && !strcmp(argv[1], "--root"))
		return libvirt_hook_run(argv[2], argv + 3);
	if (argc >= 5)
		return libvirt_hook_run(NULL, argv + 1);
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts(WHO " " NFSRDMA_VERSION);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(libvirt_hook_usage, stdout);
		return 0;
	}
	fputs(libvirt_hook_usage, stderr);
	return 2;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RDMA devices, and what programs need to use them. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"
#include "rpcrdma/probe/probe.h"

/* Whether there is an RDMA device at all, of a kind that NFS over RDMA can use. */

/* Without devices: another check may have said why already. */
static int device_say_none(struct check_run *run, const struct rdma_devices *rdma, bool contained)
{
	static const char *const causes[] = { "client.module", "server.module", "client.drivers" };
	struct host_assigned assigned;
	char nodedev[32], *p;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(causes); i++)
		if (check_failed(run, causes[i]))
			return check_skip(run, causes[i]);
	if (contained)
		return check_say_why(run, FINDING_FAIL, "container",
				     "this container (%s) has no RDMA device",
				     finding_evidence(&run->finding, "container"));
	if (!rdma->netns_shared)
		return check_say_why(
			run, FINDING_FAIL, "other-namespace",
			"this network namespace has no RDMA device, and each namespace has its own");
	rc = host_rdma_assigned(run->host, &assigned);
	if (rc)
		return rc;
	if (!*assigned.adapter)
		return check_say_why(run, FINDING_FAIL, "none", "this host has no RDMA device");
	/* libvirt's name of a PCI function: pci_0000_3b_00_0 */
	snprintf(nodedev, sizeof(nodedev), "pci_%.16s", assigned.adapter);
	for (p = nodedev; *p; p++)
		if (*p == ':' || *p == '.')
			*p = '_';
	finding_text(&run->finding, "adapter", "%s", assigned.adapter);
	finding_text(&run->finding, "driver", "%s", assigned.driver);
	finding_text(&run->finding, "nodedev", "%s", nodedev);
	return check_say_why(run, FINDING_FAIL, "assigned",
			     "this host has no RDMA device: the adapter at %s is bound to %s",
			     assigned.adapter, assigned.driver);
}

int device_check(struct check_run *run)
{
	const struct rdma_devices *rdma;
	/* Always, so that a snapshot has it. */
	bool contained = *container_reason(run, "");
	struct words good = { 0 }, bad = { 0 };
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (rc)
		return rc;
	/* A root directory that is not a running system: checks that need a device are skipped,
	 * too. */
	if (!rdma->count && host_exists(run->host, "sys/class") == -ENOENT) {
		run->stops = true;
		return check_say_why(
			run, FINDING_UNKNOWN, "image",
			"this root has no /sys/class: it is an image, not a running system, and shows no devices");
	}
	if (!rdma->count)
		return device_say_none(run, rdma, contained);
	for (i = 0; i < rdma->count; i++)
		words_add(port_usable(&rdma->list[i]) ? &good : &bad, "%s (%s, %s)",
			  rdma->list[i].name, rdma->list[i].driver, port_kind_name(&rdma->list[i]));
	finding_number(&run->finding, "devices", rdma->count);
	if (!good.count)
		return check_say_why(run, FINDING_FAIL, "unusable",
				     "NFS over RDMA can use none of this host's devices: %s",
				     words_text(&bad));
	check_note(run);
	return check_say(run, FINDING_PASS, "%s%s", words_text(&good),
			 rdma->cut ? "; there are more devices than are checked" : "");
}

/* Whether a client has an RDMA device. */

/* Whether a server has an RDMA device. On a host that is also a client, client.device reports
 * it. */
int check_server_device(struct check_run *run)
{
	if (run->target->roles & CHECK_CLIENT)
		return check_say(run, FINDING_SKIP, "client.device shows it");
	return device_check(run);
}

/* What programs need to use RDMA devices: ib_uverbs and rdma_ucm. The kernel's NFS does without
 * them; nfsrdma probe over verbs does not. */

static const char *const names[] = { "ib_uverbs", "rdma_ucm" };

int check_client_uverbs(struct check_run *run)
{
	struct host_module module;
	struct words missing = { 0 }, absent = { 0 };
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		rc = host_module(run->host, names[i], &module);
		if (rc && rc != -ENOENT)
			return rc;
		if (module.state == MODULE_MISSING)
			words_add(&absent, "%s", names[i]);
		if (module.state != MODULE_LOADED && module.state != MODULE_BUILTIN)
			words_add(&missing, "%s (%s)", names[i],
				  module.state == MODULE_AVAILABLE ? "not loaded"
								   : "not installed");
	}
	if (missing.count)
		return check_say_why(run, FINDING_WARN,
				     absent.count ? "not-installed" : "not-loaded",
				     "mounts can use the RDMA devices, programs cannot: %s",
				     words_text(&missing));
	return check_say(run, FINDING_PASS, "ib_uverbs and rdma_ucm are loaded");
}

/* How much memory a program may lock, which is what registering memory for RDMA does. Only
 * programs need it, and root is not bound by it: the defaults are no defect. It is one that
 * limits.conf raises the limit, but not enough. */

/* The highest limit in limits.conf; 0: no line. */
static uint64_t memlock_most(const struct host_memlock *memlock, struct words *lines)
{
	uint64_t most = 0, kib;
	unsigned int i;

	for (i = 0; i < memlock->nlines; i++) {
		const char *value = memlock->lines[i].value;

		if (!strcmp(value, "unlimited") || !strcmp(value, "infinity") ||
		    !strcmp(value, "-1"))
			kib = UINT64_MAX;
		else
			kib = strtoumax(value, NULL, 10);
		most = kib > most ? kib : most;
		words_add(lines, "%s %s %s", memlock->lines[i].domain, memlock->lines[i].type,
			  value);
	}
	return most;
}

static const char *memlock_amount(uint64_t bytes, char buf[32])
{
	if (bytes == UINT64_MAX)
		return "unlimited";
	snprintf(buf, 32, "%" PRIu64 " KiB", bytes / 1024);
	return buf;
}

int check_client_memlock(struct check_run *run)
{
	struct host_memlock memlock;
	struct words lines = { 0 };
	char hard[32];
	uint64_t most;
	int rc = host_memlock(run->host, &memlock);

	if (rc)
		return rc;
	most = memlock_most(&memlock, &lines);
	if (memlock.known)
		finding_text(&run->finding, "hard_limit", "%s", memlock_amount(memlock.hard, hard));
	if (memlock.nlines && most < probe_memlock_kib())
		return check_say_why(run, FINDING_WARN, "too-small",
				     "limits.conf allows at most %" PRIu64
				     " KiB (%s); nfsrdma probe and bench need up to %" PRIu64
				     " KiB unless they run as root",
				     most, words_text(&lines), probe_memlock_kib());
	if (memlock.nlines)
		return check_say(run, FINDING_PASS, "limits.conf allows enough: %s",
				 words_text(&lines));
	return check_say(
		run, FINDING_PASS,
		"mounts and root need no higher limit; programs of other users may lock %s",
		memlock.known ? memlock_amount(memlock.hard, hard) : "the default amount");
}

/* rxe and siw are RDMA in software, for testing: they work, and are no faster than TCP. The kernel
 * forgets them at a reboot, and mounts fail then, or hang. */

/* The first software port that NFS over RDMA has to use here: that on the route to the server, or
 * where none is known one of a host that has no adapter. False: there is none. */
static bool software_device_used(struct check_run *run, struct port_at *out)
{
	struct port_list ports;
	unsigned int i;

	if (ports_wanted(run, &ports) || !ports.count)
		return false;
	for (i = 0; i < ports.count; i++)
		if (!ports.list[i].device->software)
			return false;
	*out = ports.list[0];
	return true;
}

/* True: nothing makes it again. Where that is not known it is not said. */
static bool software_device_is_lost(struct check_run *run, const struct port_at *at)
{
	const char *interface = port_interface(run, at);
	struct host_netdev netdev;
	char file[128];

	/* What sets it up is for this host only: a container sees the devices of its host, whose
	 * interfaces are not its own. */
	if (!*interface || host_netdev(run->host, interface, NULL, &netdev))
		return false;
	return !host_software_links(run->host, file, sizeof(file)) && !*file;
}

int check_fabric_software_device(struct check_run *run)
{
	const struct rdma_devices *rdma;
	struct words software = { 0 };
	struct port_at used;
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < rdma->count; i++)
		if (rdma->list[i].software)
			words_add(&software, "%s (%s)", rdma->list[i].name, rdma->list[i].driver);
	if (!software.count)
		return check_say(run, FINDING_SKIP, "all devices are adapters");
	if (!software_device_used(run, &used) || !software_device_is_lost(run, &used)) {
		check_note(run);
		return check_say(run, FINDING_PASS,
				 "for testing: %s, RDMA in software, no faster than TCP",
				 words_text(&software));
	}
	port_evidence(run, &used);
	finding_text(&run->finding, "type", "%s",
		     strcmp(used.device->driver, "siw") ? "rxe" : "siw");
	finding_text(&run->finding, "role", "%s",
		     run->target->roles == CHECK_SERVER ? "server" : "client");
	return check_say_why(
		run, FINDING_WARN, "not-persistent",
		"%s (%s) does not survive a reboot: nothing on this host adds it again",
		used.device->name, used.device->driver);
}

/* The RDMA mode of network namespaces: all namespaces see all devices, or each device belongs to
 * one (rdma-system(8)). */
int check_fabric_netns(struct check_run *run)
{
	const struct rdma_devices *rdma;
	int rc = facts_rdma(run, &rdma);

	if (rc)
		return rc;
	if (!rdma->netns_shared)
		check_note(run);
	return check_say(
		run, FINDING_PASS,
		rdma->netns_shared
			? "every network namespace sees the devices"
			: "each device belongs to one network namespace: mounts in a container need theirs");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* May this guest use that disk: the result for each machine, policy and pool. */
#include "tests/unit/guard-machine.h"

static bool is_as(const struct row *row)
{
	optional = row->optional;
	if (ask(row->disk, row->no_pools ? NULL : &all_pools)) {
		suite_saw("%s", err_text());
		return false;
	}
	suite_saw("answer %d refuse %d loud %d %s: %s", verdict.answer, verdict.refuse,
		  verdict.loud, verdict.id, verdict.text);
	return verdict.answer == row->answer && verdict.refuse == row->refuse &&
	       verdict.loud == row->loud && !strcmp(verdict.id, row->id) &&
	       (row->says ? strstr(verdict.text, row->says) != NULL : !*verdict.text);
}

static void check_rows(const struct row *rows, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		SUITE_ROW("%zu: %s", i, rows[i].disk);
		begin(&rows[i]);
		CU_ASSERT_TRUE(is_as(&rows[i]));
		CU_ASSERT_TRUE(is_well_said());
		if (getenv("GUARD_SHOW"))
			printf("row %zu, %s: answer %d refuse %d loud %d %s\n  %s\n  %s\n", i,
			       rows[i].disk, verdict.answer, verdict.refuse, verdict.loud,
			       verdict.id, verdict.text, verdict.remedy);
		end();
	}
}

#define CHECK_ROWS(rows) check_rows(rows, ARRAY_SIZE(rows))

#define PASSES                .answer = GUARD_PASS, .id = "gate.transport"
#define LOUD(where, words)    .answer = GUARD_PASS, .loud = true, .id = where, .says = words
#define REFUSED(where, words) .answer = GUARD_REFUSE, .refuse = true, .id = where, .says = words
#define UNKNOWN(words)        .answer = GUARD_UNKNOWN, .id = "gate.unknown", .says = words
#define UNKNOWN_REFUSED(words) \
	.answer = GUARD_UNKNOWN, .refuse = true, .id = "gate.unknown", .says = words

/* --- on an NFS mount -------------------------------------------------------------------------------- */

static void a_requirement_decides_on_a_mount_over_tcp(void)
{
	static const struct row rows[] = {
		/* No requirement. */
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES },
		/* Built-in defaults do not apply to mounts made by other means; written
		 * configuration does. */
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .conf = "[default]\non-unknown = refuse\n" },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .conf = "[default]\npolicy = require\n",
		  REFUSED("gate.transport", "/etc/nfsrdma.conf:2 requires RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .conf = "[default]\npolicy = prefer\n",
		  LOUD("gate.transport", "/etc/nfsrdma.conf:2 prefers RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .conf = "[default]\npolicy = require\n[server nas]\npolicy = off\n" },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .conf = "[default]\npolicy = require\n",
		  .fstab = "nas:/x /srv/x nfsrdma nfsrdma.policy=off 0 0\n" },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .conf = "[server other]\npolicy = require\n" },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .conf = "[server nas]\noptions = soft\n" },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .conf = "[directory /srv]\npolicy = require\n" },
		{ ROOT TCP(90, 21, "/srv/plain", "nas:/plain"), .disk = "plain:a", PASSES },
		/* The policy. */
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", .conf = REQUIRE_NAS,
		  REFUSED("gate.transport",
			  "disk vda (/srv/x/a) is on nas:/x, mounted at /srv/x over tcp, but "
			  "/etc/nfsrdma.conf:2 requires RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .conf = "[export nas:/x]\npolicy = require\n",
		  REFUSED("gate.transport", "/etc/nfsrdma.conf:2 requires RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .conf = "[directory /srv/*]\npolicy = require\n",
		  REFUSED("gate.transport", "/etc/nfsrdma.conf:2 requires RDMA") },
		{ ROOT TCP(90, 21, "/srv/plain", "nas:/plain"), .disk = "plain:a",
		  .conf = REQUIRE_NAS, REFUSED("gate.transport", "conf:2 requires") },
		/* prefer and off. */
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .conf = "[server nas]\npolicy = prefer\n",
		  LOUD("gate.transport", "over tcp, but /etc/nfsrdma.conf:2 prefers RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .conf = "[server nas]\npolicy = off\n" },
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm"), .disk = "vm:a", PASSES,
		  .conf = "[server nas]\npolicy = off\n" },
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm"), .disk = "vm:a",
		  .conf = "[server nas]\npolicy = prefer\n",
		  LOUD("gate.transport", "/etc/nfsrdma.conf:2 prefers RDMA") },
		/* The more specific section applies. */
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .conf = REQUIRE_NAS "[export nas:/x]\npolicy = off\n" },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .conf = "[server nas]\npolicy = off\n[directory /srv/x]\npolicy = require\n",
		  REFUSED("gate.transport", "conf:4 requires") },
		/* [default] sets the policy for mounts that request RDMA. */
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm"), .disk = "vm:a",
		  .conf = "[default]\npolicy = prefer\n",
		  LOUD("gate.transport", "but pool 'vm' requests RDMA") },
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm"), .disk = "vm:a", PASSES,
		  .conf = "[default]\npolicy = off\n" },
		/* The pool, fstab, mount options, nfsmount.conf. */
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm"), .disk = "vm:a",
		  REFUSED("gate.transport",
			  "disk vda (/srv/vm/a) is on nas:/vm, mounted at /srv/vm over tcp, "
			  "but pool 'vm' requests RDMA") },
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm/"), .disk = "/srv/vm/b/a",
		  REFUSED("gate.transport", "pool 'vm' requests RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .fstab = "# x\n\nnas:/x /srv/x nfs proto=rdma,port=20049 0 0\n",
		  REFUSED("gate.transport", "/etc/fstab:3 requests RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .fstab = "nas:/x /srv/x nfs vers=4.2 0 0\n" },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .utab = "SRC=nas:/x TARGET=/srv/x ROOT=/ ATTRS=proto=rdma,port=20049\n",
		  REFUSED("gate.transport", "its mount options request RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .nfsmount = "[ Server \"nas\" ]\nProto=rdma\n",
		  REFUSED("gate.transport", "/etc/nfsmount.conf:2 requests RDMA") },
	};

	CHECK_ROWS(rows);
}

/* The default port of RDMA: a server may still listen there for TCP. */
static void a_port_alone_refuses_nothing(void)
{
#define PORT                                    \
	"90 21 0:90 / /srv/x rw - nfs4 nas:/x " \
	"rw,vers=4.2,proto=tcp,port=20049,addr=192.0.2.1\n"
	static const struct row rows[] = {
		{ ROOT PORT, .disk = "/srv/x/a",
		  LOUD("gate.transport", "over tcp, but its mount option port= requests RDMA") },
		{ ROOT PORT, .disk = "/srv/x/a", PASSES, .conf = "[default]\npolicy = off\n" },
		{ ROOT PORT, .disk = "/srv/x/a", PASSES,
		  .fstab = "nas:/x /srv/x nfs proto=tcp,port=20049 0 0\n" },
		/* An explicit request is not a guess. */
		{ ROOT PORT, .disk = "/srv/x/a", .nfsmount = "[ Server \"nas\" ]\nProto=rdma\n",
		  REFUSED("gate.transport", "/etc/nfsmount.conf:2 requests RDMA") },
		{ ROOT PORT, .disk = "/srv/x/a", .conf = REQUIRE_NAS,
		  REFUSED("gate.transport", "/etc/nfsrdma.conf:2 requires RDMA") },
	};

	CHECK_ROWS(rows);
}

static void a_policy_in_fstab_options_applies(void)
{
	static const struct row rows[] = {
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .fstab = "nas:/x /srv/x nfsrdma nfsrdma.policy=prefer,proto=rdma 0 0\n",
		  LOUD("gate.transport", "over tcp, but /etc/fstab:1 requests RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .fstab = "nas:/x /srv/x nfsrdma nfsrdma.policy=prefer 0 0\n",
		  LOUD("gate.transport", "over tcp, but /etc/fstab:1 requests RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .fstab = "nas:/x /srv/x nfsrdma nfsrdma.policy=prefer,proto=rdma 0 0\n",
		  .utab = "SRC=nas:/x TARGET=/srv/x ROOT=/ ATTRS=proto=rdma,port=20049\n",
		  LOUD("gate.transport", "/etc/fstab:1 requests RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .fstab = "nas:/x /srv/x nfsrdma nfsrdma.policy=off,proto=rdma 0 0\n" },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .conf = "[default]\npolicy = off\n",
		  .fstab = "nas:/x /srv/x nfsrdma nfsrdma.policy=prefer,proto=rdma 0 0\n",
		  LOUD("gate.transport", "/etc/fstab:1 requests RDMA") },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a",
		  .fstab = "nas:/x /srv/x nfsrdma nfsrdma.policy=require 0 0\n",
		  REFUSED("gate.transport", "/etc/fstab:1 requests RDMA") },
		/* A section overrides it, and so does any other request. */
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", .conf = REQUIRE_NAS,
		  .fstab = "nas:/x /srv/x nfsrdma nfsrdma.policy=prefer,proto=rdma 0 0\n",
		  REFUSED("gate.transport", "/etc/nfsrdma.conf:2 requires RDMA") },
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm"), .disk = "vm:a",
		  .fstab = "nas:/vm /srv/vm nfsrdma nfsrdma.policy=prefer 0 0\n",
		  REFUSED("gate.transport", "pool 'vm' requests RDMA") },
		/* Also below it. */
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x") TCP(91, 90, "/srv/x/s", "nas:/x/s"),
		  .disk = "/srv/x/s/a",
		  .fstab = "nas:/x /srv/x nfsrdma nfsrdma.policy=prefer 0 0\n",
		  LOUD("gate.transport", "the mount above it requests RDMA") },
	};

	CHECK_ROWS(rows);
}

static void a_bind_mount_has_the_requirements_of_its_source(void)
{
	static const struct row rows[] = {
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm")
			  BIND(91, 90, "/var/lib/sub", "nas:/vm/sub", "tcp"),
		  .disk = "/var/lib/sub/a",
		  REFUSED("gate.transport",
			  "mounted at /var/lib/sub over tcp, but pool 'vm' requests RDMA") },
		/* Of a single file, and in any order. */
		{ ROOT BIND(91, 90, "/var/lib/x.img", "nas:/vm/x.img", "tcp")
			  TCP(92, 21, "/srv/vm", "nas:/vm"),
		  .disk = "/var/lib/x.img", PASSES },
		{ ROOT BIND(91, 92, "/var/lib/x.img", "nas:/vm/x.img", "tcp")
			  TCP(92, 21, "/srv/vm", "nas:/vm"),
		  .disk = "/var/lib/x.img", REFUSED("gate.transport", "pool 'vm' requests RDMA") },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm")
			  BIND(91, 90, "/var/lib/sub", "nas:/vm/sub", "rdma"),
		  .disk = "/var/lib/sub/a", PASSES },
		/* A mount with policy off does not affect the others. */
		{ ROOT BIND(89, 90, "/srv/off", "nas:/vm/sub", "tcp")
			  TCP(90, 21, "/srv/vm", "nas:/vm")
				  BIND(91, 90, "/var/lib/sub", "nas:/vm/sub", "tcp"),
		  .disk = "/var/lib/sub/a", .conf = "[directory /srv/off]\npolicy = off\n",
		  REFUSED("gate.transport", "pool 'vm' requests RDMA") },
		/* A setting for the mount itself takes precedence. */
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm")
			  BIND(91, 90, "/var/lib/sub", "nas:/vm/sub", "tcp"),
		  .disk = "/var/lib/sub/a", PASSES,
		  .conf = "[directory /var/lib/sub]\npolicy = off\n" },
	};

	CHECK_ROWS(rows);
}

static void a_mount_over_rdma_passes(void)
{
	static const struct row rows[] = {
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm"), .disk = "vm:a", PASSES },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm"), .disk = "/srv/vm/a", PASSES,
		  .conf = REQUIRE_NAS REQUIRE_DIR },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm"), .disk = "/var/lib/vm/a", PASSES,
		  .conf = REQUIRE_DIR },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm"), .disk = "/srv/vm/a", PASSES,
		  .conf = "[server nas]\npolicy = prefer\n" },
		{ ROOT RDMA(90, 21, "/rhev/data-center/mnt/nas:_d", "nas:/d"),
		  .disk = "/rhev/data-center/P/D/images/I/V", PASSES,
		  .conf = "[directory /rhev/data-center/mnt/*]\npolicy = require\n" },
	};

	CHECK_ROWS(rows);
}

static void links_are_followed_to_the_mount(void)
{
	static const struct row rows[] = {
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm"), .disk = "/var/lib/vm/a",
		  .conf = REQUIRE_DIR,
		  REFUSED("gate.transport", "disk vda (/var/lib/vm/a) is on nas:/vm") },
		{ ROOT TCP(90, 21, "/rhev/data-center/mnt/nas:_d", "nas:/d"),
		  .disk = "/rhev/data-center/P/D/images/I/V", .conf = REQUIRE_NAS,
		  REFUSED("gate.transport", "mounted at /rhev/data-center/mnt/nas:_d over") },
		/* The pool's target is a link. */
		{ ROOT TCP(90, 21, "/var/lib/linked", "nas:/linked"), .disk = "linked:a",
		  REFUSED("gate.transport", "pool 'linked' requests RDMA") },
		{ ROOT TCP(90, 21, "/var/lib/linked", "nas:/linked"), .disk = "/var/lib/linked/a",
		  REFUSED("gate.transport", "pool 'linked' requests RDMA") },
		{ ROOT, .disk = "linked:a",
		  REFUSED("gate.mount", "nothing is mounted at /var/lib/linked") },
	};

	CHECK_ROWS(rows);
}

static void a_section_for_a_link_applies_to_its_target(void)
{
	static const struct row rows[] = {
		{ ROOT, .disk = "/srv/vm/a", .no_pools = true,
		  .conf = "[directory /var/lib/vm]\npolicy = require\n",
		  REFUSED("gate.mount", "nothing is mounted at /srv/vm,") },
		{ ROOT, .disk = "/var/lib/vm/a", .no_pools = true,
		  .conf = "[directory /var/lib/vm]\npolicy = require\n",
		  REFUSED("gate.mount", "nothing is mounted at /srv/vm,") },
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm"), .disk = "/var/lib/vm/a", .no_pools = true,
		  .conf = "[directory /var/lib/vm]\npolicy = require\n",
		  REFUSED("gate.transport", "over tcp, but /etc/nfsrdma.conf:2") },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm"), .disk = "/var/lib/vm/a",
		  .no_pools = true, PASSES, .conf = "[directory /var/lib/vm]\npolicy = require\n" },
		/* A link above the section's directory. */
		{ ROOT, .disk = "/srv/vm/sub/a", .no_pools = true,
		  .conf = "[directory /var/lib/vm/sub]\npolicy = require\n",
		  REFUSED("gate.mount", "nothing is mounted at /srv/vm/sub,") },
		/* A pattern is a text. */
		{ ROOT, .disk = "/var/lib/vm/a", .no_pools = true, PASSES,
		  .conf = "[directory /var/lib/v?]\npolicy = require\n" },
	};

	CHECK_ROWS(rows);
}

static void the_visible_mount_counts(void)
{
	static const struct row rows[] = {
		/* TCP on top of RDMA, and vice versa. */
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm") TCP(91, 90, "/srv/vm", "nas:/vm"),
		  .disk = "/srv/vm/a", .conf = REQUIRE_DIR, REFUSED("gate.transport", "over tcp") },
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm") RDMA(91, 90, "/srv/vm", "nas:/vm"),
		  .disk = "/srv/vm/a", .conf = REQUIRE_DIR, PASSES },
		/* Hidden below a later mount. */
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm")
			  OTHER(91, 21, "/srv", "ext4", "/dev/sdb1"),
		  .disk = "/srv/vm/a", .conf = REQUIRE_DIR, .no_pools = true, .hidden = true,
		  REFUSED("gate.mount",
			  "disk vda (/srv/vm/a) would be on /srv (ext4): nothing is mounted "
			  "at /srv/vm, where /etc/nfsrdma.conf:2 requires a mount over RDMA") },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm") OTHER(91, 90, "/srv/vm", "tmpfs", "t"),
		  .disk = "/srv/vm/a", .conf = REQUIRE_DIR, .no_pools = true, .hidden = true,
		  REFUSED("gate.mount",
			  "is on t (tmpfs), mounted at /srv/vm, where /etc/nfsrdma.conf:2 "
			  "requires a mount over RDMA") },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm") TCP(92, 90, "/srv/vm/s", "nas:/s")
			  RDMA(91, 90, "/srv/vm", "nas:/vm"),
		  .disk = "/srv/vm/s/a", .conf = REQUIRE_NAS, PASSES },
	};

	CHECK_ROWS(rows);
}

static void a_submount_has_the_requirements_of_its_parent(void)
{
	static const struct row rows[] = {
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm") TCP(91, 90, "/srv/vm/s", "nas:/vm/s"),
		  .disk = "/srv/vm/s/a", .conf = REQUIRE_DIR,
		  REFUSED("gate.transport", "is on nas:/vm/s, mounted at /srv/vm/s over tcp") },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm") TCP(91, 90, "/srv/vm/s", "nas2:/s"),
		  .disk = "vm:s/../s", UNKNOWN("is not a volume name") },
		{ ROOT RDMA(90, 21, "/srv/x", "nas:/x") TCP(91, 90, "/srv/x/s", "nas2:/s"),
		  .disk = "/srv/x/s/a",
		  LOUD("gate.transport", "the mount above it requests RDMA") },
		/* A referral below a mount whose options are known: not mounted by hand. */
		{ ROOT RDMA(90, 21, "/srv/x", "nas:/x") TCP(91, 90, "/srv/x/s", "nas2:/s"),
		  .disk = "/srv/x/s/a",
		  .utab = "SRC=nas:/x TARGET=/srv/x ROOT=/ ATTRS=proto=rdma,port=20049\n",
		  REFUSED("gate.transport", "the mount above it requests RDMA") },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm") RDMA(91, 90, "/srv/vm/s", "nas:/vm/s"),
		  .disk = "/srv/vm/s/a", .conf = REQUIRE_DIR, PASSES },
		{ ROOT TCP(90, 21, "/srv/x", "nas:/x") TCP(91, 90, "/srv/x/s", "nas:/x/s"),
		  .disk = "/srv/x/s/a", PASSES },
	};

	CHECK_ROWS(rows);
}

static void a_mount_without_evidence_is_unknown(void)
{
	static const struct row rows[] = {
		{ ROOT MUTE(90, 21, "/srv/vm", "nas:/vm"), .disk = "/srv/vm/a", .conf = REQUIRE_DIR,
		  UNKNOWN("its transport is unknown (mountinfo gives no transport)") },
		{ ROOT MUTE(90, 21, "/srv/vm", "nas:/vm"), .disk = "/srv/vm/a",
		  .conf = REQUIRE_DIR "on-unknown = refuse\n",
		  UNKNOWN_REFUSED("its transport is unknown") },
		{ ROOT MUTE(90, 21, "/srv/vm", "nas:/vm"), .disk = "/srv/vm/a",
		  .conf = REQUIRE_DIR "[default]\non-unknown = refuse\n",
		  UNKNOWN_REFUSED("its transport is unknown") },
		{ ROOT MUTE(90, 21, "/srv/vm", "nas:/vm"), .disk = "/srv/vm/a",
		  .conf = "[directory /srv/vm]\npolicy = prefer\non-unknown = refuse\n",
		  .answer = GUARD_UNKNOWN, .loud = true, .id = "gate.unknown",
		  .says = "prefers RDMA" },
		{ ROOT MUTE(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES },
		{ ROOT MUTE(90, 21, "/srv/vm", "nas:/vm"), .disk = "/srv/vm/a", PASSES,
		  .conf = "[directory /srv/vm]\npolicy = off\non-unknown = refuse\n" },
	};

	CHECK_ROWS(rows);
}

/* --- not on an NFS mount ---------------------------------------------------------------------------- */

static void a_disk_without_its_required_mount_is_refused(void)
{
	static const struct row rows[] = {
		{ ROOT, .disk = "/var/lib/images/a.img", PASSES },
		{ ROOT, .disk = "/var/lib/images/a.img", PASSES, .conf = REQUIRE_NAS },
		{ ROOT, .disk = "default:a.img", PASSES },
		{ ROOT, .disk = "/srv/vm/a", .no_pools = true, PASSES },
		{ ROOT, .disk = "/srv/vm/a", .no_pools = true, PASSES,
		  .conf = "[default]\npolicy = require\n" },
		{ ROOT, .disk = "/srv/vm/a", .no_pools = true, .conf = REQUIRE_DIR,
		  REFUSED("gate.mount",
			  "disk vda (/srv/vm/a) would be on / (xfs): nothing is mounted at "
			  "/srv/vm, where /etc/nfsrdma.conf:2 requires a mount over RDMA") },
		{ ROOT, .disk = "/srv/vm/deep/er/a", .no_pools = true, .conf = REQUIRE_DIR,
		  REFUSED("gate.mount", "nothing is mounted at /srv/vm,") },
		{ ROOT, .disk = "/srv/vm/a", .no_pools = true,
		  .conf = "[directory /srv/*]\npolicy = require\n",
		  REFUSED("gate.mount", "nothing is mounted at /srv/vm,") },
		/* A directory used as a disk lies in itself; a file does not, nor does a missing
		 * path. */
		{ ROOT, .disk = "/srv/vm", .no_pools = true, .conf = REQUIRE_DIR,
		  REFUSED("gate.mount", "nothing is mounted at /srv/vm,") },
		{ ROOT, .disk = "/srv/vm/", .no_pools = true, .conf = REQUIRE_DIR,
		  REFUSED("gate.mount", "nothing is mounted at /srv/vm,") },
		{ ROOT, .disk = "/var/lib/images/a.img", .no_pools = true, PASSES,
		  .conf = "[directory /var/lib/images/*]\npolicy = require\n" },
		{ ROOT, .disk = "/srv/none", .no_pools = true, PASSES,
		  .conf = "[directory /srv/*]\npolicy = require\n" },
		{ ROOT OTHER(90, 21, "/srv/vm", "overlay", "overlay"), .disk = "/srv/vm/sub",
		  .no_pools = true, .conf = REQUIRE_DIR,
		  REFUSED("gate.mount", "is on overlay (overlay), mounted at /srv/vm") },
		{ ROOT, .disk = "/", .no_pools = true, PASSES,
		  .conf = "[directory /srv/*]\npolicy = require\n" },
		{ ROOT, .disk = "/srv/vmx/a", .no_pools = true, .conf = REQUIRE_DIR, PASSES },
		{ ROOT, .disk = "/var/lib/vm/a", .no_pools = true, .conf = REQUIRE_DIR,
		  REFUSED("gate.mount", "disk vda (/var/lib/vm/a) would be on / (xfs)") },
		{ ROOT, .disk = "/srv/vm/a", .no_pools = true,
		  .conf = "[directory /srv/vm]\npolicy = prefer\n",
		  REFUSED("gate.mount", "conf:2 prefers a mount over RDMA") },
		{ ROOT, .disk = "/srv/vm/a", .conf = "[directory /srv/vm]\npolicy = off\n",
		  PASSES },
		/* The deepest section with a policy applies. */
		{ ROOT, .disk = "/srv/vm/iso/a", .no_pools = true, PASSES,
		  .conf = REQUIRE_DIR "[directory /srv/vm/iso]\npolicy = off\n" },
		/* The pool was never started, or fstab mounts it. */
		{ ROOT, .disk = "vm:a.qcow2",
		  REFUSED("gate.mount",
			  "disk vda (/srv/vm/a.qcow2) would be on / (xfs): nothing is mounted "
			  "at /srv/vm, where pool 'vm' requests nas:/vm over RDMA") },
		{ ROOT, .disk = "/srv/vm/a", REFUSED("gate.mount", "pool 'vm' requests nas:/vm") },
		{ ROOT, .disk = "plain:a", PASSES },
		{ ROOT, .disk = "plain:a", .conf = REQUIRE_NAS,
		  REFUSED("gate.mount", "/etc/nfsrdma.conf:2 requires nas:/plain over RDMA") },
		{ ROOT, .disk = "plain:a", .conf = "[export nas:/plain]\npolicy = prefer\n",
		  REFUSED("gate.mount", "prefers nas:/plain over RDMA") },
		{ ROOT, .disk = "vm:a", .conf = "[server nas]\npolicy = off\n", PASSES },
		{ ROOT, .disk = "vm:a", .conf = "[default]\npolicy = prefer\n",
		  REFUSED("gate.mount", "pool 'vm' requests nas:/vm") },
		{ ROOT, .disk = "/srv/x/a", .fstab = "nas:/x /srv/x nfsrdma defaults 0 0\n",
		  REFUSED("gate.mount", "/etc/fstab:1 requests nas:/x over RDMA") },
		{ ROOT, .disk = "/srv/x/a",
		  .fstab = "nas:/x /srv/x nfsrdma noauto,x-systemd.automount 0 0\n",
		  REFUSED("gate.mount", "/etc/fstab:1 requests nas:/x over RDMA") },
		/* It need not be mounted, whatever else is requested of its source. */
		{ ROOT, .disk = "/srv/x/a", .fstab = "nas:/x /srv/x nfsrdma noauto 0 0\n", PASSES },
		{ ROOT, .disk = "/srv/x/a", .fstab = "nas:/x /srv/x nfsrdma noauto 0 0\n",
		  .conf = REQUIRE_NAS, PASSES },
		{ ROOT, .disk = "/srv/x/a", .fstab = "nas:/x /srv/x nfs defaults 0 0\n", PASSES },
	};

	CHECK_ROWS(rows);
}

/* libvirt drops a CD-ROM whose file is missing, and starts the guest. */
static void an_optional_disk_passes_where_nothing_is_mounted(void)
{
	static const struct row rows[] = {
		{ ROOT, .disk = "vm:a.iso", .optional = true,
		  LOUD("gate.mount", "nothing is mounted at /srv/vm, where pool 'vm'") },
		{ ROOT, .disk = "vm:a.iso", .optional = true,
		  .conf = "[default]\non-unknown = refuse\n",
		  LOUD("gate.mount", "nothing is mounted at /srv/vm") },
		/* An existing one is judged like any other. */
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm"), .disk = "vm:a.iso", .optional = true,
		  REFUSED("gate.transport", "over tcp") },
		{ ROOT OTHER(90, 21, "/srv/vm", "ext4", "/dev/sdb1"), .disk = "vm:a.iso",
		  .optional = true, REFUSED("gate.mount", "/dev/sdb1 (ext4)") },
	};

	CHECK_ROWS(rows);
}

static void another_mount_below_a_required_directory_is_exempt(void)
{
	static const struct row rows[] = {
		/* Below it: intentional. */
		{ ROOT OTHER(90, 21, "/srv/vm/local", "ext4", "/dev/sdb1"),
		  .disk = "/srv/vm/local/a", .conf = REQUIRE_DIR, PASSES },
		/* On it and above it. */
		{ ROOT OTHER(90, 21, "/srv/vm", "ext4", "/dev/sdb1"), .disk = "/srv/vm/a",
		  .conf = REQUIRE_DIR,
		  REFUSED("gate.mount", "is on /dev/sdb1 (ext4), mounted at /srv/vm") },
		{ ROOT OTHER(90, 21, "/srv", "ext4", "/dev/sdb1"), .disk = "/srv/vm/a",
		  .conf = REQUIRE_DIR,
		  REFUSED("gate.mount", "would be on /srv (ext4): nothing is mounted at /srv/vm") },
		{ ROOT OTHER(90, 21, "/srv/vm", "ext4", "/dev/sdb1"), .disk = "vm:a",
		  REFUSED("gate.mount", "where pool 'vm' requests nas:/vm over RDMA") },
		/* An NFS mount: its own requirements apply, and those for another mount there. */
		{ ROOT TCP(90, 21, "/srv", "nas:/all"), .disk = "/srv/vm/a", .conf = REQUIRE_DIR,
		  REFUSED("gate.mount", "would be on nas:/all (nfs4): nothing is mounted at") },
		{ ROOT RDMA(90, 21, "/srv", "nas:/all"), .disk = "/srv/vm/a", .no_pools = true,
		  .conf = REQUIRE_DIR, PASSES },
		{ ROOT RDMA(90, 21, "/srv", "nas:/all"), .disk = "/srv/vm/a",
		  REFUSED("gate.mount", "where pool 'vm' requests nas:/vm over RDMA") },
		/* Policy off below it requires no other mount there; the one there is still not
		 * over RDMA. */
		{ ROOT TCP(90, 21, "/srv/vm", "nas:/vm"), .disk = "/srv/vm/iso/a",
		  .conf = REQUIRE_NAS "[directory /srv/vm/iso]\npolicy = off\n",
		  REFUSED("gate.transport", "/etc/nfsrdma.conf:2 requires RDMA") },
	};

	CHECK_ROWS(rows);
}

/* A server may have several names, and a bind mount may show a part. */
static void another_source_on_a_pool_target_is_judged_by_its_transport(void)
{
	static const struct row rows[] = {
		{ ROOT RDMA(90, 21, "/srv/vm", "192.0.2.1:/vm"), .disk = "vm:a",
		  LOUD("gate.mount",
		       "disk vda (/srv/vm/a) is on 192.0.2.1:/vm, mounted at /srv/vm over "
		       "rdma, where pool 'vm' requests nas:/vm") },
		{ ROOT RDMA(90, 21, "/srv/x", "192.0.2.1:/x"), .disk = "/srv/x/a",
		  .fstab = "nas:/x /srv/x nfs proto=rdma,port=20049 0 0\n",
		  LOUD("gate.mount", "where /etc/fstab:1 requests nas:/x") },
		{ ROOT RDMA(90, 21, "/srv/x", "192.0.2.1:/x"), .disk = "/srv/x/a",
		  .fstab = "nas:/x /srv/x nfs proto=rdma,port=20049 0 0\n",
		  .conf = "[server nas]\npolicy = prefer\n",
		  LOUD("gate.mount", "where /etc/nfsrdma.conf:2 prefers nas:/x") },
		{ ROOT TCP(90, 21, "/srv/vm", "nas2:/vm"), .disk = "/srv/vm/a",
		  REFUSED("gate.transport",
			  "is on nas2:/vm, mounted at /srv/vm over tcp, but pool 'vm' requests") },
		{ ROOT TCP(90, 21, "/srv/vm", "nas2:/vm"), .disk = "/srv/vm/a",
		  .conf = "[server nas]\npolicy = prefer\n",
		  LOUD("gate.transport", "over tcp, but /etc/nfsrdma.conf:2 prefers") },
		{ ROOT TCP(90, 21, "/srv/vm", "nas2:/vm"), .disk = "/srv/vm/a",
		  .conf = "[server nas]\npolicy = prefer\n[server nas2]\npolicy = require\n",
		  REFUSED("gate.transport", "conf:4 requires RDMA") },
		{ ROOT TCP(90, 21, "/srv/vm", "nas2:/vm"), .disk = "/srv/vm/a",
		  .conf = "[server nas2]\npolicy = off\n",
		  REFUSED("gate.transport", "pool 'vm' requests RDMA") },
		{ ROOT MUTE(90, 21, "/srv/vm", "nas2:/vm"), .disk = "/srv/vm/a",
		  UNKNOWN("pool 'vm' requests RDMA") },
		{ ROOT TCP(90, 21, "/srv/plain", "nas2:/x"), .disk = "plain:a", PASSES },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/other"), .disk = "vm:a", PASSES,
		  .conf = "[directory /srv/vm]\npolicy = off\n" },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas://vm/"), .disk = "vm:a", PASSES },
		{ ROOT RDMA(90, 21, "/srv/x", "nas:/x"), .disk = "/srv/x/a", PASSES,
		  .fstab = "nas://x/ /srv/x nfs proto=rdma 0 0\n" },
		/* The mount satisfies another request for this directory. */
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/other"), .disk = "vm:a", PASSES,
		  .fstab = "nas:/other /srv/vm nfs proto=rdma 0 0\n" },
	};

	CHECK_ROWS(rows);
}

static void other_network_mounts_are_refused_only_if_named(void)
{
	static const struct row rows[] = {
		{ ROOT OTHER(90, 21, "/gl", "fuse.glusterfs", "gl:/v"), .disk = "/gl/a", PASSES },
		{ ROOT OTHER(90, 21, "/srv/vm/gl", "fuse.glusterfs", "gl:/v"),
		  .disk = "/srv/vm/gl/a", .conf = REQUIRE_DIR, PASSES },
		{ ROOT OTHER(90, 21, "/srv", "cifs", "//w/s"), .disk = "/srv/vm/a", PASSES,
		  .conf = REQUIRE_DIR },
		{ ROOT OTHER(90, 21, "/srv/vm", "ceph", "mon:/"), .disk = "/srv/vm/a",
		  .conf = REQUIRE_DIR,
		  REFUSED("gate.mount", "is on mon:/ (ceph), mounted at /srv/vm, where") },
		{ ROOT OTHER(90, 21, "/srv/vm", "fuse.glusterfs", "gl:/v"), .disk = "vm:a",
		  REFUSED("gate.mount", "where pool 'vm' requests nas:/vm over RDMA") },
	};

	CHECK_ROWS(rows);
}

static void a_required_automount_is_unknown_unless_its_options_are_known(void)
{
	static const struct row rows[] = {
		{ ROOT OTHER(90, 21, "/srv/x", "autofs", "systemd-1"), .disk = "/srv/x/a", PASSES },
		{ ROOT OTHER(90, 21, "/srv/vm", "autofs", "systemd-1"), .disk = "/srv/vm/a",
		  .conf = REQUIRE_DIR,
		  UNKNOWN("is below /srv/vm, which is mounted on demand and not mounted now") },
		{ ROOT OTHER(90, 21, "/srv/vm", "autofs", "systemd-1"), .disk = "vm:a",
		  .conf = "[default]\non-unknown = refuse\n",
		  UNKNOWN_REFUSED("pool 'vm' requests RDMA") },
		{ ROOT OTHER(90, 21, "/srv/x", "autofs", "systemd-1"), .disk = "/srv/x/a",
		  .fstab = "nas:/x /srv/x nfs proto=rdma,x-systemd.automount 0 0\n", PASSES },
		{ ROOT OTHER(90, 21, "/srv/x", "autofs", "systemd-1"), .disk = "/srv/x/a",
		  .fstab = "nas:/x /srv/x nfs proto=tcp,x-systemd.automount 0 0\n",
		  .conf = REQUIRE_NAS,
		  REFUSED("gate.transport", "on which nas:/x will be mounted without RDMA") },
		/* Unknown of which server it will be: a section about one may apply. */
		{ ROOT OTHER(90, 21, "/srv/x", "autofs", "systemd-1"), .disk = "/srv/x/a",
		  .conf = REQUIRE_NAS, UNKNOWN("neither fstab nor a unit of /srv/x is known") },
		{ ROOT OTHER(90, 21, "/srv/x", "autofs", "systemd-1"), .disk = "/srv/x/a",
		  .conf = REQUIRE_NAS "[default]\non-unknown = refuse\n",
		  UNKNOWN_REFUSED("neither fstab nor a unit of /srv/x is known") },
		{ ROOT OTHER(90, 21, "/srv/x", "autofs", "systemd-1"), .disk = "/srv/x/a",
		  .conf = "[server nas]\npolicy = prefer\n", PASSES },
		{ ROOT OTHER(90, 21, "/srv/x", "autofs", "systemd-1"), .disk = "/srv/x/a",
		  .conf = REQUIRE_DIR, PASSES },
		/* The directory itself. */
		{ ROOT OTHER(90, 21, "/srv/vm", "autofs", "systemd-1"), .disk = "/srv/vm",
		  .conf = REQUIRE_DIR, UNKNOWN("is below /srv/vm") },
		{ ROOT OTHER(90, 21, "/srv", "autofs", "auto.srv"), .disk = "/srv/vm/a",
		  .conf = REQUIRE_DIR, UNKNOWN("is below /srv") },
		{ ROOT OTHER(90, 21, "/srv/vm", "autofs", "systemd-1")
			  TCP(91, 90, "/srv/vm", "nas:/vm"),
		  .disk = "/srv/vm/a", .conf = REQUIRE_DIR, REFUSED("gate.transport", "over tcp") },
		{ ROOT OTHER(90, 21, "/srv/vm", "autofs", "systemd-1")
			  RDMA(91, 90, "/srv/vm", "nas:/vm"),
		  .disk = "/srv/vm/a", .conf = REQUIRE_DIR, PASSES },
	};

	CHECK_ROWS(rows);
}

/* --- hostile or missing input ----------------------------------------------------------------------- */

static void paths_that_lead_nowhere_are_unknown(void)
{
	static const struct row rows[] = {
		{ ROOT, .disk = "/round/a", UNKNOWN("more than 40 links") },
		{ ROOT, .disk = "/round/a", .conf = "[default]\non-unknown = refuse\n",
		  UNKNOWN_REFUSED("more than 40 links") },
		{ ROOT, .disk = "/round/a", .conf = "[directory /round]\non-unknown = refuse\n",
		  UNKNOWN_REFUSED("more than 40 links") },
		{ ROOT, .disk = "relative/a", UNKNOWN("does not begin with a slash") },
		{ ROOT, .disk = "", UNKNOWN("does not begin with a slash") },
		{ ROOT RDMA(90, 21, "/srv/vm", "nas:/vm"), .disk = "/srv/vm/a/../../../etc/x",
		  UNKNOWN("leaves /srv/vm by '..'") },
		{ ROOT "nonsense\n", .disk = "/srv/vm/a", UNKNOWN("not all mounts") },
		/* Dangling links and missing names. */
		{ ROOT, .disk = "/dead/a", PASSES },
		{ ROOT, .disk = "/dead/a", .conf = "[directory /nowhere/x]\npolicy = require\n",
		  REFUSED("gate.mount", "nothing is mounted at /nowhere/x") },
		{ ROOT, .disk = "/rhev/data-center/P/D/i/v",
		  .conf = "[directory /rhev/data-center/mnt/*]\npolicy = require\n",
		  REFUSED("gate.mount", "nothing is mounted at /rhev/data-center/mnt/nas:_d") },
		/* Mounts that no kernel shows. */
		{ ROOT "90 91 0:1 / /srv/vm rw - nfs4 nas:/a rw,proto=rdma\n"
		       "91 90 0:2 / /srv/vm rw - nfs4 nas:/b rw,proto=rdma\n",
		  .disk = "/srv/vm/a", .no_pools = true, .conf = REQUIRE_DIR, .hidden = true,
		  REFUSED("gate.mount", "nothing is mounted at /srv/vm") },
		/* Names that would break the message. */
		{ ROOT "90 21 0:90 / /srv/a\\012b rw - nfs4 nas:/\\011x rw,proto=tcp\n",
		  .disk = "/srv/a\nb/c\td", .conf = REQUIRE_NAS,
		  REFUSED("gate.transport", "disk vda (/srv/a?b/c?d) is on nas:/?x") },
		/* A source that is invalid here still has a server. */
		{ ROOT TCP(90, 21, "/srv/x", "nas:x"), .disk = "/srv/x/a", .conf = REQUIRE_NAS,
		  REFUSED("gate.transport", "is on nas:x") },
		{ ROOT TCP(90, 21, "/srv/x", "[fe80::1%x"), .disk = "/srv/x/a", .conf = REQUIRE_NAS,
		  PASSES },
	};

	CHECK_ROWS(rows);
}

static void a_volume_needs_a_known_pool(void)
{
	static const struct row rows[] = {
		{ ROOT, .disk = "nobody:a", UNKNOWN("this host has no pool 'nobody'") },
		{ ROOT, .disk = "nobody:a", .conf = "[default]\non-unknown = refuse\n",
		  UNKNOWN_REFUSED("disk vda (volume 'a' of pool 'nobody')") },
		{ ROOT, .disk = "vm:a", .no_pools = true, UNKNOWN("this host has no pool") },
		{ ROOT, .disk = "vm:../../etc/shadow", UNKNOWN("is not a volume name") },
		{ ROOT, .disk = "vm:..", UNKNOWN("'..' is not a volume name") },
		{ ROOT, .disk = "vm:.", UNKNOWN("'.' is not a volume name") },
		{ ROOT, .disk = "vm:", UNKNOWN("'' is not a volume name") },
		{ ROOT, .disk = "vm:a/b", UNKNOWN("'a/b' is not a volume name") },
	};

	CHECK_ROWS(rows);
}

SUITE_MAIN("guard", TEST(a_requirement_decides_on_a_mount_over_tcp),
	   TEST(a_port_alone_refuses_nothing), TEST(a_policy_in_fstab_options_applies),
	   TEST(a_bind_mount_has_the_requirements_of_its_source), TEST(a_mount_over_rdma_passes),
	   TEST(links_are_followed_to_the_mount), TEST(a_section_for_a_link_applies_to_its_target),
	   TEST(the_visible_mount_counts), TEST(a_submount_has_the_requirements_of_its_parent),
	   TEST(a_mount_without_evidence_is_unknown),
	   TEST(a_disk_without_its_required_mount_is_refused),
	   TEST(an_optional_disk_passes_where_nothing_is_mounted),
	   TEST(another_mount_below_a_required_directory_is_exempt),
	   TEST(another_source_on_a_pool_target_is_judged_by_its_transport),
	   TEST(other_network_mounts_are_refused_only_if_named),
	   TEST(a_required_automount_is_unknown_unless_its_options_are_known),
	   TEST(paths_that_lead_nowhere_are_unknown), TEST(a_volume_needs_a_known_pool))

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What NFSv3 needs of this host beside nfsd or the kernel's client: rpcbind, and statd for locks. A
 * masked unit is started by nothing, not by a socket either. */
#include "plugin/checks/internal.h"

static const char *const rpcbind_units[] = { "rpcbind.service", "rpcbind.socket", NULL };
static const char *const statd_units[] = { "rpc-statd.service", "nfs-lock.service", NULL };

/* The first of them, NULL: none. Errors: of reading units. */
static int nfs3_masked(struct check_run *run, const char *const *units, const char **out)
{
	enum unit_state state = UNIT_MISSING;
	int rc = 0;

	for (; *units && !rc; units++) {
		rc = host_unit_state(run->host, *units, &state);
		if (!rc && state == UNIT_MASKED)
			break;
	}
	*out = rc ? NULL : *units;
	return rc;
}

static int nfs3_say_masked(struct check_run *run, const char *unit, const char *reason, bool asked)
{
	finding_text(&run->finding, "unit", "%s", unit);
	return check_say_why(run, asked ? FINDING_FAIL : FINDING_WARN, reason,
			     "%s is masked, and NFSv3 needs it", unit);
}

int nfs3_check(struct check_run *run, enum check_role role)
{
	bool asked = channel_is_asked(run, USE_V3);
	const char *unit;
	int rc;

	if (!channel_is_wanted(run, role, USE_V3))
		return check_say(run, FINDING_SKIP,
				 role == CHECK_SERVER ? "the server does not offer NFSv3"
						      : "nothing uses NFSv3 over RDMA");
	rc = nfs3_masked(run, rpcbind_units, &unit);
	if (unit)
		return nfs3_say_masked(run, unit, "rpcbind-masked", asked);
	rc = rc ? rc : nfs3_masked(run, statd_units, &unit);
	if (rc)
		return rc;
	if (unit)
		return nfs3_say_masked(run, unit, "statd-masked", asked);
	return check_say(run, FINDING_PASS, "rpcbind and statd are not masked");
}

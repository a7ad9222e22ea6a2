/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What Kerberos needs besides RDMA: a keytab, from which rpc.gssd takes this host's credentials,
 * and NFS over TCP, over which it makes the context, whatever transport the mount uses
 * (nfs-utils, commit 959efe8f). */
#include "plugin/checks/internal.h"

/* The value of default_keytab_name in krb5.conf, "FILE:/etc/krb5.keytab"; included files are not read. */
static void krb5_conf_keytab(const struct host *host, char *path, size_t cap)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char *cursor, *line, *value;

	if (host_read(host, "etc/krb5.conf", HOST_FILE_MAX, &text))
		return;
	cursor = text.text;
	while ((line = line_next(&cursor))) {
		line += strspn(line, " \t");
		value = strchr(line, '=');
		if (strncmp(line, "default_keytab_name", 19) || !value)
			continue;
		value += 1 + strspn(value + 1, " \t");
		value[strcspn(value, " \t\r")] = '\0';
		text_copy(path, cap, value);
	}
}

/* Where rpc.gssd looks: nfs.conf, then krb5.conf, then the default. "" if it is not a file, or
 * rpc.gssd does not need it. */
static int krb5_keytab_path(struct check_run *run, char *path, size_t cap)
{
	const struct conf_value *value;
	const struct conf *conf;
	int rc = facts_nfs_conf(run, &conf);

	if (rc)
		return rc;
	text_copy(path, cap, "/etc/krb5.keytab");
	value = conf_get(conf, "gssd", NULL, "keytab-file");
	if (value)
		text_copy(path, cap, value->value);
	else
		krb5_conf_keytab(run->host, path, cap);
	if (!strncmp(path, "FILE:", 5))
		memmove(path, path + 5, strlen(path + 5) + 1);
	if (*path != '/' || !conf_bool(conf_get(conf, "gssd", NULL, "use-machine-creds"), 1))
		*path = '\0';
	return 0;
}

int check_fabric_krb5(struct check_run *run)
{
	struct remote remote;
	char path[128];
	bool refused;
	int rc;

	if (!run->target->krb5)
		return check_say(run, FINDING_SKIP, "Kerberos was not requested (--sec)");
	if (!run->target->naddresses)
		return check_skip(run, "fabric.address");
	rc = remote_tcp(run, NFS_TCP_PORT, &remote);
	if (rc)
		return rc;
	if (remote_is_kept_off(&remote) && check_failed(run, "firewall.side-channels"))
		return check_skip(run, "firewall.side-channels");
	if (*remote.text)
		finding_text(&run->finding, "answer", "%s", remote.text);
	if (remote.answer != REMOTE_OPEN) {
		refused = remote.answer == REMOTE_REFUSED;
		return check_say_why(run, refused ? FINDING_FAIL : FINDING_UNKNOWN,
				     refused ? "refused" : "silent",
				     "NFS over TCP %s on port %d, and Kerberos needs it",
				     refused ? "is refused" : "does not answer", NFS_TCP_PORT);
	}
	rc = krb5_keytab_path(run, path, sizeof(path));
	if (!rc && *path)
		rc = host_exists(run->host, path + 1);
	if (rc == -ENOENT) {
		finding_text(&run->finding, "file", "%s", path);
		return check_say_why(run, FINDING_WARN, "no-keytab", "there is no keytab %s", path);
	}
	if (rc)
		return rc;
	return check_say(run, FINDING_PASS, "NFS over TCP answers on port %d", NFS_TCP_PORT);
}

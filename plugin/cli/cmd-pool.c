/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma pool: libvirt's netfs pools. One table of actions; what they do is plugin/libvirt's. */
#include <fcntl.h>
#include <sys/stat.h>

#include "plugin/cli/options.h"
#include "plugin/libvirt/libvirt.h"
#include "plugin/setup/setup.h"

/* A start waits for mount.nfs, which tries for two minutes if the server does not answer; then
 * everything is restored. */
#define CHANGE_MS  180000
#define READ_MS    15000
#define RESOLVE_MS 2000

#define VERSION_DEFAULT "4.2"

struct cmd_pool_options {
	struct cli cli;
	const char *mount_options; /* NULL: not given */
	const char *target;        /* where it is mounted; NULL: not given */
	const char *connect;       /* NULL: not given */
	const char *nfs_version;   /* NULL: not given */
	bool force, dry_run;
	struct report_shown show;
};

static const char *const cmd_pool_heads[] = { "state", "autostart", "requested", "actual",
					      "pool",  "target",    "source",    NULL };

static int cmd_pool_choose(const char *names, void *shown)
{
	return report_choose(cmd_pool_heads, names, shown);
}

static const struct cli_option cmd_pool_options[] = {
	OPTION_MOUNT_OPTIONS(struct cmd_pool_options, mount_options),
	OPTION_VALUE("target", "DIR", struct cmd_pool_options, target,
		     "The directory that the pool is mounted on.", .choice = &choice_dir),
	OPTION_VALUE(
		"columns", "LIST", struct cmd_pool_options, show,
		"The columns of list, in this order, with commas: state, autostart, requested, actual, pool, target, source (default: all).",
		.parse = cmd_pool_choose),
	OPTION_CONNECT(struct cmd_pool_options, connect),
	OPTION_FORMAT,
	OPTION_TIMEOUT(TIMEOUT_COMMAND("15 to read and 180 to change")),
	OPTION_VALUE(
		"nfs-version", "VERSION", struct cmd_pool_options, nfs_version,
		"The NFS version: 3, 4.0, 4.1, 4.2, or auto, the highest that the server supports (default: define 4.2; convert keeps that of the pool).",
		.choice = &choice_versions),
	OPTION_FLAG(
		"force", struct cmd_pool_options, force,
		"Change the definition of a pool that running guests use, or revert a pool that was edited since."),
	OPTION_DRY_RUN(struct cmd_pool_options, dry_run),
	OPTIONS_REPORT,
	OPTIONS_END,
};

struct cmd_pool_session {
	const struct cmd_pool_options *options;
	const char *name; /* second operand; NULL: none */
	uint64_t deadline;
	struct host *host;
	struct policies *policies;
	struct pools *pools;
	struct report *report;
	int rc;     /* of the first finding that the report refused */
	bool shown; /* the result is on stdout, and is no report */
	/* For commands that only read. */
	struct view_places places;
	struct view *view; /* NULL: mounts cannot be read */
};

struct cmd_pool_action {
	const char *name;
	int min_operands, max_operands; /* without its own name */
	bool changes;
	/* 0, or -errno with words; -EINVAL and -E2BIG: the command line is wrong. */
	int (*run)(struct cmd_pool_session *session);
};

static void cmd_pool_on_finding(void *arg, const struct finding *finding)
{
	struct cmd_pool_session *session = arg;
	int rc = report_add(session->report, finding);

	if (rc && !session->rc)
		session->rc = rc;
}

/* err_text() as a finding. What does not exist or is malformed has failed. @reason: where the error
 * itself has none. */
static void cmd_pool_error(struct cmd_pool_session *session, const char *id, const char *reason,
			   int rc)
{
	bool failed = rc == -ENOENT || rc == -EEXIST || rc == -EINVAL || rc == -EFBIG;
	const char *uri = session->options->connect;
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, id, failed ? FINDING_FAIL : FINDING_UNKNOWN, "%s", err_text());
	finding_reason(&finding, pool_change_reason(rc, *err_reason() ? err_reason() : reason));
	if (session->pools)
		uri = pools_uri(session->pools);
	if (uri)
		finding_text(&finding, "uri", "%s", uri);
	if (session->name)
		finding_text(&finding, "pool", "%s", session->name);
	cmd_pool_on_finding(session, &finding);
}

/* False: the error is in the report. */
static bool cmd_pool_connect(struct cmd_pool_session *session, bool read_only)
{
	int rc = pools_open(&session->pools, session->options->connect, read_only,
			    session->deadline);

	if (rc)
		cmd_pool_error(session, "pool.list", "no-connection",
			       rc == -ETIMEDOUT || rc == -EACCES ? rc : -EIO);
	return !rc;
}

/* --- looking: list, verify
 * ----------------------------------------------------------------------- */

/* A malformed one is reported where it is examined. */
static int cmd_pool_add_place(struct cmd_pool_session *session, const struct pool_info *info)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	int rc = pool_xml_parse(&xml, info->xml, strlen(info->xml));

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	return pool_place_add(&session->places, xml, info->name, info->active);
}

/* The mounts are those of the host that the daemon runs on. */
static void cmd_pool_open_view(struct cmd_pool_session *session)
{
	const struct view_sources sources = {
		.host = session->host,
		.now = now_ms(),
		.pools = &session->places,
		.policies = session->policies,
	};

	if (view_open(&session->view, &sources))
		session->view = NULL;
}

/* @target: of 4096 bytes, which @seen borrows. */
static void cmd_pool_seen(struct cmd_pool_session *session, const struct pool_xml *xml,
			  const struct pool_info *info, char *target, struct pool_seen *seen)
{
	const char *written = pool_xml_facts(xml)->target;

	*seen = (struct pool_seen){ .xml = xml,
				    .info = info,
				    .view = session->view,
				    .remote = !info || pools_remote(session->pools) };
	if (!seen->remote && session->view && written && *written == '/' &&
	    !pool_target_resolve(session->host, written, target, 4096))
		seen->target = target;
}

static enum finding_status cmd_pool_row_status(const struct pool_info *info,
					       const struct pool_state *state)
{
	if (!info->active)
		return FINDING_PASS;
	switch (state->run) {
	case POOL_RUN_NOTHING: return FINDING_FAIL;
	case POOL_RUN_OTHER: return pool_state_other(state);
	case POOL_RUN_UNKNOWN: return FINDING_UNKNOWN;
	case POOL_RUN_RDMA:
	case POOL_RUN_TCP:
	case POOL_RUN_MIXED: break;
	}
	return view_status(state->state);
}

static int cmd_pool_add(struct cmd_pool_session *session, const struct pool_info *info)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	const struct pool_facts *facts;
	char source[POOL_SOURCE_MAX], target[4096];
	const char *cells[8] = { NULL };
	struct pool_state state;
	struct pool_seen seen;
	int rc = pool_xml_parse(&xml, info->xml, strlen(info->xml));

	if (rc) {
		err_context(rc, "pool %.60s", info->name);
		cmd_pool_error(session, "pool.definition", "malformed", rc);
		return 0;
	}
	cmd_pool_seen(session, xml, info, target, &seen);
	pool_state(&seen, &state);
	facts = pool_xml_facts(xml);
	cells[0] = info->active ? "running" : "stopped";
	cells[1] = info->autostart ? "yes" : "no";
	cells[2] = pool_state_wanted(&state);
	cells[3] = info->active ? state.run_name : "-";
	cells[4] = facts->name ? facts->name : "-";
	cells[5] = facts->target ? facts->target : "-";
	cells[6] = pool_xml_source(xml, source, sizeof(source)) ? "-" : source;
	rc = report_row(session->report, cmd_pool_row_status(info, &state), cells);
	pool_audit_transport(&seen, cmd_pool_on_finding, session);
	return rc;
}

static int cmd_pool_list(struct cmd_pool_session *session)
{
	_cleanup_(pool_list_fini) struct pool_list pools = { .count = 0 };
	_cleanup_(finding_fini) struct finding finding = { 0 };
	size_t i;
	int rc;

	if (!cmd_pool_connect(session, true))
		return 0;
	rc = pools_ops.list(session->pools, session->deadline, &pools);
	if (rc) {
		cmd_pool_error(session, "pool.list", "error", rc);
		return 0;
	}
	for (i = 0; i < pools.count; i++)
		if (cmd_pool_add_place(session, &pools.list[i]))
			return -ENOMEM;
	cmd_pool_open_view(session);
	finding_init(&finding, "pool.list", FINDING_PASS, "%zu netfs pool%s at %s", pools.count,
		     pools.count == 1 ? "" : "s", pools_uri(session->pools));
	cmd_pool_on_finding(session, &finding);
	rc = pools.count ? report_columns(session->report, cmd_pool_heads, 3) : 0;
	report_show(session->report, &session->options->show);
	for (i = 0; !rc && i < pools.count; i++)
		rc = cmd_pool_add(session, &pools.list[i]);
	return rc;
}

static void cmd_pool_subject(struct cmd_pool_session *session, const struct pool_xml *xml)
{
	const struct pool_facts *facts = pool_xml_facts(xml);

	if (facts->host)
		report_subject(session->report, "server", facts->host);
	if (facts->dir)
		report_subject(session->report, "export", facts->dir);
	if (facts->version)
		report_subject(session->report, "nfs_version", facts->version);
}

/* All of a regular file, or that it is too long for a pool. */
static int cmd_pool_read_file(const char *path, char **text, size_t *len)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = 1;

	*text = malloc(POOL_XML_MAX + 1);
	if (!*text)
		return err_no_memory();
	if (fd < 0 || fstat(fd, &st))
		return err_sys("open %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(EINVAL, "%s is not a regular file", path);
	for (*len = 0; n && *len <= POOL_XML_MAX; *len += (size_t)n) {
		n = read(fd, *text + *len, POOL_XML_MAX + 1 - *len);
		if (n < 0)
			return err_sys("read %s", path);
	}
	return 0;
}

static int cmd_pool_verify_file(struct cmd_pool_session *session)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	_cleanup_free_ char *text = NULL;
	struct pool_seen seen;
	size_t len = 0;
	int rc = cmd_pool_read_file(session->name, &text, &len);

	rc = rc ? err_because(rc, "no-file") : pool_xml_parse(&xml, text, len);
	if (rc) {
		cmd_pool_error(session, "pool.definition", "malformed", rc);
		return 0;
	}
	cmd_pool_subject(session, xml);
	cmd_pool_open_view(session);
	cmd_pool_seen(session, xml, NULL, NULL, &seen);
	seen.file = session->name;
	pool_audit(&seen, cmd_pool_on_finding, session);
	return 0;
}

static int cmd_pool_verify(struct cmd_pool_session *session)
{
	_cleanup_(pool_info_fini) struct pool_info info = { .name = NULL };
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	const char *name = session->name;
	size_t len = strlen(name);
	_cleanup_(finding_fini) struct finding finding = { 0 };
	struct pool_seen seen;
	char target[4096];
	int rc;

	/* A pool's name has no slash; a file's name may be given one. */
	if (strchr(name, '/') || (len > 4 && !strcmp(name + len - 4, ".xml")))
		return cmd_pool_verify_file(session);
	if (!cmd_pool_connect(session, true))
		return 0;
	rc = pools_ops.get(session->pools, session->deadline, name, &info);
	if (rc == -ENOENT)
		err_because(rc, "unknown-pool");
	if (!rc)
		rc = pool_xml_parse(&xml, info.xml, strlen(info.xml));
	if (rc) {
		cmd_pool_error(session, "pool.definition", "error", rc);
		return 0;
	}
	cmd_pool_subject(session, xml);
	if (cmd_pool_add_place(session, &info))
		return -ENOMEM;
	cmd_pool_open_view(session);
	cmd_pool_seen(session, xml, &info, target, &seen);
	pool_audit(&seen, cmd_pool_on_finding, session);
	if (!pools_remote(session->pools) && pool_volume_audit(session->host, &finding)) {
		if (pool_xml_facts(xml)->target)
			finding_text(&finding, "target", "%s", pool_xml_facts(xml)->target);
		cmd_pool_on_finding(session, &finding);
	}
	return 0;
}

/* --- changing: define, convert, revert
 * ----------------------------------------------------------- */

/* What the server's name leads to; unknown is IPv4's way. */
static enum ip_family cmd_pool_family(struct cmd_pool_session *session, const char *server)
{
	struct check_target target = { .server = server, .port = NFS_RDMA_PORT };
	unsigned int i;

	remote_resolve(session->host, &target,
		       deadline_min(session->deadline, deadline_in(RESOLVE_MS)));
	for (i = 0; i < target.naddresses; i++)
		if (target.addresses[i].addr.ss_family == AF_INET)
			return IP_V4;
	return target.naddresses ? IP_V6 : IP_UNKNOWN;
}

/* NULL: not given; "": no version. */
static const char *cmd_pool_version(const struct cmd_pool_options *options)
{
	const char *version = options->nfs_version;

	return version && !strcmp(version, "auto") ? "" : version;
}

static struct pool_changer cmd_pool_changer(struct cmd_pool_session *session)
{
	return (struct pool_changer){ .ops = &pools_ops,
				      .conn = session->pools,
				      .uri = pools_uri(session->pools),
				      .host = session->host,
				      .policies = session->policies,
				      .remote = pools_remote(session->pools),
				      .folder = POOL_FOLDER,
				      .force = session->options->force,
				      .deadline = session->deadline,
				      .sink = cmd_pool_on_finding,
				      .arg = session };
}

static int cmd_pool_make(struct cmd_pool_session *session, struct pool_xml **out)
{
	const struct cmd_pool_options *options = session->options;
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	struct pool_request request = { .policies = session->policies,
					.options = options->mount_options ? options->mount_options
									  : "" };
	char host[SPEC_HOST_MAX + 3];
	struct spec spec;
	int rc = spec_parse(options->cli.operands[2], &spec);

	if (rc)
		return rc;
	if (!options->target || *options->target != '/')
		return err_set(
			EINVAL,
			"no absolute path in --target; expected a directory, as in --target /var/lib/libvirt/%.40s",
			session->name);
	snprintf(host, sizeof(host), spec.family == IP_V6 ? "[%s]" : "%s", spec.host);
	request.version = cmd_pool_version(options);
	if (!request.version && !strstr(request.options, "vers="))
		request.version = VERSION_DEFAULT;
	request.family = spec.family == IP_UNKNOWN ? cmd_pool_family(session, spec.host)
						   : spec.family;
	rc = pool_xml_new(&xml, session->name, host, spec.path, options->target);
	if (!rc)
		rc = pool_xml_convert(xml, &request);
	if (rc)
		return rc;
	*out = take_ptr(xml);
	return 0;
}

static int cmd_pool_define(struct cmd_pool_session *session)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	_cleanup_free_ char *text = NULL;
	struct pool_changer changer;
	int rc = cmd_pool_make(session, &xml);

	if (rc)
		return rc;
	if (session->options->dry_run) {
		rc = pool_xml_format(xml, &text);
		session->shown = !rc;
		ticker_stop(session->options->cli.ticker);
		fputs(rc ? "" : text, stdout);
		return rc;
	}
	cmd_pool_subject(session, xml);
	if (!cmd_pool_connect(session, false))
		return 0;
	changer = cmd_pool_changer(session);
	rc = pool_change_define(&changer, xml);
	if (rc)
		cmd_pool_error(session, "pool.definition", "error", rc);
	return 0;
}

/* The server is in the pool; asking for it does no harm where there is no such pool. */
static void cmd_pool_request(struct cmd_pool_session *session, struct pool_request *request)
{
	_cleanup_(pool_info_fini) struct pool_info info = { .name = NULL };
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	const struct pool_facts *facts;

	*request = (struct pool_request){ .policies = session->policies,
					  .version = cmd_pool_version(session->options),
					  .options = session->options->mount_options };
	if (pools_ops.get(session->pools, session->deadline, session->name, &info) ||
	    pool_xml_parse(&xml, info.xml, strlen(info.xml)))
		return;
	facts = pool_xml_facts(xml);
	cmd_pool_subject(session, xml);
	if (facts->host && !strchr(facts->host, ':'))
		request->family = cmd_pool_family(session, facts->host);
}

/* Of options, of the policy or of the folder; libvirt's own errors are -EIO. */
static const char *cmd_pool_reason(int rc)
{
	return rc == -EINVAL || rc == -E2BIG ? "policy" : rc == -EIO ? "error" : "originals";
}

static int cmd_pool_show(struct cmd_pool_session *session, bool revert,
			 const struct pool_request *request)
{
	_cleanup_free_ char *before = NULL, *after = NULL, *path = NULL;
	struct pool_changer changer = cmd_pool_changer(session);
	int rc = pool_change_show(&changer, session->name, revert ? NULL : request, &before,
				  &after);

	if (!rc && asprintf(&path, "etc/libvirt/storage/%s.xml", session->name) < 0)
		rc = err_no_memory();
	if (rc) {
		cmd_pool_error(session, "pool.definition", cmd_pool_reason(rc), rc);
		return 0;
	}
	session->shown = true;
	ticker_stop(session->options->cli.ticker);
	if (!strcmp(before, after))
		printf("Pool %s needs no change.\n", session->name);
	else
		diff_print(stdout, path, before, after);
	return 0;
}

static int cmd_pool_change(struct cmd_pool_session *session, bool revert)
{
	struct pool_request request;
	struct pool_changer changer;
	int rc;

	if (!cmd_pool_connect(session, session->options->dry_run))
		return 0;
	cmd_pool_request(session, &request);
	if (session->options->dry_run)
		return cmd_pool_show(session, revert, &request);
	changer = cmd_pool_changer(session);
	rc = revert ? pool_change_revert(&changer, session->name)
		    : pool_change_convert(&changer, session->name, &request);
	if (rc)
		cmd_pool_error(session, "pool.definition", cmd_pool_reason(rc), rc);
	return 0;
}

static int cmd_pool_convert(struct cmd_pool_session *session)
{
	return cmd_pool_change(session, false);
}

static int cmd_pool_revert(struct cmd_pool_session *session)
{
	return cmd_pool_change(session, true);
}

/* --- the command
 * --------------------------------------------------------------------------------- */

static const struct cmd_pool_action actions[] = {
	{ "list", 0, 0, false, cmd_pool_list },      { "define", 2, 2, true, cmd_pool_define },
	{ "convert", 1, 1, true, cmd_pool_convert }, { "verify", 1, 1, false, cmd_pool_verify },
	{ "revert", 1, 1, true, cmd_pool_revert },
};

static const struct cmd_pool_action *cmd_pool_find_action(const struct cli *cli)
{
	const char *name = cli->noperands ? cli->operands[0] : "";
	int operands = cli->noperands - 1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(actions); i++) {
		if (strcmp(name, actions[i].name))
			continue;
		if (operands >= actions[i].min_operands && operands <= actions[i].max_operands)
			return &actions[i];
		err_set(EINVAL, "%s takes %d operand%s, not %d", name, actions[i].min_operands,
			actions[i].min_operands == 1 ? "" : "s", operands);
		return NULL;
	}
	err_set(EINVAL, "%s%.40s%s; expected list, define, convert, verify or revert",
		*name ? "unknown action '" : "no action", name, *name ? "'" : "");
	return NULL;
}

static int cmd_pool_act(struct cmd_pool_session *session, const struct cmd_pool_action *action)
{
	const struct cli *cli = &session->options->cli;
	int rc = action->run(session);

	if (rc == -EINVAL || rc == -E2BIG)
		return cli_usage(cli);
	if (rc || session->rc)
		return cli_unknown(cli);
	if (session->shown)
		return output_finish(cli);
	output_end(cli, session->report, 0);
	return output_report(cli, session->report, session->host);
}

static int cmd_pool_run(void *arg)
{
	const struct cmd_pool_options *options = arg;
	const struct cli *cli = &options->cli;
	_cleanup_(report_free_p) struct report *report = report_new("pool");
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	const struct cmd_pool_action *action = cmd_pool_find_action(cli);
	struct cmd_pool_session session = { .options = options, .report = report };
	int status;

	if (!action)
		return cli_usage(cli);
	if (!report)
		return cli_error(cli, EXIT_UNKNOWN, "no memory for the report");
	if (host_open(&host, NULL) || policy_open(&policies, host))
		return cli_unknown(cli);
	session.name = cli->noperands > 1 ? cli->operands[1] : NULL;
	session.host = host;
	session.policies = policies;
	session.deadline = deadline_in(cli->timeout_ms   ? cli->timeout_ms
				       : action->changes ? CHANGE_MS
							 : READ_MS);
	host_limit(host, session.deadline);
	status = cmd_pool_act(&session, action);
	view_close(session.view);
	view_places_fini(&session.places);
	pools_close(session.pools);
	return status;
}

const struct cli_command cmd_pool = {
	.name = "pool",
	.synopsis = "list [OPTION...]\n"
		    "define NAME SERVER:/EXPORT --target DIR [OPTION...]\n"
		    "convert NAME [OPTION...]\n"
		    "verify NAME|FILE.xml [OPTION...]\n"
		    "revert NAME [OPTION...]",
	.summary = "List, define, convert and verify libvirt's netfs pools over RDMA.",
	.details =
		"list shows each pool with its requested and actual transport. define makes a "
		"pool over RDMA. convert changes a pool to RDMA, and restores it if it does "
		"not start over RDMA; revert restores its former definition. verify checks one "
		"pool, or XML that libvirt has not read yet. nfsrdma-libvirt(7) shows each step.",
	CLI_FORMS({ .action = "list" },
		  { .action = "define", .operands = { NULL, &choice_sources } },
		  { .action = "convert", .operands = { &choice_pools } },
		  { .action = "verify", .operands = { &choice_pool_or_file } },
		  { .action = "revert", .operands = { &choice_pools } }),
	.max_operands = 3,
	.options = cmd_pool_options,
	.size = sizeof(struct cmd_pool_options),
	.working = "waiting for libvirt",
	.run = cmd_pool_run,
};

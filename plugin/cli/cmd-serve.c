/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma serve: the embedded server by itself. One line of JSON on stdout says where it
 * listens; then it serves until SIGINT or SIGTERM, as nobody if it was started by root. */
#include <netinet/in.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "plugin/cli/options.h"

#define LISTEN_DEFAULT "127.0.0.1:0"
#define RESOLVE_MS     5000

struct cmd_serve_options {
	struct cli cli;
	const char *listen, *export_dir; /* NULL: not given */
	bool list_faults, allow_remote_faults, no_crc;
	const struct transport_ops *transport; /* NULL: auto */
	uint16_t mount_port, nfs_port;         /* 0: not given */
};

static const struct cli_option cmd_serve_options[] = {
	OPTION_VALUE(
		"listen", "ADDR:PORT", struct cmd_serve_options, listen,
		"The address to listen on for RDMA (default 127.0.0.1:0; the kernel chooses the port).",
		.choice = &choice_listeners),
	OPTION_VALUE("export", "DIR", struct cmd_serve_options, export_dir,
		     "Serve this directory, read-only, instead of files in memory.",
		     .choice = &choice_dir),
	OPTION_FAULT,
	OPTION_FLAG("list-faults", struct cmd_serve_options, list_faults,
		    "List the faults, one per line, and exit."),
	OPTION_FLAG("allow-remote-faults", struct cmd_serve_options, allow_remote_faults,
		    "Allow faults on a listener that other hosts can reach."),
	OPTION_FLAG("no-crc", struct cmd_serve_options, no_crc,
		    "Do not request the MPA CRC from clients; a client that requests it gets it."),
	OPTION_VALUE(
		"transport", "NAME", struct cmd_serve_options, transport,
		"verbs (an RDMA device) or iwarp (software, over TCP); auto (default) is iwarp.",
		.choice = &choice_transports, .parse = value_transport),
	OPTION_VALUE("mount-port", "PORT", struct cmd_serve_options, mount_port,
		     "The TCP port of MOUNT (default: any free port).", .parse = value_port),
	OPTION_VALUE("nfs-port", "PORT", struct cmd_serve_options, nfs_port,
		     "The TCP port of NFS (default: any free port).", .parse = value_port),
	OPTIONS_END,
};

static int cmd_serve_list_faults(const struct cli *cli)
{
	const struct fault_row *row;

	for (row = fault_table; row->name; row++)
		printf("%s%s%s %s\n", row->name, row->values ? "=" : "",
		       row->values ? row->values : "", row->description);
	return output_finish(cli);
}

/* "127.0.0.1:20049", "[::1]:0", "localhost:0" */
static int cmd_serve_parse_listen(const char *text, struct transport_address *out)
{
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	bool bracket = *text == '[' && len > 2 && colon[-1] == ']';
	unsigned long port;
	char host[256];
	int rc;

	if (!len || len >= sizeof(host) || (!bracket && memchr(text, ':', len)))
		return err_set(EINVAL, "--listen takes ADDR:PORT or [ADDR]:PORT, not '%.80s'",
			       text);
	rc = value_number(colon + 1, 0, 65535, &port);
	if (rc)
		return err_context(rc, "--listen: the port");
	memcpy(host, text + bracket, len - 2 * bracket);
	host[len - 2 * bracket] = '\0';
	rc = transport_resolve(host, (uint16_t)port, out, 1, deadline_in(RESOLVE_MS));
	return rc < 0 ? err_context(rc, "--listen") : 0;
}

static bool cmd_serve_is_loopback(const struct transport_address *at)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (at->addr.ss_family == AF_INET) {
		memcpy(&v4, &at->addr, sizeof(v4));
		return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
	}
	memcpy(&v6, &at->addr, sizeof(v6));
	return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

/* The line that scripts wait for. */
static int cmd_serve_print_ready(const struct cli *cli, const struct server *server,
				 const struct transport_address *at)
{
	struct server_ports ports;
	char address[80];
	size_t len;

	server_ports(server, &ports);
	transport_address_text(at, address, sizeof(address));
	*strrchr(address, ':') = '\0';
	len = strlen(address);
	if (*address == '[') {
		address[len - 1] = '\0';
		memmove(address, address + 1, len - 1);
	}
	printf("{\"rdma\":%u,\"nfs\":%u,\"mount\":%u,\"address\":\"%s\",\"export\":\"/\"}\n",
	       ports.rdma, ports.nfs, ports.mount, address);
	return output_finish(cli);
}

/* Until SIGINT or SIGTERM. They are blocked before there are threads, so that none takes the
 * signal. */
static int cmd_serve_start(const struct cli *cli, const struct server_options *what)
{
	_cleanup_close_ int stop = -1;
	struct server *server = NULL;
	int status = EXIT_GOOD;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	stop = signalfd(-1, &set, SFD_CLOEXEC);
	if (stop < 0) {
		err_sys("signalfd");
		return cli_unknown(cli);
	}
	if (server_open_confined(&server, what))
		status = cli_unknown(cli);
	if (!status)
		status = cmd_serve_print_ready(cli, server, &what->listen);
	if (!status && server_run(server, stop))
		status = cli_unknown(cli);
	server_close(server);
	return status;
}

static int cmd_serve_run(void *arg)
{
	const struct cmd_serve_options *options = arg;
	const struct cli *cli = &options->cli;
	struct server_options what = {
		.nfs_port = options->nfs_port,
		.mount_port = options->mount_port,
		.transport = options->transport ? options->transport : &transport_iwarp,
		.faults = fault_set_empty(cli->faults) ? NULL : cli->faults,
		.no_crc = options->no_crc,
	};
	int rc, status;

	if (options->list_faults)
		return cmd_serve_list_faults(cli);
	if (cmd_serve_parse_listen(options->listen ? options->listen : LISTEN_DEFAULT,
				   &what.listen))
		return cli_usage(cli);
	if (what.faults && !cmd_serve_is_loopback(&what.listen) && !options->allow_remote_faults) {
		err_set(EINVAL, "other hosts can reach these faults: add "
				"--allow-remote-faults to allow it");
		return cli_usage(cli);
	}
	rc = options->export_dir ? export_directory_new(&what.exp, options->export_dir)
				 : export_memory_new(&what.exp);
	if (!rc && !options->export_dir)
		rc = export_memory_make_writable(what.exp);
	if (rc)
		return cli_unknown(cli);
	status = cmd_serve_start(cli, &what);
	export_free(what.exp);
	return status;
}

const struct cli_command cmd_serve = {
	.name = "serve",
	.synopsis = "[OPTION...] [--export DIR] [--fault NAME[=VALUE]]...\n"
		    "--list-faults",
	.summary = "Run the embedded NFS/RDMA server alone.",
	.details = "Serves test files, or with --export a directory, read-only over "
		   "NFSv3, NFSv4.0 and 4.1, by RPC-over-RDMA and by TCP. Beside the "
		   "test files clients may make their own, in memory. RDMA is "
		   "carried over TCP (iWARP), and a Linux client with soft-iWARP can "
		   "mount it; --transport verbs uses the RDMA device that has the "
		   "address, so that two hosts with RDMA can test the network between "
		   "them. Prints one line of JSON with the ports when ready, and "
		   "serves until SIGINT or SIGTERM. Started by root, it drops to "
		   "nobody and serves only what others may read. A fault makes it fail "
		   "in one way; without --allow-remote-faults only on loopback.",
	.max_operands = 0,
	.exit_status = "0 ended by SIGINT or SIGTERM, 2 usage, 3 failed",
	.options = cmd_serve_options,
	.size = sizeof(struct cmd_serve_options),
	.run = cmd_serve_run,
};

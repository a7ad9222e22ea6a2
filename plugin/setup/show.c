/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A plan as a person reads it: why, and then what. What is printed of a file is a difference
 * that patch(1) takes; of the rest it is the command that one would type. */
#include <netinet/in.h>

#include "plugin/report/report.h"
#include "plugin/report/shell.h"
#include "plugin/setup/internal.h"

static const char *show_protocol(const struct setup_port *port)
{
	return port->protocol == IPPROTO_UDP ? "udp" : "tcp";
}

static void show_text(FILE *out, const char *text, unsigned int indent, unsigned int width)
{
	char clean[4 * sizeof(((struct setup_note *)NULL)->text)];

	utf8_clean(clean, sizeof(clean), text, UTF8_ESCAPE);
	wrap_print(out, clean, indent, width);
}

static void show_command(const struct setup_step *step, bool undo, FILE *out)
{
	fputs("    ", out);
	switch (step->kind) {
	case SETUP_PORT:
		fprintf(out, "firewall-cmd %s--zone=%s --%s-port=%u/%s\n",
			step->port.permanent ? "--permanent " : "", SHELL_WORD(step->port.zone),
			undo ? "remove" : "add", step->port.port, show_protocol(&step->port));
		break;
	case SETUP_MODULE: fprintf(out, "modprobe %s\n", SHELL_OPERAND(step->name)); break;
	case SETUP_LISTENER:
		/* No command to copy: some kernels fall over it where the port is taken. */
		fprintf(out,
			"(adds a listener on RDMA port %u to the running server, if the port is free)\n",
			step->port.port);
		break;
	case SETUP_RESTART:
		fprintf(out, "systemctl restart %s\n", SHELL_OPERAND(step->name));
		break;
	case SETUP_SYMLINK:
		fprintf(out, "systemctl %s %s\n", undo ? "disable" : "enable",
			SHELL_OPERAND(step->name));
		break;
	case SETUP_LINK:
		if (undo)
			fprintf(out, "rdma link delete %s\n", SHELL_WORD(step->link.name));
		else
			fprintf(out, "rdma link add %s type %s netdev %s\n",
				SHELL_WORD(step->link.name), step->link.type,
				SHELL_WORD(step->link.netdev));
		break;
	case SETUP_FILE: break;
	}
}

void setup_show(const struct setup_plan *plan, FILE *out, unsigned int width)
{
	unsigned int i;

	for (i = 0; i < plan->nsteps; i++) {
		const struct setup_step *step = &plan->steps[i];

		if (i)
			fputc('\n', out);
		if (step->reason[0]) {
			fputs("# ", out);
			show_text(out, step->reason, 2, width);
		}
		if (step->refused && same_text(step->before, step->after))
			fprintf(out, "    rm /%s\n", SHELL_OPERAND(step->path));
		else if (step->kind == SETUP_FILE)
			diff_print(out, step->path, step->before, step->after);
		else
			show_command(step, plan->undo, out);
	}
}

void setup_step_name(const struct setup_step *step, bool undo, char *buf, size_t cap)
{
	switch (step->kind) {
	case SETUP_FILE:
		snprintf(buf, cap, "/%s %s", step->path,
			 !step->before ? "written"
			 : step->after ? (undo ? "put back" : "changed")
				       : "removed");
		break;
	case SETUP_PORT:
		snprintf(buf, cap, "firewalld, zone %s: port %u/%s %s, %s", step->port.zone,
			 step->port.port, show_protocol(&step->port), undo ? "closed" : "opened",
			 step->port.permanent ? "permanently" : "now");
		break;
	case SETUP_MODULE: snprintf(buf, cap, "module %s loaded", step->name); break;
	case SETUP_LISTENER:
		snprintf(buf, cap, "the NFS server listens for RDMA on port %u", step->port.port);
		break;
	case SETUP_RESTART: snprintf(buf, cap, "%s restarted", step->name); break;
	case SETUP_SYMLINK:
		snprintf(buf, cap, "%s %s", step->name, undo ? "disabled" : "enabled");
		break;
	case SETUP_LINK:
		snprintf(buf, cap, "RDMA link %s on %s %s", step->link.name, step->link.netdev,
			 undo ? "deleted" : "added");
		break;
	}
}

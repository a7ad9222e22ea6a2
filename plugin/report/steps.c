/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Cause and steps of one finding: the texts of its reason, with "{key}" replaced by names
 * of this host and this server, and only the steps for this system. Pure. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdarg.h>

#include "plugin/report/internal.h"

/* A bounded text. It may be truncated within a character; the printer drops the remainder. */
struct sentence {
	char *buf;
	size_t cap, used;
};

static void sentence_add(struct sentence *s, const char *text, size_t len)
{
	if (len > s->cap - 1 - s->used)
		len = s->cap - 1 - s->used;
	memcpy(s->buf + s->used, text, len);
	s->used += len;
	s->buf[s->used] = '\0';
}

/* After a blank the value could be taken for an option. @next: the following text; an
 * IPv6 address gets brackets before a colon that joins it to more text. */
static void sentence_add_value(struct sentence *s, const char *value, const char *next, bool shell)
{
	char address[INET6_ADDRSTRLEN], bracketed[FINDING_VALUE_MAX + 2];
	struct shell_word word;
	struct in6_addr parsed;

	/* With or without its zone: a PCI address has colons, too. */
	snprintf(address, sizeof(address), "%.*s", (int)strcspn(value, "%"), value);
	if (*next == ':' && next[1] != ' ' && inet_pton(AF_INET6, address, &parsed) == 1) {
		snprintf(bracketed, sizeof(bracketed), "[%.*s]", FINDING_VALUE_MAX - 1, value);
		value = bracketed;
	}
	if (shell && s->used && s->buf[s->used - 1] == ' ')
		value = shell_operand(&word, value);
	else if (shell)
		value = shell_word(&word, value);
	sentence_add(s, value, strlen(value));
}

void report_expand(const struct report *report, const struct finding *finding, const char *text,
		   bool shell, char *buf, size_t cap)
{
	struct sentence s = { .buf = buf, .cap = cap };
	const char *value, *name, *p;
	char key[FINDING_KEY_MAX], c;
	size_t len;
	bool raw;
	int i;

	*buf = '\0';
	while (*text) {
		len = strcspn(text, "{");
		sentence_add(&s, text, len);
		text += len;
		len = strcspn(text, "}");
		if (!*text || !text[len] || len >= sizeof(key))
			break;
		snprintf(key, sizeof(key), "%.*s", (int)len - 1, text + 1);
		raw = *key == '!';
		name = key + raw;
		value = finding_evidence(finding, name);
		for (i = 0; !*value && i < SUBJECT_COUNT; i++)
			if (!strcmp(subject_name(i), name) && report->subject[i])
				value = report->subject[i];
		if (*value)
			sentence_add_value(&s, value, text + len + 1, shell && !raw);
		/* An unknown value becomes a placeholder for the reader: "{export}" is
		 * EXPORT. */
		for (p = name; !*value && *p; p++) {
			c = *p == '_' ? '-' : (char)toupper((unsigned char)*p);
			sentence_add(&s, &c, 1);
		}
		text += len + 1;
	}
}

/* The options of a run that a command in a step repeats, if it has them. --embedded takes the place
 * of the server. */
struct steps_command {
	const char *name, *options;
};

static const struct steps_command steps_commands[] = {
	{ "nfsrdma probe ",
	  " --embedded --fault --transport --device --bind --port --mount-port --nfs-port --nfs-version --cred " },
	{ "nfsrdma bench ",
	  " --embedded --transport --device --bind --port --mount-port --nfs-port --nfs-version --cred " },
	{ "nfsrdma doctor ", " --transport --port --mount-port --nfs-port --nfs-version --cred " },
	{ "nfsrdma check ", " --port --nfs-version " },
};

static const struct steps_command *steps_find_command(const char *command)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps_commands); i++)
		if (strstr(command, steps_commands[i].name))
			return &steps_commands[i];
	return NULL;
}

static bool steps_are_of_embedded(const struct report *report)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(report->repeats); i++)
		if (!strcmp(report->repeats[i], "--embedded"))
			return true;
	return false;
}

/* The command of a step for this run, which may be about the embedded server: that has no name for
 * another run, so "nfsrdma probe {server}:{export}" is "nfsrdma probe" then. @buf: of
 * STEP_TEXT_MAX. */
static const char *steps_command(const struct report *report, const char *command, char *buf)
{
	const struct steps_command *of = steps_find_command(command);
	const char *server = strstr(command, " {server}");

	if (!server || !of || !strstr(of->options, " --embedded ") ||
	    !steps_are_of_embedded(report))
		return command;
	snprintf(buf, STEP_TEXT_MAX, "%.*s%s ", (int)(server - command), command,
		 server + 1 + strcspn(server + 1, " "));
	return buf;
}

/* Only for the server of this run: not for one that the reader names, and not for this host's
 * kernel. */
static bool steps_is_repeated(const char *command)
{
	return strstr(command, " {server}");
}

/* "nfsrdma probe nas1:/vm" becomes "nfsrdma probe --port 2050 nas1:/vm": without the option it
 * would test another thing. A command that has the option already keeps its own. */
static void steps_repeat(const struct report *report, char *command, size_t cap)
{
	const struct steps_command *of = steps_find_command(command);
	char rest[sizeof(((struct report_step *)0)->command)], name[32], *at;
	size_t j, used, len;

	if (!of)
		return;
	at = strstr(command, of->name) + strlen(of->name);
	if (!str_copy(rest, sizeof(rest), at))
		return;
	used = (size_t)(at - command);
	for (j = 0; j < ARRAY_SIZE(report->repeats) && *report->repeats[j]; j++) {
		snprintf(name, sizeof(name), " %.*s ", (int)strcspn(report->repeats[j], " "),
			 report->repeats[j]);
		if (!strstr(of->options, name) || strstr(command, name) ||
		    used + strlen(report->repeats[j]) + 1 + strlen(rest) >= cap)
			continue;
		used += (size_t)snprintf(command + used, cap - used, "%s ", report->repeats[j]);
		str_copy(command + used, cap - used, rest);
	}
	len = strlen(command);
	while (len && command[len - 1] == ' ')
		command[--len] = '\0';
}

static const struct reason *steps_find_reason(const struct reason *reason, const char *name)
{
	for (; reason->name; reason++)
		if (!strcmp(reason->name, name))
			return reason;
	return NULL;
}

const struct reason *meaning_reason(const struct meaning *meaning, const char *name)
{
	const struct reason *reason = steps_find_reason(meaning->reasons, name);

	return reason ? reason : steps_find_reason(meaning_common, name);
}

/* By kind: a step may name several of each. */
static const struct {
	unsigned int bit;
	const char *name;
} steps_system_kinds[][6] = {
	{ { SYSTEM_DEBIAN, "Debian" },
	  { SYSTEM_UBUNTU, "Ubuntu" },
	  { SYSTEM_RHEL, "RHEL" },
	  { SYSTEM_SUSE, "SUSE" },
	  { SYSTEM_ARCH, "Arch" } },
	{ { SYSTEM_NETWORKMANAGER, "NetworkManager" },
	  { SYSTEM_NETPLAN, "netplan" },
	  { SYSTEM_IFUPDOWN, "ifupdown" },
	  { SYSTEM_WICKED, "wicked" },
	  { SYSTEM_NETWORKD, "systemd-networkd" } },
	{ { SYSTEM_FIREWALLD, "firewalld" },
	  { SYSTEM_NFTABLES, "nftables" },
	  { SYSTEM_IPTABLES, "iptables" },
	  { SYSTEM_UFW, "ufw" } },
	{ { SYSTEM_LINUX_SERVER, "Linux server" },
	  { SYSTEM_GANESHA_SERVER, "nfs-ganesha" },
	  { SYSTEM_OTHER_SERVER, "other server" } },
};

/* The systems of this kind that a host of @systems may be. */
static unsigned int steps_possible_systems(size_t kind, unsigned int systems)
{
	unsigned int all = 0;
	size_t i;

	for (i = 0; steps_system_kinds[kind][i].bit; i++)
		all |= steps_system_kinds[kind][i].bit;
	return systems & all ? systems & all : all;
}

bool meaning_step_fits(const struct step *step, unsigned int systems)
{
	unsigned int all, possible;
	size_t kind;

	for (kind = 0; kind < ARRAY_SIZE(steps_system_kinds); kind++) {
		all = steps_possible_systems(kind, 0);
		possible = steps_possible_systems(kind, systems);
		if (step->systems & all && !(step->systems & possible))
			return false;
	}
	return true;
}

/* "Debian, Ubuntu", unless the host is known to be one of these. */
static void sentence_add_systems(struct sentence *s, size_t kind, const struct step *step,
				 unsigned int systems)
{
	const char *separator = s->used ? " with " : "";
	size_t i;

	if (!(steps_possible_systems(kind, systems) & ~step->systems) ||
	    !(steps_possible_systems(kind, 0) & step->systems))
		return;
	for (i = 0; steps_system_kinds[kind][i].bit; i++) {
		if (!(step->systems & steps_system_kinds[kind][i].bit))
			continue;
		sentence_add(s, separator, strlen(separator));
		sentence_add(s, steps_system_kinds[kind][i].name,
			     strlen(steps_system_kinds[kind][i].name));
		separator = ", ";
	}
}

static const struct {
	const char *name, *warning;
} step_effects[STEP_EFFECT_COUNT] = {
	[STEP_READS] = { "reads", "" },
	[STEP_CHANGES] = { "changes", "" },
	[STEP_STOPS] = { "interrupts", "" },
	[STEP_INTERRUPTS] = { "interrupts",
			      " (first shut down or migrate the guests that use it; in oVirt, put the domain into maintenance instead)" },
	[STEP_RESTARTS] = { "restarts",
			    " (hard mounts of its clients wait meanwhile; soft mounts, as VDSM's, can get I/O errors)" },
	[STEP_REBOOTS] = { "reboots",
			   " (first shut down or migrate its guests; in oVirt, put the host into maintenance)" },
};

const char *step_effect_name(enum step_effect effect)
{
	return step_effects[effect].name;
}

const char *meaning_step(const struct step *step, unsigned int systems, char *buf, size_t cap)
{
	struct sentence s = { .buf = buf, .cap = cap };
	const char *warning;
	size_t kind, len;
	bool ends;

	*buf = '\0';
	for (kind = 0; kind < ARRAY_SIZE(steps_system_kinds); kind++)
		sentence_add_systems(&s, kind, step, systems);
	if (s.used)
		sentence_add(&s, ": ", 2);
	warning = step_effects[step->effect].warning;
	len = strlen(step->text);
	/* Before the full stop. */
	ends = *warning && len && step->text[len - 1] == '.';
	sentence_add(&s, step->text, len - ends);
	sentence_add(&s, warning, strlen(warning));
	sentence_add(&s, ".", ends);
	if (step->command)
		sentence_add(&s, ":", 1);
	return buf;
}

/* As identified by the probe; NULL: not identified. */
static const char *steps_server_kind(const struct report *report)
{
	const struct finding *server = report_find(report, "probe.server");

	return server ? finding_evidence(server, "kind") : NULL;
}

/* The known systems of this host and of the server. */
static unsigned int steps_systems(const struct report *report)
{
	static const struct {
		const char *kind;
		unsigned int server;
	} rows[] = {
		{ "linux", SYSTEM_LINUX_SERVER },
		{ "ganesha", SYSTEM_GANESHA_SERVER },
		/* It can imitate others. */
		{ "nfsrdma", 0 },
		{ "unknown", 0 },
	};
	const char *kind = steps_server_kind(report);
	size_t i;

	for (i = 0; kind && i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].kind, kind))
			return report->systems | rows[i].server;
	return report->systems | (kind ? SYSTEM_OTHER_SERVER : 0);
}

static bool steps_is_unknown(const struct meaning *meaning, const struct finding *finding)
{
	return finding->status == FINDING_UNKNOWN && meaning->unknown;
}

/* The finding has reasons, but none was chosen: listing all of them would be guessing. */
static bool steps_is_unexpected(const struct meaning *meaning, const struct finding *finding)
{
	return meaning->reasons->name && !*finding->reason && report_needs_care(finding->status) &&
	       !steps_is_unknown(meaning, finding);
}

/* "No known cause fits what was seen (state 4, speed 10)." */
static void steps_print_unexpected(const struct finding *finding, char *buf, size_t cap)
{
	struct sentence s = { .buf = buf, .cap = cap - sizeof(").") };
	static const char said[] = "No known cause fits what was seen";
	unsigned int i;

	*buf = '\0';
	sentence_add(&s, said, strlen(said));
	for (i = 0; i < finding->nevidence; i++) {
		const struct finding_evidence *e = &finding->evidence[i];

		sentence_add(&s, i ? ", " : " (", 2);
		sentence_add(&s, e->key, strlen(e->key));
		sentence_add(&s, " ", 1);
		sentence_add(&s, e->value, strlen(e->value));
	}
	s.cap = cap;
	sentence_add(&s, finding->nevidence ? ")." : ".", finding->nevidence ? 2 : 1);
}

static void steps_add_guests(const struct finding *finding, struct report_step *out)
{
	const char *guests = finding_evidence(finding, "guests");
	size_t used = strlen(out->text);

	if (out->effect != STEP_INTERRUPTS || !*guests)
		return;
	used -= used && out->text[used - 1] == '.';
	snprintf(out->text + used, sizeof(out->text) - used,
		 "; of this host's guests these use it: %s", guests);
}

void report_interrupting(struct report *report, void (*fn)(void *arg, struct finding *finding),
			 void *arg)
{
	struct report_step steps[REPORT_STEPS_MAX];
	unsigned int i, j, n;

	for (i = 0; i < report->nfindings; i++) {
		n = report_steps(report, report->findings[i], steps);
		for (j = 0; j < n && steps[j].effect != STEP_INTERRUPTS; j++)
			;
		if (j < n)
			fn(arg, report->findings[i]);
	}
}

unsigned int report_steps(const struct report *report, const struct finding *finding,
			  struct report_step steps[REPORT_STEPS_MAX])
{
	const struct meaning *meaning = meaning_find(finding->id);
	const struct reason *reason = meaning_reason(meaning, finding->reason);
	unsigned int n = 0, systems;
	const struct step *step;
	char text[STEP_TEXT_MAX];

	if (!report_needs_care(finding->status))
		return 0;
	if (steps_is_unexpected(meaning, finding)) {
		snprintf(steps[0].text, sizeof(steps[0].text), "Find out what can cause %s",
			 finding->id);
		snprintf(steps[0].command, sizeof(steps[0].command), "nfsrdma explain %s",
			 finding->id);
		steps[0].effect = STEP_READS;
		return 1;
	}
	if (!reason)
		return 0;
	systems = steps_systems(report);
	for (step = reason->steps; step->text && n < REPORT_STEPS_MAX; step++) {
		const struct step without_colon = { .systems = step->systems,
						    .text = step->text,
						    .effect = step->effect };

		if (!meaning_step_fits(step, systems))
			continue;
		report_expand(report, finding,
			      meaning_step(&without_colon, systems, text, sizeof(text)), false,
			      steps[n].text, sizeof(steps[n].text));
		*steps[n].command = '\0';
		steps[n].effect = step->effect;
		steps_add_guests(finding, &steps[n]);
		if (step->command)
			report_expand(report, finding, steps_command(report, step->command, text),
				      true, steps[n].command, sizeof(steps[n].command));
		if (step->command && steps_is_repeated(step->command))
			steps_repeat(report, steps[n].command, sizeof(steps[n].command));
		n++;
	}
	return n;
}

/* "Load the module: 'modprobe rpcrdma'." */
static void sentence_add_step(struct sentence *s, const struct report_step *step)
{
	if (s->used)
		sentence_add(s, " ", 1);
	sentence_add(s, step->text, strlen(step->text));
	if (*step->command) {
		sentence_add(s, ": '", 3);
		sentence_add(s, step->command, strlen(step->command));
		sentence_add(s, "'.", 2);
	}
}

const char *report_cause(const struct report *report, const struct finding *finding,
			 char buf[MEANING_CAUSE_MAX])
{
	const struct meaning *meaning = meaning_find(finding->id);
	const struct reason *reason = meaning_reason(meaning, finding->reason);
	const char *more = NULL;
	unsigned int systems;
	size_t used;

	*buf = '\0';
	if (!report_needs_care(finding->status))
		return buf;
	if (!reason && steps_is_unexpected(meaning, finding))
		steps_print_unexpected(finding, buf, MEANING_CAUSE_MAX);
	else if (!reason && !steps_is_unknown(meaning, finding))
		meaning_cause(meaning, steps_server_kind(report), buf);
	if (!reason)
		return buf;
	/* The cause of a reason, plus the text for this kind of server. */
	report_expand(report, finding, reason->cause, false, buf, MEANING_CAUSE_MAX);
	systems = steps_systems(report);
	if (systems & SYSTEM_LINUX_SERVER)
		more = reason->linux_cause;
	else if (systems & SYSTEM_GANESHA_SERVER)
		more = reason->ganesha_cause;
	used = strlen(buf);
	if (more)
		snprintf(buf + used, MEANING_CAUSE_MAX - used, " %s", more);
	return buf;
}

const char *report_remedy(const struct report *report, const struct finding *finding,
			  char buf[REPORT_REMEDY_MAX])
{
	const struct meaning *meaning = meaning_find(finding->id);
	struct sentence s = { .buf = buf, .cap = REPORT_REMEDY_MAX };
	struct report_step steps[REPORT_STEPS_MAX];
	unsigned int i, n;

	*buf = '\0';
	if (!report_needs_care(finding->status))
		return buf;
	n = report_steps(report, finding, steps);
	for (i = 0; i < n; i++)
		sentence_add_step(&s, &steps[i]);
	if (!n)
		str_copy(buf, REPORT_REMEDY_MAX,
			 steps_is_unknown(meaning, finding) ? meaning->unknown : meaning->remedy);
	return buf;
}

const char *report_first_step(const struct report *report, const struct finding *finding,
			      char buf[REPORT_STEP_MAX])
{
	const struct reason *reason = meaning_reason(meaning_find(finding->id), finding->reason);
	struct sentence s = { .buf = buf, .cap = REPORT_STEP_MAX };
	struct report_step steps[REPORT_STEPS_MAX];

	*buf = '\0';
	/* A step for another system would not help. */
	if (!reason || (reason->steps->systems && !report->systems))
		return buf;
	if (report_steps(report, finding, steps))
		sentence_add_step(&s, &steps[0]);
	return buf;
}

const char *const *report_see(const struct finding *finding)
{
	const struct meaning *meaning = meaning_find(finding->id);
	const struct reason *reason = meaning_reason(meaning, finding->reason);

	return reason ? reason->see : meaning->see;
}

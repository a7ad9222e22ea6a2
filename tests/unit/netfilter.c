/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which program is queried about a packet: nft first, firewalld if the user cannot run nft, none
 * if the kernel has no filter; an unknown answer is never accept. */
#include <netinet/in.h>

#include "plugin/checks/internal.h"
#include "tests/unit/host-tree.h"

#define IN(policy)                                                                             \
	"{\"chain\":{\"family\":\"inet\",\"table\":\"t\",\"name\":\"in\",\"type\":\"filter\"," \
	"\"hook\":\"input\",\"prio\":0,\"policy\":\"" policy "\"}}"
#define FROM(address)                                                                                 \
	"{\"rule\":{\"family\":\"inet\",\"table\":\"t\",\"chain\":\"in\",\"handle\":2,\"expr\":["     \
	"{\"match\":{\"op\":\"==\",\"left\":{\"payload\":{\"protocol\":\"ip\",\"field\":\"saddr\"}}," \
	"\"right\":\"" address "\"}},{\"accept\":null}]}}"
#define RULES(...) "{\"nftables\":[" __VA_ARGS__ "]}"

/* --- a fake system ---------------------------------------------------------------------- */

static const char *ruleset; /* NULL: only root can list it */
static struct host_firewalld zone;
static int nft_rc, zone_rc;
static unsigned int nft_asked, zone_asked;

static int fake_nftables(const struct host *host, struct host_text *json)
{
	(void)host;
	nft_asked++;
	if (!ruleset)
		return err_set(-nft_rc, "only root may list the firewall's rules");
	json->text = strdup(ruleset);
	json->len = strlen(ruleset);
	return 0;
}

static int fake_firewalld(const struct host *host, const char *netdev, struct host_firewalld *out)
{
	(void)host;
	(void)netdev;
	zone_asked++;
	*out = zone;
	return zone_rc ? err_set(-zone_rc, "not for you") : 0;
}

static const struct live_ops fake = { .nftables = fake_nftables, .firewalld = fake_firewalld };

/* --- queries ------------------------------------------------------------------------------ */

struct asking {
	struct tree tree;
	struct check_target target;
	struct check_run run;
};

/* A host whose modules are unknown, so any may be built in. */
static void begin(struct asking *asking, const char *rules)
{
	memset(asking, 0, sizeof(*asking));
	tree_new(&asking->tree);
	tree_write(&asking->tree, "proc/sys/kernel/osrelease", "6.1.0-test\n");
	asking->run.host = asking->tree.host;
	asking->run.live = &fake;
	asking->run.target = &asking->target;
	asking->run.facts = facts_new();
	asking->run.deadline = deadline_in(PATIENCE_MS);
	ruleset = rules;
	zone = (struct host_firewalld){ .running = true, .zone = "public", .target = "default" };
	nft_rc = -EPERM;
	zone_rc = 0;
	nft_asked = zone_asked = 0;
}

static void end(struct asking *asking)
{
	finding_fini(&asking->run.finding);
	facts_free_p(&asking->run.facts);
	tree_free(&asking->tree);
}

static struct firewall_packet packet(int family)
{
	struct packet_path path = { .netdev = "eth0" };
	struct firewall_packet out;

	path.near.addr.ss_family = path.far.addr.ss_family = (sa_family_t)family;
	path.near.len = path.far.len = family == AF_INET6 ? sizeof(struct sockaddr_in6)
							  : sizeof(struct sockaddr_in);
	packet_path_packet(&path, (struct packet_kind){ IPPROTO_UDP, .in = true }, 4791, &out);
	return out;
}

static int ask(struct asking *asking, struct netfilter_answer *out)
{
	struct firewall_packet asked = packet(AF_INET);

	return netfilter_ask(&asking->run, &asked, out);
}

static void expect(struct asking *asking, enum firewall_answer want, const char *why,
		   const char *command)
{
	struct netfilter_answer got;
	int rc = ask(asking, &got);

	CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT_EQUAL(got.answer, want);
	ASSERT_CONTAINS(got.why, why);
	ASSERT_CONTAINS(got.command, command);
}

static void rules_are_listed_once_for_all_packets(void)
{
	struct asking asking;

	begin(&asking, RULES(IN("drop")));
	expect(&asking, FIREWALL_DROP, "policy drop", "nft insert rule inet t in ");
	expect(&asking, FIREWALL_DROP, "policy drop", "nft insert rule inet t in ");
	CU_ASSERT_EQUAL(nft_asked, 1);
	/* For the command: which zone the device has. */
	CU_ASSERT_EQUAL(zone_asked, 1);
	end(&asking);
}

static void without_a_kernel_filter_nothing_is_queried(void)
{
	struct netfilter_answer got;
	struct asking asking;

	begin(&asking, RULES(IN("drop")));
	tree_free(&asking.tree);
	tree_machine(&asking.tree, "rxe-ubuntu2204");
	asking.run.host = asking.tree.host;
	CU_ASSERT_EQUAL(ask(&asking, &got), 0);
	CU_ASSERT_EQUAL(got.answer, FIREWALL_ACCEPT);
	ASSERT_CONTAINS(got.why, "no packet filter is loaded");
	CU_ASSERT_EQUAL(nft_asked + zone_asked, 0);
	end(&asking);
}

static void users_other_than_root_query_firewalld(void)
{
	struct netfilter_answer got;
	struct asking asking;

	begin(&asking, NULL);
	expect(&asking, FIREWALL_DROP, "zone public",
	       "firewall-cmd --zone=public --add-port=4791/udp");
	CU_ASSERT_EQUAL(zone_asked, 1);
	end(&asking);
	begin(&asking, NULL);
	zone.nports = 1;
	zone.ports[0] = (struct host_firewalld_port){ 4791, 4791, IPPROTO_UDP, false };
	CU_ASSERT_EQUAL(ask(&asking, &got), 0);
	CU_ASSERT_EQUAL(got.answer, FIREWALL_ACCEPT);
	CU_ASSERT(got.by_zone);
	end(&asking);
}

static void no_answer_is_an_error_with_a_message(void)
{
	static const struct {
		int rc;
		const char *reason;
	} rows[] = { { -ENOENT, "no-nft" },
		     { -EIO, "nft-failed" },
		     { -EFBIG, "too-large" },
		     { -EPERM, "" } };
	size_t i;
	struct netfilter_answer got;
	struct asking asking;

	begin(&asking, NULL);
	zone.running = false;
	CU_ASSERT_EQUAL(ask(&asking, &got), -EPERM);
	ASSERT_CONTAINS(err_text(), "only root");
	end(&asking);
	begin(&asking, NULL);
	zone_rc = -EACCES;
	CU_ASSERT_EQUAL(ask(&asking, &got), -EPERM);
	CU_ASSERT_EQUAL(ask(&asking, &got), -EPERM);
	CU_ASSERT_EQUAL(zone_asked, 1);
	end(&asking);
	begin(&asking, "{");
	CU_ASSERT_EQUAL(ask(&asking, &got), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(err_reason(), "nft-failed");
	end(&asking);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].reason);
		begin(&asking, NULL);
		zone.running = false;
		nft_rc = rows[i].rc;
		CU_ASSERT_EQUAL(ask(&asking, &got), nft_rc);
		CU_ASSERT_STRING_EQUAL(err_reason(), rows[i].reason);
		end(&asking);
	}
	begin(&asking, RULES(IN("drop")));
	asking.run.deadline = 0;
	CU_ASSERT_EQUAL(ask(&asking, &got), -ETIMEDOUT);
	end(&asking);
}

static void rules_that_nft_does_not_list_are_unknown(void)
{
	struct netfilter_answer got;
	struct asking asking;

	begin(&asking, RULES(""));
	tree_write(&asking.tree, "proc/net/ip_tables_names", "nat\nfilter\n");
	tree_write(&asking.tree, "proc/net/ip6_tables_names", "filter\nraw\n");
	expect(&asking, FIREWALL_UNKNOWN, "iptables-legacy has a table filter, raw", "");
	end(&asking);
	/* A drop by nft is final regardless of the legacy tables. */
	begin(&asking, RULES(IN("drop")));
	tree_write(&asking.tree, "proc/net/ip_tables_names", "filter\n");
	expect(&asking, FIREWALL_DROP, "policy drop", "nft");
	end(&asking);
	/* Rules of nat drop nothing. */
	begin(&asking, RULES(""));
	tree_write(&asking.tree, "proc/net/ip_tables_names", "nat\n");
	expect(&asking, FIREWALL_ACCEPT, "", "");
	end(&asking);
	begin(&asking, RULES(""));
	tree_fifo(&asking.tree, "proc/net/ip_tables_names");
	CU_ASSERT_EQUAL(ask(&asking, &got), 0);
	CU_ASSERT_EQUAL(got.answer, FIREWALL_UNKNOWN);
	end(&asking);
}

static void rules_for_some_peers_accept_only_those(void)
{
	struct netfilter_answer got;
	struct firewall_packet asked = packet(AF_INET);
	struct asking asking;

	begin(&asking, RULES(IN("drop") "," FROM("192.0.2.7")));
	CU_ASSERT_EQUAL(ask(&asking, &got), 0);
	CU_ASSERT_EQUAL(got.answer, FIREWALL_ACCEPT);
	CU_ASSERT(got.for_some);
	/* For a known peer the rules for other peers do not matter. */
	((struct sockaddr_in *)&asked.source.addr)->sin_addr.s_addr = htonl(0xc0000201);
	CU_ASSERT_EQUAL(netfilter_ask(&asking.run, &asked, &got), 0);
	CU_ASSERT_EQUAL(got.answer, FIREWALL_DROP);
	end(&asking);
	/* The host's own neighbour needs no remark. */
	begin(&asking, RULES(IN("drop") "," FROM("192.0.2.3")));
	asked = packet(AF_INET);
	((struct sockaddr_in *)&asked.destination.addr)->sin_addr.s_addr = htonl(0xc0000202);
	CU_ASSERT_EQUAL(netfilter_ask(&asking.run, &asked, &got), 0);
	CU_ASSERT_EQUAL(got.answer, FIREWALL_ACCEPT);
	CU_ASSERT_FALSE(got.for_some);
	end(&asking);
}

static void common_parts_of_packets_are_printed_once(void)
{
	struct netfilter_tally tally = { .by_zone = false };
	struct firewall_packet v4 = packet(AF_INET), v6 = packet(AF_INET6);
	char text[FINDING_SUMMARY_MAX];
	enum firewall_answer answer;
	struct asking asking;

	begin(&asking, RULES(IN("drop")));
	CU_ASSERT_STRING_EQUAL(netfilter_text(&tally, text), "");
	CU_ASSERT_EQUAL(netfilter_count(&asking.run, &tally, "rxe0", &v4, &answer), 0);
	CU_ASSERT_EQUAL(netfilter_count(&asking.run, &tally, "rxe0", &v6, &answer), 0);
	CU_ASSERT_EQUAL(answer, FIREWALL_DROP);
	zone_rc = -EACCES;
	CU_ASSERT_STRING_EQUAL(
		netfilter_text(&tally, text),
		"dropped: rxe0, UDP to port 4791 arriving on eth0 (policy drop of chain in, table inet t)");
	netfilter_explain(&asking.run, &tally);
	CU_ASSERT_STRING_EQUAL(asking.run.finding.reason, "nftables");
	CU_ASSERT_STRING_EQUAL(finding_evidence(&asking.run.finding, "open"),
			       "nft insert rule inet t in iifname eth0 udp dport 4791 accept");
	end(&asking);
}

/* The ports of one zone are one command. */
static void firewalld_opens_several_ports_at_once(void)
{
	static const uint16_t ports[] = { 4791, 111, 4791 };
	struct netfilter_tally tally = { .by_zone = false };
	enum firewall_answer answer;
	struct asking asking;
	size_t i;

	begin(&asking, NULL);
	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		struct firewall_packet asked = packet(AF_INET);

		transport_set_port(&asked.destination, ports[i]);
		CU_ASSERT_EQUAL(netfilter_count(&asking.run, &tally, "x", &asked, &answer), 0);
	}
	netfilter_explain(&asking.run, &tally);
	CU_ASSERT_STRING_EQUAL(finding_evidence(&asking.run.finding, "open"),
			       "firewall-cmd --zone=public --add-port=4791/udp --add-port=111/udp");
	CU_ASSERT_STRING_EQUAL(
		finding_evidence(&asking.run.finding, "keep"),
		"firewall-cmd --permanent --zone=public --add-port=4791/udp --add-port=111/udp");
	end(&asking);
}

static void commands_are_never_truncated(void)
{
	struct netfilter_tally tally = { .by_zone = false };
	char text[FINDING_SUMMARY_MAX];
	struct check_run run = { .host = NULL };
	unsigned int i;

	tally.owner = NETFILTER_NFTABLES;
	for (i = 0; i < 40; i++) {
		words_add(&tally.dropped, "something long that is dropped, number %u", i);
		words_add(&tally.unknown, "something long that is not known, number %u", i);
		words_add(&tally.open, "nft insert rule number %u", i);
	}
	netfilter_text(&tally, text);
	ASSERT_LESS(strlen(text), sizeof(text));
	ASSERT_CONTAINS(text, "dropped: something");
	netfilter_explain(&run, &tally);
	CU_ASSERT_STRING_EQUAL(finding_evidence(&run.finding, "open"), "");
	CU_ASSERT_STRING_EQUAL(run.finding.reason, "rule");
	finding_fini(&run.finding);
}

/* --- packets ---------------------------------------------------------------------------------- */

static void a_connection_has_packets_of_four_kinds(void)
{
	static const struct {
		bool in, reply;
		enum firewall_hook hook;
		uint16_t sport, dport;
	} rows[] = {
		{ false, false, FIREWALL_OUTPUT, 0, 20049 },
		{ false, true, FIREWALL_INPUT, 20049, 0 },
		{ true, false, FIREWALL_INPUT, 0, 20049 },
		{ true, true, FIREWALL_OUTPUT, 20049, 0 },
	};
	struct packet_path path = { .netdev = "eth0", .bridge = true };
	struct firewall_packet got;
	size_t i;

	path.near.addr.ss_family = path.far.addr.ss_family = AF_INET;
	path.near.len = path.far.len = sizeof(struct sockaddr_in);
	((struct sockaddr_in *)&path.far.addr)->sin_addr.s_addr = htonl(0xc0000201);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		packet_path_packet(&path,
				   (struct packet_kind){ IPPROTO_TCP, rows[i].in, rows[i].reply },
				   20049, &got);
		CU_ASSERT_EQUAL(got.hook, rows[i].hook);
		CU_ASSERT_EQUAL(transport_port(&got.source), rows[i].sport);
		CU_ASSERT_EQUAL(transport_port(&got.destination), rows[i].dport);
		CU_ASSERT_EQUAL(got.established, rows[i].reply);
		CU_ASSERT(got.bridge);
		CU_ASSERT_EQUAL(
			((struct sockaddr_in *)(got.hook == FIREWALL_INPUT ? &got.source.addr
									   : &got.destination.addr))
				->sin_addr.s_addr,
			htonl(0xc0000201));
	}
}

SUITE_MAIN("netfilter", TEST(rules_are_listed_once_for_all_packets),
	   TEST(without_a_kernel_filter_nothing_is_queried),
	   TEST(users_other_than_root_query_firewalld), TEST(no_answer_is_an_error_with_a_message),
	   TEST(rules_that_nft_does_not_list_are_unknown),
	   TEST(rules_for_some_peers_accept_only_those),
	   TEST(common_parts_of_packets_are_printed_once),
	   TEST(firewalld_opens_several_ports_at_once), TEST(commands_are_never_truncated),
	   TEST(a_connection_has_packets_of_four_kinds))

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which lines of the kernel's log matter here, and their list. Pure. */
#include <ctype.h>

#include "plugin/live/internal.h"

/* What is logged begins with, or has behind a blank, the name of a module or of a driver. */
static const struct {
	const char *word;
	const char *rdma; /* whose defect it can be; NULL: NFS or RPC without RDMA, too */
	bool ethernet;    /* of adapters that also do without RDMA */
} log_words[] = {
	{ "rpcrdma", "client", false },
	{ "xprtrdma", "client", false },
	{ "svcrdma", "server", false },
	{ "svc_rdma", "server", false },
	{ "RPC/RDMA", "client", false },
	{ "nfs", NULL, false },
	{ "nfsd", NULL, false },
	{ "NFS", NULL, false },
	{ "NFSD", NULL, false },
	{ "NFSv4", NULL, false },
	{ "RPC", NULL, false },
	{ "svc", NULL, false },
	{ "lockd", NULL, false },
	{ "sunrpc", NULL, false },
	{ "rdma", "device", true },
	{ "RDMA", "device", true },
	{ "iw_cm", "device", false },
	{ "ib_core", "device", false },
	{ "ib_cm", "device", false },
	{ "ib_uverbs", "device", false },
	{ "ib_ipoib", "device", false },
	{ "ib", "device", false },
	{ "infiniband", "device", false },
	{ "siw", "device", false },
	{ "rxe", "device", false },
	{ "mlx4_core", "device", true },
	{ "mlx4_ib", "device", false },
	{ "mlx5_core", "device", true },
	{ "mlx5_ib", "device", false },
	{ "irdma", "device", false },
	{ "ice", "device", true },
	{ "bnxt_re", "device", false },
	{ "bnxt_en", "device", true },
	{ "iw_cxgb4", "device", false },
	{ "cxgb4", "device", true },
	{ "qed", "device", true },
	{ "qedr", "device", false },
	{ "hns3", "device", true },
	{ "hns_roce", "device", false },
	{ "hfi1", "device", false },
	{ "efa", "device", true },
	{ "erdma", "device", false },
	{ "mana_ib", "device", false },
	{ "ocrdma", "device", false },
	{ "vmw_pvrdma", "device", false },
	{ "usnic_verbs", "device", false },
	/* bare messages of the transport and the connection manager, which name only a device */
	{ "Listener dead", NULL, false },
	{ "__ib_cache_gid_add", NULL, false },
};

/* A word, or one with a number or the rest of a function's name: "siw0", "rpcrdma_qp_event". */
static bool log_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = strstr(text, word); at; at = strstr(at + 1, word)) {
		const char *end = at + len;

		while (isdigit((unsigned char)*end))
			end++;
		if ((at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
		    !isalnum((unsigned char)*end))
			return true;
	}
	return false;
}

bool live_log_concerns(const char *text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(log_words); i++)
		if (log_has_word(text, log_words[i].word))
			return true;
	return false;
}

const char *live_log_rdma(const char *text, bool *ethernet)
{
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(log_words); i++) {
		len = strlen(log_words[i].word);
		if (!log_words[i].rdma || strncmp(text, log_words[i].word, len) != 0 ||
		    isalpha((unsigned char)text[len]) || text[len] == '_')
			continue;
		*ethernet = log_words[i].ethernet;
		return log_words[i].rdma;
	}
	return NULL;
}

void live_log_fini(struct live_log *log)
{
	free(log->list);
	*log = (struct live_log){ 0 };
}

int live_log_add(struct live_log *log, int64_t age, unsigned int level, const char *text)
{
	struct live_log_line *line;

	if (!log->list)
		log->list = calloc(LIVE_LOG_LINES, sizeof(*log->list));
	if (!log->list)
		return err_no_memory();
	/* A quarter at a time: a log may have very many lines. */
	if (log->count == LIVE_LOG_LINES) {
		log->count -= LIVE_LOG_LINES / 4;
		memmove(log->list, log->list + LIVE_LOG_LINES / 4, log->count * sizeof(*log->list));
	}
	line = &log->list[log->count++];
	line->age = age;
	line->level = level;
	text_copy(line->text, sizeof(line->text), text);
	finding_clean(line->text);
	return 0;
}

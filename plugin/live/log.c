/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which lines of the kernel's log matter here, and their list. Pure. */
#include <ctype.h>

#include "plugin/live/internal.h"

/* What is logged begins with, or has behind a blank, the name of a module or of a driver. */
static const struct {
	const char *word;
	const char *rdma; /* whose defect it can be; NULL: NFS or RPC without RDMA, too */
} log_words[] = {
	{ "rpcrdma", "client" },
	{ "xprtrdma", "client" },
	{ "svcrdma", "server" },
	{ "svc_rdma", "server" },
	{ "RPC/RDMA", "client" },
	{ "nfs", NULL },
	{ "nfsd", NULL },
	{ "NFS", NULL },
	{ "NFSD", NULL },
	{ "NFSv4", NULL },
	{ "RPC", NULL },
	{ "svc", NULL },
	{ "lockd", NULL },
	{ "sunrpc", NULL },
	{ "rdma", "device" },
	{ "RDMA", "device" },
	{ "rdma_cm", "device" },
	{ "rdma_rxe", "device" },
	{ "rdma_ucm", "device" },
	{ "iw_cm", "device" },
	{ "ib_core", "device" },
	{ "ib_cm", "device" },
	{ "ib_uverbs", "device" },
	{ "ib_ipoib", "device" },
	{ "infiniband", "device" },
	{ "siw", "device" },
	{ "rxe", "device" },
	{ "mlx4_core", "device" },
	{ "mlx4_ib", "device" },
	{ "mlx5_core", "device" },
	{ "mlx5_ib", "device" },
	{ "irdma", "device" },
	{ "bnxt_re", "device" },
	{ "iw_cxgb4", "device" },
	{ "cxgb4", "device" },
	{ "qedr", "device" },
	{ "hns_roce", "device" },
	{ "hfi1", "device" },
	{ "efa", "device" },
	{ "erdma", "device" },
	{ "mana_ib", "device" },
	{ "ocrdma", "device" },
	{ "vmw_pvrdma", "device" },
	{ "usnic_verbs", "device" },
};

/* A word, or one with a number: "siw0", "mlx5_0" is not of mlx5_core. */
static bool log_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = strstr(text, word); at; at = strstr(at + 1, word)) {
		const char *end = at + len;

		while (isdigit((unsigned char)*end))
			end++;
		if ((at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
		    !isalnum((unsigned char)*end) && *end != '_')
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

const char *live_log_rdma(const char *text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(log_words); i++)
		if (log_words[i].rdma && log_has_word(text, log_words[i].word))
			return log_words[i].rdma;
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
	if (log->count == LIVE_LOG_LINES) {
		log->count--;
		memmove(log->list, log->list + 1, log->count * sizeof(*log->list));
	}
	line = &log->list[log->count++];
	line->age = age;
	line->level = level;
	text_copy(line->text, sizeof(line->text), text);
	finding_clean(line->text);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a worker can say: each of its findings, with its reasons and the names of its evidence. A
 * peer that has compromised the worker chooses the values, but not what the report advises: texts
 * of other findings, or of other circumstances, name other commands.
 *
 * The worker leaves out what is not in here, so that a row that lacks a word costs that word; the
 * parent refuses it. tests/unit/vocabulary.c compares the rows with the sources and with the
 * texts of the findings. */
#include "rpcrdma/probe/internal.h"

/* Words separated by blanks; "tcp_*" is any that begins so. Not in here: what the parent itself
 * says (probe.address, probe.worker, probe.session.left). */
#define VOCABULARY_BENCH                                                              \
	"baseline crc depth load_average mb_per_s_* noisy operations_per_sample "     \
	"pairs per_s_* processor_s_per_gb processors ratio_to_tcp ratios read_bytes " \
	"write_bytes "                                                                \
	"tcp_* us_*"

static const struct vocabulary_row vocabulary_rows[] = {
	{ "probe.route",
	  "no-device no-provider no-rdma-ucm permission port-down "
	  "not-rdma unresolved no-path unknown-device other-device "
	  "no-address bind",
	  "address device error port transport" },
	{ "probe.connect",
	  "refused no-device-here silent unreachable no-route forbidden bind not-mpa "
	  "mpa-silent mpa-version closed not-listening rejected "
	  "fabric-silent unresolved no-path port-down device-removed "
	  "memlock capture",
	  "address crc error mpa_revision tries" },
	{ "probe.private-data", "", "call_inline remote_invalidation reply_inline" },
	{ "probe.null",
	  "silent closed no-nfs rdma-error malformed rpc-error no-reply "
	  "local",
	  "answered asked best_ms program_version tries" },
	{ "probe.versions", "not-offered none silent denied some-denied",
	  "3 4.0 4.1 4.2 offered requested silent used" },
	{ "probe.session",
	  "grace busy status denied kerberos rpc-error no-reply "
	  "rdma-error malformed local",
	  "lower_version_because owner owner_gid owner_uid "
	  "response_size slots" },
	{ "probe.credits", "zero", "asked granted zero_grants" },
	{ "probe.mount",
	  "no-export not-exported unprivileged-port kerberos rpcbind "
	  "no-mountd mountd mountd-reply mountd-error not-found symlink "
	  "denied stale grace busy status no-reply rdma-error rpc-error "
	  "malformed",
	  "lower_version_because mount_port owner_gid owner_uid port "
	  "reserved_port" },
	{ "probe.root",
	  "not-found moved denied kerberos symlink stale grace busy status "
	  "no-reply rdma-error rpc-error malformed",
	  "lower_version_because owner owner_gid owner_uid "
	  "response_size slots" },
	{ "probe.identity", "", "candidates gid over_4gib size uid" },
	{ "probe.fsinfo",
	  "zero denied grace busy stale status no-reply rdma-error "
	  "malformed",
	  "lease_seconds rtmax rtpref tried" },
	{ "probe.file",
	  "denied no-file large-tree empty not-regular grace busy stale "
	  "status no-reply rdma-error malformed",
	  "candidates gid over_4gib size uid" },
	{ "probe.server", "",
	  "credits handle implementation kind largest_read perhaps "
	  "preferred_read private_data reply_inline scope server "
	  "versions" },
	{ "probe.changing", "every-file",
	  "answered_inline bytes ended inline largest_right rate_below "
	  "reads reply_chunk seconds seed server_largest write_chunk "
	  "wrong" },
	{ "probe.reference", "died", "" },
	{ "probe.read.inline",
	  "padding unaligned at-the-end above-4-gib other-file other-offset wrong-data short error closed no-reply "
	  "malformed time changing busy server-gone device gave-up not-tried",
	  "answered_inline bytes damage example example_* failed "
	  "failures in_flight largest_right late looked_at mechanisms "
	  "of ranges ranges_failing ranges_proven right smallest_failed "
	  "smallest_failing writes_to_released_memory wrong "
	  "wrong_over_tcp" },
	{ "probe.read.write-chunk",
	  "wrong-data not-written late-data short outside padding at-the-end above-4-gib other-file other-offset error "
	  "closed no-reply malformed time changing busy server-gone "
	  "device gave-up not-tried",
	  "answered_inline bytes damage example example_* failed "
	  "failures in_flight largest_right late looked_at mechanisms "
	  "of ranges ranges_failing ranges_proven right smallest_failed "
	  "smallest_failing writes_to_released_memory wrong "
	  "wrong_over_tcp" },
	{ "probe.read.reply-chunk",
	  "wrong-data short padding unaligned at-the-end above-4-gib other-file other-offset outside error closed "
	  "no-reply malformed time changing busy server-gone device gave-up "
	  "not-tried",
	  "answered_inline bytes damage example example_* failed "
	  "failures in_flight largest_right late looked_at mechanisms "
	  "of ranges ranges_failing ranges_proven right smallest_failed "
	  "smallest_failing writes_to_released_memory wrong "
	  "wrong_over_tcp" },
	{ "probe.read.write-chunk.pad", "padded",
	  "answered_inline bytes damage example example_* failed "
	  "failures in_flight largest_right late looked_at mechanisms "
	  "of ranges ranges_failing ranges_proven right smallest_failed "
	  "smallest_failing writes_to_released_memory wrong "
	  "wrong_over_tcp" },
	{ "probe.read.write-chunk.lengths", "wrong-lengths short-lengths",
	  "answered_inline bytes damage example example_* failed "
	  "failures in_flight largest_right late looked_at mechanisms "
	  "of ranges ranges_failing ranges_proven right smallest_failed "
	  "smallest_failing writes_to_released_memory wrong "
	  "wrong_over_tcp" },
	{ "probe.read.write-chunk.unused", "data-inline",
	  "answered_inline bytes damage example example_* failed "
	  "failures in_flight largest_right late looked_at mechanisms "
	  "of ranges ranges_failing ranges_proven right smallest_failed "
	  "smallest_failing writes_to_released_memory wrong "
	  "wrong_over_tcp" },
	{ "probe.read.write-chunk.tail", "not-written", "example right wrong" },
	{ "probe.read.write-chunk.order", "late-data released-memory",
	  "example late writes_to_released_memory" },
	{ "probe.read.write-chunk.segments", "every-time errors",
	  "answered_inline bytes damage example example_* failed "
	  "failures in_flight largest_right late looked_at mechanisms "
	  "of ranges ranges_failing ranges_proven right smallest_failed "
	  "smallest_failing writes_to_released_memory wrong "
	  "wrong_over_tcp" },
	{ "probe.read.write-chunk.alignment", "every-time errors",
	  "answered_inline bytes damage example example_* failed "
	  "failures in_flight largest_right late looked_at mechanisms "
	  "of ranges ranges_failing ranges_proven right smallest_failed "
	  "smallest_failing writes_to_released_memory wrong "
	  "wrong_over_tcp" },
	{ "probe.read.write-chunk.placement", "above-a-page",
	  "answered_inline bytes example_* failed failures "
	  "largest_right right smallest_failed" },
	{ "probe.read.intermittent",
	  "single-bits whole-pages bytes not-written other-file malformed errors several-ways",
	  "damage example mechanisms of wrong" },
	{ "probe.read.random", "",
	  "answered_inline bytes ended inline rate_below reads "
	  "reply_chunk seconds seed write_chunk wrong" },
	{ "probe.read.eof", "early missing", "example looked_at wrong" },
	{ "probe.read.attributes", "size fileid", "example looked_at wrong" },
	{ "probe.read.over-tcp", "nfs size error too-large beyond-the-end short early-end",
	  "example largest_right length offset rsize wrong" },
	{ "probe.read.profiles", "above-change-over", "not_tried right wrong" },
	{ "probe.read.compound",
	  "after-the-data read inline-too over-tcp second-read time busy "
	  "server-gone device not-tried",
	  "answered_inline example failed largest_right right "
	  "unknown_over_tcp wrong_over_tcp" },
	{ "probe.read.withheld", "ganesha",
	  "empty_reads followed_reads long_reads reply_chunk_reads" },
	{ "probe.read.largest", "", "largest_right server_largest" },
	{ "probe.readdir", "differs error no-reply busy grace local time",
	  "entries reply_chunk_bytes reply_chunks_unused" },
	{ "probe.scratch",
	  "read-only denied no-space exists not-found not-directory grace busy local failed",
	  "bytes_written path" },
	{ "probe.scratch.left", "no-answer refused another-file mount earlier", "path" },
	{ "probe.write",
	  "pad neighbour tail not-stored zeros repeated-page moved earlier-data late-read wrong-data "
	  "size short status rpc-error rdma-error malformed count closed no-reply segments in-flight "
	  "no-space read-only busy denied time not-tried",
	  "inline_right inline_wrong read_chunk_right read_chunk_wrong long_call_right "
	  "long_call_wrong long_chunk_right long_chunk_wrong in_flight random largest_right "
	  "bytes_written example" },
	{ "probe.write.intermittent", "data errors", "failed example" },
	{ "probe.write.over-tcp", "nfs", "failed example" },
	{ "probe.write.commit", "error verifier lost", "commits" },
	{ "probe.call-by-chunk", "no-reply closed refused", "" },
	{ "probe.readlink", "wrong-text", "links longest reply_chunks_unused" },
	{ "probe.readlink.write-chunk", "inline wrong-text", "links longest reply_chunks_unused" },
	{ "probe.read.in-flight", "wrong-data error malformed closed no-reply",
	  "example of right_alone wrong" },
	{ "probe.second-connection", "wrong-data error malformed closed no-reply",
	  "example right wrong" },
	{ "probe.device", "removed", "beside_write_chunk_reads count example" },
	{ "probe.slow", "time late", "late not_tried null_ms slowest slowest_ms" },
	{ "probe.server-gone", "gone restarted", "client request why" },
	{ "probe.reply.xid", "other-xid twice", "beside_write_chunk_reads count example" },
	{ "probe.reply.lost", "path no-reply", "beside_write_chunk_reads count example" },
	{ "probe.reply.error", "at-times every-time mixed", "errors example lasting of recovered" },
	{ "probe.connection", "closed no-new-connection",
	  "beside_write_chunk_reads count example" },
	{ "probe.transport", "checksum foreign-memory terminated frame",
	  "beside_write_chunk_reads count example" },
	{ "probe.session.kept", "forgotten", "forgotten made" },
	{ "bug.write-chunk-read", "corrupt other-file unanswered failing small-file",
	  "example_* failures largest_right ranges ranges_failing "
	  "ranges_proven smallest_failing" },
	{ "bug.linux3-write", "four-marks three-marks",
	  "credits pads_written private_data "
	  "unused_chunks_without_segments" },
	{ "bug.linux3-inline-head", "seen", "reads" },
	{ "bug.linux3-page-base", "seen", "reads" },
	{ "bug.linux3-pad-segment", "seen", "reads" },
	{ "bench.null", "wrong time not-measured", VOCABULARY_BENCH },
	{ "bench.read.4k-1", "wrong error not-tried time not-measured", VOCABULARY_BENCH },
	{ "bench.read.4k-32", "wrong error not-tried time not-measured", VOCABULARY_BENCH },
	{ "bench.read.1m-1", "wrong error not-tried time not-measured", VOCABULARY_BENCH },
	{ "bench.read.1m-8", "wrong error not-tried time no-export not-measured",
	  VOCABULARY_BENCH },
	{ "bench.write.4k-1", "wrong error short not-tried time not-measured", VOCABULARY_BENCH },
	{ "bench.write.4k-32", "wrong error short not-tried time not-measured", VOCABULARY_BENCH },
	{ "bench.write.1m-1", "wrong error short not-tried time not-measured", VOCABULARY_BENCH },
	{ "bench.write.1m-8", "wrong error short not-tried time not-measured", VOCABULARY_BENCH },
};

/* Subjects of the report that the worker learns from the server. */
static const char vocabulary_subjects[] = "export file nfs_version transport";

static bool vocabulary_has(const char *words, const char *word)
{
	size_t len = strlen(word), n;

	for (; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n && words[n - 1] == '*' && len >= n && !strncmp(words, word, n - 1))
			return true;
		if (n == len && !strncmp(words, word, n))
			return true;
	}
	return false;
}

const struct vocabulary_row *vocabulary_row(size_t i)
{
	return i < ARRAY_SIZE(vocabulary_rows) ? &vocabulary_rows[i] : NULL;
}

static const struct vocabulary_row *vocabulary_find(const char *id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vocabulary_rows); i++)
		if (!strcmp(vocabulary_rows[i].id, id))
			return &vocabulary_rows[i];
	return NULL;
}

bool vocabulary_has_subject(const char *key)
{
	return vocabulary_has(vocabulary_subjects, key);
}

int vocabulary_check(const struct finding *f)
{
	const struct vocabulary_row *row = vocabulary_find(f->id);
	unsigned int i;

	if (!row)
		return err_set(EPROTO, "no worker sends a finding %s", f->id);
	if (*f->reason && !vocabulary_has(row->reasons, f->reason))
		return err_set(EPROTO, "no worker sends %s with the reason %s", f->id, f->reason);
	for (i = 0; i < f->nevidence; i++)
		if (!vocabulary_has(row->keys, f->evidence[i].key))
			return err_set(EPROTO, "no worker sends %s with evidence %s", f->id,
				       f->evidence[i].key);
	return 0;
}

void vocabulary_trim(struct finding *f)
{
	const struct vocabulary_row *row = vocabulary_find(f->id);
	unsigned int i, kept = 0;

	if (!row)
		return;
	if (!vocabulary_has(row->reasons, f->reason))
		finding_reason(f, "");
	for (i = 0; i < f->nevidence; i++)
		if (vocabulary_has(row->keys, f->evidence[i].key))
			f->evidence[kept++] = f->evidence[i];
	f->nevidence = kept;
}

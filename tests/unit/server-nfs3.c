/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The NFSv3 and MOUNT programs: every procedure with valid, truncated and hostile arguments. */
#include "rpcrdma/server/internal.h"
#include "tests/unit/suite.h"

static struct export *shared;
static uint8_t scratch[SERVER_SCRATCH_MAX], reply_buf[SERVER_REPLY_MAX];
static struct call call;
static struct reader results;
static struct rpc_reply reply;

/* Arguments as an encoder builds them. */
static uint8_t args_buf[64 * 1024];
static struct writer args;

static struct writer *start(void)
{
	writer_init(&args, args_buf, sizeof(args_buf));
	return &args;
}

/* From exactly the given bytes, so that a sanitizer detects a read past the end. */
static int run_bytes(uint32_t prog, uint32_t vers, uint32_t proc, const void *bytes, size_t len)
{
	const struct rpc_call rpc = { .xid = 9, .prog = prog, .vers = vers, .proc = proc };
	uint8_t *message = malloc(40 + len);
	struct writer w;
	int rc;

	writer_init(&w, message, 40 + len);
	rpc_call_encode(&w, &rpc);
	writer_bytes(&w, bytes, len);
	memset(&call, 0, sizeof(call));
	reader_init(&call.args, message, w.len);
	call.exp = shared;
	call.scratch = scratch;
	call.rtmax = SERVER_READ_MAX;
	call.room = SERVER_REPLY_MAX;
	writer_init(&call.reply, reply_buf, sizeof(reply_buf));
	rc = dispatch_call(&call, dispatch_tcp);
	free(message);
	reader_init(&results, call.reply.base, call.reply.len);
	return rc ? rc : rpc_reply_decode(&reply, &results);
}

static int run(uint32_t proc)
{
	return run_bytes(NFS_PROGRAM_NUMBER, 3, proc, args.base, args.len);
}

static void put_handle(const char *name)
{
	struct nfs_fh root, fh;

	shared->ops->root(shared, &root);
	fh = root;
	if (*name)
		CU_ASSERT_EQUAL(shared->ops->lookup(shared, &root, name, &fh), 0);
	writer_opaque(&args, fh.data, fh.len);
}

static void put_name(const char *name)
{
	writer_opaque(&args, name, (uint32_t)strlen(name));
}

/* Valid arguments of each procedure; p: 100 further bytes that are not parsed. */
static const char *const shapes[NFS3_PROC_COUNT] = {
	[NFS3_NULL] = "",     [NFS3_GETATTR] = "f",    [NFS3_SETATTR] = "fp",
	[NFS3_LOOKUP] = "dn", [NFS3_ACCESS] = "f4",    [NFS3_READLINK] = "l",
	[NFS3_READ] = "f84",  [NFS3_WRITE] = "fp",     [NFS3_CREATE] = "dnp",
	[NFS3_MKDIR] = "dnp", [NFS3_SYMLINK] = "dnp",  [NFS3_MKNOD] = "dnp",
	[NFS3_REMOVE] = "dn", [NFS3_RMDIR] = "dn",     [NFS3_RENAME] = "dndn",
	[NFS3_LINK] = "fdn",  [NFS3_READDIR] = "dvv4", [NFS3_READDIRPLUS] = "dvv44",
	[NFS3_FSSTAT] = "f",  [NFS3_FSINFO] = "f",     [NFS3_PATHCONF] = "f",
	[NFS3_COMMIT] = "fp",
};

static void put_shape(const char *shape)
{
	static const uint8_t more[100];

	for (start(); *shape; shape++) {
		SUITE_ROW("%s", shape);
		switch (*shape) {
		case 'f': put_handle("data-4096"); break;
		case 'd': put_handle(""); break;
		case 'l': put_handle("link-5"); break;
		case 'n': put_name("data-813"); break;
		case '4': writer_u32(&args, 4096); break;
		case '8': writer_u64(&args, 16); break;
		case 'v': writer_u64(&args, 0); break;
		default: writer_bytes(&args, more, sizeof(more));
		}
	}
}

static bool writes(uint32_t proc)
{
	return nfs3_program.procedures[proc].args;
}

static void every_procedure_answers_good_arguments(void)
{
	uint32_t proc;

	for (proc = 0; proc < NFS3_PROC_COUNT; proc++) {
		SUITE_ROW("proc %u", proc);
		put_shape(shapes[proc]);
		CU_ASSERT_EQUAL(run(proc), 0);
		CU_ASSERT_EQUAL(rpc_reply_check(&reply), 0);
		if (proc)
			CU_ASSERT_EQUAL(reader_u32(&results), writes(proc) ? NFS3_STATUS_ROFS : 0);
	}
}

static void truncated_arguments_are_garbage_at_every_length(void)
{
	uint32_t proc;
	size_t len, need;

	for (proc = 1; proc < NFS3_PROC_COUNT; proc++) {
		SUITE_ROW("proc %u", proc);
		put_shape(shapes[proc]);
		/* the unparsed rest of a write can be missing */
		need = args.len - (strchr(shapes[proc], 'p') ? 100 : 0);
		for (len = 0; len < need; len++) {
			SUITE_ROW("len %zu", len);
			CU_ASSERT_EQUAL(run_bytes(NFS_PROGRAM_NUMBER, 3, proc, args.base, len), 0);
			CU_ASSERT_EQUAL(reply.accept_stat, RPC_GARBAGE_ARGS);
			CU_ASSERT_EQUAL(call.payload_count, 0);
		}
	}
}

static void huge_lengths_are_garbage(void)
{
	static const uint32_t lengths[] = { 65, 0x7fffffff, 0x80000000, 0xfffffffd, 0xffffffff };
	uint32_t proc;
	size_t i;

	for (proc = 1; proc < NFS3_PROC_COUNT; proc++) {
		SUITE_ROW("proc %u", proc);
		put_shape(shapes[proc]);
		for (i = 0; i < ARRAY_SIZE(lengths); i++) {
			SUITE_ROW("%zu: %u", i, lengths[i]);
			put_be32(args.base, lengths[i]);
			CU_ASSERT_EQUAL(run(proc), 0);
			CU_ASSERT_EQUAL(reply.accept_stat, RPC_GARBAGE_ARGS);
		}
	}
}

static void handles_that_are_not_ours_are_refused_everywhere(void)
{
	uint32_t proc, status;

	for (proc = 1; proc < NFS3_PROC_COUNT; proc++) {
		SUITE_ROW("proc %u", proc);
		put_shape(shapes[proc]);
		args.base[4] ^= 1;
		CU_ASSERT_EQUAL(run(proc), 0);
		CU_ASSERT_EQUAL(rpc_reply_check(&reply), 0);
		status = reader_u32(&results);
		CU_ASSERT_EQUAL(status, NFS3_STATUS_BADHANDLE);
		put_shape(shapes[proc]);
		args.base[8] ^= 1;
		CU_ASSERT_EQUAL(run(proc), 0);
		status = reader_u32(&results);
		CU_ASSERT_EQUAL(status, NFS3_STATUS_STALE);
	}
}

static void skip_post_op(void)
{
	if (reader_bool(&results))
		reader_bytes(&results, 84);
}

/* RFC 1813: the body of each failure, to the byte. */
static void refusals_have_the_bodies_of_the_rfc(void)
{
	uint32_t proc;

	for (proc = 1; proc < NFS3_PROC_COUNT; proc++) {
		SUITE_ROW("proc %u", proc);
		if (!writes(proc))
			continue;
		put_shape(shapes[proc]);
		CU_ASSERT_EQUAL(run(proc), 0);
		reader_u32(&results);
		if (proc == NFS3_LINK)
			skip_post_op();
		CU_ASSERT_FALSE(reader_bool(&results));
		skip_post_op();
		if (proc == NFS3_RENAME) {
			CU_ASSERT_FALSE(reader_bool(&results));
			skip_post_op();
		}
		CU_ASSERT_FALSE(results.bad);
		CU_ASSERT_EQUAL(reader_left(&results), 0);
	}
}

static void special_names_are_refused(void)
{
	static const struct {
		const char *name;
		uint32_t len, status;
	} rows[] = {
		{ "", 0, NFS3_STATUS_ACCES },     { "a/b", 3, NFS3_STATUS_ACCES },
		{ "/", 1, NFS3_STATUS_ACCES },    { "a\0b", 3, NFS3_STATUS_ACCES },
		{ "none", 4, NFS3_STATUS_NOENT }, { "..", 2, 0 },
	};
	static const char longest[300] = { 'a', 'a' };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].name);
		start();
		put_handle("");
		writer_opaque(&args, rows[i].name, rows[i].len);
		CU_ASSERT_EQUAL(run(NFS3_LOOKUP), 0);
		CU_ASSERT_EQUAL(reader_u32(&results), rows[i].status);
	}
	start();
	put_handle("");
	writer_opaque(&args, longest, 256);
	CU_ASSERT_EQUAL(run(NFS3_LOOKUP), 0);
	CU_ASSERT_EQUAL(reader_u32(&results), NFS3_STATUS_NAMETOOLONG);
}

static void reads_are_clipped_to_rtmax(void)
{
	struct nfs3_read_res res;

	start();
	put_handle("data-4194304");
	writer_u64(&args, 8);
	writer_u32(&args, 0xffffffff);
	CU_ASSERT_EQUAL(run(NFS3_READ), 0);
	CU_ASSERT_EQUAL(nfs3_res_read(&res, &results, true), 0);
	CU_ASSERT_EQUAL(res.count, SERVER_READ_MAX);
	CU_ASSERT_FALSE(res.eof);
	CU_ASSERT_EQUAL(call.payload_count, 1);
	CU_ASSERT_EQUAL(call.payload[0].len, SERVER_READ_MAX);
	CU_ASSERT_EQUAL(get_be64(call.payload[0].data), 8);
	CU_ASSERT_EQUAL(call.payload[0].at, call.reply.len);
	CU_ASSERT_EQUAL(call.reply.len, 128);
}

static void fsinfo_offers_1_mib(void)
{
	struct nfs3_fsinfo_res res;

	start();
	put_handle("");
	CU_ASSERT_EQUAL(run(NFS3_FSINFO), 0);
	CU_ASSERT_EQUAL(nfs3_res_fsinfo(&res, &results), 0);
	CU_ASSERT_EQUAL(res.rtmax, 1048576);
	CU_ASSERT_EQUAL(res.rtpref, 1048576);
	CU_ASSERT_EQUAL(res.wtmax, SERVER_WRITE_REFUSED);
	CU_ASSERT_EQUAL(reader_left(&results), 0);
}

static void access_grants_only_reading(void)
{
	start();
	put_handle("");
	writer_u32(&args, 0x3f);
	CU_ASSERT_EQUAL(run(NFS3_ACCESS), 0);
	CU_ASSERT_EQUAL(reader_u32(&results), 0);
	skip_post_op();
	CU_ASSERT_EQUAL(reader_u32(&results), 0x23);
	start();
	put_handle("data-1");
	writer_u32(&args, 0x3f);
	CU_ASSERT_EQUAL(run(NFS3_ACCESS), 0);
	CU_ASSERT_EQUAL(reader_u32(&results), 0);
	skip_post_op();
	CU_ASSERT_EQUAL(reader_u32(&results), 0x01);
}

static int count_entry(void *arg, const struct nfs_entry *entry)
{
	unsigned int *count = arg;

	CU_ASSERT_TRUE(entry->has_attr);
	CU_ASSERT_TRUE(entry->has_fh);
	++*count;
	return 0;
}

static void put_readdir(uint64_t cookie, const uint8_t *verf, uint32_t count)
{
	start();
	put_handle("entries-2000");
	writer_u64(&args, cookie);
	writer_bytes(&args, verf, 8);
	writer_u32(&args, 512);
	writer_u32(&args, count);
}

static void readdirplus_continues_where_it_ended(void)
{
	struct nfs3_readdir_res res = { 0 };
	unsigned int count = 0, calls = 0;

	do {
		put_readdir(res.last_cookie, res.cookieverf, 32768);
		CU_ASSERT_EQUAL(run(NFS3_READDIRPLUS), 0);
		ASSERT_AT_MOST(call.reply.len, 24 + 4 + 32768);
		CU_ASSERT_EQUAL(nfs3_res_readdirplus(&res, &results, count_entry, &count), 0);
		CU_ASSERT_EQUAL_FATAL(res.status, 0);
	} while (!res.eof && ++calls < 100);
	CU_ASSERT_EQUAL(count, 2002);
	ASSERT_MORE(calls, 5);
}

static void readdir_respects_the_count(void)
{
	static const uint8_t verf[8];
	uint32_t count;

	for (count = 100; count < 1000; count += 7) {
		SUITE_ROW("count %u", count);
		start();
		put_handle("entries-2000");
		writer_u64(&args, 0);
		writer_bytes(&args, verf, 8);
		writer_u32(&args, count);
		CU_ASSERT_EQUAL(run(NFS3_READDIR), 0);
		ASSERT_AT_MOST(call.reply.len, 24 + 4 + count);
		/* attributes, verifier, one entry named ".", list end */
		CU_ASSERT_EQUAL(reader_u32(&results),
				count < 88 + 8 + 28 + 8 ? NFS3_STATUS_TOOSMALL : 0);
	}
}

static void cookies_without_their_verifier_are_bad(void)
{
	static const uint8_t verf[8] = "another";

	put_readdir(5, verf, 32768);
	CU_ASSERT_EQUAL(run(NFS3_READDIRPLUS), 0);
	CU_ASSERT_EQUAL(reader_u32(&results), NFS3_STATUS_BAD_COOKIE);
	put_readdir(5, shared->verifier, 32768);
	CU_ASSERT_EQUAL(run(NFS3_READDIRPLUS), 0);
	CU_ASSERT_EQUAL(reader_u32(&results), 0);
}

static uint32_t mount_path(const char *path, uint32_t len, struct mount3_mnt_res *res)
{
	start();
	writer_opaque(&args, path, len);
	CU_ASSERT_EQUAL(run_bytes(MOUNT_PROGRAM_NUMBER, 3, MOUNT3_MNT, args.base, args.len), 0);
	CU_ASSERT_EQUAL(rpc_reply_check(&reply), 0);
	CU_ASSERT_EQUAL(mount3_res_mnt(res, &results), 0);
	return res->status;
}

static void the_root_and_directories_below_it_are_mounted(void)
{
	struct mount3_mnt_res res;
	struct nfs_fh root;

	shared->ops->root(shared, &root);
	CU_ASSERT_EQUAL(mount_path("/", 1, &res), 0);
	CU_ASSERT_EQUAL(res.fh.len, root.len);
	ASSERT_BYTES(res.fh.data, root.data, root.len);
	CU_ASSERT_EQUAL(res.nflavors, 2);
	CU_ASSERT_EQUAL(res.flavors[0], RPC_AUTH_SYS);
	CU_ASSERT_EQUAL(mount_path("", 0, &res), 0);
	CU_ASSERT_EQUAL(mount_path("//entries-2000/", 15, &res), 0);
	CU_ASSERT_EQUAL(mount_path("/entries-2000/../../..", 22, &res), 0);
	ASSERT_BYTES(res.fh.data, root.data, root.len);
	CU_ASSERT_EQUAL(mount_path("/data-1", 7, &res), NFS3_STATUS_NOTDIR);
	CU_ASSERT_EQUAL(mount_path("/data-1/x", 9, &res), NFS3_STATUS_NOTDIR);
	CU_ASSERT_EQUAL(mount_path("/none", 5, &res), NFS3_STATUS_NOENT);
	CU_ASSERT_EQUAL(mount_path("/\0", 2, &res), NFS3_STATUS_NOENT);
}

static void mount_paths_have_a_maximum_length(void)
{
	static char path[1100];
	struct mount3_mnt_res res;

	memset(path, 'a', sizeof(path));
	CU_ASSERT_EQUAL(mount_path(path, 1024, &res), NFS3_STATUS_NAMETOOLONG);
	memset(path, '/', sizeof(path));
	CU_ASSERT_EQUAL(mount_path(path, 1024, &res), 0);
	start();
	writer_opaque(&args, path, 1025);
	CU_ASSERT_EQUAL(run_bytes(MOUNT_PROGRAM_NUMBER, 3, MOUNT3_MNT, args.base, args.len), 0);
	CU_ASSERT_EQUAL(reply.accept_stat, RPC_GARBAGE_ARGS);
}

static void the_other_mount_procedures_answer(void)
{
	static const size_t lengths[] = {
		[MOUNT3_NULL] = 0, [MOUNT3_MNT] = 48,    [MOUNT3_DUMP] = 4,
		[MOUNT3_UMNT] = 0, [MOUNT3_UMNTALL] = 0, [MOUNT3_EXPORT] = 20,
	};
	uint32_t proc;

	for (proc = 0; proc < ARRAY_SIZE(lengths); proc++) {
		SUITE_ROW("%u: %zu", proc, lengths[proc]);
		start();
		put_name("/");
		CU_ASSERT_EQUAL(run_bytes(MOUNT_PROGRAM_NUMBER, 3, proc, args.base, args.len), 0);
		CU_ASSERT_EQUAL(rpc_reply_check(&reply), 0);
		CU_ASSERT_EQUAL(reader_left(&results), lengths[proc]);
	}
	CU_ASSERT_EQUAL(run_bytes(MOUNT_PROGRAM_NUMBER, 3, 6, NULL, 0), 0);
	CU_ASSERT_EQUAL(reply.accept_stat, RPC_PROC_UNAVAIL);
	CU_ASSERT_EQUAL(run_bytes(MOUNT_PROGRAM_NUMBER, 1, 0, NULL, 0), 0);
	CU_ASSERT_EQUAL(reply.accept_stat, RPC_PROG_MISMATCH);
	CU_ASSERT_EQUAL(reply.low, 3);
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(every_procedure_answers_good_arguments),
		TEST(truncated_arguments_are_garbage_at_every_length),
		TEST(huge_lengths_are_garbage),
		TEST(handles_that_are_not_ours_are_refused_everywhere),
		TEST(refusals_have_the_bodies_of_the_rfc),
		TEST(special_names_are_refused),
		TEST(reads_are_clipped_to_rtmax),
		TEST(fsinfo_offers_1_mib),
		TEST(access_grants_only_reading),
		TEST(readdirplus_continues_where_it_ended),
		TEST(readdir_respects_the_count),
		TEST(cookies_without_their_verifier_are_bad),
		TEST(the_root_and_directories_below_it_are_mounted),
		TEST(mount_paths_have_a_maximum_length),
		TEST(the_other_mount_procedures_answer),
	};
	int rc;

	if (export_memory_new(&shared))
		return 2;
	rc = suite_run("server-nfs3", tests, ARRAY_SIZE(tests));
	export_free(shared);
	return rc;
}

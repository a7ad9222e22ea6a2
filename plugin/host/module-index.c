/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The modules of a kernel, by libkmod: the indexes that depmod wrote, and the .modinfo
 * section of a file. libkmod maps the indexes and follows their offsets without checks,
 * which is fine for those of the running kernel. Those below a --root are untrusted, so a
 * child reads them: a crash or a timeout of the child is an answer too.
 *
 * libkmod gets no configuration (modprobe-conf.c), no file name outside the root
 * (descriptors in /proc/self/fd), and no query about loaded modules (it would query the
 * running kernel). */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <libkmod.h>

#include "plugin/host/internal.h"
#include "rpcrdma/child/child.h"

/* libkmod/libkmod-index.c: the format of depmod since 2009. */
#define INDEX_MAGIC 0xb007f457u
#define INDEX_MAJOR 2
#define INDEX_MAX   (64 * 1024 * 1024)

/* Vendors' packages install this in place of a module that was not selected, so that the
 * kernel's own is not loaded: "rpcrdma dummy kernel module"
 * (net/sunrpc/xprtrdma/rpcrdma_dummy.c of mlnx-ofa_kernel). */
#define DUMMY "dummy kernel module"

/* libkmod reads these text files of depmod, too, line by line into memory. */
#define TEXT_MAX (1024 * 1024)

#define MODULE_FILE_MAX (256 * 1024 * 1024)
#define CHILD_MS        2000

static void module_index_context_unref(struct kmod_ctx **ctx)
{
	kmod_unref(*ctx);
}

static void module_index_module_unref(struct kmod_module **mod)
{
	kmod_module_unref(*mod);
}

static void module_index_list_unref(struct kmod_list **list)
{
	kmod_module_unref_list(*list);
}

static void module_index_info_free(struct kmod_list **list)
{
	kmod_module_info_free_list(*list);
}

static void module_index_log_nothing(void *data, int priority, const char *file, int line,
				     const char *fn, const char *format, va_list args)
{
	(void)data, (void)priority, (void)file, (void)line, (void)fn, (void)format, (void)args;
}

static struct kmod_ctx *module_index_context_new(const char *dirname)
{
	static const char *const no_config[] = { NULL };
	struct kmod_ctx *ctx = kmod_new(dirname, no_config);

	if (ctx)
		kmod_set_log_fn(ctx, module_index_log_nothing, NULL);
	return ctx;
}

/* Checks that an existing index is valid: with an invalid one libkmod would report no
 * modules. */
/* Returns a descriptor, which the caller closes. */
static int module_index_open(const struct host *host, const char *folder, const char *name,
			     char path[HOST_PATH_MAX], struct stat *st)
{
	_cleanup_close_ int fd = -1;
	int rc = host_path(path, folder, name), opened;

	if (rc)
		return rc;
	fd = host_open_file(host, path);
	if (fd < 0)
		return fd;
	if (fstat(fd, st))
		return err_sys("%s%s", host_prefix(host), path);
	opened = fd;
	fd = -1;
	return opened;
}

static int module_index_check(const struct host *host, const char *folder, const char *name)
{
	char path[HOST_PATH_MAX];
	uint8_t head[8];
	struct stat st;
	_cleanup_close_ int fd = module_index_open(host, folder, name, path, &st);

	if (fd < 0)
		return fd;
	if (pread(fd, head, sizeof(head), 0) != sizeof(head) || st.st_size > INDEX_MAX ||
	    get_be32(head) != INDEX_MAGIC || get_be16(head + 4) != INDEX_MAJOR)
		return err_set(EBADMSG, "%s%s is not an index of depmod", host_prefix(host), path);
	return 0;
}

/* A sparse file of one line would fill memory. */
static int module_index_check_text(const struct host *host, const char *folder, const char *name)
{
	char path[HOST_PATH_MAX];
	struct stat st;
	_cleanup_close_ int fd = module_index_open(host, folder, name, path, &st);

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (st.st_size > TEXT_MAX)
		return err_set(EBADMSG, "%s%s has %lld bytes, %d at most", host_prefix(host), path,
			       (long long)st.st_size, TEXT_MAX);
	return 0;
}

static void module_index_take_info(struct kmod_list *info, struct module_lookup *out)
{
	struct kmod_list *it;

	kmod_list_foreach(it, info)
	{
		const char *key = kmod_module_info_get_key(it);
		const char *value = kmod_module_info_get_value(it);

		if (!strcmp(key, "srcversion"))
			text_copy(out->srcversion, sizeof(out->srcversion), value);
		else if (!strcmp(key, "vermagic"))
			text_copy(out->vermagic, sizeof(out->vermagic), value);
		else if (!strcmp(key, "signer"))
			out->is_signed = true;
		else if (!strcmp(key, "description"))
			out->dummy = strstr(value, DUMMY) != NULL;
	}
}

static void module_index_set_problem(struct module_lookup *out, const char *text)
{
	text_copy(out->problem, sizeof(out->problem), text);
}

/* @path: below the root. A defect of the file is a result, not an error. */
static void module_index_read_file(const struct host *host, const char *path,
				   struct module_lookup *out)
{
	_cleanup_close_ int fd = host_open_file(host, path);
	_cleanup_(module_index_context_unref) struct kmod_ctx *ctx = NULL;
	_cleanup_(module_index_module_unref) struct kmod_module *mod = NULL;
	_cleanup_(module_index_info_free) struct kmod_list *info = NULL;
	char name[64], text[160];
	struct stat st;
	int rc;

	if (fd < 0)
		return module_index_set_problem(out, err_text());
	if (fstat(fd, &st) || st.st_size > MODULE_FILE_MAX)
		return module_index_set_problem(out, "the module's file is too big");
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	ctx = module_index_context_new("/nonexistent");
	rc = ctx ? kmod_module_new_from_path(ctx, name, &mod) : -ENOMEM;
	if (rc >= 0)
		rc = kmod_module_get_info(mod, &info);
	if (rc >= 0)
		return module_index_take_info(info, out);
	snprintf(text, sizeof(text), "the module's file cannot be read: %s",
		 strerrordesc_np(-rc) ? strerrordesc_np(-rc) : "unknown");
	module_index_set_problem(out, text);
}

/* @path: as returned by libkmod, below the directory of the index, or absolute in
 * modules.dep. */
/* The path below the root. Returns whether it is in the kernel's own folder. */
static bool module_index_path(const char *dirname, const char *folder, const char *path,
			      char out[256])
{
	size_t len = strlen(dirname);
	char file[HOST_PATH_MAX];
	bool inside = !strncmp(path, dirname, len) && path[len] == '/';

	path = inside ? path + len + 1 : path + strspn(path, "/");
	snprintf(file, sizeof(file), "%s%s%s", inside ? folder : "", inside ? "/" : "", path);
	text_copy(out, 256, file);
	return inside && !strncmp(path, "kernel/", 7);
}

/* What to look up, and where. */
struct module_index_question {
	const struct host *host;
	const char *dirname, *folder, *name; /* folder: below the root */
};

static void module_index_take_needs(const struct module_index_question *question,
				    const struct kmod_module *mod, struct module_lookup *out)
{
	_cleanup_(module_index_list_unref) struct kmod_list *list =
		kmod_module_get_dependencies(mod);
	struct kmod_module *need;
	struct kmod_list *it;
	unsigned int n = 0;
	const char *path;

	kmod_list_foreach(it, list)
	{
		if (n == MODULE_NEEDS_MAX)
			break;
		need = kmod_module_get_module(it);
		path = kmod_module_get_path(need);
		text_copy(out->needs[n].name, sizeof(out->needs[n].name),
			  kmod_module_get_name(need));
		if (path)
			module_index_path(question->dirname, question->folder, path,
					  out->needs[n].file);
		kmod_module_unref(need);
		n++;
	}
}

/* Runs in a child if the host is not live. */
static int module_index_lookup(const struct module_index_question *question,
			       struct module_lookup *out)
{
	const struct host *host = question->host;
	_cleanup_(module_index_context_unref) struct kmod_ctx *ctx =
		module_index_context_new(question->dirname);
	_cleanup_(module_index_list_unref) struct kmod_list *list = NULL;
	_cleanup_(module_index_module_unref) struct kmod_module *mod = NULL;
	const char *path;
	int rc;

	if (!ctx)
		return err_no_memory();
	rc = kmod_module_new_from_lookup(ctx, question->name, &list);
	if (rc < 0 && rc != -ENOENT) {
		errno = -rc;
		return err_sys("look up %s in %s%s", question->name, host_prefix(host),
			       question->folder);
	}
	if (!list)
		return 0;
	mod = kmod_module_get_module(list);
	out->found = true;
	text_copy(out->name, sizeof(out->name), kmod_module_get_name(mod));
	module_index_take_needs(question, mod, out);
	path = kmod_module_get_path(mod);
	out->builtin = !path;
	if (path) {
		out->external = !module_index_path(question->dirname, question->folder, path,
						   out->file);
		module_index_read_file(host, out->file, out);
	}
	return 0;
}

struct module_index_answer {
	int32_t rc;
	char err[160];
	struct module_lookup lookup;
};

static int module_index_run(void *arg, int channel)
{
	const struct module_index_question *question = arg;
	struct module_index_answer answer;

	memset(&answer, 0, sizeof(answer));
	answer.rc = module_index_lookup(question, &answer.lookup);
	text_copy(answer.err, sizeof(answer.err), answer.rc ? err_text() : "");
	return child_answer(channel, &answer, sizeof(answer));
}

/* The answer is as untrusted as the files that the child read. */
static bool module_index_answer_is_sane(struct module_index_answer *answer)
{
	uint8_t found, builtin, external, is_signed, dummy;
	unsigned int i;

	answer->err[sizeof(answer->err) - 1] = '\0';
	answer->lookup.name[sizeof(answer->lookup.name) - 1] = '\0';
	answer->lookup.file[sizeof(answer->lookup.file) - 1] = '\0';
	answer->lookup.srcversion[sizeof(answer->lookup.srcversion) - 1] = '\0';
	answer->lookup.vermagic[sizeof(answer->lookup.vermagic) - 1] = '\0';
	answer->lookup.problem[sizeof(answer->lookup.problem) - 1] = '\0';
	for (i = 0; i < MODULE_NEEDS_MAX; i++) {
		struct module_need *need = &answer->lookup.needs[i];

		need->name[sizeof(need->name) - 1] = '\0';
		need->file[sizeof(need->file) - 1] = '\0';
	}
	/* A byte other than 0 and 1 is not a valid bool. */
	memcpy(&found, &answer->lookup.found, 1);
	memcpy(&builtin, &answer->lookup.builtin, 1);
	memcpy(&external, &answer->lookup.external, 1);
	memcpy(&is_signed, &answer->lookup.is_signed, 1);
	memcpy(&dummy, &answer->lookup.dummy, 1);
	return found <= 1 && builtin <= 1 && external <= 1 && is_signed <= 1 && dummy <= 1 &&
	       answer->rc <= 0 && answer->rc > -4096;
}

static int module_index_broken(const struct module_index_question *question, int rc)
{
	return err_set(-rc, "the index of modules in %s%s, or the file of %s, is broken",
		       host_prefix(question->host), question->folder, question->name);
}

static int module_index_lookup_in_child(struct module_index_question *question, int folder_fd,
					struct module_lookup *out)
{
	const struct host *host = question->host;
	const int keep[] = { folder_fd, host_fd(host) };
	const struct child_function function = {
		.kind = CHILD_PARSER,
		.name = "the process that reads the index",
		.run = module_index_run,
		.arg = question,
		.keep = keep,
		.nkeep = ARRAY_SIZE(keep),
	};
	_cleanup_close_ int fd = -1;
	struct module_index_answer answer;
	int rc;

	rc = child_call(&function, &answer, sizeof(answer), host_deadline(host, CHILD_MS), NULL);
	*host_slow_index(host) = rc == -ETIMEDOUT;
	if (!rc && !module_index_answer_is_sane(&answer))
		rc = -EBADMSG;
	if (rc)
		return module_index_broken(question, rc == -ETIMEDOUT ? rc : -EBADMSG);
	*out = answer.lookup;
	/* Reports the file to the watcher, because the child opened it unobserved. */
	if (host_is_watched(host) && out->file[0])
		fd = host_open_file(host, out->file);
	return answer.rc ? err_set(-answer.rc, "%s", answer.err) : 0;
}

int module_lookup(const struct host *host, const char *release, const char *name,
		  struct module_lookup *out)
{
	static const char *const others[] = { "modules.alias.bin", "modules.symbols.bin",
					      "modules.builtin.bin", "modules.builtin.alias.bin" };
	static const char *const texts[] = { "modules.softdep", "modules.weakdep" };
	char folder[HOST_PATH_MAX], dirname[HOST_PATH_MAX + 1];
	struct module_index_question question = { host, dirname, folder, name };
	_cleanup_close_ int fd = -1;
	int rc = host_path(folder, "lib/modules", release);
	size_t i;

	memset(out, 0, sizeof(*out));
	if (!rc)
		rc = module_index_check(host, folder, "modules.dep.bin");
	for (i = 0; !rc && i < ARRAY_SIZE(others); i++) {
		rc = module_index_check(host, folder, others[i]);
		if (rc == -ENOENT)
			rc = 0;
	}
	for (i = 0; !rc && i < ARRAY_SIZE(texts); i++)
		rc = module_index_check_text(host, folder, texts[i]);
	if (rc)
		return rc;
	if (host_is_live(host)) {
		snprintf(dirname, sizeof(dirname), "/%s", folder);
		return module_index_lookup(&question, out);
	}
	if (*host_slow_index(host))
		return module_index_broken(&question, -ETIMEDOUT);
	fd = host_open_at(host, folder, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return fd;
	snprintf(dirname, sizeof(dirname), "/proc/self/fd/%d", fd);
	return module_index_lookup_in_child(&question, fd, out);
}

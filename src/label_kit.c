/* label_kit.c - real traces that come with the program, or that it records: GPU kernels, and programs of the host. */
#include "config.h"

#include "label_real.h"

#include "base/mem.h"
#include "base/rng.h"
#include "gen/warp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KERNEL_LINE = 128, HOST_LINE = 64 };

static bool
add_kernels(struct label_run *run, const struct rp_warp_kernel *kernel, struct rp_err *err)
{
	static const unsigned warps[] = { 8, 16, 32 };
	for (; kernel->name; kernel++)
		for (int i = 0; i < 3; i++) {
			char text[128];
			snprintf(text, sizeof text, "gen:kernel,kernel=%s,warps=%u", kernel->name,
			    warps[i]);
			const char *name = rp_arena_string(&run->arena, text, err);
			if (!name || !label_real_add(run, name, name, KERNEL_LINE, err))
				return false;
		}
	return true;
}

/* Programs that every system has, on a file of words. */
static const struct {
	const char *name, *argv[8];
} host[] = { { "gzip", { "gzip", "-6", "-n", "-c", "words" } }, { "sort", { "sort", "words" } },
	{ "awk", { "awk", "{ n[$1]++ } END { for (w in n) print w, n[w] }", "words" } },
	{ "sha256sum", { "sha256sum", "words" } },
	{ "sed", { "sed", "s/[aeiou]\\([a-z]\\)/<\\1>/g", "words" } } };
enum { PROGRAMS = sizeof host / sizeof *host };

static bool
write_words(const char *path, struct rp_err *err)
{
	struct rp_rng rng = rp_rng_for(1, "src/label/words", 0);
	FILE *f = fopen(path, "w");
	for (int i = 0; f && i < 800; i++) {
		uint64_t word = rp_rng_below(&rng, 1 + rp_rng_below(&rng, 700));
		for (word += 7; word; word /= 5)
			fputc("etaoi"[word % 5] + (int)(word % 3), f);
		fputc('\n', f);
	}
	bool ok = f && !ferror(f);
	if (f && fclose(f))
		ok = false;
	return ok || rp_fail_errno(err, RP_RESOURCE, "writing %s", path);
}

/* Runs a program under lackey in the folder `dir`: its exit status, 127 where there is no such program. */
static int
record(const char *dir, int program, const char *log)
{
	char option[4096];
	const char *argv[16] = { "valgrind", "--tool=lackey", "--trace-mem=yes", option };
	int n = 4, status;
	snprintf(option, sizeof option, "--log-file=%s", log);
	for (int i = 0; host[program].argv[i]; i++)
		argv[n++] = host[program].argv[i];
	pid_t child = fork();
	if (child < 0)
		return 127;
	if (!child) {
		int none = open("/dev/null", O_RDWR);
		dup2(none, 0);
		dup2(none, 1);
		dup2(none, 2);
		/* The environment is on the stack that is traced. */
		static char path[] = "PATH=/usr/bin:/bin", lc[] = "LC_ALL=C";
		char *const environment[] = { path, lc, NULL };
		if (!chdir(dir))
			execvpe("valgrind", (char *const *)(uintptr_t)argv, environment);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* The trace of a program in the folder, recorded if it is not there: its path; NULL: none, or err->code is set. */
static const char *
host_trace(struct label_run *run, const char *dir, int program, struct rp_err *err)
{
	size_t room = strlen(dir) + 64;
	char *path = rp_arena_take(&run->arena, room, err), *fresh = rp_mem_array(room, 1, err),
	     name[64];
	struct stat st;
	const char *found = NULL;
	if (path && fresh) {
		snprintf(name, sizeof name, "%s.new", host[program].name);
		snprintf(fresh, room, "%s/%s", dir, name);
		snprintf(path, room, "%s/%s.lackey", dir, host[program].name);
		if (!stat(path, &st) || (!record(dir, program, name) && !rename(fresh, path)))
			found = path;
		else
			unlink(fresh);
	}
	free(fresh);
	return found;
}

static bool
add_host(struct label_run *run, struct rp_err *err)
{
	char *dir = label_path(run, "host", err), *words = label_path(run, "host/words", err);
	bool ok = dir && words;
	int recorded = 0;
	if (ok && ((mkdir(run->o->output, 0777) && errno != EEXIST) ||
		      (mkdir(dir, 0777) && errno != EEXIST)))
		ok = rp_fail_errno(err, RP_INPUT, "%s: cannot be made", dir);
	ok = ok && write_words(words, err);
	for (int i = 0; ok && i < PROGRAMS; i++) {
		const char *path = host_trace(run, dir, i, err);
		char text[64];
		snprintf(text, sizeof text, "host:%s", host[i].name);
		const char *name = rp_arena_string(&run->arena, text, err);
		if (path && name) {
			ok = label_real_add(run, path, name, HOST_LINE, err);
			run->trace[run->traces - 1].from = "lackey";
			run->trace[run->traces - 1].kinds = "read,write";
			run->trace[run->traces - 1].limit = "1000000";
			recorded++;
		}
		ok = ok && !err->code;
	}
	if (ok && recorded < PROGRAMS)
		json_array_append_new(run->warnings,
		    json_sprintf("%d of %d programs of the host are left out: valgrind, or they, "
				 "are not there",
			PROGRAMS - recorded, PROGRAMS));
	free(dir);
	free(words);
	return ok;
}

bool
label_kit(struct label_run *run, struct rp_err *err)
{
	if (!add_kernels(run, rp_warp_dense, err) || !add_kernels(run, rp_warp_sparse, err))
		return false;
	if (run->o->output)
		return add_host(run, err);
	json_array_append_new(run->warnings,
	    json_string(
		"programs of the host are left out: without -o there is no folder for their "
		"traces"));
	return true;
}

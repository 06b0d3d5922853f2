/* label_share.c - shares of a data set made one.
 *
 * A share is the journal of a run that made all of its items. The plan in it says what the data set is, so neither the design
 * nor the traces are looked at again. */
#include "config.h"

#include "label.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct joining {
	struct label_run *run;
	const char *path, **from; /* file at hand; of each item */
};

/* Room for what the plan says there is, and the names of real traces. */
static bool
take_plan(struct joining *j, const char *plan, struct rp_err *err)
{
	struct label_run *run = j->run;
	json_error_t why;
	size_t i;
	json_t *doc = json_loads(plan, 0, &why), *one;
	json_t *real = json_object_get(doc, "traces");
	json_int_t synthetic = json_integer_value(json_object_get(doc, "synthetic"));
	if (!json_is_array(real) || synthetic < 0 || synthetic > UINT32_MAX) {
		json_decref(doc);
		return rp_fail(err, RP_INPUT, "%s: its plan is none", j->path);
	}
	run->synthetic = (size_t)synthetic;
	run->items = run->synthetic + json_array_size(real);
	run->plan = rp_mem_string(plan, err);
	run->block = rp_mem_array(run->items, sizeof *run->block, err);
	run->done = rp_mem_array(run->items, sizeof *run->done, err);
	run->warning = rp_mem_array(run->items, sizeof *run->warning, err);
	j->from = rp_mem_array(run->items, sizeof *j->from, err);
	bool ok = run->plan && run->block && run->done && run->warning && j->from;
	json_array_foreach(real, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));
		ok = ok && (run->block[run->synthetic + i].name =
				   rp_arena_string(&run->arena, name ? name : "", err));
	}
	json_decref(doc);
	return ok;
}

static bool
plan(void *to, const char *plan, const char *share, struct rp_err *err)
{
	struct joining *j = to;
	(void)share;
	if (!j->run->plan)
		return take_plan(j, plan, err);
	return !strcmp(plan, j->run->plan) ||
	       rp_fail(
		   err, RP_INPUT, "%s is of another data set than the shares before it", j->path);
}

static bool
take(void *to, size_t item, unsigned char *bytes, size_t n, struct rp_err *err)
{
	struct joining *j = to;
	struct label_run *run = j->run;
	if (item >= run->items || run->done[item]) {
		free(bytes);
		return item >= run->items
		           ? rp_fail(
				 err, RP_INPUT, "%s: item %zu is none of the plan's", j->path, item)
		           : rp_fail(err, RP_INPUT, "%s and %s overlap: both have item %zu",
				 j->from[item], j->path, item);
	}
	run->block[item].bytes = bytes;
	run->block[item].n = n;
	run->done[item] = true;
	j->from[item] = j->path;
	return true;
}

static bool
warn(void *to, size_t item, unsigned char *text, size_t n, struct rp_err *err)
{
	struct joining *j = to;
	(void)n;
	if (item >= j->run->items || j->run->done[item]) { /* take says what is wrong */
		free(text);
		return true;
	}
	free(j->run->warning[item]);
	j->run->warning[item] = (char *)text;
	(void)err;
	return true;
}

static bool
read_file(struct joining *j, const char *path, struct rp_err *err)
{
	struct label_reader r = { j, plan, take, warn };
	uint64_t end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return rp_fail_errno(err, RP_INPUT, "%s", path);
	bool ok = (j->path = rp_arena_string(&j->run->arena, path, err)) &&
	          label_journal_read(fd, path, &r, &end, err);
	if (ok && !end)
		ok = rp_fail(err, RP_INPUT, "%s has nothing in it: wanted a share", path);
	close(fd);
	return ok;
}

/* The shares that a folder has. */
static bool
read_folder(struct joining *j, const char *path, struct rp_err *err)
{
	struct dirent **entry;
	int n = scandir(path, &entry, NULL, alphasort);
	bool ok = n >= 0 || rp_fail_errno(err, RP_INPUT, "%s", path), any = false;
	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;
		size_t len = strlen(name);
		if (ok && !strncmp(name, "share-", 6) && len > 5 &&
		    !strcmp(name + len - 5, ".rows")) {
			char *file = rp_mem_array(strlen(path) + len + 2, 1, err);
			if (file)
				sprintf(file, "%s/%s", path, name);
			ok = file && read_file(j, file, err);
			free(file);
			any = true;
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return ok && (any || rp_fail(err, RP_INPUT, "%s has no share-I-of-N.rows in it", path));
}

bool
label_join(struct label_run *run, int n, char **shares, struct rp_err *err)
{
	struct joining j = { .run = run };
	bool ok = n > 0 || rp_fail(err, RP_USAGE, "--join: wanted the folders of all shares");
	for (int i = 0; ok && i < n; i++) {
		struct stat st;
		bool folder = !stat(shares[i], &st) && S_ISDIR(st.st_mode);
		ok = folder ? read_folder(&j, shares[i], err) : read_file(&j, shares[i], err);
	}
	size_t missing = 0, first = 0;
	for (size_t i = ok ? run->items : 0; i-- > 0;)
		if (!run->done[i]) {
			missing++;
			first = i;
		}
	if (missing)
		ok = rp_fail(err, RP_INPUT,
		    "%zu of the data set's %zu items are in none of the shares, the first: item "
		    "%zu",
		    missing, run->items, first);
	free(j.from);
	return ok;
}

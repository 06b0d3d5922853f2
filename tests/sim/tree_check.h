/* tree_check.h - hierarchies as text, for the tests of sim/. */
#ifndef RP_TESTS_SIM_TREE_CHECK_H
#define RP_TESTS_SIM_TREE_CHECK_H

#include "tests/check.h"

#include "sim/tree_spec.h"

#include <unistd.h>

/* A file of that text: its path, in `to`, which needs 64 bytes. The caller unlinks it. */
static inline void
write_tree(char *to, const char *text)
{
	strcpy(to, "/tmp/reprise-tree.XXXXXX");
	int fd = mkstemp(to);
	cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

/* A hierarchy from the text of its file. The caller frees it. */
static inline void
read_tree(const char *text, struct rp_tree_spec *out)
{
	char path[64];
	struct rp_err err = { 0 };
	write_tree(path, text);
	cr_assert(rp_tree_spec_read(path, 64, 1, NULL, out, &err), "%s\n%s", text, err.text);
	unlink(path);
}

#endif

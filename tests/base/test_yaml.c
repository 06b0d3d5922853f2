/* test_yaml.c - tests src/base/yaml.c. */
#include "tests/check.h"

#include "base/yaml.h"

#include <unistd.h>

/* A file of that text: its path, in `to`, which needs 64 bytes. */
static void
write_file(char *to, const char *text, size_t n)
{
	strcpy(to, "/tmp/reprise-yaml.XXXXXX");
	int fd = mkstemp(to);
	cr_assert(fd >= 0 && write(fd, text, n) == (ssize_t)n);
	close(fd);
}

RP_TEST(yaml, a_file_is_a_tree_whose_nodes_know_their_lines)
{
	static const char text[] = "# a comment\n"
				   "name: 'x: y'\n"
				   "list:\n"
				   "  - 1\n"
				   "  - [2, 3]\n"
				   "  - a: 4\n"
				   "    b: {c: 5}\n"
				   "none:\n";
	char path[64];
	struct rp_yaml y;
	struct rp_err err = { 0 };
	write_file(path, text, sizeof text - 1);
	cr_assert(rp_yaml_read(path, &y, &err), "%s", err.text);
	cr_assert_eq(y.root->kind, RP_YAML_MAP);
	cr_assert_eq(y.root->n, 3);
	const struct rp_yaml_node *n = rp_yaml_at(y.root, "name");
	cr_assert_str_eq(n->text, "x: y");
	cr_assert_eq(n->line, 2);
	n = rp_yaml_at(y.root, "list");
	cr_assert(n->kind == RP_YAML_LIST && n->n == 3 && n->line == 3);
	n = n->first;
	cr_assert(!n->key && n->line == 4 && !strcmp(n->text, "1"));
	n = n->next;
	cr_assert(n->n == 2 && !strcmp(n->first->next->text, "3") && n->line == 5);
	n = n->next;
	cr_assert(n->kind == RP_YAML_MAP && n->n == 2 && !n->next);
	n = rp_yaml_at(n, "b");
	cr_assert(n->line == 7 && !strcmp(rp_yaml_at(n, "c")->text, "5"));
	cr_assert_str_eq(rp_yaml_at(y.root, "none")->text, "");
	cr_assert_null(rp_yaml_at(y.root, "absent"));
	rp_yaml_free(&y);
	unlink(path);
}

static const struct {
	const char *text, *says;
} bad[] = {
	{ "", ":1: the file is empty" },
	{ "# nothing\n", ":1: the file is empty" },
	{ "a: 1\nb: [2\nc: 3\n", ":3: not YAML" },
	{ "a:\n\t- 1\n", ":2: not YAML" },
	{ "a: 1\n---\nb: 2\n", ":2: a second document" },
	{ "a: 1\nb: 2\na: 3\n", ":3: a: comes twice; first in line 1" },
	{ "a: &x 1\nb: *x\n", ":1: anchors and aliases" },
	{ "b: *x\n", ":1: anchors and aliases" },
	{ "a: 1\nb: !!int 2\n", ":2: tags" },
	{ "[1]: 2\n", ":1: a key is a text" },
	{ "a: 1\nb: \"\\0\"\n", ":2: a text holds a zero byte" },
	{ "a: \xff\xfe\n", ": not YAML" },
};

RP_TEST(yaml, what_is_wrong_is_refused_with_its_line)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char path[64];
		struct rp_yaml y;
		struct rp_err err = { 0 };
		write_file(path, bad[i].text, strlen(bad[i].text));
		cr_assert_not(rp_yaml_read(path, &y, &err), "%s", bad[i].text);
		cr_assert_eq(err.code, RP_INPUT);
		cr_assert(strstr(err.text, bad[i].says), "%s\n%s", bad[i].text, err.text);
		cr_assert_eq(strncmp(err.text, path, strlen(path)), 0, "%s", err.text);
		unlink(path);
	}
}

RP_TEST(yaml, nesting_has_an_end)
{
	char path[64], text[4001];
	struct rp_yaml y;
	struct rp_err err = { 0 };
	memset(text, '[', 2000);
	memset(text + 2000, ']', 2000);
	write_file(path, text, 4000);
	cr_assert_not(rp_yaml_read(path, &y, &err));
	cr_assert(strstr(err.text, "nested more than 32 deep"), "%s", err.text);
	unlink(path);
}

RP_TEST(yaml, a_file_that_cannot_be_read_is_bad_input)
{
	struct rp_yaml y;
	struct rp_err err = { 0 };
	cr_assert_not(rp_yaml_read("/nonexistent/x.yaml", &y, &err));
	cr_assert_eq(err.code, RP_INPUT);
	cr_assert_not(rp_yaml_read("/", &y, &err));
	cr_assert_eq(err.code, RP_INPUT, "%d %s", err.code, err.text);
}

/* yaml.h - a YAML file as a tree in which every node knows its line. */
#ifndef RP_BASE_YAML_H
#define RP_BASE_YAML_H

#include "base/err.h"
#include "base/mem.h"

#include <stddef.h>

enum rp_yaml_kind { RP_YAML_TEXT, RP_YAML_LIST, RP_YAML_MAP };

struct rp_yaml_node {
	enum rp_yaml_kind kind;
	unsigned line;                     /* of the file, from 1; of a value in a map: its key's */
	const char *key;                   /* of a value in a map */
	const char *text;                  /* of RP_YAML_TEXT, as written, without quotes */
	struct rp_yaml_node *first, *next; /* members, in order; the next beside this one */
	size_t n;                          /* members */
};

/* Starts as zeroes; released with rp_yaml_free. Nodes and texts live until then. */
struct rp_yaml {
	const char *path;
	struct rp_yaml_node *root; /* never NULL */
	struct rp_arena arena;
};

/* Reads the one document of a file. Refused, with file and line (RP_INPUT): what is no YAML, an empty file, a second
 * document, a key that comes twice or is no text, and what our files have no use for: anchors, aliases, tags. */
bool rp_yaml_read(const char *path, struct rp_yaml *out, struct rp_err *err);
void rp_yaml_free(struct rp_yaml *y);

/* The member of a map under that key, or NULL. */
const struct rp_yaml_node *rp_yaml_at(const struct rp_yaml_node *map, const char *key);

/* "a text", "a list" or "a map". */
const char *rp_yaml_kind_name(enum rp_yaml_kind kind);

/* RP_INPUT with "FILE:LINE: " before the text. Returns false. */
bool rp_yaml_fail(const struct rp_yaml *y, const struct rp_yaml_node *at, struct rp_err *err,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Puts "FILE:LINE: " before the error that is there, whose code becomes RP_INPUT unless a resource is out. Returns false. */
bool rp_yaml_wrap(const struct rp_yaml *y, const struct rp_yaml_node *at, struct rp_err *err);

#endif

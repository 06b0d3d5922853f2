/* rpz.c - the native trace format: its row in the table of formats. */
#include "config.h"

#include "traces/format/rpz.h"
#include "traces/format/rpz_layout.h"

static int
probe(const unsigned char *head, size_t n)
{
	return n >= sizeof rp_rpz_magic && !memcmp(head, rp_rpz_magic, sizeof rp_rpz_magic) ? 100
	                                                                                    : 0;
}

static struct rp_source *
open_file(const char *path, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_err *err)
{
	const struct rp_rpz_opts part = { .salvage = o->salvage };
	return rp_rpz_open(path, in, o, &part, err);
}

const struct rp_format rp_format_rpz = {
	.name = "rpz",
	.what = "the native format: compressed columns in blocks, checked, with an index",
	.source = "reprise-rpz(5)",
	.probe = probe,
	.open_file = open_file,
	.writer = &rp_rpz_writer,
};

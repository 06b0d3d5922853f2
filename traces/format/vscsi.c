/* vscsi - VMware's vscsiStats disk trace in libCacheSim's two binary forms.
 *
 * Version 1, 32 bytes: u32 serial, u32 length, u32 segments, u16 command, u16 version, u64 block, u64 time (us). Version 2,
 * 40 bytes: u16 command, u16 version, u32 serial, length, segments, u64 block, time, response. The version is the high byte
 * of its field. Objects (blocks of 512 bytes) are whole, see record.h: --object 512 gives them their bytes. */
#include "config.h"

#include "traces/format.h"
#include "traces/format/record.h"

static const struct layout {
	size_t bytes, command, version, length, block, time;
} layout[] = {
	{ .bytes = 32, .command = 12, .version = 14, .length = 4, .block = 16, .time = 24 },
	{ .bytes = 40, .command = 0, .version = 2, .length = 8, .block = 16, .time = 24 },
};

enum { VERSIONS = sizeof layout / sizeof *layout };

struct vscsi {
	struct rp_trace *trace;
	const struct layout *layout;
	uint32_t unit;
};

/* The version that the first two records (one, if there is only one) have; NULL if none. */
static const struct layout *
find_layout(const unsigned char *head, size_t n)
{
	for (unsigned v = 0; v < VERSIONS; v++) {
		const struct layout *l = &layout[v];
		size_t records = n / l->bytes < 2 ? n / l->bytes : 2, good = 0;
		while (good < records && rp_le16(head + good * l->bytes + l->version) >> 8 == v + 1)
			good++;
		if (records && good == records)
			return l;
	}
	return NULL;
}

/* RP_READ, RP_WRITE or, for a command that moves no data, RP_KINDS. */
static uint8_t
kind_of(unsigned command)
{
	switch (command & 0xff) {
	case 0x28:
	case 0x88:
		return RP_READ;
	case 0x2a:
	case 0x8a:
		return RP_WRITE;
	default:
		return RP_KINDS;
	}
}

static int
vscsi_probe(const unsigned char *head, size_t n)
{
	const struct layout *l = find_layout(head, n);
	if (!l || n < 2 * l->bytes)
		return 0;
	for (size_t i = 0; i < 2; i++)
		if (kind_of(rp_le16(head + i * l->bytes + l->command)) == RP_KINDS)
			return 0;
	return 45;
}

static bool
vscsi_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	struct vscsi *s = state;
	s->trace = t;
	s->unit = o->object;
	t->columns = RP_COL_TIME;
	if (!rp_bytes_more(in, 2 * layout[VERSIONS - 1].bytes, err))
		return false;
	s->layout = find_layout(in->at, (size_t)(in->end - in->at));
	return s->layout || rp_fail_at(err, in, "no version 1 or 2 in the first two records");
}

static ptrdiff_t
vscsi_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	struct vscsi *s = state;
	const struct layout *l = s->layout;
	size_t from = out->n;
	while (out->n < out->cap) {
		int ready = rp_record_ready(in, out->n > from, l->bytes, err);
		if (ready == RP_TEXT_END && in->at < in->end) {
			rp_fail_at(err, in, "the last record has %zu bytes, wanted %zu",
			    (size_t)(in->end - in->at), l->bytes);
			return -1;
		}
		if (ready != 1)
			return rp_text_rows(ready, out->n - from);
		const unsigned char *r = in->at;
		struct rp_access a = { .time = rp_le64(r + l->time),
			.kind = kind_of(rp_le16(r + l->command)) };
		uint64_t id = rp_le64(r + l->block);
		if (!rp_object_place(&a, id, rp_le32(r + l->length), s->unit)) {
			rp_fail_at(err, in, RP_OBJECT_BEYOND, id, (uint64_t)rp_le32(r + l->length));
			return -1;
		}
		in->at += l->bytes;
		if (a.kind != RP_KINDS)
			rp_batch_put(out, &a);
		else
			rp_trace_skip(s->trace, "op", 1);
	}
	return (ptrdiff_t)(out->n - from);
}

const struct rp_format rp_format_vscsi = {
	.name = "vscsi",
	.what = "vscsiStats binary, versions 1 and 2: whole blocks, each a line at 64 * block "
		"(--object 512: their bytes)",
	.source = "libCacheSim, traceReader/customizedReader/vscsi.h",
	.probe = vscsi_probe,
	.state_bytes = sizeof(struct vscsi),
	.open = vscsi_open,
	.read = vscsi_read,
};

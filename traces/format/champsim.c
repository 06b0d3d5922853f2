/* champsim - ChampSim's binary instruction trace: 64 bytes an instruction, 96 in the CloudSuite variant.
 *
 * An instruction is a fetch of its address, a read of each source address and a write of each destination address that
 * is not 0, in this order; all carry it as pc. Nothing in a file tells the two sizes apart. */
#include "config.h"

#include "traces/format.h"
#include "traces/format/record.h"

enum { USUAL_SIZE = 8, PROBE_RECORDS = 64, CANONICAL_SHIFT = 47 };

/* Where the fields of a record are. */
static const struct layout {
	size_t bytes, destinations, n_destinations, sources, n_sources;
} layout[2] = {
	{ .bytes = 64, .destinations = 16, .n_destinations = 2, .sources = 32, .n_sources = 4 },
	{ .bytes = 96, .destinations = 24, .n_destinations = 4, .sources = 56, .n_sources = 4 },
};

struct champsim {
	struct rp_trace *trace;
	const struct layout *layout;
	uint32_t size;
	size_t
	    slot; /* the next of an instruction's accesses: 0 the fetch, then sources, then destinations */
};

/* An address as 48-bit machines have them, user or kernel. */
static bool
is_canonical(uint64_t addr)
{
	int64_t top = (int64_t)addr >> CANONICAL_SHIFT;
	return top == 0 || top == -1;
}

/* Whether whole records at the head look like instructions of this layout. */
static bool
plausible(const struct layout *l, const unsigned char *head, size_t n)
{
	size_t records = n / l->bytes < PROBE_RECORDS ? n / l->bytes : PROBE_RECORDS;
	for (size_t i = 0; i < records; i++) {
		const unsigned char *r = head + i * l->bytes;
		if (!rp_le64(r) || !is_canonical(rp_le64(r)) || r[8] > 1 || r[9] > 1)
			return false;
		for (size_t k = 0; k < l->n_destinations; k++)
			if (!is_canonical(rp_le64(r + l->destinations + 8 * k)))
				return false;
		for (size_t k = 0; k < l->n_sources; k++)
			if (!is_canonical(rp_le64(r + l->sources + 8 * k)))
				return false;
	}
	return records > 0;
}

/* There is no magic number; a low certainty leaves the choice to any format that has one. */
static int
champsim_probe(const unsigned char *head, size_t n)
{
	return plausible(&layout[0], head, n) || plausible(&layout[1], head, n) ? 20 : 0;
}

static bool
champsim_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	struct champsim *s = state;
	s->trace = t;
	s->layout = &layout[o->cloudsuite];
	s->size = o->size ? o->size : USUAL_SIZE;
	t->columns = RP_COL_PC;
	if (!rp_bytes_more(in, layout[1].bytes, err))
		return false;
	size_t there = (size_t)(in->end - in->at);
	if (there >= layout[1].bytes && !plausible(s->layout, in->at, there) &&
	    plausible(&layout[!o->cloudsuite], in->at, there))
		rp_trace_warn(t,
		    "%s: looks like records of %zu bytes, read as %zu (option --cloudsuite)",
		    in->name, layout[!o->cloudsuite].bytes, s->layout->bytes);
	return true;
}

/* Access number `slot` of an instruction; its address is 0 if there is none. */
static struct rp_access
access_of(const struct champsim *s, const unsigned char *r, size_t slot)
{
	const struct layout *l = s->layout;
	struct rp_access a = { .pc = rp_le64(r), .size = s->size };
	if (slot == 0) {
		a.addr = a.pc;
		a.kind = RP_FETCH;
	} else if (slot <= l->n_sources) {
		a.addr = rp_le64(r + l->sources + 8 * (slot - 1));
		a.kind = RP_READ;
	} else {
		a.addr = rp_le64(r + l->destinations + 8 * (slot - 1 - l->n_sources));
		a.kind = RP_WRITE;
	}
	return a;
}

static ptrdiff_t
champsim_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	struct champsim *s = state;
	const struct layout *l = s->layout;
	size_t from = out->n, slots = 1 + l->n_sources + l->n_destinations;
	while (out->n < out->cap) {
		int ready = rp_record_ready(in, out->n > from, l->bytes, err);
		if (ready == RP_TEXT_END && in->at < in->end) {
			rp_trace_warn(s->trace,
			    "%s: offset %" PRIu64
			    ": the last record has %zu of %zu bytes and was dropped",
			    in->name, rp_bytes_at(in), (size_t)(in->end - in->at), l->bytes);
			in->at = in->end;
		}
		if (ready != 1)
			return rp_text_rows(ready, out->n - from);
		for (; s->slot < slots && out->n < out->cap; s->slot++) {
			struct rp_access a = access_of(s, in->at, s->slot);
			if (!a.addr && s->slot)
				continue;
			if (!rp_span_fits(a.addr, a.size)) {
				rp_fail_at(err, in, RP_SPAN_WRAPS, (uint64_t)a.size, a.addr);
				return -1;
			}
			rp_batch_put(out, &a);
		}
		if (s->slot == slots) {
			s->slot = 0;
			in->at += l->bytes;
		}
	}
	return (ptrdiff_t)(out->n - from);
}

const struct rp_format rp_format_champsim = {
	.name = "champsim",
	.what = "ChampSim instructions of 64 bytes (--cloudsuite: 96); sizes are not in it: 8 "
		"unless --size",
	.source = "ChampSim, inc/trace_instruction.h (input_instr, cloudsuite_instr)",
	.probe = champsim_probe,
	.state_bytes = sizeof(struct champsim),
	.open = champsim_open,
	.read = champsim_read,
};

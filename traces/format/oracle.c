/* oracle - libCacheSim's oracleGeneral: records of 24 bytes, u32 time, u64 object, u32 size, i64 index of its next request.
 *
 * Objects are whole, see record.h. The index of the next request (-1 or the greatest number: none) is not needed here and
 * not read. A writer would have to know the future for it and writes -1, so that libCacheSim's Belady cannot run on what we
 * write, but everything else can. */
#include "config.h"

#include "traces/format.h"
#include "traces/format/record.h"

enum { RECORD = 24, PROBE_RECORDS = 256, PROBE_NEXT_MOST = 40 };

struct oracle {
	struct rp_trace *trace;
	uint32_t unit;
	bool keep_empty;
};

static bool
oracle_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	struct oracle *s = state;
	(void)in, (void)err;
	s->trace = t;
	s->unit = o->object;
	s->keep_empty = o->keep_empty;
	t->columns = RP_COL_TIME;
	return true;
}

static ptrdiff_t
oracle_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	struct oracle *s = state;
	size_t from = out->n;
	while (out->n < out->cap) {
		int ready = rp_record_ready(in, out->n > from, RECORD, err);
		if (ready == RP_TEXT_END && in->at < in->end) {
			rp_fail_at(err, in, "the last record has %zu bytes, wanted %d",
			    (size_t)(in->end - in->at), RECORD);
			return -1;
		}
		if (ready != 1)
			return rp_text_rows(ready, out->n - from);
		struct rp_access a = { .time = rp_le32(in->at), .kind = RP_READ };
		uint64_t id = rp_le64(in->at + 4);
		uint32_t size = rp_le32(in->at + 12);
		if (!rp_object_place(&a, id, size, s->unit)) {
			rp_fail_at(err, in, RP_OBJECT_BEYOND, id, (uint64_t)size);
			return -1;
		}
		in->at += RECORD;
		if (size || s->keep_empty)
			rp_batch_put(out, &a);
		else
			rp_trace_skip(s->trace, "zero_size", 1);
	}
	return (ptrdiff_t)(out->n - from);
}

/* No magic number: times never fall, and the next request of an object lies ahead. */
static int
oracle_probe(const unsigned char *head, size_t n)
{
	size_t records = n / RECORD < PROBE_RECORDS ? n / RECORD : PROBE_RECORDS;
	uint32_t last = 0;
	for (size_t i = 0; i < records; i++) {
		uint32_t time = rp_le32(head + i * RECORD), size = rp_le32(head + i * RECORD + 12);
		int64_t next = (int64_t)rp_le64(head + i * RECORD + 16);
		bool never = next == -1 || next == INT64_MAX;
		if (time < last || size > INT32_MAX ||
		    (!never && (next <= (int64_t)i || next >> PROBE_NEXT_MOST)))
			return 0;
		last = time;
	}
	return records ? 30 : 0;
}

static inline char *
put_le(char *to, uint64_t x, int bytes)
{
	for (int i = 0; i < bytes; i++)
		*to++ = (char)(x >> 8 * i);
	return to;
}

static inline char *
put_row(void *state, char *to, const struct rp_batch *b, size_t i)
{
	struct rp_lost *lost = state;
	uint64_t time = b->time ? b->time[i] : 0;
	uint8_t kind = b->kind[i];
	if (kind >= RP_KINDS) {
		lost->mark++;
		return to;
	}
	lost->write += kind == RP_WRITE;
	lost->atomic += kind == RP_ATOMIC;
	lost->prefetch += kind == RP_PREFETCH;
	lost->fetch += kind == RP_FETCH;
	lost->time += time > UINT32_MAX;
	lost->next_access++;
	to = put_le(to, time < UINT32_MAX ? time : UINT32_MAX, 4);
	to = put_le(to, rp_object_id(b->addr[i]), 8);
	to = put_le(to, b->size[i], 4);
	return put_le(to, UINT64_MAX, 8);
}

static bool
oracle_write(void *state, struct rp_out *out, const struct rp_batch *b, struct rp_err *err)
{
	rp_lost_columns(state, b, RP_COL_TIME);
	return rp_put_rows(state, out, b, RECORD, put_row, err);
}

static const struct rp_writer writer = {
	.state_bytes = sizeof(struct rp_lost),
	.write = oracle_write,
	.lost = rp_lost_told,
	.keeps = RP_COL_TIME,
	.sizes = true,
};

const struct rp_format rp_format_oracle = {
	.name = "oracleGeneral",
	.what = "libCacheSim oracleGeneral: whole objects, each a line at 64 * id (--object N: "
		"blocks of N bytes)",
	.source = "libCacheSim, traceReader/customizedReader/oracle/oracleGeneralBin.h",
	.probe = oracle_probe,
	.state_bytes = sizeof(struct oracle),
	.open = oracle_open,
	.read = oracle_read,
	.writer = &writer,
};

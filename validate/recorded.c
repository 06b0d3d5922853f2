/* recorded.c - what scan a recorded trace is.
 *
 * One pass, line by line. Of each worker the first and the last address are kept; the step is that of the first worker that
 * moves on. Turns are kept as they come: as long as all are equally long and go round, their number tells everything; from the
 * first that does not on they are listed. */
#include "config.h"

#include "validate/recorded.h"

#include "base/map.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS = 4096 };

/* A worker: what it has done. */
struct worker {
	uint32_t stream;
	uint64_t first, last; /* addresses */
};

/* A turn: lines that a worker takes without another between. */
struct turn {
	uint32_t worker;
	uint32_t lines;
};

struct reading {
	struct rp_map number; /* of a stream's worker, plus 1 */
	struct worker *worker;
	uint32_t workers, room;
	uint64_t step; /* 0: nobody moved on yet */
	bool wraps;
	uint64_t low, high;   /* where workers wrap to, and from */
	uint64_t least, most; /* addresses seen */
	struct turn at;       /* the turn at hand; lines 0: none yet */
	uint64_t turns;       /* ended */
	uint32_t length;      /* lines of the first turn that ended */
	bool round;           /* all turns so far are of that length and go round */
	uint64_t cycle;       /* of how many workers; 0: still the first time */
	struct turn *list;    /* all of them, if not */
	uint64_t list_room;
	uint64_t row;
};

static uint32_t
greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return (uint32_t)a;
}

/* The worker of a stream; a new one begins at this address. NULL: no memory. */
static struct worker *
worker_of(struct reading *r, uint32_t stream, uint64_t addr, bool *fresh, struct rp_err *err)
{
	uint64_t *number = rp_map_at(&r->number, stream, err);
	if (!number)
		return NULL;
	*fresh = !*number;
	if (*fresh) {
		if (r->workers == r->room) {
			uint32_t room = r->room ? 2 * r->room : 64;
			struct worker *grown = rp_mem_grow(r->worker, room, sizeof *grown, err);
			if (!grown)
				return NULL;
			r->worker = grown;
			r->room = room;
		}
		r->worker[r->workers] = (struct worker){ stream, addr, addr };
		*number = ++r->workers;
	}
	return &r->worker[*number - 1];
}

/* Moves a worker on, or round. */
static bool
move(struct reading *r, struct worker *w, uint64_t addr, struct rp_err *err)
{
	uint64_t from = w->last;
	w->last = addr;
	if (addr > from) {
		if (!r->step)
			r->step = addr - from;
		if (addr - from == r->step)
			return true;
	} else if (!r->wraps) {
		r->wraps = true;
		r->low = addr;
		r->high = from;
		return true;
	} else if (addr == r->low && from == r->high) {
		return true;
	}
	return rp_fail(err, RP_INPUT,
	    "access %" PRIu64 ": stream %" PRIu32 " goes from 0x%" PRIx64 " to 0x%" PRIx64
	    "; wanted the next of equal steps, or the first: this is no scan",
	    r->row, w->stream, from, addr);
}

static bool
list_turn(struct reading *r, struct turn t, struct rp_err *err)
{
	if (r->turns == r->list_room) {
		uint64_t room = r->list_room ? 2 * r->list_room : 1024;
		struct turn *grown = rp_mem_grow(r->list, room, sizeof *grown, err);
		if (!grown)
			return false;
		r->list = grown;
		r->list_room = room;
	}
	r->list[r->turns] = t;
	return true;
}

/* The turns so far, which went round, as a list. */
static bool
begin_list(struct reading *r, struct rp_err *err)
{
	uint64_t turns = r->turns, cycle = r->cycle ? r->cycle : turns;
	r->round = false;
	for (r->turns = 0; r->turns < turns; r->turns++)
		if (!list_turn(r, (struct turn){ (uint32_t)(r->turns % cycle), r->length }, err))
			return false;
	return true;
}

/* The turn at hand ends. */
static bool
end_turn(struct reading *r, struct rp_err *err)
{
	struct turn t = r->at;
	if (!r->turns)
		r->length = t.lines;
	if (r->turns && !r->cycle && !t.worker)
		r->cycle = r->turns; /* the first one again: all have come up */
	bool next = t.worker == (r->cycle ? r->turns % r->cycle : r->turns);
	if (r->round && (t.lines != r->length || !next) && !begin_list(r, err))
		return false;
	if (!r->round && !list_turn(r, t, err))
		return false;
	r->turns++;
	return true;
}

static bool
take_row(struct reading *r, const struct rp_batch *b, size_t i, struct rp_err *err)
{
	bool fresh;
	uint32_t stream = b->stream ? b->stream[i] : 0;
	uint64_t addr = b->addr[i];
	struct worker *w = worker_of(r, stream, addr, &fresh, err);
	if (!w || (!fresh && !move(r, w, addr, err)))
		return false;
	uint32_t number = (uint32_t)(w - r->worker);
	r->least = addr < r->least ? addr : r->least;
	r->most = addr > r->most ? addr : r->most;
	if (r->at.lines && r->at.worker != number) {
		if (!end_turn(r, err))
			return false;
		r->at.lines = 0;
	}
	r->at.worker = number;
	r->at.lines += r->at.lines < UINT32_MAX; /* one that is alone may take very many */
	r->row++;
	return true;
}

/* ---- What it comes to ---- */

static bool
find_blocks(struct rp_recorded *to, struct reading *r, uint64_t block, struct rp_err *err)
{
	uint64_t step = r->step ? r->step : 1, lines = r->workers > 1 ? r->length : 1;
	if (!r->round)
		for (uint64_t i = 0; i < r->turns; i++)
			lines = greatest_divisor(lines, r->list[i].lines);
	if (block && block % step)
		return rp_fail(err, RP_INPUT,
		    "the steps are of %" PRIu64 " bytes, of which a block of %" PRIu64
		    " is no multiple",
		    step, block);
	lines = block ? block / step : lines;
	uint64_t all = (r->most - r->least) / step + 1;
	if (r->wraps && (r->low != r->least || r->high != r->most))
		return rp_fail(err, RP_INPUT,
		    "workers go from 0x%" PRIx64 " to 0x%" PRIx64
		    ", but there are addresses from 0x%" PRIx64 " to 0x%" PRIx64,
		    r->high, r->low, r->least, r->most);
	if ((r->most - r->least) % step || all % lines)
		return rp_fail(err, RP_INPUT,
		    "%" PRIu64 " bytes in steps of %" PRIu64 ", %" PRIu64
		    " steps a block: no whole number of blocks",
		    r->most - r->least + step, step, lines);
	to->base = r->least;
	to->step = step;
	to->lines = lines;
	to->blocks = all / lines;
	to->wraps = r->wraps;
	return true;
}

static bool
find_workers(struct rp_recorded *to, const struct reading *r, struct rp_err *err)
{
	to->workers = r->workers;
	to->stream = rp_mem_array(r->workers, sizeof *to->stream, err);
	to->phase = rp_mem_array(r->workers, sizeof *to->phase, err);
	if (!to->stream || !to->phase)
		return false;
	for (uint32_t m = 0; m < r->workers; m++) {
		uint64_t at = r->worker[m].first - r->least;
		to->stream[m] = r->worker[m].stream;
		to->phase[m] = at / to->step / to->lines;
		if (at % (to->step * to->lines))
			return rp_fail(err, RP_INPUT,
			    "stream %" PRIu32 " begins at 0x%" PRIx64
			    ", which is no block's first byte",
			    r->worker[m].stream, r->worker[m].first);
	}
	return true;
}

/* The requests of a history, a turn at a time; what is left of a block at the end is none. */
static bool
find_requests(struct rp_recorded *to, const struct reading *r, struct rp_err *err)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < r->turns; i++)
		n += r->list[i].lines / to->lines;
	if (n > UINT64_C(1) << 28)
		return rp_fail(err, RP_RESOURCE,
		    "a history of %" PRIu64 " requests: at most 2^28 are kept; wanted --limit", n);
	to->worker = rp_mem_array(n, sizeof *to->worker, err);
	if (!to->worker)
		return false;
	for (uint64_t i = 0; i < r->turns; i++)
		for (uint64_t k = 0; k < r->list[i].lines / to->lines; k++)
			to->worker[to->requests++] = r->list[i].worker;
	return true;
}

static bool
conclude(struct rp_recorded *to, struct reading *r, uint64_t block, struct rp_err *err)
{
	if (!r->row)
		return rp_fail(err, RP_INPUT, "no access: wanted a scan");
	/* The last turn may be cut short. */
	if (r->workers > 1 && (!r->turns || r->at.lines == r->length || !r->round) &&
	    !end_turn(r, err))
		return false;
	if (!find_blocks(to, r, block, err) || !find_workers(to, r, err))
		return false;
	to->is_static = r->workers == 1 || (r->round && to->lines == r->length &&
					       (r->cycle ? r->cycle : r->turns) == r->workers);
	if (r->workers == 1)
		to->requests = r->row / to->lines;
	else if (to->is_static)
		to->requests = r->turns;
	else if (r->round && !begin_list(r, err))
		return false;
	if (to->is_static)
		to->rounds = to->requests / r->workers;
	return to->is_static || find_requests(to, r, err);
}

bool
rp_recorded_read(struct rp_recorded *to, struct rp_source *s, uint64_t block, struct rp_err *err)
{
	struct reading r = { .round = true, .least = UINT64_MAX };
	struct rp_batch *b = rp_batch_new(ROWS, s->trace->columns, err);
	ptrdiff_t n = b ? 1 : -1;
	*to = (struct rp_recorded){ 0 };
	while (n > 0) {
		rp_batch_clear(b);
		n = rp_source_pull(s, b, err);
		for (size_t i = 0; n > 0 && i < b->n; i++)
			if (b->kind[i] < RP_MARKS && !take_row(&r, b, i, err))
				n = -1;
	}
	bool ok = n == 0 && conclude(to, &r, block, err);
	rp_batch_free(b);
	rp_map_free(&r.number);
	free(r.worker);
	free(r.list);
	if (!ok)
		rp_recorded_free(to);
	return ok;
}

void
rp_recorded_free(struct rp_recorded *r)
{
	free(r->stream);
	free(r->phase);
	free(r->worker);
	*r = (struct rp_recorded){ 0 };
}

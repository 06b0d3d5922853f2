/* warp.c - warp instructions made into rows of a batch, and counted.
 *
 * Spaces are counted by opcode and on the addresses of the trace; where those are also what goes
 * to the cache, the transactions are the sectors and nothing is done twice. */
#include "config.h"

#include "traces/warp.h"

#include <inttypes.h>
#include <string.h>

enum { SECTOR = 32, LINE = 128, OLDEST_ARCH = 20 };

bool
rp_warp_rows_start(
    struct rp_warp_rows *r, const struct rp_read_opts *o, struct rp_trace *t, struct rp_err *err)
{
	if (o->arch && o->arch < OLDEST_ARCH)
		return rp_fail(err, RP_USAGE, "architecture %u: wanted an SM number, %d or above",
		    o->arch, OLDEST_ARCH);
	if (o->local_threads > UINT64_C(1) << 32)
		return rp_fail(err, RP_USAGE, "%" PRIu64 " local threads: wanted at most 2^32",
		    o->local_threads);
	r->trace = t;
	r->arch = o->arch;
	r->descending = o->descending;
	r->local.base = RP_LOCAL_BASE;
	r->local.threads = o->local_threads ? o->local_threads : RP_LOCAL_THREADS;
	t->columns = RP_WARP_COLUMNS;
	t->warps = t->has_gpu = true;
	return true;
}

static void
count(struct rp_gpu_space *s, enum rp_kind kind, uint32_t active,
    const struct rp_transaction *sector, size_t n)
{
	s->instructions++;
	s->lanes += (uint64_t)__builtin_popcount(active);
	*(kind == RP_WRITE ? &s->write_sectors : &s->read_sectors) += n;
	uint64_t lines = n > 0;
	for (size_t i = 1; i < n; i++)
		lines += sector[i].base / LINE != sector[i - 1].base / LINE;
	s->lines += lines;
}

/* Where a generic access goes: the first active lane decides. */
static enum rp_op_space
resolve(const struct rp_warp_rows *r, uint64_t addr)
{
	if (r->flat)
		return RP_OP_GLOBAL;
	if (!r->shared_base && !r->local_base)
		return RP_OP_SHARED;
	if (addr >= r->shared_base && addr < r->local_base)
		return RP_OP_SHARED;
	return addr >= r->local_base && addr - r->local_base < RP_LOCAL_WINDOW ? RP_OP_LOCAL
	                                                                       : RP_OP_GLOBAL;
}

/* Queues the transactions of a local access, whose addresses are offsets behind `window`. */
static void
queue_local(
    struct rp_warp_rows *r, const struct rp_op *op, const struct rp_warp *lanes, uint64_t window)
{
	struct rp_warp w = *lanes;
	size_t active = (size_t)__builtin_popcount(w.active);
	/* Offsets have 24 bits. Masking keeps a damaged one from reaching beyond all local
	 * memory. */
	for (size_t i = 0; i < active; i++)
		w.addr[i] = (w.addr[i] - window) & 0xffffff;
	r->local.thread = (uint64_t)r->stream * RP_LANES % r->local.threads;
	r->n = rp_coalesce_local(
	    &w, &r->local, rp_coalesce_segment(r->arch, op->size, op->bypasses), r->queue);
	r->flags |= RP_LOCAL;
}

static void
queue_global(struct rp_warp_rows *r, const struct rp_op *op, const struct rp_warp *lanes)
{
	if (op->kind == RP_ATOMIC)
		r->n = rp_coalesce_atomic(lanes, r->queue);
	else
		r->n = rp_coalesce(
		    lanes, rp_coalesce_segment(r->arch, op->size, op->bypasses), r->queue);
	r->flags |= RP_GLOBAL;
}

/* Whether the transactions that are queued for a space are at once its distinct sectors. */
static bool
are_sectors(const struct rp_warp_rows *r, const struct rp_op *op, enum rp_op_space space)
{
	return space == RP_OP_GLOBAL && op->kind != RP_ATOMIC &&
	       rp_coalesce_segment(r->arch, op->size, op->bypasses) == SECTOR;
}

static void
reverse(struct rp_transaction *t, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct rp_transaction x = t[i];
		t[i] = t[n - 1 - i];
		t[n - 1 - i] = x;
	}
}

static const char *
why_left_out(enum rp_op_space space)
{
	switch (space) {
	case RP_OP_SHARED:
		return "shared";
	case RP_OP_CONSTANT:
		return "constant";
	case RP_OP_TEXTURE:
		return "texture";
	default:
		return "unknown_opcode";
	}
}

bool
rp_warp_rows_take(struct rp_warp_rows *r, const struct rp_op *op, const struct rp_warp *lanes,
    uint32_t stream, uint64_t pc)
{
	struct rp_gpu_stats *g = &r->trace->gpu;
	enum rp_op_space space = op->space;
	g->memory_instructions++;
	if (!lanes->active) {
		g->mask_zero++;
		rp_trace_skip(r->trace, "mask_zero", 1);
		return false;
	}
	r->stream = stream;
	r->pc = pc;
	r->kind = (uint8_t)op->kind;
	r->flags = op->bypasses ? RP_BYPASS_L1 : 0;
	r->n = r->next = 0;
	if (space == RP_OP_GENERIC)
		space = resolve(r, lanes->addr[0]);
	if (space == RP_OP_GLOBAL)
		queue_global(r, op, lanes);
	else if (space == RP_OP_LOCAL)
		queue_local(r, op, lanes, op->space == RP_OP_GENERIC ? r->local_base : 0);
	else
		rp_trace_skip(r->trace, why_left_out(space), 1);
	if (are_sectors(r, op, space))
		count(&g->space[op->space], op->kind, lanes->active, r->queue, r->n);
	else if ((int)op->space < RP_GPU_SPACES)
		count(&g->space[op->space], op->kind, lanes->active, r->scratch,
		    rp_coalesce(lanes, SECTOR, r->scratch));
	if (r->descending)
		reverse(r->queue, r->n);
	return r->n > 0;
}

bool
rp_warp_rows_put(struct rp_warp_rows *r, struct rp_batch *out)
{
	for (; r->next < r->n; r->next++) {
		if (out->n == out->cap)
			return false;
		struct rp_transaction *t = &r->queue[r->next];
		rp_coalesce_shrink(t);
		struct rp_row row = rp_transaction_row(t);
		struct rp_access a = {
			.addr = row.addr,
			.pc = r->pc,
			.size = row.size,
			.stream = r->stream,
			.mask = row.mask,
			.kind = r->kind,
			.flags = (uint8_t)(r->flags | (r->next ? RP_SAME_INSTR : 0)),
		};
		rp_batch_put(out, &a);
	}
	return true;
}

/* Sets bit `index` of a set whose 64-bit words are kept under `key` and up; *fresh tells whether
 * it was clear. */
static bool
mark(struct rp_map *m, uint64_t key, uint32_t index, bool *fresh, struct rp_err *err)
{
	uint64_t *word = rp_map_at(m, key | index / 64, err), bit = UINT64_C(1) << index % 64;
	if (!word)
		return false;
	*fresh = !(*word & bit);
	*word |= bit;
	return true;
}

bool
rp_warp_seen(struct rp_warp_seen *s, struct rp_gpu_stats *g, uint32_t block, uint32_t stream,
    struct rp_err *err)
{
	bool new_warp, new_block;
	if (!mark(&s->map, 0, stream, &new_warp, err))
		return false;
	if (!new_warp)
		return true;
	if (!mark(&s->map, UINT64_C(1) << 32, block, &new_block, err))
		return false;
	g->warps++;
	g->blocks += new_block;
	return true;
}

enum { BEGUN = 1, SETTLED = 2, BLOCKS_A_WORD = 32 };

static uint64_t *
state_of(struct rp_block_order *o, uint32_t block, unsigned *shift, struct rp_err *err)
{
	*shift = block % BLOCKS_A_WORD * 2;
	return rp_map_at(&o->map, block / BLOCKS_A_WORD, err);
}

static bool
wait_for_row(struct rp_block_order *o, uint32_t block, struct rp_err *err)
{
	if (o->n == o->cap && o->first > o->cap / 2) {
		o->n -= o->first;
		memmove(o->waiting, o->waiting + o->first, o->n * sizeof *o->waiting);
		o->first = 0;
	} else if (o->n == o->cap) {
		size_t cap = 2 * o->cap + 16;
		uint32_t *p = rp_mem_grow(o->waiting, cap, sizeof *p, err);
		if (!p)
			return false;
		o->waiting = p;
		o->cap = cap;
	}
	o->waiting[o->n++] = block;
	return true;
}

bool
rp_block_begins(struct rp_block_order *o, uint32_t block, struct rp_err *err)
{
	unsigned shift;
	if (o->has_begun && o->last_begun == block)
		return true;
	uint64_t *state = state_of(o, block, &shift, err);
	if (!state || (!(*state >> shift & BEGUN) && !wait_for_row(o, block, err)))
		return false;
	*state |= (uint64_t)BEGUN << shift;
	o->last_begun = block;
	return o->has_begun = true;
}

bool
rp_block_has_row(struct rp_block_order *o, struct rp_trace *t, struct rp_kernel_launch *k,
    uint32_t block, struct rp_err *err)
{
	unsigned shift;
	if (o->has_row && o->last_of_row == block)
		return true;
	o->last_of_row = block;
	o->has_row = true;
	uint64_t *state = state_of(o, block, &shift, err);
	if (!state)
		return false;
	/* What has begun before it and still waits is overtaken now. */
	for (bool settled = *state >> shift & SETTLED; !settled && o->first < o->n;) {
		uint32_t b = o->waiting[o->first++];
		struct rp_block_run run = { o->at++, b, 1 };
		settled = b == block;
		state = state_of(o, b, &shift, err);
		if (!state || (!settled && !rp_launch_early(t, k, run, err)))
			return false;
		*state |= (uint64_t)SETTLED << shift;
	}
	return true;
}

void
rp_block_order_free(struct rp_block_order *o)
{
	rp_map_free(&o->map);
	free(o->waiting);
	*o = (struct rp_block_order){ 0 };
}

bool
rp_launch_sm(
    struct rp_trace *t, struct rp_kernel_launch *k, uint32_t block, uint32_t sm, struct rp_err *err)
{
	if (block >= RP_SM_BLOCKS_MOST)
		return true;
	if (block >= k->blocks) {
		size_t n = 2 * (size_t)block + 32;
		uint64_t there = (uint64_t)k->grid[0] * k->grid[1];
		if (k->grid[2] == 1 && n > there)
			n = (size_t)there;
		uint32_t *p = rp_arena_take(&t->arena, n * sizeof *p, err);
		if (!p)
			return false;
		for (size_t i = 0; i < n; i++)
			p[i] = i < k->blocks ? k->sm[i] : RP_SM_UNKNOWN;
		k->sm = p;
		k->blocks = n;
	}
	k->sm[block] = sm;
	return true;
}

static bool
is_unicode(const char *text)
{
	json_t *j = json_string(text);
	bool ok = j != NULL;
	json_decref(j);
	return ok;
}

bool
rp_launch_name(
    struct rp_trace *t, struct rp_kernel_launch *k, const char *name, size_t n, struct rp_err *err)
{
	char *copy = rp_arena_take(&t->arena, n + 1, err);
	if (!copy)
		return false;
	for (size_t i = 0; i < n; i++)
		copy[i] = (unsigned char)name[i] < ' ' || name[i] == 0x7f ? '?' : name[i];
	bool ok = is_unicode(copy);
	for (size_t i = 0; !ok && i < n; i++)
		if ((unsigned char)copy[i] >= 0x80)
			copy[i] = '?';
	k->name = copy;
	return true;
}

void
rp_launch_dims(struct rp_kernel_launch *k, const uint32_t grid[3], const uint32_t block[3])
{
	uint64_t threads = 1;
	for (int i = 0; i < 3; i++)
		if (__builtin_mul_overflow(threads, block[i], &threads))
			threads = UINT64_MAX;
	uint64_t warps = threads / RP_LANES + (threads % RP_LANES != 0);
	memcpy(k->grid, grid, sizeof k->grid);
	memcpy(k->block, block, sizeof k->block);
	k->warps = warps < 1 ? 1 : warps > UINT32_MAX ? UINT32_MAX : (uint32_t)warps;
}

bool
rp_block_index(const uint32_t grid[3], const uint64_t xyz[3], uint64_t *index)
{
	uint64_t i;
	if (xyz[0] >= grid[0] || xyz[1] >= grid[1] || xyz[2] >= grid[2])
		return false;
	if (__builtin_mul_overflow(xyz[2] * grid[1] + xyz[1], (uint64_t)grid[0], &i) ||
	    i + xyz[0] < i)
		return false;
	*index = i + xyz[0];
	return true;
}

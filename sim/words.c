/* words.c - sets of up to 16 ways whose order is a word: memory and choice of the loop. */
#include "config.h"

#include "sim/words.h"
#include "sim/kernels.h"
#include "sim/policy/duel.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 128 }; /* lookups at the end of a chunk, to guess what the next will do */

static bool
fits(const struct rp_cache_spec *s)
{
	return s->ways <= RP_WORDS_WAYS && rp_sets_fits(s);
}

/* The value of the policy's parameter; `otherwise` if it has no such. */
static uint64_t
param(const struct rp_cache_spec *s, const char *name, uint64_t otherwise)
{
	for (size_t i = 0; i < RP_POLICY_PARAMS && s->policy->params[i].name; i++)
		if (!strcmp(s->policy->params[i].name, name))
			return s->arg[i];
	return otherwise;
}

/* Trees: each node halves its ways; its bit is that of the first way of its second half. */
static void
grow(struct rp_words *c)
{
	uint32_t ways = c->sets.ways;
	for (uint32_t way = 0; way < ways; way++)
		for (uint32_t from = 0, n = ways; n > 1;) {
			uint32_t half = n - n / 2, middle = from + half;
			uint16_t bit = (uint16_t)(1u << middle);
			c->above[way] |= bit;
			c->second[way] |= way < middle ? 0 : bit;
			from = way < middle ? from : middle;
			n = way < middle ? half : n - half;
		}
	for (uint32_t way = ways; way < RP_WORDS_WAYS; way++)
		c->second[way] = 1; /* above nobody: nothing leads to a way that is not there */
}

/* Who is on which side of a duel, if there is one. */
static bool
take_sides(struct rp_words *c, struct rp_err *err)
{
	static const int8_t sides[] = { [RP_DUEL_FIRST] = 1, [RP_DUEL_SECOND] = -1 };
	const struct rp_cache_spec *s = c->sets.cache.spec;
	uint64_t leaders = param(s, "leaders", 0), leading = 0;
	c->psel = (unsigned)param(s, "psel", 1);
	c->duel = (int32_t)rp_duel_start(c->psel);
	c->side = rp_mem_array(leaders ? s->sets : 0, sizeof *c->side, err);
	for (uint32_t i = 0; c->side && leaders && i < s->sets; i++) {
		enum rp_duel_role role = rp_duel_role(i, s->sets, leaders);
		if (role == RP_DUEL_FOLLOWS) /* not to touch pages for nothing */
			continue;
		c->side[i] = sides[role];
		leading++;
	}
	c->many_lead = leading > s->sets / 8;
	return c->side != NULL;
}

/* `any`: the loop for predictions of other than two bits. */
static bool
open_words(
    struct rp_cache *cache, enum rp_words_loop loop, enum rp_words_loop any, struct rp_err *err)
{
	struct rp_words *c = (struct rp_words *)cache;
	const struct rp_cache_spec *s = cache->spec;
	if (!rp_sets_open(cache, RP_SETS_PLACED, err))
		return false;
	c->bits = (unsigned)param(s, "bits", 1);
	c->ones = (UINT64_MAX >> (64 - c->bits * s->ways)) / ((UINT64_C(1) << c->bits) - 1);
	c->loop = c->bits == 2 ? loop : any;
	c->range = param(s, "throttle", s->ways);
	c->drawn = RP_CHUNK;
	c->ahead = rp_sets_ahead(&c->sets);
	grow(c);
	c->sets.taken = rp_mem_array(s->sets, sizeof *c->sets.taken, err);
	c->word = rp_mem_array(loop == RP_WORDS_RANDOM ? 0 : s->sets, sizeof *c->word, err);
	return c->sets.taken && c->word && take_sides(c, err);
}

static void
close_words(struct rp_cache *cache)
{
	struct rp_words *c = (struct rp_words *)cache;
	free(c->sets.taken);
	free(c->word);
	free(c->side);
	rp_sets_close(cache);
}

/* Whether few of the last lookups of a chunk missed: fewer than one in four, where a branch begins to pay. */
static bool
few_missed(const uint8_t *outcome, size_t n)
{
	size_t last = n < LOOKED_AT ? n : LOOKED_AT, missed = 0;
	for (size_t i = n - last; i < n; i++)
		missed += outcome[i] & RP_MISSED;
	return missed < last / 4;
}

static bool
run(struct rp_cache *cache, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	struct rp_words *c = (struct rp_words *)cache;
	bool more = c->ahead || victim || cache->spec->allocate == RP_ALLOCATE_NO_WRITE;
	unsigned kind = more ? RP_WORDS_MORE : c->sets.lanes <= 8 ? RP_WORDS_8 : RP_WORDS_16;
	if (!rp_sets_prepare(&c->sets, in, err))
		return false;
	cache->kernels->words->run[c->loop][c->sets.wide][c->likely][kind](c, in, outcome, victim);
	rp_sets_victims(&c->sets, in->n, victim);
	c->likely = few_missed(outcome, in->n);
	return true;
}

#define WORDS_ENGINE(policy, loop, any)                                                            \
	static bool open_##policy(struct rp_cache *c, struct rp_err *err)                          \
	{                                                                                          \
		return open_words(c, loop, any, err);                                              \
	}                                                                                          \
	const struct rp_engine rp_engine_words_##policy = {                                        \
		.name = "words",                                                                   \
		.bytes = sizeof(struct rp_words),                                                  \
		.fits = fits,                                                                      \
		.indexed = true,                                                                   \
		.victims = true,                                                                   \
		.open = open_##policy,                                                             \
		.close = close_words,                                                              \
		.run = run,                                                                        \
		.clean = rp_sets_clean,                                                            \
		.drop = rp_sets_drop,                                                              \
		.walk = rp_sets_walk,                                                              \
		.soil = rp_sets_soil,                                                              \
	}
WORDS_ENGINE(random, RP_WORDS_RANDOM, RP_WORDS_RANDOM);
WORDS_ENGINE(fifo, RP_WORDS_FIFO, RP_WORDS_FIFO);
WORDS_ENGINE(clock, RP_WORDS_CLOCK, RP_WORDS_CLOCK);
WORDS_ENGINE(mru, RP_WORDS_MRU, RP_WORDS_MRU);
WORDS_ENGINE(plru, RP_WORDS_PLRU, RP_WORDS_PLRU);
WORDS_ENGINE(lip, RP_WORDS_LIP, RP_WORDS_LIP);
WORDS_ENGINE(bip, RP_WORDS_BIP, RP_WORDS_BIP);
WORDS_ENGINE(dip, RP_WORDS_DIP, RP_WORDS_DIP);
WORDS_ENGINE(nru, RP_WORDS_NRU, RP_WORDS_NRU);
WORDS_ENGINE(srrip, RP_WORDS_SRRIP, RP_WORDS_SRRIP_ANY);
WORDS_ENGINE(brrip, RP_WORDS_BRRIP, RP_WORDS_BRRIP_ANY);
WORDS_ENGINE(drrip, RP_WORDS_DRRIP, RP_WORDS_DRRIP_ANY);

/* sieve - a queue in order of filling; a hand goes from its end to its front and replaces the first line not used since it
 * last came by.
 *
 * State of a set: the queue, the hand (0: at the end), whether each way was used. Lines never move in the queue: a line that
 * the hand passes stays where it is, unlike in clock, where it would go to the front. */
#include "config.h"

#include "sim/lists.h"
#include "sim/queues.h"
#include "sim/policy.h"
#include "sim/policy/queue.h"

struct sieve {
	struct rp_queue queue; /* the newest first */
	uint32_t hand;         /* way + 1 */
};

static struct rp_hook *
hooks(struct sieve *s)
{
	return (struct rp_hook *)(void *)(s + 1);
}

static uint8_t *
used(struct sieve *s, uint32_t ways)
{
	return (uint8_t *)(hooks(s) + ways);
}

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)arg;
	return sizeof(struct sieve) + (size_t)ways * (sizeof(struct rp_hook) + 1);
}

static void
hit(const struct rp_at *at, uint32_t way)
{
	used(at->set, at->ways)[way] = 1;
}

static void
fill(const struct rp_at *at, uint32_t way)
{
	struct sieve *s = at->set;
	rp_queue_push(&s->queue, hooks(s), way);
	used(s, at->ways)[way] = 0;
}

static void
drop(const struct rp_at *at, uint32_t way)
{
	struct sieve *s = at->set;
	if (s->hand == way + 1)
		s->hand = hooks(s)[way].before;
	rp_queue_take(&s->queue, hooks(s), way);
}

static uint32_t
victim(const struct rp_at *at)
{
	struct sieve *s = at->set;
	const struct rp_hook *hook = hooks(s);
	uint8_t *use = used(s, at->ways);
	uint32_t w = (s->hand ? s->hand : s->queue.last) - 1;
	while (use[w]) {
		use[w] = 0;
		w = (hook[w].before ? hook[w].before : s->queue.last) - 1;
	}
	s->hand = w + 1;
	drop(at, w);
	return w;
}

const struct rp_policy rp_policy_sieve = {
	.abi = RP_POLICY_ABI,
	.name = "sieve",
	.what = "a hand goes over the lines from old to new and replaces the first one unused "
		"since it last came by",
	.source = "Zhang et al., NSDI 2024, Algorithm 1",
	.set_bytes = set_bytes,
	.hit = hit,
	.fill = fill,
	.drop = drop,
	.victim = victim,
	.engines = { &rp_engine_lists_sieve, &rp_engine_queues_sieve },
};

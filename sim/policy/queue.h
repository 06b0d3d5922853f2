/* queue.h - queues of numbered things, for policies that keep several: a thing is in one of them or in none.
 *
 * Links are a thing's number plus one, so that zeroes are empty queues. Everything takes constant time. */
#ifndef RP_SIM_POLICY_QUEUE_H
#define RP_SIM_POLICY_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct rp_hook {
	uint32_t before, after;
};

/* The hooks are an array beside it, by number; those of things in no queue are of no meaning. */
struct rp_queue {
	uint32_t first, last, n;
};

/* Puts thing i, which is in no queue, first. */
static inline void
rp_queue_push(struct rp_queue *q, struct rp_hook *hook, uint32_t i)
{
	hook[i] = (struct rp_hook){ .before = 0, .after = q->first };
	*(q->first ? &hook[q->first - 1].before : &q->last) = i + 1;
	q->first = i + 1;
	q->n++;
}

/* Takes thing i, which is in the queue, out of it. */
static inline void
rp_queue_take(struct rp_queue *q, struct rp_hook *hook, uint32_t i)
{
	uint32_t before = hook[i].before, after = hook[i].after;
	*(before ? &hook[before - 1].after : &q->first) = after;
	*(after ? &hook[after - 1].before : &q->last) = before;
	q->n--;
}

/* The last thing of a queue that is not empty. */
static inline uint32_t
rp_queue_last(const struct rp_queue *q)
{
	return q->last - 1;
}

/* Bytes of a part of a set's state, rounded up so that any part may follow. */
static inline size_t
rp_part_bytes(size_t n, size_t size)
{
	return (n * size + 7) & ~(size_t)7;
}

#endif

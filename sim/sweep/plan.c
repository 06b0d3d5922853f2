/* plan.c - the caches of a sweep: a grid of specifications written out, and how each of them is to be computed. */
#include "config.h"

#include "sim/sweep/plan.h"
#include "sim/observe/grid.h"
#include "sim/sweep/axes.h"
#include "sim/sweep/same.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A plan that is being made. */
struct making {
	struct rp_sweep_plan *plan;
	const struct rp_sweep_axes *axes;
	const struct rp_sweep_count *count;
	struct rp_sweep_values v[RP_AXES];
	size_t at[RP_AXES]; /* the combination at hand */
	size_t room;
	struct rp_map written, computed; /* hash of a specification: number of its point, and 1 */
	struct rp_buf all;               /* the specifications, for the plan's hash */
};

static const char *
value(const struct making *m, enum rp_sweep_axis axis)
{
	return m->v[axis].value[m->at[axis]].text;
}

/* Whether the axis says something in the combination at hand. */
static bool
says(const struct making *m, enum rp_sweep_axis axis)
{
	const char *mshr = value(m, RP_AXIS_MSHR);
	if (axis > RP_AXIS_MSHR)
		return mshr && strcmp(mshr, "none") != 0;
	return axis < RP_AXIS_SIZE || axis > RP_AXIS_INDEX ||
	       !rp_policy_find_with(value(m, RP_AXIS_POLICY), m->axes->plugins, NULL)->unbounded;
}

/* A key that the policy has and specifications in general do not: those of other policies are not for it. */
static bool
belongs(const struct rp_policy *p, const char *with)
{
	size_t n = strcspn(with, "=");
	char key[64];
	snprintf(key, sizeof key, "%.*s", (int)(n < 60 ? n : 60), with);
	for (size_t i = 0; i < RP_POLICY_PARAMS && p->params[i].name; i++)
		if (!strcmp(p->params[i].name, key))
			return true;
	return rp_cache_spec_has_key(key);
}

/* A key of --with is somebody's, and has no option of its own. */
static bool
check_with(const struct making *m, struct rp_err *err)
{
	for (size_t i = 0; i < m->axes->n_with; i++) {
		const char *with = m->axes->with[i];
		size_t n = strcspn(with, "=");
		bool any = false;
		if (!with[n] || !n)
			return rp_fail(err, RP_USAGE, "--with: '%.40s': wanted KEY=VALUE", with);
		for (unsigned a = 0; a < RP_AXES; a++)
			if (strlen(rp_sweep_axis_name[a]) == n &&
			    !strncmp(rp_sweep_axis_name[a], with, n))
				return rp_fail(err, RP_USAGE,
				    "--with: '%s' has an option of its own: --%s",
				    rp_sweep_axis_name[a], rp_sweep_axis_name[a]);
		if (!strncmp(with, "name=", 5) || !strncmp(with, "seed=", 5))
			return rp_fail(
			    err, RP_USAGE, "--with: '%.4s' is none of a sweep's keys", with);
		for (size_t p = 0; p < m->v[RP_AXIS_POLICY].n; p++)
			any |= belongs(rp_policy_find_with(m->v[RP_AXIS_POLICY].value[p].text,
					   m->axes->plugins, NULL),
			    with);
		if (!any)
			return rp_fail(err, RP_USAGE,
			    "--with: '%.*s' is a key of none of the policies",
			    (int)(n < 40 ? n : 40), with);
	}
	return true;
}

static bool
check_axes(const struct making *m, struct rp_err *err)
{
	const struct rp_sweep_axes *a = m->axes;
	bool bounded = false;
	uint64_t all = 1;
	for (unsigned k = 0; k < RP_AXES; k++)
		if ((all *= m->v[k].n) > RP_SWEEP_POINTS)
			return rp_fail(err, RP_USAGE, "more than %d combinations of the lists",
			    RP_SWEEP_POINTS);
	for (size_t p = 0; p < m->v[RP_AXIS_POLICY].n; p++)
		bounded |=
		    !rp_policy_find_with(m->v[RP_AXIS_POLICY].value[p].text, a->plugins, NULL)
			 ->unbounded;
	if (bounded && !a->size && !(a->sets && a->ways))
		return rp_fail(err, RP_USAGE,
		    "wanted --size, as in --size 16KiB..1MiB --ways 8, or --sets and --ways");
	if (!bounded && (a->size || a->sets || a->ways))
		return rp_fail(err, RP_USAGE,
		    "--%s: a cache of %s has no size; leave it out, or add a policy that has one",
		    a->size   ? "size"
		    : a->sets ? "sets"
			      : "ways",
		    m->v[RP_AXIS_POLICY].value[0].text);
	if (!a->mshr && (a->merge || a->latency))
		return rp_fail(err, RP_USAGE, "--%s: wanted --mshr too, as in --mshr 8..64",
		    a->merge ? "merge" : "latency");
	return check_with(m, err);
}

/* The specification of the combination at hand. */
static bool
spell(const struct making *m, struct rp_buf *to, struct rp_err *err)
{
	const char *policy = value(m, RP_AXIS_POLICY);
	const struct rp_policy *p = rp_policy_find_with(policy, m->axes->plugins, NULL);
	bool waits = says(m, RP_AXIS_LATENCY);
	to->n = 0;
	bool ok = rp_buf_printf(to, err, "%s", policy);
	for (unsigned a = RP_AXIS_LINE; a < RP_AXES; a++) {
		const char *x = value(m, a);
		if (x && says(m, a) && (a != RP_AXIS_MSHR || waits))
			ok = ok && rp_buf_printf(to, err, ",%s=%s", rp_sweep_axis_name[a], x);
	}
	for (size_t i = 0; i < m->axes->n_with; i++) {
		const char *with = m->axes->with[i];
		bool waiting = !strncmp(with, "stall=", 6) || !strncmp(with, "clock=", 6);
		if (belongs(p, with) && (waits || !waiting))
			ok = ok && rp_buf_printf(to, err, ",%s", with);
	}
	return ok && (!m->count->wants->classify || p->unbounded ||
			 rp_buf_printf(to, err, ",classify=yes"));
}

/* Which way the counters of a cache can be had that is the plainest of its kind. */
static enum rp_sweep_how
how_of(const struct rp_cache_spec *s, const struct rp_sweep_count *count)
{
	const struct rp_sweep_wants *w = count->wants;
	bool lru = s->policy == rp_policy_find("lru", NULL) && s->index == RP_INDEX_MOD &&
	           s->write == RP_WRITE_BACK && s->allocate == RP_ALLOCATE_WRITE &&
	           s->sector == s->line && !s->mshr.on && !s->classify && !count->once;
	bool power = !(s->sets & (s->sets - 1)) && s->sets <= UINT32_C(1) << RP_GRID_SET_BITS;
	if (lru && !w->no_grid && power && s->ways <= RP_GRID_WAYS &&
	    s->line >= UINT32_C(1) << RP_GRID_LINE_BITS &&
	    s->line <= UINT32_C(1) << RP_GRID_LINE_MOST)
		return RP_SWEEP_GRID;
	if (lru && !w->no_stack && s->sets == 1)
		return RP_SWEEP_STACK;
	return RP_SWEEP_REPLAY;
}

/* The number under which a text is known, or `own`, under which it then is. Texts of equal hashes that differ are not told
 * apart here, but by the caller. */
static bool
look_up(struct rp_map *map, const char *text, size_t own, size_t *number, struct rp_err *err)
{
	uint64_t *at = rp_map_at(map, rp_hash_bytes(text, strlen(text)), err);
	if (!at)
		return false;
	if (!*at)
		*at = own + 1;
	*number = (size_t)(*at - 1);
	return true;
}

/* Whether a point's plainest cache is spelled like that. */
static bool
spelled(const struct making *m, size_t point, bool plainest, const char *text, bool *yes,
    struct rp_err *err)
{
	const struct rp_cache_spec *s = &m->plan->point[point].spec;
	struct rp_cache_spec plain = rp_sweep_plainest(s, m->count->wants);
	char *own = rp_cache_spec_print(plainest ? &plain : s, err);
	*yes = own && !strcmp(own, text);
	free(own);
	return own;
}

/* Which point is computed for the last one, spelled `text` in full. *repeated: it is one before, all of it. */
static bool
find_same(struct making *m, const char *text, bool *repeated, struct rp_err *err)
{
	size_t own = m->plan->n, other;
	struct rp_sweep_point *p = &m->plan->point[own];
	struct rp_cache_spec plain = rp_sweep_plainest(&p->spec, m->count->wants);
	*repeated = false;
	p->as = own;
	p->how = how_of(&plain, m->count);
	if (!look_up(&m->written, text, own, &other, err) ||
	    (other < own && !spelled(m, other, false, text, repeated, err)))
		return false;
	if (*repeated)
		return true;
	bool yes = false;
	char *key = rp_cache_spec_print(&plain, err);
	bool ok = key && look_up(&m->computed, key, own, &other, err) &&
	          (other == own || spelled(m, other, true, key, &yes, err));
	if (yes)
		p->as = other;
	free(key);
	return ok;
}

static bool
point_room(struct making *m, struct rp_err *err)
{
	if (m->plan->n < m->room)
		return true;
	size_t room = m->room ? 2 * m->room : 64;
	struct rp_sweep_point *grown = rp_mem_grow(m->plan->point, room, sizeof *grown, err);
	if (!grown)
		return false;
	m->plan->point = grown;
	m->room = room;
	return true;
}

static bool
keep_why(struct making *m, const struct rp_err *why, struct rp_err *err)
{
	if (!m->plan->left_out++)
		snprintf(m->plan->why, sizeof m->plan->why, "%s", why->text);
	for (unsigned a = 0; a < RP_AXES; a++) {
		struct rp_sweep_value *x = &m->v[a].value[m->at[a]];
		if (!x->fits && !x->why && !(x->why = rp_mem_string(why->text, err)))
			return false;
	}
	return true;
}

/* The combination at hand becomes a point, unless it is no cache or is one already. */
static bool
add_point(struct making *m, struct rp_buf *text, struct rp_err *err)
{
	struct rp_err why = { 0 };
	bool repeated;
	if (!point_room(m, err) || !spell(m, text, err))
		return false;
	struct rp_sweep_point *p = &m->plan->point[m->plan->n];
	*p = (struct rp_sweep_point){ .mine = true };
	if (!rp_cache_spec_parse_with(
		(const char *)text->bytes, 64, m->axes->seed, m->axes->plugins, &p->spec, &why)) {
		if (why.code == RP_USAGE)
			return keep_why(m, &why, err);
		return rp_fail(err, why.code, "%s", why.text);
	}
	for (unsigned a = 0; a < RP_AXES; a++)
		m->v[a].value[m->at[a]].fits |= says(m, a);
	char *full = rp_cache_spec_print(&p->spec, err);
	bool ok = full && find_same(m, full, &repeated, err);
	if (ok && !repeated)
		ok = rp_buf_printf(&m->all, err, "%s\n", full);
	free(full);
	if (!ok || repeated) {
		rp_cache_spec_free(&p->spec);
		m->plan->repeated += ok;
		return ok;
	}
	m->plan->n++;
	return true;
}

/* The next combination: false behind the last. Of merge and latency there is one where there are no MSHRs. */
static bool
step(struct making *m)
{
	bool waits = says(m, RP_AXIS_LATENCY);
	for (unsigned a = RP_AXES; a-- > 0;) {
		if ((a <= RP_AXIS_MSHR || waits) && ++m->at[a] < m->v[a].n)
			return true;
		m->at[a] = 0;
	}
	return false;
}

static bool
all_fit(const struct making *m, struct rp_err *err)
{
	if (!m->plan->n)
		return rp_fail(err, RP_USAGE, "%s", m->plan->why);
	for (unsigned a = 0; a < RP_AXES; a++)
		for (size_t i = 0; i < m->v[a].n; i++) {
			const struct rp_sweep_value *x = &m->v[a].value[i];
			if (x->text && !x->fits && x->why)
				return rp_fail(err, RP_USAGE, "--%s %s fits no combination: %s",
				    rp_sweep_axis_name[a], x->text, x->why);
		}
	return true;
}

/* Points of a line size that one pass computes are of one share; others each are of one. */
static bool
number_shares(struct making *m, struct rp_err *err)
{
	struct rp_sweep_plan *plan = m->plan;
	struct rp_map lines = { 0 };
	bool ok = true;
	for (size_t i = 0; ok && i < plan->n; i++) {
		struct rp_sweep_point *p = &plan->point[i];
		if (p->as != i) {
			p->share = plan->point[p->as].share;
		} else if (p->how == RP_SWEEP_REPLAY) {
			p->share = plan->shares++;
		} else {
			uint64_t *at = rp_map_at(&lines, 2 * (uint64_t)p->spec.line + p->how, err);
			ok = at != NULL;
			if (ok && !*at)
				*at = ++plan->shares;
			p->share = ok ? (size_t)(*at - 1) : 0;
		}
	}
	rp_map_free(&lines);
	return ok;
}

static bool
make_counters(struct rp_sweep_plan *plan, struct rp_err *err)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct rp_sweep_point *p = &plan->point[i];
		if (p->as == i && !(p->counters = rp_mem_array(1, sizeof *p->counters, err)))
			return false;
	}
	return true;
}

/* The grid in full, and what is counted. */
static bool
hash_all(struct making *m, struct rp_err *err)
{
	const struct rp_sweep_wants *w = m->count->wants;
	bool ok = rp_buf_printf(&m->all, err, "once=%d flush=%d warmup=%" PRIu64, m->count->once,
	    m->count->flush, m->count->warmup);
	for (size_t i = 0; i < w->n; i++)
		ok = ok && rp_buf_printf(&m->all, err, " %s", w->row[i]->name);
	m->plan->hash = ok ? rp_hash_bytes(m->all.bytes, m->all.n) : 0;
	return ok;
}

bool
rp_sweep_plan_make(struct rp_sweep_plan *out, const struct rp_sweep_axes *axes,
    const struct rp_sweep_count *count, struct rp_err *err)
{
	struct making m = { .plan = out, .axes = axes, .count = count };
	struct rp_buf text = { 0 };
	*out = (struct rp_sweep_plan){ 0 };
	bool ok = rp_sweep_values_make(m.v, axes, err) && check_axes(&m, err);
	if (ok)
		do
			ok = add_point(&m, &text, err);
		while (ok && step(&m));
	ok = ok && all_fit(&m, err) && number_shares(&m, err) && make_counters(out, err) &&
	     hash_all(&m, err);
	rp_sweep_values_free(m.v);
	rp_map_free(&m.written);
	rp_map_free(&m.computed);
	rp_buf_free(&m.all);
	rp_buf_free(&text);
	return ok;
}

void
rp_sweep_plan_free(struct rp_sweep_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		rp_cache_spec_free(&plan->point[i].spec);
		free(plan->point[i].counters);
	}
	free(plan->point);
	*plan = (struct rp_sweep_plan){ 0 };
}

void
rp_sweep_plan_share(struct rp_sweep_plan *plan, uint64_t share, uint64_t of)
{
	for (size_t i = 0; i < plan->n; i++)
		plan->point[i].mine = plan->point[i].share % of == share - 1;
}

size_t
rp_sweep_plan_computed(const struct rp_sweep_plan *plan)
{
	size_t n = 0;
	for (size_t i = 0; i < plan->n; i++)
		n += rp_sweep_is_own(plan, i);
	return n;
}

size_t
rp_sweep_plan_left(const struct rp_sweep_plan *plan)
{
	size_t n = 0;
	for (size_t i = 0; i < plan->n; i++)
		n += rp_sweep_is_own(plan, i) && !plan->point[i].done;
	return n;
}

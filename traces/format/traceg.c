/* traceg.c - a kernel of Accel-Sim's tracer, grouped by block and warp. */
#include "config.h"

#include "traces/format/accelsim.h"

static int
probe(const unsigned char *head, size_t n)
{
	return rp_accelsim_probe(head, n, RP_ACCELSIM_GROUPED);
}

static bool
traceg_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	return rp_accelsim_open(state, in, o, t, RP_ACCELSIM_GROUPED, err);
}

static ptrdiff_t
traceg_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	return rp_accelsim_read(state, in, out, err);
}

static void
traceg_close(void *state)
{
	rp_accelsim_close(state);
}

const struct rp_format rp_format_traceg = {
	.name = "traceg",
	.what = "a GPU kernel traced by Accel-Sim, grouped by block and warp (versions 1.2 to 6)",
	.source = "Accel-Sim (Khairy et al., ISCA 2020), util/tracer_nvbit",
	.probe = probe,
	.state_bytes = sizeof(struct rp_accelsim),
	.open = traceg_open,
	.read = traceg_read,
	.close = traceg_close,
};

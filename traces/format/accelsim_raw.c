/* accelsim_raw.c - a kernel of Accel-Sim's tracer, in order of arrival. */
#include "config.h"

#include "traces/format/accelsim.h"

static int
probe(const unsigned char *head, size_t n)
{
	return rp_accelsim_probe(head, n, RP_ACCELSIM_RAW);
}

static bool
raw_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	return rp_accelsim_open(state, in, o, t, RP_ACCELSIM_RAW, err);
}

static ptrdiff_t
raw_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	return rp_accelsim_read(state, in, out, err);
}

static void
raw_close(void *state)
{
	rp_accelsim_close(state);
}

const struct rp_format rp_format_accelsim_raw = {
	.name = "accelsim-raw",
	.what = "a GPU kernel traced by Accel-Sim, in order of arrival: .trace (versions 1.2 to 6)",
	.source = "Accel-Sim (Khairy et al., ISCA 2020), util/tracer_nvbit",
	.probe = probe,
	.state_bytes = sizeof(struct rp_accelsim),
	.open = raw_open,
	.read = raw_read,
	.close = raw_close,
};

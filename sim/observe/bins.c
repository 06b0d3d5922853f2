/* bins.c - ranges that numbers are counted in. */
#include "config.h"

#include "sim/observe/bins.h"

#include "base/parse.h"

#include <string.h>

bool
rp_bins_parse(const char *text, struct rp_bins *out, struct rp_err *err)
{
	static const char linear[] = "linear:";
	struct rp_bins b = { RP_BINS_EXACT, 1 };
	if (!strcmp(text, "log"))
		b.kind = RP_BINS_LOG;
	else if (!strncmp(text, linear, sizeof linear - 1)) {
		b.kind = RP_BINS_LINEAR;
		if (!rp_parse_u64(text + sizeof linear - 1, &b.width, err))
			return false;
		if (!b.width)
			return rp_fail(err, RP_USAGE, "'%s': wanted a width of 1 or more", text);
	} else if (strcmp(text, "exact"))
		return rp_fail(err, RP_USAGE, "'%.40s': wanted exact, linear:W or log", text);
	*out = b;
	return true;
}

uint64_t
rp_bins_low(const struct rp_bins *b, uint64_t x)
{
	if (b->kind == RP_BINS_LOG)
		return rp_log_low(rp_log_bin(x, RP_LOG_BITS), RP_LOG_BITS);
	return b->kind == RP_BINS_LINEAR ? x - x % b->width : x;
}

uint64_t
rp_bins_high(const struct rp_bins *b, uint64_t x)
{
	if (b->kind == RP_BINS_LOG)
		return rp_log_high(x, RP_LOG_BITS);
	if (b->kind != RP_BINS_LINEAR)
		return x;
	uint64_t low = x - x % b->width;
	return low + (b->width - 1) < low ? UINT64_MAX : low + (b->width - 1);
}

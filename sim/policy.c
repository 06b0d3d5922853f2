/* policy.c - finds a replacement policy by its name. */
#include "config.h"

#include "sim/policy.h"

#include "base/parse.h"

#include <string.h>

enum { NAMES_MOST = 64 };

const struct rp_policy *
rp_policy_find(const char *name, struct rp_err *err)
{
	const char *names[NAMES_MOST];
	size_t n = 0;
	for (const struct rp_policy *const *p = rp_policies; *p; p++) {
		if (!strcmp((*p)->name, name))
			return *p;
		if (n < NAMES_MOST)
			names[n++] = (*p)->name;
	}
	const char *near = rp_nearest(name, names, n);
	if (near)
		rp_fail(err, RP_USAGE,
		    "no policy '%.40s'; did you mean '%s'? (reprise help policies)", name, near);
	else
		rp_fail(err, RP_USAGE, "no policy '%.40s' (reprise help policies)", name);
	return NULL;
}

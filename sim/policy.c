/* policy.c - finds a replacement policy by its name. */
#include "config.h"

#include "sim/policy.h"
#include "sim/plugin.h"

#include "base/parse.h"

#include <string.h>

enum { NAMES_MOST = 64 };

/* The one of that name in a list that ends in NULL, or NULL; adds the names passed by to those there are. */
static const struct rp_policy *
look(const struct rp_policy *const *p, const char *name, const char **names, size_t *n)
{
	for (; p && *p; p++) {
		if (!strcmp((*p)->name, name))
			return *p;
		if (*n < NAMES_MOST)
			names[(*n)++] = (*p)->name;
	}
	return NULL;
}

const struct rp_policy *
rp_policy_find(const char *name, struct rp_err *err)
{
	return rp_policy_find_with(name, NULL, err);
}

const struct rp_policy *
rp_policy_find_with(const char *name, const struct rp_plugins *plugins, struct rp_err *err)
{
	const char *names[NAMES_MOST];
	size_t n = 0;
	const struct rp_policy *found = look(rp_policies, name, names, &n);
	if (!found && plugins)
		found = look(plugins->policy, name, names, &n);
	if (found)
		return found;
	const char *near = rp_nearest(name, names, n);
	if (near)
		rp_fail(err, RP_USAGE,
		    "no policy '%.40s'; did you mean '%s'? (reprise help policies)", name, near);
	else
		rp_fail(err, RP_USAGE, "no policy '%.40s' (reprise help policies)", name);
	return NULL;
}

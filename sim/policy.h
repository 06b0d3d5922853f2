/* policy.h - what a replacement policy is.
 *
 * A policy is one file in sim/policy/ that ends in one `const struct rp_policy`; the table of all is made by the build. The
 * struct is in the public header, as that of a plug-in (sim/plugin.h) is the same. A policy without `victim` is run by its
 * engines alone, one of which then fits everything. */
#ifndef RP_SIM_POLICY_H
#define RP_SIM_POLICY_H

#include "reprise.h"

#include "base/err.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

static inline bool
rp_param_is_yes_no(const struct rp_param *p)
{
	return p->least == 0 && p->most == 1;
}

extern const struct rp_policy *const rp_policies[]; /* ends in NULL; made by the build */

struct rp_plugins;

/* The built-in policy called `name`; NULL with *err (RP_USAGE, with the nearest name). */
const struct rp_policy *rp_policy_find(const char *name, struct rp_err *err);

/* The same, and it may be one of the plug-ins (NULL: none). */
const struct rp_policy *rp_policy_find_with(
    const char *name, const struct rp_plugins *plugins, struct rp_err *err);

#endif

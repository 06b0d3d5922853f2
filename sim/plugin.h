/* plugin.h - policies of the user's own, in shared objects (src/reprise.h tells what they export). */
#ifndef RP_SIM_PLUGIN_H
#define RP_SIM_PLUGIN_H

#include "sim/policy.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Those of one run. Starts as zeroes. */
struct rp_plugins {
	const struct rp_policy *
	    *policy; /* in the order they were loaded; ends in NULL, NULL if there are none */
	size_t n;
	void **handle; /* private to plugin.c */
};

/* Loads the policy that the file exports as `rp_plugin`; what is loaded already stays if it fails. RP_INPUT: there is no
 * such file, it is no shared object that can be loaded, or it exports no policy, one for another interface, or one whose
 * description is wrong; RP_USAGE: its name is taken. */
bool rp_plugins_load(struct rp_plugins *p, const char *path, struct rp_err *err);

/* Unloads them: nothing may use their policies any more. */
void rp_plugins_free(struct rp_plugins *p);

#endif

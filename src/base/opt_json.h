/* opt_json.h - the values of a table of options, for those who want to know later what was asked for. */
#ifndef RP_BASE_OPT_JSON_H
#define RP_BASE_OPT_JSON_H

#include "base/opt.h"

#include <jansson.h>

/* {"name": value, ...} of the rows, as rp_opts_set takes them again: numbers are numbers (above 2^63 - 1 they are texts, as
 * JSON's are signed), flags true or false, choices by name. Without rows of several values, and without texts that are not
 * set. Gives; NULL without memory. */
json_t *rp_opts_json(const struct rp_opt *rows, const void *values);

#endif

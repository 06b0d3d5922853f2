/* model_pascal.h - the results of `reprise model pascal`, for people and as CSV, from its JSON document. */
#ifndef RP_MODEL_PASCAL_H
#define RP_MODEL_PASCAL_H

#include "base/emit.h"

bool model_pascal_text(struct rp_out *to, json_t *doc, struct rp_err *err);
bool model_pascal_csv(struct rp_out *to, json_t *doc, struct rp_err *err);

#endif

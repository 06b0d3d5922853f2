/* opt.h - Belady's MIN: loops that know when each line is used next. */
#ifndef RP_SIM_OPT_H
#define RP_SIM_OPT_H

enum { RP_OPT_BYPASS }; /* the policy's parameters */

#endif

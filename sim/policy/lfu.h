/* lfu.h - how far uses of a line are counted, for all that run lfu. */
#ifndef RP_SIM_POLICY_LFU_H
#define RP_SIM_POLICY_LFU_H

#include <stdint.h>

/* Uses are not counted beyond: lines with so many are replaced in order of use. */
enum { RP_LFU_USES = INT32_MAX };

#endif

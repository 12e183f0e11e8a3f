/* host_parts.h - what waking threads costs, across processes. Internal to nitro/. */
#ifndef NITRO_KIT_HOST_PARTS_H
#define NITRO_KIT_HOST_PARTS_H

/** Share what waking threads costs with all processes that are forked from now on: the least that
 *  one of them measures counts for all. Safe from any thread. */
void nitro_host_share_wake_cost(void);

#endif

/* redis_slot.h - the cluster slot of a key. */
#ifndef NITRO_STORE_REDIS_REDIS_SLOT_H
#define NITRO_STORE_REDIS_REDIS_SLOT_H

#define NITRO_REDIS_NUM_SLOTS 16384

/** CRC16 of the key's hash tag, or of the whole key without one, as the cluster specification
 * requires. */
unsigned nitro_redis_slot(const char *key);

#endif

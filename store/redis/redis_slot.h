/* redis_slot.h - which slot of a cluster a key is on. */
#ifndef NITRO_STORE_REDIS_REDIS_SLOT_H
#define NITRO_STORE_REDIS_REDIS_SLOT_H

#define NITRO_REDIS_NUM_SLOTS 16384

/** CRC16 of the key's hash tag, or of all of it, as the cluster specification says. */
unsigned nitro_redis_slot(const char *key);

#endif

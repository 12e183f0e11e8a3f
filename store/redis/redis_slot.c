/* Slots of a Redis Cluster, by the text in a key's first pair of braces. */
#include <stddef.h>
#include <string.h>

#include "store/redis/redis_slot.h"

/* CRC16 with the polynomial 0x1021, most significant bit first, from 0. */
static unsigned crc16(const char *bytes, size_t size)
{
    unsigned crc = 0;
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned)(unsigned char)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
        crc &= 0xFFFF;
    }
    return crc;
}

unsigned nitro_redis_slot(const char *key)
{
    const char *open = strchr(key, '{'), *close = open ? strchr(open, '}') : NULL;
    if (close && close > open + 1)
        return crc16(open + 1, (size_t)(close - open - 1)) % NITRO_REDIS_NUM_SLOTS;
    return crc16(key, strlen(key)) % NITRO_REDIS_NUM_SLOTS;
}

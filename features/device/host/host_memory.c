/* Peak memory bandwidth from the firmware's table of memory modules (SMBIOS structures of type 17),
 * which only root may read. Two modules on a channel are no faster than one, so channels are
 * counted by their names ("P0 CHANNEL A", "NODE 1 CHANNEL 0 DIMM 1"); if the names contain no
 * channel, the bandwidth is unknown. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/host/host_kind.h"

#define TABLE           "sys/firmware/dmi/tables/DMI"
#define MAX_TABLE_BYTES ((size_t)1 << 20)
#define MAX_CHANNELS    1024

#define HEADER_BYTES  4
#define TYPE_MODULE   17
#define TYPE_END      127
#define DATA_WIDTH    0x0A /* bits; 0xFFFF: unknown */
#define MODULE_SIZE   0x0C /* 0: no module there */
#define DEVICE_NAME   0x10 /* number of a string, from 1; 0: none */
#define BANK_NAME     0x11
#define SPEED         0x15 /* million transfers a second; 0, 0xFFFF: unknown */
#define SPEED_SET     0x20 /* the configured speed */
#define CHANNEL       "channel"
#define MAX_KEY_BYTES 128

typedef struct structure {
    const unsigned char *bytes; /* shape [size] */
    size_t size;                /* without the strings */
    const char *strings, *end;
} structure;

typedef struct channels {
    size_t count;
    char keys[MAX_CHANNELS][MAX_KEY_BYTES];
    double bits, mhz;
} channels;

static unsigned word_at(const structure *self, size_t offset)
{
    return offset + 2 <= self->size ? self->bytes[offset] | (unsigned)self->bytes[offset + 1] << 8
                                    : 0;
}

/* The string whose number is at `offset`; "" if none. */
static const char *string_at(const structure *self, size_t offset)
{
    unsigned number = offset < self->size ? self->bytes[offset] : 0;
    const char *at = self->strings;
    for (; number > 1 && at < self->end; number--)
        at += strlen(at) + 1;
    return number > 0 && at < self->end ? at : "";
}

/* Cuts "NODE 1 CHANNEL 0 DIMM 1" after the channel; false: the name contains no channel. */
static bool find_channel(const char *name, char key[MAX_KEY_BYTES])
{
    const char *at = strcasestr(name, CHANNEL);
    if (!at)
        return false;
    const char *end = at + strlen(CHANNEL);
    while (*end && !isalnum((unsigned char)*end))
        end++;
    const char *number = end;
    while (isalnum((unsigned char)*end))
        end++;
    size_t length = (size_t)(end - name);
    if (end == number || length >= MAX_KEY_BYTES)
        return false;
    memcpy(key, name, length);
    key[length] = '\0';
    return true;
}

static bool is_known(unsigned value)
{
    return value != 0 && value != 0xFFFF;
}

/* False if values are missing. The slowest module determines the clock of all. */
static bool add_module(channels *self, const structure *module)
{
    char key[MAX_KEY_BYTES];
    if (word_at(module, MODULE_SIZE) == 0)
        return true;
    unsigned bits = word_at(module, DATA_WIDTH), speed = word_at(module, SPEED_SET);
    if (!is_known(speed))
        speed = word_at(module, SPEED);
    if (!is_known(bits) || !is_known(speed) ||
        !(find_channel(string_at(module, BANK_NAME), key) ||
          find_channel(string_at(module, DEVICE_NAME), key)))
        return false;
    self->mhz = fmin(self->mhz, speed / 2.0);
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->keys[i], key) == 0)
            return true;
    if (self->count == MAX_CHANNELS)
        return false;
    strcpy(self->keys[self->count++], key);
    self->bits += bits;
    return true;
}

/* Reads the structure at `at`.
 * @return the next one; NULL if it does not end within the table. */
static const unsigned char *read_structure(const unsigned char *at, const unsigned char *end,
                                           structure *read)
{
    if (end - at < HEADER_BYTES || at[1] < HEADER_BYTES || end - at < at[1])
        return NULL;
    const unsigned char *strings = at + at[1], *last = strings;
    while (end - last >= 2 && (last[0] != 0 || last[1] != 0))
        last++;
    if (end - last < 2)
        return NULL;
    *read = (structure){at, at[1], (const char *)strings, (const char *)last + 1};
    return last + 2;
}

static bool read_channels(const unsigned char *table, size_t size, channels *found)
{
    structure each;
    const unsigned char *end = table + size;
    for (const unsigned char *at = table; at < end;) {
        at = read_structure(at, end, &each);
        if (!at || (each.bytes[0] == TYPE_MODULE && !add_module(found, &each)))
            return false;
        if (each.bytes[0] == TYPE_END)
            break;
    }
    return found->count > 0;
}

nitro_status nitro_host_parse_memory_bus(nitro_context *context, const void *table, size_t size,
                                         nitro_host_memory_bus *bus)
{
    channels *found = nitro_calloc(context, 1, sizeof(*found));
    if (!found)
        return NITRO_ERR_NO_MEMORY;
    found->mhz = INFINITY;
    bool known = read_channels(table, size, found);
    bus->clock_mhz = known ? found->mhz : NAN;
    bus->bits = known ? found->bits : NAN;
    bus->num_channels = known ? found->count : 0;
    free(found);
    return NITRO_OK;
}

nitro_status nitro_host_read_memory_bus(nitro_context *context, const char *root,
                                        nitro_host_memory_bus *bus)
{
    char *path = nitro_asprintf(context, "%s/" TABLE, root), *table = NULL;
    size_t size = 0;
    if (!path)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_file_read(context, path, MAX_TABLE_BYTES, &table, &size);
    free(path);
    if (status == NITRO_ERR_NO_MEMORY)
        return status;
    /* Missing, not readable or too large: the values are missing. */
    status = nitro_host_parse_memory_bus(context, table ? table : "", size, bus);
    free(table);
    return status;
}

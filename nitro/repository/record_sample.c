/* A sample as bytes: fixed little-endian numbers, texts with their length in front, flags for what
 * is not known. Outcomes are the numbers of nitro_outcome. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/store_internal.h"

#define MAGIC   0x4E /* so that other bytes are not taken for a newer version */
#define VERSION 2    /* a record is of version 1 where that has all there is to say */

enum { HAS_MEDIAN = 1, HAS_SPREAD = 2, HAS_PREPARE = 4, HAS_VERSION = 8, HAS_DETAIL = 16 };
enum {
    HAS_ORIGIN = 1,
    HAS_LIBRARY = 2,
    HAS_COMPILER = 4,
    HAS_HOST = 8,
    HAS_DRIVER = 16,
    HAS_TOOLKIT = 32,
    HAS_DIGEST = 64,
    HAS_STATE = 256, /* from here on: version 2, whose flags take two bytes */
    HAS_CACHE = 512
};

uint64_t nitro_record_schema_hash(const nitro_schema *schema)
{
    uint64_t hash = schema->num_features;
    for (size_t i = 0; i < schema->num_features; i++)
        hash = nitro_hash(schema->features[i].name, strlen(schema->features[i].name) + 1, hash);
    for (size_t i = 0; i < schema->num_variants; i++)
        hash = nitro_hash(schema->variants[i], strlen(schema->variants[i]) + 1, hash);
    return hash;
}

/* ---- Writing: room is made for a whole record first --------------------------------------- */

static size_t text_size(const char *text)
{
    return text ? 4 + strlen(text) : 0;
}

static size_t record_size(const nitro_sample *sample)
{
    const nitro_provenance *from = &sample->provenance;
    size_t size = 2 + 8 + 8 + 2 + 8 * sample->num_features + 10;
    for (size_t i = 0; i < sample->num_entries; i++)
        size += 2 + 4 + 3 * 8 + text_size(sample->entries[i].version) +
                text_size(sample->entries[i].detail);
    return size + text_size(from->origin) + text_size(from->library) + text_size(from->compiler) +
           text_size(from->host) + text_size(from->driver) + text_size(from->toolkit) +
           text_size(from->device_digest) + text_size(from->device_state) + text_size(from->cache);
}

static nitro_status make_room(nitro_context *context, nitro_record_bytes *record, size_t size)
{
    if (record->capacity - record->size >= size)
        return NITRO_OK;
    size_t capacity = 2 * record->capacity + size;
    unsigned char *grown = realloc(record->bytes, capacity);
    if (!grown)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: cannot get %zu bytes",
                          capacity);
    record->bytes = grown;
    record->capacity = capacity;
    return NITRO_OK;
}

static void put_word(nitro_record_bytes *record, uint64_t word, size_t num_bytes)
{
    for (size_t i = 0; i < num_bytes; i++)
        record->bytes[record->size++] = (unsigned char)(word >> (8 * i));
}

static void put_number(nitro_record_bytes *record, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof(word));
    put_word(record, isnan(value) ? UINT64_MAX : word, 8);
}

static void put_text(nitro_record_bytes *record, const char *text)
{
    if (!text)
        return;
    size_t size = strlen(text);
    put_word(record, size, 4);
    memcpy(record->bytes + record->size, text, size);
    record->size += size;
}

static void put_entry(nitro_record_bytes *record, const nitro_entry *entry)
{
    bool median = !isnan(entry->median_ms), spread = !isnan(entry->spread);
    bool prepare = !isnan(entry->prepare_ms);
    unsigned flags = (median ? HAS_MEDIAN : 0) | (spread ? HAS_SPREAD : 0) |
                     (prepare ? HAS_PREPARE : 0) | (entry->version ? HAS_VERSION : 0) |
                     (entry->detail ? HAS_DETAIL : 0);
    put_word(record, entry->outcome, 1);
    put_word(record, flags, 1);
    put_word(record, entry->count, 4);
    if (median)
        put_number(record, entry->median_ms);
    if (spread)
        put_number(record, entry->spread);
    if (prepare)
        put_number(record, entry->prepare_ms);
    put_text(record, entry->version);
    put_text(record, entry->detail);
}

/* An older Nitro reads all records that say no more than it knows of. */
static unsigned version_of(const nitro_sample *sample)
{
    return sample->provenance.device_state || sample->provenance.cache ? 2 : 1;
}

static void put_provenance(nitro_record_bytes *record, const nitro_provenance *from,
                           unsigned version)
{
    put_word(record,
             (from->origin ? HAS_ORIGIN : 0) | (from->library ? HAS_LIBRARY : 0) |
                 (from->compiler ? HAS_COMPILER : 0) | (from->host ? HAS_HOST : 0) |
                 (from->driver ? HAS_DRIVER : 0) | (from->toolkit ? HAS_TOOLKIT : 0) |
                 (from->device_digest ? HAS_DIGEST : 0) | (from->device_state ? HAS_STATE : 0) |
                 (from->cache ? HAS_CACHE : 0),
             version);
    put_word(record, (uint64_t)from->time_s, 8);
    put_text(record, from->origin);
    put_text(record, from->library);
    put_text(record, from->compiler);
    put_text(record, from->host);
    put_text(record, from->driver);
    put_text(record, from->toolkit);
    put_text(record, from->device_digest);
    put_text(record, from->device_state);
    put_text(record, from->cache);
}

nitro_status nitro_record_append_sample(nitro_context *context, const char *computation,
                                        uint64_t schema_hash, const char *device,
                                        const nitro_sample *sample, nitro_record_bytes *record)
{
    nitro_status status = make_room(context, record, record_size(sample));
    if (status != NITRO_OK)
        return status;
    put_word(record, MAGIC, 1);
    put_word(record, version_of(sample), 1);
    put_word(record, nitro_store_sample_checksum(computation, device, sample), 8);
    put_word(record, schema_hash, 8);
    put_word(record, sample->num_features, 1);
    put_word(record, sample->num_entries, 1);
    for (size_t i = 0; i < sample->num_features; i++)
        put_number(record, sample->features[i]);
    for (size_t i = 0; i < sample->num_entries; i++)
        put_entry(record, &sample->entries[i]);
    put_provenance(record, &sample->provenance, version_of(sample));
    return NITRO_OK;
}

/* ---- Reading: a cursor that never passes the end ------------------------------------------- */

typedef struct cursor {
    nitro_context *context;
    const unsigned char *at, *end;
    uint64_t version;
    bool failed;    /* the record is too short, or says what cannot be */
    bool no_memory; /* recorded */
} cursor;

static uint64_t take_word(cursor *c, size_t num_bytes)
{
    uint64_t word = 0;
    if ((size_t)(c->end - c->at) < num_bytes) {
        c->failed = true;
        return 0;
    }
    for (size_t i = 0; i < num_bytes; i++)
        word |= (uint64_t)c->at[i] << (8 * i);
    c->at += num_bytes;
    return word;
}

static double take_number(cursor *c)
{
    double value;
    uint64_t word = take_word(c, 8);
    memcpy(&value, &word, sizeof(value));
    return value;
}

static char *take_text(cursor *c)
{
    size_t size = take_word(c, 4);
    if (c->failed || size > NITRO_STORE_MAX_TEXT || (size_t)(c->end - c->at) < size ||
        memchr(c->at, 0, size)) {
        c->failed = true;
        return NULL;
    }
    char *text = nitro_calloc(c->context, size + 1, 1);
    if (text)
        memcpy(text, c->at, size);
    c->no_memory = c->no_memory || !text;
    c->at += size;
    return text;
}

static void take_entry(cursor *c, nitro_entry *entry)
{
    uint64_t outcome = take_word(c, 1), flags = take_word(c, 1);
    if (outcome > NITRO_OUTCOME_OUT_OF_MEMORY) {
        c->failed = true;
        return;
    }
    entry->outcome = (nitro_outcome)outcome;
    entry->count = (uint32_t)take_word(c, 4);
    if (flags & HAS_MEDIAN)
        entry->median_ms = take_number(c);
    if (flags & HAS_SPREAD)
        entry->spread = take_number(c);
    if (flags & HAS_PREPARE)
        entry->prepare_ms = take_number(c);
    if (flags & HAS_VERSION)
        entry->version = take_text(c);
    if (flags & HAS_DETAIL)
        entry->detail = take_text(c);
}

static void take_provenance(cursor *c, nitro_provenance *provenance)
{
    uint64_t flags = take_word(c, c->version);
    provenance->time_s = (int64_t)take_word(c, 8);
    if (flags & HAS_ORIGIN)
        provenance->origin = take_text(c);
    if (flags & HAS_LIBRARY)
        provenance->library = take_text(c);
    if (flags & HAS_COMPILER)
        provenance->compiler = take_text(c);
    if (flags & HAS_HOST)
        provenance->host = take_text(c);
    if (flags & HAS_DRIVER)
        provenance->driver = take_text(c);
    if (flags & HAS_TOOLKIT)
        provenance->toolkit = take_text(c);
    if (flags & HAS_DIGEST)
        provenance->device_digest = take_text(c);
    if (flags & HAS_STATE)
        provenance->device_state = take_text(c);
    if (flags & HAS_CACHE)
        provenance->cache = take_text(c);
}

/* What is being read, for errors. */
typedef struct place {
    const nitro_schema *schema;
    const char *device, *input;
} place;

static nitro_status refuse(cursor *c, const place *at, const char *problem)
{
    if (c->no_memory)
        return NITRO_ERR_NO_MEMORY;
    return nitro_fail(c->context, NITRO_ERR_FORMAT, "%s on %s: sample '%.200s' %s",
                      at->schema->computation, at->device, at->input, problem);
}

static nitro_status read_head(cursor *c, const place *at, uint64_t schema_hash, uint64_t *checksum)
{
    uint64_t magic = take_word(c, 1), version = take_word(c, 1);
    c->version = version;
    if (magic == MAGIC && version > VERSION)
        return nitro_fail(
            c->context, NITRO_ERR_NEWER,
            "%s on %s: sample '%.200s' is of version %d, and this Nitro (%s) knows up "
            "to %d; use a newer Nitro",
            at->schema->computation, at->device, at->input, (int)version, NITRO_VERSION_STRING,
            VERSION);
    *checksum = take_word(c, 8);
    uint64_t names = take_word(c, 8), num_features = take_word(c, 1), num_entries = take_word(c, 1);
    if (c->failed || magic != MAGIC || version < 1)
        return refuse(c, at, "is damaged or was altered");
    if (names != schema_hash || num_features != at->schema->num_features ||
        num_entries != at->schema->num_variants)
        return refuse(c, at,
                      "was written for other features or variants than the computation now has");
    return NITRO_OK;
}

static void take_body(cursor *c, nitro_sample *sample)
{
    for (size_t i = 0; i < sample->num_features && !c->failed; i++)
        sample->features[i] = take_number(c);
    for (size_t i = 0; i < sample->num_entries && !c->failed; i++)
        take_entry(c, &sample->entries[i]);
    take_provenance(c, &sample->provenance);
    c->failed = c->failed || c->at != c->end;
}

nitro_status nitro_record_read_sample(nitro_context *context, const nitro_schema *schema,
                                      uint64_t schema_hash, const char *device, const char *input,
                                      const void *bytes, size_t size, nitro_sample **sample)
{
    cursor c = {.context = context, .at = bytes, .end = (const unsigned char *)bytes + size};
    const place at = {schema, device, input};
    uint64_t checksum = 0;
    nitro_sample *read = NULL;
    nitro_status status = read_head(&c, &at, schema_hash, &checksum);
    if (status != NITRO_OK)
        return status;
    status = nitro_sample_create(context, input, schema->num_features, schema->num_variants, &read);
    if (status == NITRO_ERR_ARGUMENT)
        return refuse(&c, &at, "has a name that is not clean");
    if (status != NITRO_OK)
        return status;
    take_body(&c, read);
    if (c.no_memory || c.failed ||
        nitro_store_sample_checksum(schema->computation, device, read) != checksum) {
        nitro_sample_free(read);
        return refuse(&c, &at, "is damaged or was altered");
    }
    *sample = read;
    return NITRO_OK;
}

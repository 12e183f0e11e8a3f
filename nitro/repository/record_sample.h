/*
 * record_sample.h - a sample as bytes: for stores that keep many. A tenth of what JSON costs to
 * read, and half its size. docs/redis-keys.md has the layout.
 */
#ifndef NITRO_REPOSITORY_RECORD_SAMPLE_H
#define NITRO_REPOSITORY_RECORD_SAMPLE_H

#include "nitro/nitro_backend.h"

/** A record's first bytes tell it from every other of its name: version and checksum. */
#define NITRO_RECORD_HEAD_BYTES 10

/** Bytes that grow. Zero-initialise; free(bytes). */
typedef struct nitro_record_bytes {
    unsigned char *bytes;
    size_t size, capacity;
} nitro_record_bytes;

/** Over the names of features and variants in their order: whose numbers a record holds. */
uint64_t nitro_record_schema_hash(const nitro_schema *schema);

/** Append a record. It holds neither the input's name nor computation and device: those are what it
 *  is found by, and its checksum covers them. NITRO_ERR_NO_MEMORY. */
nitro_status nitro_record_append_sample(nitro_context *context, const char *computation,
                                        uint64_t schema_hash, const char *device,
                                        const nitro_sample *sample, nitro_record_bytes *record);

/**
 * Any bytes are welcome: NITRO_ERR_FORMAT says which sample is no good and why, NITRO_ERR_NEWER
 * that a newer Nitro wrote it. The checksum was compared; whether the sample is fit to be used
 * (nitro_store_check_sample) is the caller's to ask.
 * @param schema_hash  of the schema.
 */
nitro_status nitro_record_read_sample(nitro_context *context, const nitro_schema *schema,
                                      uint64_t schema_hash, const char *device, const char *input,
                                      const void *bytes, size_t size, nitro_sample **sample);

#endif

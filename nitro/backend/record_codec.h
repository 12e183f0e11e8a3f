/* record_codec.h - records as bytes: one list of fields for each sort of record, two forms.
 * Part of nitro_backend.h. docs/redis-keys.md describes both forms.
 *
 * A record is a key (its computation, device and name), a payload and a checksum over both. The
 * compact form is for stores with many records; the JSON form, one line of text, for bundles and
 * readers. Numbers are exact in both, and one record has the same checksum in both.
 */
#ifndef NITRO_BACKEND_RECORD_CODEC_H
#define NITRO_BACKEND_RECORD_CODEC_H

#include "nitro/backend/store_support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of records but compact samples. Versions 1 to 4 are older than the first release and
 * refused. A new optional field at a list's end needs no new version. */
#define NITRO_RECORD_VERSION 5
/** Version of compact samples and of the layouts of stores. Samples and SQLite stores of versions 5
 * and 6 are read too, and such SQLite stores written to; Redis stores of version 6 are read. */
#define NITRO_STORE_VERSION 7

typedef enum nitro_record_form {
    NITRO_RECORD_COMPACT, /* binary; does not hold the key */
    NITRO_RECORD_JSON     /* one line with its '\n'; holds the key */
} nitro_record_form;

/** A growing byte array. Zero-initialise; terminated after the first append; `size = 0` empties it.
 */
typedef struct nitro_record_bytes {
    char *bytes;
    size_t size, capacity;
} nitro_record_bytes;
/** NITRO_ERR_NO_MEMORY: `record` is unchanged. */
NITRO_API nitro_status nitro_record_bytes_append(nitro_context *context, nitro_record_bytes *record,
                                                 const void *part, size_t size);
NITRO_API void nitro_record_bytes_free(nitro_record_bytes *record);

/**
 * A compact sample in two parts: its own, with its checksum and its numbers, and the one that it
 * has in common with many others: which values there are, outcomes, versions of variants, and
 * provenance without its time. Each is appended.
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY (both may hold a part).
 */
NITRO_API nitro_status nitro_record_encode_sample_parts(nitro_context *context,
                                                        const char *computation, const char *device,
                                                        const nitro_sample *sample,
                                                        nitro_record_bytes *own,
                                                        nitro_record_bytes *shared);

/** The first bytes of a sample's own part: its checksum. */
#define NITRO_SAMPLE_CHECKSUM_BYTES 4

/**
 * Append a record to `record`. The key of a sample is its input's name, that of a profile
 * nitro_store_profile_key. Records are not checked here (see nitro_store_check_*).
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY (`record` may hold a part).
 */
NITRO_API nitro_status nitro_record_encode_schema(nitro_context *context, nitro_record_form form,
                                                  const nitro_schema *schema,
                                                  nitro_record_bytes *record);
NITRO_API nitro_status nitro_record_encode_device(nitro_context *context, nitro_record_form form,
                                                  const nitro_device *device,
                                                  nitro_record_bytes *record);
NITRO_API nitro_status nitro_record_encode_sample(nitro_context *context, nitro_record_form form,
                                                  const char *computation, const char *device,
                                                  const nitro_sample *sample,
                                                  nitro_record_bytes *record);
NITRO_API nitro_status nitro_record_encode_profile(nitro_context *context, nitro_record_form form,
                                                   const char *device, const nitro_profile *profile,
                                                   nitro_record_bytes *record);

/**
 * Read a record of either form from untrusted bytes: its checksum and nitro_store_check_* are
 * verified.
 * @param[in]  where   starts messages ("lab.bundle: line 7"); may be NULL.
 * @param[in]  record  shape [size]; need not be terminated.
 * @return NITRO_OK; NITRO_ERR_FORMAT (damaged, altered, or of another key; the message names the
 * record); NITRO_ERR_NEWER (has fields that only a newer Nitro knows: skip it, but keep it);
 * NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_record_decode_schema(nitro_context *context, const char *where,
                                                  const char *computation, const void *record,
                                                  size_t size, nitro_schema **schema);
NITRO_API nitro_status nitro_record_decode_device(nitro_context *context, const char *where,
                                                  const char *id, const void *record, size_t size,
                                                  nitro_device **device);
/** `input` NULL: of any input; only for the JSON form, which holds its name. */
NITRO_API nitro_status nitro_record_decode_sample(nitro_context *context, const char *where,
                                                  const nitro_schema *schema, const char *device,
                                                  const char *input, const void *record,
                                                  size_t size, nitro_sample **sample);
/** The two parts that nitro_record_encode_sample_parts made. */
NITRO_API nitro_status nitro_record_decode_sample_parts(nitro_context *context, const char *where,
                                                        const nitro_schema *schema,
                                                        const char *device, const char *input,
                                                        const void *own, size_t own_size,
                                                        const void *shared, size_t shared_size,
                                                        nitro_sample **sample);
/** `schema` NULL: of a proxy; `key` NULL: any of this computation and device. */
NITRO_API nitro_status nitro_record_decode_profile(nitro_context *context, const char *where,
                                                   const nitro_schema *schema, const char *device,
                                                   const char *key, const void *record, size_t size,
                                                   nitro_profile **profile);

/** The checksum of a sample's record. NITRO_ERR_NO_MEMORY. */
NITRO_API nitro_status nitro_record_sample_checksum(nitro_context *context, const char *computation,
                                                    const char *device, const nitro_sample *sample,
                                                    uint64_t *checksum);

#ifdef __cplusplus
}
#endif

#endif

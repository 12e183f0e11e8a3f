/* record_codec.h - records as bytes, with the checksum that every store compares. Part of
 * nitro_backend.h. */
#ifndef NITRO_BACKEND_RECORD_CODEC_H
#define NITRO_BACKEND_RECORD_CODEC_H

#include "nitro/backend/store_support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Of the records' form. A reader refuses what is newer. */
#define NITRO_RECORD_VERSION 1

/** @param[out] text  one line without its end; free with free(). @param[out] size  its bytes. */
nitro_status nitro_record_encode_schema(nitro_context *context, const nitro_schema *schema,
                                        char **text, size_t *size);
nitro_status nitro_record_encode_device(nitro_context *context, const nitro_device *device,
                                        char **text, size_t *size);
nitro_status nitro_record_encode_sample(nitro_context *context, const char *computation,
                                        const char *device, const nitro_sample *sample, char **text,
                                        size_t *size);
nitro_status nitro_record_encode_profile(nitro_context *context, const char *device,
                                         const nitro_profile *profile, char **text, size_t *size);

nitro_status nitro_record_decode_schema(nitro_context *context, const char *where, const char *text,
                                        size_t size, nitro_schema **schema);
nitro_status nitro_record_decode_device(nitro_context *context, const char *where, const char *text,
                                        size_t size, nitro_device **device);
/** The record must be one of the schema's computation and of this device. */
nitro_status nitro_record_decode_sample(nitro_context *context, const char *where,
                                        const nitro_schema *schema, const char *device,
                                        const char *text, size_t size, nitro_sample **sample);
/** The same; `schema` is NULL for a proxy's. */
nitro_status nitro_record_decode_profile(nitro_context *context, const char *where,
                                         const nitro_schema *schema, const char *device,
                                         const char *text, size_t size, nitro_profile **profile);

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

/** Checksums over all that a record holds and over the names of its computation and device. */
uint64_t nitro_store_schema_checksum(const nitro_schema *schema);
uint64_t nitro_store_device_checksum(const nitro_device *device);
uint64_t nitro_store_sample_checksum(const char *computation, const char *device,
                                     const nitro_sample *sample);
uint64_t nitro_store_profile_checksum(const char *device, const nitro_profile *profile);

#ifdef __cplusplus
}
#endif

#endif

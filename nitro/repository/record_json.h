/*
 * record_json.h - records as JSON: what stores that keep text, and published bundles, write. One
 * form for all of them, versioned, each record with the checksum that every store compares.
 *
 * Every function returns NITRO_ERR_NO_MEMORY where it may. Decoding trusts nothing: what comes out
 * passed the checks of nitro_store_check_* and its checksum. NITRO_ERR_FORMAT says what is wrong,
 * NITRO_ERR_NEWER that a newer Nitro wrote it; messages start with `where` (a URL, a file and
 * line). The text need not be terminated, and has no line end in it.
 */
#ifndef NITRO_REPOSITORY_RECORD_JSON_H
#define NITRO_REPOSITORY_RECORD_JSON_H

#include "nitro/nitro_backend.h"

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

#endif

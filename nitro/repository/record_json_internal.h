/* record_json_internal.h - what the JSON forms of all sorts of records have in common: a head with
 * sort, version and checksum, and how a refusal is worded. */
#ifndef NITRO_REPOSITORY_RECORD_JSON_INTERNAL_H
#define NITRO_REPOSITORY_RECORD_JSON_INTERNAL_H

#include <jansson.h>

#include "nitro/repository/store_internal.h"

/** Print `body` (given away; NULL: out of memory) with a head in front of its members. */
nitro_status nitro_record_finish(nitro_context *context, const char *sort, uint64_t checksum,
                                 json_t *body, char **text, size_t *size);

/** A record that is being read. */
typedef struct nitro_record {
    nitro_context *context;
    const char *where;
    const char *sort; /* "sample" */
    json_t *json;
    uint64_t checksum; /* what the head says */
} nitro_record;

/** Parse the text and check its head; free with json_decref(record->json). */
nitro_status nitro_record_start(nitro_record *record, const char *text, size_t size);
/** NITRO_ERR_FORMAT with the words of jansson or of ours. */
nitro_status nitro_record_refuse(const nitro_record *record, const char *problem);
/** What a constructor refused is malformed here, in its own words. */
nitro_status nitro_record_refused(const nitro_record *record, nitro_status status);
/** Does the record's content agree with its checksum? */
nitro_status nitro_record_require_checksum(const nitro_record *record, uint64_t checksum);
/** A member that is a finite number, or NaN where it is null or missing. */
nitro_status nitro_record_number(const nitro_record *record, const json_t *value, double *number);
/** A text, borrowed, or NULL where it is null or missing. */
nitro_status nitro_record_text(const nitro_record *record, const json_t *value, const char **text);
/** The same, copied. */
nitro_status nitro_record_copy_text(const nitro_record *record, const json_t *value, char **copy);
/** What made the record: members of the record itself. */
nitro_status nitro_record_provenance(const nitro_record *record, nitro_provenance *provenance);
/** Read an array into `owner`, item by item; `problem` where it is none, or has more than `most`.
 */
nitro_status
nitro_record_read_array(const nitro_record *record, json_t *array, size_t most, const char *problem,
                        nitro_status (*read)(const nitro_record *record, json_t *item, void *owner),
                        void *owner);

/** null for NaN. */
json_t *nitro_record_from_number(double number);
/** An array of what `item` makes of `owner`, one by one; NULL when out of memory. */
json_t *nitro_record_array(const void *owner, size_t count,
                           json_t *(*item)(const void *owner, size_t index));
/** `body` (given away; NULL: out of memory) with the members that nitro_record_provenance reads;
 *  NULL when out of memory. */
json_t *nitro_record_with_provenance(json_t *body, const nitro_provenance *provenance);

#endif

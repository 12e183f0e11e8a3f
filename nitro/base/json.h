/*
 * json.h - reads fields of an untrusted JSON file, writes arrays of numbers.
 * Errors are NITRO_ERR_FORMAT with file and field. Internal to nitro/.
 */
#ifndef NITRO_BASE_JSON_H
#define NITRO_BASE_JSON_H

#include <jansson.h>

#include "nitro/nitro_backend.h"

/** Location of a value, for errors. */
typedef struct nitro_json_place {
    nitro_context *context;
    const char *path;  /* of the file */
    const char *field; /* path of the enclosing object, such as "predictor"; "": the top */
} nitro_json_place;

/** Member `key` of `object`, which must be of `type`. */
nitro_status nitro_json_member(const nitro_json_place *place, const json_t *object, const char *key,
                               json_type type, json_t **member);
/** A member that is a finite number. */
nitro_status nitro_json_number(const nitro_json_place *place, const json_t *object, const char *key,
                               double *value);
/** A member that is a whole number of at most `high`. */
nitro_status nitro_json_count(const nitro_json_place *place, const json_t *object, const char *key,
                              size_t high, size_t *value);
/** A member that is a string, borrowed from the object. */
nitro_status nitro_json_string(const nitro_json_place *place, const json_t *object, const char *key,
                               const char **text);
/** An optional string member; if absent, `text` is unchanged. */
nitro_status nitro_json_optional_string(const nitro_json_place *place, const json_t *object,
                                        const char *key, const char **text);
/** Turn another function's error about the value at `place` into NITRO_ERR_FORMAT, with file and
 * field before its message. NITRO_OK and NITRO_ERR_NO_MEMORY are unchanged. */
nitro_status nitro_json_blame(const nitro_json_place *place, nitro_status status);
/** Check members "format" and "version"; NITRO_ERR_NEWER for a later version. */
nitro_status nitro_json_check_format(const nitro_json_place *place, const json_t *top,
                                     const char *format, int version, const char *what);
/** Call `read` for each element of the array that is the member `key`: objects. Their place is
 * "KEY[INDEX]". */
nitro_status nitro_json_each(const nitro_json_place *place, const json_t *object, const char *key,
                             nitro_status (*read)(const nitro_json_place *place,
                                                  const json_t *element, void *user),
                             void *user);
/** Reject unknown members, which are likely typing errors. */
nitro_status nitro_json_check_keys(const nitro_json_place *place, const json_t *object,
                                   const char *const *known, size_t count);
/** An array of exactly `count` finite numbers; `key` names it in errors. */
nitro_status nitro_json_numbers(const nitro_json_place *place, const json_t *array, const char *key,
                                size_t count, double *values);
/** Is `rows` an array of `num_rows` arrays of `num_columns` elements? Check before allocating, so
 * that allocations are bounded by the file's size. */
nitro_status nitro_json_check_rows(const nitro_json_place *place, const json_t *rows,
                                   const char *key, size_t num_rows, size_t num_columns);
/** The numbers of such rows, shape [num_rows x num_columns]. */
nitro_status nitro_json_rows(const nitro_json_place *place, const json_t *rows, const char *key,
                             size_t num_columns, double *values);

/**
 * Add to an object or array; take `value`. Where memory runs out, or `value` is NULL, the object or
 * array is freed and becomes NULL, so that nothing is lost without an error. NULL stays NULL.
 */
void nitro_json_put(json_t **object, const char *key, json_t *value);
void nitro_json_append(json_t **array, json_t *value);

/** A new array of numbers; NULL when out of memory. */
json_t *nitro_json_from_numbers(const double *values, size_t count);
json_t *nitro_json_from_counts(const size_t *values, size_t count);
/** Of the strings of a list from number `first` on. */
json_t *nitro_json_from_strings(const nitro_string_list *list, size_t first);
/** An array of arrays. @param[in] values  shape [num_rows x num_columns]. */
json_t *nitro_json_from_rows(const double *values, size_t num_rows, size_t num_columns);

#endif

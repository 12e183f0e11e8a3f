/* recording_json.h - what readers of recorded evaluations in JSON share. Internal to nitro/. */
#ifndef NITRO_SEARCH_RECORDING_JSON_H
#define NITRO_SEARCH_RECORDING_JSON_H

#include <jansson.h>

#include "nitro/search/recording.h"

/** Readers of parsed JSON; formats are told apart by their members. */
nitro_status recording_read_kernel_tuner(recording_builder *builder, const json_t *top);
nitro_status recording_read_t4(recording_builder *builder, const json_t *top);
nitro_status recording_read_ktt(recording_builder *builder, const json_t *top);

/** Recognise the format, and read. */
nitro_status recording_read_json(recording_builder *builder, const char *text, size_t size);

/** The configuration of record `line`: members of an object by the parameters' names, all of them.
 * The parameters are those of the first record. @param[out] values  shape [num_parameters]. */
nitro_status recording_read_configuration(recording_builder *builder, size_t line,
                                          const json_t *object, recorded_value *values);
/** A number member, or NaN. */
double recording_number(const json_t *object, const char *key);
/** The same, or 0. */
double recording_number_or_zero(const json_t *object, const char *key);
/** Milliseconds in a unit of time ("ms", "Microseconds"); 0: no unit of time. */
double recording_unit_ms(const char *unit);
/** Standard deviation of an array of numbers, relative to `mean`; NaN for less than two. */
double recording_spread(const json_t *numbers, double mean, double unit_ms);

#endif

/* facts.h - what drivers report of devices, as JSON: the part that all kinds share. */
#ifndef NITRO_FEATURES_DEVICE_FACTS_H
#define NITRO_FEATURES_DEVICE_FACTS_H

#include "nitro/base/json.h"

/** An integer where the value is one. */
json_t *nitro_facts_number(double value);
/** A driver's text may have any encoding: other than UTF-8 is dropped. */
json_t *nitro_facts_text(const char *text);
/** An object of the finite values. @param[in] names, values  shape [count]. */
json_t *nitro_facts_values(const char *const *names, const double *values, size_t count);
/** An object of {"value": ..., "spread": ...}; not measured is NaN. */
json_t *nitro_facts_measured(const char *const *names, const double *measured, const double *spread,
                             size_t count);
/** Takes ownership of `json`. @param[out] text  with a final line break; free with free(). */
nitro_status nitro_facts_print(nitro_context *context, json_t *json, size_t flags, char **text);

/** Read these again; an unknown name is an error. @param[out] text  shape [size]. */
nitro_status nitro_facts_copy_text(const nitro_json_place *place, const json_t *object,
                                   const char *key, char *text, size_t size);
nitro_status nitro_facts_parse_values(const nitro_json_place *place, const json_t *object,
                                      const char *const *names, size_t count, double *values);
nitro_status nitro_facts_parse_measured(const nitro_json_place *place, const json_t *object,
                                        const char *const *names, size_t count, double *measured,
                                        double *spread);

#endif

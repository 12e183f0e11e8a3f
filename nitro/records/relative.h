/* relative.h - a schema's relative features, ready to be evaluated. Internal to nitro/. */
#ifndef NITRO_RECORDS_RELATIVE_H
#define NITRO_RECORDS_RELATIVE_H

#include "nitro/records/formula.h"

/** Prefix of device features in formulas. */
#define NITRO_RELATIVE_PREFIX "device."
/** Maximum number of device features in one computation's formulas. */
#define NITRO_RELATIVE_MAX_DEVICE_VALUES 64

/** Formulas over input features, then device values. */
typedef struct nitro_relative {
    size_t num_features; /* of the input */
    nitro_string_list variables;
    size_t count;
    nitro_expression *formulas[NITRO_MAX_FEATURES]; /* shape [count], in the schema's order */
} nitro_relative;

/** @return NITRO_OK; NITRO_ERR_FORMAT (a formula is wrong); NITRO_ERR_NO_MEMORY. */
nitro_status nitro_relative_compile(nitro_context *context, const nitro_schema *schema,
                                    nitro_relative **relative);
void nitro_relative_free(nitro_relative *relative);

/** The device features used by the formulas, without prefix. */
size_t nitro_relative_num_device_values(const nitro_relative *relative);
const char *nitro_relative_device_feature(const nitro_relative *relative, size_t index);
/** Does formula `index` use device feature `device_index`? */
bool nitro_relative_needs(const nitro_relative *relative, size_t index, size_t device_index);
/** Does formula `index` use any input feature? If not, it is constant on each device. */
bool nitro_relative_needs_input(const nitro_relative *relative, size_t index);

/**
 * Evaluate all formulas for one input on one device.
 * @param[in]  features       shape [num_features]
 * @param[in]  device_values  shape [nitro_relative_num_device_values]
 * @param[out] values         shape [count]; NaN if a formula is undefined.
 * Allocates nothing; safe from any number of threads.
 */
void nitro_relative_evaluate(const nitro_relative *relative, const double *features,
                             const double *device_values, double *values);

#endif

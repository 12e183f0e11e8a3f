/* out_of_range.c - names the features of an input that lie outside a model's training range. */
#include "apps/cli/commands/out_of_range.h"

#include <math.h>

#include "nitro/backend/explain.h"

#define MOST_NAMES 5 /* that are printed */

json_t *outside_names(const nitro_model *model, const double *features)
{
    nitro_column columns[NITRO_EXPLAIN_MAX_COLUMNS];
    size_t count = 0;
    json_t *names = json_array();
    if (nitro_model_explain(model, features, columns, &count) != NITRO_OK)
        return names;
    for (size_t c = 0; c < count; c++)
        if (columns[c].is_far ||
            (columns[c].kind == NITRO_COLUMN_RELATIVE && isnan(columns[c].value)))
            json_array_append_new(names, json_text(columns[c].name));
    return names;
}

void outside_print(nitro_reason reason, const json_t *names)
{
    bool is_outside = reason == NITRO_REASON_OUTSIDE || reason == NITRO_REASON_NEAREST ||
                      reason == NITRO_REASON_EXTRAPOLATED;
    size_t count = is_outside ? json_array_size(names) : 0;
    size_t shown = count > MOST_NAMES ? MOST_NAMES : count;
    printf("%s", nitro_reason_text(reason));
    for (size_t i = 0; i < shown; i++)
        printf("%s%s", i ? ", " : ": ", json_string_value(json_array_get(names, i)));
    if (count > shown)
        printf(" and %zu more", count - shown);
}

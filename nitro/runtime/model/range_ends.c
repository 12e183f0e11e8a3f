/* Finds how far an input lies outside the training range, and beyond which end of it. */
#include "nitro/runtime/model/range_ends.h"

#include <math.h>

#include "nitro/runtime/model/model.h"

static bool is_share(double value)
{
    return value >= 0.0 && value <= 1.0;
}

bool nitro_range_end_is_valid(const nitro_range_end *end, size_t num_variants)
{
    bool valid =
        end->reach >= 0.0 && is_share(end->confidence) && is_share(end->fallback_confidence);
    for (size_t v = 0; v < num_variants; v++)
        valid = valid && is_share(1.0 + end->fallback_scores[v]);
    return valid;
}

static double find_excess(const nitro_model *model, const double *features, size_t feature)
{
    return nitro_scaler_excess(&model->columns[feature], features[feature]);
}

static inline bool is_outside_in(const nitro_model *model, const double *features, size_t f)
{
    if (!(model->judged >> f & 1))
        return false;
    return model->has_interval[f]
               ? !(features[f] >= model->lowest[f] && features[f] <= model->highest[f])
               : find_excess(model, features, f) > NITRO_MODEL_TOLERANCE;
}

bool nitro_model_is_outside(const nitro_model *model, const double *features)
{
    for (size_t f = 0; f < model->schema->num_features; f++)
        if (is_outside_in(model, features, f))
            return true;
    return false;
}

uint64_t nitro_model_outside_features(const nitro_model *model, const double *features)
{
    uint64_t outside = 0;
    for (size_t f = 0; f < model->schema->num_features; f++)
        outside |= (uint64_t)is_outside_in(model, features, f) << f;
    return outside;
}

/** The nearer end of the feature's range. */
static const nitro_range_end *find_end(const nitro_model *model, const double *features,
                                       size_t feature)
{
    bool is_low = features[feature] < nitro_scaler_invert(&model->columns[feature], 0.0);
    return &model->ends[2 * feature + (is_low ? 0 : 1)];
}

void nitro_model_find_outside(const nitro_model *model, const double *features,
                              nitro_outside *outside)
{
    *outside = (nitro_outside){.is_within_reach = model->ends != NULL, .confidence = 1.0};
    for (size_t f = 0; model->ends && f < model->schema->num_features; f++) {
        double excess = model->judged >> f & 1 ? find_excess(model, features, f) : 0.0;
        if (!(excess > NITRO_MODEL_TOLERANCE))
            continue;
        const nitro_range_end *end = find_end(model, features, f);
        bool reached = excess <= end->reach;
        if (!outside->end ||
            (reached == outside->is_within_reach ? excess > outside->excess : !reached)) {
            outside->end = end;
            outside->excess = excess;
        }
        outside->is_within_reach = outside->is_within_reach && reached;
        outside->confidence = fmin(outside->confidence, end->confidence / (1.0 + excess));
    }
}

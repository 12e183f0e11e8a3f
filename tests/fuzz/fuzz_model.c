/* Model files of any text, unchanged and with a corrected checksum: refused with an error, or a
 * model that decides and is equal after writing and reading. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "nitro/models/model_file.h"
#include "nitro/runtime/model/model.h"

static void score_all(const nitro_model *model, double *scores)
{
    const double probes[] = {0, 1, -1, 1e308, -1e308, 5e-324, 12345.678};
    size_t count = nitro_model_num_variants(model);
    for (size_t p = 0; p < sizeof(probes) / sizeof(probes[0]); p++) {
        double features[NITRO_MAX_FEATURES];
        size_t ranking[NITRO_MAX_VARIANTS];
        nitro_decision decision;
        for (size_t f = 0; f < NITRO_MAX_FEATURES; f++)
            features[f] = probes[(p + f) % (sizeof(probes) / sizeof(probes[0]))];
        if (nitro_model_predict(model, features, &decision, ranking, scores) != NITRO_OK)
            abort();
        if (!(decision.confidence >= 0 && decision.confidence <= 1) || decision.variant >= count)
            abort();
        const nitro_call_options few = {.uses = 1.0 + (double)p};
        double paid[NITRO_MAX_VARIANTS];
        if (nitro_model_predict_with(model, features, &few, &decision, ranking, paid) != NITRO_OK ||
            decision.variant >= count)
            abort();
        for (size_t v = 0; v < count; v++)
            if (!isfinite(paid[v]))
                abort();
        for (size_t v = 0; v < count; v++)
            if (!isfinite(scores[v]))
                abort();
    }
}

static void check_model(nitro_context *context, const nitro_model *model)
{
    double before[NITRO_MAX_VARIANTS], after[NITRO_MAX_VARIANTS];
    char *text = NULL, *summary = NULL;
    size_t size = 0;
    nitro_model *again = NULL;
    score_all(model, before);
    if (nitro_model_format(model, &text, &size) != NITRO_OK ||
        nitro_model_parse(context, "again", text, size, &again) != NITRO_OK ||
        nitro_model_summary(again, &summary) != NITRO_OK)
        abort();
    score_all(again, after);
    if (memcmp(before, after, nitro_model_num_variants(model) * sizeof(double)) != 0)
        abort();
    nitro_model_free(again);
    free(summary);
    free(text);
}

static void try_text(nitro_context *context, const char *text, size_t size)
{
    nitro_model *model = NULL;
    if (nitro_model_parse(context, "fuzz", text, size, &model) == NITRO_OK)
        check_model(context, model);
    nitro_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    nitro_context *context = NULL;
    if (text && nitro_context_create(&context) == NITRO_OK) {
        if (size > 0)
            memcpy(text, data, size);
        try_text(context, text, size);
        if (size > NITRO_MODEL_CHECKSUM_SIZE) {
            char field[NITRO_MODEL_CHECKSUM_SIZE + 1];
            snprintf(field, sizeof(field), NITRO_MODEL_CHECKSUM, nitro_model_checksum(text, size));
            memcpy(text, field, NITRO_MODEL_CHECKSUM_SIZE);
            try_text(context, text, size);
        }
    }
    nitro_context_free(context);
    free(text);
    return 0;
}

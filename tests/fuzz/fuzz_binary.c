/* Binary models of any bytes, unchanged and with corrected size and checksum: refused with an
 * error, or a model that decides, compiled or not, and is equal after writing and reading. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "nitro/models/binary.h"
#include "nitro/runtime/model/model.h"

static void check_model(nitro_context *context, nitro_model *model)
{
    const double probes[] = {0, 1, -1, 1e308, -1e308, 5e-324, 12345.678};
    size_t count = sizeof probes / sizeof probes[0];
    nitro_model *again = NULL;
    char *bytes = NULL;
    size_t size = 0;
    if (nitro_model_compile(model) != NITRO_OK ||
        nitro_binary_format(model, &bytes, &size) != NITRO_OK ||
        nitro_binary_parse(context, "again", bytes, size, &again) != NITRO_OK)
        abort();
    for (size_t p = 0; p < count; p++) {
        double features[NITRO_MAX_FEATURES];
        nitro_decision first, second;
        uint64_t all = UINT64_MAX >> (64 - nitro_model_num_variants(model));
        for (size_t f = 0; f < NITRO_MAX_FEATURES; f++)
            features[f] = probes[(p + f) % count];
        double share = (double)(p % 3) / 2.0; /* of the cost of preparing */
        if (nitro_model_decide_uses(model, features, all, share, 0.0, &first) != NITRO_OK ||
            nitro_model_decide_uses(again, features, all, share, 0.0, &second) != NITRO_OK)
            abort();
        if (first.variant != second.variant || first.reason != second.reason ||
            !(first.confidence >= 0.0 && first.confidence <= 1.0))
            abort();
    }
    nitro_model_free(again);
    free(bytes);
}

static void try_bytes(nitro_context *context, const char *bytes, size_t size)
{
    nitro_model *model = NULL;
    if (nitro_binary_parse(context, "fuzz", bytes, size, &model) == NITRO_OK)
        check_model(context, model);
    nitro_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1);
    nitro_context *context = NULL;
    if (bytes && nitro_context_create(&context) == NITRO_OK) {
        if (size > 0)
            memcpy(bytes, data, size);
        try_bytes(context, bytes, size);
        if (size >= NITRO_BINARY_HEADER_SIZE) {
            nitro_binary_seal(bytes, size);
            try_bytes(context, bytes, size);
        }
    }
    nitro_context_free(context);
    free(bytes);
    return 0;
}

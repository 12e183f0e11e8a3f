/* Forests of any JSON: refused with an error, or they predict finite numbers and are written back
 * unchanged. */
#include <math.h>

#include "fuzz.h"
#include "nitro/models/score_json.h"
#include "nitro/runtime/scores/forest.h"

enum { NUM_COLUMNS = 3, NUM_OUTPUTS = 2 };

static const double rows[][NUM_COLUMNS] = {{0, 0, 0}, {-1, 0.5, 1e300}, {NAN, INFINITY, 1}};

static void predict(const nitro_forest *forest)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double outputs[NUM_OUTPUTS];
        nitro_forest_predict(forest, rows[i], outputs);
        for (size_t k = 0; k < NUM_OUTPUTS; k++)
            if (!isfinite(outputs[k]))
                abort();
    }
}

static void write_back(nitro_context *context, const nitro_forest *forest)
{
    nitro_json_place place = {context, "fuzz", "predictor"};
    json_t *first = NULL, *second = NULL;
    nitro_forest *back = NULL;
    if (nitro_forest_encode(context, forest, &first) != NITRO_OK ||
        nitro_forest_decode(&place, first, NUM_COLUMNS, NUM_OUTPUTS, &back) != NITRO_OK ||
        nitro_forest_encode(context, back, &second) != NITRO_OK || !json_equal(first, second))
        abort();
    json_decref(first);
    json_decref(second);
    nitro_forest_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *json = json_loadb((const char *)data, size, 0, NULL);
    nitro_context *context = NULL;
    if (json && nitro_context_create(&context) == NITRO_OK) {
        nitro_json_place place = {context, "fuzz", "predictor"};
        nitro_forest *forest = NULL;
        if (nitro_forest_decode(&place, json, NUM_COLUMNS, NUM_OUTPUTS, &forest) == NITRO_OK) {
            predict(forest);
            write_back(context, forest);
        }
        nitro_forest_free(forest);
    }
    nitro_context_free(context);
    json_decref(json);
    return 0;
}

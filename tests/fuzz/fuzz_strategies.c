/* Predictors of every strategy from any JSON: refused with an error, or they score without a crash
 * and are written back unchanged. */
#include <jansson.h>
#include <math.h>

#include "fuzz.h"
#include "nitro/nitro_backend.h"

enum { NUM_COLUMNS = 2, NUM_VARIANTS = 3 };

static const double rows[][NUM_COLUMNS] = {{0, 0}, {-1, 0.5}, {1000, -1000}};

static void write_back(nitro_context *context, const nitro_strategy *strategy,
                       const void *predictor)
{
    json_t *first = NULL, *second = NULL;
    void *back = NULL;
    if (strategy->encode(context, predictor, &first) != NITRO_OK ||
        strategy->decode(context, "fuzz", first, NUM_COLUMNS, NUM_VARIANTS, &back) != NITRO_OK ||
        strategy->encode(context, back, &second) != NITRO_OK || !json_equal(first, second))
        abort();
    json_decref(first);
    json_decref(second);
    strategy->free(back);
}

static void try_strategy(nitro_context *context, const nitro_strategy *strategy, const json_t *json)
{
    void *predictor = NULL;
    if (strategy->decode(context, "fuzz", json, NUM_COLUMNS, NUM_VARIANTS, &predictor) != NITRO_OK)
        return;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double scores[NUM_VARIANTS];
        strategy->score(predictor, rows[i], scores);
    }
    write_back(context, strategy, predictor);
    strategy->free(predictor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *json = json_loadb((const char *)data, size, 0, NULL);
    nitro_context *context = NULL;
    if (json_is_object(json) && nitro_context_create(&context) == NITRO_OK)
        for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++)
            try_strategy(context, *s, json);
    nitro_context_free(context);
    json_decref(json);
    return 0;
}

/* Counter models of any text: refused with an error, or a model that predicts, and is equal after
 * writing and reading. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "nitro/nitro_backend.h"

/* A space with the parameters of the seeds. */
static const char space_text[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"block\", \"Type\": \"int\", \"Values\": \"[16, 32, 64]\"},"
    "{\"Name\": \"tile\", \"Type\": \"int\", \"Values\": \"[1, 2]\"},"
    "{\"Name\": \"layout\", \"Type\": \"string\", \"Values\": \"['rows', 'columns']\"}]}}";

enum { SPACE_SIZE = 12 };

static void predict_all(nitro_context *context, const nitro_counter_model *model,
                        const nitro_space *space)
{
    uint64_t configurations[SPACE_SIZE];
    size_t num_counters = nitro_counter_model_num_counters(model);
    double *counters = calloc(SPACE_SIZE * num_counters, sizeof(*counters));
    for (uint64_t c = 0; c < SPACE_SIZE; c++)
        configurations[c] = c;
    if (counters) /* or the space lacks its parameters */
        (void)nitro_counter_model_predict(context, model, space, configurations, SPACE_SIZE,
                                          counters);
    free(counters);
}

static void check(nitro_context *context, const nitro_counter_model *model,
                  const nitro_space *space)
{
    char *text = NULL, *text_again = NULL;
    nitro_counter_model *again = NULL;
    predict_all(context, model, space);
    if (nitro_counter_model_format(context, model, &text) != NITRO_OK ||
        nitro_counter_model_parse(context, "again", text, strlen(text), &again) != NITRO_OK ||
        nitro_counter_model_format(context, again, &text_again) != NITRO_OK ||
        strcmp(text, text_again) != 0)
        abort();
    nitro_counter_model_free(again);
    free(text);
    free(text_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_space *space = NULL;
    nitro_counter_model *model = NULL;
    if (nitro_context_create(&context) == NITRO_OK &&
        nitro_space_parse(context, "space", space_text, sizeof(space_text) - 1, &space) ==
            NITRO_OK &&
        nitro_counter_model_parse(context, "fuzz", (const char *)data, size, &model) == NITRO_OK)
        check(context, model, space);
    nitro_counter_model_free(model);
    nitro_space_free(space);
    nitro_context_free(context);
    return 0;
}

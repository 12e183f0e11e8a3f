/* Expressions of any text: refused with an error, or evaluated; a conjunction holds where all of
 * its parts do. Lists of values of any text. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "nitro/records/expression.h"

static char *items[] = {"a", "b", "tile size", "method"};
static const nitro_string_list names = {.items = items, .count = 4, .capacity = 4};
static const bool is_string[4] = {false, false, false, true};
static const double samples[][4] = {{1, 2, 3, 0}, {0, 0, 0, 1}, {-1, 1e308, 1e-308, 0}};

static bool holds(const nitro_expression *expression, const double *values)
{
    double value = nitro_expression_evaluate(expression, values);
    if (isinf(value))
        abort();
    return !isnan(value) && value != 0;
}

static void check_split(nitro_context *context, const nitro_expression *expression)
{
    nitro_expression **parts = NULL;
    size_t count = 0;
    if (nitro_expression_split(context, expression, &parts, &count) != NITRO_OK)
        abort();
    for (size_t s = 0; s < sizeof(samples) / sizeof(samples[0]); s++) {
        bool all = true;
        for (size_t i = 0; i < count; i++)
            all = all && holds(parts[i], samples[s]);
        if (all != holds(expression, samples[s]))
            abort();
    }
    for (size_t i = 0; i < count; i++)
        nitro_expression_free(parts[i]);
    free(parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    nitro_context *context = NULL;
    nitro_string_list strings = {0};
    nitro_expression_names known = {.names = &names, .is_string = is_string, .strings = &strings};
    if (text && nitro_context_create(&context) == NITRO_OK) {
        nitro_expression *expression = NULL;
        nitro_value_list list = {0};
        if (size > 0)
            memcpy(text, data, size);
        text[size] = '\0';
        if (nitro_expression_parse(context, "fuzz", text, &known, &expression) == NITRO_OK)
            check_split(context, expression);
        nitro_expression_free(expression);
        if (nitro_value_list_parse(context, "fuzz", text, &strings, &list) == NITRO_OK)
            for (size_t i = 0; i < list.count; i++)
                if (!isfinite(list.items[i].number))
                    abort();
        free(list.items);
    }
    nitro_string_list_free(&strings);
    nitro_context_free(context);
    free(text);
    return 0;
}

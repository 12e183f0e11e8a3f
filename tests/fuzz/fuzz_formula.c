/* Formulas of any text: refused with an error, or evaluated to a finite number or NaN; in a set
 * with the last two variables known in advance, to the same value. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "nitro/records/formula_set.h"

static char *names[] = {"rows", "nnz", "row-max", "device.peak_gbps"};
static const nitro_string_list variables = {.items = names, .count = 4, .capacity = 4};
static const double samples[][4] = {{1, 2, 3, 4}, {0, 0, 0, 0}, {-1, 1e308, 1e-308, -0.5}};

static void evaluate(const nitro_expression *formula)
{
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        if (isinf(nitro_expression_evaluate(formula, samples[i])))
            abort();
        double missing_values[4] = {NAN, NAN, NAN, NAN};
        for (size_t v = 0; v < variables.count; v++)
            if (nitro_expression_uses(formula, v))
                missing_values[v] = samples[i][v];
        double all = nitro_expression_evaluate(formula, samples[i]);
        double used = nitro_expression_evaluate(formula, missing_values);
        if (memcmp(&all, &used, sizeof(all)) != 0 && !(isnan(all) && isnan(used)))
            abort();
    }
}

static void evaluate_as_set(nitro_context *context, nitro_expression *formula)
{
    nitro_expression *twice[] = {formula, formula};
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        nitro_formula_set *set = NULL;
        double alone = nitro_expression_evaluate(formula, samples[i]), together[2];
        if (nitro_formula_set_create(context, twice, 2, 2, samples[i] + 2, &set) != NITRO_OK)
            abort();
        if (!set) /* too large */
            return;
        nitro_formula_set_evaluate(set, samples[i], together);
        for (size_t k = 0; k < 2; k++)
            if (memcmp(&alone, &together[k], sizeof(alone)) != 0 &&
                !(isnan(alone) && isnan(together[k])))
                abort();
        nitro_formula_set_free(set);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    nitro_context *context = NULL;
    if (text && nitro_context_create(&context) == NITRO_OK) {
        nitro_expression *formula = NULL;
        if (size > 0)
            memcpy(text, data, size);
        text[size] = '\0';
        if (nitro_formula_parse(context, "fuzz", text, &variables, &formula) == NITRO_OK) {
            evaluate(formula);
            evaluate_as_set(context, formula);
        }
        nitro_expression_free(formula);
    }
    nitro_context_free(context);
    free(text);
    return 0;
}

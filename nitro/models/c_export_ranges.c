/* Exports the check of an input against the training range: as range_ends.c. */
#include "nitro/models/c_export_ranges.h"

#include "nitro/runtime/model/model.h"

extern const char nitro_exported_ranges[];

const char *nitro_source_scale(nitro_scale scale)
{
    if (scale == NITRO_SCALE_LOG)
        return "LOG";
    return scale == NITRO_SCALE_LINEAR ? "LINEAR" : "SIGNED_LOG";
}

static void print_range(FILE *out, const nitro_model *model, size_t f)
{
    const nitro_scaler_column *column = &model->columns[f];
    double lowest = 0.0, highest = 0.0;
    fprintf(out, "    {%zu, %s, %a, %a, ", f, nitro_source_scale(column->scale), column->low,
            column->high);
    if (nitro_scaler_interval(column, NITRO_MODEL_TOLERANCE, &lowest, &highest))
        fprintf(out, "%a, %a, ", lowest, highest);
    else
        fputs("HUGE_VAL, -HUGE_VAL, ", out);
    fprintf(out, "%a, {%a, %a}},\n", nitro_scaler_invert(column, 0.0),
            model->ends ? model->ends[2 * f].reach : 0.0,
            model->ends ? model->ends[2 * f + 1].reach : 0.0);
}

static void print_ranges(FILE *out, const nitro_model *model, size_t count)
{
    fprintf(
        out,
        "/* Training ranges, the values that count as inside, and for the low and the high end\n"
        " * how far the model is extrapolated. */\n"
        "enum { NUM_RANGES = %zu, HAS_ENDS = %d };\n"
        "static const struct {\n    size_t feature;\n    int scale;\n"
        "    double low, high, lowest, highest, middle, reach[2];\n} ranges[NUM_RANGES + 1] = "
        "{\n",
        count, model->ends != NULL);
    for (size_t f = 0; f < model->schema->num_features; f++)
        if (model->judged >> f & 1)
            print_range(out, model, f);
    fputs("    {0, LINEAR, 0.0, 0.0, 0.0, 0.0, 0.0, {0.0, 0.0}}};\n\n", out);
}

static void print_fallbacks(FILE *out, const nitro_model *model)
{
    size_t num_variants = model->schema->num_variants;
    fputs("/* Scores on the training inputs nearest to the low and high ends. */\n"
          "static const double fallback_scores[2 * NUM_RANGES + 1][NUM_VARIANTS] = {\n",
          out);
    for (size_t i = 0; model->ends && i < 2 * model->schema->num_features; i++) {
        if (!(model->judged >> i / 2 & 1))
            continue;
        fputs("    {", out);
        for (size_t v = 0; v < num_variants; v++)
            fprintf(out, "%a, ", model->ends[i].fallback_scores[v]);
        fputs("},\n", out);
    }
    fputs("    {0.0}};\n\n", out);
}

void nitro_source_ranges(FILE *out, const nitro_model *model)
{
    size_t count = 0;
    for (size_t f = 0; f < model->schema->num_features; f++)
        count += model->judged >> f & 1;
    print_ranges(out, model, count);
    print_fallbacks(out, model);
    fprintf(out, "static const double TOLERANCE = %a;\n\n%s", NITRO_MODEL_TOLERANCE,
            nitro_exported_ranges);
}

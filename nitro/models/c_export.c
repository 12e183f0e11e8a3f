/* Exports a model as a C file: tables, the terms' functions, columns, and one function for programs
 * to call. The arithmetic is the model's, in the same order.
 */
#include "nitro/models/c_export.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/models/c_export_terms.h"
#include "nitro/records/formula_program.h"
#include "nitro/runtime/model/model.h"

/* As in scaler.c. */
static const char columns_helpers[] =
    "enum { LINEAR, LOG, SIGNED_LOG };\n\n"
    "static double transform(int scale, double value)\n"
    "{\n"
    "    if (scale == LOG)\n"
    "        return log(value);\n"
    "    if (scale == LINEAR)\n"
    "        return value;\n"
    "    double magnitude = fabs(value);\n"
    "    return copysign(magnitude < 1.0 ? log1p(magnitude) : log(1.0 + magnitude), value);\n"
    "}\n\n"
    "static double apply(int scale, double low, double high, double value)\n"
    "{\n"
    "    if (!(high > low))\n"
    "        return 0.0;\n"
    "    if (scale == LOG && !(value > 0.0))\n"
    "        return -3.0;\n"
    "    double half_range = 0.5 * high - 0.5 * low, middle = 0.5 * high + 0.5 * low;\n"
    "    double scaled = (transform(scale, value) - middle) / half_range;\n"
    "    return fmin(fmax(scaled, -1000.0), 1000.0);\n"
    "}\n\n"
    "/* How far outside the range of what the model learnt from, in half ranges. */\n"
    "static double excess(int scale, double low, double high, double value)\n"
    "{\n"
    "    if (high > low)\n"
    "        return fmax(fabs(apply(scale, low, high, value)) - 1.0, 0.0);\n"
    "    if (scale == LOG && !(value > 0.0))\n"
    "        return 2.0;\n"
    "    double away = fabs(transform(scale, value) - low);\n"
    "    return away == 0.0 ? 0.0 : fmin(2.0 * away / fabs(low), 1000.0);\n"
    "}\n\n";

static const char *scale_word(nitro_scale scale)
{
    if (scale == NITRO_SCALE_LOG)
        return "LOG";
    return scale == NITRO_SCALE_LINEAR ? "LINEAR" : "SIGNED_LOG";
}

/** The computation's name as a C identifier. */
static void find_name(const nitro_model *model, char *name, size_t size)
{
    snprintf(name, size, "nitro_%s", model->schema->computation);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

/** A formula's variable in C: a feature, or the target's value. */
static void print_variable(FILE *out, const nitro_model *model, size_t variable)
{
    size_t num_features = model->schema->num_features;
    if (variable < num_features)
        fprintf(out, "f[%zu]", variable);
    else
        fprintf(out, "%a", model->relative_values[variable - num_features]);
}

static void print_one(FILE *out, formula_operation operation, size_t at)
{
    static const char *const functions[] = {[FORMULA_NEGATE] = "-",
                                            [FORMULA_LN] = "log",
                                            [FORMULA_LOG2] = "log2",
                                            [FORMULA_SQRT] = "sqrt"};
    if (operation == FORMULA_SIGNED_LOG)
        fprintf(out, "copysign(log1p(fabs(s[%zu])), s[%zu])", at, at);
    else
        fprintf(out, "%s(s[%zu])", functions[operation], at);
}

static void print_two(FILE *out, formula_operation operation, size_t at)
{
    static const char *const operators[] = {
        [FORMULA_ADD] = "+",    [FORMULA_SUBTRACT] = "-", [FORMULA_MULTIPLY] = "*",
        [FORMULA_DIVIDE] = "/", [FORMULA_MIN] = "<",      [FORMULA_MAX] = ">"};
    fprintf(out, "s[%zu] %s s[%zu]", at, operators[operation], at + 1);
    if (operation == FORMULA_MIN || operation == FORMULA_MAX)
        fprintf(out, " ? s[%zu] : s[%zu]", at, at + 1);
}

/** The function of one formula, one step a line; NaN if a step is undefined. */
static void print_formula(FILE *out, const nitro_model *model, size_t index)
{
    const nitro_formula *formula = model->relative->formulas[index];
    size_t depth = 0;
    fprintf(out,
            "/* %s */\nstatic double relative_%zu(const double *f)\n{\n    double s[%d];\n"
            "    (void)f;\n",
            model->schema->relative[index].name, index, FORMULA_MAX_VALUES);
    for (size_t i = 0; i < formula->num_steps; i++) {
        const formula_step *step = &formula->steps[i];
        bool pushes = step->operation == FORMULA_CONSTANT || step->operation == FORMULA_VARIABLE;
        depth += pushes;
        depth -= step->operation >= FORMULA_ADD;
        fprintf(out, "    s[%zu] = ", depth - 1);
        if (step->operation == FORMULA_CONSTANT)
            fprintf(out, "%a", step->constant);
        else if (pushes)
            print_variable(out, model, step->variable);
        else if (step->operation < FORMULA_ADD)
            print_one(out, step->operation, depth - 1);
        else
            print_two(out, step->operation, depth - 1);
        fprintf(out, ";\n    if (!isfinite(s[%zu]))\n        return NAN;\n", depth - 1);
    }
    fputs("    return s[0];\n}\n\n", out);
}

static void print_column(FILE *out, const nitro_model *model, size_t i)
{
    size_t c = model->seen[i], first_relative = nitro_model_first_relative(model);
    size_t first_device = nitro_model_first_device(model);
    const nitro_scaler_column *column = &model->columns[c];
    const char *scale = scale_word(column->scale);
    if (c >= first_device)
        fprintf(out, "    x[%zu] = %a; /* %s */\n", i, model->device_columns[c - first_device],
                model->device_features.items[c - first_device]);
    else if (c < first_relative)
        fprintf(out, "    x[%zu] = apply(%s, %a, %a, f[%zu]);\n", i, scale, column->low,
                column->high, c);
    else
        fprintf(out,
                "    value = relative_%zu(f);\n    defined = defined && !isnan(value);\n"
                "    x[%zu] = isnan(value) ? -1.0 : fmin(fmax(apply(%s, %a, %a, value), -1.0), "
                "1.0);\n",
                c - first_relative, i, scale, column->low, column->high);
}

static void print_columns(FILE *out, const nitro_model *model)
{
    const nitro_schema *schema = model->schema;
    fputs(columns_helpers, out);
    for (size_t r = 0; r < schema->num_relative; r++)
        print_formula(out, model, r);
    fputs("/* Columns of an input; 0 where the model has never seen the like. */\n"
          "static int find_columns(const double *f, double *x)\n{\n"
          "    int defined = 1;\n    double value = 0.0;\n    (void)value;\n",
          out);
    for (size_t i = 0; i < model->num_seen; i++)
        print_column(out, model, i);
    for (size_t f = 0; f < schema->num_features; f++)
        if (model->judged >> f & 1)
            fprintf(out, "    defined = defined && !(excess(%s, %a, %a, f[%zu]) > %a);\n",
                    scale_word(model->columns[f].scale), model->columns[f].low,
                    model->columns[f].high, f, NITRO_MODEL_TOLERANCE);
    fputs("    return defined;\n}\n\n", out);
}

static void print_head(FILE *out, const nitro_model *model, const char *name)
{
    const nitro_schema *schema = model->schema;
    fprintf(out,
            "/*\n * %s for %s, by strategy %s. Made by nitro compile (Nitro %s); needs C99 and "
            "libm.\n *\n"
            " *     int %s_select(const double *features);\n *\n"
            " * features holds the %zu numbers that %s_features names, in that order. The answer "
            "is\n"
            " * the index of a variant in %s_variants: the one expected to run fastest; the "
            "default,\n"
            " * %s, where the input is outside the training range; -1 where a feature "
            "is\n * not a finite number. Safe from any number of threads.\n */\n",
            schema->computation, model->target, nitro_model_strategy(model), NITRO_VERSION_STRING,
            name, schema->num_features, name, name, schema->variants[schema->default_variant]);
    fprintf(out,
            "#include <math.h>\n#include <stddef.h>\n\n"
            "enum { NUM_FEATURES = %zu, NUM_COLUMNS = %zu, NUM_VARIANTS = %zu };\n\n",
            schema->num_features, model->num_seen, schema->num_variants);
    fprintf(out,
            "extern const char *const %s_features[];\nextern const char *const "
            "%s_variants[];\nint %s_select(const double *features);\n\n",
            name, name, name);
    if (model->prepare_costs)
        fprintf(out,
                "/* The same for so many runs of an input, from 1: counts preparing it once. */\n"
                "int %s_select_uses(const double *features, double uses);\n\n",
                name);
    fprintf(out, "const char *const %s_features[] = {", name);
    for (size_t f = 0; f < schema->num_features; f++)
        fprintf(out, "\"%s\", ", schema->features[f].name);
    fprintf(out, "NULL};\nconst char *const %s_variants[] = {", name);
    for (size_t v = 0; v < schema->num_variants; v++)
        fprintf(out, "\"%s\", ", schema->variants[v]);
    fputs("NULL};\n\n", out);
}

/* As in prepare_costs.c. */
static const char charge_function[] =
    "/* Adds a share of the cost of preparing to every run. */\n"
    "static void charge(const double *x, double share, double *scores)\n"
    "{\n"
    "    double before = 0.0, after = 0.0;\n"
    "    for (size_t v = 0; v < NUM_VARIANTS; v++) {\n"
    "        const double *weights = prepare_weights + v * (NUM_COLUMNS + 1);\n"
    "        double logarithm = weights[NUM_COLUMNS], speed = fmax(1.0 + scores[v], %a);\n"
    "        for (size_t c = 0; c < NUM_COLUMNS; c++)\n"
    "            logarithm += weights[c] * fmin(fmax(x[c], -1.0), 1.0);\n"
    "        double runs = prepares[v] ? exp(fmin(fmax(logarithm, -40.0), 40.0)) : 0.0;\n"
    "        scores[v] = speed / (1.0 + speed * share * runs);\n"
    "        before = fmax(before, speed);\n"
    "        after = fmax(after, scores[v]);\n"
    "    }\n"
    "    for (size_t v = 0; v < NUM_VARIANTS; v++)\n"
    "        scores[v] = scores[v] * (before / after) - 1.0;\n"
    "}\n\n";

static void print_prepare_costs(FILE *out, const nitro_prepare_costs *costs)
{
    nitro_source_numbers(out, "prepare_weights", costs->weights,
                         costs->num_variants * (costs->num_columns + 1));
    fputs("static const char prepares[NUM_VARIANTS] = {", out);
    for (size_t v = 0; v < costs->num_variants; v++)
        fprintf(out, "%d, ", (int)(costs->prepared >> v & 1));
    fputs("};\n\n", out);
    fprintf(out, charge_function, NITRO_LEAST_SPEED);
}

/** With costs of preparing, for a number of uses; the plain function then is for unlimited ones. */
static void print_select(FILE *out, const nitro_model *model, const char *name)
{
    const nitro_prepare_costs *costs = model->prepare_costs;
    fprintf(out,
            costs ? "int %s_select_uses(const double *features, double uses)\n{\n"
                  : "int %s_select(const double *features)\n{\n",
            name);
    if (costs)
        fprintf(out,
                "    double share = (float)(1.0 / uses);\n"
                "    if (share > 0.0 && share * %a >= 1.0)\n        return %zu;\n",
                costs->few_uses, costs->few_variant);
    fprintf(out,
            "    double x[NUM_COLUMNS + 1], scores[NUM_VARIANTS];\n"
            "    int best = 0;\n"
            "    for (size_t i = 0; i < NUM_FEATURES; i++)\n"
            "        if (!isfinite(features[i]))\n            return -1;\n"
            "    if (!find_columns(features, x))\n        return %zu;\n"
            "    find_scores(x, scores);\n",
            model->schema->default_variant);
    if (costs)
        fputs("    if (share > 0.0)\n        charge(x, share, scores);\n", out);
    fputs("    for (int v = 1; v < NUM_VARIANTS; v++)\n"
          "        if (scores[v] > scores[best])\n            best = v;\n"
          "    return best;\n}\n",
          out);
    if (costs)
        fprintf(out,
                "\nint %s_select(const double *features)\n{\n"
                "    return %s_select_uses(features, HUGE_VAL);\n}\n",
                name, name);
}

nitro_status nitro_source_format(const nitro_model *model, char **text, size_t *size)
{
    char name[96];
    nitro_score_terms terms;
    nitro_status status = nitro_model_parts(model, &terms);
    if (status != NITRO_OK)
        return status;
    find_name(model, name, sizeof name);
    char *made = NULL;
    FILE *out = open_memstream(&made, size);
    if (out) {
        print_head(out, model, name);
        nitro_source_parts(out, &terms);
        print_columns(out, model);
        if (model->prepare_costs)
            print_prepare_costs(out, model->prepare_costs);
        print_select(out, model, name);
    }
    bool failed = !out || ferror(out);
    failed = (out && fclose(out) != 0) || failed;
    if (!failed) {
        *text = made;
        return NITRO_OK;
    }
    free(made);
    return nitro_fail(model->context, NITRO_ERR_NO_MEMORY,
                      "out of memory: cannot write the model of %s for %s",
                      model->schema->computation, model->target);
}

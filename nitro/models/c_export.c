/*
 * Exports a model as a C file: tables, the terms' functions, columns, and one function for programs
 * to call. Kernels are summed in single precision first; where the bound on their error does not
 * decide, the model's own arithmetic does, in the same order, so that decisions are the library's.
 */
#include "nitro/models/c_export.h"

#include <ctype.h>
#include <string.h>

#include "nitro/backend/memory_stream.h"
#include "nitro/models/c_export_ranges.h"
#include "nitro/models/c_export_terms.h"
#include "nitro/records/expression_program.h"
#include "nitro/runtime/model/model.h"
#include "nitro/runtime/scores/forest_tree.h"

extern const char nitro_exported_columns[], nitro_exported_charge[];

#define MOST_LEAVES ((size_t)1 << 24) /* their numbers are thresholds, floats */

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

static void print_one(FILE *out, expression_operation operation, size_t at)
{
    static const char *const functions[] = {[EXPRESSION_NEGATE] = "-",
                                            [EXPRESSION_LN] = "log",
                                            [EXPRESSION_LOG2] = "log2",
                                            [EXPRESSION_SQRT] = "sqrt"};
    if (operation == EXPRESSION_SIGNED_LOG)
        fprintf(out, "copysign(log1p(fabs(s[%zu])), s[%zu])", at, at);
    else
        fprintf(out, "%s(s[%zu])", functions[operation], at);
}

static void print_two(FILE *out, expression_operation operation, size_t at)
{
    static const char *const operators[] = {
        [EXPRESSION_ADD] = "+",    [EXPRESSION_SUBTRACT] = "-", [EXPRESSION_MULTIPLY] = "*",
        [EXPRESSION_DIVIDE] = "/", [EXPRESSION_MIN] = "<",      [EXPRESSION_MAX] = ">"};
    fprintf(out, "s[%zu] %s s[%zu]", at, operators[operation], at + 1);
    if (operation == EXPRESSION_MIN || operation == EXPRESSION_MAX)
        fprintf(out, " ? s[%zu] : s[%zu]", at, at + 1);
}

static size_t depth_after(const expression_step *step, size_t depth)
{
    return expression_pushes(step->operation)      ? depth + 1
           : expression_takes_one(step->operation) ? depth
                                                   : depth - 1;
}

/** The function of one formula, one step a line; NaN if a step is undefined. */
static void print_formula(FILE *out, const nitro_model *model, size_t index)
{
    const nitro_expression *program = model->relative->formulas[index];
    size_t depth = 0, most = 0;
    for (size_t i = 0; i < program->num_steps; i++) {
        depth = depth_after(&program->steps[i], depth);
        most = depth > most ? depth : most;
    }
    fprintf(out,
            "/* %s */\nstatic double relative_%zu(const double *f)\n{\n    double s[%zu];\n"
            "    (void)f;\n",
            model->schema->relative[index].name, index, most);
    depth = 0;
    for (size_t i = 0; i < program->num_steps; i++) {
        const expression_step *step = &program->steps[i];
        depth = depth_after(step, depth);
        fprintf(out, "    s[%zu] = ", depth - 1);
        if (step->operation == EXPRESSION_CONSTANT)
            fprintf(out, "%a", step->constant);
        else if (step->operation == EXPRESSION_VARIABLE)
            print_variable(out, model, step->variable);
        else if (expression_takes_one(step->operation))
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
    const char *scale = nitro_source_scale(column->scale);
    if (c >= first_device)
        fprintf(out, "    x[%zu] = %a; /* %s */\n", i, model->device_columns[c - first_device],
                model->device_features.items[c - first_device]);
    else if (c < first_relative)
        fprintf(out, "    x[%zu] = clamp(apply(%s, %a, %a, f[%zu]), %a, %a);\n", i, scale,
                column->low, column->high, c, -1.0 - NITRO_MODEL_TOLERANCE,
                1.0 + NITRO_MODEL_TOLERANCE);
    else
        fprintf(out,
                "    value = relative_%zu(f);\n    defined = defined && !isnan(value);\n"
                "    x[%zu] = isnan(value) ? -1.0 : clamp(apply(%s, %a, %a, value), -1.0, 1.0);\n",
                c - first_relative, i, scale, column->low, column->high);
}

static void print_columns(FILE *out, const nitro_model *model)
{
    const nitro_schema *schema = model->schema;
    for (size_t r = 0; r < schema->num_relative; r++)
        print_formula(out, model, r);
    fputs("/* Columns of an input, inside the training range or on its border; 0 where one is\n"
          " * undefined. */\n"
          "static int find_columns(const double *f, double *x)\n{\n"
          "    int defined = 1;\n    double value = 0.0;\n    (void)value;\n",
          out);
    for (size_t i = 0; i < model->num_seen; i++)
        print_column(out, model, i);
    fputs("    return defined;\n}\n\n", out);
}

/* Kernels are several times as fast in vectors, and GCC vectorizes little with -O2, before version
 * 12 nothing. */
static const char pragmas[] =
    "#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || \\\n"
    "    defined(__RECIPROCAL_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)\n"
    "#error \"compile without -ffast-math and its parts: decisions depend on IEEE arithmetic\"\n"
    "#endif\n"
    "#if defined(__clang__) /* has no macros for the parts */\n"
    "#pragma float_control(precise, on)\n"
    "#pragma STDC FP_CONTRACT OFF /* -ffp-contract=fast disregards it: do not use that here */\n"
    "#elif defined(__GNUC__)\n"
    "#pragma GCC optimize(\"O3\", \"fp-contract=off\") /* vectorize also with -O2 */\n"
    "#endif\n\n"
    "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n";

static void print_head(FILE *out, const nitro_model *model, const char *name)
{
    const nitro_schema *schema = model->schema;
    fprintf(out,
            "/*\n * %s for %s, by strategy %s. Made by nitro compile (Nitro %s); needs C99 and "
            "libm.\n *\n"
            " *     int %s_select(const double *features);\n *\n"
            " * features holds the %zu numbers that %s_features names, in that order. The answer "
            "is\n"
            " * the index of a variant in %s_variants: the one expected to run fastest; far "
            "outside\n"
            " * the training range the one that loses least on the nearest training inputs, or "
            "the\n"
            " * default, %s; -1 where a feature is not a finite number. Safe from any number of\n"
            " * threads.\n */\n",
            schema->computation, model->target, nitro_model_strategy(model), NITRO_VERSION_STRING,
            name, schema->num_features, name, name, schema->variants[schema->default_variant]);
    fprintf(out,
            "%s"
            "enum { NUM_FEATURES = %zu, NUM_COLUMNS = %zu, NUM_VARIANTS = %zu };\n\n",
            pragmas, schema->num_features, model->num_seen, schema->num_variants);
    fprintf(out,
            "extern const char *const %s_features[];\nextern const char *const "
            "%s_variants[];\nint %s_select(const double *features);\n\n",
            name, name, name);
    if (model->prepare_costs)
        fprintf(out,
                "/* The same for so many uses of an input: counts preparing it once. -1 where uses "
                "is\n * below 1 or not a number. */\n"
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

static void print_prepare_costs(FILE *out, const nitro_prepare_costs *costs)
{
    nitro_source_doubles(out, "prepare_weights", 0, costs->weights,
                         costs->num_variants * (costs->num_columns + 1));
    fputs("static const char prepares[NUM_VARIANTS] = {", out);
    for (size_t v = 0; v < costs->num_variants; v++)
        fprintf(out, "%d, ", (int)(costs->prepared >> v & 1));
    fprintf(out, "};\nstatic const double LEAST_SPEED = %a;\n\n%s", NITRO_LEAST_SPEED,
            nitro_exported_charge);
}

/** The variants that are chosen: what no source ran has scores, but they say nothing. */
static void print_tried(FILE *out, const nitro_model *model)
{
    size_t num_variants = model->schema->num_variants;
    uint64_t tried = nitro_model_tried(model, UINT64_MAX >> (64 - num_variants));
    fputs("static const char is_tried[NUM_VARIANTS] = {", out);
    for (size_t v = 0; v < num_variants; v++)
        fprintf(out, "%d, ", (int)(tried >> v & 1));
    fputs("};\n\n", out);
}

/** Estimates decide if their error cannot change the order; else the model's own arithmetic does.
 */
static void print_decide(FILE *out, bool estimates, bool charges, size_t default_variant)
{
    const char *charge =
        charges ? "    if (share > 0.0)\n        %scharge(x, share, scores);\n" : "";
    fputs("static int best_of(const double *scores)\n{\n"
          "    int best = -1;\n"
          "    for (int v = 0; v < NUM_VARIANTS; v++)\n"
          "        if (is_tried[v] && (best < 0 || scores[v] > scores[best]))\n"
          "            best = v;\n"
          "    return best;\n}\n\n"
          "static int decide(const double *x, double share)\n{\n"
          "    double scores[NUM_VARIANTS];\n",
          out);
    if (estimates) {
        fputs("    double bound = estimate_scores(x, scores);\n", out);
        fprintf(out, charge, "bound *= ");
        fputs("    int best = best_of(scores), is_certain = 1;\n"
              "    for (int v = 0; v < NUM_VARIANTS; v++)\n"
              "        is_certain &= v == best || !is_tried[v] || scores[best] - scores[v] > 2.0 * "
              "bound;\n"
              "    if (is_certain)\n        return best;\n",
              out);
    }
    fputs("    find_scores(x, scores);\n", out);
    fprintf(out, charge, "");
    fprintf(out, "%s    return best_of(scores);\n}\n\n", charges ? "" : "    (void)share;\n");
    fputs("static int fall_back(const double *x, double share, int end)\n{\n"
          "    double scores[NUM_VARIANTS];\n"
          "    memcpy(scores, fallback_scores[end], sizeof scores);\n",
          out);
    fprintf(out, charge, "");
    fprintf(out,
            "%s    int best = best_of(scores);\n"
            "    return fallback_scores[end][best] > -1.0 ? best : %zu;\n}\n\n",
            charges ? "" : "    (void)x;\n    (void)share;\n", default_variant);
}

/** The choices for few uses, by ranges of one feature at most. */
static void print_few_uses(FILE *out, const nitro_prepare_costs *costs)
{
    for (size_t i = 0; i < costs->num_few; i++) {
        fputs("    if (share > 0.0", out);
        if (i > 0)
            fprintf(out, " && features[%zu] > %a", costs->few_feature, costs->few[i - 1].up_to);
        if (i + 1 < costs->num_few)
            fprintf(out, " && features[%zu] <= %a", costs->few_feature, costs->few[i].up_to);
        fprintf(out, " && share * %a >= 1.0)\n        return %zu;\n", costs->few[i].uses,
                costs->few[i].variant);
    }
}

/** With costs of preparing, for a number of uses; the plain function then is for unlimited ones. */
static void print_select(FILE *out, const nitro_model *model, const char *name)
{
    const nitro_prepare_costs *costs = model->prepare_costs;
    const char *share = costs ? "share" : "0.0";
    fprintf(out,
            costs ? "int %s_select_uses(const double *features, double uses)\n{\n"
                  : "int %s_select(const double *features)\n{\n",
            name);
    fputs("    for (size_t i = 0; i < NUM_FEATURES; i++)\n"
          "        if (!isfinite(features[i]))\n            return -1;\n",
          out);
    if (costs)
        fputs("    if (!(uses >= 1.0))\n        return -1;\n"
              "    double share = (float)(1.0 / uses);\n",
              out);
    if (costs)
        print_few_uses(out, costs);
    fprintf(out,
            "    double x[NUM_COLUMNS + 1];\n"
            "    int end = -1;\n"
            "    int within = is_within_reach(features, &end);\n"
            "    if (find_columns(features, x) && within)\n        return decide(x, %s);\n"
            "    return end < 0 ? %zu : fall_back(x, %s, end);\n}\n",
            share, model->schema->default_variant, share);
    if (costs)
        fprintf(out,
                "\nint %s_select(const double *features)\n{\n"
                "    return %s_select_uses(features, HUGE_VAL);\n}\n",
                name, name);
}

static nitro_status check_size(const nitro_model *model, const nitro_score_terms *terms)
{
    for (size_t i = 0; i < terms->count; i++) {
        const nitro_forest *forest = terms->items[i].forest;
        size_t num_leaves = 0;
        for (size_t t = 0; forest && t < forest->num_trees; t++)
            num_leaves += forest->trees[t].num_leaves;
        if (num_leaves > MOST_LEAVES)
            return nitro_fail(model->context, NITRO_ERR_UNSUPPORTED,
                              "the model of %s for %s has %zu leaves, but a C file can have %zu; "
                              "use the binary format",
                              model->schema->computation, model->target, num_leaves, MOST_LEAVES);
    }
    return NITRO_OK;
}

static char *format(const nitro_model *model, const nitro_score_terms *terms,
                    const nitro_compiled *compiled, size_t *size)
{
    char name[96], *text = NULL;
    FILE *out = nitro_memory_stream(&text, size);
    if (!out)
        return NULL;
    bool estimates = compiled && compiled->num_blocks > 0;
    find_name(model, name, sizeof name);
    print_head(out, model, name);
    fputs(nitro_exported_columns, out);
    nitro_source_terms(out, terms);
    if (estimates)
        nitro_source_blocks(out, terms, compiled);
    print_columns(out, model);
    nitro_source_ranges(out, model);
    print_tried(out, model);
    if (model->prepare_costs)
        print_prepare_costs(out, model->prepare_costs);
    print_decide(out, estimates, model->prepare_costs != NULL, model->schema->default_variant);
    print_select(out, model, name);
    return nitro_memory_stream_end(out, &text);
}

static nitro_status format_in_scope(const nitro_model *model, char **text, size_t *size)
{
    nitro_score_terms terms;
    nitro_compiled *compiled = NULL;
    nitro_status status = nitro_model_parts(model, &terms);
    if (status == NITRO_OK)
        status = check_size(model, &terms);
    if (status == NITRO_OK)
        status = nitro_model_compile_terms(model, &terms, &compiled);
    if (status != NITRO_OK)
        return status;
    char *made = format(model, &terms, compiled, size);
    nitro_compiled_free(compiled);
    if (!made)
        return nitro_fail(model->context, NITRO_ERR_NO_MEMORY,
                          "out of memory: cannot write the model of %s for %s",
                          model->schema->computation, model->target);
    *text = made;
    return NITRO_OK;
}

nitro_status nitro_source_format(const nitro_model *model, char **text, size_t *size)
{
    nitro_number_scope before = nitro_numbers_begin();
    nitro_status status = format_in_scope(model, text, size);
    nitro_numbers_end(before);
    return status;
}

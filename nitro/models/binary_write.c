/* Writes models to binary files; binary_read.c and binary_terms.c read them. */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/memory_stream.h"
#include "nitro/models/binary.h"
#include "nitro/runtime/model/model.h"
#include "nitro/runtime/scores/forest_tree.h"

static void put_count(FILE *out, size_t count)
{
    uint64_t bits = htole64((uint64_t)count);
    fwrite(&bits, sizeof bits, 1, out);
}

static void put_number(FILE *out, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits = htole64(bits);
    fwrite(&bits, sizeof bits, 1, out);
}

static void put_numbers(FILE *out, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_number(out, numbers[i]);
}

static void put_text(FILE *out, const char *text)
{
    static const char zeros[8] = {0};
    size_t length = strlen(text);
    put_count(out, length);
    fwrite(text, 1, length, out);
    fwrite(zeros, 1, (8 - length % 8) % 8, out);
}

static void put_column(FILE *out, const nitro_scaler_column *column)
{
    put_count(out, column->scale);
    put_number(out, column->low);
    put_number(out, column->high);
}

static void put_names(FILE *out, const nitro_model *model)
{
    const nitro_schema *schema = model->schema;
    put_text(out, schema->computation);
    put_text(out, model->target);
    put_text(out, model->target_kind);
    put_text(out, nitro_model_strategy(model));
    put_count(out, schema->num_variants);
    for (size_t v = 0; v < schema->num_variants; v++)
        put_text(out, schema->variants[v]);
    put_count(out, schema->default_variant);
}

static void put_features(FILE *out, const nitro_model *model)
{
    const nitro_schema *schema = model->schema;
    put_count(out, schema->num_features);
    for (size_t f = 0; f < schema->num_features; f++) {
        put_text(out, schema->features[f].name);
        put_text(out, schema->features[f].unit);
        put_column(out, &model->columns[f]);
    }
    put_count(out, schema->num_relative);
    for (size_t r = 0; r < schema->num_relative; r++) {
        put_text(out, schema->relative[r].name);
        put_text(out, schema->relative[r].unit);
        put_text(out, schema->relative[r].formula);
        put_text(out, schema->relative[r].replaces);
        put_column(out, &model->columns[nitro_model_first_relative(model) + r]);
    }
    put_numbers(out, model->relative_values, nitro_relative_num_device_values(model->relative));
    put_count(out, model->device_features.count);
    for (size_t i = 0; i < model->device_features.count; i++) {
        put_text(out, model->device_features.items[i]);
        put_number(out, model->device_values[i]);
        put_column(out, &model->columns[nitro_model_first_device(model) + i]);
    }
}

static void put_calibration(FILE *out, const nitro_calibration *calibration)
{
    put_count(out, calibration->num_knots);
    put_numbers(out, calibration->margins, calibration->num_knots);
    put_numbers(out, calibration->confidences, calibration->num_knots);
}

static void put_kernels(FILE *out, const nitro_kernel_expansion *expansion)
{
    put_number(out, expansion->gamma);
    put_count(out, expansion->num_vectors);
    put_numbers(out, expansion->bias, expansion->num_outputs);
    put_numbers(out, expansion->vectors, expansion->num_vectors * expansion->num_columns);
    put_numbers(out, expansion->coefficients, expansion->num_vectors * expansion->num_outputs);
}

/** Columns of nodes (0 for a leaf, else the column plus 1), thresholds of inner nodes, then outputs
 * of leaves. */
static void put_tree(FILE *out, const forest_tree *tree, size_t num_outputs)
{
    put_count(out, tree->num_nodes);
    for (size_t i = 0; i < tree->num_nodes; i++)
        put_count(out, tree->nodes[i].column == FOREST_LEAF ? 0 : tree->nodes[i].column + 1);
    for (size_t i = 0; i < tree->num_nodes; i++)
        if (tree->nodes[i].column != FOREST_LEAF)
            put_number(out, tree->nodes[i].threshold);
    put_numbers(out, tree->outputs, tree->num_leaves * num_outputs);
}

static void put_forest(FILE *out, const nitro_forest *forest)
{
    put_count(out, forest->num_trees);
    for (size_t i = 0; i < forest->num_trees; i++)
        put_tree(out, &forest->trees[i], forest->num_outputs);
}

static void put_votes(FILE *out, const nitro_score_term *term, size_t num_columns)
{
    const nitro_svm_classifier *svm = term->svm;
    put_number(out, term->gamma);
    put_count(out, svm->num_classes);
    put_count(out, svm->num_vectors);
    for (size_t k = 0; k < svm->num_classes; k++)
        put_count(out, svm->classes[k]);
    for (size_t k = 0; k < svm->num_classes; k++)
        put_count(out, svm->class_vectors[k]);
    put_numbers(out, svm->rho, nitro_svm_num_pairs(svm->num_classes));
    put_numbers(out, svm->coefficients, svm->num_vectors * (svm->num_classes - 1));
    put_numbers(out, term->vectors, svm->num_vectors * num_columns);
}

static void put_parts(FILE *out, const nitro_score_terms *terms)
{
    put_count(out, terms->count);
    for (size_t i = 0; i < terms->count; i++) {
        const nitro_score_term *term = &terms->items[i];
        put_count(out, term->kind);
        put_number(out, term->weight);
        if (term->kernels)
            put_kernels(out, term->kernels);
        else if (term->forest)
            put_forest(out, term->forest);
        else
            put_votes(out, term, terms->num_columns);
    }
}

/** The variants that have costs, as bits; the weights of each; the choices for few uses: a
 * feature (0 for none, else its position plus 1), their number, each with its border but the last.
 */
static void put_prepare_costs(FILE *out, const nitro_prepare_costs *costs)
{
    size_t size = costs->num_columns + 1;
    put_count(out, costs->prepared);
    for (size_t v = 0; v < costs->num_variants; v++)
        if (costs->prepared >> v & 1)
            put_numbers(out, costs->weights + v * size, size);
    put_count(out, costs->few_feature == NITRO_NONE ? 0 : costs->few_feature + 1);
    put_count(out, costs->num_few);
    for (size_t i = 0; i < costs->num_few; i++) {
        if (i + 1 < costs->num_few)
            put_number(out, costs->few[i].up_to);
        put_number(out, costs->few[i].uses);
        put_count(out, costs->few[i].variant);
        put_number(out, costs->few[i].confidence);
    }
}

/** A count of features, or 0; of each, both ends. */
static void put_range_ends(FILE *out, const nitro_model *model)
{
    size_t count = model->ends ? model->schema->num_features : 0;
    put_count(out, count);
    for (size_t i = 0; i < 2 * count; i++) {
        put_number(out, model->ends[i].reach);
        put_number(out, model->ends[i].confidence);
        put_number(out, model->ends[i].fallback_confidence);
        put_numbers(out, model->ends[i].fallback_scores, model->schema->num_variants);
    }
}

static nitro_status format(const nitro_model *model, char **bytes, size_t *size)
{
    nitro_score_terms terms;
    nitro_status status = nitro_model_parts(model, &terms);
    if (status != NITRO_OK)
        return status;
    char *made = NULL;
    size_t made_size = 0;
    FILE *out = nitro_memory_stream(&made, &made_size);
    if (out) {
        fwrite(NITRO_BINARY_MAGIC, 1, NITRO_BINARY_MAGIC_SIZE, out);
        put_count(out, NITRO_BINARY_VERSION);
        put_count(out, 0);
        put_count(out, 0);
        put_names(out, model);
        put_features(out, model);
        put_calibration(out, &model->calibration);
        put_parts(out, &terms);
        put_range_ends(out, model);
        put_count(out, model->prepare_costs != NULL);
        if (model->prepare_costs)
            put_prepare_costs(out, model->prepare_costs);
        put_count(out, model->untried);
    }
    if (!out || fclose(out) != 0) {
        free(made);
        return nitro_fail(model->context, NITRO_ERR_NO_MEMORY,
                          "out of memory: cannot write the model of %s for %s",
                          model->schema->computation, model->target);
    }
    nitro_binary_seal(made, made_size);
    *bytes = made;
    *size = made_size;
    return NITRO_OK;
}

nitro_status nitro_binary_format(const nitro_model *model, char **bytes, size_t *size)
{
    nitro_number_scope before = nitro_numbers_begin(); /* terms are computed */
    nitro_status status = format(model, bytes, size);
    nitro_numbers_end(before);
    return status;
}

/* Reads a binary model's score terms, and scores with them as a strategy. */
#include <stdlib.h>

#include "nitro/models/binary.h"
#include "nitro/runtime/scores/forest_tree.h"

#define MAX_MAGNITUDE 1e100 /* sums of such numbers stay finite */
#define MAX_VECTORS   ((size_t)1 << 24)
#define MAX_NODES     ((size_t)1 << 24)

static nitro_status read_gamma(nitro_binary_cursor *cursor, double *gamma)
{
    nitro_status status = nitro_binary_number(cursor, "gamma", MAX_MAGNITUDE, gamma);
    if (status == NITRO_OK && !(*gamma > 0.0))
        status = nitro_binary_refuse(cursor, "a gamma above 0");
    return status;
}

/** Read numbers in place of an array that was made for as many. */
static nitro_status read_over(nitro_binary_cursor *cursor, const char *what, size_t count,
                              double **numbers)
{
    double *read = NULL;
    nitro_status status = nitro_binary_numbers(cursor, what, MAX_MAGNITUDE, count, &read);
    if (status == NITRO_OK) {
        free(*numbers);
        *numbers = read;
    }
    return status;
}

static bool has_room(const nitro_binary_cursor *cursor, size_t num_vectors, size_t width)
{
    return num_vectors <= (cursor->size - cursor->at) / sizeof(double) / (width ? width : 1);
}

static nitro_status read_kernels(nitro_binary_cursor *cursor, size_t num_columns,
                                 size_t num_outputs, nitro_score_term *term)
{
    double gamma;
    size_t num_vectors;
    nitro_status status = read_gamma(cursor, &gamma);
    if (status == NITRO_OK)
        status = nitro_binary_count(cursor, "the number of vectors", 0, MAX_VECTORS, &num_vectors);
    if (status != NITRO_OK)
        return status;
    if (!has_room(cursor, num_vectors, num_columns + num_outputs))
        return nitro_binary_refuse(cursor, "what the vectors hold");
    status = nitro_kernel_expansion_create(cursor->context, num_columns, num_outputs, num_vectors,
                                           gamma, &term->kernels);
    if (status == NITRO_OK)
        status = read_over(cursor, "a bias", num_outputs, &term->kernels->bias);
    if (status == NITRO_OK)
        status = read_over(cursor, "a vector", num_vectors * num_columns, &term->kernels->vectors);
    if (status == NITRO_OK)
        status = read_over(cursor, "a coefficient", num_vectors * num_outputs,
                           &term->kernels->coefficients);
    return status;
}

static nitro_status read_nodes(nitro_binary_cursor *cursor, size_t num_columns, forest_tree *tree)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < tree->num_nodes && status == NITRO_OK; i++) {
        size_t column;
        status = nitro_binary_count(cursor, "a node's column", 0, num_columns, &column);
        if (status == NITRO_OK)
            tree->nodes[i].column = column ? (uint32_t)(column - 1) : FOREST_LEAF;
    }
    if (status == NITRO_OK && !nitro_forest_link(tree))
        status = nitro_binary_refuse(cursor, "a well-formed tree");
    for (size_t i = 0; i < tree->num_nodes && status == NITRO_OK; i++)
        if (tree->nodes[i].column != FOREST_LEAF)
            status = nitro_binary_number(cursor, "a threshold", MAX_MAGNITUDE,
                                         &tree->nodes[i].threshold);
    return status;
}

static nitro_status read_tree(nitro_binary_cursor *cursor, size_t num_columns, size_t num_outputs,
                              forest_tree *tree)
{
    nitro_status status =
        nitro_binary_count(cursor, "the number of nodes", 1, MAX_NODES, &tree->num_nodes);
    if (status != NITRO_OK)
        return status;
    if (!has_room(cursor, tree->num_nodes, 1))
        return nitro_binary_refuse(cursor, "node values");
    tree->nodes = nitro_calloc(cursor->context, tree->num_nodes, sizeof *tree->nodes);
    if (!tree->nodes)
        return NITRO_ERR_NO_MEMORY;
    status = read_nodes(cursor, num_columns, tree);
    if (status == NITRO_OK)
        status = nitro_binary_numbers(cursor, "a leaf's output", MAX_MAGNITUDE,
                                      tree->num_leaves * num_outputs, &tree->outputs);
    return status;
}

static nitro_status read_forest(nitro_binary_cursor *cursor, size_t num_columns, size_t num_outputs,
                                nitro_score_term *term)
{
    size_t num_trees;
    nitro_status status =
        nitro_binary_count(cursor, "the number of trees", 1, NITRO_FOREST_MAX_TREES, &num_trees);
    if (status == NITRO_OK)
        status = nitro_forest_create(cursor->context, num_columns, num_outputs, num_trees,
                                     &term->forest);
    for (size_t i = 0; status == NITRO_OK && i < num_trees; i++)
        status = read_tree(cursor, num_columns, num_outputs, &term->forest->trees[i]);
    return status;
}

/** Classes are variants in ascending order; their vectors must add up to the total. */
static nitro_status read_classes(nitro_binary_cursor *cursor, size_t num_variants,
                                 nitro_svm_classifier *svm)
{
    size_t left = svm->num_vectors;
    nitro_status status = NITRO_OK;
    for (size_t k = 0; k < svm->num_classes && status == NITRO_OK; k++)
        status = nitro_binary_count(cursor, "a class", k ? svm->classes[k - 1] + 1 : 0,
                                    num_variants - 1, &svm->classes[k]);
    for (size_t k = 0; k < svm->num_classes && status == NITRO_OK; k++) {
        status = nitro_binary_count(cursor, "a class's number of vectors", 0, left,
                                    &svm->class_vectors[k]);
        left -= status == NITRO_OK ? svm->class_vectors[k] : 0;
    }
    if (status == NITRO_OK && left != 0)
        status = nitro_binary_refuse(cursor, "a class for every vector");
    return status;
}

static nitro_status read_votes(nitro_binary_cursor *cursor, size_t num_columns, size_t num_variants,
                               nitro_score_term *term)
{
    size_t num_classes, num_vectors;
    nitro_status status = read_gamma(cursor, &term->gamma);
    if (status == NITRO_OK)
        status = nitro_binary_count(cursor, "the number of classes", 1, num_variants, &num_classes);
    if (status == NITRO_OK)
        status = nitro_binary_count(cursor, "the number of vectors", 0, MAX_VECTORS, &num_vectors);
    if (status != NITRO_OK)
        return status;
    if (!has_room(cursor, num_vectors, num_columns + num_classes - 1))
        return nitro_binary_refuse(cursor, "what the vectors hold");
    status = nitro_svm_classifier_create(cursor->context, num_classes, num_vectors, &term->svm);
    if (status == NITRO_OK)
        status = read_classes(cursor, num_variants, term->svm);
    if (status == NITRO_OK)
        status = read_over(cursor, "a bias", nitro_svm_num_pairs(num_classes), &term->svm->rho);
    if (status == NITRO_OK)
        status = read_over(cursor, "a coefficient", num_vectors * (num_classes - 1),
                           &term->svm->coefficients);
    if (status == NITRO_OK)
        status = nitro_binary_numbers(cursor, "a vector", MAX_MAGNITUDE, num_vectors * num_columns,
                                      &term->vectors);
    return status;
}

static nitro_status read_term(nitro_binary_cursor *cursor, const nitro_score_terms *terms,
                              nitro_score_term *term)
{
    size_t kind;
    nitro_status status =
        nitro_binary_count(cursor, "a term's kind", 0, NITRO_TERM_NUM_KINDS - 1, &kind);
    if (status == NITRO_OK)
        status = nitro_binary_number(cursor, "a term's weight", MAX_MAGNITUDE, &term->weight);
    if (status != NITRO_OK)
        return status;
    term->kind = (nitro_score_term_kind)kind;
    switch (term->kind) {
    case NITRO_TERM_KERNELS:
        return read_kernels(cursor, terms->num_columns, terms->num_variants, term);
    case NITRO_TERM_TREES:
        return read_forest(cursor, terms->num_columns, terms->num_variants, term);
    case NITRO_TERM_SOFT_VOTES:
        return read_kernels(cursor, terms->num_columns, nitro_svm_num_pairs(terms->num_variants),
                            term);
    default:
        return read_votes(cursor, terms->num_columns, terms->num_variants, term);
    }
}

nitro_status nitro_binary_parts(nitro_binary_cursor *cursor, nitro_score_terms *terms)
{
    size_t count;
    nitro_status status =
        nitro_binary_count(cursor, "the number of terms", 1, NITRO_SCORE_TERMS_MAX, &count);
    while (status == NITRO_OK && terms->count < count)
        status = read_term(cursor, terms, &terms->items[terms->count++]);
    return status;
}

static void score_parts(const void *predictor, const double *columns, double *scores)
{
    nitro_score_terms_score(predictor, columns, scores);
}

static nitro_status lend_parts(nitro_context *context, const void *predictor,
                               nitro_score_terms *terms)
{
    const nitro_score_terms *own = predictor;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < own->count && status == NITRO_OK; i++)
        status = nitro_score_terms_add(context, terms, &own->items[i]);
    return status;
}

static void free_parts(void *predictor)
{
    if (predictor)
        nitro_score_terms_release(predictor);
    free(predictor);
}

/* Not in the list of strategies, since they cannot be trained. */
#define PARTS                                                                                      \
    .name = "parts", .description = "a compiled model", .score = score_parts, .terms = lend_parts, \
    .free = free_parts
static const nitro_strategy of_votes = {PARTS}, of_losses = {PARTS, .loss_per_score = 1.0};

const nitro_strategy *nitro_binary_strategy(const nitro_score_terms *terms)
{
    for (size_t i = 0; i < terms->count; i++)
        if (terms->items[i].kind == NITRO_TERM_VOTES ||
            terms->items[i].kind == NITRO_TERM_SOFT_VOTES)
            return &of_votes;
    return &of_losses;
}

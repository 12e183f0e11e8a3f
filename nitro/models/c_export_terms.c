/* Score terms as C source: their numbers, and functions for the kinds of terms that occur. */
#include "nitro/models/c_export_terms.h"

#include <string.h>

#include "nitro/runtime/scores/forest_tree.h"

#define TREES_AT_ONCE 8 /* of exported_trees.inc */

extern const char nitro_exported_kernels[], nitro_exported_trees[], nitro_exported_soft_votes[],
    nitro_exported_votes[];

/* The same arithmetic, in the same order, as nitro/runtime/scores. */
static const char *const functions[NITRO_TERM_NUM_KINDS] = {
    [NITRO_TERM_KERNELS] = nitro_exported_kernels,
    [NITRO_TERM_TREES] = nitro_exported_trees,
    [NITRO_TERM_SOFT_VOTES] = nitro_exported_soft_votes,
    [NITRO_TERM_VOTES] = nitro_exported_votes,
};

static bool are_floats(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((double)(float)numbers[i] != numbers[i])
            return false;
    return true;
}

static size_t num_coefficients(const nitro_score_term *term)
{
    return term->kernels ? term->kernels->num_vectors * term->kernels->num_outputs
                         : term->svm->num_vectors * (term->svm->num_classes - 1);
}

static const double *coefficients_of(const nitro_score_term *term)
{
    return term->kernels ? term->kernels->coefficients : term->svm->coefficients;
}

static size_t num_vectors(const nitro_score_term *term)
{
    return term->kernels ? term->kernels->num_vectors : term->svm->num_vectors;
}

static const double *vectors_of(const nitro_score_term *term)
{
    return term->kernels ? term->kernels->vectors : term->vectors;
}

/** Are all numbers of the large tables floats? */
static bool is_single(const nitro_score_terms *terms)
{
    bool single = true;
    for (size_t i = 0; i < terms->count && single; i++) {
        const nitro_score_term *term = &terms->items[i];
        if (!term->forest)
            single = are_floats(vectors_of(term), num_vectors(term) * terms->num_columns) &&
                     are_floats(coefficients_of(term), num_coefficients(term));
        for (size_t t = 0; term->forest && t < term->forest->num_trees; t++)
            single = single && are_floats(term->forest->trees[t].outputs,
                                          term->forest->trees[t].num_leaves * terms->num_variants);
    }
    return single;
}

static void add_numbers(nitro_source_table *table, bool single, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (single)
            nitro_source_float(table, (float)numbers[i]);
        else
            nitro_source_double(table, numbers[i]);
}

static void print_numbers(FILE *out, const char *name, size_t index, bool single,
                          const double *numbers, size_t count)
{
    nitro_source_table table = nitro_source_begin(out, "number", name, index);
    add_numbers(&table, single, numbers, count);
    nitro_source_end(&table);
}

/** The first term with the same vectors: the two kernels of a pair share them. */
static size_t find_vectors(const nitro_score_terms *terms, size_t index)
{
    const nitro_score_term *term = &terms->items[index];
    size_t count = num_vectors(term);
    for (size_t i = 0; i < index; i++)
        if (!terms->items[i].forest && num_vectors(&terms->items[i]) == count &&
            memcmp(vectors_of(&terms->items[i]), vectors_of(term),
                   count * terms->num_columns * sizeof(double)) == 0)
            return i;
    return index;
}

static void print_kernels(FILE *out, const nitro_score_terms *terms, size_t index, bool single)
{
    const nitro_score_term *term = &terms->items[index];
    if (find_vectors(terms, index) == index)
        print_numbers(out, "vectors", index, single, vectors_of(term),
                      num_vectors(term) * terms->num_columns);
    print_numbers(out, "coefficients", index, single, coefficients_of(term),
                  num_coefficients(term));
    if (term->kernels) {
        nitro_source_doubles(out, "bias", index, term->kernels->bias, term->kernels->num_outputs);
        return;
    }
    nitro_source_table bias = nitro_source_begin(out, "double", "bias", index);
    for (size_t p = 0; p < nitro_svm_num_pairs(term->svm->num_classes); p++)
        nitro_source_double(&bias, -term->svm->rho[p]);
    nitro_source_end(&bias);
    nitro_source_counts(out, "classes", index, term->svm->classes, term->svm->num_classes);
    nitro_source_counts(out, "class_vectors", index, term->svm->class_vectors,
                        term->svm->num_classes);
}

static void print_roots(FILE *out, const nitro_forest *forest, size_t index)
{
    nitro_source_table roots = nitro_source_begin(out, "unsigned", "roots", index);
    size_t first = 0;
    for (size_t t = 0; t < forest->num_trees; t++) {
        nitro_source_count(&roots, first);
        first += forest->trees[t].num_nodes;
    }
    while (roots.count % TREES_AT_ONCE != 0)
        nitro_source_count(&roots, 0);
    nitro_source_end(&roots);
}

static void print_forest(FILE *out, const nitro_forest *forest, size_t index, bool single)
{
    size_t first_leaf = 0;
    print_roots(out, forest, index);
    nitro_source_table nodes = nitro_source_begin(out, "tree_node", "nodes", index);
    for (size_t t = 0; t < forest->num_trees; t++) {
        const forest_tree *tree = &forest->trees[t];
        for (size_t i = 0; i < tree->num_nodes; i++) {
            const forest_node *node = &tree->nodes[i];
            if (node->column == FOREST_LEAF)
                nitro_source_node(&nodes, (float)(first_leaf + node->next), 0, forest->num_columns);
            else
                nitro_source_node(&nodes, nitro_forest_round_down(node->threshold), node->next - i,
                                  node->column);
        }
        first_leaf += tree->num_leaves;
    }
    nitro_source_end(&nodes);
    nitro_source_table leaves = nitro_source_begin(out, "number", "leaves", index);
    for (size_t t = 0; t < forest->num_trees; t++)
        add_numbers(&leaves, single, forest->trees[t].outputs,
                    forest->trees[t].num_leaves * forest->num_outputs);
    nitro_source_end(&leaves);
}

static void print_functions(FILE *out, const nitro_score_terms *terms)
{
    bool needed[NITRO_TERM_NUM_KINDS] = {false};
    for (size_t i = 0; i < terms->count; i++)
        needed[terms->items[i].kind] = true;
    needed[NITRO_TERM_KERNELS] = needed[NITRO_TERM_KERNELS] || needed[NITRO_TERM_SOFT_VOTES];
    for (size_t kind = 0; kind < NITRO_TERM_NUM_KINDS; kind++)
        if (needed[kind])
            fputs(functions[kind], out);
}

static void print_call(FILE *out, const nitro_score_terms *terms, size_t i)
{
    const nitro_score_term *term = &terms->items[i];
    if (term->kind == NITRO_TERM_TREES) {
        nitro_source_walk(out, term, i);
        return;
    }
    if (term->kind == NITRO_TERM_VOTES)
        fprintf(out,
                "    decide_pairs(x, %a, %zu, class_vectors_%zu, bias_%zu, coefficients_%zu, "
                "vectors_%zu, pairs);\n",
                term->gamma, term->svm->num_classes, i, i, i, find_vectors(terms, i));
    else
        fprintf(out,
                "    sum_kernels(x, %a, %zu, %zu, bias_%zu, vectors_%zu, coefficients_%zu, %s);\n",
                term->kernels->gamma, term->kernels->num_vectors, term->kernels->num_outputs, i,
                find_vectors(terms, i), i, term->kind == NITRO_TERM_KERNELS ? "own" : "pairs");
    nitro_source_add(out, term, i);
}

void nitro_source_walk(FILE *out, const nitro_score_term *term, size_t index)
{
    fprintf(out, "    walk_trees(x, %zu, roots_%zu, nodes_%zu, leaves_%zu, own);\n",
            term->forest->num_trees, index, index, index);
    nitro_source_add(out, term, index);
}

void nitro_source_add(FILE *out, const nitro_score_term *term, size_t index)
{
    bool is_loss = term->kind == NITRO_TERM_KERNELS || term->kind == NITRO_TERM_TREES;
    if (term->kind == NITRO_TERM_SOFT_VOTES)
        fputs("    vote_softly(pairs, own);\n", out);
    if (term->kind == NITRO_TERM_VOTES)
        fprintf(out, "    score_pairs(pairs, %zu, classes_%zu, own);\n", term->svm->num_classes,
                index);
    fprintf(out,
            "    for (size_t v = 0; v < NUM_VARIANTS; v++)\n"
            "        scores[v] += %a * %sown[v];\n",
            term->weight, is_loss ? "-" : "");
}

void nitro_source_begin_scores(FILE *out, const nitro_score_terms *terms)
{
    bool has_pairs = false;
    for (size_t i = 0; i < terms->count; i++)
        has_pairs = has_pairs || terms->items[i].kind == NITRO_TERM_SOFT_VOTES ||
                    terms->items[i].kind == NITRO_TERM_VOTES;
    fputs("    double own[NUM_VARIANTS];\n", out);
    if (has_pairs)
        fputs("    double pairs[NUM_VARIANTS * NUM_VARIANTS / 2 + 1];\n", out);
    fputs("    for (size_t v = 0; v < NUM_VARIANTS; v++)\n        scores[v] = 0.0;\n", out);
}

void nitro_source_terms(FILE *out, const nitro_score_terms *terms)
{
    bool single = is_single(terms);
    fprintf(out, "typedef %s number;\n\n", single ? "float" : "double");
    print_functions(out, terms);
    for (size_t i = 0; i < terms->count; i++)
        if (terms->items[i].forest)
            print_forest(out, terms->items[i].forest, i, single);
        else
            print_kernels(out, terms, i, single);
    fputs("static void find_scores(const double *x, double *scores)\n{\n", out);
    nitro_source_begin_scores(out, terms);
    for (size_t i = 0; i < terms->count; i++)
        print_call(out, terms, i);
    fputs("}\n\n", out);
}

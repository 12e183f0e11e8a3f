/* Score terms as C source; helper functions are written once per file, if they are needed. */
#include "nitro/models/c_export_terms.h"

#include <inttypes.h>

#include "nitro/runtime/scores/forest_tree.h"

/* The same arithmetic, in the same order, as kernel_expansion.c, forest.c and svm_decide.c. */
static const char *const helpers[NITRO_TERM_NUM_KINDS] = {
    [NITRO_TERM_KERNELS] =
        "static void sum_kernels(const double *x, double gamma, size_t num_vectors,\n"
        "                        size_t num_outputs, const double *bias, const double *vectors,\n"
        "                        const double *coefficients, double *outputs)\n"
        "{\n"
        "    for (size_t o = 0; o < num_outputs; o++)\n"
        "        outputs[o] = bias[o];\n"
        "    for (size_t i = 0; i < num_vectors; i++) {\n"
        "        double square = 0.0;\n"
        "        for (size_t c = 0; c < NUM_COLUMNS; c++) {\n"
        "            double away = fmin(fmax(x[c], -1.0), 1.0) - vectors[i * NUM_COLUMNS + c];\n"
        "            square += away * away;\n"
        "        }\n"
        "        double kernel = exp(-gamma * square);\n"
        "        for (size_t o = 0; o < num_outputs; o++)\n"
        "            outputs[o] += kernel * coefficients[i * num_outputs + o];\n"
        "    }\n"
        "}\n\n",
    [NITRO_TERM_TREES] =
        "/* A node's column is -1 for a leaf; its next is the left child, or the leaf's number. "
        "*/\n"
        "static void walk_trees(const double *x, size_t num_trees, const unsigned *roots,\n"
        "                       const short *columns, const unsigned *next,\n"
        "                       const double *thresholds, const double *leaves, double *outputs)\n"
        "{\n"
        "    for (size_t v = 0; v < NUM_VARIANTS; v++)\n"
        "        outputs[v] = 0.0;\n"
        "    for (size_t t = 0; t < num_trees; t++) {\n"
        "        size_t at = roots[t];\n"
        "        while (columns[at] >= 0)\n"
        "            at = next[at] + !((double)(float)x[columns[at]] <= thresholds[at]);\n"
        "        for (size_t v = 0; v < NUM_VARIANTS; v++)\n"
        "            outputs[v] += leaves[next[at] * NUM_VARIANTS + v];\n"
        "    }\n"
        "    for (size_t v = 0; v < NUM_VARIANTS; v++)\n"
        "        outputs[v] /= (double)num_trees;\n"
        "}\n\n",
    [NITRO_TERM_SOFT_VOTES] = "static void vote_softly(const double *decisions, double *votes)\n"
                              "{\n"
                              "    for (size_t v = 0; v < NUM_VARIANTS; v++)\n"
                              "        votes[v] = 0.0;\n"
                              "    for (size_t a = 0, pair = 0; a < NUM_VARIANTS; a++)\n"
                              "        for (size_t b = a + 1; b < NUM_VARIANTS; b++, pair++) {\n"
                              "            double vote = fmin(fmax(decisions[pair], -1.0), 1.0);\n"
                              "            votes[a] += vote;\n"
                              "            votes[b] -= vote;\n"
                              "        }\n"
                              "}\n\n",
    [NITRO_TERM_VOTES] =
        "static size_t pair_of(size_t a, size_t b, size_t count)\n"
        "{\n"
        "    return a * (2 * count - a - 1) / 2 + (b - a - 1);\n"
        "}\n\n"
        "static void decide_pairs(const double *x, double gamma, size_t count,\n"
        "                         const unsigned *class_vectors, const double *rho,\n"
        "                         const double *coefficients, const double *vectors,\n"
        "                         double *decisions)\n"
        "{\n"
        "    size_t num_pairs = count * (count - 1) / 2, vector = 0;\n"
        "    for (size_t p = 0; p < num_pairs; p++)\n"
        "        decisions[p] = 0.0;\n"
        "    for (size_t own = 0; own < count; own++)\n"
        "        for (size_t i = 0; i < class_vectors[own]; i++, vector++) {\n"
        "            const double *c = coefficients + vector * (count - 1);\n"
        "            double square = 0.0;\n"
        "            for (size_t k = 0; k < NUM_COLUMNS; k++)\n"
        "                square += (x[k] - vectors[vector * NUM_COLUMNS + k]) *\n"
        "                          (x[k] - vectors[vector * NUM_COLUMNS + k]);\n"
        "            double kernel = exp(-gamma * square);\n"
        "            for (size_t other = 0; other < own; other++)\n"
        "                decisions[pair_of(other, own, count)] += c[other] * kernel;\n"
        "            for (size_t other = own + 1; other < count; other++)\n"
        "                decisions[pair_of(own, other, count)] += c[other - 1] * kernel;\n"
        "        }\n"
        "    for (size_t p = 0; p < num_pairs; p++)\n"
        "        decisions[p] -= rho[p];\n"
        "}\n\n"
        "/* Votes, then margins; the first of those with most votes is best. */\n"
        "static void score_pairs(const double *decisions, size_t count, const unsigned *classes,\n"
        "                        double *scores)\n"
        "{\n"
        "    size_t votes[NUM_VARIANTS] = {0}, winner = 0, top = 0;\n"
        "    double margins[NUM_VARIANTS] = {0}, own[NUM_VARIANTS] = {0};\n"
        "    for (size_t a = 0, p = 0; a < count; a++)\n"
        "        for (size_t b = a + 1; b < count; b++, p++) {\n"
        "            double margin = fmin(fmax(decisions[p], -1.0), 1.0) / (double)(count - 1);\n"
        "            votes[decisions[p] > 0.0 ? a : b]++;\n"
        "            margins[a] += margin;\n"
        "            margins[b] -= margin;\n"
        "        }\n"
        "    for (size_t k = 0; k < count; k++) {\n"
        "        own[k] = (double)votes[k] + 0.25 * (margins[k] + 1.0);\n"
        "        if (votes[k] > votes[winner])\n"
        "            winner = k;\n"
        "        if (own[k] > own[top])\n"
        "            top = k;\n"
        "    }\n"
        "    double best = own[top];\n"
        "    own[top] = own[winner];\n"
        "    own[winner] = best;\n"
        "    for (size_t v = 0; v < NUM_VARIANTS; v++)\n"
        "        scores[v] = -1.0 - (double)v;\n"
        "    for (size_t k = 0; k < count; k++)\n"
        "        scores[classes[k]] = own[k];\n"
        "}\n\n",
};

void nitro_source_numbers(FILE *out, const char *name, const double *numbers, size_t count)
{
    fprintf(out, "static const double %s[] = {", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%a,", i % 4 ? " " : "\n    ", numbers[i]);
    fprintf(out, "%s};\n\n", count ? "\n" : "0"); /* C has no empty arrays */
}

/** Integers, from successive calls of `at`. */
static void print_counts(FILE *out, const char *name, const size_t *counts, size_t count)
{
    fprintf(out, "static const unsigned %s[] = {", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%zu,", i % 12 ? " " : "\n    ", counts[i]);
    fprintf(out, "\n};\n\n");
}

static const char *named(char *name, size_t size, const char *what, size_t term)
{
    snprintf(name, size, "%s_%zu", what, term);
    return name;
}

static void print_kernels(FILE *out, const nitro_kernel_expansion *expansion, size_t term)
{
    char name[64];
    nitro_source_numbers(out, named(name, sizeof name, "bias", term), expansion->bias,
                         expansion->num_outputs);
    nitro_source_numbers(out, named(name, sizeof name, "vectors", term), expansion->vectors,
                         expansion->num_vectors * expansion->num_columns);
    nitro_source_numbers(out, named(name, sizeof name, "coefficients", term),
                         expansion->coefficients, expansion->num_vectors * expansion->num_outputs);
}

/** One number per node of all trees; `first` counts the nodes, or leaves, of earlier trees. */
static void print_nodes(FILE *out, const nitro_forest *forest, size_t term, const char *what)
{
    size_t first_node = 0, first_leaf = 0, printed = 0;
    for (size_t t = 0; t < forest->num_trees; t++) {
        const forest_tree *tree = &forest->trees[t];
        for (size_t i = 0; i < tree->num_nodes; i++, printed++) {
            const forest_node *node = &tree->nodes[i];
            bool is_leaf = node->column == FOREST_LEAF;
            fputs(printed % 8 ? " " : "\n    ", out);
            if (what[0] == 'c')
                fprintf(out, "%" PRId32 ",", is_leaf ? -1 : (int32_t)node->column);
            else if (what[0] == 'n')
                fprintf(out, "%zu,", (is_leaf ? first_leaf : first_node) + node->next);
            else
                fprintf(out, "%a,", is_leaf ? 0.0 : node->threshold);
        }
        first_node += tree->num_nodes;
        first_leaf += tree->num_leaves;
    }
    (void)term;
}

static void print_forest(FILE *out, const nitro_forest *forest, size_t term)
{
    static const struct {
        const char *type, *name;
    } tables[] = {{"short", "columns"}, {"unsigned", "next"}, {"double", "thresholds"}};
    fprintf(out, "static const unsigned roots_%zu[] = {", term);
    for (size_t t = 0, first = 0; t < forest->num_trees; first += forest->trees[t++].num_nodes)
        fprintf(out, "%s%zu,", t % 12 ? " " : "\n    ", first);
    fprintf(out, "\n};\n\n");
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        fprintf(out, "static const %s %s_%zu[] = {", tables[i].type, tables[i].name, term);
        print_nodes(out, forest, term, tables[i].name);
        fprintf(out, "\n};\n\n");
    }
    fprintf(out, "static const double leaves_%zu[] = {", term);
    for (size_t t = 0; t < forest->num_trees; t++)
        for (size_t i = 0; i < forest->trees[t].num_leaves * forest->num_outputs; i++)
            fprintf(out, "%s%a,", i % 4 ? " " : "\n    ", forest->trees[t].outputs[i]);
    fprintf(out, "\n};\n\n");
}

static void print_votes(FILE *out, const nitro_score_term *term, size_t num_columns, size_t index)
{
    char name[64];
    const nitro_svm_classifier *svm = term->svm;
    print_counts(out, named(name, sizeof name, "classes", index), svm->classes, svm->num_classes);
    print_counts(out, named(name, sizeof name, "class_vectors", index), svm->class_vectors,
                 svm->num_classes);
    nitro_source_numbers(out, named(name, sizeof name, "rho", index), svm->rho,
                         nitro_svm_num_pairs(svm->num_classes));
    nitro_source_numbers(out, named(name, sizeof name, "coefficients", index), svm->coefficients,
                         svm->num_vectors * (svm->num_classes - 1));
    nitro_source_numbers(out, named(name, sizeof name, "vectors", index), term->vectors,
                         svm->num_vectors * num_columns);
}

static void print_helpers(FILE *out, const nitro_score_terms *terms)
{
    bool needed[NITRO_TERM_NUM_KINDS] = {false};
    for (size_t i = 0; i < terms->count; i++)
        needed[terms->items[i].kind] = true;
    needed[NITRO_TERM_KERNELS] = needed[NITRO_TERM_KERNELS] || needed[NITRO_TERM_SOFT_VOTES];
    for (size_t kind = 0; kind < NITRO_TERM_NUM_KINDS; kind++)
        if (needed[kind])
            fputs(helpers[kind], out);
}

static void print_call(FILE *out, const nitro_score_term *term, size_t i)
{
    switch (term->kind) {
    case NITRO_TERM_TREES:
        fprintf(out,
                "    walk_trees(x, %zu, roots_%zu, columns_%zu, next_%zu, thresholds_%zu, "
                "leaves_%zu, own);\n",
                term->forest->num_trees, i, i, i, i, i);
        break;
    case NITRO_TERM_VOTES:
        fprintf(out,
                "    decide_pairs(x, %a, %zu, class_vectors_%zu, rho_%zu, coefficients_%zu, "
                "vectors_%zu, pairs);\n"
                "    score_pairs(pairs, %zu, classes_%zu, own);\n",
                term->gamma, term->svm->num_classes, i, i, i, i, term->svm->num_classes, i);
        break;
    default:
        fprintf(out,
                "    sum_kernels(x, %a, %zu, %zu, bias_%zu, vectors_%zu, coefficients_%zu, %s);\n",
                term->kernels->gamma, term->kernels->num_vectors, term->kernels->num_outputs, i, i,
                i, term->kind == NITRO_TERM_KERNELS ? "own" : "pairs");
        if (term->kind == NITRO_TERM_SOFT_VOTES)
            fputs("    vote_softly(pairs, own);\n", out);
    }
    bool regrets = term->kind == NITRO_TERM_KERNELS || term->kind == NITRO_TERM_TREES;
    fprintf(out,
            "    for (size_t v = 0; v < NUM_VARIANTS; v++)\n"
            "        scores[v] += %a * %sown[v];\n",
            term->weight, regrets ? "-" : "");
}

void nitro_source_parts(FILE *out, const nitro_score_terms *terms)
{
    bool pairs = false;
    for (size_t i = 0; i < terms->count; i++) {
        const nitro_score_term *term = &terms->items[i];
        pairs = pairs || term->kind == NITRO_TERM_SOFT_VOTES || term->kind == NITRO_TERM_VOTES;
        if (term->kernels)
            print_kernels(out, term->kernels, i);
        else if (term->forest)
            print_forest(out, term->forest, i);
        else
            print_votes(out, term, terms->num_columns, i);
    }
    print_helpers(out, terms);
    fputs("static void find_scores(const double *x, double *scores)\n{\n"
          "    double own[NUM_VARIANTS];\n",
          out);
    if (pairs)
        fputs("    double pairs[NUM_VARIANTS * NUM_VARIANTS / 2 + 1];\n", out);
    fputs("    for (size_t v = 0; v < NUM_VARIANTS; v++)\n        scores[v] = 0.0;\n", out);
    for (size_t i = 0; i < terms->count; i++)
        print_call(out, &terms->items[i], i);
    fputs("}\n\n", out);
}

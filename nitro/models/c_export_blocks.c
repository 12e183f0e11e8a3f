/* Compiled kernels as C source: the library's layout in single precision, in plain loops. */
#include <math.h>

#include "nitro/models/c_export_terms.h"

extern const char nitro_exported_blocks[];

/** The lists of all steps; returns the number of rows of values. */
static size_t print_lists(FILE *out, const kernel_block *block, size_t index)
{
    nitro_source_table table = nitro_source_begin(out, "unsigned short", "lists", index);
    const uint16_t *list = block->lists;
    size_t num_rows = block->num_steps * block->num_columns;
    for (size_t left = block->num_steps * block->num_groups; left > 0; left--) {
        size_t count = *list++;
        num_rows += count;
        nitro_source_count(&table, count);
        for (size_t end = count; end > 0; end--)
            nitro_source_count(&table, *list++);
    }
    nitro_source_end(&table);
    return num_rows;
}

static void print_block(FILE *out, const kernel_block *block, size_t index)
{
    nitro_source_table columns = nitro_source_begin(out, "unsigned short", "columns", index);
    for (size_t c = 0; c < block->num_columns; c++)
        nitro_source_count(&columns, block->columns[c]);
    nitro_source_end(&columns);
    nitro_source_table powers = nitro_source_begin(out, "unsigned", "powers", index);
    for (size_t g = 0; g < block->num_groups; g++)
        nitro_source_count(&powers, block->groups[g].power);
    nitro_source_end(&powers);
    nitro_source_doubles(out, "largest", index, block->largest, block->num_columns);
    nitro_source_doubles(out, "weights", index, block->weights, block->num_groups);
    size_t num_rows = print_lists(out, block, index);
    nitro_source_table values = nitro_source_begin(out, "float", "values", index);
    for (size_t i = 0; i < num_rows * NITRO_COMPILED_STEP; i++)
        nitro_source_float(&values, block->single_values[i]);
    nitro_source_end(&values);
    fprintf(out,
            "static const kernel_block block_%zu = {%zu, %zu, %zu, %zu, %d, %a, %a, %a, "
            "columns_%zu, largest_%zu, powers_%zu, weights_%zu, lists_%zu, values_%zu};\n\n",
            index, block->num_columns, block->num_steps, block->num_groups, block->num_sums,
            block->clamped, block->scale, block->gamma_error, block->floor, index, index, index,
            index, index, index);
}

/** A group's outputs, from place `first` of the sums on, to scores and the bound. */
static void print_group(FILE *out, const nitro_score_terms *terms, const kernel_block *block,
                        size_t index, size_t group, size_t first)
{
    size_t term = block->terms[group], count = block->groups[group].num_outputs;
    const nitro_score_term *made = &terms->items[term];
    double weight = fabs(made->weight);
    fprintf(out,
            "    error = bound_error(&block_%zu, %zu, range, sums[%zu]);\n"
            "    for (size_t o = 0; o < %zu; o++)\n"
            "        %s[o] = sums[%zu + o] + bias_%zu[o];\n",
            index, group, first + count, count, made->kind == NITRO_TERM_KERNELS ? "own" : "pairs",
            first, term);
    if (made->kind == NITRO_TERM_VOTES)
        fprintf(out,
                "    for (size_t o = 0; o < %zu; o++)\n"
                "        if (!(fabs(pairs[o]) > error)) /* a vote is undecided */\n"
                "            return INFINITY;\n",
                count);
    if (made->kind == NITRO_TERM_SOFT_VOTES)
        weight *= (double)(terms->num_variants - 1);
    nitro_source_add(out, made, term);
    fprintf(out, "    bound += %a * error;\n", weight);
}

static void print_estimate(FILE *out, const nitro_score_terms *terms, const nitro_compiled *made)
{
    fputs("static double estimate_scores(const double *x, double *scores)\n{\n"
          "    double bound = 1e-14, error, range, sums[MOST_SUMS];\n"
          "    float point[NUM_COLUMNS + 1];\n",
          out);
    nitro_source_begin_scores(out, terms);
    for (size_t i = 0; i < terms->count; i++)
        if (terms->items[i].kind == NITRO_TERM_TREES)
            nitro_source_walk(out, &terms->items[i], i);
    for (size_t b = 0; b < made->num_blocks; b++) {
        const kernel_block *block = &made->blocks[b];
        size_t first = 0;
        fprintf(out,
                "    range = scale_point(&block_%zu, x, point);\n"
                "    sum_block(&block_%zu, point, sums);\n",
                b, b);
        for (size_t g = 0; g < block->num_groups; g++) {
            print_group(out, terms, block, b, g, first);
            first += block->groups[g].num_outputs + 1;
        }
    }
    fputs("    return bound;\n}\n\n", out);
}

void nitro_source_blocks(FILE *out, const nitro_score_terms *terms, const nitro_compiled *compiled)
{
    size_t most_sums = 0;
    for (size_t b = 0; b < compiled->num_blocks; b++)
        if (compiled->blocks[b].num_sums > most_sums)
            most_sums = compiled->blocks[b].num_sums;
    fprintf(out, "enum { MOST_SUMS = %zu };\n\n%s", most_sums, nitro_exported_blocks);
    for (size_t b = 0; b < compiled->num_blocks; b++)
        print_block(out, &compiled->blocks[b], b);
    print_estimate(out, terms, compiled);
}

/* Training inputs that are smaller than all test inputs, to see what is chosen beyond the training
 * range. */
#include <math.h>
#include <stdlib.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/data/dataset.h"

#define TEST_SHARE 0.2

/** A row or an input, and a number that it is ordered by. */
typedef struct ordered_item {
    double value, rank;
    size_t index;
} ordered_item;

static int compare_values(const void *left, const void *right)
{
    const ordered_item *a = left, *b = right;
    int order = (a->value > b->value) - (a->value < b->value);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int compare_indices(const void *left, const void *right)
{
    const ordered_item *a = left, *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

/** Ranks by value, equal ones of equal values; the items come back in order of their indices. */
static void find_ranks(ordered_item *items, size_t count)
{
    qsort(items, count, sizeof *items, compare_values);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && items[end].value == items[i].value; end++)
            ;
        for (size_t k = i; k < end; k++)
            items[k].rank = 0.5 * (double)(i + end);
    }
    qsort(items, count, sizeof *items, compare_indices);
}

/** Minus infinity where `b` is constant, and can order nothing. */
static double correlate_ranks(const ordered_item *a, const ordered_item *b, size_t count)
{
    double middle = 0.5 * (double)count, both = 0.0, square_a = 0.0, square_b = 0.0;
    for (size_t i = 0; i < count; i++) {
        both += (a[i].rank - middle) * (b[i].rank - middle);
        square_a += (a[i].rank - middle) * (a[i].rank - middle);
        square_b += (b[i].rank - middle) * (b[i].rank - middle);
    }
    if (!(square_b > 0.0))
        return -INFINITY;
    return square_a > 0.0 ? both / sqrt(square_a * square_b) : 0.0;
}

/** The usable rows by a feature, or by their best time (NITRO_NONE). */
static size_t list_rows(const nitro_dataset *dataset, size_t feature, ordered_item *items)
{
    size_t num_variants = dataset->schema->num_variants, count = 0;
    for (size_t row = 0; row < dataset->num_rows; row++) {
        const double *times = nitro_dataset_times(dataset, row);
        if (!nitro_dataset_row_is_usable(dataset, row))
            continue;
        double value = feature == NITRO_NONE ? times[nitro_times_best(times, num_variants)]
                                             : nitro_dataset_features(dataset, row)[feature];
        items[count++] = (ordered_item){.value = value, .index = row};
    }
    return count;
}

/** The feature that ranks the rows most like their best times, the first on ties. */
static nitro_status choose_feature(nitro_context *context, const nitro_dataset *dataset,
                                   size_t *feature)
{
    ordered_item *times = nitro_calloc(context, dataset->num_rows, sizeof *times);
    ordered_item *values = nitro_calloc(context, dataset->num_rows, sizeof *values);
    nitro_status status = times && values ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    size_t count = status == NITRO_OK ? list_rows(dataset, NITRO_NONE, times) : 0;
    double best = -INFINITY;
    if (status == NITRO_OK)
        find_ranks(times, count);
    for (size_t f = 0; status == NITRO_OK && f < dataset->schema->num_features; f++) {
        list_rows(dataset, f, values);
        find_ranks(values, count);
        double correlation = correlate_ranks(times, values, count);
        if (correlation > best) {
            best = correlation;
            *feature = f;
        }
    }
    free(times);
    free(values);
    return status;
}

static nitro_status find_feature(nitro_context *context, const nitro_dataset *dataset,
                                 const char *name, size_t *feature)
{
    if (!name)
        return choose_feature(context, dataset, feature);
    *feature = nitro_schema_feature(dataset->schema, name);
    return *feature != NITRO_NONE
               ? NITRO_OK
               : nitro_fail(context, NITRO_ERR_NOT_FOUND,
                            "%s has no input feature '%.80s' to order its inputs by",
                            dataset->schema->computation, name);
}

/** The inputs with a usable row, by the feature, ascending; marks them. */
static size_t order_inputs(const nitro_dataset *dataset, size_t feature, bool *is_listed,
                           ordered_item *items)
{
    size_t count = 0;
    for (size_t row = 0; row < dataset->num_rows; row++) {
        size_t input = dataset->row_input[row];
        if (is_listed[input] || !nitro_dataset_row_is_usable(dataset, row))
            continue;
        is_listed[input] = true;
        double value = nitro_dataset_features(dataset, row)[feature];
        items[count++] = (ordered_item){.value = value, .index = input};
    }
    qsort(items, count, sizeof *items, compare_values);
    return count;
}

static bool is_tied(const ordered_item *items, size_t index)
{
    return index > 0 && items[index].value == items[index - 1].value;
}

/** The first test input, so that about a fifth of the inputs are tests, and inputs of one size are
 *  all for tests or all for training. 0: there is none. */
static size_t find_first_test(const ordered_item *items, size_t count)
{
    const size_t limit = count - (size_t)(TEST_SHARE * (double)count);
    size_t up = limit, down = limit;
    while (up < count && is_tied(items, up))
        up++;
    while (down < count && is_tied(items, down))
        down--;
    return up < count && (down == 0 || up - limit <= limit - down) ? up : down % count;
}

nitro_status nitro_evaluate_split_by_size(nitro_context *context, const nitro_dataset *dataset,
                                          const nitro_evaluate_options *options, bool *is_train,
                                          bool *is_test)
{
    const nitro_schema *schema = dataset->schema;
    size_t feature = 0;
    nitro_status status = find_feature(context, dataset, options->size_feature, &feature);
    if (status != NITRO_OK)
        return status;
    ordered_item *items = nitro_calloc(context, dataset->num_inputs + 1, sizeof *items);
    if (!items)
        return NITRO_ERR_NO_MEMORY;
    size_t count = schema->num_features ? order_inputs(dataset, feature, is_train, items) : 0;
    size_t first = count > 0 ? find_first_test(items, count) : 0;
    for (size_t i = first; first > 0 && i < count; i++) {
        is_train[items[i].index] = false;
        is_test[items[i].index] = true;
    }
    if (first == 0)
        status = nitro_fail(context, NITRO_ERR_NO_DATA,
                            "%s: inputs with features and times of two variants: %zu, but a fifth "
                            "of at least 5, with a larger %s than the others, is held out: measure "
                            "more inputs, or order them by another feature",
                            schema->computation, count,
                            schema->num_features ? schema->features[feature].name : "feature");
    else
        nitro_log(context, NITRO_LOG_INFO,
                  "%s: training inputs have %s up to %g, test inputs from %g to %g",
                  schema->computation, schema->features[feature].name, items[first - 1].value,
                  items[first].value, items[count - 1].value);
    free(items);
    return status;
}

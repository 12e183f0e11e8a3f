/* Training and test inputs, drawn by a hash of their names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/evaluate/evaluate.h"

#define NUM_FOLDS 5

/** Length of the name, or of its group. */
static size_t name_length(const char *name, const char *separator)
{
    const char *end = separator ? strstr(name, separator) : NULL;
    return end ? (size_t)(end - name) : strlen(name);
}

typedef struct hashed_input {
    uint64_t hash;
    size_t input;
} hashed_input;

static int compare_hashes(const void *left, const void *right)
{
    const hashed_input *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->input > b->input) - (a->input < b->input);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/** Mark the inputs in the list, and warn of names that are no inputs. */
static size_t mark(nitro_context *context, const nitro_dataset *dataset,
                   const nitro_string_list *list, const char *what, bool *marks)
{
    size_t num_known = 0;
    for (size_t i = 0; i < list->count; i++) {
        char **found = bsearch(&list->items[i], dataset->inputs, dataset->num_inputs,
                               sizeof *dataset->inputs, compare_names);
        if (!found)
            continue;
        marks[found - dataset->inputs] = true;
        num_known++;
    }
    if (num_known < list->count)
        nitro_log(context, NITRO_LOG_WARNING, "%zu of the %zu %s inputs have no samples",
                  list->count - num_known, list->count, what);
    return num_known;
}

/** The inputs that are not marked, ordered by the hash of their names, or of their groups'. */
static hashed_input *hash_inputs(nitro_context *context, const nitro_dataset *dataset,
                                 const nitro_evaluate_options *options, const bool *is_marked,
                                 size_t *count)
{
    hashed_input *inputs = nitro_calloc(context, dataset->num_inputs, sizeof *inputs);
    if (!inputs)
        return NULL;
    bool divides = !options->group_separator;
    *count = 0;
    for (size_t i = 0; i < dataset->num_inputs; i++) {
        const char *name = dataset->inputs[i];
        size_t length = name_length(name, options->group_separator);
        divides = divides || name[length];
        if (!is_marked || !is_marked[i])
            inputs[(*count)++] = (hashed_input){nitro_hash(name, length, options->seed), i};
    }
    if (!divides)
        nitro_log(context, NITRO_LOG_WARNING,
                  "no input's name has '%s': each input is a group of its own",
                  options->group_separator);
    qsort(inputs, *count, sizeof *inputs, compare_hashes);
    return inputs;
}

nitro_status nitro_evaluate_deal(nitro_context *context, const nitro_dataset *dataset,
                                 const nitro_evaluate_options *options, size_t *folds,
                                 size_t *num_folds)
{
    size_t count = 0, group = 0;
    hashed_input *inputs = hash_inputs(context, dataset, options, NULL, &count);
    if (!inputs)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        group += i > 0 && inputs[i].hash != inputs[i - 1].hash;
        folds[inputs[i].input] = group % NUM_FOLDS;
    }
    free(inputs);
    if (group == 0)
        return nitro_fail(context, NITRO_ERR_NO_DATA,
                          "%s: cross-validation needs two inputs, or groups of inputs",
                          dataset->schema->computation);
    *num_folds = group + 1 < NUM_FOLDS ? group + 1 : NUM_FOLDS;
    return NITRO_OK;
}

/** Whole groups: that which `num_train` cuts is for training, unless no other is left for tests. */
static size_t round_to_groups(const hashed_input *inputs, size_t count, bool need_tests,
                              size_t num_train)
{
    size_t end = num_train, start = num_train;
    while (end < count && inputs[end].hash == inputs[end - 1].hash)
        end++;
    while (start > 0 && start < count && inputs[start].hash == inputs[start - 1].hash)
        start--;
    return end == count && need_tests ? start : end;
}

/** Draw training inputs from those that are not tests, leaving some for the tests. */
static nitro_status draw(nitro_context *context, const nitro_dataset *dataset,
                         const nitro_evaluate_options *options, const bool *is_test, bool *is_train)
{
    size_t count = 0;
    hashed_input *inputs = hash_inputs(context, dataset, options, is_test, &count);
    if (!inputs)
        return NITRO_ERR_NO_MEMORY;
    size_t num_train = (size_t)llround(options->train_fraction * (double)count);
    if (num_train == 0)
        num_train = 1;
    if (num_train == count && !options->test_inputs)
        num_train = count - 1;
    if (num_train > 0)
        num_train = round_to_groups(inputs, count, !options->test_inputs, num_train);
    for (size_t i = 0; i < num_train && i < count; i++)
        is_train[inputs[i].input] = true;
    free(inputs);
    return NITRO_OK;
}

static nitro_status check_split(nitro_context *context, const nitro_dataset *dataset,
                                const bool *is_train, const bool *is_test)
{
    size_t num_train = 0, num_test = 0, num_both = 0;
    for (size_t i = 0; i < dataset->num_inputs; i++) {
        num_train += is_train[i];
        num_test += is_test[i];
        num_both += is_train[i] && is_test[i];
    }
    if (num_train == 0 || num_test == 0)
        return nitro_fail(
            context, NITRO_ERR_NO_DATA,
            "%s: of %zu input%s %zu are for training and %zu for tests; both are needed",
            dataset->schema->computation, dataset->num_inputs, dataset->num_inputs == 1 ? "" : "s",
            num_train, num_test);
    if (num_both > 0)
        nitro_log(context, NITRO_LOG_WARNING,
                  "inputs that are both training and test inputs: %zu, so the result does not hold "
                  "for unknown inputs",
                  num_both);
    return NITRO_OK;
}

nitro_status nitro_evaluate_split(nitro_context *context, const nitro_dataset *dataset,
                                  const nitro_evaluate_options *options, bool *is_train,
                                  bool *is_test)
{
    double fraction = options->train_fraction;
    if (!options->train_inputs && !(fraction > 0.0 && fraction < 1.0))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "the training fraction is %g, but must lie between 0 and 1", fraction);
    if (options->test_inputs)
        mark(context, dataset, options->test_inputs, "test", is_test);
    nitro_status status = NITRO_OK;
    if (options->train_inputs)
        mark(context, dataset, options->train_inputs, "training", is_train);
    else
        status = draw(context, dataset, options, is_test, is_train);
    for (size_t i = 0; !options->test_inputs && i < dataset->num_inputs; i++)
        is_test[i] = !is_train[i];
    return status == NITRO_OK ? check_split(context, dataset, is_train, is_test) : status;
}

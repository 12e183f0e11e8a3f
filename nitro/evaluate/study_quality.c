/* Mean qualities over several seeds, with all sources or one fewer. All seeds have the same weight;
 * a result that one seed lacks is the mean of the others. */
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/study.h"

void nitro_study_options_init(nitro_study_options *options)
{
    nitro_evaluate_options one;
    nitro_evaluate_options_init(&one);
    *options = (nitro_study_options){
        .train_fraction = one.train_fraction, .seed = one.seed, .num_seeds = 1};
}

/** Add weights source by source. */
static nitro_status add_shares(nitro_context *context, nitro_evaluate_result *sum,
                               const nitro_evaluate_result *one)
{
    if (one->num_source_shares == 0)
        return NITRO_OK;
    size_t most = sum->num_source_shares + one->num_source_shares;
    nitro_source_share *shares = realloc(sum->source_shares, most * sizeof *shares);
    if (!shares)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: weights of %zu sources",
                          most);
    sum->source_shares = shares;
    for (size_t i = 0; i < one->num_source_shares; i++) {
        const nitro_source_share *share = &one->source_shares[i];
        size_t place = 0;
        while (place < sum->num_source_shares && strcmp(shares[place].device, share->device) != 0)
            place++;
        if (place == sum->num_source_shares) {
            char *device = nitro_strdup(context, share->device);
            if (!device)
                return NITRO_ERR_NO_MEMORY;
            shares[sum->num_source_shares++] = (nitro_source_share){.device = device};
        }
        shares[place].weight += share->weight;
    }
    return NITRO_OK;
}

static void add(nitro_evaluate_result *sum, const nitro_evaluate_result *one)
{
    sum->total += one->total;
    sum->mean += one->mean;
    sum->geomean += one->geomean;
    sum->p5 += one->p5;
    sum->min += one->min;
    sum->accuracy += one->accuracy;
    sum->confident += one->confident;
    if (one->confident > 0.0)
        sum->confident_precision += one->confident * one->confident_precision;
    sum->predicted += one->predicted;
    sum->inputs += one->inputs;
    sum->modelled |= one->modelled;
}

static void divide(nitro_evaluate_result *sum, double count)
{
    sum->total /= count;
    sum->mean /= count;
    sum->geomean /= count;
    sum->p5 /= count;
    sum->min /= count;
    sum->accuracy /= count;
    sum->confident_precision /= sum->confident; /* weighted by confident decisions; NaN: none */
    sum->confident /= count;
    sum->predicted /= count;
    for (size_t i = 0; i < sum->num_source_shares; i++)
        sum->source_shares[i].weight /= count;
}

const nitro_evaluate_result *nitro_study_find(const nitro_evaluate_result *results, size_t count,
                                              const char *target, const char *method)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(results[i].target, target) == 0 && strcmp(results[i].method, method) == 0)
            return &results[i];
    return NULL;
}

/** How many results of the same method on the same target stand before this one. */
static size_t place_in_curve(const nitro_evaluate_result *results, size_t i)
{
    size_t place = 0;
    while (i > place && strcmp(results[i - place - 1].method, results[i].method) == 0 &&
           strcmp(results[i - place - 1].target, results[i].target) == 0)
        place++;
    return place;
}

/** Does the curve that this result is part of end with it? */
static bool is_last(const nitro_evaluate_result *results, size_t count, size_t i)
{
    return i + 1 == count || place_in_curve(results, i + 1) == 0;
}

bool nitro_study_mean_at(const nitro_evaluate_result *results, size_t count, const char *method,
                         size_t place, nitro_study_point *point)
{
    nitro_study_point made = {.mean.method = method, .least_measured = SIZE_MAX};
    bool reached = false;
    for (size_t i = 0; i < count; i++) {
        size_t own = place_in_curve(results, i);
        if (strcmp(results[i].method, method) != 0 ||
            (own != place && !(own < place && is_last(results, count, i))))
            continue;
        size_t measured = results[i].measured;
        made.mean.measured = measured > made.mean.measured ? measured : made.mean.measured;
        made.least_measured = measured < made.least_measured ? measured : made.least_measured;
        add(&made.mean, &results[i]);
        made.targets++;
        reached = reached || own == place;
    }
    if (!reached)
        return false;
    divide(&made.mean, (double)made.targets);
    *point = made;
    return true;
}

/** The seeds of one study, and the results so far: sums, and how many seeds each one has. */
typedef struct seed_run {
    const nitro_study_options *options;
    size_t seeds_done;
    nitro_evaluate_result *sums; /* shape [count] */
    size_t *found;               /* shape [count] */
    size_t count, capacity;
} seed_run;

static bool pass_progress(void *user, size_t done, size_t total, const char *target,
                          const char *method)
{
    const seed_run *run = user;
    return run->options->progress(run->options->progress_user, run->seeds_done * total + done,
                                  run->options->num_seeds * total, target, method);
}

/** Place of a result among the sums; a new one where it has none yet. */
static nitro_status find_place(nitro_context *context, seed_run *run,
                               const nitro_evaluate_result *result, size_t *place)
{
    const nitro_evaluate_result *old =
        nitro_study_find(run->sums, run->count, result->target, result->method);
    if (old) {
        *place = (size_t)(old - run->sums);
        return NITRO_OK;
    }
    if (run->count == run->capacity) {
        size_t capacity = run->capacity ? 2 * run->capacity : 64;
        nitro_evaluate_result *sums = realloc(run->sums, capacity * sizeof *sums);
        run->sums = sums ? sums : run->sums;
        size_t *found = realloc(run->found, capacity * sizeof *found);
        run->found = found ? found : run->found;
        if (!sums || !found)
            return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %zu results", capacity);
        run->capacity = capacity;
    }
    char *target = nitro_strdup(context, result->target);
    if (!target)
        return NITRO_ERR_NO_MEMORY;
    *place = run->count++;
    run->sums[*place] = (nitro_evaluate_result){.target = target, .method = result->method};
    run->found[*place] = 0;
    return NITRO_OK;
}

static nitro_status add_seed(nitro_store *store, const char *computation,
                             const nitro_evaluate_options *how, seed_run *run)
{
    nitro_evaluate_result *results = NULL;
    size_t count = 0, place = 0;
    nitro_status status = nitro_evaluate(store, computation, how, &results, &count);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        status = find_place(nitro_store_context(store), run, &results[i], &place);
        if (status == NITRO_OK) {
            add(&run->sums[place], &results[i]);
            run->found[place]++;
            status = add_shares(nitro_store_context(store), &run->sums[place], &results[i]);
        }
    }
    nitro_evaluate_results_free(results, count);
    run->seeds_done++;
    return status;
}

/** Copies of the names but one; all devices with samples where `named` is NULL. */
static nitro_status list_without(nitro_store *store, const char *computation,
                                 const nitro_string_list *named, const char *removed,
                                 nitro_string_list *list)
{
    nitro_string_list all = {0};
    nitro_status status = named ? NITRO_OK : nitro_store_list_devices(store, computation, &all);
    const nitro_string_list *from = named ? named : &all;
    for (size_t i = 0; i < from->count && status == NITRO_OK; i++)
        if (strcmp(from->items[i], removed) != 0)
            status = nitro_string_list_add(nitro_store_context(store), list, from->items[i]);
    nitro_string_list_free(&all);
    if (status == NITRO_OK && list->count == 0)
        return nitro_fail(nitro_store_context(store), NITRO_ERR_NO_DATA,
                          "%s: no device is left without %s", computation, removed);
    return status;
}

static nitro_status run_seeds(nitro_store *store, const char *computation, seed_run *run,
                              const nitro_string_list *targets, const nitro_string_list *sources)
{
    const nitro_study_options *options = run->options;
    nitro_status status = NITRO_OK;
    nitro_evaluate_options how;
    nitro_evaluate_options_init(&how);
    how.targets = targets;
    how.sources = sources;
    how.methods = options->methods;
    how.train_fraction = options->train_fraction;
    how.num_threads = options->num_threads;
    how.progress = options->progress ? pass_progress : NULL;
    how.progress_user = run;
    how.watch = options->watch;
    how.memo = options->memo;
    for (size_t s = 0; s < options->num_seeds && status == NITRO_OK; s++) {
        how.seed = options->seed + s;
        status = add_seed(store, computation, &how, run);
    }
    for (size_t i = 0; i < run->count; i++)
        divide(&run->sums[i], (double)run->found[i]);
    return status;
}

nitro_status nitro_study_quality(nitro_store *store, const char *computation,
                                 const nitro_study_options *options, const char *removed,
                                 nitro_evaluate_result **results, size_t *count)
{
    seed_run run = {.options = options};
    nitro_string_list targets = {0}, sources = {0};
    nitro_status status = NITRO_OK;
    if (options->num_seeds == 0)
        return nitro_fail(nitro_store_context(store), NITRO_ERR_ARGUMENT,
                          "a study needs at least one seed");
    if (removed)
        status = list_without(store, computation, options->targets, removed, &targets);
    if (removed && status == NITRO_OK)
        status = list_without(store, computation, options->sources, removed, &sources);
    if (status == NITRO_OK)
        status = run_seeds(store, computation, &run, removed ? &targets : options->targets,
                           removed ? &sources : options->sources);
    if (status == NITRO_OK) {
        *results = run.sums;
        *count = run.count;
    } else {
        nitro_evaluate_results_free(run.sums, run.count);
    }
    free(run.found);
    nitro_string_list_free(&targets);
    nitro_string_list_free(&sources);
    return status;
}

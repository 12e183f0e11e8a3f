/* Predictors by the training set that made them: sources, inputs and settings that agree in content
 * agree in the hash of that content. */
#include "nitro/learn/training_memo.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TRAININGS = 4000, NUM_BUCKETS = 1024 };

typedef struct trained {
    struct trained *next;
    uint64_t key[2];
    const nitro_strategy *strategy;
    void *predictor;
    double *held_out_scores; /* NULL: not known */
} trained;

struct nitro_training_memo {
    trained *buckets[NUM_BUCKETS];
    size_t count;
};

nitro_status nitro_training_memo_create(nitro_context *context, nitro_training_memo **memo)
{
    nitro_training_memo *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    *memo = made;
    return NITRO_OK;
}

static void free_trained(trained *one)
{
    one->strategy->free(one->predictor);
    free(one->held_out_scores);
    free(one);
}

void nitro_training_memo_free(nitro_training_memo *memo)
{
    for (size_t b = 0; memo && b < NUM_BUCKETS; b++)
        while (memo->buckets[b]) {
            trained *first = memo->buckets[b];
            memo->buckets[b] = first->next;
            free_trained(first);
        }
    free(memo);
}

static uint64_t add(uint64_t hash, const void *data, size_t size)
{
    return data ? nitro_hash(data, size, hash) : nitro_hash("", 0, hash);
}

/** Of everything that a predictor depends on. */
static uint64_t hash_set(const nitro_training_set *set, const nitro_strategy *strategy,
                         uint64_t seed)
{
    size_t num_devices = 0;
    for (size_t i = 0; set->source_weights && set->row_device && i < set->num_rows; i++)
        if (set->row_device[i] >= num_devices)
            num_devices = set->row_device[i] + 1;
    const uint64_t numbers[] = {set->num_rows, set->num_columns, set->num_variants, set->seed,
                                set->quick,    set->members,     set->prepared};
    uint64_t hash = add(seed, strategy->name, strlen(strategy->name));
    hash = add(hash, numbers, sizeof numbers);
    hash = add(hash, set->hyper_settings, sizeof set->hyper_settings);
    hash = add(hash, set->columns, set->num_rows * set->num_columns * sizeof *set->columns);
    hash = add(hash, set->times_ms, set->num_rows * set->num_variants * sizeof *set->times_ms);
    hash = add(hash, set->row_allowed,
               set->row_allowed ? set->num_rows * sizeof *set->row_allowed : 0);
    hash = add(hash, set->row_input, set->num_rows * sizeof *set->row_input);
    hash = add(hash, set->row_device, set->num_rows * sizeof *set->row_device);
    return add(hash, set->source_weights, num_devices * sizeof *set->source_weights);
}

static trained *find(const nitro_training_memo *memo, const uint64_t *key)
{
    trained *each = memo->buckets[key[0] % NUM_BUCKETS];
    while (each && (each->key[0] != key[0] || each->key[1] != key[1]))
        each = each->next;
    return each;
}

/** Keep a training; without memory for that, the model keeps its predictor. */
static bool keep(nitro_context *context, nitro_training_memo *memo, const uint64_t *key,
                 const nitro_strategy *strategy, void *predictor, const double *held_out_scores,
                 size_t num_scores)
{
    trained *made = nitro_calloc(context, 1, sizeof *made);
    double *scores = held_out_scores ? nitro_calloc(context, num_scores, sizeof *scores) : NULL;
    if (!made || (held_out_scores && !scores)) {
        free(made);
        free(scores);
        return false;
    }
    if (scores)
        memcpy(scores, held_out_scores, num_scores * sizeof *scores);
    trained **bucket = &memo->buckets[key[0] % NUM_BUCKETS];
    *made = (trained){*bucket, {key[0], key[1]}, strategy, predictor, scores};
    *bucket = made;
    memo->count++;
    return true;
}

nitro_status nitro_training_memo_train(nitro_training_memo *memo, nitro_context *context,
                                       const nitro_strategy *strategy,
                                       const nitro_training_set *set, void **predictor,
                                       double *held_out_scores, bool *is_borrowed)
{
    *is_borrowed = false;
    if (!memo)
        return strategy->train(context, set, predictor, held_out_scores);
    const uint64_t key[] = {hash_set(set, strategy, 1), hash_set(set, strategy, 2)};
    size_t num_scores = set->num_rows * set->num_variants;
    trained *known = find(memo, key);
    if (known && (known->held_out_scores || !held_out_scores)) {
        if (held_out_scores)
            memcpy(held_out_scores, known->held_out_scores, num_scores * sizeof *held_out_scores);
        *predictor = known->predictor;
        *is_borrowed = true;
        return NITRO_OK;
    }
    nitro_status status = strategy->train(context, set, predictor, held_out_scores);
    if (status == NITRO_OK && memo->count < MOST_TRAININGS)
        *is_borrowed = keep(context, memo, key, strategy, *predictor, held_out_scores, num_scores);
    return status;
}

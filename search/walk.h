/*
 * walk.h - searchers that evaluate a batch of configurations and then decide on the next batch.
 * Internal to search/.
 *
 * A method sees a time when its own batch asked for it, never before. So a search that is resumed
 * by tells goes the same way again, without asking; and where several questions are asked before an
 * answer, the surplus ones are drawn at random, and their answers are used when the method wants
 * them.
 */
#ifndef NITRO_SEARCH_WALK_H
#define NITRO_SEARCH_WALK_H

#include "search/evaluated.h"
#include "search/options.h"

struct search_method;

typedef struct search_walk {
    nitro_context *context;
    const nitro_search_task *task;
    const nitro_space *space;
    size_t num_parameters;
    nitro_random random;
    search_evaluated evaluated;
    uint64_t *batch;  /* shape [count]; NITRO_NO_CONFIGURATION: outside the space, invalid */
    double *times_ms; /* shape [count]; INFINITY: invalid */
    size_t count, capacity;
    bool grown;   /* the last batch held a configuration that was new */
    size_t stale; /* batches since one did */
    const struct search_method *kind;
    void *method;
} search_walk;

typedef struct search_method {
    size_t size; /* of the method's state, zeros at first */
    /** Read options, allocate, and want the first batch. The task's starts belong into it. */
    nitro_status (*begin)(search_walk *walk, void *method, search_options *options);
    /** Want the next batch, knowing `times_ms` of this one; nothing wanted: the method has
     * finished. `walk->batch` is overwritten by the first search_want. */
    nitro_status (*advance)(search_walk *walk, void *method);
    void (*end)(void *method); /* or NULL; also after a failed begin */
} search_method;

/** Functions of nitro_searcher: SEARCH_WALK_SEARCHER has them. */
nitro_status search_walk_open(nitro_context *context, const nitro_search_task *task,
                              const nitro_searcher *searcher, const search_method *kind,
                              void **state);
nitro_status search_walk_ask(void *state, nitro_search_question *question);
nitro_status search_walk_tell(void *state, const nitro_search_answer *answer);
void search_walk_close(void *state);

/** The searcher nitro_searcher_NAME of a method; the last arguments are its name, description and
 *  options. */
#define SEARCH_WALK_SEARCHER(symbol, method, ...)                                                  \
    extern const nitro_searcher nitro_searcher_##symbol;                                           \
    static nitro_status open_##symbol(nitro_context *context, const nitro_search_task *task,       \
                                      void **state)                                                \
    {                                                                                              \
        return search_walk_open(context, task, &nitro_searcher_##symbol, method, state);           \
    }                                                                                              \
    const nitro_searcher nitro_searcher_##symbol = {.open = open_##symbol,                         \
                                                    .ask = search_walk_ask,                        \
                                                    .tell = search_walk_tell,                      \
                                                    .close = search_walk_close,                    \
                                                    __VA_ARGS__};

/** Empty the batch, to want the next one. */
void search_want_none(search_walk *walk);
nitro_status search_want(search_walk *walk, uint64_t configuration);
bool search_is_wanted(const search_walk *walk, uint64_t configuration);
/** Want the starts of the task, and random configurations up to `count`, all different; fewer where
 *  the space or the budget is smaller. */
nitro_status search_want_random(search_walk *walk, size_t count);
/** The same without the starts. */
nitro_status search_want_more(search_walk *walk, size_t count);
/** Position of the least time of the batch; ties: the first. */
size_t search_best_of_batch(const search_walk *walk);
/** A random neighbour, or NITRO_NO_CONFIGURATION where there is none; a Hamming neighbour where
 *  there are more than NITRO_MAX_NEIGHBOURS of the kind. */
nitro_status search_random_neighbour(search_walk *walk, const uint16_t *indices,
                                     nitro_neighbourhood kind, uint64_t *neighbour);

#endif

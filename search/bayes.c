/* Bayesian optimisation as published: one acquisition function, multi, advanced multi. */
#include "search/bayes.h"

#include <math.h>
#include <stdlib.h>

#include "search/lhs.h"

/* Observations that the process takes; later ones are recorded only. */
#define MAX_OBSERVATIONS 1024
/* Latin hypercube samples, of which the one with the greatest least distance is taken. */
#define MAXIMIN_DRAWS 1000

/* Length scale: values lie (i + 1/2) / (longest value list) apart. */
static void fill_distances(const search_walk *walk, bayes *self, double length)
{
    size_t longest = 1;
    for (size_t p = 0; p < walk->num_parameters; p++) {
        size_t values = nitro_space_parameter(walk->space, p)->num_values;
        longest = values > longest ? values : longest;
    }
    for (size_t p = 0; p < walk->num_parameters; p++) {
        size_t levels = search_num_levels(walk->space, p);
        for (size_t i = 0; i < levels; i++)
            for (size_t j = 0; j < levels; j++) {
                double apart = (double)search_level_index(walk->space, p, i) -
                               (double)search_level_index(walk->space, p, j);
                apart /= (double)longest * length;
                self->gp.distances[p][i * levels + j] = (float)(apart * apart);
            }
    }
}

/* A Latin hypercube sample; what lies outside the space, or twice, is replaced at random. */
static nitro_status want_initial(search_walk *walk, bayes *self, size_t draws)
{
    size_t width = walk->num_parameters, count = self->num_initial;
    uint16_t *points = nitro_calloc(walk->context, count * width, sizeof(*points));
    nitro_status status = points ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = search_lhs(walk->context, walk->space, &walk->random, count, draws, points);
    if (status == NITRO_OK)
        status = search_want_random(walk, 0); /* the starts */
    for (size_t i = walk->count; status == NITRO_OK && i < count; i++) {
        uint64_t found = nitro_space_find(walk->space, points + i * width);
        if (found != NITRO_NO_CONFIGURATION && !search_is_wanted(walk, found))
            status = search_want(walk, found);
    }
    free(points);
    return status == NITRO_OK ? search_want_more(walk, count) : status;
}

static void observe_batch(search_walk *walk, bayes *self)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    for (size_t i = 0; i < walk->count; i++) {
        double time_ms = walk->times_ms[i];
        size_t candidate = search_candidates_find(&self->candidates, walk->batch[i]);
        if (candidate != NITRO_NONE)
            self->done[candidate] = true;
        if (isinf(time_ms))
            continue;
        self->best_ms = fmin(self->best_ms, time_ms);
        nitro_space_indices(walk->space, walk->batch[i], indices);
        if (search_gp_observe(&self->gp, indices, time_ms))
            self->times_ms[self->num_valid++] = time_ms;
    }
    search_gp_update(&self->gp);
}

static void finish_initial(bayes *self)
{
    self->initial = false;
    self->initial_spread = search_bayes_spread(self);
    self->initial_mean_ms = 0;
    for (size_t i = 0; i < self->num_valid; i++)
        self->initial_mean_ms += self->times_ms[i] / (double)self->num_valid;
}

static nitro_status advance(search_walk *walk, void *method)
{
    bayes *self = method;
    observe_batch(walk, self);
    if (!self->initial)
        search_bayes_judge(walk, self);
    search_want_none(walk);
    if (self->initial && self->num_valid >= self->num_initial)
        finish_initial(self);
    nitro_status status = self->initial ? NITRO_OK : search_bayes_want(walk, self);
    if (status != NITRO_OK || walk->count > 0)
        return status;
    /* The initial sample wants valid ones; or what is left of the space is no candidate. */
    return search_want(walk, search_draw_unused(&walk->evaluated, walk->space, &walk->random));
}

static const char *const starts[] = {"lhs", "maximin", NULL};
static const char *const explorations[] = {"contextual", "contextual-variance", "constant", NULL};
static const char *const covariances[] = {"matern-3/2", "matern-5/2", NULL};

/* A published searcher. */
typedef struct bayes_kind {
    search_method method;
    bayes_portfolio portfolio;
    acquisition first; /* of a portfolio's three, which follow each other; or the only one */
} bayes_kind;

static void begin_portfolio(const bayes_kind *kind, bayes *self, search_options *options)
{
    bool single = kind->portfolio == BAYES_SINGLE;
    bool advanced = kind->portfolio == BAYES_MULTI_ADVANCED;
    self->portfolio = kind->portfolio;
    for (size_t m = 0; m < (single ? 1 : BAYES_MEMBERS); m++)
        self->members[m] = (bayes_member){.kind = kind->first + (acquisition)m, .live = true};
    if (single)
        return;
    self->discount = search_option_number(options, "discount", 0, 1, advanced ? 0.75 : 0.65);
    self->patience = search_option_count(options, "patience", 1, 31, 5);
    if (advanced)
        self->margin = search_option_number(options, "margin", 0, 1, 0.1);
}

static nitro_status begin(search_walk *walk, void *method, search_options *options)
{
    bayes *self = method;
    uint64_t size = nitro_space_size(walk->space);
    uint64_t most = walk->task->budget < size ? walk->task->budget : size;
    begin_portfolio((const bayes_kind *)walk->kind, self, options);
    self->num_initial = search_option_count(options, "initial", 1, 100000, 20);
    if (self->num_initial > most)
        self->num_initial = (size_t)most;
    bool maximin = search_option_word(options, "start", starts, 0) == 1;
    size_t exploration = search_option_word(options, "exploration", explorations, 0);
    self->of_variances = exploration == 1;
    self->constant = exploration == 2;
    self->lambda = search_option_number(options, "lambda", 0, 1e6, 0.01);
    search_covariance covariance = search_option_word(options, "covariance", covariances, 0) == 1
                                       ? SEARCH_MATERN_5_2
                                       : SEARCH_MATERN_3_2;
    double length = search_option_number(options, "length", 1e-3, 1e3, self->constant ? 2 : 1.5);
    self->best_ms = INFINITY;
    self->initial = true;
    nitro_status status =
        search_candidates_list(walk->context, walk->space, walk->task->seed, &self->candidates);
    size_t capacity = (size_t)(most < MAX_OBSERVATIONS ? most : MAX_OBSERVATIONS);
    if (status == NITRO_OK)
        status = search_gp_init(walk->context, &self->candidates, covariance, 1e-10, capacity,
                                &self->gp);
    if (status != NITRO_OK)
        return status;
    fill_distances(walk, self, length);
    self->done = nitro_calloc(walk->context, self->candidates.count, sizeof(*self->done));
    self->times_ms = nitro_calloc(walk->context, capacity, sizeof(*self->times_ms));
    if (!self->done || !self->times_ms)
        return NITRO_ERR_NO_MEMORY;
    return want_initial(walk, self, maximin ? MAXIMIN_DRAWS : 1);
}

static void end(void *method)
{
    bayes *self = method;
    search_gp_release(&self->gp);
    search_candidates_release(&self->candidates);
    free(self->done);
    free(self->times_ms);
}

#define COMMON_OPTIONS                                                                             \
    {"initial", "20", "valid evaluations before the first proposal"},                              \
        {"start", "lhs", "lhs, or maximin: the draw of 1000 with the greatest least distance"},    \
        {"exploration", "contextual", "contextual, contextual-variance or constant"},              \
        {"lambda", "0.01", "exploration factor where it is constant"},                             \
        {"covariance", "matern-3/2", "matern-3/2 or matern-5/2"},                                  \
    {                                                                                              \
        "length", "", "length scale: 1.5, with constant exploration 2"                             \
    }

static const nitro_searcher_option single_options[] = {COMMON_OPTIONS, {NULL, NULL, NULL}};
static const nitro_searcher_option multi_options[] = {
    COMMON_OPTIONS,
    {"discount", "0.65", "of an observation, by each later one"},
    {"patience", "5", "proposals in a row that are another's too, after which one leaves"},
    {NULL, NULL, NULL}};
static const nitro_searcher_option advanced_options[] = {
    COMMON_OPTIONS,
    {"discount", "0.75", "of an observation, by each later one"},
    {"patience", "5", "times worse or better than the mean, after which one leaves or stays alone"},
    {"margin", "0.1", "what counts as worse or better, relative"},
    {NULL, NULL, NULL}};

/* One searcher: its symbol's last word, its name, description, options and acquisition functions.
 */
#define BAYES_SEARCHER(symbol, text, what, table, portfolio, first)                                \
    static const bayes_kind kind_##symbol = {                                                      \
        {sizeof(bayes), begin, advance, end}, portfolio, first};                                   \
    SEARCH_WALK_SEARCHER(bayes_##symbol, &kind_##symbol.method, .name = text, .description = what, \
                         .options = table)

BAYES_SEARCHER(ei, "bayes-ei", "Bayesian optimisation, expected improvement", single_options,
               BAYES_SINGLE, ACQUIRE_EI)
BAYES_SEARCHER(poi, "bayes-poi", "Bayesian optimisation, probability of improvement",
               single_options, BAYES_SINGLE, ACQUIRE_POI)
BAYES_SEARCHER(lcb, "bayes-lcb", "Bayesian optimisation, lower confidence bound", single_options,
               BAYES_SINGLE, ACQUIRE_LCB)
BAYES_SEARCHER(srinivas, "bayes-lcb-srinivas",
               "Bayesian optimisation, confidence bound of Srinivas et al.", single_options,
               BAYES_SINGLE, ACQUIRE_LCB_SRINIVAS)
BAYES_SEARCHER(multi, "bayes-multi", "Bayesian optimisation, three acquisition functions",
               multi_options, BAYES_MULTI, ACQUIRE_EI)
BAYES_SEARCHER(multi_advanced, "bayes-multi-advanced",
               "Bayesian optimisation, three acquisition functions, judged", advanced_options,
               BAYES_MULTI_ADVANCED, ACQUIRE_EI)

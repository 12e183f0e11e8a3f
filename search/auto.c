/*
 * The default searcher: expected improvement of a Gaussian process on logarithms of times, whose
 * covariance is fitted to what was measured, times the probability of being valid.
 *
 * It differs from published Bayesian optimisation in four ways. The parameters' weights are fitted,
 * and positions, logarithms and equality of values are told apart. A part of the covariance is
 * additive, so that few evaluations tell what each parameter does by itself. Times slower than the
 * median are squashed, so that the process describes the fast ones. And a second process learns
 * where configurations are invalid.
 */
#include "search/auto.h"

#include <math.h>
#include <stdlib.h>

#include "search/lhs.h"
#include "search/options.h"

/* Starts that are evaluated before anything else. */
#define MAX_STARTS  4
#define MAX_INITIAL 1000
/* With starts, the sample has as many configurations again, each in place of one proposal in so
 * many. */
#define TURNS_OF_SAMPLE 3
/* Valid evaluations before neighbours of the fastest are tried. */
#define NEAR_FROM 20
/* Noise of the process of validity, and weights of its ordered and other axes. */
#define VALIDITY_NOISE   0.02
#define VALIDITY_ORDERED 4.0F
#define VALIDITY_UNEQUAL 1.2F

static void close_auto(void *state)
{
    auto_search *self = state;
    if (!self)
        return;
    search_gp_release(&self->times);
    search_gp_release(&self->validity);
    search_lengths_release(&self->lengths);
    search_candidates_release(&self->candidates);
    search_evaluated_release(&self->evaluated);
    free(self->done);
    free(self->observations);
    free(self->initial);
    free(self);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool is_initial(const auto_search *self, uint64_t configuration)
{
    for (size_t i = 0; i < self->num_initial; i++)
        if (self->initial[i] == configuration)
            return true;
    return false;
}

static void add_initial(auto_search *self, uint64_t configuration)
{
    if (configuration < nitro_space_size(self->space) && !is_initial(self, configuration))
        self->initial[self->num_initial++] = configuration;
}

/* The first starts, a Latin hypercube sample, and random ones for points outside the space. Starts
 * do not replace the sample but double it: where they mislead, it is what corrects them. */
static nitro_status choose_initial(auto_search *self, size_t sample)
{
    uint64_t size = nitro_space_size(self->space);
    size_t starts = self->task->num_starts < MAX_STARTS ? self->task->num_starts : MAX_STARTS;
    self->num_first = starts + sample;
    sample *= starts > 0 ? 2 : 1;
    sample = sample < size ? sample : (size_t)size;
    size_t count = starts + sample < size ? starts + sample : (size_t)size;
    uint16_t *points =
        nitro_calloc(self->context, sample * self->num_parameters + 1, sizeof(*points));
    self->initial = nitro_calloc(self->context, starts + sample, sizeof(*self->initial));
    nitro_status status = points && self->initial ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; status == NITRO_OK && i < starts; i++)
        add_initial(self, self->task->starts[i]);
    if (status == NITRO_OK)
        status = search_lhs(self->context, self->space, &self->random, sample, 1, points);
    for (size_t i = 0; status == NITRO_OK && i < sample && self->num_initial < count; i++)
        add_initial(self, nitro_space_find(self->space, points + i * self->num_parameters));
    while (status == NITRO_OK && self->num_initial < count)
        add_initial(self, nitro_random_below(&self->random, size));
    if (self->num_first > self->num_initial)
        self->num_first = self->num_initial;
    free(points);
    return status;
}

static void weigh_validity(auto_search *self)
{
    const search_axes *axes = &self->lengths.axes;
    for (size_t a = 0; a < axes->count; a++) {
        const search_axis *axis = &axes->items[a];
        float weight = axis->ordered ? VALIDITY_ORDERED : VALIDITY_UNEQUAL;
        size_t square = search_num_levels(self->space, axis->parameter);
        square *= square;
        for (size_t i = 0; i < square; i++)
            self->validity.distances[axis->parameter][i] += weight * axis->squared[i];
    }
}

static nitro_status make_processes(auto_search *self, double additive, double noise)
{
    nitro_status status =
        search_lengths_init(self->context, self->space, additive, noise, &self->lengths);
    if (status == NITRO_OK)
        status = search_gp_init(self->context, &self->candidates, SEARCH_MATERN_5_2, noise,
                                AUTO_MAX_ROWS, &self->times);
    if (status == NITRO_OK)
        status = search_gp_init(self->context, &self->candidates, SEARCH_MATERN_3_2, VALIDITY_NOISE,
                                AUTO_MAX_ROWS, &self->validity);
    if (status != NITRO_OK)
        return status;
    search_lengths_apply(&self->lengths, &self->times);
    weigh_validity(self);
    return NITRO_OK;
}

extern const nitro_searcher nitro_searcher_auto;

static nitro_status open_auto(nitro_context *context, const nitro_search_task *task, void **state)
{
    auto_search *self = nitro_calloc(context, 1, sizeof(*self));
    if (!self)
        return NITRO_ERR_NO_MEMORY;
    self->context = context;
    self->task = task;
    self->space = task->space;
    self->num_parameters = nitro_space_num_parameters(task->space);
    nitro_random_seed(&self->random, task->seed);
    search_options options = search_options_begin(context, &nitro_searcher_auto, task);
    size_t initial = search_option_count(&options, "initial", 2, MAX_INITIAL, 5);
    double additive = search_option_number(&options, "additive", 0.01, 0.99, 0.5);
    double noise = search_option_number(&options, "noise", 1e-6, 0.5, 1e-4);
    self->near_share = search_option_number(&options, "near", 0, 1, 0.1);
    self->squash = search_option_number(&options, "squash", 1e-3, 1e6, 0.3);
    nitro_status status = options.status;
    if (status == NITRO_OK)
        status = search_candidates_list(context, task->space, task->seed, &self->candidates);
    if (status == NITRO_OK) {
        self->done = nitro_calloc(context, self->candidates.capacity + 1, sizeof(*self->done));
        status = self->done ? make_processes(self, additive, noise) : NITRO_ERR_NO_MEMORY;
    }
    if (status == NITRO_OK)
        status = choose_initial(self, initial);
    self->next_fit = self->num_first;
    if (status == NITRO_OK)
        *state = self;
    else
        close_auto(self);
    return status;
}

/* ---- Asking and telling ---------------------------------------------------------------------- */

static nitro_status add_observation(auto_search *self, auto_observation observation)
{
    auto_observation *observations =
        nitro_grow(self->context, self->observations, self->num_observations, &self->capacity,
                   sizeof(observation), "observations");
    if (!observations)
        return NITRO_ERR_NO_MEMORY;
    self->observations = observations;
    self->observations[self->num_observations++] = observation;
    size_t candidate = search_candidates_find(&self->candidates, observation.configuration);
    if (candidate != NITRO_NONE)
        self->done[candidate] = true;
    return NITRO_OK;
}

static nitro_status ask_for(auto_search *self, uint64_t configuration, double expected,
                            nitro_search_question *question)
{
    nitro_status status =
        search_evaluated_ask(self->context, &self->evaluated, configuration, false, question);
    if (status != NITRO_OK || configuration == NITRO_NO_CONFIGURATION)
        return status;
    self->num_awaited++;
    return add_observation(self, (auto_observation){configuration, expected, true, true});
}

/* The initial configuration whose turn it is, or NITRO_NO_CONFIGURATION. */
static uint64_t next_initial(const auto_search *self)
{
    bool is_turn = self->num_observations % TURNS_OF_SAMPLE == 0;
    size_t count = is_turn ? self->num_initial : self->num_first;
    for (size_t i = 0; i < count; i++)
        if (!search_evaluated_find(&self->evaluated, self->initial[i]))
            return self->initial[i];
    return NITRO_NO_CONFIGURATION;
}

static nitro_status ask_auto(void *state, nitro_search_question *question)
{
    auto_search *self = state;
    double expected = NAN;
    uint64_t initial = next_initial(self);
    if (initial != NITRO_NO_CONFIGURATION)
        return ask_for(self, initial, expected, question);
    if (self->evaluated.count == nitro_space_size(self->space))
        return ask_for(self, NITRO_NO_CONFIGURATION, expected, question);
    nitro_status status = auto_update(self);
    if (status != NITRO_OK)
        return status;
    size_t candidate = NITRO_NONE;
    if (self->num_valid >= NEAR_FROM && nitro_random_uniform(&self->random) < self->near_share)
        candidate = auto_propose_near(self);
    if (candidate == NITRO_NONE && self->num_valid >= 2)
        candidate = auto_propose(self, &expected);
    uint64_t next =
        candidate == NITRO_NONE ? auto_draw(self) : self->candidates.configurations[candidate];
    return ask_for(self, next, expected, question);
}

static nitro_status tell_auto(void *state, const nitro_search_answer *answer)
{
    auto_search *self = state;
    nitro_status status =
        search_evaluated_tell(self->context, &self->evaluated, self->space, answer);
    if (status != NITRO_OK)
        return status;
    double time_ms = search_answer_time(answer);
    bool valid = isfinite(time_ms);
    auto_observation told = {answer->configuration, valid ? log(time_ms) : NAN, valid, false};
    size_t known = self->num_observations;
    for (size_t i = self->num_observations; i-- > 0 && known == self->num_observations;)
        if (self->observations[i].configuration == answer->configuration)
            known = i;
    if (known < self->num_observations && !self->observations[known].awaited)
        return NITRO_OK; /* the first answer counts */
    self->num_valid += valid;
    self->num_invalid += !valid;
    if (known == self->num_observations)
        return add_observation(self, told);
    self->num_awaited--;
    self->stale |= !valid && known < self->num_seen;
    self->observations[known] = told;
    return NITRO_OK;
}

static const nitro_searcher_option options_of_auto[] = {
    {"initial", "5",
     "evaluations before the first proposal, besides up to four starts; after these, "
     "as many again in turn with proposals"},
    {"additive", "0.5", "expected share of the covariance that is additive over the parameters"},
    {"noise", "0.0001", "expected variance of the noise, relative"},
    {"near", "0.1", "share of the proposals that are neighbours of the fastest, drawn at random"},
    {"squash", "0.3", "logarithms of times above the median approach it plus this"},
    {NULL, NULL, NULL}};

const nitro_searcher nitro_searcher_auto = {
    .name = "auto",
    .description = "Gaussian process with a fitted covariance; learns where configurations fail",
    .priority = 100,
    .options = options_of_auto,
    .open = open_auto,
    .ask = ask_auto,
    .tell = tell_auto,
    .close = close_auto,
};

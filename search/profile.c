/*
 * The profile-based searcher of Filipovic, Hozzova, Nezarat, Olha and Petrovic (2021): it profiles
 * the fastest configuration, derives from its counters what limits it, and draws configurations
 * that a counter model says relieve that.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/bottlenecks.h"
#include "search/candidates.h"
#include "search/evaluated.h"
#include "search/options.h"

#define MAX_ROUND 64

typedef struct profile_search {
    nitro_context *context;
    const nitro_search_task *task;
    const nitro_space *space;
    nitro_random random;
    size_t round_size; /* configurations drawn from one profile */
    double reaction, cores;
    counter_columns measured; /* of the task's counters */
    search_candidates candidates;
    double *operations; /* by the model, shape [candidates x NUM_OPERATIONS] */
    double *weights;    /* shape [candidates]; 0: not to be drawn */
    search_evaluated evaluated;
    uint64_t round[MAX_ROUND]; /* asked for, answers awaited */
    size_t num_round;
    bool profiling; /* the round is one configuration, to be profiled */
    double wishes[NUM_OPERATIONS];
    bool has_wishes;
} profile_search;

static void close_profile(void *state)
{
    profile_search *self = state;
    if (!self)
        return;
    search_candidates_release(&self->candidates);
    search_evaluated_release(&self->evaluated);
    free(self->operations);
    free(self->weights);
    free(self);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/** What the model says of configurations. @param[out] operations  shape [count x NUM_OPERATIONS].
 */
static nitro_status predict_operations(const profile_search *self, const uint64_t *configurations,
                                       size_t count, double *operations)
{
    const nitro_counter_model *model = self->task->counter_model;
    size_t num_counters = nitro_counter_model_num_counters(model);
    counter_columns columns;
    double *counters = nitro_calloc(self->context, count * num_counters + 1, sizeof(double));
    const char **names = nitro_calloc(self->context, num_counters, sizeof(*names));
    nitro_status status = counters && names ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t c = 0; status == NITRO_OK && c < num_counters; c++)
        names[c] = nitro_counter_model_counter(model, c);
    if (status == NITRO_OK)
        status = search_counter_columns(self->context, "the counter model", names, num_counters,
                                        &columns);
    if (status == NITRO_OK)
        status = nitro_counter_model_predict(self->context, model, self->space, configurations,
                                             count, counters);
    for (size_t i = 0; status == NITRO_OK && i < count; i++)
        search_counter_operations(&columns, counters + i * num_counters,
                                  operations + i * NUM_OPERATIONS);
    free(counters);
    free(names);
    return status;
}

static nitro_status check_task(nitro_context *context, const nitro_search_task *task)
{
    if (!task->counter_model)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "the searcher 'profile' needs a counter model (--counter-model FILE)");
    if (task->num_counters == 0)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "the searcher 'profile' needs evaluations with counters, and there are "
                          "none: record them, or choose another searcher");
    return NITRO_OK;
}

extern const nitro_searcher nitro_searcher_profile;

static nitro_status open_profile(nitro_context *context, const nitro_search_task *task,
                                 void **state)
{
    nitro_status status = check_task(context, task);
    profile_search *self = status == NITRO_OK ? nitro_calloc(context, 1, sizeof(*self)) : NULL;
    if (!self)
        return status == NITRO_OK ? NITRO_ERR_NO_MEMORY : status;
    self->context = context;
    self->task = task;
    self->space = task->space;
    nitro_random_seed(&self->random, task->seed);
    search_options options = search_options_begin(context, &nitro_searcher_profile, task);
    self->reaction = search_option_number(&options, "reaction", 0, 0.999, 0.7);
    self->round_size = search_option_count(&options, "round", 1, MAX_ROUND, 5);
    self->cores =
        search_option_number(&options, "cores", 0, 1e9,
                             task->device ? nitro_device_value(task->device, "cuda_cores") : NAN);
    status = options.status;
    if (status == NITRO_OK)
        status = search_counter_columns(context, "the evaluations", task->counter_names,
                                        task->num_counters, &self->measured);
    if (status == NITRO_OK)
        status = search_candidates_list(context, task->space, task->seed, &self->candidates);
    if (status == NITRO_OK) {
        size_t count = self->candidates.count;
        self->weights = nitro_calloc(context, count + 1, sizeof(double));
        self->operations = nitro_calloc(context, count * NUM_OPERATIONS + 1, sizeof(double));
        status =
            self->weights && self->operations
                ? predict_operations(self, self->candidates.configurations, count, self->operations)
                : NITRO_ERR_NO_MEMORY;
    }
    if (status == NITRO_OK)
        *state = self;
    else
        close_profile(self);
    return status;
}

/* ---- Weights --------------------------------------------------------------------------------- */

static double score(const profile_search *self, const double *from, const double *to)
{
    double sum = 0;
    for (size_t o = 0; o < NUM_OPERATIONS; o++)
        if (from[o] != 0 && to[o] != 0 && to[o] + from[o] != 0)
            sum += self->wishes[o] * (to[o] - from[o]) / (to[o] + from[o]);
    return sum;
}

static double weight_of(double value, double least, double greatest)
{
    if (value > 0)
        return pow(1 + value / greatest, 8);
    if (value > -0.25)
        return fmax(1e-4, least < 0 ? pow(1 - value / least, 8) : 1);
    return 1e-4;
}

/* Weigh the candidates not asked for against a configuration, which may be no candidate. */
static nitro_status weigh(profile_search *self, uint64_t profiled)
{
    double from[NUM_OPERATIONS], least = 0, greatest = 0;
    nitro_status status = predict_operations(self, &profiled, 1, from);
    if (status != NITRO_OK)
        return status;
    for (size_t c = 0; c < self->candidates.count; c++) {
        bool asked = search_evaluated_find(&self->evaluated, self->candidates.configurations[c]);
        self->weights[c] = asked ? NAN : score(self, from, self->operations + c * NUM_OPERATIONS);
        least = fmin(least, self->weights[c]);
        greatest = fmax(greatest, self->weights[c]);
    }
    for (size_t c = 0; c < self->candidates.count; c++)
        self->weights[c] =
            isnan(self->weights[c]) ? 0 : weight_of(self->weights[c], least, greatest);
    return NITRO_OK;
}

/* By weight, without replacement; at random where nothing has weight. */
static uint64_t draw(profile_search *self)
{
    double sum = 0;
    for (size_t c = 0; self->has_wishes && c < self->candidates.count; c++)
        sum += self->weights[c];
    if (!(sum > 0))
        return search_draw_unasked(&self->evaluated, self->space, &self->random);
    double left = nitro_random_uniform(&self->random) * sum;
    size_t drawn = 0;
    for (size_t c = 0; c < self->candidates.count; c++)
        if (self->weights[c] > 0) {
            drawn = c;
            left -= self->weights[c];
            if (left < 0)
                break;
        }
    self->weights[drawn] = 0;
    return self->candidates.configurations[drawn];
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static nitro_status ask_for(profile_search *self, uint64_t configuration, bool profiled,
                            nitro_search_question *question)
{
    return search_evaluated_ask(self->context, &self->evaluated, configuration, profiled, question);
}

/* The fastest of the round that was answered; NITRO_NO_CONFIGURATION where all are invalid. */
static uint64_t fastest_of_round(const profile_search *self)
{
    uint64_t fastest = NITRO_NO_CONFIGURATION;
    double least = INFINITY;
    for (size_t i = 0; i < self->num_round; i++) {
        const search_evaluation *entry = search_evaluated_find(&self->evaluated, self->round[i]);
        if (entry->told && entry->time_ms < least) {
            least = entry->time_ms;
            fastest = self->round[i];
        }
    }
    return fastest;
}

static bool round_is_open(const profile_search *self)
{
    for (size_t i = 0; i < self->num_round; i++)
        if (!search_evaluated_find(&self->evaluated, self->round[i])->told)
            return true;
    return false;
}

/* The first configuration: the first start, else at random. */
static uint64_t first(profile_search *self)
{
    for (size_t i = 0; i < self->task->num_starts; i++)
        if (!search_evaluated_find(&self->evaluated, self->task->starts[i]))
            return self->task->starts[i];
    return search_draw_unasked(&self->evaluated, self->space, &self->random);
}

static nitro_status ask_profile(void *state, nitro_search_question *question)
{
    profile_search *self = state;
    bool full = self->num_round == (self->profiling ? 1 : self->round_size);
    if (full && !round_is_open(self)) {
        uint64_t fastest = self->profiling ? NITRO_NO_CONFIGURATION : fastest_of_round(self);
        self->num_round = 0;
        self->profiling = fastest != NITRO_NO_CONFIGURATION;
        if (self->profiling) {
            self->round[self->num_round++] = fastest;
            search_evaluated_find(&self->evaluated, fastest)->told = false;
            return ask_for(self, fastest, true, question);
        }
    } else if (full) /* answers are awaited */
        return ask_for(self, draw(self), false, question);
    bool profiled = !self->has_wishes; /* nothing to go by yet */
    uint64_t next = profiled ? first(self) : draw(self);
    if (next == NITRO_NO_CONFIGURATION)
        return ask_for(self, next, false, question);
    if (profiled)
        self->num_round = 0;
    self->profiling = profiled;
    self->round[self->num_round++] = next;
    return ask_for(self, next, profiled, question);
}

static nitro_status tell_profile(void *state, const nitro_search_answer *answer)
{
    profile_search *self = state;
    nitro_status status =
        search_evaluated_tell(self->context, &self->evaluated, self->space, answer);
    size_t candidate = search_candidates_find(&self->candidates, answer->configuration);
    if (candidate != NITRO_NONE)
        self->weights[candidate] = 0;
    if (status != NITRO_OK || !answer->counters || isinf(search_answer_time(answer)))
        return status;
    double wishes[NUM_OPERATIONS];
    bool awaited =
        self->profiling && self->num_round == 1 && self->round[0] == answer->configuration;
    if ((!awaited && self->has_wishes) ||
        !search_counter_wishes(&self->measured, answer->counters, self->reaction, self->cores,
                               wishes))
        return NITRO_OK;
    memcpy(self->wishes, wishes, sizeof(wishes));
    self->has_wishes = true;
    return weigh(self, answer->configuration);
}

static const nitro_searcher_option options_of_profile[] = {
    {"reaction", "0.7",
     "share of instructions from which on they are a bottleneck; 0.5 where the "
     "kernel is known to compute much"},
    {"round", "5", "configurations drawn from one profile"},
    {"cores", "", "arithmetic cores of the device: its feature cuda_cores"},
    {NULL, NULL, NULL}};

const nitro_searcher nitro_searcher_profile = {
    .name = "profile",
    .description = "guided by performance counters and a counter model (KTT)",
    .wants_counters = true,
    .options = options_of_profile,
    .open = open_profile,
    .ask = ask_profile,
    .tell = tell_profile,
    .close = close_profile,
};

/* Searches over recorded spaces, and their figures. */
#include "bench/search_simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nitro/base/parallel.h"

static const size_t checkpoints[4] = {20, 50, 100, 220};

bool simulated_method_parse(const char *text, simulated_method *method)
{
    snprintf(method->text, sizeof(method->text), "%s", text);
    char copy[256], *rest = copy;
    snprintf(copy, sizeof(copy), "%s", text);
    const char *name = strsep(&rest, ":");
    method->searcher = NULL;
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++)
        if (strcmp((*s)->name, name) == 0)
            method->searcher = *s;
    if (!method->searcher) {
        fprintf(stderr, "search: no searcher '%s'\n", name);
        return false;
    }
    const nitro_searcher_option *options = method->searcher->options;
    for (size_t i = 0; options && options[i].name; i++)
        method->options[i] = options[i].value;
    while (rest && *rest) {
        char *assignment = strsep(&rest, ","), *value = assignment;
        const char *option = strsep(&value, "=");
        size_t i = 0;
        while (options && options[i].name && strcmp(options[i].name, option) != 0)
            i++;
        if (!options || !options[i].name || !value) {
            fprintf(stderr, "search: '%s' has no option '%s'\n", name, option);
            return false;
        }
        method->options[i] = method->text + (value - copy);
    }
    for (char *c = method->text; *c; c++) /* values end at the commas */
        if (*c == ',')
            *c = '\0';
    return true;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static bool is_valid(const nitro_search_answer *answer)
{
    return answer->outcome == NITRO_OUTCOME_MEASURED;
}

bool simulated_space_read(nitro_context *context, const char *path, simulated_space *space)
{
    *space = (simulated_space){0};
    if (nitro_recording_read(context, path, NULL, &space->recording) != NITRO_OK)
        return false;
    size_t size = (size_t)nitro_space_size(space->recording->space), known = 0;
    double *sorted = malloc((size + 1) * sizeof(*sorted)), sum = 0;
    space->sorted_ms = malloc((size + 1) * sizeof(*sorted));
    space->costs_ms = malloc((size + 1) * sizeof(*sorted));
    for (size_t c = 0; c < size; c++) {
        const nitro_search_answer *answer = &space->recording->answers[c];
        if (is_valid(answer))
            space->sorted_ms[space->num_valid++] = answer->time_ms;
        if (answer->cost_ms > 0) {
            sorted[known++] = answer->cost_ms;
            sum += answer->cost_ms;
        }
    }
    qsort(space->sorted_ms, space->num_valid, sizeof(double), by_value);
    qsort(sorted, known, sizeof(double), by_value);
    space->median_cost_ms = known > 0 ? sorted[known / 2] : 1;
    space->mean_cost_ms = known > 0 ? sum / (double)known : 1;
    for (size_t c = 0; c < size; c++) {
        double cost = space->recording->answers[c].cost_ms;
        space->costs_ms[c] = cost > 0 ? cost : space->median_cost_ms;
    }
    free(sorted);
    return space->num_valid > 0;
}

void simulated_space_free(simulated_space *space)
{
    nitro_recording_free(space->recording);
    free(space->sorted_ms);
    free(space->costs_ms);
}

/* ---- One search ------------------------------------------------------------------------------ */

typedef struct simulation {
    const simulated_task *task;
    double *best_ms;  /* shape [num_repeats x budget]: so far */
    double *spent_ms; /* likewise: costs so far */
    double *step_ms;  /* shape [num_repeats] */
    size_t *to_close; /* shape [num_repeats] */
} simulation;

static double thread_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static nitro_search_task searcher_task(const simulated_task *task, size_t repeat)
{
    const nitro_recording *recording = task->space->recording;
    uint64_t size = nitro_space_size(recording->space);
    return (nitro_search_task){.space = recording->space,
                               .budget = task->budget < size ? task->budget : size,
                               .seed = 1000 + repeat,
                               .options = task->method->options,
                               .starts = task->starts,
                               .num_starts = task->num_starts,
                               .counter_model = task->model,
                               .counter_names = (const char *const *)recording->counter_names,
                               .num_counters = recording->num_counters};
}

static nitro_status follow(const simulation *run, size_t repeat, void *state, double *best,
                           double *spent)
{
    const simulated_task *task = run->task;
    const simulated_space *space = task->space;
    double close_ms = 1.1 * space->sorted_ms[0];
    nitro_status status = NITRO_OK;
    for (size_t e = 0; status == NITRO_OK && e < task->budget; e++) {
        nitro_search_question question;
        best[e] = e > 0 ? best[e - 1] : INFINITY;
        spent[e] = e > 0 ? spent[e - 1] : 0;
        if (task->until_close && best[e] <= close_ms)
            return status;
        status = task->method->searcher->ask(state, &question);
        if (status != NITRO_OK || question.configuration == NITRO_NO_CONFIGURATION)
            continue; /* ended early: the last best stays */
        nitro_search_answer answer = space->recording->answers[question.configuration];
        answer.counters = question.profiled ? answer.counters : NULL;
        if (is_valid(&answer))
            best[e] = fmin(best[e], answer.time_ms);
        if (best[e] <= close_ms && run->to_close[repeat] > e)
            run->to_close[repeat] = e + 1;
        spent[e] += space->costs_ms[question.configuration];
        status = task->method->searcher->tell(state, &answer);
    }
    return status;
}

static nitro_status search_once(void *user, size_t repeat)
{
    const simulation *run = user;
    const simulated_task *task = run->task;
    nitro_context *context = NULL;
    nitro_search_task given = searcher_task(task, repeat);
    nitro_status status = nitro_context_create(&context);
    void *state = NULL;
    double begin = thread_ms();
    if (status == NITRO_OK)
        status = task->method->searcher->open(context, &given, &state);
    if (status == NITRO_OK)
        status = follow(run, repeat, state, run->best_ms + repeat * task->budget,
                        run->spent_ms + repeat * task->budget);
    if (status != NITRO_OK && context) {
        char message[1024];
        nitro_context_last_error(context, message, sizeof(message));
        fprintf(stderr, "search: %s: %s\n", task->method->text, message);
    }
    if (state)
        task->method->searcher->close(state);
    run->step_ms[repeat] = (thread_ms() - begin) / (double)given.budget;
    nitro_context_free(context);
    return status;
}

/* ---- Figures --------------------------------------------------------------------------------- */

static void mean_and_error(const double *values, size_t count, double *mean, double *error)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - sum) * (values[i] - sum);
    *mean = sum;
    *error = count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : 0;
}

/* Evaluations before anything valid count as the slowest. */
static double finite_ms(const simulated_space *space, double ms)
{
    return isinf(ms) ? space->sorted_ms[space->num_valid - 1] : ms;
}

static double absolute_error(const simulated_task *task, const double *best)
{
    double sum = 0;
    for (size_t e = 40; e <= 220; e += 20) {
        size_t at = e < task->budget ? e : task->budget;
        sum += finite_ms(task->space, best[at - 1]) - task->space->sorted_ms[0];
    }
    return sum / 10;
}

typedef struct timed_rank {
    double ms, rank, weight;
} timed_rank;

static int by_time(const void *left, const void *right)
{
    const timed_rank *a = left, *b = right;
    return a->ms < b->ms ? -1 : a->ms > b->ms;
}

/* Rank of a time among the valid ones: 0 is the fastest. */
static double rank_of(const simulated_space *space, double ms)
{
    size_t low = 0, high = space->num_valid - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (space->sorted_ms[middle] < ms)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)low;
}

/* Pool adjacent violators: ranks fall with time. Returns the number of pools. */
static size_t pool_falling(timed_rank *points, size_t count)
{
    size_t pools = 0;
    for (size_t i = 0; i < count; i++) {
        timed_rank pool = points[i];
        for (; pools > 0 && points[pools - 1].rank <= pool.rank; pools--) {
            const timed_rank *last = &points[pools - 1];
            pool.rank = (last->rank * last->weight + pool.rank * pool.weight) /
                        (last->weight + pool.weight);
            pool.weight += last->weight;
            pool.ms = last->ms;
        }
        points[pools++] = pool;
    }
    return pools;
}

/* Random search's best after a number of evaluations, by the community's formula. */
static double random_ms(const simulated_space *space, double evaluations)
{
    double n = (double)space->num_valid;
    double index = fmin(n - 1, rint(evaluations * (n + 1) / (evaluations + 1)));
    return space->sorted_ms[space->num_valid - 1 - (size_t)index];
}

/* Evaluations that random search needs for a share of the way from the median to the best. */
static double random_evaluations(const simulated_space *space, double share)
{
    size_t n = space->num_valid, i = 0;
    double best = space->sorted_ms[0], median = space->sorted_ms[n / 2];
    double target = best + (median - best) * (1 - share);
    while (i + 1 < n && space->sorted_ms[n - 1 - i] > target)
        i++;
    return ceil((double)i / (double)(n + 1 - i));
}

/* The community's performance score P (Willemsen et al. 2024), of all repeats together. */
static double score(const simulation *run)
{
    enum { TIMES = 1000 };
    const simulated_task *task = run->task;
    const simulated_space *space = task->space;
    size_t count = task->num_repeats * task->budget;
    timed_rank *points = malloc(count * sizeof(*points));
    for (size_t i = 0; i < count; i++)
        points[i] =
            (timed_rank){run->spent_ms[i], rank_of(space, finite_ms(space, run->best_ms[i])), 1};
    qsort(points, count, sizeof(*points), by_time);
    size_t pools = pool_falling(points, count), at = 0;
    double begin = fmax(1, random_evaluations(space, 0.01)) * space->median_cost_ms;
    double end = random_evaluations(space, 0.95) * space->median_cost_ms, sum = 0;
    for (size_t i = 0; i < TIMES; i++) {
        double ms = begin + (end - begin) * (double)i / (TIMES - 1);
        while (at + 1 < pools && points[at + 1].ms <= ms)
            at++;
        double found = space->sorted_ms[(size_t)rint(points[at].rank)];
        double random = random_ms(space, ms / space->mean_cost_ms);
        double room = random - space->sorted_ms[0];
        sum += room > 0 ? (random - found) / room : 0;
    }
    free(points);
    return sum / TIMES;
}

static void summarise(const simulation *run, simulated_result *result)
{
    const simulated_task *task = run->task;
    double *values = malloc(task->num_repeats * sizeof(*values)), error;
    for (size_t k = 0; k < 4; k++) {
        size_t at = checkpoints[k] < task->budget ? checkpoints[k] : task->budget;
        for (size_t r = 0; r < task->num_repeats; r++)
            values[r] = finite_ms(task->space, run->best_ms[r * task->budget + at - 1]);
        mean_and_error(values, task->num_repeats, &result->at[k], &result->at_error[k]);
    }
    for (size_t r = 0; r < task->num_repeats; r++)
        values[r] = absolute_error(task, run->best_ms + r * task->budget);
    mean_and_error(values, task->num_repeats, &result->mae, &result->mae_error);
    for (size_t r = 0; r < task->num_repeats; r++)
        values[r] = (double)run->to_close[r];
    mean_and_error(values, task->num_repeats, &result->to_close, &error);
    mean_and_error(run->step_ms, task->num_repeats, &result->step_ms, &error);
    result->score = task->until_close ? NAN : score(run);
    free(values);
}

bool simulate(const simulated_task *task, simulated_result *result)
{

    size_t repeats = task->num_repeats;
    simulation run = {task, calloc(repeats * task->budget, sizeof(double)),
                      calloc(repeats * task->budget, sizeof(double)),
                      calloc(repeats, sizeof(double)), calloc(repeats, sizeof(size_t))};
    for (size_t r = 0; r < repeats; r++)
        run.to_close[r] = task->budget + 1;
    bool done = nitro_parallel_run(0, repeats, search_once, &run) == NITRO_OK;
    if (done)
        summarise(&run, result);
    free(run.best_ms);
    free(run.spent_ms);
    free(run.step_ms);
    free(run.to_close);
    return done;
}

/* Expected best of `count` drawn without replacement, given that one of them is valid. */
static double expected_best(const simulated_space *space, size_t count)
{
    double size = (double)nitro_space_size(space->recording->space), none = 1, sum = 0;
    for (size_t i = 0; i < space->num_valid && none > 1e-15; i++) {
        double chance = fmin(1, (double)count / (size - (double)i));
        sum += space->sorted_ms[i] * none * chance;
        none *= 1 - chance;
    }
    return sum / (1 - none);
}

simulated_result simulate_random(const simulated_space *space)
{
    simulated_result result = {.mae = 0};
    uint64_t size = nitro_space_size(space->recording->space);
    size_t close = 0;
    for (size_t k = 0; k < 4; k++)
        result.at[k] = expected_best(space, checkpoints[k]);
    for (size_t e = 40; e <= 220; e += 20)
        result.mae +=
            (expected_best(space, e < size ? e : (size_t)size) - space->sorted_ms[0]) / 10;
    while (close < space->num_valid && space->sorted_ms[close] <= 1.1 * space->sorted_ms[0])
        close++;
    result.to_close = (double)(size + 1) / (double)(close + 1);
    return result;
}

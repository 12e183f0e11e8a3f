/* Bench "benefit": times of test inputs, prepared, run and decided. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/benefit.h"
#include "bench/benefit_rules.h"
#include "bench/peers/spmv_libraries.h"
#include "nitro/runtime/computation.h"

#define MIN_ROUNDS      5
#define BUDGET_MS       100 /* of each input */
#define SELECT_REPEATS  5
#define PREPARE_REPEATS 3
/* Over all inputs, so that the times of one are minutes apart: other tenants of the processor
 * disturb a machine for seconds, some variants more than others. The shortest times count. */
#define PASSES    2
#define TEST_SEED 2

const double benefit_uses[BENEFIT_NUM_USES] = {1, 10, 100};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

typedef struct call {
    const benefit_setting *s;
    void *argument;
    nitro_decision decision;
    bool failed; /* the last run */
} call;

/* A library's product. */
typedef struct library_call {
    nitro_spmv *spmv;
    void *matrix;
} library_call;

static void run_call(void *state)
{
    call *c = state;
    c->failed = nitro_run_decided(c->s->computation, c->argument, &c->decision) != NITRO_OK;
}

/* A generated input, or a file's. */
typedef struct test_input {
    const char *path; /* NULL: generated */
    size_t index;
    char name[80];
} test_input;

static nitro_status load(const benefit_setting *s, test_input *input, void **argument)
{
    if (!input->path)
        return s->module->generate(s->context, TEST_SEED, input->index, input->name,
                                   sizeof(input->name), argument);
    snprintf(input->name, sizeof(input->name), "%s", input->path);
    return s->module->load(s->context, input->path, argument);
}

/* The median of some calls on an argument of its own, since variants may share what they make.
 * Without a release only the first call makes anything. */
static nitro_status time_prepare(const benefit_setting *s, const nitro_variant *variant,
                                 test_input *input, double *median_ms)
{
    double times_ms[PREPARE_REPEATS] = {0};
    size_t count = 0;
    void *argument = NULL;
    nitro_status status = variant->prepare ? load(s, input, &argument) : NITRO_OK;
    while (argument && count < (variant->release ? PREPARE_REPEATS : 1)) {
        double begin = now_ms();
        variant->prepare(argument, variant->user);
        times_ms[count++] = now_ms() - begin;
        if (variant->release)
            variant->release(argument, variant->user);
    }
    if (argument)
        s->module->unload(argument);
    qsort(times_ms, count, sizeof(*times_ms), compare);
    *median_ms = times_ms[count / 2];
    return status;
}

/* Prepare all variants that the input allows, then run them in turns. */
static int measure_variants(const benefit_setting *s, test_input *input, void *argument,
                            benefit_input *to)
{
    call calls[NITRO_MAX_VARIANTS];
    bench_subject subjects[NITRO_MAX_VARIANTS];
    size_t variants[NITRO_MAX_VARIANTS], count = 0;
    for (size_t v = 0; v < s->num_variants; v++) {
        double prepare_ms;
        call *c = &calls[count];
        *c = (call){.s = s, .argument = argument};
        nitro_computation_force(s->computation, nitro_computation_variant_name(s->computation, v));
        if (nitro_prepare(s->computation, argument, &c->decision) != NITRO_OK ||
            c->decision.variant != v)
            continue;
        if (time_prepare(s, &s->computation->variants[v], input, &prepare_ms) != NITRO_OK)
            return benefit_fail(s, input->name);
        to->prepare_ms[v] = fmin(to->prepare_ms[v], prepare_ms);
        subjects[count] = (bench_subject){.run = run_call, .state = c};
        variants[count++] = v;
    }
    nitro_computation_force(s->computation, NULL);
    if (count == 0)
        return benefit_fail(s, "no variant runs an input");
    if (bench_measure(subjects, count, MIN_ROUNDS, BUDGET_MS) != 0)
        return 1;
    for (size_t i = 0; i < count; i++)
        to->run_ms[variants[i]] = fmin(to->run_ms[variants[i]], subjects[i].best_ms);
    for (size_t i = 0; i < count; i++)
        to->has_failed[variants[i]] = calls[i].failed;
    return 0;
}

static void run_library(void *state)
{
    const library_call *c = state;
    spmv_library_mkl_hints.multiply(c->matrix, c->spmv->x, c->spmv->y);
}

static int measure_library(const benefit_setting *s, void *argument, benefit_input *to)
{
    const spmv_library *library = &spmv_library_mkl_hints;
    library_call product = {.spmv = argument};
    bench_subject subject = {.run = run_library, .state = &product};
    if (strcmp(s->module->name, "spmv") != 0 || library->problem())
        return 0;
    double begin = now_ms();
    product.matrix = library->create(argument);
    double prepare_ms = now_ms() - begin;
    if (!product.matrix)
        return 0;
    int failed = bench_measure(&subject, 1, MIN_ROUNDS, BUDGET_MS / 4.0);
    to->library_prepare_ms = fmin(to->library_prepare_ms, prepare_ms);
    to->library_run_ms = fmin(to->library_run_ms, subject.best_ms);
    library->free(product.matrix);
    return failed;
}

/* Deciding, features included, for each number of uses. The memo is off. */
static int measure_selection(const benefit_setting *s, const void *argument, benefit_input *to)
{
    for (size_t u = 0; u < BENEFIT_NUM_USES; u++) {
        double times_ms[SELECT_REPEATS];
        nitro_decision decision;
        for (size_t i = 0; i < SELECT_REPEATS; i++) {
            double begin = now_ms();
            if (nitro_select_with(s->computation, argument,
                                  &(nitro_call_options){.uses = benefit_uses[u]},
                                  &decision) != NITRO_OK)
                return benefit_fail(s, "no decision");
            times_ms[i] = now_ms() - begin;
        }
        qsort(times_ms, SELECT_REPEATS, sizeof(*times_ms), compare);
        to->select_ms[u] = fmin(to->select_ms[u], times_ms[SELECT_REPEATS / 2]);
        to->chosen[u] = decision.variant;
        to->outside |= decision.reason == NITRO_REASON_OUTSIDE ||
                       decision.reason == NITRO_REASON_EXTRAPOLATED ||
                       decision.reason == NITRO_REASON_NEAREST;
    }
    return 0;
}

/* The variant of this name, or the default one if there is none or the input does not allow it. */
static size_t find_variant(const benefit_setting *s, const char *name, const benefit_input *input)
{
    for (size_t v = 0; v < s->num_variants && name; v++)
        if (strcmp(nitro_computation_variant_name(s->computation, v), name) == 0)
            return isfinite(input->run_ms[v]) ? v : input->usual;
    return input->usual;
}

/* A failed run costs its time and that of the usual variant, or of the fastest one where that fails
 * too. */
static void add_stand_in(const benefit_setting *s, benefit_input *input)
{
    double fastest = INFINITY;
    for (size_t v = 0; v < s->num_variants; v++)
        if (!input->has_failed[v])
            fastest = fmin(fastest, input->run_ms[v]);
    double stand_in = input->has_failed[input->usual] ? fastest : input->run_ms[input->usual];
    for (size_t v = 0; v < s->num_variants; v++)
        if (input->has_failed[v] && isfinite(stand_in))
            input->run_ms[v] += stand_in;
}

static void begin_input(benefit_input *input)
{
    for (size_t v = 0; v < NITRO_MAX_VARIANTS; v++)
        input->run_ms[v] = input->prepare_ms[v] = INFINITY;
    for (size_t u = 0; u < BENEFIT_NUM_USES; u++)
        input->select_ms[u] = INFINITY;
    input->library_run_ms = input->library_prepare_ms = NAN; /* fmin takes the other number */
}

static int measure_loaded(const benefit_setting *s, test_input *from, void *argument,
                          benefit_input *input)
{
    nitro_decision decision;
    snprintf(input->name, sizeof(input->name), "%s", from->name);
    if (measure_variants(s, from, argument, input) != 0 ||
        measure_selection(s, argument, input) != 0 || measure_library(s, argument, input) != 0)
        return 1;
    if (nitro_select(s->plain, argument, &decision) != NITRO_OK)
        return benefit_fail(s, "no default variant");
    input->usual = decision.variant;
    input->by_rule = find_variant(s, benefit_rule(s->module->name, argument), input);
    return 0;
}

/* Matrices for spmv; the other computations have no files. */
static void find_files(const benefit_setting *s, glob_t *files)
{
    char pattern[4096];
    const char *folder = getenv("NITRO_BENCH_MATRICES");
    *files = (glob_t){0};
    if (strcmp(s->module->name, "spmv") != 0)
        return;
    snprintf(pattern, sizeof(pattern), "%s/*.mtx", folder ? folder : BENCH_MATRICES);
    if (glob(pattern, 0, NULL, files) != 0)
        fprintf(stderr, "nitro-bench: SKIPPED: real matrices: there is no file %s\n", pattern);
}

static int measure_input(const benefit_setting *s, test_input *from, benefit_input *input)
{
    void *argument = NULL;
    if (load(s, from, &argument) != NITRO_OK)
        return benefit_fail(s, "a test input");
    int failed = measure_loaded(s, from, argument, input);
    s->module->unload(argument);
    return failed;
}

int benefit_measure(benefit_setting *s, size_t num_generated)
{
    glob_t files;
    const char *test_mb = getenv("NITRO_BENCH_TEST_MB");
    find_files(s, &files);
    size_t count = num_generated + files.gl_pathc;
    s->inputs = calloc(count, sizeof(*s->inputs));
    int failed = s->inputs ? 0 : bench_fail("benefit: out of memory");
    if (test_mb &&
        nitro_context_set(s->context, s->module->name, "generate_mb", test_mb) != NITRO_OK)
        failed = benefit_fail(s, "NITRO_BENCH_TEST_MB");
    for (size_t i = 0; i < count && !failed; i++)
        begin_input(&s->inputs[i]);
    for (size_t i = 0; i < PASSES * count && !failed; i++) {
        size_t at = i % count;
        test_input input = {.path = at < num_generated ? NULL : files.gl_pathv[at - num_generated],
                            .index = at};
        fprintf(stderr, "\r%s: test input %zu of %zu, pass %zu of %d ", s->module->name, at + 1,
                count, i / count + 1, PASSES);
        failed = measure_input(s, &input, &s->inputs[at]);
    }
    for (size_t i = 0; i < count && !failed; i++)
        add_stand_in(s, &s->inputs[i]);
    s->num_inputs = failed ? 0 : count;
    fputc('\n', stderr);
    globfree(&files);
    return failed;
}

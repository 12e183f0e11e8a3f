/*
 * Bench "benefit": what a program gains by Nitro. Each built-in host computation is tuned on
 * generated inputs and a model is learnt; then other inputs are solved 1, 10 and 100 times each,
 * and the total time of several ways to choose a variant is compared with the oracle's, which knows
 * all times and pays for nothing but preparing and running. Everything is counted: evaluating
 * features and deciding (`auto` only), preparing the chosen format, and all runs.
 *
 *   default     the first declared variant
 *   best fixed  the variant with the smallest total on these very inputs
 *   rule        what a programmer would write by hand (benefit_rules.c); its features are free
 *   MKL         oneMKL with hints (spmv only, where it is installed: see bench "spmv")
 *   auto        Nitro, told the number of uses
 *
 * `quality` is the mean over inputs of 100 x best run time over that of the variant that auto
 * chooses for many uses; the reference is that of the best fixed variant.
 *
 * NITRO_BENCH_COMPUTATION names the only one to measure, or is the path of a shared object, with a
 * '/', whose first computation is measured. NITRO_BENCH_TRAIN and NITRO_BENCH_TEST set the numbers
 * of inputs (100 and 50); the Matrix Market files of the folder NITRO_BENCH_MATRICES are added to
 * the test inputs of spmv. NITRO_BENCH_STORES is a folder that keeps the training samples,
 * COMPUTATION.db each, and where a later run finds them. OMP_NUM_THREADS sets the number of
 * threads.
 */
#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/benefit_rules.h"
#include "bench/spmv_libraries.h"
#include "nitro/nitro_backend.h"
#include "nitro/runtime/computation.h"

#define MIN_ROUNDS      5
#define BUDGET_MS       100 /* of each input */
#define SELECT_REPEATS  5
#define PREPARE_REPEATS 3
#define TRAINING_SEED   1
#define TEST_SEED       2

static const double uses[] = {1, 10, 100};
enum { NUM_USES = sizeof(uses) / sizeof(uses[0]), MAX_NAME = 512 };

/* All that was measured of one test input. */
typedef struct measured {
    char name[80];
    bool outside;                      /* of the training range */
    double run_ms[NITRO_MAX_VARIANTS]; /* infinite: not allowed */
    double prepare_ms[NITRO_MAX_VARIANTS];
    size_t usual, by_rule;   /* the default variant, and the rule's */
    size_t chosen[NUM_USES]; /* by auto */
    double select_ms[NUM_USES];
    double library_run_ms, library_prepare_ms; /* NaN: not measured */
} measured;

typedef struct setting {
    nitro_context *context;
    const nitro_module *module;
    nitro_computation *computation;
    nitro_computation *plain; /* without a model */
    size_t num_variants;
    measured *inputs;
    size_t num_inputs;
    char folder[256];
} setting;

static int fail(const setting *s, const char *what)
{
    char why[1024];
    nitro_context_last_error(s->context, why, sizeof(why));
    return bench_fail("benefit: %s: %s: %s", s->module->name, what, why);
}

static size_t number_from(const char *variable, size_t usual)
{
    const char *text = getenv(variable);
    return text ? (size_t)strtoul(text, NULL, 10) : usual;
}

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

/* ---- Tune and learn, in processes of their own: before this one starts OpenMP's threads ---- */

typedef struct training_input {
    const nitro_module *module;
    size_t index;
    char name[MAX_NAME];
} training_input;

static nitro_status load_training_input(nitro_context *context, void *state, void **argument)
{
    const training_input *input = state;
    char name[MAX_NAME];
    return input->module->generate(context, TRAINING_SEED, input->index, name, sizeof(name),
                                   argument);
}

static bool show_progress(void *user, const nitro_tune_progress *progress)
{
    const setting *s = user;
    fprintf(stderr, "\r%s: %zu of %zu training inputs, %.0f s ", s->module->name, progress->done,
            progress->total, progress->elapsed_ms / 1e3);
    return true;
}

static nitro_status tune(setting *s, nitro_store *store, size_t count)
{
    nitro_tune_options options;
    nitro_tune_options_init(&options);
    options.progress = show_progress;
    options.progress_user = s;
    training_input *own = calloc(count, sizeof(*own));
    nitro_input *inputs = calloc(count, sizeof(*inputs));
    nitro_status status = own && inputs ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        own[i] = (training_input){.module = s->module, .index = i};
        inputs[i] = (nitro_input){own[i].name, load_training_input, s->module->unload, &own[i]};
        status = s->module->generate(s->context, TRAINING_SEED, i, own[i].name, sizeof(own[i].name),
                                     NULL);
    }
    if (status == NITRO_OK)
        status = nitro_tune(s->computation, store, "host", inputs, count, &options);
    fputc('\n', stderr);
    free(own);
    free(inputs);
    return status;
}

static nitro_status learn(setting *s, size_t num_inputs)
{
    char url[512];
    nitro_store *store = NULL;
    nitro_model *model = NULL;
    nitro_learn_options options;
    nitro_learn_options_init(&options);
    snprintf(url, sizeof(url), "sqlite:%s/%s.db", s->folder, s->module->name);
    nitro_status status = nitro_store_open(s->context, url, NITRO_STORE_WRITE, &store);
    if (status == NITRO_OK)
        status = tune(s, store, num_inputs);
    if (status == NITRO_OK)
        status = nitro_learn_own(s->context, store, s->module->name, "host", &options, &model);
    if (status == NITRO_OK)
        status = nitro_computation_attach_model(s->computation, model);
    if (status != NITRO_OK)
        nitro_model_free(model);
    nitro_store_close(store);
    return status;
}

/* ---- Measure test inputs ---- */

typedef struct call {
    const setting *s;
    void *argument;
    nitro_decision decision;
} call;

/* A library's product. */
typedef struct library_call {
    nitro_spmv *spmv;
    void *matrix;
} library_call;

static void run_call(void *state)
{
    const call *c = state;
    nitro_run_decided(c->s->computation, c->argument, &c->decision);
}

/* The median of some calls, without the constraints' features; the last one is kept. Without a
 * release only the first call, which took `first_ms`, makes anything. */
static double time_prepare(const setting *s, size_t v, void *argument, double first_ms)
{
    const nitro_variant *variant = &s->computation->variants[v];
    double times_ms[PREPARE_REPEATS];
    size_t count = 0;
    if (!variant->prepare || !variant->release)
        return variant->prepare ? first_ms : 0;
    while (count < PREPARE_REPEATS) {
        variant->release(argument, variant->user);
        double begin = now_ms();
        variant->prepare(argument, variant->user);
        times_ms[count++] = now_ms() - begin;
    }
    qsort(times_ms, count, sizeof(*times_ms), compare);
    return times_ms[count / 2];
}

/* Prepare all variants that the input allows, then run them in turns. */
static int measure_variants(const setting *s, void *argument, measured *to)
{
    call calls[NITRO_MAX_VARIANTS];
    bench_subject subjects[NITRO_MAX_VARIANTS];
    size_t variants[NITRO_MAX_VARIANTS], count = 0;
    for (size_t v = 0; v < s->num_variants; v++) {
        call *c = &calls[count];
        *c = (call){.s = s, .argument = argument};
        to->run_ms[v] = INFINITY;
        nitro_computation_force(s->computation, nitro_computation_variant_name(s->computation, v));
        double begin = now_ms();
        nitro_status status = nitro_prepare(s->computation, argument, &c->decision);
        double first_ms = now_ms() - begin;
        if (status != NITRO_OK || c->decision.variant != v)
            continue;
        to->prepare_ms[v] = time_prepare(s, v, argument, first_ms);
        subjects[count] = (bench_subject){.run = run_call, .state = c};
        variants[count++] = v;
    }
    nitro_computation_force(s->computation, NULL);
    if (count == 0)
        return fail(s, "no variant runs an input");
    if (bench_measure(subjects, count, MIN_ROUNDS, BUDGET_MS) != 0)
        return 1;
    for (size_t i = 0; i < count; i++)
        to->run_ms[variants[i]] = subjects[i].median_ms;
    return 0;
}

static void run_library(void *state)
{
    const library_call *c = state;
    spmv_library_mkl_hints.multiply(c->matrix, c->spmv->x, c->spmv->y);
}

static int measure_library(const setting *s, void *argument, measured *to)
{
    const spmv_library *library = &spmv_library_mkl_hints;
    library_call product = {.spmv = argument};
    bench_subject subject = {.run = run_library, .state = &product};
    to->library_run_ms = to->library_prepare_ms = NAN;
    if (strcmp(s->module->name, "spmv") != 0 || library->problem())
        return 0;
    double begin = now_ms();
    product.matrix = library->create(argument);
    to->library_prepare_ms = now_ms() - begin;
    if (!product.matrix)
        return 0;
    int failed = bench_measure(&subject, 1, MIN_ROUNDS, BUDGET_MS / 4.0);
    to->library_run_ms = subject.median_ms;
    library->free(product.matrix);
    return failed;
}

/* Deciding, features included, for each number of uses. The memo is off. */
static int measure_selection(const setting *s, const void *argument, measured *to)
{
    for (size_t u = 0; u < NUM_USES; u++) {
        double times_ms[SELECT_REPEATS];
        nitro_decision decision;
        for (size_t i = 0; i < SELECT_REPEATS; i++) {
            double begin = now_ms();
            if (nitro_select_with(s->computation, argument, &(nitro_call_options){.uses = uses[u]},
                                  &decision) != NITRO_OK)
                return fail(s, "no decision");
            times_ms[i] = now_ms() - begin;
        }
        qsort(times_ms, SELECT_REPEATS, sizeof(*times_ms), compare);
        to->select_ms[u] = times_ms[SELECT_REPEATS / 2];
        to->chosen[u] = decision.variant;
        to->outside |= decision.reason == NITRO_REASON_OUTSIDE ||
                       decision.reason == NITRO_REASON_EXTRAPOLATED ||
                       decision.reason == NITRO_REASON_NEAREST;
    }
    return 0;
}

/* The variant of this name, or the default one if there is none or the input does not allow it. */
static size_t find_variant(const setting *s, const char *name, const measured *input)
{
    for (size_t v = 0; v < s->num_variants && name; v++)
        if (strcmp(nitro_computation_variant_name(s->computation, v), name) == 0)
            return isfinite(input->run_ms[v]) ? v : input->usual;
    return input->usual;
}

static int measure_input(setting *s, const char *name, void *argument)
{
    measured *input = &s->inputs[s->num_inputs++];
    snprintf(input->name, sizeof(input->name), "%s", name);
    nitro_decision decision;
    if (measure_variants(s, argument, input) != 0 || measure_selection(s, argument, input) != 0 ||
        measure_library(s, argument, input) != 0)
        return 1;
    if (nitro_select(s->plain, argument, &decision) != NITRO_OK)
        return fail(s, "no default variant");
    input->usual = decision.variant;
    input->by_rule = find_variant(s, benefit_rule(s->module->name, argument), input);
    return 0;
}

static int measure_generated(setting *s, size_t count)
{
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        char name[MAX_NAME];
        void *argument = NULL;
        if (s->module->generate(s->context, TEST_SEED, i, name, sizeof(name), &argument) !=
            NITRO_OK)
            return fail(s, "a test input");
        fprintf(stderr, "\r%s: test input %zu of %zu ", s->module->name, i + 1, count);
        failed = measure_input(s, name, argument);
        s->module->unload(argument);
    }
    fputc('\n', stderr);
    return failed;
}

/* The files of a folder. */
static int measure_files(setting *s, const glob_t *files)
{
    int failed = 0;
    for (size_t i = 0; i < files->gl_pathc && !failed; i++) {
        void *argument = NULL;
        if (s->module->load(s->context, files->gl_pathv[i], &argument) != NITRO_OK)
            return fail(s, files->gl_pathv[i]);
        failed = measure_input(s, files->gl_pathv[i], argument);
        s->module->unload(argument);
    }
    return failed;
}

/* ---- Totals ---- */

/* Some of the test inputs. */
typedef enum group { IN_RANGE, OUTSIDE, ALL, NUM_GROUPS } group;
static const char *const group_names[] = {"in range", "outside", "all"};

static bool contains(group in, const measured *input)
{
    return in == ALL || input->outside == (in == OUTSIDE);
}

static size_t count_inputs(const setting *s, group in)
{
    size_t count = 0;
    for (size_t i = 0; i < s->num_inputs; i++)
        count += contains(in, &s->inputs[i]);
    return count;
}

static double cost_ms(const measured *input, size_t variant, double num_uses)
{
    return input->prepare_ms[variant] + num_uses * input->run_ms[variant];
}

/* Total times of one group and number of uses. */
typedef struct totals {
    double oracle, usual, by_rule, library, chosen;
    double fixed[NITRO_MAX_VARIANTS];
} totals;

static void add_input(const setting *s, const measured *input, size_t u, totals *sum)
{
    double best = INFINITY;
    for (size_t v = 0; v < s->num_variants; v++) {
        size_t used = isfinite(input->run_ms[v]) ? v : input->usual;
        best = fmin(best, cost_ms(input, used, uses[u]));
        sum->fixed[v] += cost_ms(input, used, uses[u]);
    }
    sum->oracle += best;
    sum->usual += cost_ms(input, input->usual, uses[u]);
    sum->by_rule += cost_ms(input, input->by_rule, uses[u]);
    sum->library += input->library_prepare_ms + uses[u] * input->library_run_ms;
    sum->chosen += input->select_ms[u] + cost_ms(input, input->chosen[u], uses[u]);
}

static void report_group(bench_report *report, const setting *s, group in, size_t u)
{
    totals sum = {0};
    size_t best = 0;
    char name[160];
    for (size_t i = 0; i < s->num_inputs; i++)
        if (contains(in, &s->inputs[i]))
            add_input(s, &s->inputs[i], u, &sum);
    for (size_t v = 1; v < s->num_variants; v++)
        best = sum.fixed[v] < sum.fixed[best] ? v : best;
    const char *fixed = nitro_computation_variant_name(s->computation, best);
    const struct {
        const char *name;
        double total_ms;
    } rows[] = {{"default", sum.usual},
                {fixed, sum.fixed[best]},
                {"rule", sum.by_rule},
                {"MKL with hints", sum.library},
                {"auto", sum.chosen}};
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        if (isnan(rows[r].total_ms))
            continue;
        snprintf(name, sizeof(name), "%s/%s (%zu)/%g uses/%s%s", s->module->name, group_names[in],
                 count_inputs(s, in), uses[u], r == 1 ? "best fixed: " : "", rows[r].name);
        bench_add(report, name, rows[r].total_ms, sum.oracle, "ms", 0);
    }
}

static size_t best_variant(const setting *s, const measured *input)
{
    size_t best = 0;
    for (size_t v = 1; v < s->num_variants; v++)
        best = input->run_ms[v] < input->run_ms[best] ? v : best;
    return best;
}

static void report_quality(bench_report *report, const setting *s, group in)
{
    double sum = 0, best_fixed = 0, fixed[NITRO_MAX_VARIANTS] = {0};
    double count = (double)count_inputs(s, in);
    char name[160];
    for (size_t i = 0; i < s->num_inputs; i++) {
        const measured *input = &s->inputs[i];
        double best = input->run_ms[best_variant(s, input)];
        if (!contains(in, input))
            continue;
        sum += 100 * best / input->run_ms[input->chosen[NUM_USES - 1]];
        for (size_t v = 0; v < s->num_variants; v++) {
            size_t used = isfinite(input->run_ms[v]) ? v : input->usual;
            fixed[v] += 100 * best / input->run_ms[used];
            best_fixed = fmax(best_fixed, fixed[v]);
        }
    }
    snprintf(name, sizeof(name), "%s/%s (%g)/quality", s->module->name, group_names[in], count);
    bench_add(report, name, sum / count, best_fixed / count, "%", 0);
}

/* What the choice for many uses loses. */
static double lost_ms(const setting *s, const measured *input)
{
    return input->run_ms[input->chosen[NUM_USES - 1]] - input->run_ms[best_variant(s, input)];
}

static void list_worst(const setting *s, size_t count)
{
    bool is_listed[s->num_inputs];
    memset(is_listed, 0, sizeof(is_listed));
    for (size_t n = 0; n < count && n < s->num_inputs; n++) {
        size_t worst = s->num_inputs;
        for (size_t i = 0; i < s->num_inputs; i++)
            if (!is_listed[i] && (worst == s->num_inputs ||
                                  lost_ms(s, &s->inputs[i]) > lost_ms(s, &s->inputs[worst])))
                worst = i;
        const measured *input = &s->inputs[worst];
        size_t best = best_variant(s, input), chosen = input->chosen[NUM_USES - 1];
        is_listed[worst] = true;
        fprintf(stderr, "%s: %s takes %.4g ms, %s %.4g ms\n", input->name,
                nitro_computation_variant_name(s->computation, chosen), input->run_ms[chosen],
                nitro_computation_variant_name(s->computation, best), input->run_ms[best]);
    }
}

static void report_computation(bench_report *report, const setting *s)
{
    list_worst(s, number_from("NITRO_BENCH_WORST", 0));
    for (group in = 0; in < NUM_GROUPS; in++) {
        size_t count = count_inputs(s, in);
        if (count == 0 || (in == ALL && count == count_inputs(s, IN_RANGE)))
            continue;
        for (size_t u = 0; u < NUM_USES; u++)
            report_group(report, s, in, u);
        report_quality(report, s, in);
    }
}

/* ---- All computations ---- */

static int begin(setting *s, const char *folder, const nitro_module *module)
{
    const char *kept = getenv("NITRO_BENCH_STORES");
    *s = (setting){.module = module};
    snprintf(s->folder, sizeof(s->folder), "%s", kept ? kept : folder);
    if (nitro_context_create(&s->context) != NITRO_OK)
        return bench_fail("benefit: out of memory");
    if (module->create(s->context, &s->computation) != NITRO_OK ||
        module->create(s->context, &s->plain) != NITRO_OK)
        return fail(s, "no computation");
    s->num_variants = nitro_computation_num_variants(s->computation);
    nitro_computation_set_memo_size(s->computation, 0);
    return learn(s, number_from("NITRO_BENCH_TRAIN", 100)) == NITRO_OK ? 0 : fail(s, "no model");
}

/* Matrices for spmv; the other computations have no files. */
static void find_files(const setting *s, glob_t *files)
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

static int measure(setting *s)
{
    size_t count = number_from("NITRO_BENCH_TEST", 50);
    glob_t files;
    find_files(s, &files);
    s->inputs = calloc(count + files.gl_pathc, sizeof(*s->inputs));
    int failed = s->inputs ? 0 : bench_fail("benefit: out of memory");
    if (!failed)
        failed = measure_generated(s, count);
    if (!failed)
        failed = measure_files(s, &files);
    globfree(&files);
    return failed;
}

static void end(setting *s)
{
    nitro_computation_free(s->computation);
    nitro_computation_free(s->plain);
    nitro_context_free(s->context);
    free(s->inputs);
}

static bool is_covered(const nitro_module *module)
{
    const char *only = getenv("NITRO_BENCH_COMPUTATION");
    return (!only || strchr(only, '/') || strcmp(only, module->name) == 0) && module->generate &&
           (!module->device_kind || strcmp(module->device_kind, "host") == 0);
}

/* The built-in modules, or that of a shared object, which stays open. NULL: it cannot be loaded. */
static const nitro_module *const *find_modules(void)
{
    static const nitro_module *loaded[2];
    const char *path = getenv("NITRO_BENCH_COMPUTATION");
    if (!path || !strchr(path, '/'))
        return nitro_builtin_modules();
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    nitro_module_get_function get = NULL;
    if (handle)
        *(void **)&get = dlsym(handle, "nitro_module_get");
    if (!get) {
        bench_fail("benefit: %s", dlerror());
        return NULL;
    }
    loaded[0] = get();
    return loaded;
}

static int run_all(bench_report *report, const char *folder)
{
    enum { MAX_MODULES = 16 };
    setting settings[MAX_MODULES];
    size_t count = 0;
    const nitro_module *const *modules = find_modules();
    int failed = !modules;
    for (size_t m = 0; !failed && modules[m] && count < MAX_MODULES; m++)
        if (is_covered(modules[m]))
            failed = begin(&settings[count++], folder, modules[m]);
    for (size_t i = 0; i < count && !failed; i++)
        failed = measure(&settings[i]);
    for (size_t i = 0; i < count; i++) {
        if (!failed)
            report_computation(report, &settings[i]);
        end(&settings[i]);
    }
    return failed;
}

static int run(bench_report *report)
{
    char folder[] = "/tmp/nitro-bench-XXXXXX", command[64];
    if (!mkdtemp(folder))
        return bench_fail("benefit: no temporary folder");
    int failed = run_all(report, folder);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    if (system(command) != 0)
        bench_fail("benefit: %s is left behind", folder);
    return failed;
}

const bench bench_benefit = {
    .name = "benefit",
    .description = "total time of default, best fixed variant, hand-written rule and auto, "
                   "features and preparing included, over the oracle's",
    .run = run,
};

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
 *   auto        Nitro, told the number of uses; how much of it is features and deciding, apart
 *
 * `quality` is the mean over inputs of 100 x best run time over that of the variant that auto
 * chooses for many uses; the reference is that of the best fixed variant.
 *
 * NITRO_BENCH_COMPUTATION names the only one to measure, or is the path of a shared object, with a
 * '/', whose first computation is measured. NITRO_BENCH_TRAIN and NITRO_BENCH_TEST set the numbers
 * of inputs (100 and 50), NITRO_BENCH_TEST_MB the size of the largest generated test input where it
 * is not that of the training inputs; the Matrix Market files of the folder NITRO_BENCH_MATRICES
 * are added to the test inputs of spmv. NITRO_BENCH_STORES is a folder that keeps the training
 * samples, COMPUTATION.db each, and where a later run finds them. NITRO_BENCH_WORST is how many of
 * the inputs whose choices lose most are listed on stderr, for each number of uses. OMP_NUM_THREADS
 * sets the number of threads.
 */
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/benefit.h"

#define TRAINING_SEED 1

enum { MAX_NAME = 512 };

int benefit_fail(const benefit_setting *s, const char *what)
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
    const benefit_setting *s = user;
    fprintf(stderr, "\r%s: %zu of %zu training inputs, %.0f s ", s->module->name, progress->done,
            progress->total, progress->elapsed_ms / 1e3);
    return true;
}

static nitro_status tune(benefit_setting *s, nitro_store *store, size_t count)
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

static nitro_status learn(benefit_setting *s, size_t num_inputs)
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

/* ---- All computations ---- */

static int begin(benefit_setting *s, const char *folder, const nitro_module *module)
{
    const char *kept = getenv("NITRO_BENCH_STORES");
    *s = (benefit_setting){.module = module};
    snprintf(s->folder, sizeof(s->folder), "%s", kept ? kept : folder);
    if (nitro_context_create(&s->context) != NITRO_OK)
        return bench_fail("benefit: out of memory");
    if (module->create(s->context, &s->computation) != NITRO_OK ||
        module->create(s->context, &s->plain) != NITRO_OK)
        return benefit_fail(s, "no computation");
    s->num_variants = nitro_computation_num_variants(s->computation);
    nitro_computation_set_memo_size(s->computation, 0);
    return learn(s, number_from("NITRO_BENCH_TRAIN", 100)) == NITRO_OK
               ? 0
               : benefit_fail(s, "no model");
}

static void end(benefit_setting *s)
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
    benefit_setting settings[MAX_MODULES];
    size_t count = 0;
    const nitro_module *const *modules = find_modules();
    int failed = !modules;
    for (size_t m = 0; !failed && modules[m] && count < MAX_MODULES; m++)
        if (is_covered(modules[m]))
            failed = begin(&settings[count++], folder, modules[m]);
    for (size_t i = 0; i < count && !failed; i++)
        failed = benefit_measure(&settings[i], number_from("NITRO_BENCH_TEST", 50));
    for (size_t i = 0; i < count; i++) {
        if (!failed)
            benefit_add(report, &settings[i], number_from("NITRO_BENCH_WORST", 0));
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

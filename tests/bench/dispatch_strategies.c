/* Bench "dispatch": decisions by each strategy beside those by auto, and by exported C files beside
 * those by the library. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/dispatch_strategies.h"
#include "nitro/runtime/computation.h"
#include "nitro/runtime/model/model.h"

enum { BATCH = 64, MIN_ROUNDS = 101, BUDGET_MS = 500 };

typedef struct decider {
    nitro_computation *computation;
    const double (*inputs)[DISPATCH_FEATURES];
    size_t next, sum;
} decider;

static void select_batch(void *state)
{
    decider *d = state;
    nitro_decision decision = {0};
    for (size_t i = 0; i < BATCH; i++) {
        nitro_select(d->computation, d->inputs[d->next++ % DISPATCH_INPUTS], &decision);
        d->sum += decision.variant;
    }
}

/** A computation with a model of 400 inputs, without a memo. */
static int make_decider(nitro_context *context, const char *strategy,
                        const double (*inputs)[DISPATCH_FEATURES], const nitro_model **attached,
                        decider *made)
{
    nitro_model *model = NULL;
    *made = (decider){.inputs = inputs};
    if (dispatch_declare(context, &made->computation) != NITRO_OK ||
        dispatch_train(context, strategy, 400, false, &model) != NITRO_OK ||
        nitro_computation_attach_model(made->computation, model) != NITRO_OK ||
        nitro_computation_set_memo_size(made->computation, 0) != NITRO_OK)
        return bench_fail("cannot make a model of %s", strategy);
    *attached = model;
    return 0;
}

static void add(bench_report *report, const char *name, const bench_subject *subjects)
{
    bench_add(report, name, subjects[0].median_ms * 1e6 / BATCH,
              subjects[1].median_ms * 1e6 / BATCH, "ns", subjects[0].spread);
}

/** A decision by `strategy` beside one by auto. */
static int measure_strategy(bench_report *report, nitro_context *context, const char *strategy,
                            const double (*inputs)[DISPATCH_FEATURES])
{
    decider own, automatic;
    const nitro_model *model;
    char name[96];
    if (make_decider(context, strategy, inputs, &model, &own) ||
        make_decider(context, "auto", inputs, &model, &automatic))
        return 1;
    bench_subject subjects[] = {{.run = select_batch, .state = &own},
                                {.run = select_batch, .state = &automatic}};
    int failed = bench_measure(subjects, 2, MIN_ROUNDS, BUDGET_MS);
    snprintf(name, sizeof name, "%s: nitro_select; auto", strategy);
    add(report, name, subjects);
    nitro_computation_free(own.computation);
    nitro_computation_free(automatic.computation);
    return failed;
}

typedef struct exported {
    void *library;
    int (*select)(const double *features);
    const double (*inputs)[DISPATCH_FEATURES];
    size_t next, sum;
} exported;

static void exported_batch(void *state)
{
    exported *e = state;
    for (size_t i = 0; i < BATCH; i++)
        e->sum += (size_t)e->select(e->inputs[e->next++ % DISPATCH_INPUTS]);
}

/** Export a model and compile it with `cc -O2`. */
static int make_exported(const nitro_model *model, exported *made)
{
    char folder[] = "/tmp/nitro-bench-XXXXXX", path[64], command[256];
    if (!mkdtemp(folder))
        return bench_fail("cannot make a folder in /tmp");
    snprintf(path, sizeof path, "%s/model.c", folder);
    snprintf(command, sizeof command, "cd %s && ${CC:-cc} -O2 -std=c11 -shared -fPIC %s", folder,
             "model.c -lm -o model.so");
    bool is_compiled =
        nitro_model_export(model, NITRO_EXPORT_C, path) == NITRO_OK && system(command) == 0;
    snprintf(path, sizeof path, "%s/model.so", folder);
    made->library = is_compiled ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (made->library)
        *(void **)&made->select = dlsym(made->library, "nitro_dispatch_select");
    unlink(path);
    snprintf(path, sizeof path, "%s/model.c", folder);
    unlink(path);
    rmdir(folder);
    return made->select ? 0 : bench_fail("cannot compile an exported model with ${CC:-cc}");
}

static int measure_exported(bench_report *report, nitro_context *context, const char *strategy,
                            const double (*inputs)[DISPATCH_FEATURES])
{
    decider library;
    const nitro_model *model;
    char name[96];
    exported file = {.inputs = inputs};
    if (make_decider(context, strategy, inputs, &model, &library))
        return 1;
    bench_subject subjects[] = {{.run = exported_batch, .state = &file},
                                {.run = select_batch, .state = &library}};
    int failed = make_exported(model, &file) || bench_measure(subjects, 2, MIN_ROUNDS, BUDGET_MS);
    snprintf(name, sizeof name, "%s: exported C by cc -O2; nitro_select", strategy);
    add(report, name, subjects);
    if (file.library)
        dlclose(file.library);
    nitro_computation_free(library.computation);
    return failed;
}

int bench_dispatch_strategies(bench_report *report, nitro_context *context,
                              const double (*inputs)[DISPATCH_FEATURES])
{
    static const char *const strategies[] = {"auto",    "kernel-ridge", "forest",
                                             "boosted", "tree",         "svm"};
    int failed = 0;
    for (size_t i = 1; !failed && i < sizeof strategies / sizeof strategies[0]; i++)
        failed = measure_strategy(report, context, strategies[i], inputs);
    for (size_t i = 0; !failed && i < sizeof strategies / sizeof strategies[0]; i++)
        failed = measure_exported(report, context, strategies[i], inputs);
    return failed;
}

/*
 * Bench "dispatch": the cost of a decision, compared with alternatives. A synthetic computation
 * like recorded SpMV (14 input features, 5 relative ones, 5 variants, four sources of equal
 * inputs). Every number is the median of many batches, measured in turns with its reference; spread
 * is half the interquartile range over the median.
 */
#include <libsvm/svm.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/dispatch_model.h"
#include "bench/dispatch_strategies.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/runtime/compiled/compiled.h"
#include "nitro/runtime/model/model.h"

#define NUM_INPUTS DISPATCH_INPUTS
#define BATCH      64
#define MIN_ROUNDS 101
#define BUDGET_MS  500

typedef struct decider {
    nitro_computation *computation;
    const nitro_model *model;
    size_t next;
    double (*inputs)[DISPATCH_FEATURES];
    size_t num_distinct;
    size_t sum; /* of what was decided, so that it is */
} decider;

static void select_batch(void *state)
{
    decider *d = state;
    nitro_decision decision = {0};
    for (size_t i = 0; i < BATCH; i++) {
        nitro_select(d->computation, d->inputs[d->next++ % d->num_distinct], &decision);
        d->sum += decision.variant;
    }
}

/* Only the features' function: what nitro_select cannot do without. */
static void evaluate_batch(void *state)
{
    decider *d = state;
    for (size_t i = 0; i < BATCH; i++) {
        double values[DISPATCH_FEATURES];
        memcpy(values, d->inputs[d->next++ % d->num_distinct], sizeof values);
        __asm__ volatile("" ::"r"(values) : "memory");
    }
}

/* What libraries write by hand. */
static void switch_batch(void *state)
{
    decider *d = state;
    for (size_t i = 0; i < BATCH; i++) {
        const double *f = d->inputs[d->next++ % d->num_distinct];
        size_t variant = 1;
        if (f[0] < 1e4)
            variant = f[7] > 3.0 * f[8] ? 0 : 1;
        else if (f[13] < 1.5)
            variant = 2;
        else if (f[11] < 0.5)
            variant = 4;
        else if (f[2] > 1e6)
            variant = 3;
        __asm__ volatile("" : "+r"(variant));
        d->sum += variant;
    }
}

static void score_batch(void *state)
{
    decider *d = state;
    nitro_decision decision;
    for (size_t i = 0; i < BATCH / 8; i++) {
        nitro_model_decide(d->model, d->inputs[d->next++ % d->num_distinct], 31, 0.0, &decision);
        d->sum += decision.variant;
    }
}

static double ns_each(const bench_subject *subject, size_t count)
{
    return subject->median_ms * 1e6 / (double)count;
}

static double (*make_inputs(void))[DISPATCH_FEATURES]
{
    double(*inputs)[DISPATCH_FEATURES] = calloc(NUM_INPUTS, sizeof *inputs);
    for (size_t i = 0; inputs && i < NUM_INPUTS; i++)
        dispatch_features(100000 + i, inputs[i]);
    return inputs;
}

/* ---- Decisions ---- */

static int measure_decisions(bench_report *report, nitro_context *context, const char *strategy,
                             double (*inputs)[DISPATCH_FEATURES])
{
    nitro_computation *computation = NULL;
    nitro_model *model = NULL, *plain = NULL;
    char name[96];
    if (dispatch_declare(context, &computation) != NITRO_OK ||
        dispatch_train(context, strategy, 400, false, &model) != NITRO_OK ||
        dispatch_train(context, strategy, 400, false, &plain) != NITRO_OK ||
        nitro_computation_attach_model(computation, model) != NITRO_OK ||
        nitro_computation_set_memo_size(computation, 0) != NITRO_OK)
        return bench_fail("cannot make a model of %s", strategy);
    decider compiled = {computation, model, 0, inputs, NUM_INPUTS, 0}, uncompiled = compiled;
    uncompiled.model = plain;
    bench_subject subjects[] = {{.run = select_batch, .state = &compiled},
                                {.run = score_batch, .state = &uncompiled}};
    int failed = bench_measure(subjects, 2, MIN_ROUNDS, BUDGET_MS);
    snprintf(name, sizeof name, "%s: nitro_select; uncompiled model", strategy);
    bench_add(report, name, ns_each(&subjects[0], BATCH), ns_each(&subjects[1], BATCH / 8), "ns",
              subjects[0].spread);
    nitro_model_free(plain);
    nitro_computation_free(computation);
    return failed;
}

/** What is called hits are hits. */
static int check_hits(const nitro_computation *computation)
{
    nitro_memo_statistics counts;
    nitro_computation_memo_statistics(computation, &counts);
    if (counts.hits >= 100 * counts.misses)
        return 0;
    return bench_fail("the memo missed: %llu hits, %llu misses", (unsigned long long)counts.hits,
                      (unsigned long long)counts.misses);
}

static int measure_memo(bench_report *report, nitro_context *context,
                        double (*inputs)[DISPATCH_FEATURES])
{
    nitro_computation *computation = NULL;
    nitro_model *model = NULL;
    if (dispatch_declare(context, &computation) != NITRO_OK ||
        dispatch_train(context, "forest", 200, false, &model) != NITRO_OK ||
        nitro_computation_attach_model(computation, model) != NITRO_OK)
        return bench_fail("cannot make a model");
    decider hits = {computation, model, 0, inputs, 32, 0}, features = hits, by_hand = hits;
    bench_subject subjects[] = {{.run = select_batch, .state = &hits},
                                {.run = evaluate_batch, .state = &features},
                                {.run = switch_batch, .state = &by_hand}};
    int failed = bench_measure(subjects, 3, MIN_ROUNDS, BUDGET_MS);
    bench_add(report, "memo hit: nitro_select; only its features", ns_each(&subjects[0], BATCH),
              ns_each(&subjects[1], BATCH), "ns", subjects[0].spread);
    bench_add(report, "memo hit: nitro_select; hand-written switch", ns_each(&subjects[0], BATCH),
              ns_each(&subjects[2], BATCH), "ns", subjects[0].spread);
    failed = failed || check_hits(computation);
    nitro_computation_free(computation);
    return failed;
}

/* ---- svm_predict ---- */

/* Both get columns that are scaled already: what is compared is the model's evaluation. */
typedef struct scored {
    const nitro_model *model;
    nitro_score_terms terms;
    double (*columns)[NITRO_MODEL_MAX_COLUMNS];
    size_t next, num_double, num_scored;
} scored;

/** As nitro_model_decide: in single precision, then in double, then by the terms. */
static void compiled_batch(void *state)
{
    scored *s = state;
    const nitro_compiled *compiled = s->model->compiled;
    double scores[NITRO_MAX_VARIANTS];
    for (size_t i = 0; i < BATCH / 8; i++, s->num_scored++) {
        const double *columns = s->columns[s->next++ % NUM_INPUTS];
        nitro_precision first = nitro_compiled_first_precision(compiled);
        bool confident = false;
        for (nitro_precision p = first; !confident && p <= NITRO_PRECISION_DOUBLE; p++) {
            uint64_t exact;
            double bound = nitro_compiled_score(compiled, p, columns, scores, &exact);
            confident = nitro_compiled_is_exact(scores, DISPATCH_VARIANTS, 31, bound, exact);
            s->num_double += p == first && !confident;
        }
        if (!confident)
            nitro_score_terms_score(&s->terms, columns, scores);
    }
}

typedef struct peer {
    struct svm_model *model;
    struct svm_node *nodes; /* of all inputs, one after the other */
    size_t num_columns, next;
    double sum;
} peer;

static void predict_batch(void *state)
{
    peer *p = state;
    for (size_t i = 0; i < BATCH / 8; i++)
        p->sum += svm_predict(p->model, p->nodes + p->next++ % NUM_INPUTS * (p->num_columns + 1));
}

/** LIBSVM's model with the vectors of our SVM, for svm_predict. */
static int make_peer(const nitro_model *model, double (*inputs)[DISPATCH_FEATURES], scored *ours,
                     struct svm_model *svm, struct svm_node **vectors, peer *p)
{
    nitro_score_terms terms;
    if (nitro_model_parts(model, &terms) != NITRO_OK)
        return bench_fail("the model has no parts");
    const nitro_score_term *term = &terms.items[0];
    size_t count = term->svm->num_classes, width = terms.num_columns;
    *p = (peer){.model = svm, .num_columns = width};
    p->nodes = calloc(NUM_INPUTS * (width + 1), sizeof *p->nodes);
    *vectors = calloc(term->svm->num_vectors * (width + 1), sizeof **vectors);
    svm->param =
        (struct svm_parameter){.svm_type = C_SVC, .kernel_type = RBF, .gamma = term->gamma};
    svm->nr_class = (int)count;
    svm->l = (int)term->svm->num_vectors;
    svm->SV = calloc(term->svm->num_vectors, sizeof *svm->SV);
    svm->sv_coef = calloc(count, sizeof *svm->sv_coef);
    svm->label = calloc(count, sizeof *svm->label);
    svm->nSV = calloc(count, sizeof *svm->nSV);
    svm->rho = term->svm->rho;
    for (size_t k = 0; k < count; k++) {
        svm->label[k] = (int)term->svm->classes[k];
        svm->nSV[k] = (int)term->svm->class_vectors[k];
        svm->sv_coef[k] = calloc(term->svm->num_vectors, sizeof **svm->sv_coef);
        for (size_t i = 0; k + 1 < count && i < term->svm->num_vectors; i++)
            svm->sv_coef[k][i] = term->svm->coefficients[i * (count - 1) + k];
    }
    for (size_t i = 0; i < term->svm->num_vectors; i++) {
        svm->SV[i] = *vectors + i * (width + 1);
        for (size_t c = 0; c < width; c++)
            svm->SV[i][c] = (struct svm_node){(int)c + 1, term->vectors[i * width + c]};
        svm->SV[i][width].index = -1;
    }
    for (size_t i = 0; i < NUM_INPUTS; i++) {
        for (size_t c = 0; c < width; c++) {
            size_t seen = model->seen[c];
            double x = seen < DISPATCH_FEATURES ? nitro_model_scale(model, seen, inputs[i][seen])
                                                : model->device_columns[seen - DISPATCH_FEATURES];
            p->nodes[i * (width + 1) + c] = (struct svm_node){(int)c + 1, x};
            ours->columns[i][c] = x;
        }
        p->nodes[i * (width + 1) + width].index = -1;
    }
    return 0;
}

static void free_peer(struct svm_model *svm, struct svm_node *vectors, peer *p)
{
    for (int k = 0; k < svm->nr_class; k++)
        free(svm->sv_coef[k]);
    free(svm->sv_coef);
    free(svm->SV);
    free(svm->label);
    free(svm->nSV);
    free(vectors);
    free(p->nodes);
}

static int measure_svm(bench_report *report, nitro_context *context, size_t num_inputs,
                       double (*inputs)[DISPATCH_FEATURES])
{
    nitro_model *model = NULL;
    struct svm_model svm = {0};
    struct svm_node *vectors = NULL;
    peer p;
    char name[96];
    if (dispatch_train(context, "svm", num_inputs, true, &model) != NITRO_OK ||
        nitro_model_compile(model) != NITRO_OK)
        return bench_fail("cannot make a model of %zu inputs", num_inputs);
    scored ours = {.model = model, .columns = calloc(NUM_INPUTS, sizeof *ours.columns)};
    int failed = !ours.columns || nitro_model_parts(model, &ours.terms) != NITRO_OK ||
                 make_peer(model, inputs, &ours, &svm, &vectors, &p);
    bench_subject subjects[] = {{.run = compiled_batch, .state = &ours},
                                {.run = predict_batch, .state = &p}};
    failed = failed || bench_measure(subjects, 2, MIN_ROUNDS, BUDGET_MS);
    snprintf(name, sizeof name, "svm, %d vectors (%zu; %.0f%% twice): svm_predict", svm.l,
             nitro_compiled_num_vectors(model->compiled),
             100.0 * (double)ours.num_double / (double)ours.num_scored);
    bench_add(report, name, ns_each(&subjects[0], BATCH / 8), ns_each(&subjects[1], BATCH / 8),
              "ns", subjects[0].spread);
    free_peer(&svm, vectors, &p);
    free(ours.columns);
    nitro_model_free(model);
    return failed;
}

/* ---- Threads ---- */

#define MOST_THREADS 64
#define ALONE_BYTES  128 /* no line that another thread writes, nor the one beside it */

/* Threads that wait until there is something to decide: what is timed is neither their beginning
 * nor lines that they share with each other and not with the library. */
typedef struct crew {
    size_t num_threads, batches; /* altogether, whatever the threads */
    bool is_over;
    double cpu_ns; /* of all its threads, in all rounds */
    size_t num_decisions;
    pthread_barrier_t begin, end;
    struct member *members; /* shape [num_threads] */
} crew;

typedef struct member {
    _Alignas(ALONE_BYTES) decider decider;
    pthread_t thread;
    crew *crew;
} member;

static void *work(void *state)
{
    member *self = state;
    for (;;) {
        pthread_barrier_wait(&self->crew->begin);
        if (self->crew->is_over)
            return NULL;
        for (size_t i = 0; i < self->crew->batches / self->crew->num_threads; i++)
            select_batch(&self->decider);
        pthread_barrier_wait(&self->crew->end);
    }
}

static double cpu_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void run_crew(void *state)
{
    crew *c = state;
    c->cpu_ns -= cpu_now_ns();
    pthread_barrier_wait(&c->begin);
    pthread_barrier_wait(&c->end);
    c->cpu_ns += cpu_now_ns();
    c->num_decisions += c->batches * BATCH;
}

static void begin_crew(size_t num_threads, size_t batches, const decider *each, crew *c)
{
    *c = (crew){.num_threads = num_threads, .batches = batches};
    c->members = aligned_alloc(ALONE_BYTES, num_threads * sizeof *c->members);
    if (!c->members || pthread_barrier_init(&c->begin, NULL, (unsigned)num_threads + 1) != 0 ||
        pthread_barrier_init(&c->end, NULL, (unsigned)num_threads + 1) != 0)
        abort();
    for (size_t t = 0; t < num_threads; t++) {
        c->members[t] = (member){.decider = *each, .crew = c};
        c->members[t].decider.next = t;
        if (pthread_create(&c->members[t].thread, NULL, work, &c->members[t]) != 0)
            abort();
    }
}

static void end_crew(crew *c)
{
    c->is_over = true;
    pthread_barrier_wait(&c->begin);
    for (size_t t = 0; t < c->num_threads; t++)
        pthread_join(c->members[t].thread, NULL);
    pthread_barrier_destroy(&c->begin);
    pthread_barrier_destroy(&c->end);
    free(c->members);
}

static int measure_threads(bench_report *report, nitro_context *context, bool memo,
                           double (*inputs)[DISPATCH_FEATURES])
{
    enum { NUM_CREWS = 3 };
    static const size_t num_threads[NUM_CREWS] = {1, 2, MOST_THREADS};
    nitro_computation *computation = NULL;
    nitro_model *model = NULL;
    crew crews[NUM_CREWS];
    bench_subject subjects[NUM_CREWS];
    if (dispatch_declare(context, &computation) != NITRO_OK ||
        dispatch_train(context, "auto", 300, false, &model) != NITRO_OK ||
        nitro_computation_attach_model(computation, model) != NITRO_OK ||
        nitro_computation_set_memo_size(computation, memo ? 256 : 0) != NITRO_OK)
        return bench_fail("cannot make a model");
    decider each = {computation, model, 0, inputs, memo ? 32 : NUM_INPUTS, 0};
    size_t batches = MOST_THREADS * (memo ? 100 : 5);
    for (size_t i = 0; i < NUM_CREWS; i++) {
        begin_crew(num_threads[i], batches, &each, &crews[i]);
        subjects[i] = (bench_subject){.run = run_crew, .state = &crews[i]};
    }
    int failed = bench_measure(subjects, NUM_CREWS, 31, BUDGET_MS);
    const char *what = memo ? "memo hits" : "auto's decisions";
    double million[NUM_CREWS], cpu_ns[NUM_CREWS];
    char name[96];
    for (size_t i = 0; i < NUM_CREWS; i++) {
        million[i] = (double)(batches * BATCH) / subjects[i].median_ms * 1e-3;
        cpu_ns[i] = crews[i].cpu_ns / (double)crews[i].num_decisions;
        end_crew(&crews[i]);
    }
    snprintf(name, sizeof name, "%s, 2 threads; 1 thread (%ld cores)", what,
             sysconf(_SC_NPROCESSORS_ONLN));
    bench_add(report, name, million[1], million[0], "M/s", subjects[1].spread);
    snprintf(name, sizeof name, "%s, %d threads; 2 threads", what, MOST_THREADS);
    bench_add(report, name, million[2], million[1], "M/s", subjects[2].spread);
    /* What threads cost each other, also where other programs take the cores. */
    for (size_t i = 1; i < NUM_CREWS; i++) {
        snprintf(name, sizeof name, "%s, %zu threads: CPU time of one; 1 thread", what,
                 num_threads[i]);
        bench_add(report, name, cpu_ns[i], cpu_ns[0], "ns", subjects[i].spread);
    }
    failed = failed || (memo && check_hits(computation));
    nitro_computation_free(computation);
    return failed;
}

/* ---- Loading ---- */

typedef struct file {
    nitro_context *context;
    char path[64];
} file;

static void load_file(void *state)
{
    file *f = state;
    nitro_model *model = NULL;
    if (nitro_model_load(f->context, f->path, &model) != NITRO_OK ||
        nitro_model_compile(model) != NITRO_OK)
        abort();
    nitro_model_free(model);
}

/* The floor: reading and no more. */
static void read_file(void *state)
{
    file *f = state;
    char *bytes = NULL;
    size_t size = 0;
    if (nitro_file_read(f->context, f->path, (size_t)1 << 30, &bytes, &size) != NITRO_OK)
        abort();
    free(bytes);
}

static int measure_loading(bench_report *report, nitro_context *context, const char *strategy,
                           size_t num_inputs)
{
    nitro_model *model = NULL;
    file binary = {context, "/tmp/nitro-bench-XXXXXX"};
    char name[96];
    int descriptor = mkstemp(binary.path);
    if (descriptor < 0 || dispatch_train(context, strategy, num_inputs,
                                         strcmp(strategy, "svm") == 0, &model) != NITRO_OK)
        return bench_fail("cannot make a model");
    close(descriptor);
    int failed = nitro_model_export(model, NITRO_EXPORT_BINARY, binary.path) != NITRO_OK;
    bench_subject subjects[] = {{.run = load_file, .state = &binary},
                                {.run = read_file, .state = &binary}};
    failed = failed || bench_measure(subjects, 2, 11, BUDGET_MS);
    nitro_score_terms terms;
    size_t num_vectors = 0;
    if (nitro_model_parts(model, &terms) == NITRO_OK && terms.items[0].svm)
        num_vectors = terms.items[0].svm->num_vectors;
    snprintf(name, sizeof name, "loading and compiling %s, %zu vectors; reading", strategy,
             num_vectors);
    bench_add(report, name, subjects[0].median_ms, subjects[1].median_ms, "ms", subjects[0].spread);
    unlink(binary.path);
    nitro_model_free(model);
    return failed ? bench_fail("cannot write or load a model in /tmp") : 0;
}

static int run(bench_report *report)
{
    nitro_context *context;
    double(*inputs)[DISPATCH_FEATURES] = make_inputs();
    if (!inputs || nitro_context_create(&context) != NITRO_OK)
        return bench_fail("out of memory");
    const size_t svm_inputs[] = {30, 60, 160, 800};
    int failed = measure_memo(report, context, inputs) ||
                 measure_decisions(report, context, "forest", inputs) ||
                 measure_decisions(report, context, "auto", inputs);
    failed = failed ||
             bench_dispatch_strategies(report, context, (const double(*)[DISPATCH_FEATURES])inputs);
    for (size_t i = 0; !failed && i < sizeof svm_inputs / sizeof svm_inputs[0]; i++)
        failed = measure_svm(report, context, svm_inputs[i], inputs);
    failed = failed || measure_threads(report, context, false, inputs) ||
             measure_threads(report, context, true, inputs) ||
             measure_loading(report, context, "svm", 800) ||
             measure_loading(report, context, "auto", 600);
    nitro_context_free(context);
    free(inputs);
    return failed;
}

const bench bench_dispatch = {
    .name = "dispatch",
    .description = "what a decision costs: ours; what stands behind the semicolon or colon",
    .run = run,
};

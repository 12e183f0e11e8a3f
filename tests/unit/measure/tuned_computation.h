/* tuned_computation.h - fixture of tests of tuning: a computation with synthetic times, and a real
 * store. */
#ifndef NITRO_TESTS_UNIT_MEASURE_TUNED_COMPUTATION_H
#define NITRO_TESTS_UNIT_MEASURE_TUNED_COMPUTATION_H

#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "unit/measure/trace.h"
#include "unit/unit.h"

#define MAX_INPUTS 24

static double fake_ms;

static inline double read_fake_clock(void *state)
{
    (void)state;
    return fake_ms;
}

/* A mark for each input that workers load. */
static trace *loads;

/* A letter for each run of a variant. */
static trace *runs;

typedef struct toy_input {
    char name[16];
    double rows; /* NaN: cannot be loaded */
} toy_input;

static inline nitro_status load_toy(nitro_context *context, void *state, void **argument)
{
    const toy_input *input = state;
    trace_add(loads, 'l');
    if (isnan(input->rows))
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s:1: no header", input->name);
    *argument = state;
    return NITRO_OK;
}

static inline int evaluate_toy(const void *argument, double *values, void *user)
{
    (void)user;
    double rows = ((const toy_input *)argument)->rows;
    const double all[] = {rows, rows, 5 * rows, 0.5, 3, 1.5};
    memcpy(values, all, sizeof(all));
    return 0;
}

/* The first calls of variants, of all processes, take 1.4 times as long. */
static _Atomic int *num_slow_calls;

static inline void slow_clock_for(int num_calls)
{
    num_slow_calls = mmap(NULL, sizeof(*num_slow_calls), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(num_slow_calls != MAP_FAILED);
    atomic_store(num_slow_calls, num_calls);
}

static inline void take_ms(double time_ms)
{
    bool is_slow = num_slow_calls && atomic_fetch_sub(num_slow_calls, 1) > 0;
    fake_ms += is_slow ? 1.4 * time_ms : time_ms;
}

/* csr takes 1 ms a row, ell 3 ms and half a row: they cross at 6 rows. */
static double csr_ms_a_row = 1;

static inline int run_csr(void *argument, void *user)
{
    (void)user;
    take_ms(csr_ms_a_row * ((toy_input *)argument)->rows);
    trace_add(runs, 'c');
    return 0;
}

static inline int run_ell(void *argument, void *user)
{
    (void)user;
    take_ms(3 + ((toy_input *)argument)->rows / 2);
    trace_add(runs, 'e');
    return 0;
}

typedef struct bench {
    nitro_context *context;
    nitro_computation *computation;
    nitro_store *store;
    char folder[64];
    char url[128];
    toy_input toys[MAX_INPUTS];
    nitro_input inputs[MAX_INPUTS];
    nitro_tune_options options;
    nitro_tune_progress last; /* what progress said last */
    char last_best[16];
    size_t reports;
    size_t stop_after; /* reports; 0: never */
    size_t full_after; /* reports, then the disk takes nothing more; 0: never */
    char log[UNIT_LOG_BYTES];
} bench;

/* Files may be 4 KB long from now on: those of the store are longer. */
static inline void set_disk_full(bool full)
{
    static struct rlimit before;
    if (!full) {
        setrlimit(RLIMIT_FSIZE, &before);
        return;
    }
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit limit = {.rlim_cur = 4096, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
}

static inline bool note_progress(void *user, const nitro_tune_progress *progress)
{
    bench *b = user;
    b->last = *progress;
    assert_non_null(progress->input);
    snprintf(b->last_best, sizeof(b->last_best), "%s", progress->best ? progress->best : "none");
    b->reports++;
    if (b->reports == b->full_after)
        set_disk_full(true);
    return b->reports != b->stop_after;
}

static inline void declare_versions(bench *b, const char *name, const char *csr_version,
                                    const char *ell_version)
{
    nitro_computation_free(b->computation);
    assert_ok(b->context, nitro_computation_create(b->context, name, &b->computation));
    const nitro_feature features[] = {{.name = "rows"},       {.name = "cols"},
                                      {.name = "nnz"},        {.name = "rlsd"},
                                      {.name = "dia_fillin"}, {.name = "ell_fillin"}};
    assert_ok(b->context,
              nitro_computation_add_features(b->computation, features, 6, evaluate_toy, NULL));
    const nitro_variant csr = {.name = "csr", .version = csr_version, .run = run_csr};
    const nitro_variant ell = {.name = "ell", .version = ell_version, .run = run_ell};
    assert_ok(b->context, nitro_computation_add_variant(b->computation, &csr));
    assert_ok(b->context, nitro_computation_add_variant(b->computation, &ell));
}

static inline void declare(bench *b, const char *name, const char *csr_version)
{
    declare_versions(b, name, csr_version, "1");
}

static inline void open_bench(bench *b)
{
    b->context = unit_context();
    const nitro_clock clock = {read_fake_clock, read_fake_clock, NULL};
    nitro_context_set_clock(b->context, &clock);
    nitro_context_set_log(b->context, NITRO_LOG_INFO, unit_keep_log, b->log);
    declare(b, "spmv", "1");
    assert_ok(b->context, nitro_store_open(b->context, b->url, NITRO_STORE_WRITE, &b->store));
}

static inline void close_bench(bench *b)
{
    nitro_store_close(b->store);
    nitro_computation_free(b->computation);
    nitro_context_free(b->context);
    b->store = NULL;
    b->computation = NULL;
}

static inline int set_up(void **state)
{
    fake_ms = 1000;
    bench *b = calloc(1, sizeof(*b));
    strcpy(b->folder, "/tmp/nitro-tune-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->url, sizeof(b->url), "sqlite:%s/store.db", b->folder);
    for (size_t i = 0; i < MAX_INPUTS; i++) {
        /* Listed in another order than that of their names. */
        snprintf(b->toys[i].name, sizeof(b->toys[i].name), "m%02zu", (i * 7 + 5) % MAX_INPUTS);
        b->toys[i].rows = 2 + (double)i;
        b->inputs[i] = (nitro_input){b->toys[i].name, load_toy, NULL, &b->toys[i]};
    }
    nitro_tune_options_init(&b->options);
    b->options.measure.warmups = 0;
    b->options.measure.min_repetitions = b->options.measure.max_repetitions = 3;
    b->options.measure.max_blocks = 1;
    b->options.measure.memory_limit_bytes = 0;
    b->options.progress = note_progress;
    b->options.progress_user = b;
    open_bench(b);
    *state = b;
    return 0;
}

static inline int tear_down(void **state)
{
    bench *b = *state;
    close_bench(b);
    char command[128];
    snprintf(command, sizeof(command), "rm -r '%s'", b->folder);
    assert_int_equal(system(command), 0);
    free(b);
    trace_close(&loads);
    trace_close(&runs);
    csr_ms_a_row = 1;
    if (num_slow_calls)
        munmap((void *)num_slow_calls, sizeof(*num_slow_calls));
    num_slow_calls = NULL;
    return 0;
}

static inline nitro_status tune(bench *b, const char *device, size_t num_inputs)
{
    b->reports = 0;
    return nitro_tune(b->computation, b->store, device, b->inputs, num_inputs, &b->options);
}

/* The id that "host" stands for. */
static inline const char *host_id(bench *b)
{
    static char id[64];
    nitro_device *device = NULL;
    const nitro_device_kind *kind = NULL;
    assert_ok(b->context, nitro_device_find(b->context, "host", false, &device, &kind));
    snprintf(id, sizeof(id), "%s", device->id);
    nitro_device_free(device);
    return id;
}

static inline size_t count_samples(bench *b, const char *device)
{
    size_t count = 0;
    assert_ok(b->context, nitro_store_count_samples(b->store, "spmv", device, &count));
    return count;
}

static inline nitro_status check_measured(void *user, const nitro_sample *sample)
{
    size_t *count = user;
    ++*count;
    double rows = sample->features[0];
    assert_int_equal(sample->entries[0].outcome, NITRO_OUTCOME_MEASURED);
    assert_true(fabs(sample->entries[0].median_ms - rows) < 1e-9);
    assert_true(fabs(sample->entries[1].median_ms - (3 + rows / 2)) < 1e-9);
    assert_int_equal(sample->entries[1].count, 3);
    assert_string_equal(sample->entries[0].version, "1");
    assert_string_equal(sample->provenance.origin, "measured");
    assert_string_equal(sample->provenance.library, nitro_version());
    assert_non_null(strchr(sample->provenance.compiler, '.'));
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    assert_string_equal(sample->provenance.host, host);
    assert_true(llabs((long long)(sample->provenance.time_s - time(NULL))) < 3600);
    return NITRO_OK;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif

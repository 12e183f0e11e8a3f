/* Tuning: what is stored, what is not measured again, and that a killed run loses nothing. The
 * variants' times are synthetic; the store is real. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/unit.h"

#define MAX_INPUTS 24

static double fake_ms;

static double read_fake_clock(void *state)
{
    (void)state;
    return fake_ms;
}

/* Appended to by workers: a byte for each input loaded. */
static int load_trace = -1;

/* The same, a letter for each run of a variant. */
static int run_trace = -1;

static int trace_run(const char *letter)
{
    return run_trace >= 0 && write(run_trace, letter, 1) != 1;
}

typedef struct toy_input {
    char name[16];
    double rows; /* NaN: cannot be loaded */
} toy_input;

static nitro_status load_toy(nitro_context *context, void *state, void **argument)
{
    const toy_input *input = state;
    if (load_trace >= 0 && write(load_trace, "l", 1) != 1)
        return nitro_fail(context, NITRO_ERR_IO, "no trace");
    if (isnan(input->rows))
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s:1: no header", input->name);
    *argument = state;
    return NITRO_OK;
}

static int evaluate_toy(const void *argument, double *values, void *user)
{
    (void)user;
    double rows = ((const toy_input *)argument)->rows;
    const double all[] = {rows, rows, 5 * rows, 0.5, 3, 1.5};
    memcpy(values, all, sizeof(all));
    return 0;
}

/* csr takes 1 ms a row, ell 3 ms and half a row: they cross at 6 rows. */
static double csr_ms_a_row = 1;

static int run_csr(void *argument, void *user)
{
    (void)user;
    fake_ms += csr_ms_a_row * ((toy_input *)argument)->rows;
    return trace_run("c");
}

static int run_ell(void *argument, void *user)
{
    (void)user;
    fake_ms += 3 + ((toy_input *)argument)->rows / 2;
    return trace_run("e");
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
static void set_disk_full(bool full)
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

static bool note_progress(void *user, const nitro_tune_progress *progress)
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

static void declare_versions(bench *b, const char *name, const char *csr_version,
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

static void declare(bench *b, const char *name, const char *csr_version)
{
    declare_versions(b, name, csr_version, "1");
}

static void open_bench(bench *b)
{
    b->context = unit_context();
    const nitro_clock clock = {read_fake_clock, read_fake_clock, NULL};
    nitro_context_set_clock(b->context, &clock);
    nitro_context_set_log(b->context, NITRO_LOG_INFO, unit_keep_log, b->log);
    declare(b, "spmv", "1");
    assert_ok(b->context, nitro_store_open(b->context, b->url, NITRO_STORE_WRITE, &b->store));
}

static void close_bench(bench *b)
{
    nitro_store_close(b->store);
    nitro_computation_free(b->computation);
    nitro_context_free(b->context);
    b->store = NULL;
    b->computation = NULL;
}

static int set_up(void **state)
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
    b->options.measure.memory_limit_bytes = 0;
    b->options.progress = note_progress;
    b->options.progress_user = b;
    open_bench(b);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    close_bench(b);
    char command[128];
    snprintf(command, sizeof(command), "rm -r '%s'", b->folder);
    assert_int_equal(system(command), 0);
    free(b);
    if (load_trace >= 0)
        close(load_trace);
    if (run_trace >= 0)
        close(run_trace);
    load_trace = run_trace = -1;
    csr_ms_a_row = 1;
    return 0;
}

static nitro_status tune(bench *b, const char *device, size_t num_inputs)
{
    b->reports = 0;
    return nitro_tune(b->computation, b->store, device, b->inputs, num_inputs, &b->options);
}

/* The id that "host" stands for. */
static const char *host_id(bench *b)
{
    static char id[64];
    nitro_device *device = NULL;
    const nitro_device_kind *kind = NULL;
    assert_ok(b->context, nitro_device_find(b->context, "host", false, &device, &kind));
    snprintf(id, sizeof(id), "%s", device->id);
    nitro_device_free(device);
    return id;
}

static size_t count_samples(bench *b, const char *device)
{
    size_t count = 0;
    assert_ok(b->context, nitro_store_count_samples(b->store, "spmv", device, &count));
    return count;
}

static void open_load_trace(const bench *b)
{
    char path[96];
    snprintf(path, sizeof(path), "%s/trace", b->folder);
    load_trace = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(load_trace >= 0);
}

static size_t count_loads(void)
{
    struct stat trace;
    assert_int_equal(fstat(load_trace, &trace), 0);
    return (size_t)trace.st_size;
}

static nitro_status check_measured(void *user, const nitro_sample *sample)
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

/* ---- What is stored ----------------------------------------------------------------------- */

static void test_samples_are_stored(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 8));
    size_t count = 0;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_measured, &count));
    assert_int_equal(count, 8);
    assert_int_equal(b->reports, 8);
    assert_int_equal(b->last.done, 8);
    assert_int_equal(b->last.total, 8);
    assert_int_equal(b->last.resumed, 0);
    assert_string_equal(b->last.input, b->inputs[7].name);
    assert_string_equal(b->last_best, "ell"); /* 9 rows */
    nitro_device *device = NULL;
    assert_ok(b->context, nitro_store_get_device(b->store, host_id(b), &device));
    assert_string_equal(device->kind, "host");
    nitro_device_free(device);
    nitro_schema *schema = NULL;
    assert_ok(b->context, nitro_store_get_schema(b->store, "spmv", &schema));
    assert_int_equal(schema->num_variants, 2);
    nitro_schema_free(schema);
}

static void test_second_run_measures_nothing(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    open_load_trace(b);
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(count_loads(), 0);
    assert_int_equal(b->reports, 1);
    assert_int_equal(b->last.resumed, 3);
    assert_int_equal(b->last.done, 3);
    assert_non_null(strstr(b->log, "3 of 3 inputs are in sqlite:"));
    b->options.again = true;
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(count_loads(), 3);
    assert_int_equal(b->last.resumed, 0);
    assert_int_equal(count_samples(b, host_id(b)), 3);
}

static void test_more_inputs_later(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    assert_ok(b->context, tune(b, "host", 5));
    assert_int_equal(b->last.resumed, 3);
    assert_int_equal(b->reports, 2);
    assert_int_equal(count_samples(b, host_id(b)), 5);
}

/* How often each variant ran, whatever the process. */
static void open_run_trace(bench *b)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/runs", b->folder);
    run_trace = open(path, O_CREAT | O_TRUNC | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
    assert_true(run_trace >= 0);
}

static size_t count_runs(char variant)
{
    char runs[4096];
    ssize_t size = pread(run_trace, runs, sizeof(runs), 0);
    assert_true(size >= 0 && (size_t)size < sizeof(runs));
    size_t count = 0;
    for (ssize_t i = 0; i < size; i++)
        count += runs[i] == variant;
    return count;
}

static nitro_status check_versions(void *user, const nitro_sample *sample)
{
    (void)user;
    assert_string_equal(sample->entries[0].version, "1");
    assert_string_equal(sample->entries[1].version, "2");
    double rows = sample->features[0];
    assert_true(fabs(sample->entries[0].median_ms - rows) < 1e-9);
    assert_true(fabs(sample->entries[1].median_ms - (3 + rows / 2)) < 1e-9);
    return NITRO_OK;
}

static void test_changed_variant_is_measured_again(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    declare_versions(b, "spmv", "1", "2");
    open_load_trace(b);
    open_run_trace(b);
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(count_loads(), 3);
    assert_non_null(strstr(b->log, "3 samples are of other versions of ell: measuring these "
                                   "variants again"));
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_versions, NULL));
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(count_loads(), 3);
    assert_true(count_runs('e') > 0);
}

/* A changed variant invalidates its own times, not the others': those stay to the last bit. */
static void test_other_variants_keep_their_times(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    csr_ms_a_row = 100; /* were it measured again, it would show */
    declare_versions(b, "spmv", "1", "2");
    assert_ok(b->context, tune(b, "host", 3));
    csr_ms_a_row = 1;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_versions, NULL));
    assert_int_equal(count_samples(b, host_id(b)), 3);
}

/* Behind an old name may be a new input by now: then none of the old times counts. */
static void test_changed_input_is_measured_whole(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    for (size_t i = 0; i < 3; i++)
        b->toys[i].rows += 100;
    declare_versions(b, "spmv", "1", "2");
    assert_ok(b->context, tune(b, "host", 3));
    assert_non_null(strstr(b->log, "has other features than when it was measured"));
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_versions, NULL));
}

typedef struct remaking {
    bench *b;
    nitro_sample *samples[3];
    size_t count;
} remaking;

static nitro_status remake_by_other_compiler(void *user, const nitro_sample *sample)
{
    remaking *r = user;
    assert_ok(r->b->context, nitro_sample_copy(r->b->context, sample, &r->samples[r->count]));
    char **compiler = &r->samples[r->count++]->provenance.compiler;
    free(*compiler);
    *compiler = strdup("GCC 2.95");
    return NITRO_OK;
}

/* Times by two compilers do not stand in one sample. */
static void test_other_compiler_is_measured_whole(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    remaking r = {.b = b};
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), remake_by_other_compiler, &r));
    assert_ok(b->context,
              nitro_store_put_samples(b->store, "spmv", host_id(b),
                                      (const nitro_sample *const *)r.samples, r.count, true));
    for (size_t i = 0; i < r.count; i++)
        nitro_sample_free(r.samples[i]);
    declare_versions(b, "spmv", "1", "2");
    open_run_trace(b);
    assert_ok(b->context, tune(b, "host", 3));
    assert_non_null(strstr(b->log, "3 samples are of other versions of ell: measuring them again"));
    assert_int_equal(count_runs('c'), count_runs('e'));
    size_t count = 0;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_measured, &count));
    assert_int_equal(count, 3);
}

/* What a microbenchmark measured once stays known; the rest is today's. */
static void test_measured_device_features_are_kept(void **state)
{
    bench *b = *state;
    nitro_device *device = NULL;
    const nitro_device_kind *kind = NULL;
    assert_ok(b->context, nitro_device_find(b->context, "host", false, &device, &kind));
    assert_ok(b->context,
              nitro_device_set(b->context, device, "toy_bench", 12.5, NITRO_VALUE_MEASURED, 0.1));
    assert_ok(b->context,
              nitro_device_set(b->context, device, "old_query", 3, NITRO_VALUE_QUERY, 0));
    assert_ok(b->context, nitro_store_put_device(b->store, device));
    nitro_device_free(device);
    assert_ok(b->context, tune(b, "host", 1));
    assert_ok(b->context, nitro_store_get_device(b->store, host_id(b), &device));
    assert_true(nitro_device_value(device, "toy_bench") == 12.5);
    assert_true(isnan(nitro_device_value(device, "old_query")));
    nitro_device_free(device);
}

/* ---- Modelled devices --------------------------------------------------------------------- */

static nitro_status check_modelled(void *user, const nitro_sample *sample)
{
    size_t *count = user;
    ++*count;
    assert_string_equal(sample->provenance.origin, "modelled");
    assert_int_equal(sample->entries[0].outcome, NITRO_OUTCOME_MEASURED);
    assert_true(sample->entries[0].median_ms > 0 && sample->features[1] >= 2);
    return NITRO_OK;
}

/* Two ids of modelled devices, "a,b". */
static void two_models(bench *b, char ids[2][64], char *list, size_t size)
{
    nitro_string_list all = {0};
    for (const nitro_device_kind *const *kind = nitro_builtin_device_kinds(); *kind; kind++)
        if ((*kind)->simulate)
            assert_ok(b->context, (*kind)->list(b->context, &all));
    assert_true(all.count >= 2);
    for (size_t i = 0; i < 2; i++)
        snprintf(ids[i], 64, "%s", all.items[i]);
    snprintf(list, size, "%s,%s", ids[0], ids[1]);
    nitro_string_list_free(&all);
}

static void test_modelled_devices_share_a_load(void **state)
{
    bench *b = *state;
    char ids[2][64];
    char list[160];
    two_models(b, ids, list, sizeof(list));
    open_load_trace(b);
    assert_ok(b->context, tune(b, list, 4));
    assert_int_equal(count_loads(), 4);
    for (size_t i = 0; i < 2; i++) {
        size_t count = 0;
        assert_ok(b->context,
                  nitro_store_each_sample(b->store, "spmv", ids[i], check_modelled, &count));
        assert_int_equal(count, 4);
    }
    assert_int_equal(b->last.total, 4);
    assert_string_not_equal(b->last_best, "none");
    /* A third device for the same inputs, and one of them new. */
    snprintf(list, sizeof(list), "%s,host,%s", ids[0], ids[1]);
    assert_ok(b->context, tune(b, list, 5));
    assert_int_equal(count_loads(), 4 + 5);
    size_t count = 0;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_measured, &count));
    assert_int_equal(count, 5);
    assert_int_equal(count_samples(b, ids[0]), 5);
}

static void test_modelled_needs_a_model(void **state)
{
    bench *b = *state;
    char ids[2][64];
    char list[160];
    two_models(b, ids, list, sizeof(list));
    declare(b, "toy", "1");
    assert_fails(b->context, tune(b, ids[0], 2), NITRO_ERR_NOT_FOUND, "toy");
}

static void test_kinds_do_not_mix(void **state)
{
    bench *b = *state;
    nitro_device *device = NULL;
    assert_ok(b->context, nitro_device_create(b->context, host_id(b), "model", &device));
    assert_ok(b->context, nitro_store_put_device(b->store, device));
    nitro_device_free(device);
    assert_fails(b->context, tune(b, "host", 2), NITRO_ERR_MISMATCH, "must not mix");
}

static void test_bad_devices(void **state)
{
    bench *b = *state;
    assert_fails(b->context, tune(b, "GTX-1", 2), NITRO_ERR_NOT_FOUND, "'GTX-1'");
    assert_fails(b->context, tune(b, "a b", 2), NITRO_ERR_ARGUMENT, "'a b'");
    assert_fails(b->context, tune(b, "host,host", 2), NITRO_ERR_ARGUMENT, "named twice");
    assert_fails(b->context, tune(b, NULL, 2), NITRO_ERR_ARGUMENT, "no device");
}

/* ---- Bad inputs --------------------------------------------------------------------------- */

static void test_inputs_that_cannot_be_loaded(void **state)
{
    bench *b = *state;
    b->toys[1].rows = b->toys[3].rows = NAN;
    assert_ok(b->context, tune(b, "host", 4));
    assert_int_equal(count_samples(b, host_id(b)), 2);
    assert_int_equal(b->last.done, 4);
    assert_int_equal(b->last.failed, 2);
    assert_string_equal(b->last_best, "none");
    char want[64];
    snprintf(want, sizeof(want), "%s:1: no header", b->toys[1].name);
    assert_non_null(strstr(b->log, want));
}

static void test_no_input_can_be_loaded(void **state)
{
    bench *b = *state;
    b->toys[0].rows = b->toys[1].rows = NAN;
    assert_fails(b->context, tune(b, "host", 2), NITRO_ERR_FORMAT,
                 "none of the 2 inputs could be loaded; the first: input 'm05': m05:1: no header");
}

static void test_bad_input_lists(void **state)
{
    bench *b = *state;
    assert_fails(b->context, tune(b, "host", 0), NITRO_ERR_ARGUMENT, "no inputs");
    b->inputs[6].name = b->inputs[2].name;
    char want[64];
    snprintf(want, sizeof(want), "number 3 and 7 are both named '%s'", b->inputs[2].name);
    assert_fails(b->context, tune(b, "host", 8), NITRO_ERR_ARGUMENT, want);
    b->inputs[6].name = "a\nb";
    assert_fails(b->context, tune(b, "host", 8), NITRO_ERR_ARGUMENT, "input number 7");
    b->inputs[6].name = NULL;
    assert_fails(b->context, tune(b, "host", 8), NITRO_ERR_ARGUMENT, "input number 7");
}

static void test_other_names_are_refused(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 2));
    const nitro_variant coo = {.name = "coo", .run = run_csr};
    assert_ok(b->context, nitro_computation_add_variant(b->computation, &coo));
    assert_fails(b->context, tune(b, "host", 2), NITRO_ERR_MISMATCH, "coo");
}

/* ---- Runs that end early ------------------------------------------------------------------ */

static void test_interrupted_by_progress(void **state)
{
    bench *b = *state;
    b->stop_after = 2;
    assert_fails(b->context, tune(b, "host", 5), NITRO_ERR_INTERRUPTED, "2 of 5");
    assert_int_equal(count_samples(b, host_id(b)), 2);
    b->stop_after = 0;
    assert_ok(b->context, tune(b, "host", 5));
    assert_int_equal(b->last.resumed, 2);
    assert_int_equal(count_samples(b, host_id(b)), 5);
}

/* The run ends with an error that names the input, and what was stored stays. */
static void test_full_disk(void **state)
{
    bench *b = *state;
    b->full_after = 3;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    char message[4096];
    nitro_status status = tune(b, "host", MAX_INPUTS);
    nitro_context_last_error(b->context, message, sizeof(message));
    set_disk_full(false);
    signal(SIGXFSZ, handler);
    b->full_after = 0;
    assert_int_equal(status, NITRO_ERR_IO);
    char want[64];
    snprintf(want, sizeof(want), "input '%s' was measured on %s but not stored",
             b->inputs[b->reports].name, host_id(b));
    if (!strstr(message, want))
        fail_msg("the error does not say '%s': %s", want, message);
    close_bench(b);
    open_bench(b);
    size_t count = count_samples(b, host_id(b));
    assert_int_equal(count, 3);
    assert_ok(b->context, tune(b, "host", MAX_INPUTS));
    assert_int_equal(b->last.resumed, count);
    assert_int_equal(count_samples(b, host_id(b)), MAX_INPUTS);
}

/* Tune in a process of its own, which is killed a random while after it loaded a few inputs.
 * @return whether it came to its end before that. */
static bool tune_and_kill(bench *b, nitro_random *random)
{
    size_t loads_before = count_loads();
    uint64_t loads_wanted = 2 + nitro_random_below(random, 4);
    struct timespec extra = {.tv_nsec = (long)nitro_random_below(random, 6000000)};
    pid_t tuner = fork();
    if (tuner == 0) {
        open_bench(b);
        b->options.progress = NULL;
        nitro_status status = tune(b, "host", MAX_INPUTS);
        _exit(status == NITRO_OK ? 0 : 1);
    }
    int status = 0;
    const struct timespec moment = {.tv_nsec = 500000};
    while (count_loads() < loads_before + loads_wanted) {
        if (waitpid(tuner, &status, WNOHANG) == tuner) {
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            return true;
        }
        nanosleep(&moment, NULL);
    }
    nanosleep(&extra, NULL);
    kill(tuner, SIGKILL);
    assert_int_equal(waitpid(tuner, &status, 0), tuner);
    return WIFEXITED(status);
}

static void fail_on_problem(void *user, const char *problem)
{
    (void)user;
    fail_msg("%s", problem);
}

/* Killed again and again, at random moments: in the end every input is there, once. Each kill costs
 * at most the one input that was being measured. */
static void test_killed_tune_goes_on(void **state)
{
    bench *b = *state;
    close_bench(b);
    open_load_trace(b);
    nitro_random random;
    nitro_random_seed(&random, 20240607);
    size_t kills = 0;
    while (!tune_and_kill(b, &random))
        assert_true(++kills < 100);
    assert_true(kills > 2);
    assert_true(count_loads() >= MAX_INPUTS);
    assert_true(count_loads() <= MAX_INPUTS + kills);
    open_bench(b);
    size_t count = 0;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_measured, &count));
    assert_int_equal(count, MAX_INPUTS);
    assert_ok(b->context, nitro_store_verify(b->store, fail_on_problem, NULL));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_samples_are_stored),
        CASE(test_second_run_measures_nothing),
        CASE(test_more_inputs_later),
        CASE(test_changed_variant_is_measured_again),
        CASE(test_other_variants_keep_their_times),
        CASE(test_changed_input_is_measured_whole),
        CASE(test_other_compiler_is_measured_whole),
        CASE(test_measured_device_features_are_kept),
        CASE(test_modelled_devices_share_a_load),
        CASE(test_modelled_needs_a_model),
        CASE(test_kinds_do_not_mix),
        CASE(test_bad_devices),
        CASE(test_inputs_that_cannot_be_loaded),
        CASE(test_no_input_can_be_loaded),
        CASE(test_bad_input_lists),
        CASE(test_other_names_are_refused),
        CASE(test_interrupted_by_progress),
        CASE(test_full_disk),
        CASE(test_killed_tune_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

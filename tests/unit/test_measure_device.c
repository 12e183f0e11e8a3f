/* Measuring on a device with a clock, caches and memory of its own: whose time counts, what becomes
 * of a device that a variant broke, and of formats that do not fit. The device is a fake one. */
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "unit/fake_device.h"
#include "unit/temporary.h"

typedef enum action {
    PLAIN,
    FAULT_LATER,     /* comes to light in stop, and ends the device for the process */
    FAULT_ONCE,      /* the same, but the device gets over it */
    FAULT_AT_LAUNCH, /* run itself returns it; the device is of no more use */
    FAULT_IN_CHECK,  /* the result cannot even be copied back */
    REFUSED_LAUNCH,  /* run returns it; the device is well */
    HANG_IN_STOP,
    CRASH_IN_STOP
} action;

typedef struct script {
    const char *name;
    double device_ms; /* of each call */
    action action;
    unsigned at_call; /* of the process; 0: at every call */
    size_t bytes;     /* that prepare takes of the device's memory */
    bool keeps;       /* them, whatever happens */
    unsigned calls;
    bool is_prepared;
} script;

static char a_stream;
static double wall_ms;

static double read_wall_clock(void *state)
{
    (void)state;
    return wall_ms;
}

static nitro_status hang_in_stop(nitro_device_session *session, void *stream, double *elapsed_ms)
{
    (void)session;
    (void)stream;
    (void)elapsed_ms;
    pause();
    return NITRO_OK;
}

static nitro_status crash_in_stop(nitro_device_session *session, void *stream, double *elapsed_ms)
{
    (void)session;
    (void)stream;
    (void)elapsed_ms;
    raise(SIGSEGV);
    return NITRO_OK;
}

static int act(action what)
{
    switch (what) {
    case FAULT_LATER:
        fake_device.is_broken = true;
        break;
    case FAULT_ONCE:
        fake_device.pending = "the launch timed out";
        break;
    case FAULT_AT_LAUNCH:
        fake_device.is_broken = true;
        return 700;
    case REFUSED_LAUNCH:
        return 9;
    case HANG_IN_STOP:
        fake_access.stop = hang_in_stop;
        break;
    case CRASH_IN_STOP:
        fake_access.stop = crash_in_stop;
        break;
    case FAULT_IN_CHECK:
    case PLAIN:
        break;
    }
    return 0;
}

static script *last_run;
static char problem[64]; /* what the application says of its last failure */

/* As asynchronous variants do: the host's clock stands all but still. */
static int run(void *argument, void *user)
{
    script *self = user;
    (void)argument;
    self->calls++;
    last_run = self;
    fake_device.clock_ms += self->device_ms;
    wall_ms += 0.001;
    int failure = self->at_call == 0 || self->at_call == self->calls ? act(self->action) : 0;
    if (failure)
        snprintf(problem, sizeof problem, "the launch failed");
    return failure;
}

static int input_fails; /* what prepare_input returns */

static int prepare_input(void *argument, void *user)
{
    (void)argument;
    (void)user;
    if (input_fails)
        snprintf(problem, sizeof problem, "the numbers take 12 GB");
    return input_fails;
}

static const char *problem_of(const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return problem;
}

static int prepare(void *argument, void *user)
{
    script *self = user;
    (void)argument;
    if (self->is_prepared)
        return 0;
    if (self->bytes > fake_device.free_bytes) {
        snprintf(problem, sizeof problem, "%zu bytes do not fit", self->bytes);
        return NITRO_ERR_NO_MEMORY;
    }
    fake_device.free_bytes -= self->bytes;
    self->is_prepared = true;
    return 0;
}

static void release(void *argument, void *user)
{
    script *self = user;
    (void)argument;
    if (self->is_prepared && !self->keeps) {
        fake_device.free_bytes += self->bytes;
        self->is_prepared = false;
    }
}

static void *stream_of(const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return &a_stream;
}

static int keep_reference(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 0;
}

static int check_result(void *argument, char *why, size_t size, void *user)
{
    (void)argument;
    (void)user;
    if (last_run->action != FAULT_IN_CHECK)
        return 0;
    fake_device.is_broken = true;
    snprintf(why, size, "the result cannot be copied");
    return 1;
}

static int size_feature(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = *(const double *)argument;
    return 0;
}

static nitro_status load_size(nitro_context *context, void *state, void **argument)
{
    if (fake_device.counts->opens == 0)
        return nitro_fail(context, NITRO_ERR_IO, "the device is not open yet");
    *argument = state;
    return NITRO_OK;
}

typedef struct bench {
    nitro_context *context;
    nitro_computation *computation;
    nitro_tune_options options;
    script scripts[8];
    size_t count;
    nitro_sample *sample;
    temporary folder;
    nitro_store *store;
} bench;

static double input_size = 12;
static const nitro_input plain_input = {"small", load_size, NULL, &input_size};

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    const nitro_clock clock = {read_wall_clock, read_wall_clock, NULL};
    b->context = unit_context();
    nitro_context_set_clock(b->context, &clock);
    wall_ms = 1000;
    input_fails = 0;
    fake_device_plug_in(b->context);
    nitro_tune_options_init(&b->options);
    b->options.measure.warmups = 1;
    b->options.measure.min_repetitions = b->options.measure.max_repetitions = 5;
    b->folder = temporary_make();
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    nitro_sample_free(b->sample);
    nitro_computation_free(b->computation);
    nitro_store_close(b->store);
    nitro_context_free(b->context);
    temporary_remove(&b->folder);
    fake_device_unplug();
    free(b);
    return 0;
}

static void add(bench *b, script what)
{
    b->scripts[b->count++] = what;
}

static void declare_as(bench *b, const char *kind, nitro_time_source time_source)
{
    static const nitro_hooks hooks = {.prepare_input = prepare_input,
                                      .keep_reference = keep_reference,
                                      .check_result = check_result,
                                      .stream = stream_of,
                                      .problem = problem_of};
    const nitro_feature feature = {.name = "size"};
    assert_ok(b->context, nitro_computation_create(b->context, "toy", &b->computation));
    assert_ok(b->context,
              nitro_computation_add_features(b->computation, &feature, 1, size_feature, NULL));
    for (size_t i = 0; i < b->count; i++) {
        const nitro_variant variant = {.name = b->scripts[i].name,
                                       .run = run,
                                       .prepare = prepare,
                                       .release = release,
                                       .time_source = time_source,
                                       .user = &b->scripts[i]};
        assert_ok(b->context, nitro_computation_add_variant(b->computation, &variant));
    }
    assert_ok(b->context, nitro_computation_set_hooks(b->computation, &hooks));
    assert_ok(b->context, nitro_computation_set_device_kind(b->computation, kind));
}

static void declare(bench *b)
{
    declare_as(b, "fake", NITRO_TIME_DEVICE);
}

static void measure(bench *b)
{
    declare(b);
    assert_ok(b->context,
              nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample));
}

static void assert_measured(const bench *b, size_t index, double median_ms)
{
    const nitro_entry *entry = &b->sample->entries[index];
    if (entry->outcome != NITRO_OUTCOME_MEASURED)
        fail_msg("%s is %s: %s", b->scripts[index].name, nitro_outcome_name(entry->outcome),
                 entry->detail ? entry->detail : "");
    if (!(fabs(entry->median_ms - median_ms) < 1e-9))
        fail_msg("%s took %g ms, not %g", b->scripts[index].name, entry->median_ms, median_ms);
}

static void assert_without_time(const bench *b, size_t index, nitro_outcome outcome,
                                const char *detail)
{
    const nitro_entry *entry = &b->sample->entries[index];
    assert_string_equal(nitro_outcome_name(entry->outcome), nitro_outcome_name(outcome));
    assert_true(isnan(entry->median_ms));
    assert_string_equal(entry->detail ? entry->detail : "", detail);
}

/* ---- Whose time ----------------------------------------------------------------------------- */

static void test_the_devices_clock_counts(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "slow", .device_ms = 3});
    add(b, (script){.name = "fast", .device_ms = 2});
    measure(b);
    assert_measured(b, 0, 3);
    assert_measured(b, 1, 2);
    const fake_counts *counts = fake_device.counts;
    assert_int_equal(counts->opens, 1);
    assert_int_equal(counts->closes, 1);
    assert_int_equal(counts->starts, counts->stops);
    assert_int_equal(counts->starts, 2 * (1 + 1 + 5)); /* tried, warmed up, counted */
    assert_ptr_equal(counts->stream, &a_stream);
    assert_int_equal(counts->flushes, 0);
    assert_null(b->sample->provenance.cache);
}

/* Kernels too short for events are timed several at a time. */
static void test_short_calls_are_timed_in_batches(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "short", .device_ms = 0.001});
    measure(b);
    assert_measured(b, 0, 0.001);
    assert_int_equal(b->sample->entries[0].count, 5);
    assert_true(fake_device.counts->starts < 20);
}

static void test_other_time_sources_work_on_a_device_too(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "synchronous", .device_ms = 3});
    declare_as(b, "fake", NITRO_TIME_WALL);
    assert_ok(b->context,
              nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample));
    assert_measured(b, 0, 0.001);
    assert_int_equal(fake_device.counts->starts, 0);
}

static void test_a_device_without_a_clock_is_refused(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3});
    declare_as(b, "host", NITRO_TIME_DEVICE);
    assert_fails(b->context, nitro_measure(b->computation, &plain_input, NULL, &b->sample),
                 NITRO_ERR_ARGUMENT,
                 "toy: variant csr is to be timed by the device's own clock (NITRO_TIME_DEVICE), "
                 "and devices of kind host have none");
    assert_ok(b->context, nitro_computation_set_device_kind(b->computation, "abacus"));
    assert_fails(b->context, nitro_measure(b->computation, &plain_input, NULL, &b->sample),
                 NITRO_ERR_NOT_BUILT, "kind abacus, which this build does not know");
}

static void test_a_device_that_cannot_be_opened_is_no_fault_of_the_input(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3});
    declare(b);
    fake_device.refuses_to_open = true;
    assert_fails(b->context, nitro_measure(b->computation, &plain_input, NULL, &b->sample),
                 NITRO_ERR_IO, "toy: device fake cannot be opened: fake: all devices are busy");
}

/* ---- Cold caches and the state of the device ------------------------------------------------ */

static void test_cold_caches_are_flushed_before_each_call(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "short", .device_ms = 0.001});
    b->options.measure.cache = NITRO_CACHE_COLD;
    measure(b);
    assert_measured(b, 0, 0.001);
    assert_int_equal(fake_device.counts->flushes, 1 + 1 + 5); /* no batches */
    assert_ptr_equal(fake_device.counts->flushed, &a_stream);
    assert_string_equal(b->sample->provenance.cache, "cold");
}

static void test_caches_that_cannot_be_flushed_are_not_called_cold(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3});
    declare(b);
    fake_access.flush = NULL;
    b->options.measure.cache = NITRO_CACHE_COLD;
    assert_fails(b->context,
                 nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample),
                 NITRO_ERR_ARGUMENT, "caches of devices of kind fake cannot be flushed here");
    b->options.measure.cache = (nitro_cache)7;
    assert_fails(b->context,
                 nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample),
                 NITRO_ERR_ARGUMENT, "there is no nitro_cache 7");
}

static void test_hosts_have_cold_caches_too(void **state)
{
    bench *b = *state;
    double big = 12;
    const nitro_input input = {"small", load_size, NULL, &big};
    add(b, (script){.name = "csr", .device_ms = 3});
    declare_as(b, "host", NITRO_TIME_WALL);
    fake_device.counts->opens = 1; /* of load_size's */
    b->options.measure.cache = NITRO_CACHE_COLD;
    assert_ok(b->context, nitro_measure(b->computation, &input, &b->options.measure, &b->sample));
    assert_int_equal(b->sample->entries[0].outcome, NITRO_OUTCOME_MEASURED);
    assert_string_equal(b->sample->provenance.cache, "cold");
    assert_non_null(strstr(b->sample->provenance.device_state, "load "));
}

static void test_the_state_is_recorded(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3});
    measure(b);
    assert_string_equal(b->sample->provenance.device_state, "1980 MHz");
    nitro_sample_free(b->sample);
    b->sample = NULL;
    fake_device.states[1] = "1755 MHz, throttled:\npower";
    assert_ok(b->context,
              nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample));
    assert_string_equal(b->sample->provenance.device_state,
                        "1980 MHz; then 1755 MHz, throttled: power");
}

/* ---- Faults --------------------------------------------------------------------------------- */

/* csr before it and dia after it are measured whatever the one in the middle does. */
static void measure_among_good_ones(bench *b, action what, unsigned at_call)
{
    add(b, (script){.name = "csr", .device_ms = 3});
    add(b, (script){.name = "ell", .device_ms = 2, .action = what, .at_call = at_call});
    add(b, (script){.name = "dia", .device_ms = 1});
    measure(b);
    assert_measured(b, 0, 3);
    assert_measured(b, 2, 1);
}

static void test_a_sticky_error_costs_one_entry(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, FAULT_LATER, 1);
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED,
                        "in call 1 of run: fake: stopping: an illegal memory access");
    assert_int_equal(fake_device.counts->opens, 2); /* the first worker ended */
    assert_int_equal(fake_device.counts->closes, 1);
}

static void test_a_sticky_error_while_timing_costs_one_entry(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, FAULT_LATER, 4);
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED,
                        "in call 4 of run: fake: stopping: an illegal memory access");
    assert_int_equal(fake_device.counts->opens, 2);
}

static void test_a_sticky_error_of_the_reference_costs_one_entry(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3, .action = FAULT_LATER});
    add(b, (script){.name = "ell", .device_ms = 2});
    measure(b);
    assert_without_time(b, 0, NITRO_OUTCOME_FAILED,
                        "in call 1 of run: fake: stopping: an illegal memory access");
    assert_measured(b, 1, 2);
    assert_string_equal(b->sample->entries[1].detail,
                        "unchecked: it stands in for reference csr, which has no result here");
}

static void test_each_of_two_sticky_errors_costs_one_entry(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3, .action = FAULT_LATER, .at_call = 3});
    add(b, (script){.name = "ell", .device_ms = 2, .action = FAULT_LATER});
    add(b, (script){.name = "dia", .device_ms = 1});
    measure(b);
    assert_without_time(b, 0, NITRO_OUTCOME_FAILED,
                        "in call 3 of run: fake: stopping: an illegal memory access");
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED,
                        "in call 1 of run: fake: stopping: an illegal memory access");
    assert_measured(b, 2, 1);
    assert_int_equal(fake_device.counts->opens, 3);
}

static void test_what_run_returned_is_told_with_the_devices_words(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, FAULT_AT_LAUNCH, 0);
    assert_without_time(
        b, 1, NITRO_OUTCOME_FAILED,
        "run returned 700 in call 1: the launch failed: fake: stopping: an illegal memory "
        "access");
    assert_int_equal(fake_device.counts->opens, 2);
}

static void test_a_fault_found_by_the_check_ends_the_worker(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, FAULT_IN_CHECK, 0);
    assert_without_time(
        b, 1, NITRO_OUTCOME_WRONG_RESULT,
        "the result cannot be copied (after call 1 of run); then fake: asking: an illegal "
        "memory access");
    assert_int_equal(fake_device.counts->opens, 2);
}

static void test_a_device_that_gets_over_it_is_used_on(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, FAULT_ONCE, 3);
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED, "in call 3 of run: fake: the launch timed out");
    assert_int_equal(fake_device.counts->opens, 1);
}

static void test_a_refused_launch_is_no_broken_device(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, REFUSED_LAUNCH, 2);
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED, "run returned 9 in call 2: the launch failed");
    assert_int_equal(fake_device.counts->opens, 1);
    assert_int_equal(fake_device.counts->starts, fake_device.counts->stops);
}

static void test_a_kernel_that_hangs_is_the_variants(void **state)
{
    bench *b = *state;
    b->options.measure.timeout_ms = 100;
    measure_among_good_ones(b, HANG_IN_STOP, 1);
    assert_without_time(b, 1, NITRO_OUTCOME_TIMED_OUT, "took longer than 100 ms in run, call 1");
}

static void test_a_driver_that_crashes_costs_one_entry(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, CRASH_IN_STOP, 2);
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGSEGV in run, call 2");
}

/* ---- Memory --------------------------------------------------------------------------------- */

static void test_a_format_that_does_not_fit_says_so(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3, .bytes = 100});
    add(b, (script){.name = "dia", .device_ms = 2, .bytes = 5000000});
    add(b, (script){.name = "ell", .device_ms = 1, .bytes = 200});
    fake_device.free_bytes = 2000000;
    measure(b);
    assert_measured(b, 0, 3);
    assert_measured(b, 2, 1);
    assert_without_time(
        b, 1, NITRO_OUTCOME_OUT_OF_MEMORY,
        "prepare found too little memory, 2.0 MB were free: 5000000 bytes do not fit");
}

/* Each fits by itself: none is said not to. */
static void test_formats_that_do_not_fit_together_are_measured_apart(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3, .bytes = 600});
    add(b, (script){.name = "dia", .device_ms = 2, .bytes = 900});
    add(b, (script){.name = "ell", .device_ms = 1, .bytes = 500});
    add(b, (script){.name = "coo", .device_ms = 4, .bytes = 300});
    measure(b);
    assert_measured(b, 0, 3);
    assert_measured(b, 1, 2);
    assert_measured(b, 2, 1);
    assert_measured(b, 3, 4);
    assert_int_equal(fake_device.counts->opens, 3); /* csr and coo, dia, ell */
}

static void test_an_input_that_does_not_fit_is_each_variants_entry(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3});
    add(b, (script){.name = "ell", .device_ms = 2});
    input_fails = NITRO_ERR_NO_MEMORY;
    measure(b);
    for (size_t v = 0; v < 2; v++)
        assert_without_time(b, v, NITRO_OUTCOME_OUT_OF_MEMORY,
                            "prepare_input found too little memory: the numbers take 12 GB");
    assert_true(b->sample->features[0] == 12);
    nitro_sample_free(b->sample);
    b->sample = NULL;
    input_fails = 5;
    assert_fails(b->context,
                 nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample),
                 NITRO_ERR_VARIANT_FAILED,
                 "input 'small': prepare_input returned 5: the numbers take 12 GB");
}

static void test_a_leak_ends_in_an_entry_not_in_a_loop(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3, .bytes = 600, .keeps = true});
    add(b, (script){.name = "dia", .device_ms = 2, .bytes = 900});
    measure(b);
    assert_measured(b, 0, 3);
    assert_without_time(b, 1, NITRO_OUTCOME_OUT_OF_MEMORY,
                        "prepare found too little memory, 0.0 MB were free: 900 bytes do not fit");
}

/* ---- Tuning --------------------------------------------------------------------------------- */

static void open_store(bench *b)
{
    b->store = temporary_store(b->context, &b->folder, "store");
}

static void declare_and_open_store(bench *b)
{
    add(b, (script){.name = "csr", .device_ms = 3});
    add(b, (script){.name = "ell", .device_ms = 2});
    declare(b);
    open_store(b);
}

static nitro_status tune(bench *b, const char *device)
{
    return nitro_tune(b->computation, b->store, device, &plain_input, 1, &b->options);
}

static void test_samples_tell_the_state_of_the_device(void **state)
{
    bench *b = *state;
    declare_and_open_store(b);
    b->options.measure.cache = NITRO_CACHE_COLD;
    assert_ok(b->context, tune(b, "fake"));
    assert_ok(b->context, nitro_store_get_sample(b->store, "toy", "fake:one", "small", &b->sample));
    assert_measured(b, 1, 2);
    assert_string_equal(b->sample->provenance.origin, "measured");
    assert_string_equal(b->sample->provenance.device_state, "1980 MHz");
    assert_string_equal(b->sample->provenance.cache, "cold");
}

/* Two machines with a card of one name share a store: their samples do not meet. */
static void test_devices_are_called_after_their_machine(void **state)
{
    bench *b = *state;
    size_t count = 0;
    nitro_string_list ids = {0};
    declare_and_open_store(b);
    setenv("NITRO_MACHINE", "lab2", 1);
    assert_ok(b->context, tune(b, "fake"));
    assert_ok(b->context, tune(b, "fake:one@lab2"));
    assert_fails(b->context, tune(b, "fake:one"), NITRO_ERR_NOT_FOUND, "this one is called lab2");
    assert_fails(b->context, tune(b, "fake:one@lab3"), NITRO_ERR_NOT_FOUND, "NITRO_MACHINE");
    assert_ok(b->context, nitro_device_list(b->context, &ids));
    assert_string_equal(ids.items[0], "fake:one@lab2");
    nitro_string_list_free(&ids);
    setenv("NITRO_MACHINE", "a-name-that-is-so-long-that-no-id-holds-it-with-the-devices-own", 1);
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_ARGUMENT, "shorter name");
    setenv("NITRO_MACHINE", "lab:2", 1);
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_FORMAT, "NITRO_MACHINE");
    unsetenv("NITRO_MACHINE");
    assert_fails(b->context, tune(b, "fake:one@lab2"), NITRO_ERR_NOT_FOUND, "has no name");
    assert_ok(b->context, tune(b, "fake"));
    assert_ok(b->context, nitro_store_list_devices(b->store, NULL, &ids));
    assert_int_equal(ids.count, 2);
    nitro_string_list_free(&ids);
    assert_ok(b->context,
              nitro_store_count_samples(b->store, nitro_computation_name(b->computation),
                                        "fake:one@lab2", &count));
    assert_int_equal(count, 1);
}

static void test_a_device_of_another_kind_is_refused(void **state)
{
    bench *b = *state;
    declare_and_open_store(b);
    assert_fails(b->context, tune(b, "host"), NITRO_ERR_ARGUMENT,
                 "is of kind host, and the variants of this toy run on devices of kind fake");
    assert_ok(b->context, nitro_computation_set_device_kind(b->computation, "host"));
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_ARGUMENT,
                 "device fake:one is of kind fake, and the variants of this toy run on devices of "
                 "kind host");
}

/* Warm and cold samples do not stand side by side unless all are measured again. */
static void test_cold_and_warm_samples_are_kept_apart(void **state)
{
    bench *b = *state;
    declare_and_open_store(b);
    assert_ok(b->context, tune(b, "fake"));
    b->options.measure.cache = NITRO_CACHE_COLD;
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_MISMATCH,
                 "holds 1 sample of toy on fake:one with warm caches, and cold ones are asked");
    b->options.again = true;
    assert_ok(b->context, tune(b, "fake"));
    b->options.again = false;
    assert_ok(b->context, tune(b, "fake")); /* nothing to do */
    b->options.measure.cache = NITRO_CACHE_WARM;
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_MISMATCH, "with cold caches, and warm");
    const nitro_input other = {"other", load_size, NULL, &input_size};
    b->options.again = true;
    assert_fails(b->context, nitro_tune(b->computation, b->store, "fake", &other, 1, &b->options),
                 NITRO_ERR_MISMATCH, "with cold caches, and warm"); /* it would stay beside */
}

static size_t num_told;

static void count_log(void *user, nitro_log_level level, const char *message)
{
    (void)user;
    num_told += level == NITRO_LOG_WARNING && strstr(message, "times are of cold caches");
}

static void test_learning_from_both_is_said(void **state)
{
    bench *b = *state;
    nitro_dataset *dataset = NULL;
    nitro_device *device = NULL;
    declare_and_open_store(b);
    assert_ok(b->context, tune(b, "fake"));
    assert_ok(b->context, nitro_store_get_sample(b->store, "toy", "fake:one", "small", &b->sample));
    b->sample->provenance.cache = strdup("cold");
    assert_ok(b->context, nitro_device_create(b->context, "fake:two", "fake", &device));
    assert_ok(b->context, nitro_store_put_device(b->store, device));
    nitro_device_free(device);
    const nitro_sample *samples[] = {b->sample};
    assert_ok(b->context, nitro_store_put_samples(b->store, "toy", "fake:two", samples, 1, false));
    nitro_context_set_log(b->context, NITRO_LOG_WARNING, count_log, NULL);
    const char *devices[] = {"fake:one", "fake:two"};
    num_told = 0;
    assert_ok(b->context, nitro_dataset_load(b->store, "toy", devices, 1, &dataset));
    nitro_dataset_free(dataset);
    assert_int_equal(num_told, 0);
    assert_ok(b->context, nitro_dataset_load(b->store, "toy", devices, 2, &dataset));
    nitro_dataset_free(dataset);
    assert_int_equal(num_told, 1);
}

/* The tune ends: the inputs are not to blame, and the next ones would fare no better. */
static void test_a_tune_ends_where_the_device_is_gone(void **state)
{
    bench *b = *state;
    declare_and_open_store(b);
    fake_device.refuses_to_open = true;
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_IO,
                 "device fake:one cannot be opened: fake: all devices are busy");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_the_devices_clock_counts),
        TEST(test_short_calls_are_timed_in_batches),
        TEST(test_other_time_sources_work_on_a_device_too),
        TEST(test_a_device_without_a_clock_is_refused),
        TEST(test_a_device_that_cannot_be_opened_is_no_fault_of_the_input),
        TEST(test_cold_caches_are_flushed_before_each_call),
        TEST(test_caches_that_cannot_be_flushed_are_not_called_cold),
        TEST(test_hosts_have_cold_caches_too),
        TEST(test_the_state_is_recorded),
        TEST(test_a_sticky_error_costs_one_entry),
        TEST(test_a_sticky_error_while_timing_costs_one_entry),
        TEST(test_a_sticky_error_of_the_reference_costs_one_entry),
        TEST(test_each_of_two_sticky_errors_costs_one_entry),
        TEST(test_what_run_returned_is_told_with_the_devices_words),
        TEST(test_a_fault_found_by_the_check_ends_the_worker),
        TEST(test_a_device_that_gets_over_it_is_used_on),
        TEST(test_a_refused_launch_is_no_broken_device),
        TEST(test_a_kernel_that_hangs_is_the_variants),
        TEST(test_a_driver_that_crashes_costs_one_entry),
        TEST(test_a_format_that_does_not_fit_says_so),
        TEST(test_formats_that_do_not_fit_together_are_measured_apart),
        TEST(test_an_input_that_does_not_fit_is_each_variants_entry),
        TEST(test_a_leak_ends_in_an_entry_not_in_a_loop),
        TEST(test_samples_tell_the_state_of_the_device),
        TEST(test_devices_are_called_after_their_machine),
        TEST(test_a_device_of_another_kind_is_refused),
        TEST(test_cold_and_warm_samples_are_kept_apart),
        TEST(test_learning_from_both_is_said),
        TEST(test_a_tune_ends_where_the_device_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

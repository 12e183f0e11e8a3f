/* device_measuring.h - fixture of tests of measuring on a device: a computation with scripted
 * variants on the fake device. */
#ifndef NITRO_TESTS_UNIT_MEASURE_DEVICE_MEASURING_H
#define NITRO_TESTS_UNIT_MEASURE_DEVICE_MEASURING_H

#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "unit/measure/fake_device.h"
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
    double cold_ms;   /* of a call after another variant's; 0: the same */
    action action;
    unsigned at_call; /* of the process; 0: at every call */
    size_t bytes;     /* that prepare takes of the device's memory */
    bool keeps;       /* them, whatever happens */
    unsigned calls;
    bool is_prepared;
} script;

static char a_stream;
static double wall_ms;

static inline double read_wall_clock(void *state)
{
    (void)state;
    return wall_ms;
}

static inline nitro_status hang_in_stop(nitro_device_session *session, void *stream,
                                        double *elapsed_ms)
{
    (void)session;
    (void)stream;
    (void)elapsed_ms;
    pause();
    return NITRO_OK;
}

static inline nitro_status crash_in_stop(nitro_device_session *session, void *stream,
                                         double *elapsed_ms)
{
    (void)session;
    (void)stream;
    (void)elapsed_ms;
    raise(SIGSEGV);
    return NITRO_OK;
}

static inline int act(action what)
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
static inline int run(void *argument, void *user)
{
    script *self = user;
    (void)argument;
    self->calls++;
    fake_device.clock_ms += self->cold_ms > 0 && last_run != self ? self->cold_ms : self->device_ms;
    last_run = self;
    wall_ms += 0.001;
    int failure = self->at_call == 0 || self->at_call == self->calls ? act(self->action) : 0;
    if (failure)
        snprintf(problem, sizeof problem, "the launch failed");
    return failure;
}

static int input_fails; /* what prepare_input returns */

static inline int prepare_input(void *argument, void *user)
{
    (void)argument;
    (void)user;
    if (input_fails)
        snprintf(problem, sizeof problem, "the numbers take 12 GB");
    return input_fails;
}

static inline const char *problem_of(const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return problem;
}

static inline int prepare(void *argument, void *user)
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

static inline void release(void *argument, void *user)
{
    script *self = user;
    (void)argument;
    if (self->is_prepared && !self->keeps) {
        fake_device.free_bytes += self->bytes;
        self->is_prepared = false;
    }
}

static inline void *stream_of(const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return &a_stream;
}

static inline int keep_reference(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 0;
}

static inline int check_result(void *argument, char *why, size_t size, void *user)
{
    (void)argument;
    (void)user;
    if (last_run->action != FAULT_IN_CHECK)
        return 0;
    fake_device.is_broken = true;
    snprintf(why, size, "the result cannot be copied");
    return 1;
}

static inline int size_feature(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = *(const double *)argument;
    return 0;
}

static inline nitro_status load_size(nitro_context *context, void *state, void **argument)
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

static inline int set_up(void **state)
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

static inline int tear_down(void **state)
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

static inline void add(bench *b, script what)
{
    b->scripts[b->count++] = what;
}

static inline void declare_as(bench *b, const char *kind, nitro_time_source time_source)
{
    static const nitro_hooks hooks = {.prepare_input = prepare_input,
                                      .keep_reference = keep_reference,
                                      .check_result = check_result,
                                      .stream = stream_of};
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
    assert_ok(b->context, nitro_computation_set_problem(b->computation, problem_of, NULL));
    assert_ok(b->context, nitro_computation_set_device_kind(b->computation, kind));
}

static inline void declare(bench *b)
{
    declare_as(b, "fake", NITRO_TIME_DEVICE);
}

static inline void measure(bench *b)
{
    declare(b);
    assert_ok(b->context,
              nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample));
}

static inline void assert_measured(const bench *b, size_t index, double median_ms)
{
    const nitro_entry *entry = &b->sample->entries[index];
    if (entry->outcome != NITRO_OUTCOME_MEASURED)
        fail_msg("%s is %s: %s", b->scripts[index].name, nitro_outcome_name(entry->outcome),
                 entry->detail ? entry->detail : "");
    if (!(fabs(entry->median_ms - median_ms) < 1e-9))
        fail_msg("%s took %g ms, not %g", b->scripts[index].name, entry->median_ms, median_ms);
}

#endif

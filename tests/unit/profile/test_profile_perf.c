/* The profiler "perf" on synthetic events: counting, summing, scaling, errors. */
#include <errno.h>
#include <math.h>

#include "proxies/profilers/profile_perf.h"
#include "unit/unit.h"

enum { MOST_EVENTS = 64 };

typedef struct event {
    uint32_t type;
    uint64_t config;
    bool open, on;
    perf_reading reading;
} event;

/* A machine on which each run executes so and so many of each event. */
typedef struct machine {
    event events[MOST_EVENTS];
    int num_events;
    int open_problem; /* of the first event; 0: none */
    uint64_t refused; /* this configuration cannot be opened */
    int read_problem, start_problem, stop_problem;
    bool starved;   /* another process has the counters */
    uint64_t share; /* of the time, that an event has a counter: one in so many */
    unsigned runs, restores;
    int run_result;
} machine;

static int open_fake(void *user, uint32_t type, uint64_t config)
{
    machine *self = user;
    if (self->num_events == 0 && self->open_problem)
        return -self->open_problem;
    if (self->refused && config == self->refused)
        return -ENOENT;
    /* It has counted before: only what a run adds may matter. */
    self->events[self->num_events] =
        (event){.type = type, .config = config, .open = true, .reading = {1000, 500, 500}};
    return self->num_events++;
}

static int start_fake(void *user, int handle)
{
    machine *self = user;
    assert_true(self->events[handle].open && !self->events[handle].on);
    for (int i = 0; i < self->num_events; i++)
        assert_false(self->events[i].on); /* one at a time */
    self->events[handle].on = self->start_problem == 0;
    return -self->start_problem;
}

static int stop_fake(void *user, int handle)
{
    machine *self = user;
    self->events[handle].on = false;
    return -self->stop_problem;
}

static int read_fake(void *user, int handle, perf_reading *reading)
{
    machine *self = user;
    *reading = self->events[handle].reading;
    return -self->read_problem;
}

static void close_fake(void *user, int handle)
{
    machine *self = user;
    assert_true(self->events[handle].open);
    self->events[handle].open = false;
}

static int run_fake(void *user)
{
    machine *self = user;
    self->runs++;
    for (int i = 0; i < self->num_events; i++) {
        event *each = &self->events[i];
        if (!each->on || self->starved)
            continue;
        each->reading.count += (each->config & 0xff) == 0xc7 ? 10 : 100;
        each->reading.enabled_ns += 8 * self->share;
        each->reading.running_ns += 8;
    }
    return self->run_result;
}

static int restore_fake(void *user)
{
    ((machine *)user)->restores++;
    return 0;
}

typedef struct fixture {
    nitro_context *context;
    machine machine;
    perf_source source;
    void *session;
    nitro_string_list counters;
    double values[64];
    unsigned num_kernels;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->context = unit_context();
    f->machine.share = 1;
    f->source = (perf_source){.open = open_fake,
                              .start = start_fake,
                              .stop = stop_fake,
                              .read = read_fake,
                              .close = close_fake,
                              .vendor = "GenuineIntel",
                              .paranoid = 3,
                              .user = &f->machine};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    if (f->session)
        perf_session_close(f->session);
    for (int i = 0; i < f->machine.num_events; i++)
        assert_false(f->machine.events[i].open || f->machine.events[i].on);
    nitro_string_list_free(&f->counters);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static nitro_status open_session(fixture *f)
{
    return perf_session_open(f->context, &f->source, &f->session);
}

static nitro_status keep_values(void *user, const char *kernel, const double *values)
{
    fixture *f = user;
    assert_string_equal(kernel, "run");
    memcpy(f->values, values, f->counters.count * sizeof *values);
    f->num_kernels++;
    return NITRO_OK;
}

static nitro_status collect(fixture *f)
{
    const nitro_profiled_work work = {
        .restore = restore_fake, .run = run_fake, .user = &f->machine};
    return perf_session_collect(f->session, &f->counters, &work, keep_values, f);
}

static bool has(void *user, const char *counter)
{
    const fixture *f = user;
    return perf_session_has(f->session, counter);
}

/* What the built-in proxies want of hosts. */
static void choose(fixture *f)
{
    nitro_proxies *proxies = NULL;
    assert_ok(f->context, nitro_proxies_create(f->context, NULL, &proxies));
    assert_ok(f->context, nitro_proxies_choose_counters(f->context, proxies, has, f, &f->counters));
    nitro_proxies_free(proxies);
}

static double value(const fixture *f, const char *counter)
{
    size_t place = nitro_string_list_find(&f->counters, counter);
    assert_true(place != NITRO_NONE);
    return f->values[place];
}

static void test_counting(void **state)
{
    fixture *f = *state;
    assert_ok(f->context, open_session(f));
    choose(f);
    assert_ok(f->context, collect(f));
    assert_int_equal(f->num_kernels, 1);
    assert_true(value(f, "perf.instructions") == 100);
    assert_true(value(f, "perf.loads") == 100);
    assert_true(value(f, "perf.atomics") == 100);
    assert_true(value(f, "perf.fp32_instructions") == 10);
    assert_true(value(f, "perf.flops_sp") == 10 * (1 + 4 + 8 + 16));
    assert_true(value(f, "perf.flops_dp") == 10 * (1 + 2 + 4 + 8));
    assert_int_equal(f->machine.runs, f->machine.restores);
    assert_true(f->machine.runs >= f->counters.count); /* each event had a run of its own */
}

static void test_shared_counters_are_scaled(void **state)
{
    fixture *f = *state;
    f->machine.share = 4;
    assert_ok(f->context, open_session(f));
    choose(f);
    assert_ok(f->context, collect(f));
    assert_true(value(f, "perf.instructions") == 400);
    f->machine.starved = true;
    assert_ok(f->context, collect(f));
    assert_true(isnan(value(f, "perf.instructions")));
    assert_true(isnan(value(f, "perf.flops_sp")));
}

static void test_what_a_machine_lacks(void **state)
{
    fixture *f = *state;
    f->machine.refused = 0x08c7; /* a part of flops_sp */
    assert_ok(f->context, open_session(f));
    assert_false(perf_session_has(f->session, "perf.flops_sp"));
    assert_true(perf_session_has(f->session, "perf.flops_dp"));
    assert_false(perf_session_has(f->session, "smsp__inst_issued.sum"));
    perf_session_close(f->session);
    f->session = NULL;
    f->source.vendor = "";
    assert_ok(f->context, open_session(f));
    assert_false(perf_session_has(f->session, "perf.atomics"));
    assert_true(perf_session_has(f->session, "perf.stores"));
}

static void test_refusals(void **state)
{
    fixture *f = *state;
    static const struct {
        int problem;
        const char *text;
    } refusals[] = {{EACCES, "kernel.perf_event_paranoid is 3; be root"},
                    {EPERM, "sysctl kernel.perf_event_paranoid=2"},
                    {ENOENT, "this is a virtual machine without them"},
                    {EOPNOTSUPP, "have its host pass them through"},
                    {ENOSYS, "no perf_event_open"},
                    {EMFILE, "cannot be read: Too many open files"}};
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        f->machine.num_events = 0;
        f->machine.open_problem = refusals[i].problem;
        assert_fails(f->context, open_session(f), NITRO_ERR_IO, refusals[i].text);
        assert_null(f->session);
    }
}

static void test_failures(void **state)
{
    fixture *f = *state;
    assert_ok(f->context, open_session(f));
    choose(f);
    f->machine.run_result = 7;
    assert_fails(f->context, collect(f), NITRO_ERR_VARIANT_FAILED, "run returned 7");
    f->machine.run_result = 0;
    f->machine.start_problem = EBUSY;
    assert_fails(f->context, collect(f), NITRO_ERR_IO, "starting counter perf.instructions");
    f->machine.start_problem = 0;
    f->machine.stop_problem = EIO;
    assert_fails(f->context, collect(f), NITRO_ERR_IO, "reading counter perf.instructions");
    f->machine.stop_problem = 0;
    f->machine.read_problem = EIO;
    assert_fails(f->context, collect(f), NITRO_ERR_IO, "starting counter perf.instructions");
    assert_int_equal(f->num_kernels, 0);
}

/* This machine's own counters, where it has any. */
static int spin(void *user)
{
    volatile double *sum = user;
    for (int i = 0; i < 1000000; i++)
        *sum += i;
    return 0;
}

static void test_this_machine(void **state)
{
    fixture *f = *state;
    double sum = 0;
    char message[512];
    const nitro_profiled_work work = {.run = spin, .user = &sum};
    perf_source_init(&f->source);
    if (open_session(f) != NITRO_OK) {
        nitro_context_last_error(f->context, message, sizeof message);
        print_message("SKIPPED: %s\n", message);
        skip();
    }
    choose(f);
    assert_ok(f->context, perf_session_collect(f->session, &f->counters, &work, keep_values, f));
    assert_true(value(f, "perf.instructions") > 2e6 && value(f, "perf.instructions") < 1e8);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_counting),
        TEST(test_shared_counters_are_scaled),
        TEST(test_what_a_machine_lacks),
        TEST(test_refusals),
        TEST(test_failures),
        TEST(test_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

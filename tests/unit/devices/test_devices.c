/* Device kinds: conformance of every kind (a row of the list is a row of this test), and the host
 * on this machine and with a test clock. */
#include <math.h>
#include <unistd.h>

#include "features/device/host/host_kernels.h"
#include "features/device/host/host_kind.h"
#include "nitro/base/context.h"
#include "unit/unit.h"

static bool same_devices(const nitro_device *a, const nitro_device *b)
{
    if (strcmp(a->id, b->id) != 0 || strcmp(a->kind, b->kind) != 0 ||
        a->num_features != b->num_features || a->num_labels != b->num_labels)
        return false;
    for (size_t i = 0; i < a->num_features; i++)
        if (strcmp(a->features[i].name, b->features[i].name) != 0)
            return false;
    return true;
}

static void check_device(const nitro_device_kind *kind, const nitro_device *device)
{
    assert_string_equal(device->kind, kind->name);
    assert_true(device->num_features > 0);
    assert_non_null(nitro_device_label(device, "model"));
    for (size_t i = 0; i < device->num_features; i++) {
        const nitro_device_feature *feature = &device->features[i];
        if (!nitro_device_feature_lookup(feature->name))
            fail_msg("%s: feature %s has no row in the table", device->id, feature->name);
        if (!(isfinite(feature->value) && feature->value > 0 && feature->spread == 0))
            fail_msg("%s: %s is %g +- %g", device->id, feature->name, feature->value,
                     feature->spread);
    }
}

/* What is recorded of a device makes the same device; what is no recording makes none. */
static void check_recording(nitro_context *context, const nitro_device_kind *kind,
                            const nitro_device *device)
{
    nitro_device *replayed = NULL;
    char *text = NULL;
    assert_true((kind->record == NULL) == (kind->replay == NULL));
    if (!kind->record)
        return;
    assert_int_equal(kind->replay(context, "empty", "", 0, &replayed), NITRO_ERR_FORMAT);
    assert_int_equal(kind->record(context, "nobody:knows-me", false, &text), NITRO_ERR_NOT_FOUND);
    assert_null(replayed);
    assert_null(text);
    if (!device)
        return;
    assert_ok(context, kind->record(context, device->id, false, &text));
    assert_ok(context, kind->replay(context, "recording", text, strlen(text), &replayed));
    assert_true(same_devices(device, replayed));
    nitro_device_free(replayed);
    free(text);
}

static void check_kind(nitro_context *context, const nitro_device_kind *kind)
{
    assert_true(nitro_name_is_valid(kind->name));
    assert_true(strlen(kind->description) > 0);
    nitro_string_list ids = {0};
    assert_ok(context, nitro_string_list_add(context, &ids, "already there"));
    assert_ok(context, kind->list(context, &ids));
    assert_string_equal(ids.items[0], "already there");
    for (size_t i = 1; i < ids.count; i++) {
        assert_true(nitro_device_id_is_valid(ids.items[i]));
        nitro_device *device = NULL, *again = NULL;
        assert_ok(context, kind->describe(context, ids.items[i], false, &device));
        assert_ok(context, kind->describe(context, ids.items[i], false, &again));
        assert_string_equal(device->id, ids.items[i]);
        assert_true(same_devices(device, again));
        check_device(kind, device);
        check_recording(context, kind, device);
        nitro_device_free(device);
        nitro_device_free(again);
    }
    nitro_string_list_free(&ids);
    check_recording(context, kind, NULL);
    static const char *const strangers[] = {"",      "h",      "nobody:knows-me",
                                            "host:", "model:", "hostess"};
    for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
        nitro_device *device = NULL;
        assert_int_equal(kind->describe(context, strangers[i], false, &device),
                         NITRO_ERR_NOT_FOUND);
        assert_null(device);
    }
}

static void test_every_kind(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const nitro_device_kind *const *kinds = nitro_builtin_device_kinds();
    assert_non_null(kinds[0]);
    for (size_t i = 0; kinds[i]; i++)
        check_kind(context, kinds[i]);
    nitro_context_free(context);
}

static const nitro_device_kind *host_kind(void)
{
    const nitro_device_kind *const *kind = nitro_builtin_device_kinds();
    while (strcmp((*kind)->name, "host") != 0)
        kind++;
    return *kind;
}

static nitro_status list_without_memory(nitro_context *context, nitro_string_list *ids)
{
    (void)ids;
    return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: a list");
}

static nitro_status list_without_driver(nitro_context *context, nitro_string_list *ids)
{
    (void)ids;
    return nitro_fail(context, NITRO_ERR_NOT_FOUND, "no driver");
}

static void test_a_list_lacks_no_device_for_want_of_memory(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device_kind kind = {.name = "test", .list = list_without_driver};
    nitro_string_list ids = {0};
    context->test_device_kind = &kind;
    assert_ok(context, nitro_device_list(context, &ids));
    assert_true(ids.count > 0);
    kind.list = list_without_memory;
    assert_fails(context, nitro_device_list(context, &ids), NITRO_ERR_NO_MEMORY, "a list");
    nitro_string_list_free(&ids);
    nitro_context_free(context);
}

static void test_this_machine(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *device;
    assert_ok(context, host_kind()->describe(context, "host", false, &device));
    assert_true(strncmp(device->id, "host:", 5) == 0);
    double cores = nitro_device_value(device, "cuda_cores");
    assert_true(cores >= 1 && cores <= (double)sysconf(_SC_NPROCESSORS_CONF));
    assert_true(nitro_device_value(device, "hw_threads") >= cores);
    double page_gb = (double)sysconf(_SC_PAGESIZE) / 0x1p30;
    assert_near(nitro_device_value(device, "global_mem"), (double)sysconf(_SC_PHYS_PAGES) * page_gb,
                0.01);
    nitro_device_free(device);
    nitro_context_free(context);
}

/* Moves on by *state ms whenever it is read. */
typedef struct steps {
    double now_ms, step_ms;
} steps;

static double next_step(void *state)
{
    steps *self = state;
    return self->now_ms += self->step_ms;
}

static void measure_with(double step_ms, nitro_device **device)
{
    nitro_context *context = unit_context();
    steps state = {.step_ms = step_ms};
    const nitro_clock clock = {.wall_ms = next_step, .thread_cpu_ms = next_step, .state = &state};
    nitro_context_set_clock(context, &clock);
    assert_ok(context, host_kind()->describe(context, "host", true, device));
    nitro_context_free(context);
}

static const nitro_device_feature *find_feature(const nitro_device *device, const char *name)
{
    for (size_t i = 0; i < device->num_features; i++)
        if (strcmp(device->features[i].name, name) == 0)
            return &device->features[i];
    return NULL;
}

#define NUM_MEASURED 7

static const char *const measured_names[NUM_MEASURED] = {
    "copy_gbps", "l2_gbps",   "shared_atomic", "global_atomic",
    "launch_us", "sp_gflops", "dp_gflops"};

static void test_measured_features(void **state)
{
    (void)state;
    nitro_device *slow, *fast;
    measure_with(8, &slow);
    measure_with(2, &fast);
    for (size_t i = 0; i < NUM_MEASURED; i++) {
        const nitro_device_feature *feature = find_feature(slow, measured_names[i]);
        assert_non_null(feature);
        assert_int_equal(feature->source, NITRO_VALUE_MEASURED);
        assert_true(feature->spread == 0);
    }
    /* 2^20 additions are made, 2^15 count. */
    assert_near(nitro_device_value(slow, "shared_atomic"), 8.0 / 32, 1e-9);
    assert_near(nitro_device_value(fast, "global_atomic"), 2.0 / 32, 1e-9);
    assert_near(nitro_device_value(slow, "launch_us") / nitro_device_value(fast, "launch_us"), 4,
                1e-9);
    assert_near(nitro_device_value(fast, "sp_gflops") / nitro_device_value(slow, "sp_gflops"), 4,
                1e-9);
    assert_near(nitro_device_value(slow, "sp_gflops") / nitro_device_value(slow, "dp_gflops"), 2,
                1e-9);
    assert_near(nitro_device_value(fast, "copy_gbps") / nitro_device_value(slow, "copy_gbps"), 4,
                1e-9);
    /* Bytes read and written, 64 MiB each at least. */
    assert_true(nitro_device_value(slow, "copy_gbps") >= 2 * 64 * 0x1p20 / 8e6 ||
                nitro_device_value(slow, "global_mem") < 0.5);
    nitro_device_free(slow);
    nitro_device_free(fast);
}

static void test_clock_that_stands_still(void **state)
{
    (void)state;
    nitro_device *device;
    measure_with(0, &device);
    for (size_t i = 0; i < NUM_MEASURED; i++)
        assert_null(find_feature(device, measured_names[i]));
    nitro_device_free(device);
}

/* Every width of vectors does the same work: chains against their definition, sums of what is read.
 */
static void test_kernels(void **state)
{
    (void)state;
    enum { WORDS = 4 * NITRO_HOST_READ_BYTES / 8, ROUNDS = 20 };
    static _Alignas(NITRO_HOST_READ_BYTES) uint64_t words[WORDS];
    uint64_t expected = 0;
    for (size_t i = 0; i < WORDS; i++)
        expected ^= words[i] = i * 0x9E3779B97F4A7C15u + 1;
    const nitro_host_kernels *kernels = nitro_host_kernels_find();
    assert_non_null(kernels->name);
    for (; kernels->name; kernels++) {
        assert_true(kernels->read(words, sizeof(words), 3) == expected);
        assert_true(kernels->read(words, sizeof(words), 2) == 0);
        double chains = kernels->flops_dp / 2, sum = 0; /* an element is two operations */
        double lanes = kernels->flops_sp / kernels->flops_dp;
        assert_true(lanes == 2);
        for (double k = 0; k < 10; k++) {
            double value = k;
            for (int round = 0; round < ROUNDS; round++)
                value = value * 0.75 + 0.5;
            sum += value * chains / 10;
        }
        assert_near(kernels->chains_dp(ROUNDS, 0.75, 0.5) / sum, 1, 1e-12);
        assert_near(kernels->chains_sp(ROUNDS, 0.75F, 0.5F) / (2 * sum), 1, 1e-5);
    }
}

#define TEAM 5

static void count_visit(void *state, size_t index)
{
    ((unsigned *)state)[index]++;
}

static void test_team(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_host_team *team;
    unsigned visits[TEAM + 1] = {0};
    double elapsed_ms = -1;
    assert_ok(context, nitro_host_team_create(context, TEAM, &team));
    for (unsigned run = 1; run <= 20; run++) {
        assert_ok(context, nitro_host_team_run(team, count_visit, visits, &elapsed_ms));
        for (size_t i = 0; i < TEAM; i++)
            assert_int_equal(visits[i], run);
    }
    assert_int_equal(visits[TEAM], 0);
    assert_true(elapsed_ms >= 0);
    nitro_host_team_free(team);
    nitro_host_team_free(NULL);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_a_list_lacks_no_device_for_want_of_memory),
        cmocka_unit_test(test_this_machine),
        cmocka_unit_test(test_measured_features),
        cmocka_unit_test(test_clock_that_stands_still),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

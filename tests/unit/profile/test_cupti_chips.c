/* Every counter of the built-in proxies on every chip that CUPTI supports, and the number of
 * passes: by CUPTI's host half, which needs no GPU. Skipped without libcupti. */
#include <math.h>

#include "proxies/profilers/profile_cupti.h"
#include "unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const chips[] = {
    "GV100", "GV11B", "TU102", "TU104", "TU106", "TU116", "TU117", "GA100", "GA102", "GA103",
    "GA104", "GA106", "GA107", "GA10B", "GH100", "AD102", "AD103", "AD104", "AD106", "AD107",
    "GB100", "GB102", "GB110", "GB10B", "GB202", "GB203", "GB205", "GB206", "GB207", "GB20B"};

/* Known by name alone; no memory of their own; in need of more passes than the others. */
static const char *const unsupported[] = {"GV11B"};
static const char *const integrated[] = {"GA10B", "GB10B", "GB20B"};
static const char *const old[] = {"GV100"};

enum { MAX_PASSES = 7, MAX_PASSES_OLD = 13 };

/* Metrics for which a kernel runs twice, if they alone are asked for; the others: once. */
static const char *const two_passes[] = {"flop_sp_efficiency",
                                         "flop_dp_efficiency",
                                         "atomic_transactions_per_request",
                                         "gld_transactions_per_request",
                                         "gst_transactions_per_request",
                                         "local_load_transactions_per_request",
                                         "local_store_transactions_per_request",
                                         "l2_l1_read_hit_rate"};
static const char *const asked_singly[] = {"TU102", "GA100", "AD102", "GH100", "GB100"};

typedef struct fixture {
    nitro_context *context;
    nitro_proxies *proxies;
    cupti_functions functions;
    const char *chip;
} fixture;

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}
#define IS_AMONG(name, names) is_among(name, names, COUNT(names))

static void open_cupti(fixture *self)
{
    *self = (fixture){.context = unit_context()};
    assert_ok(self->context, nitro_proxies_create(self->context, NULL, &self->proxies));
    if (cupti_open_library(self->context, &self->functions) == NITRO_OK)
        return;
    char message[1024];
    nitro_context_last_error(self->context, message, sizeof message);
    print_message("SKIPPED: %s\n", message);
    nitro_proxies_free(self->proxies);
    nitro_context_free(self->context);
    skip();
}

static void end(fixture *self)
{
    nitro_proxies_free(self->proxies);
    nitro_context_free(self->context);
}

static bool has(void *user, const char *counter)
{
    const fixture *self = user;
    return cupti_host_has(&self->functions, self->chip, NULL, counter);
}

static nitro_string_list choose(fixture *self, const nitro_proxies *proxies)
{
    nitro_string_list counters = {0};
    assert_ok(self->context,
              nitro_proxies_choose_counters(self->context, proxies, has, self, &counters));
    return counters;
}

static size_t count_passes(fixture *self, const nitro_string_list *counters)
{
    cupti_host host = {.context = self->context, .functions = &self->functions, .chip = self->chip};
    assert_ok(self->context, cupti_host_open(&host, counters));
    size_t passes = host.num_passes;
    assert_true(host.config_bytes > 0 && passes > 0);
    cupti_host_close(&host);
    return passes;
}

/* Which metrics can be made of these counters? Each is given a value. */
static void check_metrics(fixture *self, const nitro_string_list *counters)
{
    nitro_profile *profile = NULL;
    double *values = calloc(self->proxies->num_metrics, sizeof *values);
    assert_ok(self->context,
              nitro_profile_create_of_proxy(self->context, "ATOMIC", 1, "k", &profile));
    for (size_t i = 0; i < counters->count; i++)
        assert_ok(self->context, nitro_profile_set(self->context, profile, counters->items[i], 2));
    assert_ok(self->context, nitro_proxies_values(self->context, self->proxies, profile, values));
    for (size_t i = 0; i < self->proxies->num_metrics; i++) {
        const char *name = self->proxies->metrics[i].name;
        bool expected = !(IS_AMONG(self->chip, integrated) && strncmp(name, "dram_", 5) == 0);
        if (isnan(values[i]) == expected)
            fail_msg("%s: metric %s can%s be made", self->chip, name, expected ? "not" : "");
    }
    nitro_profile_free(profile);
    free(values);
}

static void test_chips_are_known(void **state)
{
    (void)state;
    fixture self;
    open_cupti(&self);
    CUpti_Profiler_Host_GetSupportedChips_Params params = {
        .structSize = CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
    assert_int_equal(self.functions.host_chips(&params), CUPTI_SUCCESS);
    assert_true(params.numChips >= COUNT(chips));
    for (size_t i = 0; i < COUNT(chips); i++)
        if (!is_among(chips[i], params.ppChipNames, params.numChips))
            fail_msg("CUPTI does not know %s", chips[i]);
    end(&self);
}

static void test_every_metric_on_every_chip(void **state)
{
    (void)state;
    fixture self;
    open_cupti(&self);
    for (size_t i = 0; i < COUNT(chips); i++) {
        self.chip = chips[i];
        nitro_string_list counters = choose(&self, self.proxies);
        if (IS_AMONG(self.chip, unsupported)) {
            assert_int_equal(counters.count, 0);
            continue;
        }
        check_metrics(&self, &counters);
        size_t passes = count_passes(&self, &counters);
        size_t most = IS_AMONG(self.chip, old) ? MAX_PASSES_OLD : MAX_PASSES;
        print_message("%s: %zu counters in %zu passes\n", self.chip, counters.count, passes);
        assert_true(passes <= most);
        nitro_string_list_free(&counters);
    }
    end(&self);
}

/* A set with one metric only. */
static void test_metrics_one_by_one(void **state)
{
    (void)state;
    fixture self;
    open_cupti(&self);
    for (size_t c = 0; c < COUNT(asked_singly); c++) {
        self.chip = asked_singly[c];
        for (size_t i = 0; i < self.proxies->num_metrics; i++) {
            nitro_proxies one = {.num_metrics = 1,
                                 .metrics = &self.proxies->metrics[i],
                                 .counters = self.proxies->counters};
            nitro_string_list counters = choose(&self, &one);
            size_t expected = IS_AMONG(one.metrics[0].name, two_passes) ? 2 : 1;
            size_t passes = count_passes(&self, &counters);
            if (passes != expected)
                fail_msg("%s on %s: %zu passes instead of %zu", one.metrics[0].name, self.chip,
                         passes, expected);
            nitro_string_list_free(&counters);
        }
    }
    end(&self);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    fixture self;
    open_cupti(&self);
    self.chip = "GH100";
    assert_true(has(&self, "smsp__inst_issued.sum"));
    assert_false(has(&self, "smsp__inst_issued")); /* without its roll-up */
    assert_false(has(&self, "no_such_counter.sum"));
    nitro_string_list wrong = {0};
    assert_ok(self.context, nitro_string_list_add(self.context, &wrong, "no_such_counter.sum"));
    cupti_host host = {.context = self.context, .functions = &self.functions, .chip = "GH100"};
    assert_fails(self.context, cupti_host_open(&host, &wrong), NITRO_ERR_IO,
                 "choosing the counters: CUPTI error");
    cupti_host_close(&host);
    nitro_string_list_free(&wrong);
    nitro_string_list none = {0};
    host = (cupti_host){.context = self.context, .functions = &self.functions, .chip = "GV11B"};
    assert_fails(self.context, cupti_host_open(&host, &none), NITRO_ERR_IO,
                 "CUPTI error 27: this device has no counters");
    cupti_host_close(&host);
    host = (cupti_host){.context = self.context, .functions = &self.functions, .chip = "XX100"};
    assert_fails(self.context, cupti_host_open(&host, &none), NITRO_ERR_IO, "CUPTI error");
    cupti_host_close(&host);
    end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chips_are_known),
        cmocka_unit_test(test_every_metric_on_every_chip),
        cmocka_unit_test(test_metrics_one_by_one),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Proxies as data, and their regression. */
#include <math.h>

#include "unit/temporary.h"

static size_t find_metric(const nitro_proxies *proxies, const char *name)
{
    for (size_t i = 0; i < proxies->num_metrics; i++)
        if (strcmp(proxies->metrics[i].name, name) == 0)
            return i;
    fail_msg("no metric %s", name);
    return 0;
}

static void test_built_in_proxies(void **state)
{
    (void)state;
    static const char *const names[] = {"SP-GFLOP", "DP-GFLOP", "ATOMIC", "MEM-BW", "SH-MEM-BW"};
    nitro_context *context = unit_context();
    nitro_proxies *proxies = NULL;
    assert_ok(context, nitro_proxies_create(context, NULL, &proxies));
    assert_int_equal(proxies->num_proxies, 5);
    for (size_t p = 0; p < 5; p++) {
        assert_string_equal(proxies->proxies[p].name, names[p]);
        assert_true(proxies->proxies[p].num_metrics > 0);
        for (size_t i = 0; i < proxies->proxies[p].device_features.count; i++)
            assert_non_null(
                nitro_device_feature_lookup(proxies->proxies[p].device_features.items[i]));
    }
    nitro_proxies_free(proxies);
    nitro_context_free(context);
}

static void test_values(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_proxies *proxies = NULL;
    nitro_profile *profile = NULL;
    assert_ok(context, nitro_proxies_create(context, NULL, &proxies));
    double *values = calloc(proxies->num_metrics, sizeof(*values));
    assert_ok(context, nitro_profile_create_of_proxy(context, "MEM-BW", 1, "k", &profile));
#define SET(name, value) assert_ok(context, nitro_profile_set(context, profile, name, value))
#define VALUE(name)      values[find_metric(proxies, name)]
    SET("gld_transactions", 80);
    SET("gld_efficiency", 25);
    assert_ok(context, nitro_proxies_values(context, proxies, profile, values));
    assert_true(isnan(VALUE("gld_transactions")) && isnan(VALUE("gld_efficiency")));
    SET("smsp__inst_issued.sum", 40);
    SET("lts__t_sectors_op_atom.sum", 30);
    SET("lts__t_sectors_op_red.sum", 10);
    SET("lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 0);
    SET("lts__t_sectors_srcunit_tex_op_read.sum", 0);
    assert_ok(context, nitro_proxies_values(context, proxies, profile, values));
    assert_true(VALUE("gld_transactions") == 2);       /* a count, an instruction */
    assert_true(VALUE("gld_efficiency") == 25);        /* a ratio */
    assert_true(VALUE("l2_atomic_transactions") == 2); /* 2 x (30 + 10) / 40 */
    assert_true(VALUE("l2_l1_read_hit_rate") == 0);    /* of nothing */
    assert_true(isnan(VALUE("gst_transactions")));
    SET("inst_issued", 0);
    assert_ok(context, nitro_proxies_values(context, proxies, profile, values));
    assert_true(isnan(VALUE("gld_transactions")));
#undef SET
#undef VALUE
    free(values);
    nitro_profile_free(profile);
    nitro_proxies_free(proxies);
    nitro_context_free(context);
}

static void test_wrong_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problem;
        nitro_status status;
    } files[] = {
        {"{", "x.json: line 1", NITRO_ERR_FORMAT},
        {"{\"format\": \"other\", \"version\": 1}", "this is not a file of proxies",
         NITRO_ERR_FORMAT},
        {"{\"format\": \"nitro-proxies\", \"version\": 2}", "version is 2", NITRO_ERR_NEWER},
        {"{\"format\": \"nitro-proxies\", \"version\": 1, \"proxie\": []}", "did you mean proxies?",
         NITRO_ERR_FORMAT},
        {"{\"format\": \"nitro-proxies\", \"version\": 1, \"metrics\": [{\"name\": \"x\", "
         "\"sort\": "
         "\"rate\"}]}",
         "metrics[0] has a sort other", NITRO_ERR_FORMAT},
        {"{\"format\": \"nitro-proxies\", \"version\": 1, \"metrics\": [{\"name\": \"x\", "
         "\"sort\": "
         "\"count\", \"from\": [\"a *\"]}]}",
         "metrics[0].from[0]: line 1, column 4", NITRO_ERR_FORMAT},
        {"{\"format\": \"nitro-proxies\", \"version\": 1, \"proxies\": [{\"name\": \"P\", "
         "\"metrics\": [], \"device_features\": []}]}",
         "must have metrics", NITRO_ERR_FORMAT},
    };
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        nitro_proxies *none = NULL;
        const char *path = temporary_write(&folder, "x.json", files[i].text);
        assert_fails(context, nitro_proxies_create(context, path, &none), files[i].status,
                     files[i].problem);
        assert_null(none);
    }
    temporary_remove(&folder);
    nitro_context_free(context);
}

static void test_an_intensity_is_learnt(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_regression *regression = NULL;
    double columns[6][3], values[6];
    for (size_t i = 0; i < 6; i++) { /* the second column never varies */
        columns[i][0] = 0.02 * (double)i;
        columns[i][1] = 7;
        columns[i][2] = 1e9 * sqrt((double)i);
        values[i] = (double)i;
    }
    assert_ok(context, nitro_regression_train(context, columns[0], 6, 3, values, &regression));
    for (size_t i = 0; i < 6; i++)
        assert_true(fabs(nitro_regression_predict(regression, columns[i]) - values[i]) < 0.2);
    const double between[] = {0.05, 0, 1e9 * sqrt(2.5)}, beyond[] = {4, 0, 1e12};
    assert_true(fabs(nitro_regression_predict(regression, between) - 2.5) < 0.2);
    assert_true(fabs(nitro_regression_predict(regression, beyond) - 5) < 0.2);
    nitro_regression_free(regression);
    nitro_regression_free(NULL);
    nitro_context_free(context);
}

static void test_nothing_to_learn(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_regression *none = NULL;
    const double same[] = {1, 1, 1}, values[] = {0, 1, 2};
    assert_fails(context, nitro_regression_train(context, same, 1, 1, values, &none),
                 NITRO_ERR_NO_DATA, "1 rows");
    assert_fails(context, nitro_regression_train(context, same, 3, 1, values, &none),
                 NITRO_ERR_NO_DATA, "no column varies");
    assert_null(none);
    nitro_context_free(context);
}

/* What a host's counters say, in the paper's words. */
static void test_counters_of_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *counter;
        double value;
    } counters[] = {{"perf.instructions", 1000},  {"perf.flops_sp", 500},
                    {"perf.flops_dp", 250},       {"perf.loads", 400},
                    {"perf.stores", 100},         {"perf.l1_load_misses", 40},
                    {"perf.llc_loads", 40},       {"perf.atomics", 20},
                    {"perf.llc_load_misses", 10}, {"perf.task_ns", 2e6}};
    static const struct {
        const char *metric;
        double value;
    } metrics[] = {{"flop_count_sp", 0.5},           {"flop_count_dp", 0.25},
                   {"gld_transactions", 0.4},        {"gst_transactions", 0.1},
                   {"l1_cache_global_hit_rate", 90}, {"l2_l1_read_hit_rate", 75},
                   {"l2_read_transactions", 0.04},   {"dram_read_transactions", 0.01},
                   {"atomic_transactions", 0.02},    {"atomic_throughput", 1e4}};
    nitro_context *context = unit_context();
    nitro_proxies *proxies = NULL;
    nitro_profile *profile = NULL;
    assert_ok(context, nitro_proxies_create(context, NULL, &proxies));
    double *values = calloc(proxies->num_metrics, sizeof(*values));
    assert_ok(context, nitro_profile_create_of_proxy(context, "MEM-BW", 1, "run", &profile));
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        assert_ok(context,
                  nitro_profile_set(context, profile, counters[i].counter, counters[i].value));
    assert_ok(context, nitro_proxies_values(context, proxies, profile, values));
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
        assert_true(fabs(values[find_metric(proxies, metrics[i].metric)] - metrics[i].value) <=
                    1e-12 * metrics[i].value);
    assert_true(isnan(values[find_metric(proxies, "shared_load_transactions")]));
    nitro_profile_free(profile);
    nitro_proxies_free(proxies);
    nitro_context_free(context);
    free(values);
}

/* Of a metric's formulas the first that can be counted is collected, and nothing else. */
static bool has_no_fbpa(void *user, const char *counter)
{
    size_t *asked = user;
    ++*asked;
    return strncmp(counter, "fbpa__", 6) != 0;
}

static void test_choosing_counters(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_proxies *proxies = NULL;
    nitro_string_list counters = {0};
    size_t asked = 0;
    assert_ok(context, nitro_proxies_create(context, NULL, &proxies));
    assert_ok(context,
              nitro_proxies_choose_counters(context, proxies, has_no_fbpa, &asked, &counters));
    assert_int_equal(asked, proxies->counters.count); /* each once */
#define IS_CHOSEN(name) (nitro_string_list_find(&counters, name) != NITRO_NONE)
    assert_true(IS_CHOSEN("dram__sectors_read.sum"));
    assert_false(IS_CHOSEN("fbpa__dram_read_sectors.sum"));
    assert_false(IS_CHOSEN("dram__sectors_op_read.sum"));
    assert_false(IS_CHOSEN("perf.llc_load_misses"));
    assert_true(IS_CHOSEN("smsp__inst_issued.sum"));
    assert_false(IS_CHOSEN("perf.instructions"));
    nitro_string_list_free(&counters);
    nitro_proxies_free(proxies);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_in_proxies),  cmocka_unit_test(test_values),
        cmocka_unit_test(test_counters_of_hosts), cmocka_unit_test(test_choosing_counters),
        cmocka_unit_test(test_wrong_files),       cmocka_unit_test(test_an_intensity_is_learnt),
        cmocka_unit_test(test_nothing_to_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* CV-DFS on modelled devices, where the truth is known: whether shared atomics or a sort count
 * faster depends on shared_atomic and peak_gbps, and on no other device feature. */
#include "unit/dfs_work.h"
#include "unit/unit.h"

/* Chosen rightly: seeds 1 to 20 all, 1 to 60 in 58, 101 to 300 in 189, 301 to 900 in 569: 95 of
 * 100. */
enum { LEAST_RIGHT = 19 };

enum { NUM_SEEDS = 20, NUM_DEVICES = 12, NUM_INPUTS = 12, NUM_CANDIDATES = 4, NUM_MATTER = 2 };

/* Drawn independently of each other, evenly over their logarithms. The two that matter vary by
 * about as much, so that neither decides without the other. */
static const struct {
    const char *name;
    double low, high;
} candidates[NUM_CANDIDATES] = {{"global_mem", 2, 32},
                                {"l2_cache_size", 512, 6144},
                                {"peak_gbps", 70, 1000},
                                {"shared_atomic", 0.04, 0.5}};

/* Needed by the cost model: the same on all devices. */
static const struct {
    const char *name;
    double value;
} constants[] = {{"cuda_cores", 2048},
                 {"clock_rate", 1200},
                 {"shared_mem_per_block", 48},
                 {"global_atomic", 0.05}};

/* Logarithms of all devices' candidates; the last device is the target. */
typedef double fleet[NUM_DEVICES + 1][NUM_CANDIDATES];

/* The last two candidates and their product decide. */
static double decider(const double *device, size_t which)
{
    const double *matter = device + NUM_CANDIDATES - NUM_MATTER;
    return which < NUM_MATTER ? matter[which] : matter[0] + matter[1];
}

static double correlate(const fleet devices, size_t candidate, size_t which)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t d = 0; d < NUM_DEVICES; d++) {
        double a = devices[d][candidate], b = decider(devices[d], which);
        x += a / NUM_DEVICES;
        y += b / NUM_DEVICES;
        xx += a * a / NUM_DEVICES;
        yy += b * b / NUM_DEVICES;
        xy += a * b / NUM_DEVICES;
    }
    return (xy - x * y) / sqrt((xx - x * x) * (yy - y * y));
}

/* Among so few devices an irrelevant feature may correlate with a relevant one by chance: such a
 * fleet is drawn anew. */
static bool is_uncorrelated(const fleet devices)
{
    for (size_t c = 0; c + NUM_MATTER < NUM_CANDIDATES; c++)
        for (size_t which = 0; which <= NUM_MATTER; which++)
            if (fabs(correlate(devices, c, which)) > 0.4)
                return false;
    return true;
}

static void draw_fleet(nitro_random *random, fleet devices)
{
    do {
        for (size_t d = 0; d <= NUM_DEVICES; d++)
            for (size_t c = 0; c < NUM_CANDIDATES; c++)
                devices[d][c] = log(dfs_work_draw(random, candidates[c].low, candidates[c].high));
    } while (!is_uncorrelated(devices));
}

static nitro_device *make_device(nitro_context *context, const fleet devices, size_t index)
{
    char id[48];
    nitro_device *device = NULL;
    snprintf(id, sizeof(id), "model:made-up-%02zu", index);
    assert_ok(context, nitro_device_create(context, id, "model", &device));
    for (size_t i = 0; i < NUM_CANDIDATES; i++)
        assert_ok(context, nitro_device_set(context, device, candidates[i].name,
                                            exp(devices[index][i]), NITRO_VALUE_RECORDED, 0));
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
        assert_ok(context, nitro_device_set(context, device, constants[i].name, constants[i].value,
                                            NITRO_VALUE_RECORDED, 0));
    return device;
}

/* Large images of 64 to 8192 bins, none crowded: devices differ in which variant is faster. */
static void draw_input(nitro_random *random, double *features)
{
    double bins = pow(2, floor(6 + 8 * nitro_random_uniform(random)));
    features[0] = floor(dfs_work_draw(random, 1e6, 5e7));
    features[1] = features[0] / bins;
    features[2] = 0.2886751 * (0.3 + 0.7 * nitro_random_uniform(random));
}

static nitro_dataset *make_samples(nitro_context *context, nitro_random *random,
                                   const fleet devices)
{
    nitro_dataset *dataset = calloc(1, sizeof(*dataset));
    dataset->num_devices = NUM_DEVICES;
    dataset->num_inputs = NUM_INPUTS;
    dataset->devices = calloc(NUM_DEVICES, sizeof(*dataset->devices));
    dataset->inputs = calloc(NUM_INPUTS, sizeof(*dataset->inputs));
    dataset->schema = dfs_work_schema(context, 0);
    assert_non_null(dataset->schema);
    assert_ok(context, nitro_schema_add_variant(context, dataset->schema, "shared_atomic_dynamic"));
    assert_ok(context, nitro_schema_add_variant(context, dataset->schema, "sort_dynamic"));
    assert_ok(context, nitro_dataset_allocate(context, (size_t)NUM_DEVICES * NUM_INPUTS, dataset));
    for (size_t d = 0; d < NUM_DEVICES; d++)
        dataset->devices[d] = make_device(context, devices, d);
    for (size_t i = 0; i < NUM_INPUTS; i++) {
        char name[32];
        double features[3];
        snprintf(name, sizeof(name), "input%05zu", i);
        dataset->inputs[i] = strdup(name);
        draw_input(random, features);
        assert_int_equal(dfs_work_append(context, 1, i, features, dataset), 0);
    }
    return dataset;
}

static bool is_chosen(const nitro_string_list *chosen, const char *name)
{
    return nitro_string_list_find(chosen, name) != NITRO_NONE;
}

/* Both are chosen where two may be; the first of them is what one would be. */
static bool finds_the_truth(nitro_context *context, uint64_t seed)
{
    fleet devices;
    nitro_random random;
    nitro_string_list names = {0}, chosen = {0};
    const nitro_dfs_kind *kind = NULL;
    nitro_random_seed(&random, seed);
    draw_fleet(&random, devices);
    nitro_dataset *sources = make_samples(context, &random, devices);
    nitro_device *target = make_device(context, devices, NUM_DEVICES);
    for (size_t i = 0; i < NUM_CANDIDATES; i++)
        assert_ok(context, nitro_string_list_add(context, &names, candidates[i].name));
    const nitro_dfs_task task = {.sources = sources,
                                 .target = target,
                                 .candidates = &names,
                                 .max_subset = 3,
                                 .k = 2,
                                 .seed = seed,
                                 .num_threads = 2};
    assert_ok(context, nitro_dfs_find(context, "cv", &kind));
    assert_ok(context, kind->select(context, &task, &chosen, NULL));
    assert_true(chosen.count > 0);
    bool right = is_chosen(&chosen, "shared_atomic") && is_chosen(&chosen, "peak_gbps");
    if (!right)
        print_message("seed %d: %s and %s\n", (int)seed, chosen.items[0],
                      chosen.count > 1 ? chosen.items[1] : "no other");
    nitro_string_list_free(&chosen);
    nitro_string_list_free(&names);
    nitro_device_free(target);
    nitro_dataset_free(sources);
    return right;
}

static void test_histogram_is_about_atomics_and_bandwidth(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    int right = 0;
    for (uint64_t seed = 1; seed <= NUM_SEEDS; seed++)
        right += finds_the_truth(context, seed);
    nitro_context_free(context);
    print_message("%d of %d seeds\n", right, NUM_SEEDS);
    assert_true(right >= LEAST_RIGHT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histogram_is_about_atomics_and_bandwidth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

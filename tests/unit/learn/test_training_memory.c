/* Training where memory runs out gives the same model or none. Sanitizers have a malloc of their
 * own. */
#include "nitro/learn/select.h"
#include "nitro/models/binary.h"
#include "nitro/models/strategy_find.h"
#include "unit/failing_malloc.h"
#include "unit/synthetic.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

enum { NUM_INPUTS = 24, NUM_SOURCES = 3 };

/** Three sources of two software stacks, or one; features and preparing cost something. */
static nitro_dataset *make_dataset(nitro_context *context, size_t num_sources)
{
    static const char *const ids[NUM_SOURCES] = {"a", "b", "c"};
    nitro_device *devices[NUM_SOURCES];
    for (size_t d = 0; d < num_sources; d++) {
        devices[d] = synthetic_device(context, ids[d], 1.0 + (double)d);
        assert_ok(context,
                  nitro_device_set_label(context, devices[d], "software", d ? "lib 2" : "lib 1"));
    }
    nitro_dataset *dataset = synthetic_dataset(context, devices, num_sources, NUM_INPUTS);
    for (size_t row = 0; row < dataset->num_rows; row++) {
        nitro_dataset_prepare(dataset, row)[row % 2] = 0.5;
        nitro_dataset_feature_costs(dataset, row)[0] = dataset->features_ms[row] = 0.01;
    }
    return dataset;
}

/** Let each allocation of a training fail in turn, until none is left to fail. */
static void assert_same_or_none(size_t num_sources, const char *strategy)
{
    static const nitro_string_list none = {0};
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context, num_sources);
    nitro_device *target = synthetic_device(context, "target", 2.5);
    nitro_training_task task = {.sources = dataset,
                                .target = target,
                                .device_features = &none,
                                .lodo = num_sources > 1,
                                .weighs_sources = num_sources > 1,
                                .range_ends = true,
                                .quiet = true,
                                .num_threads = 1};
    char *whole = NULL;
    size_t whole_size = 0, num_failed = 0;
    assert_ok(context, nitro_strategy_find(context, strategy, &task.strategy));
    for (bool has_failed = true; has_failed; num_failed += has_failed) {
        nitro_model *model = NULL;
        num_left = whole ? num_failed : SIZE_MAX - 1;
        nitro_status status = nitro_model_train(context, &task, &model);
        has_failed = !whole || num_left == SIZE_MAX;
        num_left = SIZE_MAX;
        if (status == NITRO_OK) {
            char *bytes = NULL;
            size_t size = 0;
            assert_ok(context, nitro_binary_format(model, &bytes, &size));
            if (whole) {
                assert_int_equal(size, whole_size);
                assert_memory_equal(bytes, whole, size);
                free(bytes);
            } else {
                whole = bytes;
                whole_size = size;
            }
            nitro_model_free(model);
        } else {
            assert_int_equal(status, NITRO_ERR_NO_MEMORY);
        }
    }
    assert_true(num_failed > 100);
    free(whole);
    nitro_device_free(target);
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

static void test_own_samples(void **state)
{
    (void)state;
    assert_same_or_none(1, "tree");
}

static void test_weighted_sources(void **state)
{
    (void)state;
    assert_same_or_none(NUM_SOURCES, "tree");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_samples),
        cmocka_unit_test(test_weighted_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif

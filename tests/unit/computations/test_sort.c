/* Every host variant of sort against an independent one: all types, values, orders and numbers of
 * threads; -0 and infinities; the check itself; features. */
#include <math.h>
#include <omp.h>

#include "apps/sort/keys.h"
#include "nitro/runtime/computation.h"
#include "unit/computation_fixture.h"

static int setup(void **state)
{
    return computation_setup(state, &nitro_module_sort);
}

static nitro_sort *make(nitro_context *context, size_t family, const nitro_sort *sizes)
{
    nitro_sort *sort = NULL;
    nitro_random random;
    nitro_random_seed(&random, family + (uint64_t)sizes->num_keys);
    assert_ok(context, nitro_sort_make_keys(context, family, &random, sizes, &sort));
    return sort;
}

static const nitro_sort *compared; /* by this thread's qsort */

/* By value, then by place: what a stable sort does. */
static int compare(const void *a, const void *b)
{
    int64_t i = *(const int64_t *)a, k = *(const int64_t *)b;
    double x = 0, y = 0;
    switch ((nitro_sort_type)compared->type) {
    case NITRO_SORT_U32:
        x = ((const uint32_t *)compared->keys)[i], y = ((const uint32_t *)compared->keys)[k];
        break;
    case NITRO_SORT_I32:
        x = ((const int32_t *)compared->keys)[i], y = ((const int32_t *)compared->keys)[k];
        break;
    case NITRO_SORT_F32:
        x = ((const float *)compared->keys)[i], y = ((const float *)compared->keys)[k];
        break;
    case NITRO_SORT_F64:
        x = ((const double *)compared->keys)[i], y = ((const double *)compared->keys)[k];
        break;
    case NITRO_SORT_U64: {
        uint64_t p = ((const uint64_t *)compared->keys)[i];
        uint64_t q = ((const uint64_t *)compared->keys)[k];
        return p < q ? -1 : p > q ? 1 : i < k ? -1 : 1;
    }
    case NITRO_SORT_I64:
    case NITRO_SORT_NUM_TYPES: {
        int64_t p = ((const int64_t *)compared->keys)[i];
        int64_t q = ((const int64_t *)compared->keys)[k];
        return p < q ? -1 : p > q ? 1 : i < k ? -1 : 1;
    }
    }
    return x < y ? -1 : x > y ? 1 : i < k ? -1 : 1;
}

static int64_t *sorted_places(const nitro_sort *sort)
{
    int64_t *places = calloc((size_t)sort->num_keys + 1, sizeof(*places));
    assert_non_null(places);
    for (int64_t i = 0; i < sort->num_keys; i++)
        places[i] = i;
    compared = sort;
    qsort(places, (size_t)sort->num_keys, sizeof(*places), compare);
    return places;
}

/* Values are places in the input, so that all can be told from them. */
static void check_result(const nitro_sort *sort, const int64_t *places, const char *variant)
{
    char *taken = calloc((size_t)sort->num_keys + 1, 1);
    for (int64_t i = 0; i < sort->num_keys; i++) {
        uint64_t key = nitro_sort_at(sort->sorted_keys, sort->key_bytes, i);
        uint64_t expected = nitro_sort_at(sort->keys, sort->key_bytes, places[i]);
        nitro_sort_order order = nitro_sort_order_of(sort->type);
        if (nitro_sort_ordered_value(order, key) != nitro_sort_ordered_value(order, expected))
            fail_msg("%s: type %d, key %lld of %lld is wrong", variant, sort->type, (long long)i,
                     (long long)sort->num_keys);
        if (sort->value_bytes == 0)
            continue;
        uint64_t place = nitro_sort_at(sort->sorted_values, sort->value_bytes, i);
        assert_true(place < (uint64_t)sort->num_keys && !taken[place]++);
        assert_true(nitro_sort_at(sort->keys, sort->key_bytes, (int64_t)place) == key);
        if (sort->is_stable && place != (uint64_t)places[i])
            fail_msg("%s: type %d: value %lld is not in order", variant, sort->type, (long long)i);
    }
    free(taken);
}

static void check_all(const computation_fixture *f, nitro_sort *sort)
{
    int64_t *places = sorted_places(sort);
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++) {
        const nitro_variant *variant = &f->computation->variants[v];
        char why[256] = "";
        if (variant->allows == nitro_kit_allows_nothing)
            continue;
        memset(sort->sorted_keys, 0x77, (size_t)(sort->num_keys * sort->key_bytes));
        assert_int_equal(variant->prepare(sort, variant->user), 0);
        assert_int_equal(variant->run(sort, variant->user), 0);
        check_result(sort, places, variant->name);
        if (f->computation->hooks.keep_reference(sort, f->computation->hooks.user) != 0)
            fail_msg("%s: %s", variant->name, why);
    }
    free(places);
}

static void every_type_value_and_order(void **state)
{
    static const int64_t counts[] = {0, 1, 2, 23, 24, 25, 1000, 40000};
    static const int32_t values[][2] = {{0, 0}, {4, 0}, {8, 0}, {4, 1}, {8, 1}};
    for (int32_t type = 0; type < NITRO_SORT_NUM_TYPES; type++)
        for (size_t v = 0; v < 5; v++)
            for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
                for (size_t family = 0; family < NITRO_SORT_NUM_FAMILIES; family++) {
                    if (counts[c] == 40000 && (family + v + (size_t)type) % 5)
                        continue;
                    const nitro_sort sizes = {.num_keys = counts[c],
                                              .type = type,
                                              .value_bytes = values[v][0],
                                              .is_stable = values[v][1]};
                    nitro_sort *sort =
                        make(((computation_fixture *)*state)->context, family, &sizes);
                    check_all(*state, sort);
                    nitro_kit_free(&nitro_sort_kit, false, sort);
                }
}

#define NUM_KINDS (5 * NITRO_SORT_NUM_TYPES)

/* Each type with each kind of values: none, of 4 or 8 bytes, stable or not. */
static nitro_sort sizes_of_kind(int64_t num_keys, int32_t kind)
{
    return (nitro_sort){.num_keys = num_keys,
                        .type = kind % NITRO_SORT_NUM_TYPES,
                        .value_bytes = kind % 5 * 4 % 12,
                        .is_stable = kind % 5 > 2};
}

static void with_many_threads(void **state)
{
    int threads = omp_get_max_threads();
    nitro_host_assume_wake_ns(0);
    for (size_t family = 0; family < NITRO_SORT_NUM_FAMILIES; family++)
        for (int32_t kind = 0; kind < NUM_KINDS; kind++) {
            const nitro_sort sizes = sizes_of_kind(20011, kind);
            nitro_sort *sort = make(((computation_fixture *)*state)->context, family, &sizes);
            omp_set_num_threads(2); /* has loops of its own */
            check_all(*state, sort);
            omp_set_num_threads(7);
            check_all(*state, sort);
            nitro_kit_free(&nitro_sort_kit, false, sort);
        }
    omp_set_num_threads(threads);
    nitro_host_assume_wake_ns(-1);
}

/* What several threads decide by a sample: keys in order but for one that no sample need have, and
 * keys of which most are equal, the least or the greatest ones. */
static void samples_deceive(void **state)
{
    enum { COUNT = 8009 };
    computation_fixture *f = *state;
    int threads = omp_get_max_threads();
    nitro_host_assume_wake_ns(0);
    for (int64_t odd = 0; odd < COUNT; odd += odd < COUNT - 7 ? COUNT / 6 : 1)
        for (int32_t kind = 0; kind < NUM_KINDS; kind++) {
            const nitro_sort sizes = sizes_of_kind(COUNT, kind);
            nitro_sort *sort = make(f->context, 3, &sizes); /* sorted */
            size_t bytes = (size_t)sort->key_bytes;
            char *keys = (char *)(uintptr_t)sort->keys;
            char *first = keys, *last = keys + (COUNT - 1) * bytes;
            if (kind % 3 == 0) /* one key is in the wrong place */
                memcpy(keys + (size_t)odd * bytes, odd < COUNT / 2 ? last : first, bytes);
            for (int64_t i = 0; kind % 3 != 0 && i < COUNT; i++)
                if (i % 4 != 0 && i != odd)
                    memcpy(keys + (size_t)i * bytes, kind % 3 == 1 ? first : last, bytes);
            for (int t = 2; t <= 7; t += 5) {
                omp_set_num_threads(t);
                check_all(f, sort);
            }
            nitro_kit_free(&nitro_sort_kit, false, sort);
        }
    omp_set_num_threads(threads);
    nitro_host_assume_wake_ns(-1);
}

/* Two neighbours out of order, or equal ones among reversed keys, whose values may have to keep
 * their order. */
static void break_order(nitro_sort *sort, int64_t place, bool is_reversed)
{
    size_t bytes = (size_t)sort->key_bytes, before = (size_t)place * bytes;
    size_t end = (size_t)sort->num_keys * bytes;
    char *keys = (char *)(uintptr_t)sort->keys;
    if (is_reversed) {
        memcpy(keys + before + bytes, keys + before, bytes);
        return;
    }
    memset(keys, 0, before);
    memset(keys + before, 2, bytes);
    memset(keys + before + bytes, 1, end - before - bytes);
}

/* Keys in order, or in the opposite one, are copied in blocks of 256, until two of them are not:
 * here two neighbours, within a block, in different ones, or in those of different threads. */
static void one_pair_is_out_of_order(void **state)
{
    enum { COUNT = 10000 };
    static const int64_t places[] = {0, 254, 255, 256, 4998, 4999, 5000, COUNT - 2};
    static const size_t families[] = {10, 1}; /* constant, reversed */
    computation_fixture *f = *state;
    int threads = omp_get_max_threads();
    nitro_host_assume_wake_ns(0);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        for (int32_t kind = 0; kind < 2 * NUM_KINDS; kind++) {
            const nitro_sort sizes = sizes_of_kind(COUNT, kind % NUM_KINDS);
            nitro_sort *sort = make(f->context, families[kind / NUM_KINDS], &sizes);
            break_order(sort, places[i], kind >= NUM_KINDS);
            for (int t = 1; t <= 2; t++) {
                omp_set_num_threads(t);
                check_all(f, sort);
            }
            nitro_kit_free(&nitro_sort_kit, false, sort);
        }
    omp_set_num_threads(threads);
    nitro_host_assume_wake_ns(-1);
}

/* They are equal, in whatever order they come. */
static void both_zeros_and_infinities(void **state)
{
    computation_fixture *f = *state;
    float keys[] = {0.0F, -0.0F, INFINITY, -0.0F, -INFINITY, 0.0F, -1.5F, 1e-40F, -1e-40F, -0.0F};
    uint32_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, sorted_values[10];
    const uint32_t expected[] = {4, 6, 8, 0, 1, 3, 5, 9, 7, 2};
    float sorted_keys[10];
    nitro_sort sort = {.num_keys = 10,
                       .type = NITRO_SORT_F32,
                       .key_bytes = 4,
                       .value_bytes = 4,
                       .is_stable = 1,
                       .keys = keys,
                       .values = values,
                       .sorted_keys = sorted_keys,
                       .sorted_values = sorted_values};
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++) {
        const nitro_variant *variant = &f->computation->variants[v];
        if (variant->allows == nitro_kit_allows_nothing)
            continue;
        assert_int_equal(variant->prepare(&sort, variant->user), 0);
        assert_int_equal(variant->run(&sort, variant->user), 0);
        assert_memory_equal(sorted_values, expected, sizeof(expected));
    }
    nitro_kit_release(&nitro_sort_kit, &sort);
}

/* Measuring releases what one variant prepared while others are still to run. */
static void a_released_room_is_made_again(void **state)
{
    static const nitro_sort sizes = {
        .num_keys = 5000, .type = NITRO_SORT_I64, .value_bytes = 8, .is_stable = 1};
    computation_fixture *f = *state;
    nitro_sort *sort = make(f->context, 0, &sizes);
    int64_t *places = sorted_places(sort);
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++) {
        const nitro_variant *variant = &f->computation->variants[v];
        if (variant->allows == nitro_kit_allows_nothing)
            continue;
        memset(sort->sorted_keys, 0x77, (size_t)(sort->num_keys * sort->key_bytes));
        assert_int_equal(variant->prepare(sort, variant->user), 0);
        assert_non_null(sort->room.memory);
        variant->release(sort, variant->user);
        assert_null(sort->room.memory);
        assert_int_equal(variant->run(sort, variant->user), 0);
        check_result(sort, places, variant->name);
    }
    free(places);
    nitro_kit_free(&nitro_sort_kit, false, sort);
}

static void wrong_results_are_found(void **state)
{
    computation_fixture *f = *state;
    const nitro_sort sizes = {
        .num_keys = 100, .type = NITRO_SORT_I32, .value_bytes = 4, .is_stable = 1};
    nitro_sort *sort = make(f->context, 6, &sizes); /* few are distinct */
    const nitro_variant *radix = nitro_sort_variants[2];
    char why[256];
    for (int fault = 0; fault < 4; fault++) {
        int32_t *keys = sort->sorted_keys, *values = sort->sorted_values;
        assert_int_equal(radix->run(sort, radix->user), 0);
        assert_int_equal(nitro_kit_keep_reference(&nitro_sort_kit, sort), 0);
        assert_int_equal(radix->run(sort, radix->user), 0);
        if (fault == 0)
            keys[0] = INT32_MAX;
        else if (fault == 1)
            keys[99] = INT32_MAX;
        else if (fault == 2)
            values[7] = values[8];
        int64_t same = 0;
        while (keys[same] != keys[same + 1])
            same++;
        if (fault == 3) {
            int32_t value = values[same];
            values[same] = values[same + 1];
            values[same + 1] = value;
        }
        assert_int_equal(nitro_kit_check_result(&nitro_sort_kit, sort, why, sizeof(why)), 1);
        assert_non_null(strstr(why, fault == 0   ? "smaller than the one before"
                                    : fault == 3 ? "changed places"
                                                 : "not those of the input"));
    }
    nitro_kit_free(&nitro_sort_kit, false, sort);
}

static void features_tell_the_order(void **state)
{
    static const struct {
        size_t family;
        double descents[2], inverted[2];
    } cases[] = {{0, {0.44, 0.56}, {0.4, 0.6}},
                 {1, {0.95, 1}, {1, 1}},
                 {2, {0.15, 0.45}, {0.0, 0.3}},
                 {3, {0, 0}, {0, 0}}};
    computation_fixture *f = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const nitro_sort sizes = {.num_keys = 100000, .type = NITRO_SORT_F64};
        double values[NITRO_SORT_NUM_FEATURES];
        nitro_sort *sort = make(f->context, cases[i].family, &sizes);
        assert_ok(f->context, nitro_computation_evaluate(f->computation, sort, values));
        assert_in_range((uintmax_t)(1e6 * values[NITRO_SORT_DESCENTS]),
                        (uintmax_t)(1e6 * cases[i].descents[0]),
                        (uintmax_t)(1e6 * cases[i].descents[1]));
        assert_in_range((uintmax_t)(1e6 * values[NITRO_SORT_INVERTED]),
                        (uintmax_t)(1e6 * cases[i].inverted[0]),
                        (uintmax_t)(1e6 * cases[i].inverted[1]));
        assert_true(values[NITRO_SORT_NUM_KEYS] == 1e5 && values[NITRO_SORT_KEY_BITS] == 64);
        assert_true(values[NITRO_SORT_DISTINCT] == 1);
        nitro_kit_free(&nitro_sort_kit, false, sort);
    }
}

static void features_of_few_keys_are_exact(void **state)
{
    computation_fixture *f = *state;
    uint32_t narrow[] = {3, 1, 1, 2};
    int64_t wide[] = {-1, 7, 7};
    nitro_sort sorts[] = {{.num_keys = 4, .type = NITRO_SORT_U32, .key_bytes = 4, .keys = narrow},
                          {.num_keys = 3, .type = NITRO_SORT_I64, .key_bytes = 8, .keys = wide},
                          {.num_keys = 1, .type = NITRO_SORT_I64, .key_bytes = 8, .keys = wide}};
    const double expected[][4] = {{1. / 4, 1. / 2, 3. / 4, 30}, {0, 0, 2. / 3, 0}, {0, 0, 1, 64}};
    for (size_t i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
        double values[NITRO_SORT_NUM_FEATURES];
        assert_ok(f->context, nitro_computation_evaluate(f->computation, &sorts[i], values));
        for (size_t k = 0; k < 4; k++)
            assert_true(values[NITRO_SORT_DESCENTS + k] == expected[i][k]);
    }
}

static void features_of_many_keys_are_sampled(void **state)
{
    enum { COUNT = 100000 };
    computation_fixture *f = *state;
    static uint32_t keys[COUNT];
    double values[NITRO_SORT_NUM_FEATURES];
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = i % 8 << 4 | UINT32_C(0xA0000000);
    nitro_sort sort = {.num_keys = COUNT, .type = NITRO_SORT_U32, .key_bytes = 4, .keys = keys};
    assert_ok(f->context, nitro_computation_evaluate(f->computation, &sort, values));
    assert_true(values[NITRO_SORT_DISTINCT] == 8. / 1024);
    assert_true(values[NITRO_SORT_CONSTANT_BITS] == 25);
    assert_true(values[NITRO_SORT_DESCENTS] > 0.09 && values[NITRO_SORT_DESCENTS] < 0.16);
}

static void files_of_numpy_are_read(void **state)
{
    computation_fixture *f = *state;
    const char *path = BINARY_DIR "/test_sort.npy";
    static const char dictionary[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
    char text[256] = "\x93NUMPY\x01\x00\x76"; /* of 118 bytes */
    const float keys[] = {3, -1, 2, 0.5F};
    char described[64];
    void *argument = NULL;
    memset(text + 10, ' ', 118);
    memcpy(text + 10, dictionary, sizeof(dictionary) - 1);
    text[127] = '\n';
    memcpy(text + 128, keys, sizeof(keys));
    assert_ok(f->context, nitro_file_write(f->context, path, text, 128 + sizeof(keys)));
    assert_ok(f->context, nitro_module_sort.load(f->context, path, &argument));
    nitro_module_sort.describe(argument, described, sizeof(described));
    assert_string_equal(described, "4 f32 keys");
    assert_memory_equal(((nitro_sort *)argument)->keys, keys, sizeof(keys));
    nitro_module_sort.unload(argument);

    static const struct {
        const char *from, *to, *error;
    } faults[] = {
        {"NUMPY", "NUMPI", "not a file of numpy"},
        {"<f4", ">f4", "'descr' is '>f4'"},
        {"<f4", "<f8", "declares 4 x 8 bytes, but 16 follow"},
        {"False", "True ", "C order"},
        {"False", "Falso", "neither True nor False"},
        {"(2, 2)", "(2, 3)", "declares 6 x 4 bytes"},
        {"(2, 2)", "(2, x)", "not a list of numbers"},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        char changed[256];
        memcpy(changed, text, sizeof(changed));
        size_t at = 0;
        while (memcmp(changed + at, faults[i].from, strlen(faults[i].from)) != 0)
            at++;
        memcpy(changed + at, faults[i].to, strlen(faults[i].to));
        nitro_sort *sort = NULL;
        assert_fails(f->context,
                     nitro_sort_npy_parse(f->context, "f.npy", changed, 128 + sizeof(keys), &sort),
                     NITRO_ERR_FORMAT, faults[i].error);
        assert_null(sort);
    }
    const float nan = NAN;
    memcpy(text + 132, &nan, sizeof(nan));
    nitro_sort *sort = NULL;
    assert_fails(f->context,
                 nitro_sort_npy_parse(f->context, "f.npy", text, 128 + sizeof(keys), &sort),
                 NITRO_ERR_FORMAT, "f.npy: element 1 is not a number");
    remove(path);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, computation_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_type_value_and_order),
        TEST(with_many_threads),
        TEST(samples_deceive),
        TEST(one_pair_is_out_of_order),
        TEST(both_zeros_and_infinities),
        TEST(a_released_room_is_made_again),
        TEST(wrong_results_are_found),
        TEST(features_tell_the_order),
        TEST(features_of_few_keys_are_exact),
        TEST(features_of_many_keys_are_sampled),
        TEST(files_of_numpy_are_read),
    };
    return cmocka_run_group_tests_name("sort", tests, NULL, NULL);
}

/* Models in their other forms: binary files that give the same scores bit by bit and refuse every
 * altered byte, and C files that decide alike. */
#include <dlfcn.h>
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "nitro/backend/explain.h"
#include "nitro/learn/select.h"
#include "nitro/models/binary.h"
#include "nitro/models/c_export.h"
#include "nitro/models/c_export_terms.h"
#include "nitro/models/model_file.h"
#include "nitro/runtime/scores/forest_tree.h"
#include "unit/synthetic.h"
#include "unit/temporary.h"

enum { NUM_INPUTS = 3000 };

/* A model with a relative feature and a plain device feature, by any strategy. */
static nitro_model *train_model(nitro_context *context, const char *strategy)
{
    nitro_device *devices[2];
    devices[0] = synthetic_device(context, "old", 4.0);
    devices[1] = synthetic_device(context, "new", 1.0);
    nitro_dataset *sources = synthetic_dataset(context, devices, 2, 80);
    synthetic_add_prepare(sources);
    nitro_device *target = synthetic_device(context, "next", 2.0);
    nitro_relative_feature relative = {.name = "size_per_launch",
                                       .scale = NITRO_SCALE_LOG,
                                       .formula = "max(size, 2) / (-(-device.launch)) + "
                                                  "sqrt(signed_log(ln(log2(size + 2) + 1)))",
                                       .replaces = "size"};
    assert_ok(context, nitro_schema_add_relative(context, sources->schema, &relative));
    nitro_string_list device_features = {0};
    assert_ok(context, nitro_string_list_add(context, &device_features, "launch"));
    nitro_training_task task = {.sources = sources,
                                .target = target,
                                .device_features = &device_features,
                                .use_relative = true,
                                .range_ends = true,
                                .seed = 3,
                                .num_threads = 2};
    nitro_model *model = NULL;
    assert_ok(context, nitro_strategy_find(context, strategy, &task.strategy));
    assert_ok(context, nitro_model_train(context, &task, &model));
    nitro_model_set_provenance(model, json_pack("{s:s}", "made", "for tests"));
    nitro_string_list_free(&device_features);
    nitro_device_free(target);
    nitro_dataset_free(sources);
    return model;
}

static void random_input(nitro_random *random, double *features)
{
    features[0] = pow(10.0, 0.5 + 5.0 * nitro_random_uniform(random));
    features[1] = 1.4 * nitro_random_uniform(random) - 0.2;
    if (nitro_random_below(random, 50) == 0)
        features[0] = -features[0];
}

static void test_binary_is_the_same_model(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++) {
        nitro_model *model = train_model(context, (*s)->name), *again = NULL;
        char *bytes = NULL, *second = NULL, *summary = NULL;
        size_t size = 0, second_size = 0;
        model->untried = 2;
        assert_ok(context, nitro_binary_format(model, &bytes, &size));
        assert_ok(context, nitro_binary_parse(context, "test.bin", bytes, size, &again));
        assert_int_equal(again->untried, 2);
        assert_string_equal(nitro_model_strategy(again), (*s)->name);
        assert_string_equal(nitro_model_target(again), "next");
        assert_ok(context, nitro_model_compile(again));
        assert_non_null(again->compiled);
        nitro_random random;
        nitro_random_seed(&random, 4);
        for (size_t i = 0; i < NUM_INPUTS; i++) {
            double features[2], expected[SYNTHETIC_VARIANTS], scores[SYNTHETIC_VARIANTS];
            nitro_decision a, b;
            random_input(&random, features);
            assert_ok(context, nitro_model_predict(model, features, &a, NULL, expected));
            assert_ok(context, nitro_model_predict(again, features, &b, NULL, scores));
            assert_memory_equal(scores, expected, sizeof scores);
            assert_true(a.variant == b.variant && a.reason == b.reason &&
                        a.confidence == b.confidence);
            double ratio = nitro_model_expected_ratio(model, scores, 0, 1);
            double ratio_again = nitro_model_expected_ratio(again, scores, 0, 1);
            assert_true(ratio == ratio_again || (isnan(ratio) && isnan(ratio_again)));
            const nitro_call_options few = {.uses = 1.0 + (double)(i % 40)};
            assert_ok(context, nitro_model_predict_with(model, features, &few, &a, NULL, expected));
            assert_ok(context, nitro_model_predict_with(again, features, &few, &b, NULL, scores));
            assert_memory_equal(scores, expected, sizeof scores);
        }
        /* Written again: the same bytes; as JSON it cannot be. */
        assert_ok(context, nitro_binary_format(again, &second, &second_size));
        assert_int_equal(second_size, size);
        assert_memory_equal(second, bytes, size);
        assert_fails(context, nitro_model_save(again, "/nonexistent/model"), NITRO_ERR_ARGUMENT,
                     "compiled");
        assert_fails(context, nitro_model_summary(again, &summary), NITRO_ERR_ARGUMENT, "compiled");
        free(bytes);
        free(second);
        nitro_model_free(model);
        nitro_model_free(again);
    }
    nitro_context_free(context);
}

static void test_altered_bytes_are_refused(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_model *model = train_model(context, "auto"), *again = NULL;
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(context, nitro_binary_format(model, &bytes, &size));
    for (size_t i = 0; i < size; i += i < 600 ? 1 : 97) {
        bytes[i] ^= 0x40;
        nitro_status status = nitro_binary_parse(context, "test.bin", bytes, size, &again);
        assert_true(status == NITRO_ERR_FORMAT || status == NITRO_ERR_NEWER);
        bytes[i] ^= 0x40;
    }
    for (size_t i = 0; i < size; i += i < 600 ? 7 : 977)
        assert_int_equal(nitro_binary_parse(context, "test.bin", bytes, i, &again),
                         NITRO_ERR_FORMAT);
    bytes[8] = NITRO_BINARY_VERSION + 1;
    assert_fails(context, nitro_binary_parse(context, "test.bin", bytes, size, &again),
                 NITRO_ERR_NEWER, "test.bin: the model has binary version 4");
    assert_null(again);
    free(bytes);
    nitro_model_free(model);
    nitro_context_free(context);
}

/* With the checksum made right every field is on its own: an error, or a model that decides. */
static void test_any_number_may_be_wrong(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       UINT64_MAX,
                                       UINT64_C(1) << 62,
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0x3ff8000000000000), /* 1.5 */
                                       UINT64_C(0xc08f400000000000)};
    nitro_context *context = unit_context();
    size_t num_refused = 0;
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++) {
        nitro_model *model = train_model(context, (*s)->name);
        char *bytes = NULL;
        size_t size = 0;
        assert_ok(context, nitro_binary_format(model, &bytes, &size));
        for (size_t at = NITRO_BINARY_HEADER_SIZE; at < size;
             at += at < 1500 ? 8 : size / 100 / 8 * 8)
            for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
                nitro_model *again = NULL;
                nitro_decision decision;
                uint64_t old;
                memcpy(&old, bytes + at, sizeof old);
                memcpy(bytes + at, &numbers[n], sizeof old);
                nitro_binary_seal(bytes, size);
                if (nitro_binary_parse(context, "test.bin", bytes, size, &again) == NITRO_OK) {
                    const double features[NITRO_MAX_FEATURES] = {100.0, 0.5};
                    assert_ok(context, nitro_model_compile(again));
                    assert_ok(context, nitro_model_decide(again, features, 3, 0.0, &decision));
                    assert_true(decision.variant < 2 || again->schema->num_variants > 2);
                    assert_true(decision.confidence >= 0.0 && decision.confidence <= 1.0);
                    assert_ok(context,
                              nitro_model_decide_uses(again, features, 3, 0.1, 0.0, &decision));
                    assert_true(decision.variant < 2 || again->schema->num_variants > 2);
                    assert_true(decision.confidence >= 0.0 && decision.confidence <= 1.0);
                } else {
                    num_refused++;
                }
                nitro_model_free(again);
                memcpy(bytes + at, &old, sizeof old);
            }
        free(bytes);
        nitro_model_free(model);
    }
    assert_true(num_refused > 1000);
    nitro_context_free(context);
}

/* A text or an array that would end behind the file is refused where it begins. */
static void test_items_end_inside_the_file(void **state)
{
    (void)state;
    static const struct {
        char bytes[25];
        const char *text; /* NULL: refused */
    } texts[] = {
        {"\3\0\0\0\0\0\0\0abc\0\0\0\0\0", "abc"},   {"\0\0\0\0\0\0\0\0abcdefgh", ""},
        {"\x08\0\0\0\0\0\0\0abcdefgh", "abcdefgh"}, {"\x09\0\0\0\0\0\0\0abcdefghi", NULL},
        {"\x10\0\0\0\0\0\0\0abcdefghi", NULL},      {"\3\0\0\0\0\0\0\0a\0c\0\0\0\0\0", NULL}};
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        nitro_binary_cursor cursor = {context, "test.bin", texts[i].bytes, 16, 0};
        char *text = NULL;
        nitro_status status = nitro_binary_text(&cursor, "a name", &text);
        assert_int_equal(status, texts[i].text ? NITRO_OK : NITRO_ERR_FORMAT);
        if (texts[i].text)
            assert_string_equal(text, texts[i].text);
        else
            assert_null(text);
        free(text);
    }
    const double numbers[4] = {7, 1, -2, 3};
    double *read = NULL;
    nitro_binary_cursor cursor = {context, "test.bin", (const char *)numbers, sizeof numbers, 8};
    assert_fails(context, nitro_binary_numbers(&cursor, "weights", 3.0, 4, &read), NITRO_ERR_FORMAT,
                 "test.bin: byte 8: weights");
    assert_fails(context, nitro_binary_numbers(&cursor, "weights", 2.0, 3, &read), NITRO_ERR_FORMAT,
                 "test.bin: byte 32: weights");
    assert_null(read);
    cursor.at = 8;
    assert_ok(context, nitro_binary_numbers(&cursor, "weights", 3.0, 3, &read));
    assert_memory_equal(read, numbers + 1, 3 * sizeof *read);
    free(read);
    nitro_context_free(context);
}

/* A sealed file: bytes `at` to `at` + `size` replaced, and put back. */
typedef struct binary {
    nitro_context *context;
    char *bytes;
    size_t size;
} binary;

static void assert_refused(const binary *b, size_t at, const void *by, size_t size,
                           const char *message)
{
    char old[16], text[256];
    nitro_model *model = NULL;
    memcpy(old, b->bytes + at, size);
    memcpy(b->bytes + at, by, size);
    nitro_binary_seal(b->bytes, b->size);
    assert_fails(b->context, nitro_binary_parse(b->context, "test.bin", b->bytes, b->size, &model),
                 NITRO_ERR_FORMAT, message);
    nitro_context_last_error(b->context, text, sizeof text);
    assert_non_null(strstr(text, "test.bin: byte "));
    assert_null(model);
    memcpy(b->bytes + at, old, size);
}

/* Where a text of the file begins; its length stands before it. */
static size_t place_of(const binary *b, const char *text)
{
    char item[32] = {(char)strlen(text)};
    memcpy(item + 8, text, strlen(text));
    const char *at = memmem(b->bytes, b->size, item, 8 + strlen(text));
    assert_non_null(at);
    return (size_t)(at - b->bytes) + 8;
}

static void assert_number_refused(const binary *b, size_t at, double number, const char *message)
{
    assert_refused(b, at, &number, sizeof number, message);
}

static void assert_count_refused(const binary *b, size_t at, uint64_t count, const char *message)
{
    assert_refused(b, at, &count, sizeof count, message);
}

/* What a name, a range or an index may be; on little-endian machines, as CI has. */
static void test_fields_have_their_range(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_model *model = train_model(context, "forest"), *again = NULL;
    binary b = {.context = context}, second = {.context = context};
    nitro_prepare_costs *costs = model->prepare_costs;
    model->schema->default_variant = 0;
    costs->few_feature = 1;
    costs->num_few = 2;
    costs->few[0] = (nitro_few_uses){0.5, 3.0, 1, 0.25};
    costs->few[1] = (nitro_few_uses){INFINITY, 4.0, 2, 0.75};
    assert_ok(context, nitro_binary_format(model, &b.bytes, &b.size));
    assert_ok(context, nitro_binary_parse(context, "test.bin", b.bytes, b.size, &again));
    assert_ok(context, nitro_binary_format(again, &second.bytes, &second.size));
    assert_int_equal(second.size, b.size);
    assert_memory_equal(second.bytes, b.bytes, b.size);
    size_t computation = place_of(&b, "toy"), target = place_of(&b, "next");
    size_t strategy = place_of(&b, "forest"), even = place_of(&b, "even");
    size_t skew = place_of(&b, "skew"), launch = place_of(&b, "launch");
    assert_refused(&b, computation, "t,y", 3, "computation");
    assert_refused(&b, target, "ne\nt", 4, "a target and a strategy with valid names");
    assert_refused(&b, target + 16, " ", 1, "a target and a strategy with valid names");
    assert_refused(&b, strategy, "for st", 6, "a target and a strategy with valid names");
    assert_refused(&b, even, "wide", 4, "wide");
    assert_count_refused(&b, even + 8, SYNTHETIC_VARIANTS, "the default variant");
    assert_refused(&b, skew, "size", 4, "size");
    size_t scale = skew + 8 + 16; /* after the unit, of one letter */
    assert_count_refused(&b, scale, NITRO_SCALE_AUTO, "a scale with a range");
    assert_count_refused(&b, scale, NITRO_SCALE_SIGNED_LOG + 1, "a scale is");
    assert_number_refused(&b, scale + 8, 1e6, "a scale with a range");
    assert_number_refused(&b, scale + 16, NAN, "a range is");
    assert_refused(&b, launch, "lau ch", 6, "a device feature's valid name");
    assert_count_refused(&b, b.size - 8, 8, "the variants that ran on no source");
    size_t end = b.size - 8; /* of the last choice for few uses: uses, variant, confidence */
    assert_number_refused(&b, end - 24, -1.0, "costs of preparing");
    assert_count_refused(&b, end - 16, SYNTHETIC_VARIANTS, "the variant for few uses");
    assert_number_refused(&b, end - 8, 1.5, "a confidence");
    assert_number_refused(&b, end - 8, -0.5, "costs of preparing");
    assert_number_refused(&b, end - 32, 1.5, "a confidence");
    assert_count_refused(&b, end - 40, SYNTHETIC_VARIANTS, "the variant for few uses");
    assert_number_refused(&b, end - 56, NAN, "a feature's border");
    assert_count_refused(&b, end - 64, NITRO_MAX_FEW + 1, "the number of choices for few uses");
    assert_count_refused(&b, end - 64, 0, "the number of choices for few uses");
    assert_count_refused(&b, end - 72, 3, "the feature for few uses");
    free(b.bytes);
    free(second.bytes);
    nitro_model_free(again);
    nitro_model_free(model);
    nitro_context_free(context);
}

/* Terms of an SVM: 8 bytes an item. */
typedef union item {
    uint64_t count;
    double number;
} item;

static nitro_status parse_votes(nitro_context *context, size_t num_columns, const item *items,
                                size_t count)
{
    nitro_binary_cursor cursor = {context, "test.bin", (const char *)items, count * sizeof *items,
                                  0};
    nitro_score_terms terms = {.num_columns = num_columns, .num_variants = 3};
    nitro_status status = nitro_binary_parts(&cursor, &terms);
    nitro_score_terms_release(&terms);
    return status;
}

/* Of a model without features, of one class, or of classes in a wrong order. */
static void test_classes_of_votes(void **state)
{
    enum { GAMMA = 3, CLASSES = 6, VECTORS = 8 };
    (void)state;
    nitro_context *context = unit_context();
    item one[] = {{1}, {NITRO_TERM_VOTES}, {.number = 1.0}, {.number = 0.5}, {1}, {0}, {2}, {0}};
    assert_ok(context, parse_votes(context, 0, one, 8));
    one[5].count = 1; /* a vector of no columns */
    one[7].count = 1;
    assert_ok(context, parse_votes(context, 0, one, 8));
    item two[] = {{1},
                  {NITRO_TERM_VOTES},
                  {.number = 1.0},
                  {.number = 0.5},
                  {2},
                  {2}, /* vectors: of two classes, each with one */
                  {1},
                  {2},
                  {1},
                  {1},
                  {.number = 0.1}, /* the pair's bias */
                  {.number = 1.0},
                  {.number = -1.0},
                  {.number = 0.3},
                  {.number = 0.4}};
    assert_ok(context, parse_votes(context, 1, two, 15));
    two[GAMMA].number = 0.0;
    assert_fails(context, parse_votes(context, 1, two, 15), NITRO_ERR_FORMAT, "a gamma above 0");
    two[GAMMA].number = 0.5;
    two[CLASSES + 1].count = 1; /* twice the same */
    assert_fails(context, parse_votes(context, 1, two, 15), NITRO_ERR_FORMAT, "a class is");
    two[CLASSES + 1].count = 3;
    assert_fails(context, parse_votes(context, 1, two, 15), NITRO_ERR_FORMAT, "a class is");
    two[CLASSES + 1].count = 2;
    two[VECTORS].count = 0; /* a vector of no class */
    assert_fails(context, parse_votes(context, 1, two, 15), NITRO_ERR_FORMAT,
                 "a class for every vector");
    nitro_context_free(context);
}

/* Version 1 has neither range ends nor costs of preparing, version 2 no untried variants. */
static void test_earlier_versions_are_read(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_model *model = train_model(context, "forest"), *again = NULL;
    char *bytes = NULL;
    size_t size = 0;
    free(model->ends);
    model->ends = NULL;
    nitro_prepare_costs_free(model->prepare_costs);
    model->prepare_costs = NULL;
    assert_ok(context, nitro_binary_format(model, &bytes, &size));
    for (char version = 2; version > 0; version--) {
        size -= (version == 2 ? 1 : 2) * sizeof(uint64_t);
        bytes[8] = version;
        nitro_binary_seal(bytes, size);
        assert_ok(context, nitro_binary_parse(context, "test.bin", bytes, size, &again));
        assert_null(again->ends);
        assert_null(again->prepare_costs);
        nitro_model_free(again);
        again = NULL;
    }
    bytes[8] = 0;
    nitro_binary_seal(bytes, size);
    assert_fails(context, nitro_binary_parse(context, "test.bin", bytes, size, &again),
                 NITRO_ERR_FORMAT, "altered or damaged");
    assert_null(again);
    free(bytes);
    nitro_model_free(model);
    nitro_context_free(context);
}

static bool compile(const char *flags, const char *source, const char *object)
{
    char command[2048];
    const char *compiler = getenv("CC");
    snprintf(command, sizeof command,
             "%s -std=c99 -O2 -Wall -Wextra -Wconversion -Werror %s -shared -fPIC "
             "'%s' -lm -o '%s'",
             compiler ? compiler : "cc", flags, source, object);
    return system(command) == 0;
}

/* `untried` and `absent`: bits of variants; the latter ran near no end of a range. */
static void check_source(nitro_context *context, const char *folder, const char *strategy,
                         uint64_t untried, uint64_t absent)
{
    char source[256], object[256];
    nitro_model *model = train_model(context, strategy);
    if (model->prepare_costs) { /* by ranges of the first feature */
        model->prepare_costs->few_feature = 0;
        model->prepare_costs->num_few = 3;
        model->prepare_costs->few[0] = (nitro_few_uses){100.0, 2.0, 2, 0.5};
        model->prepare_costs->few[1] = (nitro_few_uses){1e4, 8.0, 0, 0.5};
        model->prepare_costs->few[2] = (nitro_few_uses){INFINITY, 10.0, 1, 0.5};
    }
    model->untried = untried;
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        for (size_t e = 0; e < 2 * model->schema->num_features && absent >> v & 1; e++)
            model->ends[e].fallback_scores[v] = -1.0;
    snprintf(source, sizeof source, "%s/%s.c", folder, strategy);
    snprintf(object, sizeof object, "%s/%s.so", folder, strategy);
    assert_ok(context, nitro_model_export(model, NITRO_EXPORT_C, source));
    assert_true(compile("-ffp-contract=off", source, object));
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    int (*select)(const double *features) = NULL;
    *(void **)&select = dlsym(library, "nitro_toy_select");
    int (*select_uses)(const double *features, double uses) = NULL;
    *(void **)&select_uses = dlsym(library, "nitro_toy_select_uses");
    const char *const *variants = dlsym(library, "nitro_toy_variants");
    const char *const *features_names = dlsym(library, "nitro_toy_features");
    assert_true(select && variants && features_names);
    assert_string_equal(variants[1], "wide");
    assert_string_equal(features_names[1], "skew");
    assert_null(variants[SYNTHETIC_VARIANTS]);
    nitro_random random;
    nitro_random_seed(&random, 8);
    size_t num_chosen[SYNTHETIC_VARIANTS] = {0}, num_reasons[NITRO_REASON_NEAREST + 1] = {0};
    for (size_t i = 0; i < NUM_INPUTS; i++) {
        double features[2];
        nitro_decision decision;
        random_input(&random, features);
        assert_ok(context, nitro_model_predict(model, features, &decision, NULL, NULL));
        assert_int_equal(select(features), decision.variant);
        num_chosen[decision.variant]++;
        const nitro_call_options few = {.uses = 1.0 + (double)(i % 40)};
        assert_ok(context, nitro_model_predict_with(model, features, &few, &decision, NULL, NULL));
        if (select_uses)
            assert_int_equal(select_uses(features, few.uses), decision.variant);
        num_reasons[decision.reason]++;
        if (decision.reason == NITRO_REASON_MODEL || decision.reason == NITRO_REASON_NEAREST)
            assert_false(untried >> decision.variant & 1);
    }
    assert_true(num_reasons[NITRO_REASON_MODEL] > 0);
    assert_true(num_reasons[absent ? NITRO_REASON_OUTSIDE : NITRO_REASON_NEAREST] > 0);
    assert_true(num_reasons[NITRO_REASON_EXTRAPOLATED] > 0);
    assert_int_equal(select_uses != NULL, model->prepare_costs != NULL);
    assert_int_equal(select((const double[]){NAN, 0.5}), -1);
    for (size_t i = 0; i < 2 && select_uses; i++) {
        double features[] = {50, 0.5};
        features[i] = NAN;
        assert_int_equal(select_uses(features, 1.0), -1);
        features[i] = 1;
        assert_int_equal(select_uses(features, i ? NAN : 0.5), -1); /* refused as by the library */
    }
    assert_true((untried & 1 || num_chosen[0] > 0) && num_chosen[1] > 0);
    dlclose(library);
    unlink(source);
    unlink(object);
    nitro_model_free(model);
}

/* Decisions are the library's whatever is allowed of arithmetic, or the source does not compile. */
static void test_source_needs_ieee_arithmetic(void **state)
{
    (void)state;
    static const char *const flags[] = {"-ffast-math", "-ffinite-math-only", "-freciprocal-math",
                                        "-funsafe-math-optimizations"};
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_model *model = train_model(context, "kernel-ridge");
    char source[256], object[256];
    nitro_random random;
    nitro_random_seed(&random, 8);
    snprintf(source, sizeof source, "%s", temporary_path(&folder, "model.c"));
    assert_ok(context, nitro_model_export(model, NITRO_EXPORT_C, source));
    for (size_t f = 0; f < sizeof flags / sizeof flags[0]; f++) {
        int (*select)(const double *features) = NULL;
        snprintf(object, sizeof object, "%s/%zu.so", folder.folder, f);
        if (!compile(flags[f], source, object))
            continue;
        void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
        assert_non_null(library);
        *(void **)&select = dlsym(library, "nitro_toy_select");
        assert_int_equal(select((const double[]){NAN, 0.5}), -1);
        for (size_t i = 0; i < NUM_INPUTS; i++) {
            double features[2];
            nitro_decision decision;
            random_input(&random, features);
            assert_ok(context, nitro_model_predict(model, features, &decision, NULL, NULL));
            assert_int_equal(select(features), decision.variant);
        }
        dlclose(library);
    }
    nitro_model_free(model);
    temporary_remove(&folder);
    nitro_context_free(context);
}

/* Numbers in C: as few digits as give the same number back, eight in a line. */
static void test_source_numbers_are_exact(void **state)
{
    (void)state;
    static const float few[] = {0.5F, 100.0F, 0.1F, 1e10F, -0.25F, 1e-3F, 3.0F, 1.0F / 3, 7.0F};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    nitro_source_table table = nitro_source_begin(out, "number", "few", 2);
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++)
        nitro_source_float(&table, few[i]);
    nitro_source_end(&table);
    nitro_source_doubles(out, "doubles", 0, (const double[]){0.5, 0.1, 1.0 / 3, 1e300}, 4);
    table = nitro_source_begin(out, "number", "none", 0);
    nitro_source_end(&table);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "static const number few_2[] = {\n"
                              "    0.5f, 100.f, 0.1f, 1e+10f, -0.25f, 0.001f, 3.f, 0.33333334f,\n"
                              "    7.f\n};\n\n"
                              "static const double doubles_0[] = {\n"
                              "    0.5, 0.1, 0.3333333333333333, 1e+300\n};\n\n"
                              "static const number none_0[] = {0};\n\n");
    free(text);
    nitro_random random;
    nitro_random_seed(&random, 5);
    for (size_t i = 0; i < 5000; i++) {
        double number = ldexp(nitro_random_uniform(&random) - 0.5, (int)(i % 120) - 60);
        out = open_memstream(&text, &size);
        table = nitro_source_begin(out, "x", "y", 0);
        nitro_source_float(&table, (float)number);
        nitro_source_double(&table, number);
        assert_int_equal(fclose(out), 0);
        const char *first = strchr(text, '{') + 1, *second = strchr(first, ',') + 1;
        assert_true(strtof(first, NULL) == (float)number);
        assert_true(strtod(second, NULL) == number);
        free(text);
    }
}

/* Every large table's numbers: all of them floats, or the last one is not. */
static void make_floats(double *numbers, size_t count, bool is_last_one)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)numbers[i];
    if (is_last_one)
        numbers[count - 1] = 0.1;
}

enum { COEFFICIENTS = 1, VECTORS = 2, LEAVES = 4, EXTRA = 8 };

static void make_terms_floats(nitro_score_terms *terms, unsigned doubles)
{
    for (size_t i = 0; i < terms->count; i++) {
        nitro_score_term *term = &terms->items[i];
        bool is_last = i + 1 == terms->count;
        for (size_t t = 0; term->forest && t < term->forest->num_trees; t++)
            make_floats(term->forest->trees[t].outputs,
                        term->forest->trees[t].num_leaves * terms->num_variants,
                        is_last && doubles & (t == 0 ? EXTRA : LEAVES));
        if (term->kernels) {
            make_floats(term->kernels->vectors, term->kernels->num_vectors * terms->num_columns,
                        is_last && doubles & VECTORS);
            make_floats(term->kernels->coefficients,
                        term->kernels->num_vectors * term->kernels->num_outputs,
                        is_last && doubles & COEFFICIENTS);
        } else if (term->svm) {
            make_floats(term->vectors, term->svm->num_vectors * terms->num_columns,
                        is_last && doubles & VECTORS);
            make_floats(term->svm->coefficients,
                        term->svm->num_vectors * (term->svm->num_classes - 1),
                        is_last && doubles & COEFFICIENTS);
        }
    }
}

/* A number that is no float, wherever it is, makes all of them doubles. */
static void test_source_keeps_doubles(void **state)
{
    (void)state;
    static const struct {
        const char *strategy;
        unsigned doubles;
    } cases[] = {{"forest", 0},       {"forest", LEAVES},        {"forest", EXTRA},
                 {"svm", 0},          {"svm", VECTORS},          {"svm", COEFFICIENTS},
                 {"kernel-ridge", 0}, {"kernel-ridge", VECTORS}, {"kernel-ridge", COEFFICIENTS}};
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nitro_model *model = train_model(context, cases[i].strategy);
        nitro_score_terms terms;
        char *text = NULL;
        size_t size = 0;
        assert_ok(context, nitro_model_parts(model, &terms));
        make_terms_floats(&terms, cases[i].doubles);
        assert_ok(context, nitro_source_format(model, &text, &size));
        assert_non_null(
            strstr(text, cases[i].doubles ? "typedef double number;" : "typedef float number;"));
        free(text);
        nitro_model_free(model);
    }
    nitro_context_free(context);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

/* The two kernels of a pair have the same vectors, which are written once. */
static void test_source_writes_vectors_once(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_model *model = train_model(context, "kernel-ridge");
    nitro_score_terms terms;
    char *text = NULL;
    size_t size = 0;
    assert_ok(context, nitro_model_parts(model, &terms));
    assert_int_equal(terms.count, 2);
    assert_ok(context, nitro_source_format(model, &text, &size));
    assert_int_equal(count_of(text, "number vectors_"), 1);
    assert_int_equal(count_of(text, "number coefficients_"), 2);
    free(text);
    /* Vectors that differ in their last number only are two. */
    terms.items[0].kernels->vectors[terms.items[0].kernels->num_vectors * terms.num_columns - 1] +=
        1.0;
    assert_ok(context, nitro_source_format(model, &text, &size));
    assert_int_equal(count_of(text, "number vectors_"), 2);
    free(text);
    nitro_model_free(model);
    nitro_context_free(context);
}

static void test_source_decides_alike(void **state)
{
    (void)state;
    char folder[] = "/tmp/nitro-source-XXXXXX";
    if (system("${CC:-cc} --version >/dev/null 2>&1") != 0) {
        print_message("SKIPPED: there is no C compiler\n");
        skip();
    }
    nitro_context *context = unit_context();
    assert_non_null(mkdtemp(folder));
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++)
        check_source(context, folder, (*s)->name, 0, 0);
    check_source(context, folder, "auto", 1, 0);
    check_source(context, folder, "auto", 0, 1);
    assert_int_equal(rmdir(folder), 0);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary_is_the_same_model),
        cmocka_unit_test(test_altered_bytes_are_refused),
        cmocka_unit_test(test_any_number_may_be_wrong),
        cmocka_unit_test(test_items_end_inside_the_file),
        cmocka_unit_test(test_fields_have_their_range),
        cmocka_unit_test(test_classes_of_votes),
        cmocka_unit_test(test_earlier_versions_are_read),
        cmocka_unit_test(test_source_decides_alike),
        cmocka_unit_test(test_source_writes_vectors_once),
        cmocka_unit_test(test_source_needs_ieee_arithmetic),
        cmocka_unit_test(test_source_numbers_are_exact),
        cmocka_unit_test(test_source_keeps_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

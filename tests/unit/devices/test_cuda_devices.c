/* CUDA devices without a GPU: the table of published specifications, devices from recorded queries
 * (tests/gpus), invalid recordings, a fake NVML, where libraries are found, and errors without a
 * driver. */
#include <math.h>

#include "features/device/cuda/cuda_kind.h"
#include "features/device/cuda/nvml.h"
#include "nitro/computation_kit.h"
#include "unit/temporary.h"

#define NUM_PEAKS 3

static const char *const peaks[NUM_PEAKS] = {"peak_gbps", "peak_gflops_sp", "peak_gflops_dp"};

static bool is_near(double value, double expected, double tolerance)
{
    return fabs(value / expected - 1) <= tolerance;
}

/* ---- The table ------------------------------------------------------------------------------- */

#define MIN_CARDS       100
#define TABLE_PRECISION 0.03

static void check_card(const nitro_cuda_card *card)
{
    double major = floor(card->compute_capability);
    double minor = round(10 * (card->compute_capability - major));
    const nitro_cuda_architecture *architecture = nitro_cuda_architecture_find(major, minor);
    if (!architecture || strcmp(architecture->name, card->architecture) != 0)
        fail_msg("%s: %g is not %s", card->name, card->compute_capability, card->architecture);
    if (card->cuda_cores != card->sm_count * architecture->cores_per_sm)
        fail_msg("%s: %g SMs do not have %g cores", card->name, card->sm_count, card->cuda_cores);
    double gbps = 2 * card->mem_clock_rate * card->mem_bus_width / 8 / 1e3;
    if (isfinite(gbps) && !is_near(gbps, card->peak_gbps, TABLE_PRECISION))
        fail_msg("%s: %g GB/s is computed as %g", card->name, card->peak_gbps, gbps);
    double at_base = 2 * card->cuda_cores * card->base_clock / 1e3;
    double at_boost = 2 * card->cuda_cores * card->boost_clock / 1e3;
    if (!is_near(at_base, card->peak_gflops_sp, TABLE_PRECISION) &&
        !is_near(at_boost, card->peak_gflops_sp, TABLE_PRECISION))
        fail_msg("%s: %g GFLOP/s is computed as %g, or %g", card->name, card->peak_gflops_sp,
                 at_base, at_boost);
    double ratio = architecture->sp_to_dp_ratio;
    if (isfinite(card->peak_gflops_dp) && isfinite(ratio) &&
        !is_near(card->peak_gflops_sp / ratio, card->peak_gflops_dp, TABLE_PRECISION))
        fail_msg("%s: %g GFLOP/s in double precision", card->name, card->peak_gflops_dp);
}

static void test_table(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_cuda_card *cards = NULL;
    size_t count = 0;
    assert_ok(context, nitro_cuda_cards_read(context, &cards, &count));
    assert_true(count >= MIN_CARDS);
    for (size_t i = 0; i < count; i++) {
        check_card(&cards[i]);
        /* Every name is found, and is its own row's. */
        assert_ptr_equal(nitro_cuda_card_find(cards, count, cards[i].name), &cards[i]);
        char id[64];
        nitro_cuda_format_id(cards[i].name, id, sizeof(id));
        assert_true(nitro_device_id_is_valid(id));
    }
    const nitro_cuda_card *card = nitro_cuda_card_find(cards, count, "nvidia  GEFORCE rtx 2080 ti");
    assert_non_null(card);
    assert_string_equal(card->chip, "TU102");
    assert_null(nitro_cuda_card_find(cards, count, "NVIDIA GeForce RTX 2080 Ti Laptop GPU"));
    assert_null(nitro_cuda_card_find(cards, count, "A100"));
    assert_null(nitro_cuda_card_find(cards, count, ""));
    free(cards);
    nitro_context_free(context);
}

static void test_ids(void **state)
{
    (void)state;
    static const struct {
        const char *name, *id;
    } cases[] = {
        {"NVIDIA H200", "cuda:nvidia-h200"},
        {"NVIDIA H100 80GB HBM3", "cuda:nvidia-h100-80gb-hbm3"},
        {"GeForce RTX 2080 Ti", "cuda:nvidia-geforce-rtx-2080-ti"},
        {"NVIDIA GeForce RTX 2080 Ti", "cuda:nvidia-geforce-rtx-2080-ti"},
        {"Tesla V100-SXM2-16GB", "cuda:nvidia-tesla-v100-sxm2-16gb"},
        {"TITAN X (Pascal)", "cuda:nvidia-titan-x"},
        {"", "cuda:nvidia-unknown"},
        {"\xff(((", "cuda:nvidia-unknown"},
    };
    char id[64];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_cuda_format_id(cases[i].name, id, sizeof(id));
        assert_string_equal(id, cases[i].id);
    }
    char longest[NITRO_FACTS_TEXT_SIZE];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    nitro_cuda_format_id(longest, id, sizeof(id));
    assert_true(nitro_device_id_is_valid(id));
}

static void test_find(void **state)
{
    (void)state;
    nitro_facts facts[3];
    for (int i = 0; i < 3; i++) {
        nitro_facts_init(&facts[i]);
        facts[i].index = i;
        strcpy(facts[i].texts[NITRO_CUDA_NAME], i == 0 ? "NVIDIA A40" : "NVIDIA H200");
    }
    assert_int_equal(nitro_facts_find(&nitro_cuda_kind, facts, 3, "cuda"), 0);
    assert_int_equal(nitro_facts_find(&nitro_cuda_kind, facts, 3, "cuda:2"), 2);
    assert_int_equal(nitro_facts_find(&nitro_cuda_kind, facts, 3, "cuda:nvidia-h200"), 1);
    static const char *const strangers[] = {"cuda:3",   "cuda:", "cuda:-1", "cuda:1e0",
                                            "cuda:0x1", "host",  "",        "cuda:h200"};
    for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
        assert_int_equal(nitro_facts_find(&nitro_cuda_kind, facts, 3, strangers[i]), NITRO_NONE);
    assert_int_equal(nitro_facts_find(&nitro_cuda_kind, facts, 0, "cuda"), NITRO_NONE);
}

/* ---- Recorded devices ------------------------------------------------------------------------ */

static const nitro_device_kind *cuda_kind(void)
{
    const nitro_device_kind *const *kind = nitro_builtin_device_kinds();
    while (strcmp((*kind)->name, "cuda") != 0)
        kind++;
    return *kind;
}

static nitro_device *replay(nitro_context *context, const char *name)
{
    char path[512], *text = NULL;
    size_t size = 0;
    nitro_device *device = NULL;
    snprintf(path, sizeof(path), SOURCE_DIR "/tests/gpus/%s.json", name);
    assert_ok(context, nitro_file_read(context, path, 1 << 20, &text, &size));
    assert_ok(context, cuda_kind()->replay(context, path, text, size, &device));
    free(text);
    return device;
}

typedef struct expectation {
    const char *file, *id;
    double values[9]; /* in the order of `columns`; NAN: missing */
    double peaks[NUM_PEAKS];
    nitro_value_source sources[NUM_PEAKS];
} expectation;

static const char *const columns[9] = {
    "global_mem",    "cuda_cores",           "clock_rate",   "mem_clock_rate",    "mem_bus_width",
    "l2_cache_size", "shared_mem_per_block", "copy_engines", "compute_capability"};

#define STATIC   NITRO_VALUE_STATIC
#define COMPUTED NITRO_VALUE_COMPUTED

static const expectation expected_devices[] = {
    {"k20c",
     "cuda:nvidia-tesla-k20c",
     /* The paper's Table 1 prints 4.7 GB, 2496, 706, 2600, 320, 1280, 48, 2. */
     {5032706048 / 0x1p30, 2496, 705.5, 2600, 320, 1280, 48, 2, 3.5},
     {208, 3520, 1170},
     {STATIC, STATIC, STATIC}},
    {"v100-sxm2-16gb",
     "cuda:nvidia-tesla-v100-sxm2-16gb",
     {16935682048 / 0x1p30, 5120, 1530, 877, 4096, 6144, 48, 6, 7.0},
     {900, 15700, 7800},
     {STATIC, STATIC, STATIC}},
    {"a100-sxm4-40gb",
     "cuda:nvidia-a100-sxm4-40gb",
     {42298834944 / 0x1p30, 6912, 1410, 1215, 5120, 40960, 48, 3, 8.0},
     {1555, 19500, 9700},
     {STATIC, STATIC, STATIC}},
    {"a100-sxm4-40gb-mig-1g.5gb",
     "cuda:nvidia-a100-sxm4-40gb-mig-1g-5gb",
     {4980736000 / 0x1p30, 896, 1410, 1215, 640, 5120, 48, 1, 8.0},
     {194.4, 2526.72, 1263.36},
     {COMPUTED, COMPUTED, COMPUTED}},
    {"h100-pcie",
     "cuda:nvidia-h100-pcie",
     {84929216512 / 0x1p30, 14592, 1755, 1593, 5120, 51200, 48, 3, 9.0},
     {2000, 51000, 26000},
     {STATIC, STATIC, STATIC}},
    {"rtx-4090",
     "cuda:nvidia-geforce-rtx-4090",
     {25262096384 / 0x1p30, 16384, 2520, 10501, 384, 73728, 48, 2, 8.9},
     {1008, 82580, 2 * 16384 * 2.520 / 64},
     {STATIC, STATIC, COMPUTED}},
    {"b200",
     "cuda:nvidia-b200",
     {191513493504 / 0x1p30, 18944, 1965, 3996, 7680, 129536, 48, 4, 10.0},
     {7700, 75000, 37000},
     {STATIC, STATIC, STATIC}},
    {"unknown",
     "cuda:nvidia-tomorrow-1",
     {1, 1000, 2000, 1000, 128, 1024, 48, NAN, 99.1},
     {32, 4000, NAN},
     {COMPUTED, COMPUTED, COMPUTED}},
    {"bare",
     "cuda:nvidia-unknown",
     {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
     {NAN, NAN, NAN},
     {COMPUTED, COMPUTED, COMPUTED}},
};

static const nitro_device_feature *find_feature(const nitro_device *device, const char *name)
{
    for (size_t i = 0; i < device->num_features; i++)
        if (strcmp(device->features[i].name, name) == 0)
            return &device->features[i];
    return NULL;
}

static void check_value(const nitro_device *device, const char *feature, double expected)
{
    double value = nitro_device_value(device, feature);
    if (isnan(expected) ? !isnan(value) : !is_near(value, expected, 1e-9))
        fail_msg("%s: %s is %.17g instead of %.17g", device->id, feature, value, expected);
}

/* Where the driver tells enough to compute what is published, the two are near, and a label says
 * how near. */
static void check_peak(const nitro_device *device, const expectation *expected, size_t peak)
{
    char name[64];
    check_value(device, peaks[peak], expected->peaks[peak]);
    snprintf(name, sizeof(name), "%s_computed", peaks[peak]);
    const char *label = nitro_device_label(device, name);
    const nitro_device_feature *feature = find_feature(device, peaks[peak]);
    if (!feature)
        return;
    assert_int_equal(feature->source, expected->sources[peak]);
    assert_true((label != NULL) == (feature->source == STATIC));
    if (!label)
        return;
    double computed = strtod(label, NULL);
    if (!is_near(computed, feature->value, 0.05))
        fail_msg("%s: %s is published as %g: %s", device->id, peaks[peak], feature->value, label);
}

static void test_recorded_devices(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof(expected_devices) / sizeof(expected_devices[0]); i++) {
        const expectation *expected = &expected_devices[i];
        nitro_device *device = replay(context, expected->file);
        assert_string_equal(device->id, expected->id);
        assert_string_equal(device->kind, "cuda");
        for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++)
            check_value(device, columns[c], expected->values[c]);
        for (size_t p = 0; p < NUM_PEAKS; p++)
            check_peak(device, expected, p);
        for (size_t f = 0; f < device->num_features; f++) {
            assert_non_null(nitro_device_feature_lookup(device->features[f].name));
            assert_true(device->features[f].value > 0);
        }
        nitro_device_free(device);
    }
    nitro_context_free(context);
}

static void test_labels_and_measured_values(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *device = replay(context, "rtx-4090");
    static const struct {
        const char *name, *text;
    } labels[] = {{"vendor", "NVIDIA"},
                  {"model", "NVIDIA GeForce RTX 4090"},
                  {"architecture", "Ada Lovelace"},
                  {"chip", "AD102"},
                  {"driver", "580.82.07, CUDA 13.0"},
                  {"toolkit", "CUDA 13.0"},
                  {"pci", "0000:01:00.0"},
                  {"ecc", "off"},
                  {"power_limit", "450 W"},
                  {"peak_gbps_computed", "1008.1 (differs from the published value by +0.0%)"}};
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        assert_string_equal(nitro_device_label(device, labels[i].name), labels[i].text);
    assert_null(nitro_device_label(device, "mig"));
    const nitro_device_feature *copy = find_feature(device, "copy_gbps");
    assert_non_null(copy);
    assert_int_equal(copy->source, NITRO_VALUE_MEASURED);
    assert_true(copy->value == 921.5 && copy->spread == 0.004);
    check_value(device, "global_atomic", NAN);
    nitro_device_free(device);
    device = replay(context, "a100-sxm4-40gb-mig-1g.5gb");
    assert_string_equal(nitro_device_label(device, "mig"), "on");
    assert_null(nitro_device_label(device, "chip"));
    nitro_device_free(device);
    nitro_context_free(context);
}

/* A card that has the name of another and fewer parts: nothing of the other's is taken. */
static void test_card_of_the_same_name(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_facts facts;
    nitro_device *device = NULL;
    nitro_facts_init(&facts);
    strcpy(facts.texts[NITRO_CUDA_NAME], "NVIDIA GeForce RTX 3080");
    facts.values[NITRO_CUDA_COMPUTE_CAPABILITY_MAJOR] = 8;
    facts.values[NITRO_CUDA_COMPUTE_CAPABILITY_MINOR] = 6;
    facts.values[NITRO_CUDA_SM_COUNT] = 70;
    facts.values[NITRO_CUDA_CLOCK_RATE_KHZ] = 1710e3;
    assert_ok(context, nitro_facts_make_device(context, &nitro_cuda_kind, &facts, &device));
    assert_string_equal(
        nitro_device_label(device, "specification"),
        "of another card of this name: compute capability 8.6, 68 SMs, a bus of 320 bits");
    assert_null(nitro_device_label(device, "chip"));
    check_value(device, "peak_gbps", NAN);
    check_value(device, "peak_gflops_sp", 2 * 70 * 128 * 1.710);
    nitro_device_free(device);
    facts.values[NITRO_CUDA_SM_COUNT] = 68;
    assert_ok(context, nitro_facts_make_device(context, &nitro_cuda_kind, &facts, &device));
    assert_null(nitro_device_label(device, "specification"));
    check_value(device, "peak_gbps", 760);
    nitro_device_free(device);
    nitro_context_free(context);
}

/* What is written and read again is the same, whatever was not told. */
static void test_round_trip(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_facts facts[2], *read = NULL;
    size_t count = 0;
    char *text = NULL;
    for (int i = 0; i < 2; i++) {
        nitro_facts_init(&facts[i]);
        facts[i].index = i;
        snprintf(facts[i].texts[NITRO_CUDA_NAME], NITRO_FACTS_TEXT_SIZE, "card \"%d\"", i);
        for (int f = i; f < NITRO_CUDA_NUM_FACTS; f += 2)
            facts[i].values[f] = f * 1234567890.0;
        for (int b = i; b < NITRO_CUDA_NUM_BENCHMARKS; b += 2) {
            facts[i].measured[b] = (b + 1) / 7.0;
            facts[i].spread[b] = b / 1000.0;
        }
    }
    assert_ok(context, nitro_facts_print_all(context, &nitro_cuda_kind, facts, 2, &text));
    assert_ok(context, nitro_facts_parse(context, &nitro_cuda_kind, "text", text, strlen(text),
                                         &read, &count));
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++) {
        char *one = NULL, *other = NULL;
        assert_string_equal(read[i].texts[NITRO_CUDA_NAME], facts[i].texts[NITRO_CUDA_NAME]);
        assert_ok(context, nitro_facts_print(context, &nitro_cuda_kind, &facts[i], &one));
        assert_ok(context, nitro_facts_print(context, &nitro_cuda_kind, &read[i], &other));
        assert_string_equal(one, other);
        free(one);
        free(other);
    }
    free(read);
    free(text);
    nitro_context_free(context);
}

static void test_bad_recordings(void **state)
{
    (void)state;
#define HEAD             "{\"format\": \"nitro-cuda-query\", \"version\": 1, "
#define NAMES            "\"name\": \"a\", \"driver\": \"\", \"pci\": \"\", \"index\": 0, "
#define NOTHING_MEASURED ", \"measured\": {}}"
    static const struct {
        const char *text;
        nitro_status status;
        const char *says;
    } cases[] = {
        {"", NITRO_ERR_FORMAT, "x.json: line 1, column 0: not JSON"},
        {"{\n\"format\": oops}", NITRO_ERR_FORMAT, "x.json: line 2, column 14: not JSON"},
        {"7", NITRO_ERR_FORMAT, "x.json:"},
        {"null", NITRO_ERR_FORMAT, "x.json:"},
        {"{}", NITRO_ERR_FORMAT, "field format is missing"},
        {"{\"format\": \"nitro-model\", \"version\": 1}", NITRO_ERR_FORMAT,
         "not a recorded query of a CUDA device"},
        {"{\"format\": \"nitro-cuda-query\", \"version\": 2}", NITRO_ERR_NEWER, "version is 2"},
        {HEAD "\"name\": \"a\"}", NITRO_ERR_FORMAT, "field driver is missing"},
        {HEAD "\"name\": \"a\\nb\"}", NITRO_ERR_FORMAT, "field name must be at most 255 bytes"},
        {HEAD NAMES "\"facts\": {\"sm_cuont\": 1}" NOTHING_MEASURED, NITRO_ERR_FORMAT,
         "field facts.sm_cuont is unknown; did you mean sm_count?"},
        {HEAD NAMES "\"facts\": {\"sm_count\": -1}" NOTHING_MEASURED, NITRO_ERR_FORMAT,
         "field facts.sm_count is -1, but must be from 0"},
        {HEAD NAMES "\"facts\": {\"sm_count\": \"1\"}" NOTHING_MEASURED, NITRO_ERR_FORMAT,
         "field facts.sm_count must be a finite number"},
        {HEAD NAMES "\"facts\": {\"sm_count\": 1, \"sm_count\": 2}" NOTHING_MEASURED,
         NITRO_ERR_FORMAT, "duplicate object key"},
        {HEAD NAMES "\"facts\": {}, \"measured\": {\"copy_gbps\": 1}}", NITRO_ERR_FORMAT,
         "field measured.copy_gbps must be an object"},
        {HEAD NAMES "\"facts\": {}, \"measured\": {\"copy_gbps\": {\"value\": 0, \"spread\": 0}}}",
         NITRO_ERR_FORMAT, "field copy_gbps.value is 0"},
        {HEAD NAMES "\"facts\": {}, \"measured\": {}, \"more\": 1}", NITRO_ERR_FORMAT,
         "field more is unknown"},
        {"[]", NITRO_ERR_FORMAT, "0 devices instead of one"},
    };
    nitro_context *context = unit_context();
    nitro_device *device = NULL;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_fails(
            context,
            cuda_kind()->replay(context, "x.json", cases[i].text, strlen(cases[i].text), &device),
            cases[i].status, cases[i].says);
    assert_null(device);
    nitro_context_free(context);
}

/* ---- NVML -------------------------------------------------------------------------------------
 */

static void test_nvml(void **state)
{
    (void)state;
    char text[128];
    nitro_facts facts;
    assert_null(nitro_nvml_open("/nonexistent/libnvidia-ml.so.1"));
    assert_null(nitro_nvml_open("libm.so.6")); /* a library, but another one */
    nitro_nvml *nvml = nitro_nvml_open(FAKE_NVML);
    assert_non_null(nvml);
    nitro_facts_init(&facts);
    strcpy(facts.texts[NITRO_CUDA_PCI], "0000:17:00.0");
    nitro_nvml_add_facts(nvml, &facts);
    assert_string_equal(facts.texts[NITRO_CUDA_DRIVER], "580.82.07");
    assert_true(facts.values[NITRO_CUDA_NVML_MAX_SM_CLOCK_MHZ] == 1980);
    assert_true(facts.values[NITRO_CUDA_NVML_MAX_MEM_CLOCK_MHZ] == 2619);
    assert_true(facts.values[NITRO_CUDA_NVML_POWER_LIMIT_MW] == 700000);
    assert_true(isnan(facts.values[NITRO_CUDA_NVML_CUDA_CORES])); /* not a function of it */
    assert_true(isnan(facts.values[NITRO_CUDA_NVML_MIG]));        /* it refuses */
    nitro_nvml_print_state(nvml, facts.texts[NITRO_CUDA_PCI], text, sizeof(text));
    assert_string_equal(text, "1755 MHz, memory 1593 MHz, throttled: power, temperature");
    nitro_nvml_print_state(nvml, facts.texts[NITRO_CUDA_PCI], text, 20);
    assert_string_equal(text, "1755 MHz, memory 15");
    nitro_nvml_print_state(nvml, "0000:99:00.0", text, sizeof(text));
    assert_string_equal(text, "");
    nitro_nvml_close(nvml);
    nitro_nvml_close(NULL);
    nitro_nvml_add_facts(NULL, &facts);
    nitro_nvml_print_state(NULL, facts.texts[NITRO_CUDA_PCI], text, sizeof(text));
    assert_string_equal(text, "");
}

/* ---- Here -------------------------------------------------------------------------------------
 */

/* With or without a GPU: an id that names none says why there is none, or which there are. */
static void test_this_machine(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *device = NULL;
    nitro_status expected = nitro_cuda_is_built ? NITRO_ERR_NOT_FOUND : NITRO_ERR_NOT_BUILT;
    const char *says = nitro_cuda_is_built ? "" : "-DNITRO_CUDA=ON";
    assert_fails(context, cuda_kind()->describe(context, "cuda:999", false, &device), expected,
                 says);
    char message[1024];
    nitro_context_last_error(context, message, sizeof(message));
    assert_true(strlen(message) > 20 && !strchr(message, '\n'));
    assert_null(device);
    assert_fails(context, cuda_kind()->describe(context, "host", false, &device),
                 NITRO_ERR_NOT_FOUND, "'host' is not a CUDA device");
    nitro_context_free(context);
}

/* As NVIDIA's installers, Python's packages and conda lay it out. */
static void the_toolkits_libraries_are_found(void **state)
{
    static const struct {
        const char *variable, *folder;
    } places[] = {
        {"CUDA_HOME", "lib64"},
        {"CUDA_HOME", "extras/CUPTI/lib64"},
        {"CUDA_PATH", "lib"},
        {"VIRTUAL_ENV", "lib/python3.11/site-packages/nvidia/cusparse/lib"},
        {"CONDA_PREFIX", "lib"},
        {"HOME", ".local/lib/python3.9/site-packages/nvidia/cupti/lib"},
    };
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        temporary made = temporary_make();
        const char *folder = temporary_path(&made, places[i].folder);
        char name[64], path[512], *before = getenv(places[i].variable);
        before = before ? strdup(before) : NULL;
        snprintf(name, sizeof(name), "libnitro_made_up_%zu.so.1", i);
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        assert_ok(context, nitro_make_folders(context, folder));
        assert_int_equal(symlink(FAKE_NVML, path), 0);
        assert_null(nitro_cuda_library_open(name));
        setenv(places[i].variable, made.folder, 1);
        void *library = nitro_cuda_library_open(name);
        if (before)
            setenv(places[i].variable, before, 1);
        else
            unsetenv(places[i].variable);
        free(before);
        if (!library)
            fail_msg("not found in $%s/%s", places[i].variable, places[i].folder);
        temporary_remove(&made);
    }
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_recorded_devices),
        cmocka_unit_test(test_labels_and_measured_values),
        cmocka_unit_test(test_card_of_the_same_name),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bad_recordings),
        cmocka_unit_test(test_nvml),
        cmocka_unit_test(the_toolkits_libraries_are_found),
        cmocka_unit_test(test_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

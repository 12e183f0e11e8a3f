/* Device kinds: what every kind promises (a row of the list is a row of this test), and the host on
 * recorded machines, on this one, and with a clock of the test's own. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "features/device/host.h"
#include "features/device/host_kernels.h"
#include "unit.h"

/* cmocka 1.1.5 compares floats only. */
static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

/* ---- Every kind ------------------------------------------------------------------------------ */

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
    assert_true(nitro_name_is_clean(kind->name));
    assert_true(strlen(kind->description) > 0);
    nitro_string_list ids = {0};
    assert_ok(context, nitro_string_list_add(context, &ids, "already there"));
    assert_ok(context, kind->list(context, &ids));
    assert_string_equal(ids.items[0], "already there");
    for (size_t i = 1; i < ids.count; i++) {
        assert_true(nitro_device_id_is_clean(ids.items[i]));
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

/* ---- Recorded machines ----------------------------------------------------------------------- */

typedef struct expectation {
    const char *folder, *id;
    double cores, threads, nodes, memory_gb, clock_mhz, l2_kb, l3_kb, simd_bits, gflops_sp;
    const char *clock_rate_is; /* a part of the label; NULL: no label */
} expectation;

static void check_value(const nitro_device *device, const char *feature, double expected)
{
    double value = nitro_device_value(device, feature);
    bool right = isnan(expected) ? isnan(value) : fabs(value - expected) <= 1e-9 * expected;
    if (!right)
        fail_msg("%s: %s is %.17g instead of %.17g", device->id, feature, value, expected);
}

static void check_machine(const expectation *expected)
{
    char root[512], topology[600];
    snprintf(root, sizeof(root), SOURCE_DIR "/tests/hosts/%s", expected->folder);
    snprintf(topology, sizeof(topology), "%s/topology.xml", root);
    const nitro_host_source source = {.root = root, .topology_xml = topology};
    nitro_context *context = unit_context();
    nitro_device *device;
    assert_ok(context, nitro_host_query(context, &source, &device));
    assert_string_equal(device->id, expected->id);
    check_value(device, "cuda_cores", expected->cores);
    check_value(device, "sm_count", expected->cores);
    check_value(device, "hw_threads", expected->threads);
    check_value(device, "numa_nodes", expected->nodes);
    check_value(device, "global_mem", expected->memory_gb);
    check_value(device, "clock_rate", expected->clock_mhz);
    check_value(device, "l2_cache_size", expected->l2_kb);
    check_value(device, "l3_cache_size", expected->l3_kb);
    check_value(device, "simd_width", expected->simd_bits);
    check_value(device, "peak_gflops_sp", expected->gflops_sp);
    check_value(device, "peak_gflops_dp", expected->gflops_sp / 2);
    /* What only root or nobody may ask stays a hole; benchmarks were not asked for. */
    check_value(device, "peak_gbps", NAN);
    check_value(device, "copy_gbps", NAN);
    const char *label = nitro_device_label(device, "clock_rate_is");
    if (expected->clock_rate_is)
        assert_non_null(strstr(label, expected->clock_rate_is));
    else
        assert_null(label);
    nitro_device_free(device);
    nitro_context_free(context);
}

static void test_recorded_machines(void **state)
{
    (void)state;
    static const expectation machines[] = {
        /* Zen 5: 512-bit units. 2 cores x 2.596096 GHz x 16 lanes x 4 flops. */
        {"virtual-epyc-2c", "host:amd-epyc-2c", 2, 2, 1, 24684092 / 1048576.0, 2596.096, 2048,
         32768, 512, 332.300288, "when asked"},
        /* Twice the row that recorded data has for one package: 20 cores, 20480 KB, 2688 GFLOP/s.
         */
        {"xeon-gold-6230-2s", "host:intel-xeon-gold-6230-40c", 40, 80, 2, 192, 2100, 40960, 56320,
         512, 2 * 2688, "base clock (sysfs"},
        /* Zen 4: 512-bit instructions on 256-bit units. */
        {"epyc-9354", "host:amd-epyc-9354-32c", 32, 32, 1, 384, 3250, 32768, 262144, 256, 3328,
         "nominal"},
        {"graviton2", "host:arm-maker-0x41-part-0xd0c-64c", 64, 64, 1, 128, NAN, 65536, 32768, 128,
         NAN, NULL},
        /* Neither cores, caches, nor files. */
        {"bare", "host:unknown-3c", 3, 3, 1, NAN, NAN, NAN, NAN, NAN, NAN, NULL},
    };
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
        check_machine(&machines[i]);
}

static void test_ids(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        size_t cores;
        const char *id;
    } cases[] = {
        {"AMD EPYC 7763 64-Core Processor", 128, "host:amd-epyc-7763-128c"},
        {"Intel(R) Core(TM) i7-9700K CPU @ 3.60GHz", 8, "host:intel-core-i7-9700k-8c"},
        {"AMD Ryzen 7 5700U with Radeon Graphics", 8, "host:amd-ryzen-7-5700u-8c"},
        {"Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", 28, "host:intel-xeon-e5-2680-v4-28c"},
        {"Genuine Intel(R) CPU 0000%@", 4, "host:genuine-intel-0000-4c"},
        {"", 1, "host:unknown-1c"},
        {"(((", 1, "host:unknown-1c"},
        {"\xc3\xa9\xff \t -- ", 1, "host:unknown-1c"},
        {"CPU @ 9", 1, "host:unknown-1c"},
    };
    char id[64];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_host_format_id(cases[i].model, cases[i].cores, id, sizeof(id));
        assert_string_equal(id, cases[i].id);
    }
    char long_model[500];
    memset(long_model, 'x', sizeof(long_model) - 1);
    long_model[sizeof(long_model) - 1] = '\0';
    for (size_t space = 0; space < 50; space++) {
        long_model[space] = ' ';
        nitro_host_format_id(long_model, 123456789, id, sizeof(id));
        assert_true(nitro_device_id_is_clean(id));
        assert_non_null(strstr(id, "-123456789c"));
        long_model[space] = 'x';
    }
}

/* ---- Files that are not as they should be ---------------------------------------------------- */

static void write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void test_bad_topologies(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    char path[] = BINARY_DIR "/topology-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    static const char *const texts[] = {
        "", "not XML", "<?xml version=\"1.0\"?><topology version=\"2.0\"><object type=\"Mach",
        "<?xml version=\"1.0\"?><nothing/>"};
    const nitro_host_source source = {.root = "/nonexistent", .topology_xml = path};
    nitro_device *device = NULL;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        write_text(path, texts[i], strlen(texts[i]));
        assert_fails(context, nitro_host_query(context, &source, &device), NITRO_ERR_FORMAT, path);
    }
    unlink(path);
    assert_fails(context, nitro_host_query(context, &source, &device), NITRO_ERR_FORMAT, path);
    assert_null(device);
    nitro_context_free(context);
}

/* A folder with this /proc/cpuinfo and nothing else. */
static void read_processor_of(const char *text, size_t size, nitro_host_processor *processor)
{
    char root[] = BINARY_DIR "/host-XXXXXX", folder[sizeof(root) + 8], path[sizeof(folder) + 16];
    assert_non_null(mkdtemp(root));
    snprintf(folder, sizeof(folder), "%s/proc", root);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof(path), "%s/cpuinfo", folder);
    write_text(path, text, size);
    nitro_context *context = unit_context();
    assert_ok(context, nitro_host_read_processor(context, root, processor));
    nitro_context_free(context);
    unlink(path);
    rmdir(folder);
    rmdir(root);
}

static void test_odd_cpuinfo(void **state)
{
    (void)state;
    nitro_host_processor read;
    /* Not numbers, or not possible. */
    static const char *const clocks[] = {"cpu MHz : nan\n", "cpu MHz : -1\n",  "cpu MHz\n",
                                         "cpu MHz :",       "cpu MHz : 1e999", "cpu MHzz : 5\n"};
    for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
        read_processor_of(clocks[i], strlen(clocks[i]), &read);
        assert_true(isnan(read.clock_mhz));
        assert_null(read.clock_origin);
    }
    /* A name without an end is cut; a flag inside another flag is not that flag. */
    char text[3000] = "flags : xavx2 avx2x fmaa\nmodel name : ";
    memset(text + strlen(text), 'q', 2000);
    read_processor_of(text, strlen(text), &read);
    assert_int_equal(strlen(read.model), NITRO_HOST_TEXT_SIZE - 1);
    assert_true(isnan(read.simd_bits));
    /* Zeros in the file end what is read of it. */
    static const char zeros[] = "vendor_id : GenuineIntel\n\0\0\0model name : hidden\n";
    read_processor_of(zeros, sizeof(zeros), &read);
    assert_string_equal(read.vendor, "Intel");
    assert_string_equal(read.model, "");
    read_processor_of("", 0, &read);
    assert_true(read.family == -1 && isnan(read.clock_mhz));
}

static void test_clock_in_the_name(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double clock_mhz;
    } cases[] = {
        {"model name : Xeon @ 2.10GHz\ncpu MHz : 3900\n", 2100},
        {"model name : Pentium @ 800MHz\ncpu MHz : 100\n", 800},
        {"model name : Future @ soon\ncpu MHz : 100.5\n", 100.5},
        {"model name : Odd @\ncpu MHz : 100.5\n", 100.5},
        {"model name : Odd @ 1.2.3.4.5.6.7.8.9.10.11.12GHz\ncpu MHz : 100.5\n", 100.5},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_host_processor read;
        read_processor_of(cases[i].text, strlen(cases[i].text), &read);
        assert_near(read.clock_mhz, cases[i].clock_mhz, 1e-9);
    }
}

/* ---- The firmware's table of memory modules ---------------------------------------------------
 */

typedef struct table {
    unsigned char bytes[4096];
    size_t size;
} table;

static void add_byte(table *made, unsigned value)
{
    made->bytes[made->size++] = (unsigned char)value;
}

static void add_text(table *made, const char *text)
{
    if (!text[0])
        return;
    strcpy((char *)made->bytes + made->size, text);
    made->size += strlen(text) + 1;
}

/* A structure of type 17, as SMBIOS 2.7 has it; empty slots are 0 MB large. */
static void add_module(table *made, unsigned megabytes, unsigned bits, unsigned speed,
                       const char *slot, const char *bank)
{
    unsigned char module[0x22] = {17, sizeof(module)};
    module[0x0A] = (unsigned char)bits;
    module[0x0C] = (unsigned char)megabytes;
    module[0x0D] = (unsigned char)(megabytes >> 8);
    module[0x10] = slot[0] ? 1 : 0;
    module[0x11] = bank[0] ? 1 + (slot[0] != '\0') : 0;
    module[0x15] = 0x80; /* 3200: what it could do */
    module[0x16] = 0x0C;
    module[0x20] = (unsigned char)speed;
    module[0x21] = (unsigned char)(speed >> 8);
    for (size_t i = 0; i < sizeof(module); i++)
        add_byte(made, module[i]);
    add_text(made, slot);
    add_text(made, bank);
    if (!slot[0] && !bank[0])
        add_byte(made, 0);
    add_byte(made, 0);
}

static void check_bus(const table *made, double mhz, double bits, size_t channels)
{
    nitro_context *context = unit_context();
    nitro_host_memory_bus bus = {0};
    assert_ok(context, nitro_host_parse_memory_bus(context, made->bytes, made->size, &bus));
    assert_true(isnan(mhz) ? isnan(bus.clock_mhz) : bus.clock_mhz == mhz);
    assert_true(isnan(bits) ? isnan(bus.bits) : bus.bits == bits);
    assert_int_equal(bus.num_channels, channels);
    nitro_context_free(context);
}

static void test_memory_modules(void **state)
{
    (void)state;
    static table made;
    /* Two channels of a processor, two modules on one of them, and an empty slot. */
    made.size = 0;
    add_module(&made, 16384, 64, 2933, "DIMM 0", "P0 CHANNEL A");
    add_module(&made, 16384, 64, 2933, "DIMM 1", "P0 CHANNEL A");
    add_module(&made, 16384, 64, 2933, "DIMM 0", "P0 CHANNEL B");
    add_module(&made, 0, 64, 0, "DIMM 1", "P0 CHANNEL C");
    check_bus(&made, 2933 / 2.0, 128, 2);
    /* Cut short it says less, or nothing. */
    nitro_context *context = unit_context();
    for (size_t size = 0; size < made.size; size++) {
        nitro_host_memory_bus bus;
        assert_ok(context, nitro_host_parse_memory_bus(context, made.bytes, size, &bus));
        assert_true(isnan(bus.bits) || bus.bits == 64 || bus.bits == 128);
    }
    nitro_context_free(context);
    /* Names of the other kind; unknown speeds count as what the module could do. */
    made.size = 0;
    add_module(&made, 8192, 64, 0, "CPU1_DIMM_A1", "NODE 0 CHANNEL 0 DIMM 0");
    add_module(&made, 8192, 64, 0, "CPU1_DIMM_A2", "NODE 0 CHANNEL 0 DIMM 1");
    add_module(&made, 8192, 64, 0, "CPU2_DIMM_A1", "NODE 1 CHANNEL 0 DIMM 0");
    check_bus(&made, 1600, 128, 2);
    made.size = 0;
    add_module(&made, 8192, 64, 3200, "ChannelA-DIMM0", "BANK 0");
    add_module(&made, 8192, 64, 3200, "ChannelB-DIMM0", "BANK 2");
    check_bus(&made, 1600, 128, 2);
    /* Channels without a name, modules without a width: nothing is said. */
    add_module(&made, 8192, 64, 3200, "DIMM_A1", "");
    check_bus(&made, NAN, NAN, 0);
    made.size = 0;
    add_module(&made, 8192, 0, 3200, "CHANNEL A", "");
    check_bus(&made, NAN, NAN, 0);
    made.size = 0;
    check_bus(&made, NAN, NAN, 0);
}

/* ---- This machine ---------------------------------------------------------------------------- */

static const nitro_device_kind *host_kind(void)
{
    const nitro_device_kind *const *kind = nitro_builtin_device_kinds();
    while (strcmp((*kind)->name, "host") != 0)
        kind++;
    return *kind;
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

/* ---- The team of threads --------------------------------------------------------------------- */

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
        cmocka_unit_test(test_recorded_machines),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_bad_topologies),
        cmocka_unit_test(test_odd_cpuinfo),
        cmocka_unit_test(test_clock_in_the_name),
        cmocka_unit_test(test_memory_modules),
        cmocka_unit_test(test_this_machine),
        cmocka_unit_test(test_measured_features),
        cmocka_unit_test(test_clock_that_stands_still),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

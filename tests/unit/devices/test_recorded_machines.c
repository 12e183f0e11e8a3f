/* The host on recorded machines, and with missing or invalid files. */
#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "features/device/host/host_kind.h"
#include "unit/unit.h"

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
    /* Values that only root may read, and measured values, are missing. */
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
         32768, 512, 332.300288, "current clock"},
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
        assert_true(nitro_device_id_is_valid(id));
        assert_non_null(strstr(id, "-123456789c"));
        long_model[space] = 'x';
    }
}

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

/* A device that lacks what could not be read would have another id. */
static void test_too_many_open_files(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_host_processor read;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, before.rlim_max}), 0);
    nitro_status status = nitro_host_read_processor(context, "", &read);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_fails(context, status, NITRO_ERR_NO_MEMORY, "cpuinfo: cannot open: Too many open files");
    nitro_context_free(context);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_machines),   cmocka_unit_test(test_ids),
        cmocka_unit_test(test_bad_topologies),      cmocka_unit_test(test_odd_cpuinfo),
        cmocka_unit_test(test_too_many_open_files), cmocka_unit_test(test_clock_in_the_name),
        cmocka_unit_test(test_memory_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reads a machine's memory and first processor core from /proc and sysfs. Linux does not report
 * the arithmetic units of a core; what is assumed of them is in a table here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/host/host_kind.h"
#include "nitro/computation_kit.h"

#define MAX_CPUINFO_BYTES ((size_t)64 << 20) /* 4096 processors take about 8 MB */
#define MAX_MEMINFO_BYTES ((size_t)1 << 20)
#define MAX_NUMBER_BYTES  4096
#define KB_PER_GB         1048576.0 /* binary gigabytes, as in the paper's Table 1 */
#define CPU0              "sys/devices/system/cpu/cpu0/"

/* Leaves `text` NULL if the file is missing or unreadable. */
static nitro_status read_optional(nitro_context *context, const char *root, const char *name,
                                  size_t max_bytes, char **text)
{
    char *path = nitro_asprintf(context, "%s/%s", root, name);
    if (!path)
        return NITRO_ERR_NO_MEMORY;
    size_t size;
    nitro_status status = nitro_file_read(context, path, max_bytes, text, &size);
    free(path);
    return status == NITRO_ERR_NO_MEMORY ? status : NITRO_OK;
}

/* The value of the first line "key : value", cut to `size`; "" without one. */
static void find_value(const char *text, const char *key, char *value, size_t size)
{
    size_t key_length = strlen(key);
    value[0] = '\0';
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *after = line + key_length;
        if (strncmp(line, key, key_length) != 0)
            continue;
        after += strspn(after, " \t");
        if (*after != ':')
            continue;
        after++;
        after += strspn(after, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(after, "\n"), after);
        return;
    }
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(words, word); at; at = strstr(at + length, word))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static double read_number(const char *text)
{
    double value;
    return nitro_parse_number(text, &value) && value > 0 ? value : NAN;
}

/* Intel includes the base clock in the name: "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz". */
static double clock_in_name(const char *model)
{
    const char *at = strrchr(model, '@');
    if (!at)
        return NAN;
    at += 1 + strspn(at + 1, " ");
    char number[16];
    size_t length = strspn(at, "0123456789.");
    snprintf(number, sizeof(number), "%.*s", (int)length, at);
    double units_per_mhz = strncmp(at + length, "GHz", 3) == 0   ? 1e-3
                           : strncmp(at + length, "MHz", 3) == 0 ? 1
                                                                 : NAN;
    return read_number(number) / units_per_mhz;
}

static nitro_status clock_in_file(nitro_context *context, const char *root, const char *name,
                                  double units_per_mhz, double *clock_mhz)
{
    char *text = NULL;
    nitro_status status = read_optional(context, root, name, MAX_NUMBER_BYTES, &text);
    *clock_mhz = NAN;
    if (text) {
        text[strcspn(text, "\n")] = '\0';
        *clock_mhz = read_number(text) / units_per_mhz;
    }
    free(text);
    return status;
}

/* The sustained clock if known, else the highest, else the current one.
 */
static nitro_status read_clock(nitro_context *context, const char *root, const char *cpuinfo,
                               nitro_host_processor *processor)
{
    char current[NITRO_HOST_TEXT_SIZE];
    double base, nominal, highest;
    find_value(cpuinfo, "cpu MHz", current, sizeof(current));
    nitro_status status = clock_in_file(context, root, CPU0 "cpufreq/base_frequency", 1000, &base);
    if (status == NITRO_OK)
        status = clock_in_file(context, root, CPU0 "acpi_cppc/nominal_freq", 1, &nominal);
    if (status == NITRO_OK)
        status = clock_in_file(context, root, CPU0 "cpufreq/cpuinfo_max_freq", 1000, &highest);
    if (status != NITRO_OK)
        return status;
    const struct {
        double clock_mhz;
        const char *origin;
    } candidates[] = {
        {base, "base clock (sysfs cpufreq)"},
        {nominal, "nominal clock (sysfs acpi_cppc)"},
        {clock_in_name(processor->model), "base clock (in the model's name)"},
        {highest, "highest clock (sysfs cpufreq)"},
        {read_number(current), "current clock (/proc/cpuinfo)"},
    };
    for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
        if (isfinite(candidates[i].clock_mhz)) {
            processor->clock_mhz = candidates[i].clock_mhz;
            processor->clock_origin = candidates[i].origin;
            break;
        }
    }
    return NITRO_OK;
}

/* No interface reports a core's number of units, so each row states its assumption. Not wider than
 * `most_bits`, unless that is 0. */
static void choose_units(const char *flags, int most_bits, nitro_host_processor *processor)
{
    static const struct {
        const char *flag;
        double bits, flops_per_lane;
        const char *assumption;
    } sets[] = {
        {"avx512f", 512, 4, "avx512f: 512 bits, two fused multiply-add units a core"},
        {"fma", 256, 4, "avx and fma: 256 bits, two fused multiply-add units a core"},
        {"avx", 256, 2, "avx: 256 bits, one adder and one multiplier a core"},
        {"sse2", 128, 2, "sse2: 128 bits, one adder and one multiplier a core"},
        {"asimd", 128, 4, "asimd: 128 bits, two fused multiply-add units a core"},
    };
    /* Zen 4 runs 512-bit instructions on 256-bit units; Zen 5 (family 26) does not. */
    bool halves_avx512 = strcmp(processor->vendor, "AMD") == 0 && processor->family < 26;
    for (size_t i = halves_avx512; i < sizeof(sets) / sizeof(sets[0]); i++) {
        if (has_word(flags, sets[i].flag) && (most_bits == 0 || sets[i].bits <= most_bits)) {
            processor->simd_bits = sets[i].bits;
            processor->flops_per_lane = sets[i].flops_per_lane;
            processor->flops_assumption = sets[i].assumption;
            return;
        }
    }
}

/* ARM reports no model names: implementer and part numbers identify the processor. */
static void find_model(const char *cpuinfo, nitro_host_processor *processor)
{
    char maker[32], design[32];
    find_value(cpuinfo, "model name", processor->model, sizeof(processor->model));
    find_value(cpuinfo, "CPU implementer", maker, sizeof(maker));
    find_value(cpuinfo, "CPU part", design, sizeof(design));
    if (processor->model[0] == '\0' && maker[0] && design[0])
        snprintf(processor->model, sizeof(processor->model), "ARM maker %s part %s", maker, design);
}

static void find_vendor(const char *cpuinfo, nitro_host_processor *processor)
{
    static const struct {
        const char *written, *name;
    } known[] = {{"GenuineIntel", "Intel"}, {"AuthenticAMD", "AMD"}, {"HygonGenuine", "Hygon"}};
    find_value(cpuinfo, "vendor_id", processor->vendor, sizeof(processor->vendor));
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(processor->vendor, known[i].written) == 0)
            snprintf(processor->vendor, sizeof(processor->vendor), "%s", known[i].name);
}

nitro_status nitro_host_read_processor(nitro_context *context, const char *root,
                                       nitro_host_processor *processor)
{
    nitro_host_processor read = {
        .family = -1, .clock_mhz = NAN, .simd_bits = NAN, .flops_per_lane = NAN};
    char *cpuinfo = NULL;
    int most_bits = root[0] ? 0 : nitro_host_simd_limit();
    if (most_bits < 0)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "NITRO_SIMD_BITS is '%.40s': set it to 512, 256 or 128, the bits of the "
                          "widest vectors that variants may use, or unset it",
                          secure_getenv("NITRO_SIMD_BITS"));
    nitro_status status = read_optional(context, root, "proc/cpuinfo", MAX_CPUINFO_BYTES, &cpuinfo);
    if (status != NITRO_OK)
        return status;
    const char *text = cpuinfo ? cpuinfo : "";
    char number[NITRO_HOST_TEXT_SIZE], flags[8192];
    find_vendor(text, &read);
    find_model(text, &read);
    find_value(text, "cpu family", number, sizeof(number));
    if (isfinite(read_number(number)))
        read.family = strtol(number, NULL, 10);
    find_value(text, "flags", flags, sizeof(flags));
    if (flags[0] == '\0')
        find_value(text, "Features", flags, sizeof(flags)); /* as ARM spells it */
    choose_units(flags, most_bits, &read);
    read.is_virtual = has_word(flags, "hypervisor");
    status = read_clock(context, root, text, &read);
    free(cpuinfo);
    if (status == NITRO_OK)
        *processor = read;
    return status;
}

nitro_status nitro_host_read_memory(nitro_context *context, const char *root, double *memory_gb)
{
    char *meminfo = NULL, total_kb[32];
    nitro_status status = read_optional(context, root, "proc/meminfo", MAX_MEMINFO_BYTES, &meminfo);
    if (status != NITRO_OK)
        return status;
    find_value(meminfo ? meminfo : "", "MemTotal", total_kb, sizeof(total_kb));
    total_kb[strcspn(total_kb, " ")] = '\0';
    *memory_gb = read_number(total_kb) / KB_PER_GB;
    free(meminfo);
    return NITRO_OK;
}

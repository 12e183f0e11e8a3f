/* Formulas of common relative features as text. Each is parenthesised, so that truncation makes it
 * invalid. */
#include <stdio.h>

#include "nitro/nitro_backend.h"

#define THREADS_PER_SM 2048 /* resident threads per multiprocessor on most NVIDIA GPUs */

/** A NULL is printed so that declaring the formula fails. */
static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

static size_t length_of(int printed)
{
    return printed < 0 ? 0 : (size_t)printed;
}

size_t nitro_formula_per_thread(char *text, size_t size, const char *work)
{
    return length_of(snprintf(text, text ? size : 0, "((%s) / (%d * device.sm_count))",
                              or_nothing(work), THREADS_PER_SM));
}

size_t nitro_formula_per_core(char *text, size_t size, const char *work)
{
    return length_of(
        snprintf(text, text ? size : 0, "((%s) / device.cuda_cores)", or_nothing(work)));
}

size_t nitro_formula_per_l2(char *text, size_t size, const char *bytes)
{
    return length_of(snprintf(text, text ? size : 0, "((%s) / (1024 * device.l2_cache_size))",
                              or_nothing(bytes)));
}

size_t nitro_formula_streaming_time(char *text, size_t size, const char *bytes, double floor_us)
{
    char floor_text[32];
    nitro_format_number(floor_us, floor_text, sizeof floor_text);
    return length_of(snprintf(text, text ? size : 0, "(1 + (%s) / (1000 * device.peak_gbps) / %s)",
                              or_nothing(bytes), floor_text));
}

size_t nitro_formula_imbalance(char *text, size_t size, const char *longest, const char *work)
{
    return length_of(snprintf(text, text ? size : 0, "((%s) / ((%s) / device.cuda_cores))",
                              or_nothing(longest), or_nothing(work)));
}

size_t nitro_formula_machine_balance(char *text, size_t size, const char *flops, const char *bytes)
{
    return length_of(snprintf(text, text ? size : 0,
                              "((%s) / (%s) / (device.peak_gflops_dp / device.peak_gbps))",
                              or_nothing(flops), or_nothing(bytes)));
}

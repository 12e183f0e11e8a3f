/* Inputs of a kit's computation: loaded from files or generated. Loading one for its features needs
 * no device. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/base/require.h"
#include "nitro/kit/fields.h"
#include "nitro/nitro_backend.h"

#define CACHES       40.0 /* beyond, all inputs are alike to the memory system */
#define MEMORY_SHARE (1.0 / 16)
#define LEAST_CACHE  1e6
#define LARGE_SHARE  0.25
#define LARGE_ROUNDS 2 /* of all families, in which each one has a large input */

/* ---- Sizes ---- */

/* As the C library knows them; 0 where it does not. */
static double find_cache_bytes(void)
{
    double l2 = (double)sysconf(_SC_LEVEL2_CACHE_SIZE), l3 = (double)sysconf(_SC_LEVEL3_CACHE_SIZE);
    return fmax(fmax(l2, l3), LEAST_CACHE);
}

static double find_memory_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

nitro_status nitro_kit_generate_limit(nitro_context *context, const char *computation,
                                      double cache_bytes, double *bytes)
{
    nitro_setting_value value;
    double given = 0.0;
    NITRO_REQUIRE(context, context && bytes);
    nitro_status status = nitro_setting_get(context, computation, "generate_mb", &value);
    if (status != NITRO_OK)
        return status;
    if (nitro_parse_number(value.text, &given))
        *bytes = given * 1e6;
    else
        *bytes =
            fmin(CACHES * (cache_bytes > 0 ? fmax(cache_bytes, LEAST_CACHE) : find_cache_bytes()),
                 MEMORY_SHARE * find_memory_bytes());
    return NITRO_OK;
}

double nitro_kit_draw_log(nitro_random *random, double low, double high)
{
    return low * pow(high / low, nitro_random_uniform(random));
}

double nitro_kit_draw_size(const nitro_kit_inputs *inputs, nitro_random *random, size_t index,
                           double most_bytes)
{
    static const size_t first[] = {0, 2, 3};
    double least = inputs->least_size, usual = inputs->usual_size;
    double most = most_bytes / inputs->unit_bytes;
    size_t round = index / inputs->num_families, family = index % inputs->num_families;
    bool is_large = nitro_random_uniform(random) < LARGE_SHARE;
    if (most > inputs->base_size && round < LARGE_ROUNDS)
        is_large = family % LARGE_ROUNDS == round;
    is_large = is_large && most > usual;
    double low = is_large ? usual : least, high = is_large ? most : fmin(usual, most);
    double drawn = nitro_kit_draw_log(random, low, high), size = most;
    /* a tune that is stopped early has seen the range */
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++, size /= 3.0)
        if (index == first[i] && size > inputs->base_size)
            return size;
    return drawn;
}

/* ---- Inputs ---- */

/* On a device, the host's argument becomes the first part of a larger one. Takes it, also on
 * error. */
static nitro_status finish(nitro_context *context, const nitro_kit *kit, bool is_on_device,
                           void *data, void **argument)
{
    void *made = data;
    nitro_status status = kit->adopt ? kit->adopt(context, data, &made) : NITRO_OK;
    if (status == NITRO_OK && is_on_device) {
        void *larger = nitro_calloc(context, 1, nitro_kit_device_bytes(kit));
        if (!larger) {
            nitro_kit_free(kit, false, made);
            return NITRO_ERR_NO_MEMORY;
        }
        memcpy(larger, made, kit->argument_bytes);
        free(made);
        made = larger;
    }
    if (status == NITRO_OK)
        *argument = made;
    return status;
}

static nitro_status check_families(nitro_context *context, const nitro_kit *kit)
{
    const nitro_kit_inputs *inputs = kit->inputs;
    if (inputs->num_families == 0)
        return nitro_fail(context, NITRO_ERR_UNSUPPORTED, "%s has no generated inputs", kit->name);
    return inputs->make && inputs->least_size > 0 && inputs->usual_size >= inputs->least_size &&
                   inputs->unit_bytes > 0
               ? NITRO_OK
               : nitro_fail(context, NITRO_ERR_ARGUMENT,
                            "%s: generated inputs need nitro_kit_inputs.make, 0 < least_size <= "
                            "usual_size and unit_bytes > 0",
                            kit->name);
}

static nitro_status check_device(nitro_context *context, const nitro_kit *kit, bool is_on_device)
{
    return is_on_device && (!kit->device || !kit->device->kind)
               ? nitro_kit_create(context, kit, true, NULL) /* says what is missing */
               : NITRO_OK;
}

nitro_status nitro_kit_load(nitro_context *context, const nitro_kit *kit, bool is_on_device,
                            const char *path, void **argument)
{
    void *data;
    NITRO_REQUIRE(context, context && kit && path && argument);
    NITRO_REQUIRE(context, kit->inputs && kit->inputs->load);
    nitro_status status = check_device(context, kit, is_on_device);
    if (status == NITRO_OK)
        status = kit->inputs->load(context, path, &data);
    return status == NITRO_OK ? finish(context, kit, is_on_device, data, argument) : status;
}

nitro_status nitro_kit_generate(nitro_context *context, const nitro_kit *kit, bool is_on_device,
                                uint64_t seed, size_t index, char *name, size_t name_size,
                                void **argument)
{
    NITRO_REQUIRE(context, context && kit && name && kit->inputs);
    const nitro_kit_inputs *inputs = kit->inputs;
    char label[NITRO_KIT_LABEL], text[NITRO_KIT_LABEL + 64];
    void *data = NULL;
    double most_bytes;
    nitro_random random;
    nitro_status status = check_device(context, kit, is_on_device);
    if (status == NITRO_OK)
        status = check_families(context, kit);
    if (status == NITRO_OK)
        status = nitro_kit_generate_limit(context, kit->name, 0, &most_bytes);
    if (status != NITRO_OK)
        return status;
    for (int round = 0; round < 1 + (argument != NULL) && status == NITRO_OK; round++) {
        nitro_random_seed(&random, seed ^ ((uint64_t)index + 1) * UINT64_C(0x9E3779B97F4A7C15));
        double size = nitro_kit_draw_size(inputs, &random, index, most_bytes);
        double bytes = size * inputs->unit_bytes, most = find_memory_bytes();
        if (round > 0 && bytes > most) { /* many families would take hours to find out */
            status = nitro_fail(context, NITRO_ERR_NO_MEMORY,
                                "input %zu takes %.0f MB, and this machine has %.0f MB of memory: "
                                "generate_mb is too large",
                                index, bytes / 1e6, most / 1e6);
            break;
        }
        status = inputs->make(context, index % inputs->num_families, &random, size, label,
                              round > 0 ? &data : NULL);
        int length =
            snprintf(text, sizeof(text), "%s#%zu-seed%llu", label, index, (unsigned long long)seed);
        if (status == NITRO_OK && (size_t)length >= name_size)
            status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                                "the name '%s' needs %d bytes, there is room for %zu", text,
                                length + 1, name_size);
    }
    if (status == NITRO_OK && argument)
        status = finish(context, kit, is_on_device, data, argument);
    if (status == NITRO_OK)
        snprintf(name, name_size, "%s", text);
    return status;
}

const char *nitro_kit_feature_alias(const nitro_kit *kit, const char *name)
{
    for (const char *const *alias = kit->feature_aliases; alias && alias[0]; alias += 2)
        if (strcmp(alias[0], name) == 0)
            return alias[1];
    return NULL;
}

void nitro_kit_describe(const nitro_kit *kit, const void *argument, char *text, size_t size)
{
    if (kit->describe) {
        kit->describe(argument, text, size);
        return;
    }
    text[0] = '\0';
    for (size_t i = 0; i < kit->num_fields; i++)
        if (kit->fields[i].role == NITRO_SCALAR)
            nitro_message_list_add(text, size, "%s %lld", kit->fields[i].name,
                                   (long long)nitro_field_scalar(&kit->fields[i], argument));
}

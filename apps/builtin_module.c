/* Shared by the built-in modules: declares a computation from its variants and its features, and
 * draws the sizes of generated inputs. */
#include "apps/builtin_module.h"

#include <math.h>
#include <unistd.h>

#define CACHES       40.0 /* beyond, all inputs are alike to the memory system */
#define MEMORY_SHARE (1.0 / 16)
#define LEAST_CACHE  1e6
#define LARGE_SHARE  0.125

nitro_status nitro_module_create_computation(nitro_context *context, const char *name,
                                             nitro_declare_function add_variants,
                                             nitro_declare_function add_features,
                                             nitro_computation **computation)
{
    nitro_computation *made;
    nitro_status status = nitro_computation_create(context, name, &made);
    if (status != NITRO_OK)
        return status;
    status = add_features(made); /* first: constraints name the features that they read */
    if (status == NITRO_OK)
        status = add_variants(made);
    if (status != NITRO_OK) {
        nitro_computation_free(made);
        return status;
    }
    *computation = made;
    return NITRO_OK;
}

/** As the C library knows them; 0 where it does not. */
static double find_cache_bytes(void)
{
    double l2 = (double)sysconf(_SC_LEVEL2_CACHE_SIZE), l3 = (double)sysconf(_SC_LEVEL3_CACHE_SIZE);
    return fmax(fmax(l2, l3), LEAST_CACHE);
}

static double find_memory_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

nitro_status nitro_module_generate_limit(nitro_context *context, const char *computation,
                                         double *bytes)
{
    nitro_setting_value value;
    double given = 0.0;
    nitro_status status = nitro_setting_get(context, computation, "generate_mb", &value);
    if (status != NITRO_OK)
        return status;
    if (nitro_parse_number(value.text, &given))
        *bytes = given * 1e6;
    else
        *bytes = fmin(CACHES * find_cache_bytes(), MEMORY_SHARE * find_memory_bytes());
    return NITRO_OK;
}

double nitro_module_draw_size(nitro_random *random, size_t index, double least, double usual,
                              double base, double most)
{
    static const size_t first[] = {0, 2, 3};
    bool is_large = nitro_random_uniform(random) < LARGE_SHARE && most > usual;
    double low = is_large ? usual : least, high = is_large ? most : fmin(usual, most);
    double drawn = low * pow(high / low, nitro_random_uniform(random)), size = most;
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++, size /= 3.0)
        if (index == first[i] && size > base)
            return size;
    return drawn;
}

/* Arbitrary bytes as a file of proxies, added to the built-in ones; values of accepted metrics for
 * a profile with both profilers' names are finite or missing. */
#include <math.h>

#include "fuzz.h"
#include "nitro/nitro_backend.h"

static void query(nitro_context *context, const nitro_proxies *proxies)
{
    static const char *const metrics[] = {"inst_issued", "smsp__inst_issued.sum", "a", "b.sum",
                                          "lts__t_sectors_op_read.sum"};
    nitro_profile *profile = NULL;
    double *values = calloc(proxies->num_metrics + 1, sizeof(*values));
    require(values &&
            nitro_profile_create_of_proxy(context, "MEM-BW", 1, "k", &profile) == NITRO_OK);
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
        require(nitro_profile_set(context, profile, metrics[i], (double)i + 0.5) == NITRO_OK);
    require(nitro_proxies_values(context, proxies, profile, values) == NITRO_OK);
    for (size_t i = 0; i < proxies->num_metrics; i++)
        require(!isinf(values[i]));
    nitro_profile_free(profile);
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_proxies *proxies = NULL;
    require(nitro_context_create(&context) == NITRO_OK);
    require(nitro_proxies_create(context, NULL, &proxies) == NITRO_OK);
    if (nitro_proxies_add(context, proxies, "fuzz", (const char *)data, size) == NITRO_OK) {
        require(proxies->num_proxies >= 5);
        query(context, proxies);
    }
    nitro_proxies_free(proxies);
    nitro_context_free(context);
    return 0;
}

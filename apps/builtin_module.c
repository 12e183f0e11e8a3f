/* Shared by the built-in modules: declares a computation from its variants and its features. */
#include "apps/builtin_module.h"

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

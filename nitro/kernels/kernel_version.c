/* Versions of variants that are kernels: a digest of the source, the launches, and the
 * configuration that runs, so that times of another one are outdated. */
#include <stdlib.h>
#include <string.h>

#include "nitro/kernels/kernel.h"
#include "nitro/runtime/computation.h"

static uint64_t add_text(const char *text, uint64_t hash)
{
    return text ? nitro_hash(text, strlen(text) + 1, hash) : nitro_hash("", 0, hash);
}

static uint64_t add_step(const nitro_kernel_step *step, uint64_t hash)
{
    hash = add_text(step->local_bytes, add_text(step->entry, hash));
    for (size_t d = 0; d < 3; d++)
        hash = add_text(step->global[d], add_text(step->local[d], hash));
    for (size_t a = 0; a < NITRO_KERNEL_MAX_ARGUMENTS && step->arguments[a]; a++)
        hash = add_text(step->arguments[a], hash);
    return hash;
}

uint64_t nitro_kernel_digest(const nitro_kernel *kernel, const char *const *values)
{
    uint64_t hash = add_text(kernel->options, add_text(kernel->source, 4));
    for (size_t s = 0; s < nitro_kernel_num_steps(kernel); s++)
        hash = add_step(&kernel->steps[s], hash);
    for (size_t p = 0; p < nitro_kernel_num_parameters(kernel); p++)
        hash = add_text(values ? values[p] : NULL, add_text(kernel->parameters[p].name, hash));
    return hash;
}

static nitro_status hold(nitro_context *context, nitro_variant *variant,
                         const nitro_kernel_target *target, bool *was_configured)
{
    const nitro_kernel *kernel = variant->user;
    const char *values[NITRO_KERNEL_MAX_PARAMETERS];
    char *kept[NITRO_KERNEL_MAX_PARAMETERS] = {NULL};
    double numbers[NITRO_KERNEL_MAX_PARAMETERS];
    nitro_status status =
        nitro_kernel_choose_values(context, kernel, target, kept, values, numbers, was_configured);
    if (status == NITRO_OK)
        status = nitro_variant_set_digest(context, variant, nitro_kernel_digest(kernel, values));
    if (status == NITRO_OK && !*was_configured)
        status = nitro_kernel_configure(context, kernel, values);
    for (size_t p = 0; p < NITRO_KERNEL_MAX_PARAMETERS; p++)
        free(kept[p]);
    return status;
}

nitro_status nitro_kernels_hold(nitro_computation *computation, const char *device, uint64_t *held)
{
    nitro_context *context = computation->context;
    const nitro_kernel *asked = NULL; /* for whose backend `target` is */
    nitro_kernel_target target;
    nitro_status status = NITRO_OK;
    *held = 0;
    for (size_t v = 0; v < computation->schema->num_variants && status == NITRO_OK; v++) {
        const nitro_kernel *kernel = nitro_kernel_of(computation, v);
        const nitro_kernel_backend *backend;
        bool was_configured = true;
        if (!kernel)
            continue;
        status = nitro_kernel_check(context, kernel, &backend);
        if (status == NITRO_OK && (!asked || strcmp(asked->backend, kernel->backend) != 0)) {
            status = nitro_kernel_ask_target(context, kernel, device, &target);
            asked = kernel;
        }
        if (status == NITRO_OK)
            status = hold(context, &computation->variants[v], &target, &was_configured);
        if (status == NITRO_OK && !was_configured)
            *held |= UINT64_C(1) << v;
    }
    if (status != NITRO_OK) {
        nitro_kernels_let_go(computation, *held);
        *held = 0;
    }
    return status;
}

void nitro_kernels_let_go(nitro_computation *computation, uint64_t held)
{
    for (size_t v = 0; v < computation->schema->num_variants; v++)
        if (held >> v & 1)
            nitro_kernel_configure(computation->context, nitro_kernel_of(computation, v), NULL);
}

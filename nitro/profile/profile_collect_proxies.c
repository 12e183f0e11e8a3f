/* Profiles of proxy kernels. A proxy is run as a computation whose variants are its intensities,
 * so that crashes and hangs are handled as for variants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/profile/profile_collect.h"

#define NUM_INTENSITIES (NITRO_PROXY_MAX_INTENSITY + 1)

/** The argument of the variants: a kernel, prepared for each intensity. */
typedef struct proxy_runs {
    nitro_context *context;
    const nitro_proxy_kernel *kernel;
    void *states[NUM_INTENSITIES];
} proxy_runs;

typedef struct proxies_collection {
    nitro_collection base;
    const nitro_proxy_kernel *kernel; /* the one at hand */
    uint64_t stored;                  /* a bit for each of its intensities */
} proxies_collection;

static const unsigned intensities[NUM_INTENSITIES] = {0, 1, 2, 3, 4, 5};
_Static_assert(NITRO_PROXY_MAX_INTENSITY == 5, "one entry an intensity");

static nitro_status load(nitro_context *context, void *state, void **argument)
{
    proxy_runs *runs = nitro_calloc(context, 1, sizeof *runs);
    if (!runs)
        return NITRO_ERR_NO_MEMORY;
    runs->context = context;
    runs->kernel = ((const proxies_collection *)state)->kernel;
    *argument = runs;
    return NITRO_OK;
}

/* Variants return only a number: the message goes to the log. */
static int say(const proxy_runs *runs, nitro_status status)
{
    char message[1024];
    if (status == NITRO_OK)
        return 0;
    nitro_context_last_error(runs->context, message, sizeof message);
    nitro_log(runs->context, NITRO_LOG_WARNING, "proxy %s: %s", runs->kernel->proxy, message);
    return (int)status;
}

/* A wrong proxy would corrupt every comparison with it. */
static int prepare(void *argument, void *user)
{
    proxy_runs *runs = argument;
    unsigned intensity = *(const unsigned *)user;
    const nitro_proxy_work work = {.intensity = intensity};
    nitro_status status = runs->kernel->create(runs->context, &work, &runs->states[intensity]);
    if (status == NITRO_OK)
        status = runs->kernel->check(runs->states[intensity]);
    return say(runs, status);
}

static int run(void *argument, void *user)
{
    const proxy_runs *runs = argument;
    return say(runs, runs->kernel->run(runs->states[*(const unsigned *)user]));
}

static void unload(void *argument)
{
    proxy_runs *runs = argument;
    for (size_t i = 0; i < NUM_INTENSITIES; i++)
        if (runs->states[i])
            runs->kernel->free(runs->states[i]);
    free(runs);
}

static nitro_status declare(nitro_context *context, const nitro_proxy_kernel *kernel,
                            nitro_computation **computation)
{
    nitro_computation *made = NULL;
    nitro_status status = nitro_computation_create(context, kernel->proxy, &made);
    if (status == NITRO_OK)
        status = nitro_computation_set_device_kind(made, kernel->device_kind);
    for (size_t i = 0; i < NUM_INTENSITIES && status == NITRO_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "intensity-%u", intensities[i]);
        const nitro_variant variant = {
            .name = name, .prepare = prepare, .run = run, .user = (void *)&intensities[i]};
        status = nitro_computation_add_variant(made, &variant);
    }
    if (status == NITRO_OK)
        *computation = made;
    else
        nitro_computation_free(made);
    return status;
}

static nitro_status name_profile(void *user, size_t variant, const char *kernel,
                                 nitro_profile **profile)
{
    const proxies_collection *self = user;
    return nitro_profile_create_of_proxy(self->base.context, self->kernel->proxy, (double)variant,
                                         kernel, profile);
}

static nitro_status note_stored(void *user, const char *device, const nitro_profile *profile)
{
    proxies_collection *self = user;
    (void)device;
    if (strcmp(profile->name, self->kernel->proxy) != 0)
        return NITRO_OK;
    for (size_t i = 0; i < NUM_INTENSITIES; i++)
        if (profile->intensity == (double)i)
            self->stored |= UINT64_C(1) << i;
    return NITRO_OK;
}

static nitro_status profile_proxy(proxies_collection *self)
{
    nitro_collection *base = &self->base;
    const nitro_input input = {
        .name = self->kernel->proxy, .load = load, .unload = unload, .state = self};
    nitro_computation *computation = NULL;
    bool input_failed = false;
    nitro_status status = NITRO_OK;
    self->stored = 0;
    if (!base->options.again)
        status = nitro_store_each_profile(base->store, base->device->id, NULL, note_stored, self);
    uint64_t wanted = ((UINT64_C(1) << NUM_INTENSITIES) - 1) & ~self->stored;
    base->report->found += (size_t)__builtin_popcountll(self->stored);
    base->progress.found += wanted == 0;
    if (status == NITRO_OK && wanted)
        status = declare(base->context, self->kernel, &computation);
    if (status == NITRO_OK && wanted)
        status = nitro_collection_run(base, computation, &input, wanted, &input_failed);
    nitro_computation_free(computation);
    return status == NITRO_OK ? nitro_collection_report(base, self->kernel->proxy) : status;
}

static nitro_status profile_all(proxies_collection *self)
{
    nitro_collection *base = &self->base;
    const nitro_proxy_kernel *const *kernels =
        base->options.kernels ? base->options.kernels : nitro_builtin_proxy_kernels();
    nitro_status status = NITRO_OK;
    for (size_t i = 0; kernels[i]; i++)
        base->progress.total += strcmp(kernels[i]->device_kind, base->device->kind) == 0;
    if (base->progress.total == 0)
        return nitro_fail(base->context, NITRO_ERR_NOT_FOUND,
                          "no proxy has a kernel for devices of kind %s", base->device->kind);
    for (size_t i = 0; kernels[i] && status == NITRO_OK; i++) {
        self->kernel = kernels[i];
        if (strcmp(self->kernel->device_kind, base->device->kind) == 0)
            status = profile_proxy(self);
    }
    return status;
}

nitro_status nitro_profile_proxies(nitro_store *store, const char *device,
                                   const nitro_profile_options *options,
                                   nitro_profile_report *report)
{
    nitro_context *context = nitro_store_context(store);
    nitro_device *target = NULL;
    proxies_collection self = {0};
    *report = (nitro_profile_report){0};
    nitro_status status = nitro_device_find(context, device, false, &target, NULL);
    if (status != NITRO_OK)
        return status;
    status = nitro_collection_begin(&self.base, store, target, options, report);
    self.base.received.name = name_profile;
    self.base.received.name_user = &self;
    if (status == NITRO_OK)
        status = profile_all(&self);
    nitro_collection_end(&self.base);
    nitro_device_free(target);
    return status;
}

/* Provenance of samples and profiles. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "nitro/nitro_backend.h"

static bool copy_text(nitro_context *context, const char *from, char **copy)
{
    *copy = nitro_strdup(context, from);
    return *copy || !from;
}

#if defined(__clang__)
#define COMPILER __VERSION__ /* contains "Clang" */
#else
#define COMPILER "GCC " __VERSION__
#endif

bool nitro_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

void nitro_device_digest(const nitro_device *device, char digest[NITRO_DIGEST_SIZE])
{
    uint64_t sum = nitro_hash(device->kind, strlen(device->kind), 0);
    for (size_t i = 0; i < device->num_features; i++) {
        const nitro_device_feature *feature = &device->features[i];
        char value[32];
        if (feature->source == NITRO_VALUE_MEASURED)
            continue;
        nitro_format_number(feature->value, value, sizeof(value));
        uint64_t hash = nitro_hash(feature->name, strlen(feature->name) + 1, 0);
        sum += nitro_hash(value, strlen(value), hash); /* a sum has no order */
    }
    snprintf(digest, NITRO_DIGEST_SIZE, "%016" PRIx64, sum);
}

/* The host's "driver" is the kernel. */
static bool copy_driver(nitro_context *context, const nitro_device *device,
                        const struct utsname *system, char **driver)
{
    const char *label = nitro_device_label(device, "driver");
    if (label || strcmp(device->kind, "host") != 0)
        return copy_text(context, label, driver);
    *driver = nitro_asprintf(context, "%s %s", system->sysname, system->release);
    return *driver;
}

nitro_status nitro_provenance_of_device(nitro_context *context, const nitro_device *device,
                                        const char *origin, nitro_provenance *made)
{
    struct utsname system = {0};
    char digest[NITRO_DIGEST_SIZE];
    uname(&system);
    nitro_device_digest(device, digest);
    made->time_s = (int64_t)time(NULL);
    if (copy_text(context, origin, &made->origin) &&
        copy_text(context, nitro_version(), &made->library) &&
        copy_text(context, COMPILER, &made->compiler) &&
        copy_text(context, system.nodename, &made->host) &&
        copy_driver(context, device, &system, &made->driver) &&
        copy_text(context, nitro_device_label(device, "toolkit"), &made->toolkit) &&
        copy_text(context, digest, &made->device_digest))
        return NITRO_OK;
    nitro_provenance_clear(made);
    return NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_provenance_copy(nitro_context *context, const nitro_provenance *from,
                                   nitro_provenance *copy)
{
    bool copied = true;
    copy->time_s = from->time_s;
#define COPY(unused, member) copied = copied && copy_text(context, from->member, &copy->member);
    NITRO_PROVENANCE_TEXTS(COPY, )
#undef COPY
    if (copied)
        return NITRO_OK;
    nitro_provenance_clear(copy);
    return NITRO_ERR_NO_MEMORY;
}

void nitro_provenance_clear(nitro_provenance *provenance)
{
#define FREE(unused, member) free(provenance->member);
    NITRO_PROVENANCE_TEXTS(FREE, )
#undef FREE
    *provenance = (nitro_provenance){0};
}

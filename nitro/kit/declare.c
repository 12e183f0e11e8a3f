/* Declares a computation of a kit: features, variants, and the hooks that its fields ask for. */
#include <stdlib.h>
#include <string.h>

#include "nitro/base/require.h"
#include "nitro/kit/fields.h"
#include "nitro/nitro_backend.h"

static nitro_status check_name(nitro_context *context, const nitro_kit *kit, size_t index)
{
    const char *name = kit->fields[index].name;
    if (!name || !*name)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: field %zu has no name", kit->name,
                          index);
    for (size_t i = 0; i < index; i++)
        if (strcmp(kit->fields[i].name, name) == 0)
            return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: two fields are named '%s'",
                              kit->name, name);
    return NITRO_OK;
}

static bool is_inside(size_t offset, size_t bytes, size_t argument_bytes)
{
    return offset <= argument_bytes && bytes <= argument_bytes - offset;
}

/* Where the argument's own members are; `cuda` of a device's argument that is a struct of its own.
 */
static nitro_status check_argument(nitro_context *context, const nitro_kit *kit,
                                   const nitro_kit_device *device)
{
    const char *member = NULL;
    if (!is_inside(kit->kept, sizeof(nitro_kept *), kit->argument_bytes))
        member = "kept";
    else if (kit->room && !is_inside(kit->room, sizeof(nitro_room), kit->argument_bytes))
        member = "room";
    else if (device && !nitro_kit_device_is_plain(device) &&
             !is_inside(device->cuda, sizeof(nitro_on_device), device->argument_bytes))
        member = "device->cuda";
    if (!member)
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_ARGUMENT,
                      "%s: nitro_kit.%s is outside the argument: set it, and argument_bytes, by "
                      "offsetof and sizeof",
                      kit->name, member);
}

/* In the host's argument. */
static nitro_status check_place(nitro_context *context, const nitro_kit *kit,
                                const nitro_field *field)
{
    size_t bytes = nitro_field_is_array(field) ? sizeof(void *) : nitro_field_size(field);
    if (field->offset == NITRO_NOWHERE)
        return field->role == NITRO_SCRATCH
                   ? NITRO_OK
                   : nitro_fail(context, NITRO_ERR_ARGUMENT,
                                "%s: the field '%s' has no place in the host's argument, which "
                                "only NITRO_SCRATCH can do without",
                                kit->name, field->name);
    if (!is_inside(field->offset, bytes, kit->argument_bytes))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: the field '%s' is at byte %zu of an argument of %zu bytes",
                          kit->name, field->name, field->offset, kit->argument_bytes);
    if (field->offset < kit->kept + sizeof(void *) && kit->kept < field->offset + bytes)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: nitro_kit.kept is the place of the field '%s', and must be that of "
                          "the argument's nitro_kept *",
                          kit->name, field->name);
    return NITRO_OK;
}

/* With all scalars 0, so that only the formula matters. */
static nitro_status check_count(nitro_context *context, const nitro_kit *kit,
                                const nitro_field *field, const void *zeros)
{
    int64_t count;
    const char *problem =
        nitro_field_is_array(field)
            ? nitro_field_count(kit->fields, kit->num_fields, field, zeros, &count)
            : NULL;
    if (!problem)
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: the count of field '%s', '%s', %s",
                      kit->name, field->name, field->count ? field->count : "", problem);
}

static nitro_status check_field(nitro_context *context, const nitro_kit *kit, size_t index,
                                const void *zeros)
{
    const nitro_field *field = &kit->fields[index];
    nitro_status status = NITRO_OK;
    if ((size_t)field->role > NITRO_SCRATCH || (size_t)field->element > NITRO_BYTE)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: the field '%s' has the role %d and the element %d, which are none "
                          "of nitro_role and nitro_element",
                          kit->name, field->name, (int)field->role, (int)field->element);
    if (field->role == NITRO_SCALAR && field->element != NITRO_INT64 &&
        field->element != NITRO_INT32)
        status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                            "%s: the scalar '%s' is neither NITRO_INT64 nor NITRO_INT32: only "
                            "these are fields",
                            kit->name, field->name);
    if (status == NITRO_OK)
        status = check_place(context, kit, field);
    return status == NITRO_OK ? check_count(context, kit, field, zeros) : status;
}

/* The reference gives magnitudes of one output. */
static nitro_status check_relative(nitro_context *context, const nitro_kit *kit)
{
    const nitro_field *first = NULL;
    for (size_t i = 0; i < kit->num_fields && kit->reference; i++) {
        const nitro_field *field = &kit->fields[i];
        if (!nitro_field_is_output(field) || field->agreement != NITRO_RELATIVE)
            continue;
        if (first)
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "%s: the outputs '%s' and '%s' are both NITRO_RELATIVE, and "
                              "the reference gives magnitudes of one: give the other a "
                              "NITRO_TOLERANCE, or check it in nitro_kit.check",
                              kit->name, first->name, field->name);
        first = field;
    }
    return NITRO_OK;
}

static nitro_status check_fields(nitro_context *context, const nitro_kit *kit)
{
    if (kit->num_fields > NITRO_KIT_MAX_FIELDS)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s declares %zu fields, and an argument has at most %d", kit->name,
                          kit->num_fields, NITRO_KIT_MAX_FIELDS);
    if (!kit->fields && kit->num_fields > 0)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: nitro_kit.fields is NULL", kit->name);
    void *zeros = nitro_calloc(context, 1, kit->argument_bytes);
    nitro_status status = zeros ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < kit->num_fields && status == NITRO_OK; i++)
        status = check_name(context, kit, i);
    for (size_t i = 0; i < kit->num_fields && status == NITRO_OK; i++)
        status = check_field(context, kit, i, zeros);
    free(zeros);
    return status == NITRO_OK ? check_relative(context, kit) : status;
}

static _Thread_local struct {
    const void *argument; /* NULL: none */
    char text[NITRO_KIT_PROBLEM_BYTES];
} kept_problem;

void nitro_kit_keep_problem(const void *argument, const char *text)
{
    snprintf(kept_problem.text, sizeof(kept_problem.text), "%s", text);
    kept_problem.argument = argument;
}

/* A kept problem is told once: the argument's next failure may be another variant's. */
static const char *host_problem(const void *argument, void *user)
{
    const nitro_kit *kit = user;
    if (argument && kept_problem.argument == argument) {
        kept_problem.argument = NULL;
        return kept_problem.text;
    }
    return kit->problem ? kit->problem(argument) : NULL;
}

static nitro_status add_hooks(nitro_computation *computation, const nitro_kit *kit,
                              bool is_on_device)
{
    nitro_hooks hooks = is_on_device ? nitro_kit_device_hooks : nitro_kit_host_hooks;
    if (!nitro_kit_has_inout(kit))
        hooks.restore_input = NULL; /* without it, short runs are timed in batches */
    if (is_on_device)
        hooks.clock = kit->device->memory->clock;
    hooks.user = (void *)kit; /* const in effect: hooks only read it */
    nitro_status status = nitro_computation_set_hooks(computation, &hooks);
    if (status == NITRO_OK)
        status = nitro_computation_set_problem(
            computation, is_on_device ? nitro_kit_problem : host_problem, (void *)kit);
    return status;
}

bool nitro_kit_allows_nothing(const double *features, const void *argument, void *user)
{
    (void)features;
    (void)argument;
    (void)user;
    return false;
}

static int refuse(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 1;
}

/* Variants that the kit's plug-in has, ended by NULL. Where it cannot be loaded, that is logged,
 * and it has none. */
static const nitro_variant *const *load_variants(nitro_context *context, const nitro_kit *kit)
{
    static const nitro_variant *const none[] = {NULL};
    const void *loaded = none;
    char why[512];
    if (nitro_plugin_load(context, kit->plugin, &loaded) == NITRO_OK)
        return loaded;
    nitro_context_last_error(context, why, sizeof(why));
    nitro_context_clear_error(context);
    nitro_log(context, NITRO_LOG_WARNING, "%s is without the variants of %s.so: %s", kit->name,
              kit->plugin, why);
    return none;
}

/* The plug-in's variant in place of one that lacks `run`. */
static const nitro_variant *find_loaded(nitro_context *context, const nitro_kit *kit,
                                        const nitro_variant *declared)
{
    if (declared->run || !kit->plugin)
        return declared;
    const nitro_variant *const *loaded = load_variants(context, kit);
    while (*loaded && strcmp((*loaded)->name, declared->name) != 0)
        loaded++;
    return *loaded ? *loaded : declared;
}

static const nitro_variant *find_variant(const nitro_variant *const *variants, size_t count,
                                         const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(variants[i]->name, name) == 0)
            return variants[i];
    return NULL;
}

/* A variant as it is declared on a device, or on the host. `missing` is what one before it lacked:
 * a reason is logged once. */
static nitro_variant complete(nitro_context *context, const nitro_kit *kit,
                              const nitro_variant *declared, const nitro_kit_device *device,
                              const char **missing)
{
    const nitro_variant *own =
        device ? find_variant(device->variants, device->num_variants, declared->name)
               : find_loaded(context, kit, declared);
    nitro_variant variant = own ? *own : (nitro_variant){.name = declared->name};
    if (device && !variant.prepare)
        variant.prepare = device->prepare;
    if (device && !variant.allows) {
        variant.allows = device->allows;
        variant.allows_reads = device->allows_reads;
    }
    const char *why = variant.run && device && device->missing ? device->missing(&variant) : NULL;
    if (why && (!*missing || strcmp(why, *missing) != 0))
        nitro_log(context, NITRO_LOG_WARNING, "%s on %s is without '%s' and what else needs it: %s",
                  kit->name, device->kind, variant.name, why);
    *missing = why ? why : *missing;
    if (!variant.run || why) {
        variant.run = variant.run ? variant.run : refuse;
        variant.allows = nitro_kit_allows_nothing;
        variant.allows_reads = "";
    }
    return variant;
}

/* Each has a name of its own. */
static nitro_status check_variants(nitro_context *context, const nitro_kit *kit,
                                   const nitro_variant *const *variants, size_t count,
                                   const char *of)
{
    for (size_t i = 0; i < count; i++) {
        if (!variants || !variants[i] || !variants[i]->name)
            return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: variant %zu of %s has no name",
                              kit->name, i, of);
        if (find_variant(variants, i, variants[i]->name))
            return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: two variants of %s are named '%s'",
                              kit->name, of, variants[i]->name);
    }
    return NITRO_OK;
}

static nitro_status check_device_fields(nitro_context *context, const nitro_kit *kit,
                                        const nitro_kit_device *device)
{
    for (size_t i = 0; i < kit->num_fields && !nitro_kit_device_is_plain(device); i++) {
        const nitro_field *field = &kit->fields[i];
        size_t bytes = nitro_field_is_array(field) ? sizeof(void *) : sizeof(int32_t);
        if (field->is_on_device && !is_inside(field->device_offset, bytes, device->argument_bytes))
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "%s: the field '%s' is at byte %zu of a device's argument of %zu "
                              "bytes",
                              kit->name, field->name, field->device_offset, device->argument_bytes);
    }
    return NITRO_OK;
}

/* A device's variant that the computation does not declare would never run. */
static nitro_status check_device(nitro_context *context, const nitro_kit *kit,
                                 const nitro_kit_device *device)
{
    nitro_status status =
        check_variants(context, kit, device->variants, device->num_variants, "its device");
    if (status == NITRO_OK && !device->memory)
        status = nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: nitro_kit_device.memory is NULL",
                            kit->name);
    if (status == NITRO_OK)
        status = check_device_fields(context, kit, device);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; kit->num_variants > 0 && i < device->num_variants; i++)
        if (!find_variant(kit->variants, kit->num_variants, device->variants[i]->name))
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "%s: the variant '%s' of the device kind %s is not among the "
                              "computation's: name it in nitro_kit.variants",
                              kit->name, device->variants[i]->name, device->kind);
    return NITRO_OK;
}

/* The usual variant, or the first one of a device that does not run it. */
static const char *usual_of(const nitro_kit *kit, const nitro_kit_device *device)
{
    if (!kit->usual || !device || device->num_variants == 0 ||
        find_variant(device->variants, device->num_variants, kit->usual))
        return kit->usual;
    return device->variants[0]->name;
}

static nitro_status add_variants(nitro_context *context, nitro_computation *computation,
                                 const nitro_kit *kit, const nitro_kit_device *device)
{
    bool is_device_only = kit->num_variants == 0 && device;
    const nitro_variant *const *variants = is_device_only ? device->variants : kit->variants;
    size_t count = is_device_only ? device->num_variants : kit->num_variants;
    const char *missing = NULL;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        nitro_variant variant = complete(context, kit, variants[i], device, &missing);
        status = nitro_computation_add_variant(computation, &variant);
    }
    const char *usual = usual_of(kit, device);
    if (status == NITRO_OK && usual)
        status = nitro_computation_set_default(computation, usual);
    if (status == NITRO_OK && usual)
        status = nitro_computation_set_reference(computation, usual);
    return status;
}

nitro_status nitro_kit_add_features(nitro_computation *computation,
                                    const nitro_kit_features *groups, size_t num_groups,
                                    const nitro_relative_feature *relative, size_t num_relative)
{
    nitro_status status = NITRO_OK;
    NITRO_REQUIRE(NULL,
                  computation && (groups || num_groups == 0) && (relative || num_relative == 0));
    for (size_t i = 0; i < num_groups && status == NITRO_OK; i++)
        status = nitro_computation_add_features(computation, groups[i].features,
                                                groups[i].num_features, groups[i].evaluate, NULL);
    for (size_t i = 0; i < num_relative && status == NITRO_OK; i++) {
        nitro_relative_feature feature = relative[i];
        feature.scale = NITRO_SCALE_LOG;
        status = nitro_computation_add_relative_feature(computation, &feature);
    }
    return status;
}

nitro_status nitro_kit_create(nitro_context *context, const nitro_kit *kit, bool is_on_device,
                              nitro_computation **computation)
{
    nitro_computation *made;
    NITRO_REQUIRE(context, context && kit);
    if (is_on_device && (!kit->device || !kit->device->kind))
        return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                          "this build has no CUDA variants of %s: install the CUDA toolkit (nvcc), "
                          "and configure with -DNITRO_CUDA=ON (the default)",
                          kit->name);
    NITRO_REQUIRE(context, kit->name && kit->add_features && computation);
    nitro_status status = check_argument(context, kit, is_on_device ? kit->device : NULL);
    if (status == NITRO_OK)
        status = check_fields(context, kit);
    if (status == NITRO_OK)
        status = check_variants(context, kit, kit->variants, kit->num_variants, "nitro_kit");
    if (status == NITRO_OK && is_on_device)
        status = check_device(context, kit, kit->device);
    if (status == NITRO_OK)
        status = nitro_computation_create(context, kit->name, &made);
    if (status != NITRO_OK)
        return status;
    if (is_on_device)
        status = nitro_computation_set_device_kind(made, kit->device->kind);
    if (status == NITRO_OK)
        status = kit->add_features(made); /* first: constraints name the features that they read */
    if (status == NITRO_OK)
        status = add_variants(context, made, kit, is_on_device ? kit->device : NULL);
    if (status == NITRO_OK)
        status = add_hooks(made, kit, is_on_device);
    if (status != NITRO_OK) {
        nitro_computation_free(made);
        return status;
    }
    *computation = made;
    return NITRO_OK;
}

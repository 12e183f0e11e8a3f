/* cmd_store_list.c - nitro store list: lists computations, variants, features and devices. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/device_set.h"
#include "apps/cli/store/outdated.h"
#include "apps/cli/terminal.h"
#include "nitro/backend/memory_stream.h"

typedef struct settings {
    common_settings common;
    const char *store, *computation;
    bool outdated;
} settings;

static const option options[] = {OPTION_STORE,
                                 OPTION(FLAG, "outdated", outdated, NULL,
                                        "list outdated measurements instead, with the reasons"),
                                 OPTION(TEXT, "computation", computation, "NAME",
                                        "with --outdated: this computation only, by name or by "
                                        "the path of a shared object with the current versions",
                                        .needs = "outdated"),
                                 OPTION_JSON,
                                 {0}};

static json_t *features_json(const nitro_schema *schema)
{
    json_t *array = json_array();
    for (size_t f = 0; f < schema->num_features; f++)
        json_array_append_new(array, json_pack("{s:o, s:o, s:s}", "name",
                                               json_text(schema->features[f].name), "unit",
                                               json_text(schema->features[f].unit), "scale",
                                               nitro_scale_name(schema->features[f].scale)));
    return array;
}

static json_t *variants_json(const nitro_schema *schema)
{
    json_t *array = json_array();
    for (size_t v = 0; v < schema->num_variants; v++)
        json_array_append_new(array, json_text(schema->variants[v]));
    return array;
}

static json_t *device_json(const nitro_device *device, size_t samples, size_t profiles)
{
    return json_pack("{s:o, s:o, s:b, s:I, s:I, s:I}", "id", json_text(device->id), "kind",
                     json_text(device->kind), "modelled", device_is_modelled(device), "features",
                     (json_int_t)device->num_features, "samples", (json_int_t)samples, "profiles",
                     (json_int_t)profiles);
}

typedef struct listing {
    nitro_store *store;
    const device_set *known;    /* all of the store, by id: computations share devices */
    const nitro_schema *schema; /* NULL: of no computation, but of proxies */
    text_table *table;          /* NULL: JSON is wanted */
    bool with_profiles;         /* there are some, and the table has a column of them */
    json_t *devices;
} listing;

/** One that is damaged is listed all the same. */
static nitro_status read_device(nitro_store *store, const char *id, nitro_device **device)
{
    nitro_status status = nitro_store_get_device(store, id, device);
    return status == NITRO_ERR_FORMAT
               ? nitro_device_create(nitro_store_context(store), id, "damaged", device)
               : status;
}

static nitro_status read_devices(nitro_store *store, device_set *known)
{
    nitro_string_list ids = {0};
    nitro_status status = nitro_store_list_devices(store, NULL, &ids);
    known->devices =
        nitro_calloc(nitro_store_context(store), ids.count + 1, sizeof *known->devices);
    if (status == NITRO_OK && !known->devices)
        status = NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < ids.count && status == NITRO_OK; i++) {
        status = read_device(store, ids.items[i], &known->devices[known->count]);
        known->count += status == NITRO_OK;
        if (status == NITRO_ERR_NOT_FOUND) /* removed meanwhile */
            status = NITRO_OK;
    }
    nitro_string_list_free(&ids);
    return status;
}

static int compare_id(const void *id, const void *device)
{
    return strcmp(id, (*(nitro_device *const *)device)->id);
}

static nitro_status list_device(listing *self, const char *id)
{
    const char *computation = self->schema ? self->schema->computation : NULL;
    size_t samples = 0, profiles = 0;
    nitro_device *const *found = bsearch(id, self->known->devices, self->known->count,
                                         sizeof *self->known->devices, compare_id);
    nitro_status status = NITRO_OK;
    if (!found) /* added meanwhile */
        return NITRO_OK;
    const nitro_device *device = *found;
    if (self->with_profiles)
        status = nitro_store_count_profiles(self->store, id, computation, &profiles);
    if (status == NITRO_OK && computation)
        status = nitro_store_count_samples(self->store, computation, id, &samples);
    if (status != NITRO_OK)
        return status;
    if (!self->table) {
        json_array_append_new(self->devices, device_json(device, samples, profiles));
    } else {
        table_cell(self->table, "  %s", device->id);
        table_cell(self->table, "%s", device_kind_text(device));
        if (computation)
            table_cell(self->table, "%zu", samples);
        if (self->with_profiles)
            table_cell(self->table, "%zu", profiles);
        table_cell(self->table, "%zu", device->num_features);
    }
    return NITRO_OK;
}

static nitro_status list_devices(listing *self)
{
    nitro_string_list ids = {0};
    nitro_status status = nitro_store_list_devices(self->store, self->schema->computation, &ids);
    for (size_t d = 0; d < ids.count && status == NITRO_OK; d++)
        status = list_device(self, ids.items[d]);
    nitro_string_list_free(&ids);
    return status;
}

static json_t *relative_json(const nitro_schema *schema)
{
    json_t *array = json_array();
    for (size_t i = 0; i < schema->num_relative; i++)
        json_array_append_new(array,
                              json_pack("{s:o, s:o, s:s, s:o, s:o}", "name",
                                        json_text(schema->relative[i].name), "unit",
                                        json_text(schema->relative[i].unit), "scale",
                                        nitro_scale_name(schema->relative[i].scale), "formula",
                                        json_text(schema->relative[i].formula), "replaces",
                                        json_text(schema->relative[i].replaces)));
    return array;
}

static void write_names(FILE *file, const nitro_schema *schema)
{
    fprintf(file, "%s\n  variants:", schema->computation);
    for (size_t v = 0; v < schema->num_variants; v++)
        fprintf(file, "%s %s", v ? "," : "", schema->variants[v]);
    fprintf(file, "\n  features:");
    for (size_t f = 0; f < schema->num_features; f++)
        fprintf(file, "%s %s", f ? "," : "", schema->features[f].name);
    for (size_t i = 0; i < schema->num_relative; i++)
        fprintf(file, "%s %s", i ? "," : "\n  relative:", schema->relative[i].name);
    fputc('\n', file);
}

/** Names of variants and features, in lines that fit the terminal. */
static nitro_status print_names(nitro_context *context, const nitro_schema *schema)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = nitro_memory_stream(&text, &size);
    if (file)
        write_names(file, schema);
    if (!nitro_memory_stream_end(file, &text))
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory for a list");
    print_words(stdout, text, 0, strlen("  variants: "), terminal_width(stdout));
    free(text);
    return NITRO_OK;
}

static nitro_status print_computation(listing *self)
{
    nitro_context *context = nitro_store_context(self->store);
    text_table table;
    self->table = &table;
    nitro_status status = print_names(context, self->schema);
    table_begin(&table, context,
                self->with_profiles ? "  device,kind,>samples,>profiles,>features"
                                    : "  device,kind,>samples,>features");
    if (status == NITRO_OK)
        status = list_devices(self);
    nitro_status printed = table_end(&table);
    return status == NITRO_OK ? printed : status;
}

/** A computation, or with `schema` NULL what belongs to none: the same keys in any case. */
static json_t *computation_json(const nitro_schema *schema, json_t *devices)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "computation",
                     schema ? json_text(schema->computation) : json_null(), "variants",
                     schema ? variants_json(schema) : json_array(), "features",
                     schema ? features_json(schema) : json_array(), "relative_features",
                     schema ? relative_json(schema) : json_array(), "devices", devices);
}

static nitro_status add_computation(listing *self, json_t *array)
{
    self->devices = json_array();
    nitro_status status = list_devices(self);
    json_array_append_new(array, computation_json(self->schema, self->devices));
    return status;
}

/** `array` NULL: print as text. */
static nitro_status list_computation(nitro_store *store, const device_set *known,
                                     const nitro_schema *schema, json_t *array)
{
    listing self = {.store = store, .known = known, .schema = schema};
    size_t profiles = 0;
    nitro_status status = nitro_store_count_profiles(store, NULL, schema->computation, &profiles);
    self.with_profiles = profiles > 0;
    if (status != NITRO_OK)
        return status;
    return array ? add_computation(&self, array) : print_computation(&self);
}

/** Devices without samples, and those with profiles of proxies. */
static nitro_status find_others(nitro_store *store, const device_set *known,
                                const nitro_string_list *computations, nitro_string_list *others)
{
    nitro_context *context = nitro_store_context(store);
    nitro_string_list measured = {0};
    nitro_status status = NITRO_OK;
    for (size_t c = 0; c < computations->count && status == NITRO_OK; c++)
        status = nitro_store_list_devices(store, computations->items[c], &measured);
    for (size_t d = 0; d < known->count && status == NITRO_OK; d++) {
        const char *id = known->devices[d]->id;
        size_t proxies = 0;
        status = nitro_store_count_profiles(store, id, NULL, &proxies);
        bool has_samples = nitro_string_list_find(&measured, id) != NITRO_NONE;
        if (status == NITRO_OK && (proxies > 0 || !has_samples))
            status = nitro_string_list_add(context, others, id);
    }
    nitro_string_list_free(&measured);
    return status;
}

static nitro_status print_others(listing *self, const nitro_string_list *others)
{
    text_table table;
    self->table = &table;
    printf("devices without samples, and profiles of proxies\n");
    table_begin(&table, nitro_store_context(self->store),
                "  device,kind,>profiles of proxies,>features");
    nitro_status status = NITRO_OK;
    for (size_t d = 0; d < others->count && status == NITRO_OK; d++)
        status = list_device(self, others->items[d]);
    nitro_status printed = table_end(&table);
    return status == NITRO_OK ? printed : status;
}

/** `array` NULL: print as text. */
static nitro_status list_others(nitro_store *store, const device_set *known,
                                const nitro_string_list *computations, json_t *array)
{
    nitro_string_list others = {0};
    listing self = {.store = store, .known = known, .with_profiles = true};
    nitro_status status = find_others(store, known, computations, &others);
    if (status == NITRO_OK && array && others.count > 0) {
        self.devices = json_array();
        for (size_t d = 0; d < others.count && status == NITRO_OK; d++)
            status = list_device(&self, others.items[d]);
        json_array_append_new(array, computation_json(NULL, self.devices));
    } else if (status == NITRO_OK && !array && others.count > 0) {
        if (computations->count > 0)
            putchar('\n');
        status = print_others(&self, &others);
    } else if (status == NITRO_OK && !array && computations->count == 0) {
        printf("%s is empty\n", nitro_store_url(store));
    }
    nitro_string_list_free(&others);
    return status;
}

/** `array` NULL: print as text. */
static nitro_status list_all(nitro_store *store, json_t *array)
{
    nitro_string_list computations = {0};
    device_set known = {0};
    nitro_status status = nitro_store_list_computations(store, &computations);
    if (status == NITRO_OK)
        status = read_devices(store, &known);
    for (size_t c = 0; c < computations.count && status == NITRO_OK; c++) {
        nitro_schema *schema = NULL;
        status = nitro_store_get_schema(store, computations.items[c], &schema);
        if (status == NITRO_OK && !array && c > 0)
            putchar('\n');
        if (status == NITRO_OK)
            status = list_computation(store, &known, schema, array);
        nitro_schema_free(schema);
    }
    if (status == NITRO_OK)
        status = list_others(store, &known, &computations, array);
    device_set_free(&known);
    nitro_string_list_free(&computations);
    return status;
}

static int list_outdated(const invocation *call)
{
    const settings *given = call->settings;
    json_t *outdated = json_array();
    int code = outdated_find(call, given->computation, false, outdated);
    if (code == EXIT_DONE && wants_json(call))
        return print_json(call, outdated);
    if (code == EXIT_DONE && json_array_size(outdated) > 0)
        code = exit_code(call, outdated_print(call->context, outdated));
    else if (code == EXIT_DONE)
        printf("no outdated measurements\n");
    json_decref(outdated);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    if (store_open(call, given->store, NITRO_STORE_READ) != EXIT_DONE)
        return EXIT_FAILED;
    if (given->outdated)
        return list_outdated(call);
    json_t *array = wants_json(call) ? json_array() : NULL;
    nitro_status status = list_all(call->store, array);
    store_close(call);
    if (status == NITRO_OK)
        return wants_json(call) ? print_json(call, array) : EXIT_DONE;
    json_decref(array);
    return fail(call);
}

const command command_store_list = {
    .name = "store list",
    .summary = "List computations, devices and samples of a store",
    .synopsis = "[--store URL] [--outdated [--computation NAME]] [--json]",
    .description =
        "Prints every computation of the store with its variants, input features and "
        "relative features, and the number of samples of each device that has any. "
        "Devices without samples, and with profiles of proxies, come last: in JSON as an "
        "entry whose computation is null.\n\n"
        "With --outdated: lists outdated measurements and the reasons. A variant has a new version "
        "(in the built-in computation, the shared object, or the newest sample); the newest "
        "samples of the device were made with another compiler, driver or toolkit; or the device's "
        "features have changed. 'nitro tune' measures variants with new versions again.",
    .examples = "  nitro store list --store sqlite:lab.db\n"
                "  nitro store list --store sqlite:lab.db --outdated --computation ./libmine.so\n",
    COMMAND_USUAL};

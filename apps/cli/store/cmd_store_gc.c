/* cmd_store_gc.c - nitro store gc: lists unused records and removes them on request. */
#include "apps/cli/store/outdated.h"

typedef struct settings {
    common_settings common;
    const char *store, *computation;
    bool outdated, quarantined, apply;
} settings;

static const option options[] = {
    OPTION_STORE,
    OPTION(FLAG, "quarantined", quarantined, NULL,
           "also damaged devices, samples and profiles, which are never used"),
    OPTION(FLAG, "outdated", outdated, NULL,
           "also times of other versions of variants, which the next tune measures again"),
    OPTION(TEXT, "computation", computation, "NAME",
           "with --outdated: this computation only, by name or by the path of a shared object "
           "with the current versions",
           .needs = "outdated"),
    OPTION(FLAG, "apply", apply, NULL, "remove the listed records (default: list only)"),
    OPTION_JSON,
    {0}};

typedef struct collecting {
    invocation *call;
    nitro_string_list devices; /* without samples and profiles */
    nitro_string_list damaged;
    json_t *outdated;
    nitro_status status;
} collecting;

static nitro_status has_records(collecting *self, const char *id,
                                const nitro_string_list *computations, bool *has)
{
    size_t count = 0;
    nitro_status status = nitro_store_count_profiles(self->call->store, id, NULL, &count);
    for (size_t i = 0; i < computations->count && status == NITRO_OK && count == 0; i++) {
        status = nitro_store_count_samples(self->call->store, computations->items[i], id, &count);
        if (status == NITRO_OK && count == 0)
            status =
                nitro_store_count_profiles(self->call->store, id, computations->items[i], &count);
    }
    *has = count > 0;
    return status;
}

static nitro_status collect_devices(collecting *self)
{
    nitro_string_list computations = {0}, devices = {0};
    nitro_status status = nitro_store_list_computations(self->call->store, &computations);
    if (status == NITRO_OK)
        status = nitro_store_list_devices(self->call->store, NULL, &devices);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++) {
        bool has = false;
        status = has_records(self, devices.items[i], &computations, &has);
        if (status == NITRO_OK && !has)
            status = nitro_string_list_add(self->call->context, &self->devices, devices.items[i]);
    }
    nitro_string_list_free(&computations);
    nitro_string_list_free(&devices);
    return status;
}

static nitro_status remove_devices(const collecting *self)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < self->devices.count && status == NITRO_OK; i++) {
        status = nitro_store_remove_device(self->call->store, self->devices.items[i]);
        if (status == NITRO_ERR_EXISTS || status == NITRO_ERR_NOT_FOUND) /* used, or gone, by now */
            status = NITRO_OK;
    }
    return status;
}

static void note_damaged(void *user, const char *problem)
{
    collecting *self = user;
    if (self->status == NITRO_OK)
        self->status = nitro_string_list_add(self->call->context, &self->damaged, problem);
}

static void print_list(const char *title, const nitro_string_list *lines)
{
    if (lines->count == 0)
        return;
    printf("%s:\n", title);
    for (size_t i = 0; i < lines->count; i++)
        printf("  %s\n", lines->items[i]);
}

static int print_all(collecting *self)
{
    const settings *given = self->call->settings;
    bool nothing = self->devices.count + self->damaged.count + json_array_size(self->outdated) == 0;
    if (wants_json(self->call))
        return print_json(self->call,
                          json_pack("{s:b, s:o, s:o, s:O}", "removed", given->apply, "devices",
                                    json_names(&self->devices), "damaged",
                                    json_names(&self->damaged), "outdated", self->outdated));
    print_list("devices without samples", &self->devices);
    print_list("damaged records", &self->damaged);
    if (json_array_size(self->outdated) > 0) {
        printf("outdated measurements:\n");
        if (outdated_print(self->call->context, self->outdated) != NITRO_OK)
            return fail(self->call);
    }
    if (nothing)
        printf("nothing to remove\n");
    else
        printf("%s\n", given->apply ? "removed" : "not removed: add --apply");
    return EXIT_DONE;
}

/* Damaged records first: what is left is sound. Devices last: some may be without samples then. */
static int collect(collecting *self)
{
    const settings *given = self->call->settings;
    nitro_status status = NITRO_OK;
    if (given->quarantined)
        status = nitro_store_remove_damaged(self->call->store, !given->apply, note_damaged, self);
    if (status == NITRO_OK)
        status = self->status;
    if (status != NITRO_OK)
        return fail(self->call);
    if (given->outdated) {
        int code = outdated_find(self->call, given->computation, given->apply, self->outdated);
        if (code != EXIT_DONE)
            return code;
    }
    status = collect_devices(self);
    if (status == NITRO_OK && given->apply)
        status = remove_devices(self);
    return status == NITRO_OK ? print_all(self) : fail(self->call);
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    collecting self = {.call = call};
    int code = given->apply ? store_open_existing(call, given->store)
                            : store_open(call, given->store, NITRO_STORE_READ);
    if (code != EXIT_DONE)
        return code;
    self.outdated = json_array();
    code = collect(&self);
    json_decref(self.outdated);
    nitro_string_list_free(&self.devices);
    nitro_string_list_free(&self.damaged);
    return code;
}

const command command_store_gc = {
    .name = "store gc",
    .summary = "List or remove unused records",
    .synopsis =
        "[--store URL] [--quarantined] [--outdated [--computation NAME]] [--apply] [--json]",
    .description =
        "Lists devices without samples and profiles; on request also damaged records and outdated "
        "measurements. --apply removes them, which cannot be undone: make a copy with 'nitro store "
        "copy' first. A device that was stored only as a target has no samples either and has to "
        "be stored again when it is needed.\n\n"
        "If a variant has a new version, only its times are removed. The current version is that "
        "of the built-in computation or the shared object, else the newest in the store.",
    .examples = "  nitro store gc --store sqlite:lab.db --outdated\n"
                "  nitro store gc --store sqlite:lab.db --outdated --apply\n",
    COMMAND_USUAL};

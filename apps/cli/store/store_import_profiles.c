/* store_import_profiles.c - nitro store import --profiles: hardware metrics from CSV. */
#include <math.h>

#include "apps/cli/store/store_import.h"

static int print_report(const invocation *call, const nitro_profile_import_report *report)
{
    const import_settings *given = call->settings;
    if (given->json)
        return print_json(call, json_pack("{s:o, s:I, s:I, s:I, s:I}", "store",
                                          json_text(nitro_store_url(call->store)), "devices",
                                          (json_int_t)report->devices, "profiles",
                                          (json_int_t)report->profiles, "values",
                                          (json_int_t)report->values, "missing",
                                          (json_int_t)report->missing));
    printf("%zu profile%s on %zu device%s: %zu value%s of metrics", report->profiles,
           plural(report->profiles), report->devices, plural(report->devices), report->values,
           plural(report->values));
    if (report->missing > 0)
        printf(", %zu not collected", report->missing);
    putchar('\n');
    return EXIT_DONE;
}

static int check_options(invocation *call)
{
    const import_settings *given = call->settings;
    if (given->devices_chosen.count > 1)
        return fail_usage(call, "more than one --device does not go with --profiles");
    if (call->arguments.count > 0)
        return fail_usage(call, "a folder does not go with --profiles");
    return EXIT_DONE;
}

int import_profiles(invocation *call)
{
    const import_settings *given = call->settings;
    nitro_profile_import_report report = {0};
    nitro_profile_import_options how;
    int code = check_options(call);
    if (code == EXIT_DONE)
        code = store_open(call, given->store, NITRO_STORE_WRITE);
    if (code != EXIT_DONE)
        return code;
    nitro_profile_import_options_init(&how);
    how.path = given->profiles;
    how.device = given->devices_chosen.count ? given->devices_chosen.items[0] : NULL;
    how.computation = given->computation;
    how.variant = given->variant;
    how.input = given->input;
    how.proxy = given->proxy;
    how.intensity = given->intensity;
    how.replace = given->replace;
    nitro_status status = nitro_store_import_profiles(call->store, &how, &report);
    return status == NITRO_OK ? print_report(call, &report) : fail(call);
}

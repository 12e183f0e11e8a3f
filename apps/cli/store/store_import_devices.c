/* store_import_devices.c - nitro store import --devices FILE, and no samples: devices of which
 * others know, or of which only a data sheet is known. */
#include "apps/cli/store/store_import.h"

static int print_report(const invocation *call, const char *url, const nitro_import_report *report)
{
    const import_settings *given = call->settings;
    if (given->json)
        return print_json(call, json_pack("{s:o, s:I, s:I}", "store", json_text(url), "added",
                                          (json_int_t)report->added, "replaced",
                                          (json_int_t)report->replaced));
    printf("%zu device%s added, %zu replaced\n", report->added, report->added == 1 ? "" : "s",
           report->replaced);
    return EXIT_DONE;
}

int import_devices(invocation *call)
{
    const import_settings *given = call->settings;
    nitro_store *store = NULL;
    nitro_import_report report = {0};
    int code = refuse_sample_options(call, "--devices without --samples");
    if (code != EXIT_DONE)
        return code;
    if (nitro_store_open(call->context, given->store, NITRO_STORE_WRITE, &store) != NITRO_OK)
        return fail(call);
    nitro_status status = nitro_store_import_devices(
        store, given->devices, list_if_given(&given->devices_chosen), &report);
    code = status == NITRO_OK ? print_report(call, nitro_store_url(store), &report) : fail(call);
    nitro_store_close(store);
    return code;
}

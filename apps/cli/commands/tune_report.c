/* tune_report.c - what nitro tune says of one device when it is done: how many samples there are,
 * and which variant won on how many. */
#include "apps/cli/commands/tune_report.h"

#include <string.h>

static bool is_modelled(const tuned *about)
{
    return strcmp(about->device->kind, "model") == 0;
}

json_t *tune_report_json(const tuned *about, const winner_table *won)
{
    const nitro_tune_progress *last = &about->last;
    return json_pack("{s:s, s:o, s:b, s:{s:I, s:I, s:I, s:I}, s:I, s:I, s:o}", "computation",
                     about->computation, "device", json_text(about->device->id), "modelled",
                     is_modelled(about), "inputs", "total", (json_int_t)about->num_inputs,
                     "measured", (json_int_t)(last->done - last->resumed - last->failed),
                     "found_in_store", (json_int_t)last->resumed, "failed",
                     (json_int_t)last->failed, "samples", (json_int_t)won->samples,
                     "samples_without_time", (json_int_t)won->untimed, "variants",
                     winners_json(won));
}

int tune_report_print(const invocation *call, const tuned *about, const winner_table *won)
{
    printf("%s on %s%s: %zu samples in %s", about->computation, about->device->id,
           is_modelled(about) ? " (modelled: times from a cost model)" : "", won->samples,
           nitro_store_url(about->store));
    if (won->untimed > 0)
        printf(", and %zu on which no variant has a time", won->untimed);
    printf("\n\n");
    return winners_print(won, stdout) == NITRO_OK ? EXIT_DONE : fail(call);
}

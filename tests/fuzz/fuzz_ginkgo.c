/* fuzz_ginkgo.c - benchmark files of the Ginkgo project of any bytes: skipped with a reason, or a
 * record with valid numbers. */
#include <math.h>

#include "fuzz.h"
#include "store/exchange/ginkgo_internal.h"

static nitro_status check_record(void *user, ginkgo_reason reason, const char *detail,
                                 ginkgo_record *record)
{
    const nitro_string_list *names = user;
    size_t num_timed = 0;
    (void)detail;
    require((reason == GINKGO_USED) == (record != NULL));
    require(nitro_ginkgo_reason_text(reason) != NULL);
    if (!record)
        return NITRO_OK;
    require(nitro_input_name_is_valid(record->input));
    for (size_t i = 0; i < GINKGO_NUM_FEATURES; i++)
        require(!isinf(record->features[i]));
    for (size_t i = 0; i < record->num_times; i++) {
        const ginkgo_time *time = &record->times[i];
        require(time->variant < names->count);
        require(isnan(time->time_ms) || (isfinite(time->time_ms) && time->time_ms > 0));
        num_timed += isnan(time->time_ms) ? 0 : 1;
    }
    require(num_timed > 0);
    return NITRO_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_string_list names = {0};
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    require(nitro_ginkgo_parse(context, "group/matrix", (const char *)data, size, &names,
                               check_record, &names) == NITRO_OK);
    for (size_t i = 0; i < names.count; i++)
        require(nitro_name_is_valid(names.items[i]));
    nitro_string_list_free(&names);
    nitro_context_free(context);
    return 0;
}

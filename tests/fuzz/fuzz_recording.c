/* Recorded evaluations of any text and format: refused with an error, or each configuration has an
 * answer that a searcher may be told. */
#include "fuzz.h"
#include "nitro/nitro_backend.h"

static void check(const nitro_recording *recording)
{
    for (uint64_t c = 0; c < nitro_space_size(recording->space); c++) {
        const nitro_search_answer *answer = &recording->answers[c];
        if (answer->configuration != c ||
            (answer->outcome == NITRO_OUTCOME_MEASURED) != (answer->time_ms > 0))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_recording *recording = NULL;
    if (nitro_context_create(&context) == NITRO_OK &&
        nitro_recording_parse(context, "fuzz", (const char *)data, size, NULL, &recording) ==
            NITRO_OK)
        check(recording);
    nitro_recording_free(recording);
    nitro_context_free(context);
    return 0;
}

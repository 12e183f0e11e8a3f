/* Settings files of any text: refused with an error, or every entry passes the check. */
#include "fuzz.h"
#include "nitro/base/settings_lookup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_setting_entries entries = {0};
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    nitro_status status =
        nitro_settings_parse(context, "fuzz", size ? (const char *)data : "", size, &entries);
    for (size_t i = 0; i < entries.count && status == NITRO_OK; i++) {
        const nitro_setting_entry *each = &entries.items[i];
        if (nitro_setting_check(context, "fuzz", each->setting, each->value) != NITRO_OK ||
            nitro_setting_entries_find(&entries, each->computation, each->setting) != each)
            abort();
    }
    nitro_setting_entries_free(&entries);
    nitro_context_free(context);
    return 0;
}

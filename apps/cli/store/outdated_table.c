/* outdated_table.c - one row for each reason why times of a device are outdated. */
#include "apps/cli/store/outdated_table.h"

#include <string.h>

void outdated_add(void *array, const nitro_outdated *outdated)
{
    json_array_append_new(
        array, json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "computation",
                         json_text(outdated->computation), "device", json_text(outdated->device),
                         "variant", json_text(outdated->variant), "samples",
                         (json_int_t)outdated->samples, "what", json_text(outdated->what), "was",
                         json_text(outdated->was), "now", json_text(outdated->now)));
}

nitro_status outdated_print(nitro_context *context, const json_t *array)
{
    text_table table;
    size_t i;
    const json_t *row;
    table_begin(&table, context, "computation,device,variant,>samples,reason");
    json_array_foreach(array, i, row)
    {
        const char *variant = text_of(row, "variant"), *what = text_of(row, "what");
        table_cell(&table, "%s", text_of(row, "computation"));
        table_cell(&table, "%s", text_of(row, "device"));
        table_cell(&table, "%s", variant ? variant : "(all)");
        table_cell(&table, "%lld", json_integer_value(json_object_get(row, "samples")));
        if (strcmp(what, "device") == 0)
            table_cell(&table, "the device's features have changed");
        else
            table_cell(&table, "%s was %s, is %s", what, text_of(row, "was"), text_of(row, "now"));
    }
    return table_end(&table);
}

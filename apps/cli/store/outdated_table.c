/* outdated_table.c - one row for each reason why times of a device are outdated. */
#include "apps/cli/store/outdated_table.h"

#include <string.h>

void outdated_table_begin(outdated_table *self, nitro_context *context, bool json)
{
    *self = (outdated_table){.array = json ? json_array() : NULL};
    table_begin(&self->table, context, "computation,device,variant,>samples,reason");
}

void outdated_table_add(void *user, const nitro_outdated *outdated)
{
    outdated_table *self = user;
    self->count++;
    if (self->array) {
        json_array_append_new(
            self->array,
            json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "computation",
                      json_text(outdated->computation), "device", json_text(outdated->device),
                      "variant", json_text(outdated->variant), "samples",
                      (json_int_t)outdated->samples, "what", json_text(outdated->what), "was",
                      json_text(outdated->was), "now", json_text(outdated->now)));
        return;
    }
    table_cell(&self->table, "%s", outdated->computation);
    table_cell(&self->table, "%s", outdated->device);
    table_cell(&self->table, "%s", outdated->variant ? outdated->variant : "(all)");
    table_cell(&self->table, "%zu", outdated->samples);
    if (strcmp(outdated->what, "device") == 0)
        table_cell(&self->table, "the device's features have changed");
    else
        table_cell(&self->table, "%s was %s, is %s", outdated->what, outdated->was, outdated->now);
}

nitro_status outdated_table_end(outdated_table *self)
{
    if (!self->array && self->count > 0)
        return table_end(&self->table);
    nitro_string_list_free(&self->table.headers);
    nitro_string_list_free(&self->table.cells);
    return NITRO_OK;
}

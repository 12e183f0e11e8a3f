/* outdated_table.c - a row for each reason why times of a device are stale. */
#include "apps/cli/store/outdated_table.h"

#include <string.h>

void stale_table_begin(stale_table *self, nitro_context *context, bool json)
{
    *self = (stale_table){.array = json ? json_array() : NULL};
    table_begin(&self->table, context, "computation,device,variant,>samples,why");
}

void stale_table_add(void *user, const nitro_stale *stale)
{
    stale_table *self = user;
    self->count++;
    if (self->array) {
        json_array_append_new(
            self->array,
            json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "computation",
                      json_text(stale->computation), "device", json_text(stale->device), "variant",
                      json_text(stale->variant), "samples", (json_int_t)stale->samples, "what",
                      json_text(stale->what), "was", json_text(stale->was), "now",
                      json_text(stale->now)));
        return;
    }
    table_cell(&self->table, "%s", stale->computation);
    table_cell(&self->table, "%s", stale->device);
    table_cell(&self->table, "%s", stale->variant ? stale->variant : "(all)");
    table_cell(&self->table, "%zu", stale->samples);
    if (strcmp(stale->what, "device") == 0)
        table_cell(&self->table, "the device's features are others by now");
    else
        table_cell(&self->table, "%s was %s, is %s", stale->what, stale->was, stale->now);
}

nitro_status stale_table_end(stale_table *self)
{
    if (!self->array && self->count > 0)
        return table_end(&self->table, stdout);
    nitro_string_list_free(&self->table.headers);
    nitro_string_list_free(&self->table.cells);
    return NITRO_OK;
}

/* outdated_table.h - stale times as a table for people or as JSON. */
#ifndef NITRO_APPS_CLI_STORE_OUTDATED_TABLE_H
#define NITRO_APPS_CLI_STORE_OUTDATED_TABLE_H

#include "apps/cli/output.h"

typedef struct stale_table {
    text_table table;
    json_t *array; /* NULL: for people */
    size_t count;
} stale_table;

void stale_table_begin(stale_table *self, nitro_context *context, bool json);
/** A nitro_stale_function; `user` is the stale_table. */
void stale_table_add(void *user, const nitro_stale *stale);
/** Print the table, unless it is empty or JSON is wanted; that stays in `array`. */
nitro_status stale_table_end(stale_table *self);

#endif

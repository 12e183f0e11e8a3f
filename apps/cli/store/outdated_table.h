/* outdated_table.h - outdated measurements as a table or as JSON. */
#ifndef NITRO_APPS_CLI_STORE_OUTDATED_TABLE_H
#define NITRO_APPS_CLI_STORE_OUTDATED_TABLE_H

#include "apps/cli/output.h"

typedef struct outdated_table {
    text_table table;
    json_t *array; /* NULL: as text */
    size_t count;
} outdated_table;

void outdated_table_begin(outdated_table *self, nitro_context *context, bool json);
/** A nitro_outdated_function; `user` is the outdated_table. */
void outdated_table_add(void *user, const nitro_outdated *outdated);
/** Print the table, unless it is empty or JSON is wanted; that stays in `array`. */
nitro_status outdated_table_end(outdated_table *self);

#endif

/* outdated_table.h - outdated measurements as JSON and as a table. */
#ifndef NITRO_APPS_CLI_STORE_OUTDATED_TABLE_H
#define NITRO_APPS_CLI_STORE_OUTDATED_TABLE_H

#include "apps/cli/output.h"

/** A nitro_outdated_function; `array` is the JSON array that one is added to. */
void outdated_add(void *array, const nitro_outdated *outdated);
nitro_status outdated_print(nitro_context *context, const json_t *array);

#endif

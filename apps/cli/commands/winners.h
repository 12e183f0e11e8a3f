/* winners.h - what won where: the table that a tune ends with. */
#ifndef NITRO_APPS_CLI_COMMANDS_WINNERS_H
#define NITRO_APPS_CLI_COMMANDS_WINNERS_H

#include "apps/cli/output.h"

/** One variant over all samples of a device. */
typedef struct winner_row {
    size_t wins;
    size_t timed;          /* inputs on which it has a time */
    size_t excluded;       /* inputs from which a constraint excludes it */
    double log_slowdown;   /* sum of ln(time / best time) over those */
    double clearest_ratio; /* runner-up over it, on the input it wins most clearly; 0: none */
    char *clearest;        /* that input */
} winner_row;

typedef struct winner_table {
    nitro_context *context;
    nitro_schema *schema;
    size_t samples;   /* with at least one time */
    size_t untimed;   /* without any */
    winner_row *rows; /* shape [num_variants] */
} winner_table;

nitro_status winners_load(nitro_store *store, const char *computation, const char *device,
                          winner_table *winners);
void winners_free(winner_table *winners);

nitro_status winners_print(const winner_table *winners);
/** An array, one object a variant; NULL when memory ran out. */
json_t *winners_json(const winner_table *winners);

#endif

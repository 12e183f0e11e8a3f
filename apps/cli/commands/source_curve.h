/* source_curve.h - quality against the number of sources, as a table, as CSV and as a picture. */
#ifndef NITRO_APPS_CLI_COMMANDS_SOURCE_CURVE_H
#define NITRO_APPS_CLI_COMMANDS_SOURCE_CURVE_H

#include "apps/cli/options.h"

/** Exit codes. */
int source_curve_print_table(const invocation *call, const nitro_evaluate_result *results,
                             size_t count);
int source_curve_print_csv(const nitro_evaluate_result *results, size_t count);

/** Draw means over targets into FOLDER/COMPUTATION-source-curve.svg, a curve for each method and
 *  order. The folder is there. */
int source_curve_draw(const invocation *call, const char *computation,
                      const nitro_evaluate_result *results, size_t count, const char *folder);

#endif

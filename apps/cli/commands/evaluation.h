/* evaluation.h - the results of an evaluation as a table, as CSV, as JSON and as a picture. */
#ifndef NITRO_APPS_CLI_COMMANDS_EVALUATION_H
#define NITRO_APPS_CLI_COMMANDS_EVALUATION_H

#include "apps/cli/options.h"

/** With the means over targets where there are several. @return as all three an exit code. */
int evaluation_print_table(const invocation *call, const nitro_evaluate_result *results,
                           size_t count);
int evaluation_print_csv(const nitro_evaluate_result *results, size_t count);
int evaluation_print_json(const invocation *call, const nitro_evaluate_result *results,
                          size_t count);

/** Are these names of methods? @return EXIT_USAGE, with the names printed, where one is not. */
int check_methods(const invocation *call, const nitro_string_list *methods);

/** Print ",1.5", or "," where the number is not known. */
void print_csv_number(double value);

/** The same of quality against the number of sources (source_curve.c). Exit codes. */
int source_curve_print_table(const invocation *call, const nitro_evaluate_result *results,
                             size_t count);
int source_curve_print_csv(const nitro_evaluate_result *results, size_t count);

/** Draw means over targets into FOLDER/COMPUTATION-source-curve.svg, a curve for each method and
 *  order. The folder is there. */
int source_curve_draw(const invocation *call, const char *computation,
                      const nitro_evaluate_result *results, size_t count, const char *folder);

#endif

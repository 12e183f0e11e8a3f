/* evaluation.h - the results of an evaluation as a table, as CSV and as JSON. */
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

#endif

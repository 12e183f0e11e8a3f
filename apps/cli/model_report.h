/* model_report.h - what a model was learnt from and how, as text and as JSON. */
#ifndef NITRO_APPS_CLI_MODEL_REPORT_H
#define NITRO_APPS_CLI_MODEL_REPORT_H

#include "apps/cli/output.h"

/** Print sources, device features, parameters and where the model is. */
int model_print(const invocation *call, const nitro_model *model, const char *path);

/** Print what each source counts, from a model's provenance.predicted_quality; nothing where all
 *  count the same, or of NULL. */
void model_print_source_weights(const json_t *predicted);

/** The library's summary, as nitro_model_summary gives it; NULL: there is none, as of a compiled
 *  model, or memory ran out. */
json_t *model_summary(const nitro_model *model);

/** The summary with the model's path, or NULL after an error was printed. */
json_t *model_json(const invocation *call, const nitro_model *model, const char *path);

#endif

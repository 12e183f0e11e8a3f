/* decision_log.h - prints each distinct decision once. Internal to nitro/. */
#ifndef NITRO_RUNTIME_DECISION_LOG_H
#define NITRO_RUNTIME_DECISION_LOG_H

#include "nitro/nitro_backend.h"

typedef struct nitro_decision_log nitro_decision_log;

nitro_status nitro_decision_log_create(nitro_context *context, nitro_decision_log **decision_log);
void nitro_decision_log_free(nitro_decision_log *decision_log);

/**
 * Print a decision and its features to standard error as one line, unless this variant was printed
 * for these features already. Lock-free; safe from any number of threads.
 */
void nitro_decision_log_print(nitro_decision_log *decision_log, const nitro_schema *schema,
                              const double *features, const nitro_decision *decision);

#endif

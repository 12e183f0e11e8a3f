/* decision_log.h - decisions that were printed already. Internal to nitro/. */
#ifndef NITRO_RUNTIME_DECISION_LOG_H
#define NITRO_RUNTIME_DECISION_LOG_H

#include "nitro/nitro_backend.h"

typedef struct nitro_explained nitro_explained;

nitro_status nitro_explained_create(nitro_context *context, nitro_explained **explained);
void nitro_explained_free(nitro_explained *explained);

/**
 * Print a decision and its features to standard error as one line, unless this variant was printed
 * for these features already. Takes no lock; from any number of threads.
 */
void nitro_explained_print(nitro_explained *explained, const nitro_schema *schema,
                           const double *features, const nitro_decision *decision);

#endif

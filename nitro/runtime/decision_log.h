/* decision_log.h - prints each kind of decision once, and counts at the end. Internal to nitro/. */
#ifndef NITRO_RUNTIME_DECISION_LOG_H
#define NITRO_RUNTIME_DECISION_LOG_H

#include "nitro/nitro_backend.h"

typedef struct nitro_decision_log nitro_decision_log;

/** @param[in] schema  borrowed until the log is freed. */
nitro_status nitro_decision_log_create(nitro_context *context, const nitro_schema *schema,
                                       nitro_decision_log **decision_log);
/** Print the counts, unless the process's exit did, and free. */
void nitro_decision_log_free(nitro_decision_log *decision_log);

/**
 * Count a decision; of each kind, a variant for a reason, print the first to standard error as one
 * line with its features. Lock-free; safe from any number of threads.
 * @param[in] outside  bit f: feature f lies outside the training range.
 */
void nitro_decision_log_print(nitro_decision_log *decision_log, const double *features,
                              uint64_t outside, const nitro_decision *decision);

#endif

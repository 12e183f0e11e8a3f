/* learn_progress.h - tells the caller of tune_from_source how far learning is. Internal to nitro/.
 */
#ifndef NITRO_LEARN_DATA_LEARN_PROGRESS_H
#define NITRO_LEARN_DATA_LEARN_PROGRESS_H

#include "nitro/nitro_backend.h"
#include "nitro/tune.h"

/** As in nitro_learn_progress. @return NITRO_OK; NITRO_ERR_INTERRUPTED: the listener says stop. */
nitro_status nitro_learn_tell(nitro_context *context, const nitro_learn_options *listener,
                              const char *step, size_t done, size_t total);

#endif

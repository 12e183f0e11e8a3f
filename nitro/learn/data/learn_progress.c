/* learn_progress.c - tells how far learning is. */
#include "nitro/learn/data/learn_progress.h"

nitro_status nitro_learn_tell(nitro_context *context, const nitro_learn_options *listener,
                              const char *step, size_t done, size_t total)
{
    const nitro_learn_progress progress = {step, done, total};
    if (!listener || !listener->progress || listener->progress(listener->progress_user, &progress))
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_INTERRUPTED, "learning was interrupted");
}

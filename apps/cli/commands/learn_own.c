/* learn_own.c - trains a model on a device's own samples and saves it. */
#include "apps/cli/commands/learn_own.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/output.h"
#include "apps/cli/paths.h"

/** For programs with libnitro-runtime; the old one must not stay if there is none. */
static nitro_status save_binary(nitro_context *context, const nitro_model *model, const char *path)
{
    char *binary = nitro_asprintf(context, "%.*s.bin", (int)(strlen(path) - strlen(".json")), path);
    if (!binary)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_model_export(model, NITRO_EXPORT_BINARY, binary);
    if (status == NITRO_ERR_UNSUPPORTED) {
        unlink(binary);
        status = NITRO_OK;
    }
    free(binary);
    return status;
}

/** Save at `output`, or at the user's place of models, whose folders are made. */
static nitro_status save(nitro_context *context, const nitro_model *model, const char *output,
                         char **path)
{
    char *where = NULL;
    nitro_status status = NITRO_OK;
    if (output)
        where = nitro_strdup(context, output);
    else
        status = nitro_model_users_path(context, nitro_model_computation(model),
                                        nitro_model_target(model), &where);
    if (status == NITRO_OK && !where)
        status = NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && !output)
        status = make_folders_above(context, where);
    if (status == NITRO_OK)
        status = nitro_model_save(model, where);
    if (status == NITRO_OK && !output)
        status = save_binary(context, model, where);
    if (status == NITRO_OK)
        *path = where;
    else
        free(where);
    return status;
}

int learn_own(invocation *call, nitro_store *store, const char *computation, const char *device,
              uint64_t seed, const char *output, nitro_model **model, char **path)
{
    nitro_learn_options how;
    nitro_model *made = NULL;
    progress_line progress;
    nitro_learn_options_init(&how);
    how.seed = seed;
    progress_begin_waiting(&progress, call, "learn", NULL);
    nitro_status status = nitro_learn_own(call->context, store, computation, device, &how, &made);
    progress_end(&progress);
    if (status == NITRO_ERR_NO_DATA && !output)
        return EXIT_DONE;
    if (status == NITRO_OK)
        status = save(call->context, made, output, path);
    if (status != NITRO_OK) {
        nitro_model_free(made);
        return fail(call);
    }
    *model = made;
    return EXIT_DONE;
}

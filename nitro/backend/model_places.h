/* model_places.h - where models are written and looked for. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_MODEL_PLACES_H
#define NITRO_BACKEND_MODEL_PLACES_H

#include "nitro/backend/basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The user's place of a device's model, nitro/models/NAME.json below $XDG_DATA_HOME or
 * ~/.local/share, where NAME is the computation's name, an at sign and the device's id.
 * @param[out] path  free with free().
 * @return NITRO_OK, NITRO_ERR_NOT_FOUND (neither variable names a folder), NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_model_users_path(nitro_context *context, const char *computation,
                                              const char *device, char **path);

/**
 * The folders that nitro_computation_configure() searches, in this order; appended: the user's,
 * that of the library that has the variants, share/nitro/models of its prefix where it lies below
 * PREFIX/lib, and the system's.
 * @param[in] code  a function of that library; NULL: unknown.
 */
NITRO_API nitro_status nitro_model_folders(nitro_context *context, const void *code,
                                           nitro_string_list *folders);

/** What to look for. */
typedef struct nitro_model_wanted {
    const char *computation;
    const char *kind;   /* of device */
    const char *device; /* its id; NULL: this machine's first device of the kind */
} nitro_model_wanted;

/**
 * Append the paths of a computation's models in these folders: in each the model of the device,
 * then that of its kind ("@KIND"), then that of any device (without "@"); JSON before binary.
 * libnitro-runtime finds binary
 * ones only, and of those for a device the only one in a folder. Folders that cannot be read are
 * skipped.
 */
NITRO_API nitro_status nitro_model_files(nitro_context *context, const nitro_model_wanted *wanted,
                                         const nitro_string_list *folders,
                                         nitro_string_list *paths);

/**
 * What a model that ships with Nitro was learnt from: the text for its file in the shipped.csv
 * beside it (FILE,LEARNT FROM).
 * @return to be freed; NULL: the model does not ship, or memory ran out.
 */
NITRO_API char *nitro_model_shipped(nitro_context *context, const char *path);

/** A function of the library or program that has a computation's variants; NULL: there are none. */
NITRO_API const void *nitro_computation_code(const nitro_computation *computation);

#ifdef __cplusplus
}
#endif

#endif

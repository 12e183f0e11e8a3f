/* plugins.h - the plug-ins that are built in (nitro/builtins.c), and those loaded on demand. Part
 * of nitro_backend.h. */
#ifndef NITRO_BACKEND_PLUGINS_H
#define NITRO_BACKEND_PLUGINS_H

#include "nitro/backend/devices.h"
#include "nitro/backend/learning.h"
#include "nitro/backend/profiling.h"
#include "nitro/backend/stores.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Arrays of pointers, in the order of their list, ended by NULL. */
NITRO_API const nitro_store_kind *const *nitro_builtin_stores(void);
/** The journal used for all remote stores. */
NITRO_API const nitro_store_journal *nitro_builtin_store_journal(void);
NITRO_API const nitro_device_kind *const *nitro_builtin_device_kinds(void);
NITRO_API const nitro_strategy *const *nitro_builtin_strategies(void);
NITRO_API const nitro_dfs_kind *const *nitro_builtin_dfs_kinds(void);
NITRO_API const nitro_module *const *nitro_builtin_modules(void);
NITRO_API const nitro_proxy_kernel *const *nitro_builtin_proxy_kernels(void);
NITRO_API const nitro_profiler *const *nitro_builtin_profilers(void);

/**
 * What a shared object in the plug-in folder exports. Backends and variants whose libraries take
 * long to load are such objects: redis.so, download.so, highway.so.
 */
typedef struct nitro_plugin {
    const char *version; /* NITRO_VERSION_STRING of its build: that of the library, or refused */
    /** Of stores (redis.so), pointers to nitro_store_kind, ended by NULL; of variants (highway.so),
     * pointers to nitro_variant, ended by NULL; download.so: store/download/download.h. */
    const void *functions;
} nitro_plugin;

/** Defined by each plug-in. */
extern NITRO_API const nitro_plugin nitro_exported_plugin;

/**
 * Load a plug-in from the folder that the setting "plugins" names, else from nitroMAJOR.MINOR
 * beside the library. It stays loaded until the process ends. Loading it again costs microseconds.
 * Safe from any thread.
 * @param[out] functions  nitro_plugin.functions; static storage.
 * @return NITRO_OK; NITRO_ERR_NOT_BUILT (not there, a library that it needs is missing, or it is of
 * another version: the file and the package are named).
 */
NITRO_API nitro_status nitro_plugin_load(nitro_context *context, const char *name,
                                         const void **functions);

#ifdef __cplusplus
}
#endif

#endif

/* plugins.h - the plug-ins that are built in (nitro/builtins.c). Part of nitro_backend.h. */
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

#ifdef __cplusplus
}
#endif

#endif

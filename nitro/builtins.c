/* The one file that names concrete plug-ins: it turns each family's list into an array. */
#include "nitro/kernels.h"
#include "nitro/nitro_backend.h"

#define NITRO_PLUGIN(symbol) extern const nitro_store_kind symbol;
#include "nitro/lists/stores.list"
#undef NITRO_PLUGIN
#define NITRO_PLUGIN(symbol) extern const nitro_device_kind symbol;
#include "nitro/lists/device_kinds.list"
#undef NITRO_PLUGIN
#define NITRO_PLUGIN(symbol) extern const nitro_strategy symbol;
#include "nitro/lists/strategies.list"
#undef NITRO_PLUGIN
#define NITRO_PLUGIN(symbol) extern const nitro_dfs_kind symbol;
#include "nitro/lists/dfs_kinds.list"
#undef NITRO_PLUGIN
#define NITRO_PLUGIN(symbol) extern const nitro_module symbol;
#include "nitro/lists/modules.list"
#undef NITRO_PLUGIN
#define NITRO_PLUGIN(symbol) extern const nitro_proxy_kernel symbol;
#include "nitro/lists/proxy_kernels.list"
#undef NITRO_PLUGIN
#define NITRO_PLUGIN(symbol) extern const nitro_profiler symbol;
#include "nitro/lists/profilers.list"
#undef NITRO_PLUGIN
#define NITRO_PLUGIN(symbol) extern const nitro_searcher symbol;
#include "nitro/lists/searchers.list"
#undef NITRO_PLUGIN

#define NITRO_PLUGIN(symbol) extern const nitro_evaluator_kind symbol;
#include "nitro/lists/evaluators.list"
#undef NITRO_PLUGIN
#define NITRO_PLUGIN(symbol) extern const nitro_kernel_backend symbol;
#include "nitro/lists/kernel_backends.list"
#undef NITRO_PLUGIN

#define NITRO_PLUGIN(symbol) &symbol,
const nitro_store_kind *const *nitro_builtin_stores(void)
{
    static const nitro_store_kind *const stores[] = {
#include "nitro/lists/stores.list"
        NULL};
    return stores;
}

extern const nitro_store_journal nitro_local_journal;
const nitro_store_journal *nitro_builtin_store_journal(void)
{
    return &nitro_local_journal;
}

const nitro_device_kind *const *nitro_builtin_device_kinds(void)
{
    static const nitro_device_kind *const kinds[] = {
#include "nitro/lists/device_kinds.list"
        NULL};
    return kinds;
}

const nitro_strategy *const *nitro_builtin_strategies(void)
{
    static const nitro_strategy *const strategies[] = {
#include "nitro/lists/strategies.list"
        NULL};
    return strategies;
}

const nitro_dfs_kind *const *nitro_builtin_dfs_kinds(void)
{
    static const nitro_dfs_kind *const kinds[] = {
#include "nitro/lists/dfs_kinds.list"
        NULL};
    return kinds;
}

const nitro_module *const *nitro_builtin_modules(void)
{
    static const nitro_module *const modules[] = {
#include "nitro/lists/modules.list"
        NULL};
    return modules;
}

const nitro_proxy_kernel *const *nitro_builtin_proxy_kernels(void)
{
    static const nitro_proxy_kernel *const kernels[] = {
#include "nitro/lists/proxy_kernels.list"
        NULL};
    return kernels;
}

const nitro_profiler *const *nitro_builtin_profilers(void)
{
    static const nitro_profiler *const profilers[] = {
#include "nitro/lists/profilers.list"
        NULL};
    return profilers;
}

const nitro_searcher *const *nitro_builtin_searchers(void)
{
    static const nitro_searcher *const searchers[] = {
#include "nitro/lists/searchers.list"
        NULL};
    return searchers;
}

const nitro_evaluator_kind *const *nitro_builtin_evaluators(void)
{
    static const nitro_evaluator_kind *const kinds[] = {
#include "nitro/lists/evaluators.list"
        NULL};
    return kinds;
}

const nitro_kernel_backend *const *nitro_builtin_kernel_backends(void)
{
    static const nitro_kernel_backend *const backends[] = {
#include "nitro/lists/kernel_backends.list"
        NULL};
    return backends;
}

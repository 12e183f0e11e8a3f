/* load_module.c - built-in modules and those in shared objects, which are checked before use. */
#include "apps/cli/load_module.h"

#include <dlfcn.h>
#include <string.h>

#include "apps/cli/output.h"

enum { MAX_MODULES = 64 };

static int check_module(const invocation *call, const char *path, const nitro_module *module)
{
    if (!module)
        return fail_text(call, "%s: nitro_module_get() returned no module", path);
    if (module->version != NITRO_MODULE_VERSION)
        return fail_text(call,
                         "%s: made for module interface %u, but this nitro has interface %d; "
                         "build it again with this version's nitro.h",
                         path, module->version, NITRO_MODULE_VERSION);
    if (!nitro_name_is_valid(module->name))
        return fail_text(call, "%s: the module's name is not 1 to 63 of [A-Za-z0-9_.+-]", path);
    if (module->device_kind && !nitro_name_is_valid(module->device_kind))
        return fail_text(call,
                         "%s: module %s is for a kind of device that is not 1 to 63 of "
                         "[A-Za-z0-9_.+-]",
                         path, module->name);
    if ((!module->create && !module->declaration) || !module->load || !module->unload)
        return fail_text(call, "%s: module %s lacks its %s", path, module->name,
                         !module->load     ? "function load"
                         : !module->unload ? "function unload"
                                           : "declaration, or its function create");
    return EXIT_DONE;
}

/* Modules that a name is looked up among are lists that end with NULL. */

/* The object stays open until the program ends: threads of its own may still run its code. */
/** @param[out] modules  shape [MAX_MODULES + 1], all NULL before. */
static int load_shared_object(const invocation *call, const char *path,
                              const nitro_module **modules)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return fail_text(call, "cannot load the computation: %s", dlerror());
    nitro_module_get_function get = NULL;
    *(void **)&get = dlsym(handle, "nitro_module_get");
    if (!get)
        return fail_text(
            call,
            "%s is not a Nitro module: it exports no nitro_module_get; see nitro_module in nitro.h",
            path);
    const nitro_module *module = get();
    int code = check_module(call, path, module);
    for (size_t i = 0; code == EXIT_DONE && module[i].version != 0 && i < MAX_MODULES; i++) {
        code = check_module(call, path, &module[i]);
        modules[i] = &module[i];
    }
    return code;
}

static const char *kind_of(const nitro_module *module)
{
    return module->device_kind ? module->device_kind : "host";
}

/** The first module of this name; NULL: none. */
static const nitro_module *find_first(const nitro_module *const *modules, const char *name)
{
    while (*modules && strcmp((*modules)->name, name) != 0)
        modules++;
    return *modules;
}

const nitro_module *module_built_in(const char *name)
{
    return find_first(nitro_builtin_modules(), name);
}

static void list_kinds(const nitro_module *const *modules, const char *name, char *text,
                       size_t size)
{
    text[0] = '\0';
    for (; *modules; modules++)
        if (strcmp((*modules)->name, name) == 0)
            nitro_message_list_add(text, size, "%s", kind_of(*modules));
}

void module_kinds(const char *name, char *text, size_t size)
{
    list_kinds(nitro_builtin_modules(), name, text, size);
}

static const nitro_module *find_of_kind(const nitro_module *const *modules, const char *name,
                                        const char *kind)
{
    while (*modules &&
           (strcmp((*modules)->name, name) != 0 || strcmp(kind_of(*modules), kind) != 0))
        modules++;
    return *modules;
}

static int refuse_kind(const invocation *call, const char *name, const char *kinds,
                       const char *wanted)
{
    return fail_text(call,
                     "%s runs on devices of kind %s here, and the device is of kind %s; choose "
                     "another with --device (see 'nitro devices')",
                     name, kinds, wanted);
}

/** @param[in] path  of the shared object; NULL: they are built in. */
static int refuse_name(const invocation *call, const nitro_module *const *modules, const char *path,
                       const char *name)
{
    const char *names[MAX_MODULES + 1];
    size_t count = 0;
    for (size_t i = 0; modules[i] && count < MAX_MODULES; i++)
        if (find_first(modules, modules[i]->name) == modules[i])
            names[count++] = modules[i]->name;
    names[count] = NULL;
    char known[1024];
    join_names(names, known, sizeof known);
    if (!name)
        return fail_text(call, "%s has several computations (%s): name one, as in %s:%s", path,
                         known, path, names[0]);
    const char *close = nitro_closest_name(names, count, name);
    if (path)
        return fail_text(call, "%s has no computation '%s' (there is: %s)", path, name, known);
    if (close)
        return fail_text(call, "no computation '%s' is built in; did you mean '%s'?", name, close);
    return fail_text(call,
                     "no computation '%s' is built in (there is: %s); to load one from a shared "
                     "object give a path with a '/', such as ./lib%s.so",
                     name, known, name);
}

static int find_among(const invocation *call, const nitro_module *const *modules, const char *path,
                      const char *name, const char *kind, const nitro_module **module)
{
    char kinds[256];
    for (size_t i = 0; !name && modules[i]; i++)
        if (strcmp(modules[i]->name, modules[0]->name) != 0)
            return refuse_name(call, modules, path, NULL);
    if (!name && modules[0])
        name = modules[0]->name;
    const nitro_module *found = find_of_kind(modules, name, kind ? kind : "host");
    if (!found && !kind)
        found = find_first(modules, name);
    list_kinds(modules, name, kinds, sizeof kinds);
    if (!found)
        return kinds[0] ? refuse_kind(call, name, kinds, kind)
                        : refuse_name(call, modules, path, name);
    *module = found;
    return EXIT_DONE;
}

/** `text` is a built-in computation's name, PATH, or PATH:NAME, where PATH has a '/'. */
static int find_module(const invocation *call, const char *text, const char *kind,
                       const nitro_module **module)
{
    const char *slash = strrchr(text, '/'), *colon = slash ? strchr(slash, ':') : NULL;
    const nitro_module *modules[MAX_MODULES + 1] = {NULL};
    char path[4096];
    if (!slash)
        return find_among(call, nitro_builtin_modules(), NULL, text, kind, module);
    int length = colon ? (int)(colon - text) : (int)strlen(text);
    if ((size_t)length >= sizeof path)
        return fail_text(call, "the path of the shared object is too long");
    snprintf(path, sizeof path, "%.*s", length, text);
    int code = load_shared_object(call, path, modules);
    return code == EXIT_DONE
               ? find_among(call, modules, path, colon ? colon + 1 : NULL, kind, module)
               : code;
}

static nitro_status create(nitro_context *context, const nitro_module *module,
                           nitro_computation **computation)
{
    if (module->create)
        return module->create(context, computation);
    nitro_status status = nitro_computation_declare(context, module->declaration, computation);
    return status == NITRO_OK && module->hooks
               ? nitro_computation_set_hooks(*computation, module->hooks)
               : status;
}

int module_open(const invocation *call, const char *name, const char *kind, loaded_module *loaded)
{
    const nitro_module *module = NULL;
    nitro_computation *computation = NULL;
    int code = find_module(call, name, kind, &module);
    if (code != EXIT_DONE)
        return code;
    nitro_status status = create(call->context, module, &computation);
    if (status == NITRO_OK)
        status = nitro_computation_version_by_code(computation);
    if (status == NITRO_OK)
        status = nitro_computation_set_device_kind(computation, kind_of(module));
    code = exit_code(call, status);
    if (code == EXIT_DONE && strcmp(nitro_computation_name(computation), module->name) != 0)
        code = fail_text(call, "%s: the module is called %s but creates a computation called %s",
                         name, module->name, nitro_computation_name(computation));
    if (code == EXIT_DONE)
        *loaded = (loaded_module){module, computation};
    else
        nitro_computation_free(computation);
    return code;
}

void module_close(loaded_module *loaded)
{
    nitro_computation_free(loaded->computation);
    *loaded = (loaded_module){0};
}

int module_name(const invocation *call, const char *text, const char **name)
{
    const nitro_module *module = NULL;
    if (!strchr(text, '/')) {
        *name = text;
        return EXIT_DONE;
    }
    int code = find_module(call, text, NULL, &module);
    if (code == EXIT_DONE)
        *name = module->name;
    return code;
}

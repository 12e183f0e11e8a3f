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
    if (!module->create || !module->load || !module->unload)
        return fail_text(call, "%s: module %s lacks its function %s", path, module->name,
                         !module->create ? "create"
                         : !module->load ? "load"
                                         : "unload");
    return EXIT_DONE;
}

/* The object stays open until the program ends: threads of its own may still run its code. */
static int load_shared_object(const invocation *call, const char *path, const nitro_module **module)
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
    const nitro_module *found = get();
    int code = check_module(call, path, found);
    if (code == EXIT_DONE)
        *module = found;
    return code;
}

static const char *kind_of(const nitro_module *module)
{
    return module->device_kind ? module->device_kind : "host";
}

bool module_is_first(const nitro_module *module)
{
    for (const nitro_module *const *each = nitro_builtin_modules(); *each; each++)
        if (strcmp((*each)->name, module->name) == 0)
            return *each == module;
    return false;
}

void module_kinds(const char *name, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const nitro_module *const *each = nitro_builtin_modules(); *each && used < size; each++)
        if (strcmp((*each)->name, name) == 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     kind_of(*each));
}

static const nitro_module *find_of_kind(const char *name, const char *kind)
{
    for (const nitro_module *const *each = nitro_builtin_modules(); *each; each++)
        if (strcmp((*each)->name, name) == 0 && (!kind || strcmp(kind_of(*each), kind) == 0))
            return *each;
    return NULL;
}

static int refuse_kind(const invocation *call, const char *name, const char *kinds,
                       const char *wanted)
{
    return fail_text(call,
                     "%s runs on devices of kind %s here, and the device is of kind %s; choose "
                     "another with --device (see 'nitro devices')",
                     name, kinds, wanted);
}

static int refuse_name(const invocation *call, const char *name)
{
    const char *names[MAX_MODULES];
    size_t count = 0;
    for (const nitro_module *const *each = nitro_builtin_modules(); *each; each++)
        if (count < MAX_MODULES - 1 && module_is_first(*each))
            names[count++] = (*each)->name;
    names[count] = NULL;
    char known[512];
    join_names(names, known, sizeof known);
    const char *close = nitro_closest_name(names, count, name);
    if (close)
        return fail_text(call, "no computation '%s' is built in; did you mean '%s'?", name, close);
    return fail_text(call,
                     "no computation '%s' is built in (there is: %s); to load one from a shared "
                     "object give a path with a '/', such as ./lib%s.so",
                     name, known, name);
}

static int find_built_in(const invocation *call, const char *name, const char *kind,
                         const nitro_module **module)
{
    char kinds[256];
    const nitro_module *found = find_of_kind(name, kind ? kind : "host");
    if (!found && !kind)
        found = find_of_kind(name, NULL);
    module_kinds(name, kinds, sizeof kinds);
    if (!found)
        return kinds[0] ? refuse_kind(call, name, kinds, kind) : refuse_name(call, name);
    *module = found;
    return EXIT_DONE;
}

static int find_module(const invocation *call, const char *name, const char *kind,
                       const nitro_module **module)
{
    const nitro_module *found = NULL;
    if (!strchr(name, '/'))
        return find_built_in(call, name, kind, module);
    int code = load_shared_object(call, name, &found);
    if (code == EXIT_DONE && kind && strcmp(kind_of(found), kind) != 0)
        code = refuse_kind(call, name, kind_of(found), kind);
    if (code == EXIT_DONE)
        *module = found;
    return code;
}

int module_open(const invocation *call, const char *name, const char *kind, loaded_module *loaded)
{
    const nitro_module *module = NULL;
    nitro_computation *computation = NULL;
    int code = find_module(call, name, kind, &module);
    if (code != EXIT_DONE)
        return code;
    if (module->create(call->context, &computation) != NITRO_OK)
        return fail(call);
    if (nitro_computation_set_device_kind(computation, kind_of(module)) != NITRO_OK) {
        nitro_computation_free(computation);
        return fail(call);
    }
    if (strcmp(nitro_computation_name(computation), module->name) != 0) {
        fail_text(call, "%s: the module is called %s but creates a computation called %s", name,
                  module->name, nitro_computation_name(computation));
        nitro_computation_free(computation);
        return EXIT_FAILED;
    }
    *loaded = (loaded_module){module, computation};
    return EXIT_DONE;
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
    int code = load_shared_object(call, text, &module);
    if (code == EXIT_DONE)
        *name = module->name;
    return code;
}

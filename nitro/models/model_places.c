/* Finds model files: the user's, those beside the library that has the variants, the system's. */
#include "nitro/backend/model_places.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/models/model_file.h"

#define FOLDER              "nitro/models"
#define SYSTEM_DATA_FOLDERS "/usr/local/share:/usr/share" /* by the XDG base directory rules */

/** NULL: there is none. */
static nitro_status users_folder(nitro_context *context, char **folder)
{
    return nitro_user_path(context, "XDG_DATA_HOME", ".local/share", "models", folder);
}

nitro_status nitro_model_users_path(nitro_context *context, const char *computation,
                                    const char *device, char **path)
{
    char *folder = NULL;
    nitro_status status = users_folder(context, &folder);
    if (status != NITRO_OK)
        return status;
    if (!folder)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "no folder for models: neither XDG_DATA_HOME nor HOME is an absolute "
                          "path; set HOME, or name the model's file (--output)");
    char *made = nitro_asprintf(context, "%s/%s@%s.json", folder, computation, device);
    free(folder);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    *path = made;
    return NITRO_OK;
}

/** The end of the prefix of the folder PREFIX/lib or PREFIX/lib/x86_64-linux-gnu; NULL: neither. */
static const char *find_prefix(const char *folder)
{
    const char *found = NULL;
    for (const char *at = folder; (at = strstr(at, "/lib")) != NULL; at++) {
        const char *end = at + strlen(strncmp(at, "/lib64", 6) == 0 ? "/lib64" : "/lib");
        if (*end == '/' || *end == '\0')
            found = at;
    }
    return found;
}

/** The folder of a file, without symbolic links and "bin/../"; NULL: unknown. Free with free(). */
static nitro_status folder_of(nitro_context *context, const char *file, char **folder)
{
    const char *slash = strrchr(file, '/');
    if (!slash)
        return NITRO_OK;
    char *given = nitro_asprintf(context, "%.*s", (int)(slash - file + 1), file);
    *folder = given ? realpath(given, NULL) : NULL;
    bool has_memory = given && (*folder || errno != ENOMEM);
    free(given);
    return has_memory ? NITRO_OK
                      : nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory", file);
}

/** The folder of the library that has the code, and share/ of its prefix. */
static nitro_status add_code_folders(nitro_context *context, const void *code,
                                     nitro_string_list *folders)
{
    Dl_info object;
    char *folder = NULL, *shared = NULL;
    nitro_status status = NITRO_OK;
    if (code && dladdr(code, &object))
        status = folder_of(context, object.dli_fname, &folder);
    if (!folder)
        return status;
    const char *prefix = find_prefix(folder);
    status = nitro_string_list_add(context, folders, folder);
    if (status == NITRO_OK && prefix) {
        shared = nitro_asprintf(context, "%.*s/share/" FOLDER, (int)(prefix - folder), folder);
        status = shared ? nitro_string_list_add(context, folders, shared) : NITRO_ERR_NO_MEMORY;
    }
    free(folder);
    free(shared);
    return status;
}

static nitro_status add_system_folders(nitro_context *context, nitro_string_list *folders)
{
    const char *data = secure_getenv("XDG_DATA_DIRS");
    nitro_status status = NITRO_OK;
    if (!data || !data[0])
        data = SYSTEM_DATA_FOLDERS;
    while (*data && status == NITRO_OK) {
        size_t length = strcspn(data, ":");
        if (data[0] == '/') {
            char *folder = nitro_asprintf(context, "%.*s/" FOLDER, (int)length, data);
            if (!folder)
                status = NITRO_ERR_NO_MEMORY;
            else if (nitro_string_list_find(folders, folder) == NITRO_NONE)
                status = nitro_string_list_add(context, folders, folder);
            free(folder);
        }
        data += length + (data[length] == ':');
    }
    return status;
}

nitro_status nitro_model_folders(nitro_context *context, const void *code,
                                 nitro_string_list *folders)
{
    char *folder = NULL;
    nitro_status status = users_folder(context, &folder);
    if (folder)
        status = nitro_string_list_add(context, folders, folder);
    free(folder);
    if (status == NITRO_OK)
        status = add_code_folders(context, code, folders);
    return status == NITRO_OK ? add_system_folders(context, folders) : status;
}

/** Files of one folder by preference. */
enum {
    OF_DEVICE_JSON,
    OF_DEVICE_BINARY,
    OF_KIND_JSON,
    OF_KIND_BINARY,
    OF_ANY_JSON,
    OF_ANY_BINARY,
    NUM_RANKS
};

typedef struct look_up {
    nitro_context *context;
    const nitro_model_wanted *wanted;
    char device[64]; /* "": not asked yet; "?": unknown */
    char names[NUM_RANKS][256];
    bool is_ambiguous; /* files of several devices, and this one is unknown */
} look_up;

/** Describing a device takes time: only if there is a model of some device. */
static const char *device_of(look_up *self)
{
    if (self->device[0] == '\0' && self->wanted->device)
        snprintf(self->device, sizeof self->device, "%s", self->wanted->device);
    else if (self->device[0] == '\0' &&
             !nitro_model_device_here(self->context, self->wanted->kind, self->device))
        strcpy(self->device, "?");
    return self->device;
}

/** Does a model of this name, after "@", serve all devices of the kind? */
static bool is_kind(const look_up *self, const char *id, size_t length)
{
    const char *kind = self->wanted->kind;
    return kind && strlen(kind) == length && !memcmp(kind, id, length);
}

/** May it be a device of the kind that is wanted? Other kinds' ids begin with other names. */
static bool may_be_of_kind(const look_up *self, const char *id, size_t length)
{
    const char *colon = memchr(id, ':', length);
    return !colon || !self->wanted->kind || is_kind(self, id, (size_t)(colon - id));
}

/** Is "@ID" the device? */
static bool is_device(look_up *self, const char *id, size_t length)
{
    if (!self->wanted->device && !may_be_of_kind(self, id, length))
        return false;
    const char *device = device_of(self);
    return strcmp(device, "?") == 0 || (strlen(device) == length && !memcmp(device, id, length));
}

/** Is another file, if there is one, for another device? */
static bool differs(const char *other, const char *name)
{
    ptrdiff_t length = strrchr(name, '.') - name;
    return other[0] &&
           (strrchr(other, '.') - other != length || strncmp(other, name, (size_t)length) != 0);
}

static void consider(look_up *self, const char *name)
{
    size_t length = strlen(self->wanted->computation);
    const char *dot = strrchr(name, '.'), *rest = name + length;
    bool is_binary = dot && strcmp(dot, ".bin") == 0;
    bool is_json = dot && strcmp(dot, ".json") == 0 && nitro_model_reads_json;
    if (strncmp(name, self->wanted->computation, length) != 0 || !(is_binary || is_json) ||
        strlen(name) >= sizeof self->names[0])
        return;
    if (rest != dot && rest[0] != '@')
        return;
    size_t rank = OF_ANY_JSON;
    if (rest != dot && is_kind(self, rest + 1, (size_t)(dot - rest - 1)))
        rank = OF_KIND_JSON;
    else if (rest != dot && is_device(self, rest + 1, (size_t)(dot - rest - 1)))
        rank = OF_DEVICE_JSON;
    else if (rest != dot)
        return;
    if (rank == OF_DEVICE_JSON &&
        (differs(self->names[rank], name) || differs(self->names[rank + 1], name)))
        self->is_ambiguous = true;
    strcpy(self->names[rank + is_binary], name);
}

static nitro_status look_in(look_up *self, const char *folder, nitro_string_list *paths)
{
    nitro_status status = NITRO_OK;
    DIR *entries = opendir(folder);
    if (!entries && (errno == ENOMEM || errno == EMFILE || errno == ENFILE))
        return nitro_fail(self->context, NITRO_ERR_NO_MEMORY, "%s: cannot read the folder: %s",
                          folder, strerror(errno));
    if (!entries && errno != ENOENT && errno != ENOTDIR)
        nitro_log(self->context, NITRO_LOG_WARNING,
                  "%s: cannot read the folder, its models are not used: %s", folder,
                  strerror(errno));
    if (!entries)
        return NITRO_OK;
    memset(self->names, 0, sizeof self->names);
    self->is_ambiguous = false;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        consider(self, entry->d_name);
    closedir(entries);
    if (self->is_ambiguous) {
        nitro_log(self->context, NITRO_LOG_WARNING,
                  "%s: %s has models for several devices, and it is unknown which of them this "
                  "machine has: name one by the setting model",
                  self->wanted->computation, folder);
        self->names[OF_DEVICE_JSON][0] = self->names[OF_DEVICE_BINARY][0] = '\0';
    }
    for (size_t rank = 0; rank < NUM_RANKS && status == NITRO_OK; rank++) {
        if (!self->names[rank][0])
            continue;
        char *path = nitro_asprintf(self->context, "%s/%s", folder, self->names[rank]);
        status = path ? nitro_string_list_add(self->context, paths, path) : NITRO_ERR_NO_MEMORY;
        free(path);
    }
    return status;
}

nitro_status nitro_model_files(nitro_context *context, const nitro_model_wanted *wanted,
                               const nitro_string_list *folders, nitro_string_list *paths)
{
    look_up self = {.context = context, .wanted = wanted};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < folders->count && status == NITRO_OK; i++)
        status = look_in(&self, folders->items[i], paths);
    return status;
}

/* ---- Models that ship ------------------------------------------------------------------------ */

enum { MOST_SHIPPED_BYTES = 1 << 20 };

char *nitro_model_shipped(nitro_context *context, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *list = nitro_asprintf(context, "%.*s/shipped.csv", slash ? (int)(slash - path) : 1,
                                slash ? path : ".");
    FILE *file = list ? fopen(list, "r") : NULL;
    char *from = NULL, line[1024];
    size_t length = strlen(name), read = 0;
    free(list);
    while (file && !from && read < MOST_SHIPPED_BYTES && fgets(line, sizeof line, file)) {
        read += strlen(line);
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, name, length) == 0 && line[length] == ',')
            from = nitro_strdup(context, line + length + 1);
    }
    if (file)
        fclose(file);
    return from;
}

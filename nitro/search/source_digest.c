/* A digest of C source and of the files that it includes. They are found by their text, also where
 * a condition leaves them out: which are compiled differs between configurations. Files of the
 * system, and names that macros make, are not looked for. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nitro/search/source_digest.h"

#define MAX_SOURCE_BYTES ((size_t)64 << 20)

typedef struct source_files {
    nitro_context *context;
    char *const *options;
    nitro_string_list paths;
} source_files;

/* What follows `option` in words[i], or the next word; NULL: it is another one. */
static const char *value_of(char *const *words, size_t i, const char *option)
{
    size_t length = strlen(option);
    if (strncmp(words[i], option, length) != 0)
        return NULL;
    return words[i][length] ? words[i] + length : words[i + 1];
}

/* @param[out] found  there is such a file, which is in the list now. */
static nitro_status add_file(source_files *files, const char *folder, int length, const char *name,
                             int name_length, bool *found)
{
    bool is_absolute = name[0] == '/';
    char *path = nitro_asprintf(files->context, "%.*s%s%.*s", is_absolute ? 0 : length, folder,
                                is_absolute || length == 0 ? "" : "/", name_length, name);
    if (!path)
        return NITRO_ERR_NO_MEMORY;
    struct stat file;
    nitro_status status = NITRO_OK;
    *found = stat(path, &file) == 0 && S_ISREG(file.st_mode); /* compilers skip folders, too */
    if (*found && nitro_string_list_find(&files->paths, path) == NITRO_NONE)
        status = nitro_string_list_add(files->context, &files->paths, path);
    free(path);
    return status;
}

/* In the including file's folder, then in those of the options. */
static nitro_status add_included(source_files *files, const char *includer, const char *name,
                                 int length, bool is_quoted)
{
    static const char *const folders[] = {"-iquote", "-isystem", "-I"};
    const char *slash = strrchr(includer, '/');
    bool found = false;
    nitro_status status = NITRO_OK;
    if (is_quoted)
        status =
            add_file(files, includer, slash ? (int)(slash - includer) : 0, name, length, &found);
    for (size_t i = 0; files->options[i]; i++)
        for (size_t f = 0; f < 3 && status == NITRO_OK && !found; f++) {
            const char *folder = value_of(files->options, i, folders[f]);
            if (folder)
                status = add_file(files, folder, (int)strlen(folder), name, length, &found);
        }
    return status;
}

static nitro_status add_all_included(source_files *files, const char *includer, const char *code)
{
    nitro_status status = NITRO_OK;
    for (const char *line = code; line && status == NITRO_OK; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *at = line + strspn(line, " \t");
        if (*at != '#')
            continue;
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, "include", strlen("include")) != 0)
            continue;
        at += strcspn(at, "\"<\n");
        size_t length = *at == '"' || *at == '<' ? strcspn(at + 1, "\">\n") : 0;
        if (length > 0)
            status = add_included(files, includer, at + 1, (int)length, *at == '"');
    }
    return status;
}

nitro_status nitro_source_digest(nitro_context *context, const char *path, char *const *options,
                                 uint64_t *digest)
{
    source_files files = {.context = context, .options = options};
    uint64_t hash = *digest;
    bool found;
    nitro_status status = nitro_string_list_add(context, &files.paths, path);
    for (size_t i = 0; options[i] && status == NITRO_OK; i++) {
        const char *file = value_of(options, i, "-include");
        if (file)
            status = add_file(&files, "", 0, file, (int)strlen(file), &found);
    }
    for (size_t i = 0; i < files.paths.count && status == NITRO_OK; i++) {
        char *code = NULL;
        size_t size = 0;
        status = nitro_file_read(context, files.paths.items[i], MAX_SOURCE_BYTES, &code, &size);
        if (status == NITRO_OK) {
            hash = nitro_hash(code, size, hash);
            status = add_all_included(&files, files.paths.items[i], code);
        }
        free(code);
    }
    nitro_string_list_free(&files.paths);
    if (status == NITRO_OK)
        *digest = hash;
    return status;
}

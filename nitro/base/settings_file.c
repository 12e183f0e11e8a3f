/* Finds and parses the user's settings file. Errors name the line and never quote it: a program may
 * be made to read a file that its user may not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/base/settings_lookup.h"

enum { MAX_FILE_BYTES = 1 << 20 };

/** Without surrounding blanks, in place. */
static char *trim(char *text)
{
    static const char blanks[] = " \t\r";
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

typedef struct reading {
    nitro_context *context;
    const char *origin;
    size_t line;
    char *computation; /* of the section; NULL: for all */
    nitro_setting_entries *entries;
} reading;

static nitro_status read_section(reading *self, char *text)
{
    size_t length = strlen(text);
    char *name = text + 1;
    if (text[length - 1] == ']')
        text[length - 1] = '\0';
    else
        name = "";
    if (!nitro_name_is_valid(name))
        return nitro_fail(
            self->context, NITRO_ERR_FORMAT,
            "%s:%zu: invalid section: write a computation's name in brackets, as in [spmv]",
            self->origin, self->line);
    free(self->computation);
    self->computation = nitro_strdup(self->context, name);
    return self->computation ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status read_setting(reading *self, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return nitro_fail(self->context, NITRO_ERR_FORMAT,
                          "%s:%zu: the line is not of the form SETTING = VALUE", self->origin,
                          self->line);
    *equals = '\0';
    char *setting = trim(text), *value = trim(equals + 1);
    char *where = nitro_asprintf(self->context, "%s:%zu", self->origin, self->line);
    nitro_status status =
        where ? nitro_setting_check(self->context, where, setting, value) : NITRO_ERR_NO_MEMORY;
    free(where);
    if (status != NITRO_OK)
        return status;
    return nitro_setting_entries_put(self->context, self->entries, self->computation, setting,
                                     value, self->line);
}

static nitro_status read_line(reading *self, char *line)
{
    char *text = trim(line);
    if (text[0] == '\0' || text[0] == '#')
        return NITRO_OK;
    return text[0] == '[' ? read_section(self, text) : read_setting(self, text);
}

static nitro_status read_lines(reading *self, char *text)
{
    nitro_status status = NITRO_OK;
    for (char *line = text; line && status == NITRO_OK;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        self->line++;
        status = read_line(self, line);
        line = end ? end + 1 : NULL;
    }
    return status;
}

nitro_status nitro_settings_parse(nitro_context *context, const char *origin, const char *text,
                                  size_t size, nitro_setting_entries *entries)
{
    if (memchr(text, '\0', size))
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: contains a zero byte; not a text file",
                          origin);
    reading self = {.context = context, .origin = origin, .entries = entries};
    char *copy = nitro_calloc(context, size + 1, 1);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    memcpy(copy, text, size);
    nitro_status status = read_lines(&self, copy);
    free(copy);
    free(self.computation);
    return status;
}

/** NULL if neither XDG_CONFIG_HOME nor HOME is set. */
static nitro_status find_path(nitro_context *context, char **path)
{
    const char *named = secure_getenv("NITRO_CONFIG");
    if (!named)
        return nitro_user_path(context, "XDG_CONFIG_HOME", ".config", "nitro.conf", path);
    *path = nitro_strdup(context, named);
    return *path ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

/** The user's file need not exist, which is no error to be kept as the last one. The home of a
 * system account may be no folder: /dev/null. */
static bool exists(const char *path)
{
    return access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

nitro_status nitro_settings_read(nitro_context *context, char **path,
                                 nitro_setting_entries *entries)
{
    char *found = NULL, *text = NULL;
    size_t size = 0;
    nitro_status status = find_path(context, &found);
    if (status == NITRO_OK && found && secure_getenv("NITRO_CONFIG"))
        status = nitro_file_read(context, found, MAX_FILE_BYTES, &text, &size);
    else if (status == NITRO_OK && found && exists(found))
        status = nitro_file_read_regular(context, found, MAX_FILE_BYTES, &text, &size);
    if (status == NITRO_OK && text)
        status = nitro_settings_parse(context, found, text, size, entries);
    free(text);
    if (status == NITRO_OK)
        *path = found;
    else
        free(found);
    return status;
}

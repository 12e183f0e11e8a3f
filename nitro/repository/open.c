/* Opens the store of a URL: "scheme:address", a plain path (of the kind with the highest
 * priority), or NULL (the setting "store", else the user's own file). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/require.h"
#include "nitro/repository/store_internal.h"

/* Length of the scheme before ':'; 0 for a plain path, which has a '/' before any ':'. */
static size_t scheme_length(const char *url)
{
    size_t length = strspn(url, "abcdefghijklmnopqrstuvwxyz0123456789+-.");
    return url[length] == ':' && islower((unsigned char)url[0]) ? length : 0;
}

static const nitro_store_kind *default_kind(void)
{
    const nitro_store_kind *best = NULL;
    for (const nitro_store_kind *const *kind = nitro_builtin_stores(); *kind; kind++)
        if (!best || (*kind)->priority > best->priority)
            best = *kind;
    return best;
}

static nitro_status fail_unknown_scheme(nitro_context *context, const char *url, size_t length)
{
    nitro_string_list known = {0};
    nitro_status status = NITRO_OK;
    char scheme[81];
    snprintf(scheme, sizeof(scheme), "%.*s", (int)length, url);
    for (const nitro_store_kind *const *kind = nitro_builtin_stores(); *kind && status == NITRO_OK;
         kind++)
        status = nitro_string_list_add(context, &known, (*kind)->scheme);
    char *names = status == NITRO_OK ? nitro_store_print_some(context, &known) : NULL;
    char *shown = names ? nitro_store_redact(context, scheme, url + length + 1) : NULL;
    status = NITRO_ERR_NO_MEMORY;
    if (shown)
        status = nitro_fail(context, NITRO_ERR_NOT_FOUND,
                            "'%.200s': unknown kind of store '%s'; known: %s. For a file of this "
                            "name write './%.200s'",
                            shown, scheme, names, shown);
    free(shown);
    free(names);
    nitro_string_list_free(&known);
    return status;
}

/* "redis//user:password@host" or "://user:password@host": no file is meant, and the password must
 * not be shown. */
static bool is_mistyped(const char *url)
{
    const char *rest = url + strspn(url, "abcdefghijklmnopqrstuvwxyz+");
    rest += rest[0] == ':';
    return strncmp(rest, "//", 2) == 0 && rest[2] && strchr(rest + 2, ':') && strchr(rest + 2, '@');
}

static nitro_status find_kind(nitro_context *context, const char *url,
                              const nitro_store_kind **found, const char **address)
{
    size_t length = scheme_length(url);
    for (const nitro_store_kind *const *kind = nitro_builtin_stores(); *kind && length > 0;
         kind++) {
        if (strlen((*kind)->scheme) == length && memcmp((*kind)->scheme, url, length) == 0) {
            *found = *kind;
            *address = url + length + 1;
            return NITRO_OK;
        }
    }
    if (length > 0)
        return fail_unknown_scheme(context, url, length);
    if (is_mistyped(url))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "'...%.200s': a URL without a scheme and a colon; write "
                          "SCHEME://[user:password@]host, or './' before a file's name",
                          strrchr(url, '@') + 1);
    *found = default_kind();
    *address = url;
    return *found ? NITRO_OK
                  : nitro_fail(context, NITRO_ERR_NOT_BUILT, "this build has no kind of store");
}

nitro_status nitro_store_data_path(nitro_context *context, const char *name, bool make, char **path)
{
    char *made = NULL;
    nitro_status status = nitro_user_path(context, "XDG_DATA_HOME", ".local/share", name, &made);
    if (status == NITRO_OK && !made)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "no folder for %s: neither XDG_DATA_HOME nor HOME is an absolute path; "
                          "set HOME, or name another store",
                          name);
    if (status == NITRO_OK && make) {
        char *slash = strrchr(made, '/');
        *slash = '\0';
        status = nitro_make_folders(context, made);
        *slash = '/';
    }
    if (status == NITRO_OK)
        *path = made;
    else
        free(made);
    return status;
}

char *nitro_store_print_url(nitro_context *context, const nitro_store_kind *kind,
                            const char *address)
{
    bool may_hold_password = kind->remote || strncmp(kind->scheme, "http", 4) == 0;
    return may_hold_password ? nitro_store_redact(context, kind->scheme, address)
                             : nitro_asprintf(context, "%s:%s", kind->scheme, address);
}

nitro_status nitro_store_create(nitro_context *context, const nitro_store_kind *kind,
                                nitro_store_mode mode, const char *url, void *state,
                                nitro_store **store)
{
    nitro_store *created = nitro_calloc(context, 1, sizeof(*created));
    char *copy = created ? nitro_strdup(context, url) : NULL;
    if (!copy) {
        free(created);
        return NITRO_ERR_NO_MEMORY;
    }
    *created = (nitro_store){context, kind, mode, copy, state};
    *store = created;
    return NITRO_OK;
}

/* The kind of the same scheme that has functions. */
static nitro_status load_kind(nitro_context *context, const nitro_store_kind **kind)
{
    const void *functions = NULL;
    if (!(*kind)->plugin)
        return NITRO_OK;
    nitro_status status = nitro_plugin_load(context, (*kind)->plugin, &functions);
    const nitro_store_kind *const *loaded = functions;
    while (status == NITRO_OK && *loaded && strcmp((*loaded)->scheme, (*kind)->scheme) != 0)
        loaded++;
    if (status == NITRO_OK && !*loaded)
        return nitro_fail(context, NITRO_ERR_NOT_BUILT, "the plug-in %s.so has no stores '%s:'",
                          (*kind)->plugin, (*kind)->scheme);
    if (status == NITRO_OK)
        *kind = *loaded;
    return status;
}

nitro_status nitro_store_open_kind(nitro_context *context, const nitro_store_kind *kind,
                                   const char *address, nitro_store_mode mode, nitro_store **store)
{
    nitro_store *opened = NULL;
    nitro_status status = load_kind(context, &kind);
    if (status != NITRO_OK)
        return status;
    char *url = nitro_store_print_url(context, kind, address);
    status =
        url ? nitro_store_create(context, kind, mode, url, NULL, &opened) : NITRO_ERR_NO_MEMORY;
    free(url);
    if (status == NITRO_OK)
        status = kind->open(context, address, mode, &opened->state);
    if (status == NITRO_OK) {
        *store = opened;
        return NITRO_OK;
    }
    if (opened)
        free(opened->url);
    free(opened);
    return status;
}

/* `url`, else the setting, else the user's own store. */
static nitro_status choose_url(nitro_context *context, const char *url, nitro_store_mode mode,
                               char **chosen)
{
    nitro_setting_value set = {0};
    nitro_status status = url ? NITRO_OK : nitro_setting_get(context, NULL, "store", &set);
    if (status != NITRO_OK)
        return status;
    if (!url && set.text[0] == '\0')
        return nitro_store_data_path(context, "store.db", mode == NITRO_STORE_WRITE, chosen);
    char *copy = nitro_strdup(context, url ? url : set.text);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    *chosen = copy;
    return NITRO_OK;
}

static nitro_status open_store(nitro_context *context, const char *url, nitro_store_mode mode,
                               bool journaled, nitro_store **store)
{
    const nitro_store_kind *kind = NULL;
    const char *address = NULL;
    char *chosen = NULL;
    if (mode != NITRO_STORE_READ && mode != NITRO_STORE_WRITE)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "a store cannot be opened with the mode %d: use NITRO_STORE_READ or "
                          "NITRO_STORE_WRITE",
                          (int)mode);
    nitro_status status = choose_url(context, url, mode, &chosen);
    if (status == NITRO_OK)
        status = find_kind(context, chosen, &kind, &address);
    if (status == NITRO_OK)
        status = journaled && kind->remote
                     ? nitro_builtin_store_journal()->open(context, kind, address, store)
                     : nitro_store_open_kind(context, kind, address, mode, store);
    free(chosen);
    return status;
}

nitro_status nitro_store_open(nitro_context *context, const char *url, nitro_store_mode mode,
                              nitro_store **store)
{
    NITRO_REQUIRE(context, context && store);
    return open_store(context, url, mode, false, store);
}

nitro_status nitro_store_open_journaled(nitro_context *context, const char *url,
                                        nitro_store **store)
{
    NITRO_REQUIRE(context, context && store);
    return open_store(context, url, NITRO_STORE_WRITE, true, store);
}

nitro_status nitro_store_list_unsent(nitro_context *context, nitro_string_list *urls)
{
    return nitro_builtin_store_journal()->list_unsent(context, urls);
}

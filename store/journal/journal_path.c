/* The files of journals: a SQLite store for each remote one, under the user's own data, and beside
 * it a text file with the remote's URL (without password). */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/journal/journal_internal.h"

#define FOLDER        "journals/"
#define MAX_URL_BYTES 4096

/* Options of the connection, which do not identify the store. */
static bool is_manner(const char *option, size_t size)
{
    static const char *const names[] = {"timeout=", "ca=", "cert=", "key="};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (size >= strlen(names[i]) && memcmp(option, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Tunes into one store share one journal, whatever their timeouts. */
static void drop_manner(char *url)
{
    char *query = strchr(url, '?');
    if (!query)
        return;
    char *end = query;
    for (const char *option = query + 1; option;) {
        size_t size = strcspn(option, "&");
        const char *next = option[size] ? option + size + 1 : NULL;
        if (size > 0 && !is_manner(option, size)) {
            *end = end == query ? '?' : '&';
            memmove(end + 1, option, size);
            end += 1 + size;
        }
        option = next;
    }
    *end = '\0';
}

char *nitro_journal_url(nitro_context *context, const nitro_store_kind *kind, const char *address)
{
    const char *host = strncmp(address, "//", 2) == 0 ? address + 2 : address;
    const char *at = host > address ? strrchr(host, '@') : NULL;
    char *url = nitro_asprintf(context, "%s:%.*s%s", kind->scheme, (int)(host - address), address,
                               at ? at + 1 : host);
    if (url)
        drop_manner(url);
    return url;
}

/* "redis-host-6379-0-1f3a....": a readable name and a unique hash. */
static void make_name(const char *url, char *name, size_t size)
{
    size_t used = 0;
    for (const char *c = url; *c && used < size - 18; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || *c == '.';
        if (plain)
            name[used++] = *c;
        else if (used > 0 && name[used - 1] != '-')
            name[used++] = '-';
    }
    snprintf(name + used, size - used, "-%016" PRIx64, nitro_hash(url, strlen(url), 0));
}

nitro_status nitro_journal_path(nitro_context *context, const char *url, bool make, char **path)
{
    char name[96];
    make_name(url, name, sizeof(name));
    char *file = nitro_asprintf(context, FOLDER "%s.db", name);
    if (!file)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_store_data_path(context, file, make, path);
    free(file);
    return status;
}

nitro_status nitro_journal_note(nitro_context *context, const char *path, const char *url)
{
    const char *end = strrchr(path, '.');
    size_t length = end && strcmp(end, ".db") == 0 ? (size_t)(end - path) : strlen(path);
    char *note = nitro_asprintf(context, "%.*s.url", (int)length, path);
    char *line = nitro_asprintf(context, "%s\n", url);
    nitro_status status =
        note && line ? nitro_file_write(context, note, line, strlen(line)) : NITRO_ERR_NO_MEMORY;
    free(line);
    free(note);
    return status;
}

static nitro_status open_with_journal(nitro_context *context, const nitro_store_kind *kind,
                                      const char *address, nitro_store **store)
{
    char *url = nitro_journal_url(context, kind, address), *path = NULL;
    nitro_status status = url ? nitro_journal_path(context, url, true, &path) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_journal_open(context, kind, address, path, store);
    free(path);
    free(url);
    return status;
}

static nitro_status count_in_file(nitro_context *context, const char *path, size_t *count)
{
    nitro_journal journal = {.context = context};
    struct stat file;
    if (stat(path, &file) == 0 &&
        file.st_size == 0) /* killed, or the disk was full, before it was made */
        return NITRO_OK;
    nitro_status status = nitro_store_open(context, path, NITRO_STORE_READ, &journal.local);
    if (status == NITRO_OK)
        status = nitro_journal_count(&journal, count);
    nitro_store_close(journal.local);
    return status;
}

/* A journal's name is made from its URL: samples must not go to a store that someone wrote into the
 * note. */
static nitro_status check_note(nitro_context *context, const char *note, const char *name,
                               const char *url)
{
    char expected[96];
    make_name(url, expected, sizeof(expected));
    size_t length = strlen(expected);
    if (strncmp(name, expected, length) == 0 && strcmp(name + length, ".url") == 0)
        return NITRO_OK;
    return nitro_fail(
        context, NITRO_ERR_FORMAT,
        "%s: altered: its URL is not that of the journal beside it, whose samples are "
        "still unsent; tune or sync with the store's URL to send them",
        note);
}

/* The URL in a note, if the journal beside it has unsent samples. */
static nitro_status add_unsent(nitro_context *context, const char *folder, const char *name,
                               nitro_string_list *urls)
{
    size_t length = strlen(name), size = 0, count = 0;
    if (length <= strlen(".url") || strcmp(name + length - strlen(".url"), ".url") != 0)
        return NITRO_OK;
    char *note = nitro_asprintf(context, "%s%s", folder, name);
    char *file = nitro_asprintf(context, "%s%.*s.db", folder, (int)(length - strlen(".url")), name);
    char *url = NULL;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (note && file)
        status = nitro_file_read_regular(context, note, MAX_URL_BYTES, &url, &size);
    if (status == NITRO_OK)
        status = count_in_file(context, file, &count);
    if (status == NITRO_ERR_NOT_FOUND) /* killed between the note and the first sample */
        status = NITRO_OK;
    if (status == NITRO_OK && count > 0) {
        url[strcspn(url, "\n")] = '\0';
        status = check_note(context, note, name, url);
    }
    if (status == NITRO_OK && count > 0) {
        status = nitro_string_list_add(context, urls, url);
    }
    free(url);
    free(file);
    free(note);
    return status;
}

/* A journal that cannot be read keeps no other one from being sent. The last such error is
 * returned; those before it go to the log. */
static nitro_status list_unsent(nitro_context *context, nitro_string_list *urls)
{
    char *folder = NULL, message[2048] = "";
    nitro_status status = nitro_store_data_path(context, FOLDER, false, &folder);
    if (status != NITRO_OK)
        return status;
    DIR *open_folder = opendir(folder);
    if (!open_folder && errno != ENOENT)
        status =
            nitro_fail(context, NITRO_ERR_IO, "%s: cannot list it: %s", folder, strerror(errno));
    for (const struct dirent *entry; open_folder && (entry = readdir(open_folder));) {
        nitro_status added = add_unsent(context, folder, entry->d_name, urls);
        if (added == NITRO_OK)
            continue;
        if (status != NITRO_OK)
            nitro_log(context, NITRO_LOG_WARNING, "%s", message);
        status = added;
        nitro_context_last_error(context, message, sizeof(message));
    }
    if (open_folder && status != NITRO_OK)
        status = nitro_fail(context, status, "%s", message);
    if (open_folder)
        closedir(open_folder);
    free(folder);
    nitro_string_list_sort(urls);
    return status;
}

const nitro_store_journal nitro_local_journal = {open_with_journal, list_unsent};

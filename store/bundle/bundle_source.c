/* bundle_source.c - a published folder, local or on a server. Downloads go to a cache: the index is
 * revalidated each time, a bundle is downloaded once, since its name is the checksum of its
 * content. Files of a local folder are copied to a private one. Each bundle is checked completely
 * before any of it is used. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/bundle/bundle.h"
#include "store/download/cache.h"
#include "store/download/http_get.h"

#define MAX_SIGNATURE_BYTES 16384

/* Copy a file of a local folder, whose owner may change it at any time, so that what is checked is
 * what is used. */
static nitro_status copy_local(nitro_bundle_source *source, const char *from, const char *to,
                               uint64_t max_bytes)
{
    char part[1 << 16];
    struct stat file;
    ssize_t size = 0;
    uint64_t total = 0;
    int in = open(from, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (in < 0 || fstat(in, &file) != 0) {
        nitro_status status =
            nitro_fail(source->context, errno == ENOENT ? NITRO_ERR_NOT_FOUND : NITRO_ERR_IO,
                       "%s: cannot open: %s", from, strerror(errno));
        if (in >= 0)
            close(in);
        return status;
    }
    int out = S_ISREG(file.st_mode) ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    bool written = out >= 0;
    while (written && total <= max_bytes && (size = read(in, part, sizeof(part))) > 0) {
        written = write(out, part, (size_t)size) == size;
        total += (uint64_t)size;
    }
    close(in);
    if (out >= 0)
        written = close(out) == 0 && written;
    if (!S_ISREG(file.st_mode))
        return nitro_fail(source->context, NITRO_ERR_FORMAT, "%s: not a regular file", from);
    if (size < 0 || !written)
        return nitro_fail(source->context, NITRO_ERR_IO, "%s: cannot copy to %s: %s", from, to,
                          strerror(errno));
    if (total > max_bytes)
        return nitro_fail(source->context, NITRO_ERR_FORMAT, "%s: larger than %llu bytes", from,
                          (unsigned long long)max_bytes);
    return NITRO_OK;
}

/* Into `path` of our folder, from the same place below the published one. */
static nitro_status bring_file(nitro_bundle_source *source, const char *path, uint64_t max_bytes,
                               bool revalidate)
{
    const char *from = source->local ? source->local : source->url;
    char *origin = nitro_asprintf(source->context, "%s%s", from, path + strlen(source->folder));
    if (!origin)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status;
    if (source->local)
        status = copy_local(source, origin, path, max_bytes);
    else
        status = nitro_http_get(source->context, &(nitro_http_request){.url = origin,
                                                                       .path = path,
                                                                       .max_bytes = max_bytes,
                                                                       .revalidate = revalidate});
    free(origin);
    return status;
}

/* Fetch the bundle, unless the cache has it as in the index. */
static nitro_status bring(nitro_bundle_source *source, const nitro_bundle *bundle, const char *path)
{
    if (access(path, F_OK) == 0 &&
        nitro_bundle_check_file(source->context, path, bundle) == NITRO_OK)
        return NITRO_OK;
    unlink(path);
    nitro_status status = bring_file(source, path, bundle->bytes, false);
    if (status == NITRO_OK)
        status = nitro_bundle_check_file(source->context, path, bundle);
    if (status != NITRO_OK)
        unlink(path);
    return status;
}

/* Read the signature's text. It is fetched each time: a bundle may be signed later. */
static nitro_status bring_signature(nitro_bundle_source *source, const char *path, char **text,
                                    size_t *size)
{
    char *file = nitro_asprintf(source->context, "%s" NITRO_SIGNATURE_SUFFIX, path);
    nitro_status status = file ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK) {
        unlink(file);
        status = bring_file(source, file, MAX_SIGNATURE_BYTES, false);
    }
    if (status == NITRO_OK)
        status = nitro_file_read(source->context, file, MAX_SIGNATURE_BYTES, text, size);
    if (status == NITRO_ERR_NOT_FOUND)
        status = nitro_fail(source->context, NITRO_ERR_MISMATCH,
                            "it is not signed: no file "
                            "beside it has its name and " NITRO_SIGNATURE_SUFFIX);
    free(file);
    return status;
}

static nitro_status keep_schema(void *user, const nitro_schema *schema)
{
    nitro_bundle_state *state = user;
    return nitro_schema_copy(state->context, schema, &state->schema);
}

static nitro_status keep_device(void *user, const nitro_device *device)
{
    nitro_bundle_state *state = user;
    return nitro_device_copy(state->context, device, &state->device);
}

/* All bundles of a computation must have the schema of its first valid bundle. */
static nitro_status check_schema(nitro_bundle_source *source, size_t index)
{
    const nitro_bundle *bundles = source->index->bundles;
    size_t first = index;
    while (first > 0 && bundles[first - 1].computation &&
           strcmp(bundles[first - 1].computation, bundles[index].computation) == 0)
        first--;
    for (size_t i = first; i < index; i++) {
        const char *path;
        nitro_status status = nitro_bundle_source_get(source, i, &path);
        if (status != NITRO_OK || path)
            return status == NITRO_OK
                       ? nitro_schema_require_same(source->context, source->states[i].schema,
                                                   "the first bundle", source->states[index].schema,
                                                   "this one")
                       : status;
    }
    return NITRO_OK;
}

/* One key signs all bundles of a device, so that the signer of its samples is known. */
static nitro_status check_signer(const nitro_bundle_source *source, size_t index)
{
    const nitro_bundle *bundles = source->index->bundles;
    const char *signer = source->states[index].signer;
    for (size_t i = 0; i < source->index->count; i++)
        if (source->states[i].path && strcmp(bundles[i].device, bundles[index].device) == 0 &&
            strcmp(source->states[i].signer, signer) != 0)
            return nitro_fail(source->context, NITRO_ERR_MISMATCH,
                              "signed by %s, and another bundle of %s by %s: all bundles of a "
                              "device need the same signer",
                              signer, bundles[index].device, source->states[i].signer);
    return NITRO_OK;
}

/* Nobody can claim a signer: a label in the bundle is replaced, or dropped. */
static nitro_status label_device(nitro_context *context, const char *signer, nitro_device *device)
{
    if (signer)
        return nitro_device_set_label(context, device, NITRO_LABEL_SIGNED_BY, signer);
    for (size_t i = 0; i < device->num_labels; i++)
        if (strcmp(device->labels[i].name, NITRO_LABEL_SIGNED_BY) == 0) {
            free(device->labels[i].name);
            free(device->labels[i].text);
            device->labels[i] = device->labels[--device->num_labels];
            break;
        }
    return NITRO_OK;
}

static nitro_status check(nitro_bundle_source *source, size_t index, const char *path)
{
    nitro_bundle_state *state = &source->states[index];
    const nitro_bundle *bundle = &source->index->bundles[index];
    const nitro_bundle_visitor visitor = {
        .schema = keep_schema, .device = keep_device, .user = state};
    nitro_status status = NITRO_OK;
    char *signature = NULL;
    size_t size = 0;
    if (source->keys) /* before an unsigned bundle is downloaded */
        status = bring_signature(source, path, &signature, &size);
    if (status == NITRO_OK)
        status = bring(source, bundle, path);
    if (status == NITRO_OK && source->keys)
        status = nitro_signature_check(source->context, source->keys, path, signature, size,
                                       &state->signer);
    free(signature);
    if (status == NITRO_OK && source->keys)
        status = check_signer(source, index);
    if (status == NITRO_OK)
        status = nitro_bundle_read_file(source->context, path, bundle, &visitor);
    if (status == NITRO_OK)
        status = label_device(source->context, state->signer, state->device);
    return status == NITRO_OK && bundle->computation ? check_schema(source, index) : status;
}

static void clear_state(nitro_bundle_state *state)
{
    free(state->path);
    free(state->signer);
    free(state->problem);
    nitro_schema_free(state->schema);
    nitro_device_free(state->device);
    *state = (nitro_bundle_state){.context = state->context};
}

/* The error without the path of our copy: readers know the bundle by its title. */
static const char *strip_path(const nitro_bundle_source *source, size_t index, const char *message)
{
    static const char suffixes[][16] = {": ", NITRO_SIGNATURE_SUFFIX ": "};
    const char *name = source->index->bundles[index].content_sha256;
    size_t ours = strlen(source->folder);
    const char *found =
        strncmp(message, source->folder, ours) == 0 ? strstr(message + ours, name) : NULL;
    if (!found)
        return message;
    found += strlen(name) + strlen(NITRO_BUNDLE_SUFFIX);
    for (size_t i = 0; i < 2; i++)
        if (strncmp(found, suffixes[i], strlen(suffixes[i])) == 0)
            return found + strlen(suffixes[i]);
    return message;
}

/* Keep the reason of an error that concerns this bundle only. */
nitro_status nitro_bundle_source_refuse(nitro_bundle_source *source, size_t index,
                                        nitro_status status)
{
    nitro_bundle_state *state = &source->states[index];
    clear_state(state);
    if (status != NITRO_ERR_FORMAT && status != NITRO_ERR_MISMATCH && status != NITRO_ERR_NEWER &&
        status != NITRO_ERR_NOT_FOUND)
        return status;
    char message[2048];
    nitro_context_last_error(source->context, message, sizeof(message));
    const char *reason = strip_path(source, index, message);
    char *title = nitro_bundle_title(source->context, &source->index->bundles[index]);
    state->status = status;
    if (title)
        state->problem = nitro_asprintf(source->context, "%s: bundle of %s refused: %s",
                                        source->url, title, reason);
    free(title);
    if (!state->problem)
        return NITRO_ERR_NO_MEMORY;
    state->reason = state->problem + strlen(state->problem) - strlen(reason);
    return NITRO_OK;
}

nitro_status nitro_bundle_source_get(nitro_bundle_source *source, size_t bundle, const char **path)
{
    nitro_bundle_state *state = &source->states[bundle];
    nitro_status status = NITRO_OK;
    if (!state->path && !state->problem) {
        char *file =
            nitro_bundle_path(source->context, source->folder, &source->index->bundles[bundle]);
        state->context = source->context;
        status = file ? check(source, bundle, file) : NITRO_ERR_NO_MEMORY;
        if (status == NITRO_OK) {
            state->path = file;
        } else {
            free(file);
            status = nitro_bundle_source_refuse(source, bundle, status);
        }
    }
    *path = state->path;
    return status;
}

static nitro_status read_index(nitro_bundle_source *source)
{
    char *path = nitro_asprintf(source->context, "%s/" NITRO_BUNDLE_INDEX_NAME, source->folder);
    char *text = NULL;
    size_t size = 0;
    nitro_status status = path ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = bring_file(source, path, NITRO_BUNDLE_MAX_INDEX_BYTES, true);
    if (status == NITRO_OK)
        status = nitro_file_read(source->context, path, NITRO_BUNDLE_MAX_INDEX_BYTES, &text, &size);
    if (status == NITRO_OK)
        status = nitro_bundle_index_parse(source->context, source->url, text, size, &source->index);
    if (!source->local && status == NITRO_ERR_FORMAT)
        unlink(path); /* so that it is not revalidated */
    free(text);
    free(path);
    return status;
}

/* With an empty folder for bundles in it. */
static nitro_status make_private_folder(nitro_bundle_source *source)
{
    nitro_status status = nitro_private_folder_make(source->context, "nitro-bundles-",
                                                    &source->folder, &source->lock);
    char *inner = NULL;
    if (status == NITRO_OK &&
        !(inner = nitro_asprintf(source->context, "%s/" NITRO_BUNDLE_FOLDER, source->folder)))
        status = NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_make_folders(source->context, inner);
    free(inner);
    return status;
}

static nitro_status find_folder(nitro_bundle_source *source, const char *url)
{
    source->url = nitro_strdup(source->context, url);
    if (!source->url)
        return NITRO_ERR_NO_MEMORY;
    for (size_t length = strlen(source->url); length > 1 && source->url[length - 1] == '/';)
        source->url[--length] = '\0';
    if (strncmp(url, "file:", 5) == 0) {
        const char *path = url + strlen("file:");
        source->local = nitro_strdup(source->context, path + (strncmp(path, "//", 2) == 0 ? 2 : 0));
        return source->local ? make_private_folder(source) : NITRO_ERR_NO_MEMORY;
    }
    nitro_status status = nitro_http_check_url(source->context, source->url);
    return status == NITRO_OK ? nitro_cache_folder(source->context, "bundles", source->url,
                                                   NITRO_BUNDLE_FOLDER, &source->folder)
                              : status;
}

nitro_status nitro_bundle_source_open(nitro_context *context, const char *url,
                                      const nitro_trusted_keys *keys, bool allow_unsigned,
                                      nitro_bundle_source **source)
{
    nitro_bundle_source *opened = nitro_calloc(context, 1, sizeof(*opened));
    if (!opened)
        return NITRO_ERR_NO_MEMORY;
    opened->context = context;
    opened->lock = -1;
    nitro_status status = NITRO_OK;
    if (!keys && !allow_unsigned)
        status = nitro_trusted_keys_read_default(context, &opened->own_keys);
    opened->keys = keys ? keys : opened->own_keys;
    if (status == NITRO_OK)
        status = find_folder(opened, url);
    if (status == NITRO_OK)
        status = read_index(opened);
    if (status == NITRO_OK) {
        opened->states = nitro_calloc(context, opened->index->count, sizeof(*opened->states));
        status = opened->states ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    if (status == NITRO_OK)
        *source = opened;
    else
        nitro_bundle_source_close(opened);
    return status;
}

/* Refusals of the reason of one that was logged. */
static void log_repeated(const nitro_bundle_source *source)
{
    const nitro_bundle_state *states = source->states;
    for (size_t i = 0; i < source->index->count; i++) {
        size_t more = 0;
        for (size_t k = 0; states[i].logged && k < source->index->count; k++)
            more += states[k].noted && strcmp(states[k].reason, states[i].reason) == 0;
        if (more > 0)
            nitro_log(source->context, NITRO_LOG_WARNING, "%s: %zu more bundle%s refused: %s",
                      source->url, more, more == 1 ? "" : "s", states[i].reason);
    }
}

void nitro_bundle_source_close(nitro_bundle_source *source)
{
    if (!source)
        return;
    if (source->states)
        log_repeated(source);
    for (size_t i = 0; source->states && i < source->index->count; i++)
        clear_state(&source->states[i]);
    free(source->states);
    nitro_bundle_index_free(source->index);
    if (source->local && source->folder)
        nitro_private_folder_remove(source->folder, source->lock);
    nitro_trusted_keys_free(source->own_keys);
    free(source->local);
    free(source->url);
    free(source->folder);
    free(source);
}

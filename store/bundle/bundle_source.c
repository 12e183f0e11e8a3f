/* bundle_source.c - a published folder, local or on a server. Downloads go to a cache: the index is
 * revalidated each time, a bundle is downloaded once, since its name is the checksum of its
 * content. Each bundle is checked completely before any of it is used. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/bundle/bundle.h"
#include "store/download/cache.h"
#include "store/download/http_get.h"

#define MAX_SIGNATURE_BYTES 16384

typedef struct bundle_state {
    bool checked;
    nitro_status status; /* if checked */
    char *problem;       /* why it was refused */
    char *path;
    nitro_schema *schema; /* if checked; NULL: of a device alone */
} bundle_state;

struct nitro_bundle_source {
    nitro_context *context;
    char *url;    /* without a trailing '/' */
    char *folder; /* the published one, or its cache */
    bool remote;
    const nitro_trusted_keys *keys;
    nitro_bundle_index *index;
    bundle_state *states; /* shape [index->count] */
};

bool nitro_bundle_is_refusal(nitro_status status)
{
    return status == NITRO_ERR_FORMAT || status == NITRO_ERR_MISMATCH ||
           status == NITRO_ERR_NEWER || status == NITRO_ERR_NOT_FOUND;
}

const nitro_bundle_index *nitro_bundle_source_index(const nitro_bundle_source *source)
{
    return source->index;
}

bool nitro_bundle_source_has_refused(const nitro_bundle_source *source, size_t bundle)
{
    return source->states[bundle].checked && source->states[bundle].status != NITRO_OK;
}

/* ---- One bundle ------------------------------------------------------------------------------ */

/* Into `path` of the cache, from the same place below the source's URL. */
static nitro_status download(nitro_bundle_source *source, const char *path, uint64_t max_bytes,
                             bool revalidate)
{
    char *url = nitro_asprintf(source->context, "%s%s", source->url, path + strlen(source->folder));
    if (!url)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_http_get(
        source->context,
        &(nitro_http_request){
            .url = url, .path = path, .max_bytes = max_bytes, .revalidate = revalidate});
    free(url);
    return status;
}

/* Download the bundle, unless the cache has it as in the index. */
static nitro_status bring(nitro_bundle_source *source, const nitro_bundle *bundle, const char *path)
{
    if (!source->remote)
        return nitro_bundle_check_file(source->context, path, bundle);
    if (access(path, F_OK) == 0 &&
        nitro_bundle_check_file(source->context, path, bundle) == NITRO_OK)
        return NITRO_OK;
    unlink(path);
    nitro_status status = download(source, path, bundle->bytes, false);
    if (status == NITRO_OK)
        status = nitro_bundle_check_file(source->context, path, bundle);
    if (status != NITRO_OK)
        unlink(path);
    return status;
}

/* Read the signature's text. It is downloaded each time: a bundle may be signed later. */
static nitro_status bring_signature(nitro_bundle_source *source, const char *path, char **text,
                                    size_t *size)
{
    char *file = nitro_asprintf(source->context, "%s" NITRO_SIGNATURE_SUFFIX, path);
    nitro_status status = file ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && source->remote) {
        unlink(file);
        status = download(source, file, MAX_SIGNATURE_BYTES, false);
    }
    if (status == NITRO_OK)
        status = nitro_file_read(source->context, file, MAX_SIGNATURE_BYTES, text, size);
    if (status == NITRO_ERR_NOT_FOUND)
        status = nitro_fail(source->context, NITRO_ERR_MISMATCH, "it is not signed: no file %s",
                            file + strlen(source->folder) + 1);
    free(file);
    return status;
}

typedef struct schema_place {
    nitro_context *context;
    nitro_schema **schema;
} schema_place;

static nitro_status keep_schema(void *user, const nitro_schema *schema)
{
    const schema_place *place = user;
    return nitro_schema_copy(place->context, schema, place->schema);
}

/* All bundles of a computation must have the schema of its first valid bundle. */
static nitro_status check_schema(nitro_bundle_source *source, size_t index, nitro_schema *schema)
{
    const nitro_bundle *bundles = source->index->bundles;
    size_t first = index;
    while (first > 0 && bundles[first - 1].computation &&
           strcmp(bundles[first - 1].computation, bundles[index].computation) == 0)
        first--;
    for (size_t i = first; i < index; i++) {
        const char *path;
        nitro_status status = nitro_bundle_source_get(source, i, &path);
        if (status == NITRO_OK)
            status = nitro_schema_require_same(source->context, source->states[i].schema,
                                               "the first bundle", schema, "this one");
        if (!nitro_bundle_is_refusal(status) || source->states[i].status == NITRO_OK)
            return status;
    }
    return NITRO_OK;
}

static nitro_status check_content(nitro_bundle_source *source, size_t index, const char *path)
{
    const nitro_bundle *bundle = &source->index->bundles[index];
    bundle_state *state = &source->states[index];
    schema_place place = {source->context, &state->schema};
    const nitro_bundle_visitor visitor = {.schema = keep_schema, .user = &place};
    nitro_status status = nitro_bundle_read_file(source->context, path, bundle, &visitor);
    if (status == NITRO_OK && bundle->computation)
        status = check_schema(source, index, state->schema);
    return status;
}

static nitro_status check(nitro_bundle_source *source, size_t index)
{
    const nitro_bundle *bundle = &source->index->bundles[index];
    bundle_state *state = &source->states[index];
    state->path = nitro_bundle_path(source->context, source->folder, bundle);
    if (!state->path)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_OK;
    char *signature = NULL;
    size_t size = 0;
    if (source->keys) /* before an unsigned bundle is downloaded */
        status = bring_signature(source, state->path, &signature, &size);
    if (status == NITRO_OK)
        status = bring(source, bundle, state->path);
    if (status == NITRO_OK && source->keys)
        status = nitro_signature_check(source->context, source->keys, state->path, signature, size);
    free(signature);
    return status == NITRO_OK ? check_content(source, index, state->path) : status;
}

static nitro_status refuse(nitro_bundle_source *source, size_t index, nitro_status status)
{
    char message[2048];
    nitro_context_last_error(source->context, message, sizeof(message));
    char *title = nitro_bundle_title(source->context, &source->index->bundles[index]);
    source->states[index].problem =
        title ? nitro_asprintf(source->context, "%s: bundle of %s refused: %s", source->url, title,
                               message)
              : NULL;
    free(title);
    return source->states[index].problem ? status : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_bundle_source_get(nitro_bundle_source *source, size_t bundle, const char **path)
{
    bundle_state *state = &source->states[bundle];
    if (!state->checked) {
        nitro_status status = check(source, bundle);
        if (nitro_bundle_is_refusal(status))
            status = refuse(source, bundle, status);
        if (status != NITRO_OK && !nitro_bundle_is_refusal(status)) {
            free(state->path);
            state->path = NULL;
            nitro_schema_free(state->schema);
            state->schema = NULL;
            return status;
        }
        state->checked = true;
        state->status = status;
    }
    if (state->status != NITRO_OK)
        return nitro_fail(source->context, state->status, "%s", state->problem);
    *path = state->path;
    return NITRO_OK;
}

/* ---- The folder ------------------------------------------------------------------------------ */

static nitro_status bring_index(nitro_bundle_source *source, const char *path)
{
    if (!source->remote)
        return NITRO_OK;
    char *folder = nitro_asprintf(source->context, "%s/" NITRO_BUNDLE_FOLDER, source->folder);
    nitro_status status =
        folder ? nitro_cache_make_folders(source->context, folder) : NITRO_ERR_NO_MEMORY;
    free(folder);
    return status == NITRO_OK ? download(source, path, NITRO_BUNDLE_MAX_INDEX_BYTES, true) : status;
}

static nitro_status read_index(nitro_bundle_source *source)
{
    char *path = nitro_asprintf(source->context, "%s/" NITRO_BUNDLE_INDEX_NAME, source->folder);
    char *text = NULL;
    size_t size = 0;
    nitro_status status = path ? bring_index(source, path) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_file_read(source->context, path, NITRO_BUNDLE_MAX_INDEX_BYTES, &text, &size);
    if (status == NITRO_OK)
        status = nitro_bundle_index_parse(source->context, source->url, text, size, &source->index);
    if (source->remote && status == NITRO_ERR_FORMAT)
        unlink(path); /* so that it is not revalidated */
    free(text);
    free(path);
    return status;
}

static nitro_status find_folder(nitro_bundle_source *source, const char *url)
{
    source->url = nitro_strdup(source->context, url);
    if (!source->url)
        return NITRO_ERR_NO_MEMORY;
    for (size_t length = strlen(source->url); length > 1 && source->url[length - 1] == '/';)
        source->url[--length] = '\0';
    source->remote = strncmp(url, "file:", 5) != 0;
    if (source->remote) {
        nitro_status status = nitro_http_check_url(source->context, source->url);
        if (status != NITRO_OK)
            return status;
        return nitro_cache_folder(source->context, "bundles", source->url, &source->folder);
    }
    const char *path = source->url + strlen("file:");
    path += strncmp(path, "//", 2) == 0 ? 2 : 0;
    source->folder = nitro_strdup(source->context, path);
    return source->folder ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_bundle_source_open(nitro_context *context, const char *url,
                                      const nitro_trusted_keys *keys, nitro_bundle_source **source)
{
    nitro_bundle_source *opened = nitro_calloc(context, 1, sizeof(*opened));
    if (!opened)
        return NITRO_ERR_NO_MEMORY;
    opened->context = context;
    opened->keys = keys;
    nitro_status status = find_folder(opened, url);
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

void nitro_bundle_source_close(nitro_bundle_source *source)
{
    if (!source)
        return;
    for (size_t i = 0; source->states && i < source->index->count; i++) {
        free(source->states[i].problem);
        free(source->states[i].path);
        nitro_schema_free(source->states[i].schema);
    }
    free(source->states);
    nitro_bundle_index_free(source->index);
    free(source->url);
    free(source->folder);
    free(source);
}

/* bundle_index.c - reads and writes the index of a published folder: JSON without times or paths,
 * so that the same content gives the same bytes. Files are named by checksums, so an index cannot
 * refer to a file outside the folder. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/bundle/bundle.h"

#define FORMAT "nitro-bundles"

void nitro_bundle_clear(nitro_bundle *bundle)
{
    free(bundle->computation);
    free(bundle->device);
    *bundle = (nitro_bundle){0};
}

void nitro_bundle_index_free(nitro_bundle_index *index)
{
    if (!index)
        return;
    for (size_t i = 0; i < index->count; i++)
        nitro_bundle_clear(&index->bundles[i]);
    free(index->bundles);
    free(index);
}

int nitro_bundle_compare(const void *one, const void *other)
{
    const nitro_bundle *a = one, *b = other;
    int computations =
        strcmp(a->computation ? a->computation : "", b->computation ? b->computation : "");
    return computations ? computations : strcmp(a->device, b->device);
}

char *nitro_bundle_title(nitro_context *context, const nitro_bundle *bundle)
{
    return bundle->computation
               ? nitro_asprintf(context, "%s on %s", bundle->computation, bundle->device)
               : nitro_asprintf(context, "device %s", bundle->device);
}

char *nitro_bundle_path(nitro_context *context, const char *folder, const nitro_bundle *bundle)
{
    return nitro_asprintf(context, "%s/" NITRO_BUNDLE_FOLDER "/%s" NITRO_BUNDLE_SUFFIX, folder,
                          bundle->content_sha256);
}

typedef struct parsing {
    nitro_context *context;
    const char *origin;
    size_t bundle; /* the current one, from 0 */
} parsing;

static nitro_status refuse(const parsing *job, const char *field, const char *problem)
{
    return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: bundles[%zu].%s: %s", job->origin,
                      job->bundle, field, problem);
}

static nitro_status read_count(const parsing *job, const json_t *object, const char *field,
                               uint64_t most, uint64_t *count)
{
    const json_t *value = json_object_get(object, field);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return refuse(job, field, "not an integer of at least 0");
    *count = (uint64_t)json_integer_value(value);
    if (*count > most)
        return refuse(job, field, "larger than the limit");
    return NITRO_OK;
}

static nitro_status read_sha256(const parsing *job, const json_t *object, const char *field,
                                char *text)
{
    const char *value = json_string_value(json_object_get(object, field));
    size_t length = NITRO_SHA256_HEX_BYTES - 1;
    if (!value || strlen(value) != length || strspn(value, "0123456789abcdef") != length)
        return refuse(job, field, "not a SHA-256 in 64 lower-case hexadecimal digits");
    memcpy(text, value, length + 1);
    return NITRO_OK;
}

static nitro_status read_names(const parsing *job, const json_t *object, nitro_bundle *bundle)
{
    const json_t *computation = json_object_get(object, "computation");
    const char *device = json_string_value(json_object_get(object, "device"));
    if (!nitro_device_id_is_valid(device))
        return refuse(job, "device", "not a valid device id");
    bundle->device = nitro_strdup(job->context, device);
    if (!bundle->device)
        return NITRO_ERR_NO_MEMORY;
    if (json_is_null(computation))
        return NITRO_OK;
    if (!nitro_name_is_valid(json_string_value(computation)))
        return refuse(job, "computation", "not a valid computation name or null");
    bundle->computation = nitro_strdup(job->context, json_string_value(computation));
    return bundle->computation ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status read_bundle(const parsing *job, const json_t *object, nitro_bundle *bundle)
{
    nitro_status status = read_names(job, object, bundle);
    if (status == NITRO_OK)
        status = read_count(job, object, "samples", UINT64_MAX, &bundle->samples);
    if (status == NITRO_OK)
        status = read_count(job, object, "profiles", UINT64_MAX, &bundle->profiles);
    if (status == NITRO_OK)
        status = read_count(job, object, "bytes", NITRO_BUNDLE_MAX_BYTES, &bundle->bytes);
    if (status == NITRO_OK)
        status = read_sha256(job, object, "sha256", bundle->sha256);
    if (status == NITRO_OK)
        status = read_count(job, object, "content_bytes", NITRO_BUNDLE_MAX_CONTENT_BYTES,
                            &bundle->content_bytes);
    if (status == NITRO_OK)
        status = read_sha256(job, object, "content_sha256", bundle->content_sha256);
    return status;
}

static nitro_status read_bundles(parsing *job, const json_t *list, nitro_bundle_index *index)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < json_array_size(list) && status == NITRO_OK; i++) {
        job->bundle = i;
        index->count++;
        status = read_bundle(job, json_array_get(list, i), &index->bundles[i]);
        if (status == NITRO_OK && i > 0 &&
            nitro_bundle_compare(&index->bundles[i - 1], &index->bundles[i]) >= 0)
            status = refuse(job, "device", "repeated, or not in byte order");
    }
    return status;
}

static nitro_status read_index(nitro_context *context, const char *origin, const json_t *root,
                               nitro_bundle_index *index)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version"), *list = NULL;
    if (!format || strcmp(format, FORMAT) != 0)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: not an index of published bundles (no \"format\": \"" FORMAT "\")",
                          origin);
    if (json_integer_value(version) > NITRO_BUNDLE_VERSION)
        return nitro_fail(context, NITRO_ERR_NEWER,
                          "%s: version %" JSON_INTEGER_FORMAT
                          " of published bundles, but this Nitro reads up to %d: update it",
                          origin, json_integer_value(version), NITRO_BUNDLE_VERSION);
    if (json_integer_value(version) < 1) /* also where it is no integer */
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: version: not an integer of at least 1",
                          origin);
    list = json_object_get(root, "bundles");
    if (!json_is_array(list) || json_array_size(list) > NITRO_BUNDLE_MAX_COUNT)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: \"bundles\" is not an array of at most %d", origin,
                          NITRO_BUNDLE_MAX_COUNT);
    index->bundles = nitro_calloc(context, json_array_size(list), sizeof(*index->bundles));
    if (!index->bundles)
        return NITRO_ERR_NO_MEMORY;
    return read_bundles(&(parsing){context, origin, 0}, list, index);
}

nitro_status nitro_bundle_index_parse(nitro_context *context, const char *origin, const char *text,
                                      size_t size, nitro_bundle_index **index)
{
    json_t *root = NULL;
    nitro_status status = nitro_json_read(context, origin, text, size, &root);
    if (status != NITRO_OK)
        return status;
    nitro_bundle_index *read = nitro_calloc(context, 1, sizeof(*read));
    status = read ? read_index(context, origin, root, read) : NITRO_ERR_NO_MEMORY;
    json_decref(root);
    if (status == NITRO_OK)
        *index = read;
    else
        nitro_bundle_index_free(read);
    return status;
}

static json_t *bundle_json(const nitro_bundle *bundle)
{
    return json_pack("{s:s?, s:s, s:I, s:I, s:I, s:s, s:I, s:s}", "computation",
                     bundle->computation, "device", bundle->device, "samples",
                     (json_int_t)bundle->samples, "profiles", (json_int_t)bundle->profiles, "bytes",
                     (json_int_t)bundle->bytes, "sha256", bundle->sha256, "content_bytes",
                     (json_int_t)bundle->content_bytes, "content_sha256", bundle->content_sha256);
}

nitro_status nitro_bundle_index_print(nitro_context *context, const nitro_bundle_index *index,
                                      char **text, size_t *size)
{
    if (index->count > NITRO_BUNDLE_MAX_COUNT)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%zu bundles, one for each computation of each device, but readers take "
                          "at most %d: remove devices from a copy of the store, and publish that",
                          index->count, NITRO_BUNDLE_MAX_COUNT);
    json_t *list = json_array();
    bool complete = list != NULL;
    for (size_t i = 0; i < index->count && complete; i++)
        complete = json_array_append_new(list, bundle_json(&index->bundles[i])) == 0;
    json_t *root = json_pack("{s:s, s:i, s:o}", "format", FORMAT, "version", NITRO_BUNDLE_VERSION,
                             "bundles", list);
    char *dump = root && complete ? nitro_json_print(root, JSON_INDENT(1)) : NULL;
    json_decref(root);
    char *printed = dump ? nitro_asprintf(context, "%s\n", dump) : NULL;
    free(dump);
    if (!printed)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "no memory for an index of %zu bundles",
                          index->count);
    *text = printed;
    *size = strlen(printed);
    return NITRO_OK;
}

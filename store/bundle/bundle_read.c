/* bundle_read.c - reads one bundle: decompresses it in small steps, up to the size in the index,
 * into lines, each a record that is checked. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "nitro/nitro_backend.h"
#include "store/bundle/bundle_hash.h"

#define MAX_WINDOW_LOG 25 /* 32 MiB: far above what our level uses */

typedef struct reading {
    nitro_context *context;
    const char *where;
    const nitro_bundle *bundle;
    const nitro_bundle_visitor *visitor;
    nitro_record_bytes line;
    uint64_t num_lines, content_bytes, samples, profiles;
    crypto_hash_sha256_state content;
    nitro_schema *schema;
    char *last; /* of the samples' inputs, then of the profiles' keys */
    ZSTD_DCtx *zstd;
    char *input, *output; /* shapes [ZSTD_DStreamInSize()], [ZSTD_DStreamOutSize()] */
    size_t expected;      /* by zstd: 0 at the end of a frame */
} reading;

static nitro_status refuse(const reading *job, const char *problem)
{
    return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: %s", job->where, problem);
}

static nitro_status read_head(reading *job)
{
    json_t *head = NULL;
    nitro_status status =
        nitro_json_read(job->context, job->where, job->line.bytes, job->line.size, &head);
    if (status == NITRO_ERR_NO_MEMORY)
        return status;
    const char *format = json_string_value(json_object_get(head, "format"));
    const char *device = json_string_value(json_object_get(head, "device"));
    const json_t *computation = json_object_get(head, "computation");
    const json_t *version = json_object_get(head, "version");
    const char *wanted = job->bundle->computation;
    status = NITRO_OK;
    if (!format || strcmp(format, "nitro-bundle") != 0 || !json_is_integer(version))
        status = refuse(job, "not a bundle: its first line is invalid");
    else if (json_integer_value(version) > NITRO_BUNDLE_VERSION)
        status =
            nitro_fail(job->context, NITRO_ERR_FORMAT,
                       "%s: version %" JSON_INTEGER_FORMAT " of a bundle, but this Nitro reads "
                       "up to %d: update it",
                       job->where, json_integer_value(version), NITRO_BUNDLE_VERSION);
    else if (json_integer_value(version) < 1)
        status =
            nitro_fail(job->context, NITRO_ERR_FORMAT,
                       "%s: line 1: version is %" JSON_INTEGER_FORMAT ", but must be 1 or more",
                       job->where, json_integer_value(version));
    else if (!device || strcmp(device, job->bundle->device) != 0 ||
             (wanted ? !json_is_string(computation) ||
                           strcmp(json_string_value(computation), wanted) != 0
                     : !json_is_null(computation)))
        status = refuse(job, "its computation or device differs from the index");
    json_decref(head);
    return status;
}

static nitro_status read_device(reading *job, const char *where)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_record_decode_device(job->context, where, job->bundle->device,
                                                     job->line.bytes, job->line.size, &device);
    if (status == NITRO_OK && job->visitor->device)
        status = job->visitor->device(job->visitor->user, device);
    nitro_device_free(device);
    return status;
}

static nitro_status read_schema(reading *job, const char *where)
{
    nitro_status status = nitro_record_decode_schema(job->context, where, job->bundle->computation,
                                                     job->line.bytes, job->line.size, &job->schema);
    if (status == NITRO_OK && job->visitor->schema)
        status = job->visitor->schema(job->visitor->user, job->schema);
    return status;
}

/* Byte order also excludes repetitions. Takes ownership of the key. */
static nitro_status require_order(reading *job, const char *where, char *key)
{
    bool in_order = !job->last || (key && strcmp(job->last, key) < 0);
    free(job->last);
    job->last = key;
    if (!key)
        return NITRO_ERR_NO_MEMORY;
    return in_order ? NITRO_OK
                    : nitro_fail(job->context, NITRO_ERR_FORMAT,
                                 "%s: the record is repeated, or not in byte order", where);
}

static nitro_status read_sample(reading *job, const char *where)
{
    nitro_sample *sample = NULL;
    nitro_status status =
        nitro_record_decode_sample(job->context, where, job->schema, job->bundle->device, NULL,
                                   job->line.bytes, job->line.size, &sample);
    if (status == NITRO_OK)
        status = require_order(job, where, nitro_strdup(job->context, sample->input));
    if (status == NITRO_OK && job->visitor->sample)
        status = job->visitor->sample(job->visitor->user, sample);
    nitro_sample_free(sample);
    job->samples++;
    return status;
}

static nitro_status read_profile(reading *job, const char *where)
{
    nitro_profile *profile = NULL;
    nitro_status status =
        nitro_record_decode_profile(job->context, where, job->schema, job->bundle->device, NULL,
                                    job->line.bytes, job->line.size, &profile);
    if (status != NITRO_OK)
        return status;
    if (job->profiles++ == 0) { /* from here on keys of profiles */
        free(job->last);
        job->last = NULL;
    }
    status = require_order(job, where, nitro_store_profile_key(job->context, profile));
    if (status == NITRO_OK && job->visitor->profile)
        status = job->visitor->profile(job->visitor->user, job->bundle->device, profile);
    nitro_profile_free(profile);
    return status;
}

/* Every record begins with its type. */
static bool is_profile(const reading *job)
{
    static const char head[] = "{\"nitro\":\"profile\"";
    return job->line.size >= sizeof(head) - 1 &&
           memcmp(job->line.bytes, head, sizeof(head) - 1) == 0;
}

static nitro_status read_line(reading *job)
{
    char where[512];
    job->num_lines++;
    snprintf(where, sizeof(where), "%.400s: line %llu", job->where,
             (unsigned long long)job->num_lines);
    if (job->num_lines == 1)
        return read_head(job);
    if (job->num_lines == 2)
        return read_device(job, where);
    if (job->num_lines == 3 && job->bundle->computation)
        return read_schema(job, where);
    if (is_profile(job))
        return read_profile(job, where);
    if (!job->schema || job->profiles > 0)
        return refuse(job, "a line after the profiles, or of a device alone, is not a profile");
    return read_sample(job, where);
}

static nitro_status add_to_line(reading *job, const char *part, size_t size)
{
    if (size > NITRO_BUNDLE_MAX_LINE_BYTES - job->line.size)
        return refuse(job, "a line exceeds the limit of 4 MiB");
    return nitro_record_bytes_append(job->context, &job->line, part, size);
}

static nitro_status take_content(reading *job, const char *text, size_t size)
{
    job->content_bytes += size;
    if (job->content_bytes > job->bundle->content_bytes)
        return refuse(job, "it unpacks to more bytes than in the index");
    crypto_hash_sha256_update(&job->content, (const unsigned char *)text, size);
    nitro_status status = NITRO_OK;
    while (size > 0 && status == NITRO_OK) {
        const char *end = memchr(text, '\n', size);
        size_t part = end ? (size_t)(end - text) : size;
        status = add_to_line(job, text, part);
        if (status == NITRO_OK && end) {
            status = job->line.size > 0 ? read_line(job) : refuse(job, "it has an empty line");
            job->line.size = 0;
        }
        text += part + (end ? 1 : 0);
        size -= part + (end ? 1 : 0);
    }
    return status;
}

static nitro_status check_whole(reading *job)
{
    char sha256[NITRO_SHA256_HEX_BYTES];
    nitro_bundle_print_hash(&job->content, sha256);
    if (job->line.size > 0 || job->num_lines < (job->bundle->computation ? 3U : 2U) ||
        job->content_bytes != job->bundle->content_bytes)
        return refuse(job, "it is truncated");
    if (strcmp(sha256, job->bundle->content_sha256) != 0)
        return refuse(job, "the checksum (SHA-256) of its lines differs from the index");
    if (job->samples != job->bundle->samples || job->profiles != job->bundle->profiles)
        return refuse(job, "its number of samples or profiles differs from the index");
    return NITRO_OK;
}

static nitro_status unpack_part(reading *job, size_t size)
{
    ZSTD_inBuffer input = {job->input, size, 0};
    bool full = false; /* there may be more output for the same input */
    while (input.pos < input.size || full) {
        ZSTD_outBuffer output = {job->output, ZSTD_DStreamOutSize(), 0};
        job->expected = ZSTD_decompressStream(job->zstd, &output, &input);
        if (ZSTD_isError(job->expected))
            return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: cannot be unpacked: %s",
                              job->where, ZSTD_getErrorName(job->expected));
        nitro_status status = take_content(job, job->output, output.pos);
        if (status != NITRO_OK)
            return status;
        full = output.pos == output.size && job->expected != 0;
    }
    return NITRO_OK;
}

static nitro_status unpack(reading *job, FILE *file)
{
    nitro_status status = NITRO_OK;
    size_t size = 0;
    while (status == NITRO_OK && (size = fread(job->input, 1, ZSTD_DStreamInSize(), file)) > 0)
        status = unpack_part(job, size);
    if (status == NITRO_OK && ferror(file))
        status = nitro_fail(job->context, NITRO_ERR_IO, "%s: cannot read: %s", job->where,
                            strerror(errno));
    if (status == NITRO_OK && job->expected != 0)
        status = refuse(job, "it is truncated");
    return status == NITRO_OK ? check_whole(job) : status;
}

nitro_status nitro_bundle_read(nitro_context *context, FILE *file, const char *where,
                               const nitro_bundle *bundle, const nitro_bundle_visitor *visitor)
{
    reading job = {.context = context,
                   .where = where,
                   .bundle = bundle,
                   .visitor = visitor,
                   .zstd = ZSTD_createDCtx(),
                   .input = nitro_calloc(context, 1, ZSTD_DStreamInSize()),
                   .output = nitro_calloc(context, 1, ZSTD_DStreamOutSize()),
                   .expected = 1};
    nitro_status status = NITRO_ERR_NO_MEMORY;
    crypto_hash_sha256_init(&job.content);
    if (job.input && job.output && job.zstd &&
        !ZSTD_isError(ZSTD_DCtx_setParameter(job.zstd, ZSTD_d_windowLogMax, MAX_WINDOW_LOG)))
        status = unpack(&job, file);
    else
        nitro_fail(context, status, "%s: out of memory for decompression", where);
    ZSTD_freeDCtx(job.zstd);
    free(job.input);
    free(job.output);
    nitro_record_bytes_free(&job.line);
    free(job.last);
    nitro_schema_free(job.schema);
    return status;
}

nitro_status nitro_bundle_read_file(nitro_context *context, const char *path,
                                    const nitro_bundle *bundle, const nitro_bundle_visitor *visitor)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return nitro_fail(context, errno == ENOENT ? NITRO_ERR_NOT_FOUND : NITRO_ERR_IO,
                          "%s: cannot open: %s", path, strerror(errno));
    nitro_status status = nitro_bundle_read(context, file, path, bundle, visitor);
    fclose(file);
    return status;
}

/* bundle_write.c - writes one bundle: JSON lines, compressed one by one, so memory does not grow
 * with them. One thread and a fixed level, so the same samples give the same bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "nitro/nitro_backend.h"
#include "store/bundle/bundle_hash.h"

#define LEVEL 9

typedef struct writing {
    nitro_context *context;
    const char *path;
    const char *computation, *device;
    FILE *file;
    ZSTD_CCtx *zstd;
    unsigned char *buffer;
    size_t buffer_size;
    nitro_record_bytes line; /* kept for the next one */
    nitro_record_bytes run;  /* lines of profiles that are written with the rest of their run... */
    size_t run_profiles;     /* ...and their number */
    char *run_key;           /* of it; NULL: none */
    crypto_hash_sha256_state content, compressed;
    nitro_bundle *bundle;
} writing;

static nitro_status fail_write(const writing *job, int error)
{
    return nitro_fail(job->context, NITRO_ERR_IO, "%s: cannot write: %s", job->path,
                      strerror(error));
}

static nitro_status compress(writing *job, const char *text, size_t size, ZSTD_EndDirective end)
{
    ZSTD_inBuffer input = {text, size, 0};
    size_t left = 1;
    while (left > 0) {
        ZSTD_outBuffer output = {job->buffer, job->buffer_size, 0};
        left = ZSTD_compressStream2(job->zstd, &output, &input, end);
        if (ZSTD_isError(left))
            return nitro_fail(job->context, NITRO_ERR_IO, "%s: zstd cannot compress: %s", job->path,
                              ZSTD_getErrorName(left));
        if (output.pos > 0 && fwrite(job->buffer, 1, output.pos, job->file) != output.pos)
            return fail_write(job, errno);
        crypto_hash_sha256_update(&job->compressed, job->buffer, output.pos);
        job->bundle->bytes += output.pos;
        if (end == ZSTD_e_continue && input.pos == input.size)
            break;
    }
    return NITRO_OK;
}

/* Write the line, which ends with '\n'; `status` is of making it. */
static nitro_status write_line(writing *job, nitro_status status)
{
    if (status == NITRO_OK) {
        crypto_hash_sha256_update(&job->content, (const unsigned char *)job->line.bytes,
                                  job->line.size);
        job->bundle->content_bytes += job->line.size;
        status = compress(job, job->line.bytes, job->line.size, ZSTD_e_continue);
    }
    job->line.size = 0;
    return status;
}

static nitro_status write_head(writing *job)
{
    char text[512];
    const char *quote = job->computation ? "\"" : "";
    int size = snprintf(text, sizeof(text),
                        "{\"format\": \"nitro-bundle\", \"version\": %d, "
                        "\"computation\": %s%s%s, \"device\": \"%s\"}\n",
                        NITRO_BUNDLE_VERSION, quote, job->computation ? job->computation : "null",
                        quote, job->device);
    return write_line(job, nitro_record_bytes_append(job->context, &job->line, text, (size_t)size));
}

static nitro_status write_device(writing *job, nitro_store *store)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_store_get_device(store, job->device, &device);
    if (status == NITRO_OK)
        status = nitro_record_encode_device(job->context, NITRO_RECORD_JSON, device, &job->line);
    nitro_device_free(device);
    return write_line(job, status);
}

static nitro_status write_schema(writing *job, nitro_store *store)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_store_get_schema(store, job->computation, &schema);
    if (status == NITRO_OK)
        status = nitro_record_encode_schema(job->context, NITRO_RECORD_JSON, schema, &job->line);
    nitro_schema_free(schema);
    return write_line(job, status);
}

static nitro_status write_sample(void *user, const nitro_sample *sample)
{
    writing *job = user;
    job->bundle->samples++;
    return write_line(job,
                      nitro_record_encode_sample(job->context, NITRO_RECORD_JSON, job->computation,
                                                 job->device, sample, &job->line));
}

static nitro_status write_run(writing *job)
{
    nitro_record_bytes line = job->line;
    job->bundle->profiles += job->run_profiles;
    job->run_profiles = 0;
    job->line = job->run;
    job->run = line;
    return write_line(job, NITRO_OK);
}

/* Kernels of a run belong together: where the store is damaged, none of them is published. */
static nitro_status add_profile(void *user, const char *device, const nitro_profile *profile)
{
    writing *job = user;
    nitro_status status = NITRO_OK;
    char *key = nitro_store_profile_key(job->context, profile);
    if (!key)
        return NITRO_ERR_NO_MEMORY;
    *strrchr(key, '\x1f') = '\0';
    if (!nitro_same_text(key, job->run_key))
        status = write_run(job);
    free(job->run_key);
    job->run_key = key;
    job->run_profiles++;
    return status == NITRO_OK ? nitro_record_encode_profile(job->context, NITRO_RECORD_JSON, device,
                                                            profile, &job->run)
                              : status;
}

static void note_damage(void *user, const char *problem)
{
    writing *job = user;
    job->bundle->damaged++;
    nitro_log(job->context, NITRO_LOG_WARNING, "not published: %s", problem);
}

/* What can be read of a damaged store is published. */
static nitro_status note_end(writing *job, nitro_status status)
{
    char problem[1024];
    if (status != NITRO_ERR_FORMAT)
        return status;
    nitro_context_last_error(job->context, problem, sizeof(problem));
    note_damage(job, problem);
    return NITRO_OK;
}

static nitro_status write_profiles(writing *job, nitro_store *store)
{
    nitro_status status = nitro_store_read_profiles(store, job->device, job->computation,
                                                    add_profile, job, note_damage, job);
    return status == NITRO_OK ? write_run(job) : note_end(job, status);
}

static nitro_status write_all(writing *job, nitro_store *store)
{
    nitro_status status = write_head(job);
    if (status == NITRO_OK)
        status = write_device(job, store);
    if (status == NITRO_OK && job->computation)
        status = write_schema(job, store);
    if (status == NITRO_OK && job->computation)
        status = note_end(job, nitro_store_read_samples(store, job->computation, job->device,
                                                        write_sample, job, note_damage, job));
    if (status == NITRO_OK)
        status = write_profiles(job, store);
    if (status == NITRO_OK)
        status = compress(job, NULL, 0, ZSTD_e_end);
    return status;
}

static nitro_status start(writing *job, int descriptor)
{
    crypto_hash_sha256_init(&job->content);
    crypto_hash_sha256_init(&job->compressed);
    job->buffer_size = ZSTD_CStreamOutSize();
    job->buffer = nitro_calloc(job->context, 1, job->buffer_size);
    job->zstd = ZSTD_createCCtx();
    if (!job->buffer || !job->zstd ||
        ZSTD_isError(ZSTD_CCtx_setParameter(job->zstd, ZSTD_c_compressionLevel, LEVEL)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(job->zstd, ZSTD_c_checksumFlag, 1)))
        return nitro_fail(job->context, NITRO_ERR_NO_MEMORY, "%s: out of memory for compression",
                          job->path);
    job->file = fdopen(descriptor, "wb");
    return job->file ? NITRO_OK : fail_write(job, errno);
}

static nitro_status finish(writing *job)
{
    bool written = fflush(job->file) == 0 && fsync(fileno(job->file)) == 0;
    int error = errno;
    nitro_bundle_print_hash(&job->content, job->bundle->content_sha256);
    nitro_bundle_print_hash(&job->compressed, job->bundle->sha256);
    return written ? NITRO_OK : fail_write(job, error);
}

nitro_status nitro_bundle_write(nitro_store *store, const char *computation, const char *device,
                                const char *path, int descriptor, nitro_bundle *bundle)
{
    nitro_context *context = nitro_store_context(store);
    nitro_bundle made = {.device = nitro_strdup(context, device),
                         .computation = nitro_strdup(context, computation)};
    writing job = {.context = context,
                   .path = path,
                   .computation = computation,
                   .device = device,
                   .bundle = &made};
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (made.device && (made.computation || !computation))
        status = start(&job, descriptor);
    if (status == NITRO_OK)
        status = write_all(&job, store);
    if (status == NITRO_OK)
        status = finish(&job);
    bool closed = (job.file ? fclose(job.file) : close(descriptor)) == 0;
    if (!closed && status == NITRO_OK)
        status = fail_write(&job, errno);
    ZSTD_freeCCtx(job.zstd);
    free(job.buffer);
    nitro_record_bytes_free(&job.line);
    nitro_record_bytes_free(&job.run);
    free(job.run_key);
    if (status == NITRO_OK)
        *bundle = made;
    else
        nitro_bundle_clear(&made);
    return status;
}

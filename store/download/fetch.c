/* fetch.c - downloads matrices of a collection like SuiteSparse: BASE/GROUP/NAME.tar.gz with
 * NAME/NAME.mtx. The cache keeps unpacked, checked matrices; an archive is kept until it is
 * complete, so that its download can be resumed. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/download/cache.h"
#include "store/download/http_get.h"
#include "store/download/unpack.h"

#define DEFAULT_MAX_BYTES ((uint64_t)8 << 30)

typedef struct fetching {
    nitro_context *context;
    const nitro_fetch_options *options;
    char *url;  /* of the archive */
    char *path; /* of the matrix in the cache */
    char *archive_path, *draft_path, *member;
} fetching;

/* Letters, digits and _.+-, not starting with a dot: safe as part of a path. */
static bool is_valid_part(const char *part, size_t size)
{
    if (size == 0 || size > 100 || part[0] == '.')
        return false;
    for (size_t i = 0; i < size; i++)
        if (!isalnum((unsigned char)part[i]) && !strchr("_.+-", part[i]))
            return false;
    return true;
}

static nitro_status check_name(nitro_context *context, const char *matrix)
{
    const char *slash = strchr(matrix, '/');
    if (slash && is_valid_part(matrix, (size_t)(slash - matrix)) &&
        is_valid_part(slash + 1, strlen(slash + 1)))
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_ARGUMENT,
                      "invalid matrix '%.200s': write GROUP/NAME, such as HB/west0067", matrix);
}

static nitro_status name_files(fetching *job, const char *matrix)
{
    nitro_context *context = job->context;
    const char *base = job->options->base_url, *slash = strchr(matrix, '/');
    size_t length = strlen(base);
    while (length > 0 && base[length - 1] == '/')
        length--;
    char *folder = NULL;
    char *trimmed = nitro_asprintf(context, "%.*s", (int)length, base);
    char *group = nitro_asprintf(context, "%.*s", (int)(slash - matrix), matrix);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (trimmed && group)
        status = nitro_cache_folder(context, "matrices", trimmed, group, &folder);
    if (status == NITRO_OK) {
        job->url = nitro_asprintf(context, "%s/%s.tar.gz", trimmed, matrix);
        job->path = nitro_asprintf(context, "%s/%s.mtx", folder, matrix);
        job->archive_path = nitro_asprintf(context, "%s/%s.tar.gz", folder, matrix);
        job->member = nitro_asprintf(context, "%s/%s.mtx", slash + 1, slash + 1);
        if (!job->url || !job->path || !job->archive_path || !job->member)
            status = NITRO_ERR_NO_MEMORY;
    }
    free(group);
    free(folder);
    free(trimmed);
    return status;
}

static nitro_status require_matrix_market(const fetching *job)
{
    static const char head[] = "%%MatrixMarket ";
    char start[sizeof(head)] = "";
    FILE *file = fopen(job->draft_path, "re");
    size_t size = file ? fread(start, 1, sizeof(head) - 1, file) : 0;
    if (file)
        fclose(file);
    if (size == sizeof(head) - 1 && memcmp(start, head, size) == 0)
        return NITRO_OK;
    return nitro_fail(job->context, NITRO_ERR_FORMAT,
                      "%s: its file %s is not in Matrix Market format", job->url, job->member);
}

static nitro_status unpack_draft(fetching *job)
{
    int descriptor;
    nitro_status status =
        nitro_file_create_beside(job->context, job->path, &job->draft_path, &descriptor);
    if (status != NITRO_OK)
        return status;
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        close(descriptor);
        return nitro_fail(job->context, NITRO_ERR_NO_MEMORY, "%s: cannot write", job->draft_path);
    }
    status = nitro_unpack_member(job->context, job->archive_path, job->member,
                                 job->options->max_bytes, job->draft_path, file);
    if (fclose(file) != 0 && status == NITRO_OK)
        status = nitro_fail(job->context, NITRO_ERR_IO, "%s: cannot write", job->draft_path);
    return status;
}

/* An archive that is invalid is removed, so that the next run downloads it again. */
static nitro_status unpack_and_check(fetching *job)
{
    const nitro_fetch_options *options = job->options;
    nitro_status status = unpack_draft(job);
    if (status == NITRO_OK)
        status = require_matrix_market(job);
    if (status == NITRO_OK && options->check)
        status = options->check(options->user, job->draft_path);
    if (status == NITRO_OK && rename(job->draft_path, job->path) != 0)
        status = nitro_fail(job->context, NITRO_ERR_IO, "%s: cannot write", job->path);
    if (status != NITRO_OK && job->draft_path)
        unlink(job->draft_path);
    unlink(job->archive_path);
    return status;
}

void nitro_fetch_options_init(nitro_fetch_options *options)
{
    *options =
        (nitro_fetch_options){.base_url = NITRO_FETCH_SUITESPARSE, .max_bytes = DEFAULT_MAX_BYTES};
}

nitro_status nitro_fetch_matrix(nitro_context *context, const char *matrix,
                                const nitro_fetch_options *options, char **path, bool *cached)
{
    fetching job = {.context = context, .options = options};
    bool found = false;
    nitro_status status = check_name(context, matrix);
    if (status == NITRO_OK)
        status = nitro_http_check_url(context, options->base_url);
    if (status == NITRO_OK)
        status = name_files(&job, matrix);
    if (status == NITRO_OK && !(found = access(job.path, R_OK) == 0)) {
        status = nitro_http_get(context, &(nitro_http_request){.url = job.url,
                                                               .path = job.archive_path,
                                                               .max_bytes = options->max_bytes});
        if (status == NITRO_OK)
            status = unpack_and_check(&job);
    }
    if (status == NITRO_OK) {
        *path = job.path;
        *cached = found;
    } else {
        free(job.path);
    }
    free(job.url);
    free(job.draft_path);
    free(job.archive_path);
    free(job.member);
    return status;
}

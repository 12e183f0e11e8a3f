/* bundle_publish.c - publishes a store as static files. New bundles are written beside the old
 * ones, then one rename replaces the index, then files that are in neither index are removed: a
 * reader of the previous index still finds all its files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/bundle/bundle.h"

#define DRAFT "draft" /* followed by '.' and 16 hexadecimal digits */

typedef struct publishing {
    nitro_context *context;
    nitro_store *store;
    const nitro_publish_options *options;
    char *folder; /* of the bundles */
    char *index_path;
    char *draft_path;         /* of the bundle that is being written; NULL: none */
    nitro_bundle_index *last; /* NULL: none */
    nitro_bundle_index next;
    size_t capacity;
    nitro_publish_report report;
    uint64_t damaged;
} publishing;

static nitro_status fail_at(publishing *job, const char *path)
{
    return nitro_fail(job->context, NITRO_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
}

static nitro_status make_folder(publishing *job, const char *path)
{
    return mkdir(path, 0755) == 0 || errno == EEXIST ? NITRO_OK : fail_at(job, path);
}

/* An invalid index is of no use to readers: replace it with a warning. */
static nitro_status read_last(publishing *job)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status =
        nitro_file_read(job->context, job->index_path, NITRO_BUNDLE_MAX_INDEX_BYTES, &text, &size);
    if (status == NITRO_ERR_NOT_FOUND)
        return NITRO_OK;
    if (status == NITRO_OK)
        status = nitro_bundle_index_parse(job->context, job->index_path, text, size, &job->last);
    free(text);
    if (status == NITRO_ERR_FORMAT) {
        nitro_log(job->context, NITRO_LOG_WARNING, "%s: the index is invalid and is replaced",
                  job->index_path);
        status = NITRO_OK;
    }
    return status;
}

/* @param[out] lock  close() it. */
static nitro_status open_folder(publishing *job, int *lock)
{
    const char *folder = job->options->folder;
    job->folder = nitro_asprintf(job->context, "%s/" NITRO_BUNDLE_FOLDER, folder);
    job->index_path = nitro_asprintf(job->context, "%s/" NITRO_BUNDLE_INDEX_NAME, folder);
    if (!job->folder || !job->index_path)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = make_folder(job, folder);
    if (status == NITRO_OK)
        status = make_folder(job, job->folder);
    if (status != NITRO_OK)
        return status;
    *lock = open(job->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0 || flock(*lock, LOCK_EX) != 0)
        return fail_at(job, job->folder);
    return read_last(job);
}

/* Keep a valid file of the same lines, even if another version of zstd compressed it differently,
 * so that downloads can be resumed. */
static nitro_status keep_old_file(publishing *job, const char *path, nitro_bundle *bundle,
                                  bool *kept)
{
    nitro_bundle old = *bundle;
    struct stat file;
    *kept = false;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) ||
        nitro_bundle_hash_file(job->context, path, old.sha256, &old.bytes) != NITRO_OK)
        return NITRO_OK;
    nitro_status status =
        nitro_bundle_read_file(job->context, path, &old, &(nitro_bundle_visitor){0});
    if (status == NITRO_OK) {
        *kept = true;
        bundle->bytes = old.bytes;
        memcpy(bundle->sha256, old.sha256, sizeof(bundle->sha256));
    }
    return status == NITRO_ERR_NO_MEMORY ? status : NITRO_OK;
}

/* Without a key, a signature of the file that stays here stays valid, and is kept. */
static nitro_status sign(publishing *job, const nitro_bundle *bundle, const char *path)
{
    if (!job->options->key)
        return NITRO_OK;
    char *comment = nitro_asprintf(job->context, "nitro-bundle:%d%s%s device:%s content-sha256:%s",
                                   NITRO_BUNDLE_VERSION, bundle->computation ? " computation:" : "",
                                   bundle->computation ? bundle->computation : "", bundle->device,
                                   bundle->content_sha256);
    nitro_status status = comment ? nitro_sign_file(job->context, job->options->key, path, comment)
                                  : NITRO_ERR_NO_MEMORY;
    free(comment);
    return status;
}

static nitro_status place_file(publishing *job, nitro_bundle *bundle)
{
    bool kept = false;
    char *path = nitro_bundle_path(job->context, job->options->folder, bundle);
    char *signature = nitro_asprintf(job->context, "%s" NITRO_SIGNATURE_SUFFIX, path ? path : "");
    nitro_status status =
        path && signature ? keep_old_file(job, path, bundle, &kept) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && kept) {
        job->report.unchanged++;
    } else if (status == NITRO_OK) {
        unlink(signature); /* of the file that is replaced */
        if (rename(job->draft_path, path) != 0)
            status = fail_at(job, path);
    }
    if (status == NITRO_OK)
        status = sign(job, bundle, path);
    free(signature);
    free(path);
    return status;
}

static void remove_draft(publishing *job)
{
    if (job->draft_path)
        unlink(job->draft_path);
    free(job->draft_path);
    job->draft_path = NULL;
}

static nitro_status write_draft(publishing *job, const char *computation, const char *device,
                                nitro_bundle *bundle)
{
    int descriptor;
    char *path = nitro_asprintf(job->context, "%s/" DRAFT, job->folder);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (path)
        status = nitro_file_create_beside(job->context, path, &job->draft_path, &descriptor);
    free(path);
    if (status == NITRO_OK)
        status = nitro_bundle_write(job->store, computation, device, job->draft_path, descriptor,
                                    bundle);
    return status;
}

static nitro_status add_bundle(publishing *job, const char *computation, const char *device)
{
    nitro_bundle *grown = nitro_grow(job->context, job->next.bundles, job->next.count,
                                     &job->capacity, sizeof(*grown), "bundles");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    job->next.bundles = grown;
    nitro_bundle bundle = {0};
    nitro_status status = write_draft(job, computation, device, &bundle);
    if (status != NITRO_OK)
        return status;
    job->next.bundles[job->next.count++] = bundle;
    nitro_bundle *added = &job->next.bundles[job->next.count - 1];
    status = place_file(job, added);
    remove_draft(job);
    job->report.samples += added->samples;
    job->report.profiles += added->profiles;
    job->report.bytes += added->bytes;
    job->damaged += added->damaged;
    return status;
}

/* Does the store have records of a computation (NULL: of proxies) on a device? */
static nitro_status has_records(publishing *job, const char *computation, const char *device,
                                bool *found)
{
    size_t samples = 0, profiles = 0;
    nitro_status status = nitro_store_count_profiles(job->store, device, computation, &profiles);
    if (status == NITRO_OK && computation)
        status = nitro_store_count_samples(job->store, computation, device, &samples);
    *found = samples > 0 || profiles > 0;
    return status;
}

/* The others are published all the same. */
static nitro_status skip_unreadable(publishing *job, nitro_status status)
{
    char problem[1024];
    if (status != NITRO_ERR_FORMAT)
        return status;
    remove_draft(job);
    nitro_context_last_error(job->context, problem, sizeof(problem));
    nitro_log(job->context, NITRO_LOG_WARNING, "not published: %s", problem);
    job->damaged++;
    return NITRO_OK;
}

/* A bundle of the device alone is for profiles of proxies, or for a device without any records,
 * which may be a target. */
static nitro_status add_device(publishing *job, const nitro_string_list *computations,
                               const char *device)
{
    bool found = false, any = false;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < computations->count && status == NITRO_OK; i++) {
        found = false;
        status = has_records(job, computations->items[i], device, &found);
        if (status == NITRO_OK && found)
            status = add_bundle(job, computations->items[i], device);
        any = any || found;
        status = skip_unreadable(job, status);
    }
    found = false;
    if (status == NITRO_OK)
        status = has_records(job, NULL, device, &found);
    if (status == NITRO_OK && (found || !any))
        status = add_bundle(job, NULL, device);
    return skip_unreadable(job, status);
}

static nitro_status add_all(publishing *job)
{
    nitro_string_list computations = {0}, devices = {0};
    nitro_status status = nitro_store_list_computations(job->store, &computations);
    if (status == NITRO_OK)
        status = nitro_store_list_devices(job->store, NULL, &devices);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++)
        status = add_device(job, &computations, devices.items[i]);
    nitro_string_list_free(&computations);
    nitro_string_list_free(&devices);
    if (job->next.count > 0)
        qsort(job->next.bundles, job->next.count, sizeof(*job->next.bundles), nitro_bundle_compare);
    job->report.bundles = job->next.count;
    return status;
}

static nitro_status replace_index(publishing *job)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_bundle_index_print(job->context, &job->next, &text, &size);
    if (status == NITRO_OK && size > NITRO_BUNDLE_MAX_INDEX_BYTES)
        status =
            nitro_fail(job->context, NITRO_ERR_FORMAT,
                       "%s: the index of %zu bytes exceeds the limit of %llu bytes",
                       job->index_path, size, (unsigned long long)NITRO_BUNDLE_MAX_INDEX_BYTES);
    if (status == NITRO_OK)
        status = nitro_file_write(job->context, job->index_path, text, size);
    free(text);
    return status;
}

static bool names_file(const nitro_bundle_index *index, const char *name)
{
    for (size_t i = 0; index && i < index->count; i++)
        if (strncmp(index->bundles[i].content_sha256, name, NITRO_SHA256_HEX_BYTES - 1) == 0)
            return true;
    return false;
}

/* A file that publishing wrote: 64 hexadecimal digits and a suffix. */
static bool is_ours(const char *name, const char *suffix)
{
    return strspn(name, "0123456789abcdef") == NITRO_SHA256_HEX_BYTES - 1 &&
           strcmp(name + NITRO_SHA256_HEX_BYTES - 1, suffix) == 0;
}

/* A draft of a publisher that was killed: we have the lock. */
static bool is_draft(const char *name)
{
    size_t length = strlen(DRAFT);
    return strncmp(name, DRAFT ".", length + 1) == 0 &&
           strspn(name + length + 1, "0123456789abcdef") == 16 && name[length + 17] == '\0';
}

static void remove_old_files(publishing *job)
{
    DIR *folder = opendir(job->folder);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (is_draft(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
        bool bundle = is_ours(entry->d_name, NITRO_BUNDLE_SUFFIX);
        if ((bundle || is_ours(entry->d_name, NITRO_BUNDLE_SUFFIX NITRO_SIGNATURE_SUFFIX)) &&
            !names_file(&job->next, entry->d_name) && !names_file(job->last, entry->d_name) &&
            unlinkat(dirfd(folder), entry->d_name, 0) == 0 && bundle)
            job->report.removed++;
    }
    if (folder)
        closedir(folder);
}

nitro_status nitro_store_publish(nitro_store *store, const nitro_publish_options *options,
                                 nitro_publish_report *report)
{
    publishing job = {.context = nitro_store_context(store), .store = store, .options = options};
    int lock = -1;
    nitro_status status = open_folder(&job, &lock);
    if (status == NITRO_OK)
        status = add_all(&job);
    if (status == NITRO_OK)
        status = replace_index(&job);
    if (status == NITRO_OK)
        remove_old_files(&job);
    remove_draft(&job);
    if (lock >= 0)
        close(lock);
    if (status == NITRO_OK && report)
        *report = job.report;
    if (status == NITRO_OK && job.damaged > 0)
        status = nitro_fail(job.context, NITRO_ERR_FORMAT,
                            "damaged records that were not published: %llu; everything else was",
                            (unsigned long long)job.damaged);
    for (size_t i = 0; i < job.next.count; i++)
        nitro_bundle_clear(&job.next.bundles[i]);
    free(job.next.bundles);
    nitro_bundle_index_free(job.last);
    free(job.folder);
    free(job.index_path);
    return status;
}

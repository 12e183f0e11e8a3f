/* import_profiles.c - imports profiles from CSV: removes a profiler's log lines, groups the
 * profiles by device, and writes one batch a device once everything is checked. */
#include "store/exchange/import_profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES ((size_t)256 << 20)

void nitro_profile_import_options_init(nitro_profile_import_options *options)
{
    *options = (nitro_profile_import_options){.intensity = NAN};
}

/* Empty the log lines ("==...") of a profiler, the first of which may follow a byte order mark;
 * line numbers stay. @return the new size. */
static size_t drop_log_lines(char *text, size_t size)
{
    size_t kept = 0;
    bool log_line = false, line_start = true;
    for (size_t i = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; i < size; i++) {
        if (line_start)
            log_line = i + 1 < size && text[i] == '=' && text[i + 1] == '=';
        line_start = text[i] == '\n';
        if (!log_line || text[i] == '\n')
            text[kept++] = text[i];
    }
    text[kept] = '\0';
    return kept;
}

static nitro_status read_table(import_profiles_job *job)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status =
        nitro_file_read(job->context, job->options->path, MAX_FILE_BYTES, &text, &size);
    if (status == NITRO_OK)
        status = nitro_csv_parse(job->context, job->options->path, text, drop_log_lines(text, size),
                                 &job->csv);
    free(text);
    return status;
}

static int compare_strings(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* By device, run and kernel; launches of one kernel in the file's order. */
static int compare_items(const void *a, const void *b)
{
    const import_profile *left = a, *right = b;
    const nitro_profile *p = left->profile, *q = right->profile;
    int order = strcmp(left->device, right->device);
    order = order ? order : compare_strings(p->computation, q->computation);
    order = order ? order : strcmp(p->name, q->name);
    order = order ? order : compare_strings(p->input, q->input);
    order = order ? order : (p->intensity > q->intensity) - (p->intensity < q->intensity);
    order = order ? order : strcmp(p->kernel, q->kernel);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static bool same_but_place(const import_profile *a, const import_profile *b)
{
    import_profile copy = *b;
    copy.place = a->place;
    return compare_items(a, &copy) == 0;
}

/* "NAME", "NAME#2", "NAME#3" for the launches of one kernel in one run. */
static nitro_status number_kernels(import_profiles_job *job)
{
    for (size_t first = 0, end; job->number_kernels && first < job->count; first = end) {
        for (end = first + 1;
             end < job->count && same_but_place(&job->items[first], &job->items[end]);)
            end++;
        for (size_t i = first + 1; i < end; i++) {
            nitro_profile *profile = job->items[i].profile;
            char *name = nitro_asprintf(job->context, "%s#%zu", job->items[first].profile->kernel,
                                        i - first + 1);
            if (!name)
                return NITRO_ERR_NO_MEMORY;
            free(profile->kernel);
            profile->kernel = name;
        }
    }
    return NITRO_OK;
}

/* Profiles without any value. */
static nitro_status drop_empty(import_profiles_job *job)
{
    size_t kept = 0, dropped;
    for (size_t i = 0; i < job->count; i++) {
        import_profile item = job->items[i];
        if (item.profile->num_metrics > 0) {
            job->items[kept++] = item;
            continue;
        }
        nitro_profile_free(item.profile);
        free(item.device);
    }
    dropped = job->count - kept;
    job->count = kept;
    if (dropped > 0)
        nitro_log(job->context, NITRO_LOG_WARNING,
                  "%s: kernels without any metric, which are skipped: %zu", job->options->path,
                  dropped);
    if (kept > 0)
        return NITRO_OK;
    return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: no kernel has a value of any metric",
                      job->options->path);
}

/* A profiler's file may be of a device that the store does not know. */
static nitro_status make_device(nitro_store *store, const char *id)
{
    nitro_context *context = nitro_store_context(store);
    nitro_device *device = NULL;
    nitro_status status = nitro_store_get_device(store, id, &device);
    if (status != NITRO_ERR_NOT_FOUND) {
        nitro_device_free(device);
        return status;
    }
    status = nitro_device_create(context, id, "recorded", &device);
    if (status == NITRO_OK)
        status = nitro_store_put_device(store, device);
    if (status == NITRO_OK)
        nitro_log(context, NITRO_LOG_WARNING,
                  "device %s is new to the store and has no device features; import them with "
                  "'nitro store import --devices'",
                  id);
    nitro_device_free(device);
    return status;
}

/* Check computations and variants before anything is written. */
static nitro_status check_profiles(import_profiles_job *job, nitro_store *store)
{
    nitro_schema *schema = NULL;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->count && status == NITRO_OK; i++) {
        const nitro_profile *profile = job->items[i].profile;
        if (profile->computation &&
            (!schema || strcmp(schema->computation, profile->computation) != 0)) {
            nitro_schema_free(schema);
            schema = NULL;
            status = nitro_store_get_schema(store, profile->computation, &schema);
        }
        if (status == NITRO_OK)
            status = nitro_store_check_profile(job->context, job->options->path,
                                               profile->computation ? schema : NULL,
                                               job->items[i].device, profile, NITRO_ERR_ARGUMENT);
    }
    nitro_schema_free(schema);
    return status;
}

static nitro_status put_devices(import_profiles_job *job, nitro_store *store)
{
    const nitro_profile **batch = nitro_calloc(job->context, job->count, sizeof(*batch));
    nitro_status status = batch ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t first = 0, end; first < job->count && status == NITRO_OK; first = end) {
        const char *device = job->items[first].device;
        for (end = first; end < job->count && strcmp(job->items[end].device, device) == 0; end++)
            batch[end - first] = job->items[end].profile;
        status = make_device(store, device);
        if (status == NITRO_OK)
            status =
                nitro_store_put_profiles(store, device, batch, end - first, job->options->replace);
        job->report.devices += status == NITRO_OK;
        job->report.profiles += status == NITRO_OK ? end - first : 0;
    }
    free(batch);
    return status;
}

static void free_job(import_profiles_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        nitro_profile_free(job->items[i].profile);
        free(job->items[i].device);
    }
    free(job->items);
    free(job->origin);
    nitro_csv_free(job->csv);
}

nitro_status nitro_store_import_profiles(nitro_store *store,
                                         const nitro_profile_import_options *options,
                                         nitro_profile_import_report *report)
{
    import_profiles_job job = {.context = nitro_store_context(store), .options = options};
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = nitro_import_time(job.context, &job.time_s);
    if (status != NITRO_OK)
        return status;
    status = nitro_import_origin(job.context, basename(options->path), &job.origin);
    if (status == NITRO_OK)
        status = read_table(&job);
    if (status == NITRO_OK)
        status = nitro_import_profile_rows(&job);
    if (status == NITRO_OK)
        status = drop_empty(&job);
    if (status == NITRO_OK) {
        qsort(job.items, job.count, sizeof(*job.items), compare_items);
        status = number_kernels(&job);
    }
    if (status == NITRO_OK)
        status = check_profiles(&job, store);
    if (status == NITRO_OK)
        status = put_devices(&job, store);
    if (status == NITRO_OK && report)
        *report = job.report;
    free_job(&job);
    return status;
}

/* ginkgo_walk.c - reads the benchmark files of a checkout, at
 * DEVICE/EXECUTOR/COLLECTION/GROUP/MATRIX.json anywhere below its root, one file in memory at a
 * time. */
#include <errno.h>
#include <fts.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/exchange/ginkgo_internal.h"

enum { PARTS = 5, MAX_LEVEL = 10, MAX_CAMPAIGNS = 512 };

typedef struct walk {
    ginkgo_checkout *checkout;
    const nitro_string_list *only;
    const char *root;              /* as given */
    char *real_root;               /* to find folders above it */
    const char *path;              /* of the current file, below the root */
    const char *folder, *executor; /* of the current file */
} walk;

static nitro_status skip(walk *job, ginkgo_reason reason, const char *detail)
{
    ginkgo_checkout *checkout = job->checkout;
    if (checkout->skipped[reason]++ > 0)
        return NITRO_OK;
    checkout->examples[reason] = nitro_asprintf(checkout->context, "%s%s%s", job->path,
                                                detail ? ": " : "", detail ? detail : "");
    return checkout->examples[reason] ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status add_campaign(walk *job, const ginkgo_record *record, ginkgo_campaign **added)
{
    ginkgo_checkout *checkout = job->checkout;
    if (checkout->num_campaigns == MAX_CAMPAIGNS)
        return nitro_fail(
            checkout->context, NITRO_ERR_FORMAT,
            "%s: more than %d campaigns, the last in %s; choose devices with --device", job->root,
            MAX_CAMPAIGNS, job->path);
    ginkgo_campaign *grown =
        nitro_grow(checkout->context, checkout->campaigns, checkout->num_campaigns,
                   &checkout->capacity, sizeof(*grown), "campaigns");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    checkout->campaigns = grown;
    ginkgo_campaign *campaign = *added = &grown[checkout->num_campaigns++];
    *campaign =
        (ginkgo_campaign){.report = {.folder = nitro_strdup(checkout->context, job->folder),
                                     .executor = nitro_strdup(checkout->context, job->executor),
                                     .unit = record->unit,
                                     .capital = record->capital,
                                     .fastest_low = record->fastest,
                                     .fastest_high = record->fastest}};
    return campaign->report.folder && campaign->report.executor ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

/* Backwards: files come folder by folder, so it is most often the last campaign. */
static nitro_status find_campaign(walk *job, const ginkgo_record *record, ginkgo_campaign **found)
{
    for (size_t i = job->checkout->num_campaigns; i > 0; i--) {
        *found = &job->checkout->campaigns[i - 1];
        const nitro_ginkgo_campaign *its = &(*found)->report;
        if (strcmp(its->folder, job->folder) == 0 && strcmp(its->executor, job->executor) == 0 &&
            strcmp(its->unit, record->unit) == 0 && its->capital == record->capital)
            return NITRO_OK;
    }
    return add_campaign(job, record, found);
}

static void count_times(ginkgo_campaign *campaign, const ginkgo_record *record)
{
    for (size_t i = 0; i < record->num_times; i++) {
        campaign->attempted[record->times[i].variant]++;
        if (!isnan(record->times[i].time_ms))
            campaign->timed[record->times[i].variant]++;
    }
}

static nitro_status add_record(void *user, ginkgo_reason reason, const char *detail,
                               ginkgo_record *record)
{
    walk *job = user;
    ginkgo_campaign *campaign = NULL;
    if (reason != GINKGO_USED)
        return skip(job, reason, detail);
    nitro_status status = find_campaign(job, record, &campaign);
    if (status != NITRO_OK)
        return status;
    ginkgo_record *grown =
        nitro_grow(job->checkout->context, campaign->records, campaign->report.inputs,
                   &campaign->capacity, sizeof(*grown), "records");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    campaign->records = grown;
    record->order = campaign->report.inputs;
    campaign->records[campaign->num_records++] = *record;
    campaign->report.inputs++;
    campaign->report.fastest_low = fmin(campaign->report.fastest_low, record->fastest);
    campaign->report.fastest_high = fmax(campaign->report.fastest_high, record->fastest);
    *record = (ginkgo_record){0};
    return NITRO_OK;
}

static int compare_records(const void *a, const void *b)
{
    const ginkgo_record *one = a, *other = b;
    int inputs = strcmp(one->input, other->input);
    return inputs ? inputs : (one->order > other->order) - (one->order < other->order);
}

/* Keep the first file of each matrix, in byte order of paths. */
static nitro_status drop_repeated(walk *job, ginkgo_campaign *campaign)
{
    size_t kept = 1;
    nitro_status status = NITRO_OK;
    qsort(campaign->records, campaign->report.inputs, sizeof(*campaign->records), compare_records);
    for (size_t i = 1; i < campaign->report.inputs; i++) {
        ginkgo_record *record = &campaign->records[i];
        if (strcmp(campaign->records[kept - 1].input, record->input) != 0) {
            campaign->records[kept++] = *record;
            continue;
        }
        job->path = campaign->report.folder;
        if (status == NITRO_OK)
            status = skip(job, GINKGO_AGAIN, record->input);
        nitro_ginkgo_record_clear(record);
    }
    campaign->report.inputs = campaign->num_records = kept;
    for (size_t i = 0; i < kept; i++)
        count_times(campaign, &campaign->records[i]);
    return status;
}

static nitro_status read_file(walk *job, const FTSENT *entry, const char *path_name)
{
    nitro_context *context = job->checkout->context;
    char *text = NULL;
    size_t size = 0;
    if (entry->fts_statp->st_size > (off_t)GINKGO_MAX_FILE_BYTES)
        return skip(job, GINKGO_TOO_LARGE, NULL);
    nitro_status status =
        nitro_file_read(context, entry->fts_accpath, GINKGO_MAX_FILE_BYTES, &text, &size);
    if (status != NITRO_OK)
        return status == NITRO_ERR_NO_MEMORY ? status : skip(job, GINKGO_UNREADABLE, NULL);
    status =
        nitro_ginkgo_parse(context, path_name, text, size, &job->checkout->names, add_record, job);
    free(text);
    return status;
}

/* Cut the last parts off a path, into which `parts` points; false where it has fewer. */
static bool cut_parts(char *path, const char *parts[PARTS])
{
    for (size_t i = PARTS; i > 0; i--) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return false;
        parts[i - 1] = slash + 1;
        *slash = '\0';
    }
    return true;
}

static bool ends_in_json(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* Read a file, whose path gives its device and matrix. */
static nitro_status place_file(walk *job, const FTSENT *entry, char *full_path)
{
    const char *parts[PARTS];
    char name[600];
    if (!cut_parts(full_path, parts) ||
        (entry->fts_level < PARTS && strcmp(parts[2], "SuiteSparse") != 0))
        return skip(job, GINKGO_ELSEWHERE, NULL);
    job->folder = parts[0];
    job->executor = parts[1];
    if (job->only && nitro_string_list_find(job->only, job->folder) == NITRO_NONE)
        return NITRO_OK;
    if (!nitro_device_id_is_valid(job->folder) || !nitro_name_is_valid(job->executor))
        return skip(job, GINKGO_BAD_DEVICE, NULL);
    int length = snprintf(name, sizeof(name), "%s/%s", parts[3], parts[4]);
    if (length < 0 || (size_t)length >= sizeof(name))
        return skip(job, GINKGO_BAD_NAME, NULL);
    name[length - 5] = '\0'; /* ".json" */
    return read_file(job, entry, name);
}

/* Where the root is a device's folder, or below, folders above it name the device. */
static nitro_status visit_file(walk *job, const FTSENT *entry)
{
    if (!ends_in_json(entry->fts_name))
        return skip(job, GINKGO_NOT_NAMED_JSON, NULL);
    char *full = entry->fts_level >= PARTS
                     ? nitro_asprintf(job->checkout->context, "/%s", job->path)
                     : nitro_asprintf(job->checkout->context, "%s/%s", job->real_root, job->path);
    if (!full)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = place_file(job, entry, full);
    free(full);
    return status;
}

static nitro_status visit(walk *job, FTS *tree, FTSENT *entry)
{
    const char *below = entry->fts_path + strlen(job->root);
    job->path = below[0] == '/' ? below + 1 : below;
    switch (entry->fts_info) {
    case FTS_D:
        if (entry->fts_level > 0 && entry->fts_name[0] == '.')
            fts_set(tree, entry, FTS_SKIP); /* .git */
        else if (entry->fts_level >= MAX_LEVEL) {
            fts_set(tree, entry, FTS_SKIP);
            return skip(job, GINKGO_TOO_DEEP, NULL);
        }
        return NITRO_OK;
    case FTS_DP:
        return NITRO_OK;
    case FTS_F:
        return visit_file(job, entry);
    case FTS_SL:
    case FTS_SLNONE:
    case FTS_DEFAULT:
        return skip(job, GINKGO_NOT_REGULAR, NULL);
    default: /* folders and files that cannot be read */
        return skip(job, GINKGO_UNREADABLE, strerror(entry->fts_errno));
    }
}

static int compare_entries(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static nitro_status walk_tree(walk *job)
{
    nitro_context *context = job->checkout->context;
    char *const roots[] = {(char *)job->root, NULL};
    nitro_status status = NITRO_OK;
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare_entries);
    if (!tree)
        return nitro_fail(context, NITRO_ERR_IO, "%s: cannot read the folder: %s", job->root,
                          strerror(errno));
    for (FTSENT *entry = fts_read(tree); entry && status == NITRO_OK; entry = fts_read(tree))
        status = visit(job, tree, entry);
    fts_close(tree);
    return status;
}

nitro_status nitro_ginkgo_walk(nitro_context *context, const char *path,
                               const nitro_string_list *only, ginkgo_checkout *checkout)
{
    walk job = {.checkout = checkout, .only = only, .root = path};
    checkout->context = context;
    struct stat root;
    job.real_root = realpath(path, NULL);
    if (!job.real_root || stat(job.real_root, &root) != 0)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND, "%s: cannot open: %s", path,
                          strerror(errno));
    nitro_status status = NITRO_OK;
    if (S_ISDIR(root.st_mode))
        status = walk_tree(&job);
    else
        status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                            "%s: not a folder; name the checkout, or a folder in it", path);
    for (size_t i = 0; i < checkout->num_campaigns && status == NITRO_OK; i++)
        status = drop_repeated(&job, &checkout->campaigns[i]);
    free(job.real_root);
    return status;
}

static void campaign_clear(ginkgo_campaign *campaign)
{
    for (size_t i = 0; i < campaign->num_records; i++)
        nitro_ginkgo_record_clear(&campaign->records[i]);
    free(campaign->records);
    free(campaign->origin);
    nitro_import_clear(&campaign->job);
    nitro_ginkgo_campaign_clear(&campaign->report);
}

void nitro_ginkgo_checkout_clear(ginkgo_checkout *checkout)
{
    for (size_t i = 0; i < checkout->num_campaigns; i++)
        campaign_clear(&checkout->campaigns[i]);
    for (size_t i = 0; i < GINKGO_NUM_REASONS; i++)
        free(checkout->examples[i]);
    free(checkout->campaigns);
    nitro_string_list_free(&checkout->names);
    *checkout = (ginkgo_checkout){0};
}

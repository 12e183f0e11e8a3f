/* Bringing published bundles into a store: one after the other, so that what came before a failure
 * stays, and a second run goes on from there. */
#include <stdlib.h>
#include <string.h>

#include "store/bundle.h"

void nitro_pull_report_free(nitro_pull_report *report)
{
    nitro_string_list_free(&report->refused);
    *report = (nitro_pull_report){0};
}

static nitro_status note_refusal(nitro_context *context, nitro_pull_report *report)
{
    char message[3072];
    nitro_context_last_error(context, message, sizeof(message));
    return nitro_string_list_add(context, &report->refused, message);
}

static nitro_status is_new_device(nitro_store *to, const char *id, bool *is_new)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_store_get_device(to, id, &device);
    nitro_device_free(device);
    *is_new = status == NITRO_ERR_NOT_FOUND;
    return *is_new ? NITRO_OK : status;
}

static nitro_status take_bundle(nitro_store *from, nitro_store *to, const nitro_bundle *bundle,
                                nitro_pull_report *report)
{
    bool is_new = false;
    nitro_status status = is_new_device(to, bundle->device, &is_new);
    if (status == NITRO_OK)
        status =
            nitro_store_copy_device(from, to, bundle->device, bundle->computation, &report->copied);
    if (status != NITRO_OK)
        return status;
    report->bundles++;
    report->devices += is_new ? 1 : 0;
    return NITRO_OK;
}

/* A plain path is a folder here. */
static nitro_status open_source(nitro_context *context, const nitro_pull_options *options,
                                nitro_store **from)
{
    static const char *const schemes[] = {"https:", "http:", "file:"};
    bool plain = true;
    for (size_t i = 0; i < 3; i++)
        plain = plain && strncmp(options->url, schemes[i], strlen(schemes[i])) != 0;
    char *url = nitro_asprintf(context, "%s%s", plain ? "file:" : "", options->url);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (url)
        status = nitro_bundle_store_open(context, url, options->keys, from);
    free(url);
    return status;
}

nitro_status nitro_store_pull(nitro_store *to, const nitro_pull_options *options,
                              nitro_pull_report *report)
{
    nitro_context *context = nitro_store_context(to);
    nitro_pull_report done = {0};
    nitro_store *from = NULL;
    nitro_status status = open_source(context, options, &from);
    if (status != NITRO_OK)
        return status;
    nitro_bundle_source *source = nitro_bundle_store_source(from);
    const nitro_bundle_index *index = nitro_bundle_source_index(source);
    for (size_t i = 0; i < index->count && status == NITRO_OK; i++) {
        const char *path;
        status = nitro_bundle_source_get(source, i, &path);
        if (status == NITRO_OK)
            status = take_bundle(from, to, &index->bundles[i], &done);
        else if (nitro_bundle_is_refusal(status))
            status = note_refusal(context, &done);
    }
    nitro_store_close(from);
    if (status == NITRO_OK && report)
        *report = done;
    else
        nitro_pull_report_free(&done);
    return status;
}

/* bundle_pull.c - adds published bundles to a store: downloads and checks all of them, then copies
 * the valid ones. An interrupted run continues from the cache. */
#include <stdlib.h>
#include <string.h>

#include "store/bundle/bundle.h"

void nitro_pull_report_free(nitro_pull_report *report)
{
    nitro_string_list_free(&report->refused);
    *report = (nitro_pull_report){0};
}

static nitro_status get_all(nitro_bundle_source *source, nitro_pull_report *report)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < source->index->count && status == NITRO_OK; i++) {
        const char *path;
        status = nitro_bundle_source_get(source, i, &path);
        report->bundles += status == NITRO_OK && path;
        if (status == NITRO_OK && !path)
            status =
                nitro_string_list_add(source->context, &report->refused, source->states[i].problem);
    }
    return status;
}

static nitro_status count_devices(nitro_store *store, size_t *count)
{
    nitro_string_list ids = {0};
    nitro_status status = nitro_store_list_devices(store, NULL, &ids);
    *count = ids.count;
    nitro_string_list_free(&ids);
    return status;
}

/* Is the device there with the samples of another signer? */
static nitro_status check_known(nitro_store *to, const char *id, const char *signer)
{
    nitro_device *known = NULL;
    nitro_status status = nitro_store_get_device(to, id, &known);
    const char *before =
        status == NITRO_OK ? nitro_device_label(known, NITRO_LABEL_SIGNED_BY) : NULL;
    if (status == NITRO_ERR_NOT_FOUND || status == NITRO_ERR_FORMAT)
        status = NITRO_OK; /* new, or to be replaced */
    else if (before && (!signer || strcmp(before, signer) != 0))
        status = nitro_fail(
            nitro_store_context(to), NITRO_ERR_MISMATCH,
            "the store has samples of the device signed by %s; these are %s%s: remove the "
            "device there ('nitro store remove') to take these instead",
            before, signer ? "signed by " : "not signed", signer ? signer : "");
    nitro_device_free(known);
    return status;
}

static nitro_status refuse_other_signers(nitro_bundle_source *source, nitro_store *to,
                                         nitro_pull_report *report)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < source->index->count && status == NITRO_OK; i++) {
        nitro_bundle_state *state = &source->states[i];
        nitro_status known = state->path
                                 ? check_known(to, source->index->bundles[i].device, state->signer)
                                 : NITRO_OK;
        if (known == NITRO_OK)
            continue;
        status = nitro_bundle_source_refuse(source, i, known);
        if (status == NITRO_OK)
            status = nitro_string_list_add(source->context, &report->refused, state->problem);
        report->bundles--;
    }
    return status;
}

/* Only now is a missing store created. */
static nitro_status copy_all(nitro_bundle_source *source, nitro_store *from, const char *store,
                             const nitro_pull_options *options, nitro_pull_report *report)
{
    size_t before = 0, after = 0;
    nitro_store *to = NULL;
    nitro_status status =
        nitro_store_open(nitro_store_context(from), store, NITRO_STORE_WRITE, &to);
    if (status == NITRO_OK)
        status = count_devices(to, &before);
    if (status == NITRO_OK)
        status = refuse_other_signers(source, to, report);
    if (status == NITRO_OK)
        status = nitro_store_sync(
            from, to, &(nitro_sync_options){.take_declaration = options->take_declaration},
            &report->copied);
    if (status == NITRO_OK)
        status = count_devices(to, &after);
    nitro_store_close(to);
    report->devices = after - before;
    return status;
}

/* A plain path is a local folder. */
static nitro_status open_source(nitro_context *context, const nitro_pull_options *options,
                                nitro_store **from, nitro_bundle_source **source)
{
    static const char *const schemes[] = {"https:", "http:", "file:"};
    bool plain = true;
    for (size_t i = 0; i < 3; i++)
        plain = plain && strncmp(options->url, schemes[i], strlen(schemes[i])) != 0;
    char *url = nitro_asprintf(context, "%s%s", plain ? "file:" : "", options->url);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (url)
        status = nitro_bundle_store_open(context, url, options->keys, options->allow_unsigned, from,
                                         source);
    free(url);
    return status;
}

nitro_status nitro_store_pull(nitro_context *context, const char *store,
                              const nitro_pull_options *options, nitro_pull_report *report)
{
    nitro_pull_report done = {0};
    nitro_store *from = NULL;
    nitro_bundle_source *source = NULL;
    nitro_status status = open_source(context, options, &from, &source);
    if (status != NITRO_OK)
        return status;
    status = get_all(source, &done);
    if (status == NITRO_OK && (done.bundles > 0 || done.refused.count == 0))
        status = copy_all(source, from, store, options, &done);
    nitro_store_close(from);
    if (status == NITRO_OK && report)
        *report = done;
    else
        nitro_pull_report_free(&done);
    return status;
}

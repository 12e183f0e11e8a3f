/* Replaces a stored device description by a newer one, but keeps measured features that the newer
 * one lacks, and the signer of samples that were pulled. */
#include <math.h>
#include <string.h>

#include "nitro/nitro_backend.h"

/* Modelled and measured times must not mix. */
static nitro_status require_same_kind(nitro_store *store, const nitro_device *device,
                                      const nitro_device *known)
{
    nitro_context *context = nitro_store_context(store);
    const nitro_device_kind *kind = nitro_device_kind_find(context, device->kind);
    bool modelled = kind && kind->simulate;
    if (strcmp(known->kind, device->kind) == 0 ||
        (!modelled && strcmp(known->kind, "recorded") == 0))
        return NITRO_OK;
    return nitro_fail(
        context, NITRO_ERR_MISMATCH,
        "device %s is of kind %s here and of kind %s in %s: their times must not mix; "
        "use another store, or remove the device's samples there",
        device->id, device->kind, known->kind, nitro_store_url(store));
}

/* The newest description counts, but features measured by microbenchmarks are kept, and who signed
 * the samples that are there. */
static nitro_status keep_measured_and_signer(nitro_context *context, nitro_device *device,
                                             const nitro_device *known)
{
    const char *signer = nitro_device_label(known, NITRO_LABEL_SIGNED_BY);
    nitro_status status =
        signer ? nitro_device_set_label(context, device, NITRO_LABEL_SIGNED_BY, signer) : NITRO_OK;
    for (size_t i = 0; i < known->num_features && status == NITRO_OK; i++) {
        const nitro_device_feature *feature = &known->features[i];
        if (feature->source == NITRO_VALUE_MEASURED &&
            isnan(nitro_device_value(device, feature->name)))
            status = nitro_device_set(context, device, feature->name, feature->value,
                                      feature->source, feature->spread);
    }
    return status;
}

nitro_status nitro_store_update_device(nitro_store *store, nitro_device *device)
{
    nitro_device *known = NULL;
    nitro_status status = nitro_store_get_device(store, device->id, &known);
    if (status == NITRO_ERR_NOT_FOUND || status == NITRO_ERR_FORMAT) {
        status = NITRO_OK; /* a damaged description is replaced */
    } else if (status == NITRO_OK) {
        status = require_same_kind(store, device, known);
        if (status == NITRO_OK)
            status = keep_measured_and_signer(nitro_store_context(store), device, known);
        nitro_device_free(known);
    }
    return status == NITRO_OK ? nitro_store_put_device(store, device) : status;
}

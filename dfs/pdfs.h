/* pdfs.h - P-DFS: profiles as rows of metrics, and regressions of proxies' intensities. */
#ifndef NITRO_DFS_PDFS_H
#define NITRO_DFS_PDFS_H

#include "nitro/nitro_backend.h"

/** Kernels of one device, with metrics as from nitro_proxies_values. */
typedef struct profile_rows {
    size_t num_metrics;
    size_t count, capacity;
    size_t *owner;     /* shape [count]: index of the proxy, or of the input */
    double *intensity; /* shape [count]; NaN: of a variant */
    double *values;    /* shape [count x num_metrics]; NaN: not collected */
    size_t unusable;   /* kernels omitted because inst_issued is missing */
    bool modelled;     /* one of them is modelled, not measured */
} profile_rows;

/** The runs of the proxies on one device. */
nitro_status profile_rows_of_proxies(nitro_context *context, nitro_store *store, const char *device,
                                     const nitro_proxies *proxies, profile_rows *rows);
/** The runs of a computation's variants on one device.
 *  @param[in] wanted  shape [num_inputs of `inputs`]: which inputs. */
nitro_status profile_rows_of_variants(nitro_context *context, nitro_store *store,
                                      const char *device, const nitro_proxies *proxies,
                                      const nitro_dataset *inputs, const bool *wanted,
                                      profile_rows *rows);
void profile_rows_free(profile_rows *rows);

/**
 * Regression of a kernel's intensity in one proxy's kind of work, trained on the proxy's own runs.
 * Its columns are the proxy's metrics that all these runs have, and some variant's kernel.
 */
typedef struct proxy_model {
    nitro_regression *regression; /* NULL: no training data */
    size_t num_columns;
    size_t *columns; /* shape [num_columns], indices of metrics */
    bool own;        /* trained on runs on the same device */
} proxy_model;

/**
 * Train on the proxy's runs on the device of the queries; without runs at two intensities there, on
 * its runs on all devices.
 * @param[in] runs  shape [num_devices]: each device's runs of proxies.
 */
nitro_status proxy_model_train(nitro_context *context, const nitro_proxies *proxies, size_t proxy,
                               const profile_rows *runs, size_t num_devices, size_t device,
                               const profile_rows *queries, proxy_model *model);
/** Intensity of one kernel in [0, NITRO_MAX_INTENSITY]; NaN if it lacks a metric. */
double proxy_model_query(const proxy_model *model, const profile_rows *queries, size_t row,
                         double *scratch);
void proxy_model_free(proxy_model *model);

#endif

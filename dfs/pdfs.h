/* profile.h - what the files of the selection "profile" share: kernels as rows of metrics. */
#ifndef NITRO_DFS_PDFS_H
#define NITRO_DFS_PDFS_H

#include "nitro/nitro_backend.h"

/** Kernels of one device, each with its metrics as nitro_proxies_values gives them. */
typedef struct profile_rows {
    size_t num_metrics;
    size_t count, capacity;
    size_t *owner;     /* shape [count]: index of the proxy, or of the input */
    double *intensity; /* shape [count]: NaN: a variant's */
    double *values;    /* shape [count x num_metrics]; NaN: not collected */
    size_t unusable;   /* kernels left out: it is not known how many instructions they issued */
    bool modelled;     /* one of them is: no hardware was asked */
} profile_rows;

/** The runs of proxies that `proxies` names, on one device. */
nitro_status profile_rows_of_proxies(nitro_context *context, nitro_store *store, const char *device,
                                     const nitro_proxies *proxies, profile_rows *rows);
/** All variants' runs of a computation on one device, on inputs that are asked for.
 *  @param[in] wanted  shape [num_inputs of `inputs`]. */
nitro_status profile_rows_of_variants(nitro_context *context, nitro_store *store,
                                      const char *device, const nitro_proxies *proxies,
                                      const nitro_dataset *inputs, const bool *wanted,
                                      profile_rows *rows);
void profile_rows_free(profile_rows *rows);

/**
 * How intense a kernel is in one proxy's kind of work: a regression that learnt from the proxy's
 * own runs. Its columns are the proxy's metrics that every run of it has and any of the questions.
 */
typedef struct proxy_model {
    nitro_regression *regression; /* NULL: there is nothing to learn from */
    size_t num_columns;
    size_t *columns; /* shape [num_columns], indices of metrics */
    bool own;        /* learnt from runs on the device of the questions */
} proxy_model;

/**
 * Learn from the proxy's runs on the device of the questions; where they are none at two
 * intensities, from its runs on all devices.
 * @param[in] runs  shape [num_devices]: each device's runs of proxies.
 */
nitro_status proxy_model_train(nitro_context *context, const nitro_proxies *proxies, size_t proxy,
                               const profile_rows *runs, size_t num_devices, size_t device,
                               const profile_rows *queries, proxy_model *model);
/** Intensity of one question in [0, NITRO_MAX_INTENSITY]; NaN where it lacks a metric. */
double proxy_model_query(const proxy_model *model, const profile_rows *queries, size_t row,
                         double *scratch);
void proxy_model_free(proxy_model *model);

#endif

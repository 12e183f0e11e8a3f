/* proxies.h - proxies as data, and the regression of P-DFS. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_PROXIES_H
#define NITRO_BACKEND_PROXIES_H

#include "nitro/backend/records.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nitro_expression;

/** A metric by its nvprof name, and its formulas over counters of today's profilers. */
typedef struct nitro_proxy_metric {
    char *name;
    bool is_ratio; /* percentage, rate or average: independent of the amount of work */
    size_t num_formulas;
    struct nitro_expression *
        *formulas; /* over the set's counters; the first with all counters available is used */
} nitro_proxy_metric;

/** A kernel of adjustable intensity for one kind of work, and the device features that it stands
 * for. */
typedef struct nitro_proxy {
    char *name;
    char *about;
    size_t num_metrics;
    size_t *metrics; /* shape [num_metrics], indices of the set's metrics, ascending */
    nitro_string_list device_features;
} nitro_proxy;

/** Proxies in declared order. */
typedef struct nitro_proxies {
    size_t num_metrics;
    nitro_proxy_metric *metrics; /* shape [num_metrics] */
    size_t num_proxies;
    nitro_proxy *proxies;       /* shape [num_proxies] */
    nitro_string_list counters; /* that occur in formulas */
} nitro_proxies;

/**
 * The built-in proxies (data/proxies/paper.json), and those of a file in the same format.
 * @param[in] path  NULL: only the built-in ones. Proxies and metrics of the file are appended, or
 * replace one of the same name.
 * @return as nitro_file_read; NITRO_ERR_NEWER; NITRO_ERR_FORMAT: file and field are named.
 */
NITRO_API nitro_status nitro_proxies_create(nitro_context *context, const char *path,
                                            nitro_proxies **proxies);
/** Add proxies of a text in the same format; on error `proxies` must be freed. */
NITRO_API nitro_status nitro_proxies_add(nitro_context *context, nitro_proxies *proxies,
                                         const char *origin, const char *text, size_t size);
NITRO_API void nitro_proxies_free(nitro_proxies *proxies);
/** Index of a proxy by name, or NITRO_NONE. */
NITRO_API size_t nitro_proxies_find(const nitro_proxies *proxies, const char *name);
/**
 * A profile as input of the proxies' models: each metric as collected, or computed from counters;
 * counts are divided by the kernel's issued instructions (metric inst_issued), ratios are not. A
 * ratio with denominator 0 is 0.
 * @param[out] values  shape [num_metrics]; NaN: not collected. All NaN if inst_issued is missing.
 */
NITRO_API nitro_status nitro_proxies_values(nitro_context *context, const nitro_proxies *proxies,
                                            const nitro_profile *profile, double *values);

/**
 * The counters to collect for all metrics: for each, those of the first formula whose counters are
 * all available.
 * @param[in]  has       is this counter available? Called once a counter.
 * @param[out] counters  in the set's order; appended.
 */
NITRO_API nitro_status nitro_proxies_choose_counters(nitro_context *context,
                                                     const nitro_proxies *proxies,
                                                     bool (*has)(void *user, const char *counter),
                                                     void *user, nitro_string_list *counters);

typedef struct nitro_regression nitro_regression;

/**
 * Regression by LIBSVM's epsilon-SVR with an RBF kernel (C 100, gamma 1 / columns, epsilon 0.1).
 * Columns are scaled to [-1, 1]; constant ones are dropped. A point outside the training range is
 * clamped to it.
 * @param[in] columns  shape [num_rows x num_columns], finite.
 * @param[in] values   shape [num_rows], finite.
 * @return NITRO_OK; NITRO_ERR_NO_DATA: fewer than two rows, or no column varies.
 */
NITRO_API nitro_status nitro_regression_train(nitro_context *context, const double *columns,
                                              size_t num_rows, size_t num_columns,
                                              const double *values, nitro_regression **regression);
/** @param[in] columns  shape [num_columns]. Allocates nothing; thread-safe. */
NITRO_API double nitro_regression_predict(const nitro_regression *regression,
                                          const double *columns);
NITRO_API void nitro_regression_free(nitro_regression *regression);

#ifdef __cplusplus
}
#endif

#endif

/* proxies.h - proxies as data, and the regression that P-DFS asks. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_PROXIES_H
#define NITRO_BACKEND_PROXIES_H

#include "nitro/backend/records.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nitro_formula;

/** A metric by the name that nvprof gave it, and how it follows from counters of today's names. */
typedef struct nitro_proxy_metric {
    char *name;
    bool is_ratio; /* percentages, rates, averages: says the same however much work there was */
    size_t num_formulas;
    struct nitro_formula **formulas; /* over the set's counters; the first that has them counts */
} nitro_proxy_metric;

/** A kernel with a dial for one kind of work, and what it stands for (DESIGN: the proxies). */
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
 * The built-in proxies, data/proxies/paper.json; and those of a file in the same form.
 * @param[in] path  NULL: the built-in ones alone. Proxies and metrics of the file's come after
 *                  them, or in place of one of the same name.
 * @return as nitro_file_read; NITRO_ERR_NEWER; NITRO_ERR_FORMAT: file and field are named.
 */
NITRO_API nitro_status nitro_proxies_create(nitro_context *context, const char *path,
                                            nitro_proxies **proxies);
/** Add what a text says, as with a file; on error `proxies` is of no more use but to be freed. */
NITRO_API nitro_status nitro_proxies_add(nitro_context *context, nitro_proxies *proxies,
                                         const char *origin, const char *text, size_t size);
NITRO_API void nitro_proxies_free(nitro_proxies *proxies);
/**
 * A profile as proxies' models see it: each metric as it was collected, or from today's counters;
 * counts are divided by the kernel's issued instructions (metric inst_issued), ratios are not. A
 * ratio of which there was nothing to count is 0.
 * @param[out] values  shape [num_metrics]; NaN: not collected. All NaN where it is not known how
 *                     many instructions were issued.
 */
NITRO_API nitro_status nitro_proxies_values(nitro_context *context, const nitro_proxies *proxies,
                                            const nitro_profile *profile, double *values);

/**
 * What to collect so that the metrics can be made: of each metric's formulas, the counters of the
 * first all of whose counters can be counted.
 * @param[in]  has       can this be counted here? Asked once a counter.
 * @param[out] counters  in the set's order; appended.
 */
NITRO_API nitro_status nitro_proxies_choose_counters(nitro_context *context,
                                                     const nitro_proxies *proxies,
                                                     bool (*has)(void *user, const char *counter),
                                                     void *user, nitro_string_list *counters);

typedef struct nitro_regression nitro_regression;

/**
 * Regression by LIBSVM's epsilon-SVR with an RBF kernel (C 100, gamma 1 / columns, epsilon 0.1).
 * Columns are scaled to [-1, 1]; those that do not vary are left out. A point outside the range
 * that was learnt from is asked about at the range's edge.
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

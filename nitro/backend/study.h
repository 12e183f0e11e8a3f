/*
 * study.h - the paper's evaluation (Section 6): which variants win where, how much the best one
 * depends on the device, the quality of methods with all sources and with one fewer, what
 * device-feature selections choose and how long they take. For tools (nitro report). nitro.h's
 * rules hold here too.
 */
#ifndef NITRO_BACKEND_STUDY_H
#define NITRO_BACKEND_STUDY_H

#include "nitro/backend/evaluating.h"
#include "nitro/backend/learning.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What was measured (study_winners.c) ----------------------------------------------------- */

/** How often each variant is the best one on a device (Table 4). */
typedef struct nitro_study_wins {
    size_t inputs;                   /* with times of at least two variants */
    size_t wins[NITRO_MAX_VARIANTS]; /* of those, where this one is the fastest; the first declared
                                        on ties; adds up to `inputs` */
} nitro_study_wins;

NITRO_API void nitro_study_count_wins(const nitro_dataset *dataset, size_t device,
                                      nitro_study_wins *wins);

/**
 * For every input, the largest number of devices on which the same variant is within `tolerance` of
 * the best time there (Figures 4 and 5).
 *
 * @param[in]  devices    shape [num_devices]: which to compare; NULL: all. One at least.
 * @param[in]  tolerance  0: the fastest itself (ties share); 0.05: up to 5 % slower.
 * @param[out] counts     shape [num_devices + 1]: inputs by that number.
 * @param[out] inputs     inputs with times of two variants on each of the devices: the sum of
 *                        `counts`.
 */
NITRO_API nitro_status nitro_study_share(nitro_context *context, const nitro_dataset *dataset,
                                         const bool *devices, double tolerance, size_t *counts,
                                         size_t *inputs);

/** The device features that all devices of a dataset have, without descriptive ones; appended. */
NITRO_API nitro_status nitro_study_common_features(nitro_context *context,
                                                   const nitro_dataset *dataset,
                                                   nitro_string_list *features);

/* ---- Rooflines (study_work.c) ---------------------------------------------------------------- */

/** What a variant reaches on a device, over the inputs with a time; NaN: not known. */
typedef struct nitro_study_roof {
    size_t inputs;
    double intensity, gflops, gbps; /* medians: flops a byte, GFLOP/s, GB/s */
    double
        share[3]; /* of the roof, the least time by peak bandwidth and peak flops over the measured
                     one: 10 % quantile, median, 90 % quantile; percent. Above 100: caches */
} nitro_study_roof;

/**
 * By the variants' flops and bytes in a description (nitro_description's work), and by the devices'
 * peak_gbps and peak_gflops_dp or _sp.
 * @param[out] roofs  shape [num_devices x num_variants], free with free(); `inputs` 0: no work is
 *                    given for the variant.
 */
NITRO_API nitro_status nitro_study_roofs(nitro_context *context, const nitro_dataset *dataset,
                                         const char *path, nitro_study_roof **roofs);

/* ---- How methods choose (study_quality.c) ---------------------------------------------------- */

typedef struct nitro_study_options {
    const nitro_string_list *targets; /* NULL: every device with samples */
    const nitro_string_list *sources; /* NULL: all; a target is never its own source */
    const nitro_string_list *methods; /* NULL: all */
    double train_fraction;            /* (0, 1) */
    uint64_t seed;                    /* the first one; the others count up */
    size_t num_seeds;                 /* >= 1 */
    unsigned num_threads;             /* 0: one per core */
    /** As in nitro_evaluate_options; counts over all seeds. */
    bool (*progress)(void *user, size_t done, size_t total, const char *target, const char *method);
    void *progress_user;
    const nitro_evaluate_watch *watch; /* of every seed's evaluation; NULL: none */
    nitro_training_memo *memo;         /* as in nitro_evaluate_options */
} nitro_study_options;

NITRO_API void nitro_study_options_init(nitro_study_options *options);

/**
 * nitro_evaluate for every seed, and the plain means over the seeds: `inputs` is the sum.
 * @param[in]  removed  a device that is neither source nor target. NULL: none.
 * @param[out] results   shape [count], target by target, methods in declared order; free with
 *                       nitro_evaluate_results_free.
 * @return as nitro_evaluate.
 */
NITRO_API nitro_status nitro_study_quality(nitro_store *store, const char *computation,
                                           const nitro_study_options *options, const char *removed,
                                           nitro_evaluate_result **results, size_t *count);

/** The result of a method on a target, or NULL. */
NITRO_API const nitro_evaluate_result *nitro_study_find(const nitro_evaluate_result *results,
                                                        size_t count, const char *target,
                                                        const char *method);

/** Mean over targets at one place of their curves: 0 without measured inputs, 1 with the first
 * number of them, and so on. */
typedef struct nitro_study_point {
    nitro_evaluate_result mean; /* `target` is NULL; `measured` is the largest of the targets' */
    size_t least_measured;      /* the smallest: a shorter curve counts with its last place */
    size_t targets;             /* with results of the method */
} nitro_study_point;

/** @return false: no target's curve is as long. */
NITRO_API bool nitro_study_mean_at(const nitro_evaluate_result *results, size_t count,
                                   const char *method, size_t place, nitro_study_point *point);

/* ---- What selections choose (study_selection.c) ---------------------------------------------- */

/** One device-feature selection's choice for one target (Table 5), and its time (Table 6). */
typedef struct nitro_study_selection {
    char *target;
    const nitro_dfs_kind *kind;
    size_t sources, inputs, candidates; /* numbers of devices, training inputs, device features */
    nitro_string_list chosen;
    char *report;      /* JSON; NULL: none */
    char *refusal;     /* why it could not choose; NULL: it could */
    double elapsed_ms; /* wall time on the context's clock, of the selection only; NaN: refused */
} nitro_study_selection;

/**
 * Let every built-in selection choose for every target, from the training inputs of the first seed.
 * @param[out] selections  shape [count], target by target, kinds in declared order.
 * @return as nitro_evaluate. A selection without the data that it needs is no error.
 */
NITRO_API nitro_status nitro_study_select(nitro_store *store, const char *computation,
                                          const nitro_study_options *options,
                                          nitro_study_selection **selections, size_t *count);
NITRO_API void nitro_study_selections_free(nitro_study_selection *selections, size_t count);

#ifdef __cplusplus
}
#endif

#endif

/* cvdfs.h - the state of one CV-DFS search, for the files cvdfs*.c. */
#ifndef NITRO_DFS_CVDFS_H
#define NITRO_DFS_CVDFS_H

#include "nitro/nitro_backend.h"

#define LEAST_SOURCES 3 /* with fewer, nothing varies over the training devices */
#define NO_FEATURE    0 /* index of the empty subset */

/** Distances of one candidate, in widths of the range. */
typedef struct dfs_range {
    double target;  /* of the target from the sources' range; 0: inside */
    double tried;   /* of a source from the range of the others, the largest */
    bool is_within; /* may be chosen */
} dfs_range;

typedef struct feature_tally {
    size_t candidate;
    double votes;   /* each validation device has one */
    double outside; /* how far the target is outside the sources' range, in widths of it */
    double quality; /* of the subset of only this candidate, in percent: mean over validation
                       devices */
} feature_tally;

typedef struct validation_device {
    size_t best;     /* its best subset of the highest mean; NO_FEATURE: none has features */
    size_t num_best; /* subsets that share its vote, including the empty one */
} validation_device;

typedef struct search {
    nitro_context *context;
    nitro_dfs_task task; /* its candidates are those within range */
    const nitro_string_list *offered;
    dfs_range *ranges; /* shape [offered] */
    nitro_string_list candidates;
    size_t num_sources; /* devices with samples in the dataset */
    bool *is_source;    /* shape [num_devices] */
    size_t num_subsets;
    uint64_t *subsets; /* shape [num_subsets]: by size, then in the candidates' order */
    double *qualities; /* shape [num_devices x num_subsets] */
    uint64_t *varying; /* shape [num_devices]: candidates that vary over the training devices */
    double *means;     /* shape [num_subsets]: mean quality over validation devices */
    validation_device *targets; /* shape [num_devices] */
    size_t num_targets;         /* validation devices that voted for a feature */
    size_t num_chosen;
    feature_tally *tallies; /* shape [num_candidates], the most votes first */
    nitro_dfs_effort effort;
} search;

/** Qualities to best subsets, tallies and the number chosen. */
void search_vote(search *s);

/** Mean quality of a subset on a validation device, in percent; NaN: not evaluated. */
double search_quality(const search *s, size_t validation, size_t subset);
/** Why none is chosen; NULL if some are. */
const char *search_reason_for_none(const search *s);

/** @param[in] chosen  its last `num_chosen` items are those of this search. */
nitro_status search_report(const search *s, const nitro_string_list *chosen,
                           struct json_t **report);

#endif

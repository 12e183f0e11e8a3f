/* cvdfs.h - what the files of the selection "cv" share: one search by cross-validation. */
#ifndef NITRO_DFS_CVDFS_H
#define NITRO_DFS_CVDFS_H

#include "dfs/cvdfs_range.h"

#define LEAST_SOURCES 3 /* with fewer, nothing varies over those that teach */
#define NO_FEATURE    0 /* index of the empty subset: what the others are compared with in reports */

/** What a candidate came to. */
typedef struct feature_tally {
    size_t candidate;
    double votes;   /* of one a pretend target */
    double outside; /* how far the target lies outside the sources' range, in widths of it */
    double quality; /* alone, in percent, meant over the pretend targets */
} feature_tally;

/** What a source said as pretend target. */
typedef struct validation_device {
    size_t best; /* that of the highest mean of its best subsets; NO_FEATURE: none has features */
    size_t num_best; /* that share its vote, that of none among them */
} validation_device;

typedef struct search {
    nitro_context *context;
    nitro_dfs_task task; /* its candidates are those within reach */
    const nitro_string_list *offered;
    dfs_range *ranges; /* shape [offered]; all within where there are no pretend targets */
    nitro_string_list candidates;
    size_t num_sources; /* devices of the dataset that have samples there */
    bool *is_source;    /* shape [num_devices] */
    size_t num_subsets;
    uint64_t *subsets;          /* shape [num_subsets]: by size, then in the candidates' order */
    double *qualities;          /* shape [num_devices x num_subsets] */
    double *means;              /* shape [num_subsets]: over the pretend targets */
    validation_device *targets; /* shape [num_devices] */
    size_t num_targets;         /* pretend targets that voted for a feature */
    size_t num_chosen;
    feature_tally *tallies; /* shape [num_candidates], the most frequent first */
    nitro_dfs_effort effort;
} search;

/** From qualities to the pretend targets' best subsets, the tallies and how many are chosen. */
void search_vote(search *s);

/** Mean quality of a subset on a pretend target, in percent; NaN: not judged. */
double search_quality(const search *s, size_t validation, size_t subset);
/** Why none is chosen; NULL: some are. */
const char *search_reason_for_none(const search *s);

/** @param[in] chosen  its last `num_chosen` are the search's. */
nitro_status search_report(const search *s, const nitro_string_list *chosen,
                           struct json_t **report);

#endif

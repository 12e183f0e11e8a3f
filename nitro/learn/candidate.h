/* candidate.h - a model beside how it was fitted, one of those that selection compares. Internal to
 * nitro/learn. */
#ifndef NITRO_LEARN_CANDIDATE_H
#define NITRO_LEARN_CANDIDATE_H

#include "nitro/learn/fit.h"
#include "nitro/learn/select.h"

/** What all candidates have in common. */
typedef struct nitro_selection {
    nitro_context *context;
    const nitro_training_task *task;
    bool logs;
} nitro_selection;

typedef struct nitro_candidate {
    nitro_fit_task fit;
    nitro_model *model;
    uint64_t members;       /* of the ensemble that LODO validation prefers; 0: all used now */
    double members_quality; /* LODO quality with only these, percent */
    double total;           /* nitro_feature_costs_total */
    double cost;            /* of the choices on held-out inputs; NaN: there are none */
} nitro_candidate;

/** Fit and validate c->fit; sets the rest. @param[in] logs  skipped samples. */
nitro_status nitro_candidate_evaluate(const nitro_selection *s, bool logs, nitro_candidate *c);

/** Free the candidate's model and become `by`, which is moved. */
void nitro_candidate_replace(nitro_candidate *c, const nitro_candidate *by);

/**
 * For a device's own samples: take the relative and input features, or one variant for all inputs,
 * that held-out inputs show to be best.
 * @param[in,out] c  evaluated; after an error its model is still to be freed.
 */
nitro_status nitro_select_own(const nitro_selection *s, nitro_candidate *c);

#endif

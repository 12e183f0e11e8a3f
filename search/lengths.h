/*
 * lengths.h - the covariance of the searcher "auto", and fitting its weights to observations.
 * Internal to search/.
 *
 * Covariance of two configurations: (1 - additive) matern(d) + additive mean_p exp(-d_p), where d_p
 * sums a parameter's axes by their weights, and d sums all of them. The second part learns what
 * each parameter does by itself, whatever the others are, from few observations.
 */
#ifndef NITRO_SEARCH_LENGTHS_H
#define NITRO_SEARCH_LENGTHS_H

#include "search/axes.h"
#include "search/gp.h"

typedef struct search_lengths {
    const nitro_space *space;
    search_axes axes;
    size_t num_varying; /* parameters of more than one value */
    double additive;    /* expected, in (0, 1) */
    double noise;       /* expected variance of the noise, relative */
    double *logs;       /* shape [axes + 2]: logarithms of the weights and of the noise, and the
                           logit of the additive share */
} search_lengths;

nitro_status search_lengths_init(nitro_context *context, const nitro_space *space, double additive,
                                 double noise, search_lengths *lengths);
void search_lengths_release(search_lengths *lengths);

/**
 * Move the weights towards the mode of their posterior; from where they are, so that repeated calls
 * with more observations are cheap.
 * @param[in] indices  shape [count x num_parameters].
 */
nitro_status search_lengths_fit(nitro_context *context, search_lengths *lengths,
                                const uint16_t *indices, const double *values, size_t count);
/** Give a process without observations this covariance. */
void search_lengths_apply(const search_lengths *lengths, search_gp *gp);

#endif

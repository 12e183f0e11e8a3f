/* Acquisition functions over all candidates. */
#include <math.h>

#include "search/bayes.h"

double search_bayes_spread(const bayes *self)
{
    double sum = 0;
    size_t count = 0;
    for (size_t c = 0; c < self->candidates.count; c++) {
        if (self->done[c])
            continue;
        double variance = fmax((double)self->gp.variance[c], 0);
        sum += self->of_variances ? variance : sqrt(variance);
        count++;
    }
    return count > 0 ? sum / (double)count : 0;
}

/* Contextual variance: explore by how uncertain the process still is, less the more was won. */
static double contextual_lambda(const bayes *self)
{
    double won = self->initial_mean_ms / self->best_ms;
    return self->initial_spread > 0 ? search_bayes_spread(self) / self->initial_spread / won : 0;
}

bayes_view search_bayes_view(const bayes *self, const search_walk *walk)
{
    const double pi = 3.14159265358979323846;
    bayes_view view = {.best_ms = self->best_ms};
    double squares = 0;
    for (size_t i = 0; i < self->num_valid; i++)
        view.mean_ms += self->times_ms[i] / (double)self->num_valid;
    for (size_t i = 0; i < self->num_valid; i++)
        squares += (self->times_ms[i] - view.mean_ms) * (self->times_ms[i] - view.mean_ms);
    view.deviation_ms = sqrt(squares / (double)self->num_valid);
    view.lambda = self->constant ? self->lambda : contextual_lambda(self);
    double u = (double)walk->evaluated.num_used, d = (double)walk->num_parameters;
    double inside = (d / 2 + 2) * log(u) + log(pi * pi / (3 * fmax(view.lambda, 1e-9)));
    view.srinivas = sqrt(2 * fmax(inside, 0));
    return view;
}

/* Greater is better. The probability of improvement rises with z, which is compared instead. */
static double rate(const bayes_view *view, acquisition kind, double mean, double sigma)
{
    if (kind == ACQUIRE_LCB)
        return view->lambda * sigma - mean;
    if (kind == ACQUIRE_LCB_SRINIVAS)
        return view->srinivas * sigma - mean;
    double z = (view->best_ms - view->lambda - mean) / (sigma + 1e-9);
    return kind == ACQUIRE_POI ? z : search_improvement_rating(sigma, z);
}

size_t search_bayes_propose(const bayes *self, const bayes_view *view, acquisition kind)
{
    const search_gp *gp = &self->gp;
    size_t best = NITRO_NONE;
    /* Deviations are at most that of the observations: below the cut nothing is better than what
     * was found. Most candidates are, and need no transcendental function. */
    double greatest = -INFINITY, cut = -INFINITY;
    for (size_t c = 0; c < self->candidates.count; c++) {
        if (self->done[c])
            continue;
        double mean =
            view->mean_ms + (double)gp->values_sum[c] - view->mean_ms * (double)gp->ones_sum[c];
        double sigma = view->deviation_ms * sqrt(fmax((double)gp->variance[c], 0));
        if (kind == ACQUIRE_EI && view->best_ms - view->lambda - mean < cut * (sigma + 1e-9))
            continue;
        double rating = rate(view, kind, mean, sigma);
        if (rating > greatest) {
            greatest = rating;
            best = c;
            if (kind == ACQUIRE_EI)
                cut = search_improvement_cut(greatest, view->deviation_ms);
        }
    }
    return best;
}

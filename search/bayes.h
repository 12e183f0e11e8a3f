/*
 * bayes.h - Bayesian optimisation as published by Willemsen, van Nieuwpoort and van Werkhoven
 * (2021). Internal to search/.
 *
 * A Gaussian process with a fixed covariance is fitted to the valid observations, standardised;
 * what an acquisition function rates best among all configurations not evaluated comes next.
 */
#ifndef NITRO_SEARCH_BAYES_H
#define NITRO_SEARCH_BAYES_H

#include "search/gp.h"
#include "search/walk.h"

typedef enum acquisition { ACQUIRE_EI, ACQUIRE_POI, ACQUIRE_LCB, ACQUIRE_LCB_SRINIVAS } acquisition;

/** How proposals of several acquisition functions are used. */
typedef enum bayes_portfolio {
    BAYES_SINGLE,
    BAYES_MULTI,         /* those that propose the same are merged */
    BAYES_MULTI_ADVANCED /* those that propose worse leave, one that proposes better stays alone */
} bayes_portfolio;

#define BAYES_MEMBERS 3

/** An acquisition function of a portfolio. */
typedef struct bayes_member {
    acquisition kind;
    bool live;
    double score;        /* discounted sum of its observations */
    uint32_t duplicates; /* a bit a proposal, the last one lowest: another proposed the same */
    size_t num_worse, num_better;
    size_t proposal; /* position in the batch */
} bayes_member;

typedef struct bayes {
    search_candidates candidates;
    search_gp gp;
    bool *done; /* shape [candidates]: evaluated, or wanted */
    size_t num_initial;
    bool initial;      /* the initial sample is being evaluated */
    bool constant;     /* exploration */
    bool of_variances; /* contextual exploration: ratio of variances, else of deviations */
    double lambda;     /* constant one */
    double *times_ms;  /* shape [gp.capacity]: of the valid observations */
    size_t num_valid;
    double best_ms;
    double initial_mean_ms, initial_spread; /* mu_s, V_s */
    bayes_portfolio portfolio;
    bayes_member members[BAYES_MEMBERS]; /* BAYES_SINGLE: the first */
    double discount, margin;
    size_t patience;
} bayes;

/** What acquisition functions need to know about all candidates. */
typedef struct bayes_view {
    double mean_ms, deviation_ms; /* of the observations */
    double best_ms, lambda;
    double srinivas; /* lambda of ACQUIRE_LCB_SRINIVAS */
} bayes_view;

bayes_view search_bayes_view(const bayes *self, const search_walk *walk);
/** Mean posterior deviation, or variance, of the candidates not done, in units of the
 *  observations' deviation. */
double search_bayes_spread(const bayes *self);
/** The candidate not done that the function rates best, or NITRO_NONE. */
size_t search_bayes_propose(const bayes *self, const bayes_view *view, acquisition kind);

/** Want the proposals of a portfolio's live members. */
nitro_status search_bayes_want(search_walk *walk, bayes *self);
/** Judge the members by the times of their proposals. */
void search_bayes_judge(const search_walk *walk, bayes *self);

#endif

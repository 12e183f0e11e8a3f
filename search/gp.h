/*
 * gp.h - a Gaussian process over a list of candidates, kept up observation by observation. Internal
 * to search/.
 *
 * With K = L L^T the covariance of the observations and C that of observations and candidates, it
 * keeps L and W = L^-1 C: an observation adds a row to each, O(observations x candidates), and the
 * posterior of all candidates are sums over the rows of W. L is double, W float: sums over a few
 * hundred rows of numbers below 1.
 */
#ifndef NITRO_SEARCH_GP_H
#define NITRO_SEARCH_GP_H

#include "search/candidates.h"

typedef enum search_covariance { SEARCH_MATERN_3_2, SEARCH_MATERN_5_2 } search_covariance;

typedef struct search_gp {
    const search_candidates *candidates;
    search_covariance covariance;
    double noise;      /* added to the diagonal of K */
    float **distances; /* shape [num_parameters], each [levels x levels]: summands of the squared
                          distance, in length scales */
    float joint;       /* weight of the covariance at that distance, 1 at first */
    float **summands;  /* likewise: summands that are added to the covariance, zeros at first */
    size_t count, capacity; /* observations */
    size_t num_extended;    /* of them, those that W has */
    uint16_t *observed;     /* levels, shape [capacity x num_parameters] */
    double *lower;          /* L, row by row, each of the length of its number */
    double *solved_values;  /* L^-1 y, shape [capacity] */
    double *solved_ones;    /* L^-1 1 */
    float *rows;            /* W, shape [capacity x capacity of the candidates] */
    float *values_sum;      /* W^T L^-1 y, shape [candidates] */
    float *ones_sum;        /* W^T L^-1 1 */
    float *variance;        /* 1 - column norms of W, shape [candidates] */
} search_gp;

/** The process without observations. Distances are zeros: fill them. The covariance of a
 * configuration with itself must come to 1. */
nitro_status search_gp_init(nitro_context *context, const search_candidates *candidates,
                            search_covariance covariance, double noise, size_t capacity,
                            search_gp *gp);
void search_gp_release(search_gp *gp);
/** Forget all observations. */
void search_gp_clear(search_gp *gp);
/** Add the value of a configuration; false where capacity is reached. The sums have it after the
 * next update. */
bool search_gp_observe(search_gp *gp, const uint16_t *indices, double value);
/** Bring W and the sums up to date with the observations. */
void search_gp_update(search_gp *gp);
/** Replace the values of all observations, shape [count], and update. */
void search_gp_set_values(search_gp *gp, const double *values);

/** The order of candidates by expected improvement: that improvement, or where a double cannot hold
 * it, z, which is negative then. A search that stalls comes there. */
double search_improvement_rating(double deviation, double z);
/** The z below which no candidate of at most this deviation reaches a rating. */
double search_improvement_cut(double rating, double deviation);

#endif

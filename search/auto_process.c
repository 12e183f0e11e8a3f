/* The two processes of the searcher "auto", and its choice by them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/statistics.h"
#include "search/auto.h"

/* Observations that the weights are fitted to: the faster half, and others evenly. */
#define MAX_FITTED 128
/* The weights are fitted again when there are so many times more observations. */
#define REFIT_GROWTH 1.25
/* Rows that are left when the process is full: the fastest, and the latest. */
#define KEPT_ROWS (AUTO_MAX_ROWS / 4)
/* Configurations whose neighbours are added to the draw of a large space. */
#define NUM_CENTRES 3
/* Least probability of being valid that is told apart. */
#define LEAST_VALIDITY 0.01
/* Of auto_propose_near: how many count as the fastest, and the least probability of being valid. */
#define NUM_ELITES    10
#define NEAR_VALIDITY 0.3
/* Candidates of auto_draw. */
#define NUM_DRAWN 16

static bool is_known(const auto_observation *observation)
{
    return observation->valid && !observation->awaited;
}

/* The value of rank `rank` among the known observations from `begin` on; INFINITY: fewer. */
static nitro_status value_of_rank(const auto_search *self, size_t rank, double *value)
{
    double *sorted = nitro_calloc(self->context, self->num_observations + 1, sizeof(*sorted));
    size_t count = 0;
    if (!sorted)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < self->num_observations; i++)
        if (is_known(&self->observations[i]))
            sorted[count++] = self->observations[i].value;
    nitro_sort(sorted, count);
    *value = rank < count ? sorted[rank] : INFINITY;
    free(sorted);
    return NITRO_OK;
}

/* ---- The process of times -------------------------------------------------------------------- */

/* Values above the median are squashed; an awaited row has what was expected there. */
static void squash_values(auto_search *self)
{
    double sorted[AUTO_MAX_ROWS];
    size_t known = 0;
    for (size_t i = 0; i < self->times.count; i++)
        if (is_known(&self->observations[self->rows[i]]))
            sorted[known++] = self->observations[self->rows[i]].value;
    nitro_sort(sorted, known);
    double median = known > 0 ? sorted[known / 2] : 0;
    for (size_t i = 0; i < self->times.count; i++) {
        const auto_observation *observation = &self->observations[self->rows[i]];
        double value = isnan(observation->value) ? median : observation->value;
        double above = (value - median) / self->squash;
        self->values[i] = !observation->awaited && above > 0
                              ? median + self->squash * above / (1 + above)
                              : value;
    }
}

static void add_row(auto_search *self, size_t observation)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    if (!self->observations[observation].valid || self->times.count == AUTO_MAX_ROWS)
        return;
    nitro_space_indices(self->space, self->observations[observation].configuration, indices);
    self->rows[self->times.count] = observation;
    search_gp_observe(&self->times, indices, 0);
}

/* Rows of the fastest and of the latest, in the order told. */
static nitro_status choose_rows(auto_search *self)
{
    size_t rows = self->num_valid + self->num_awaited;
    size_t kept = rows < AUTO_MAX_ROWS ? rows : KEPT_ROWS;
    double limit = INFINITY;
    nitro_status status = NITRO_OK;
    if (kept < rows)
        status = value_of_rank(self, kept, &limit);
    for (size_t i = 0, seen = 0; status == NITRO_OK && i < self->num_observations; i++) {
        seen += self->observations[i].valid;
        if (self->observations[i].value < limit || rows - seen < kept || limit == INFINITY)
            add_row(self, i);
    }
    self->num_seen = self->num_observations;
    return status;
}

/* Fit the weights to at most MAX_FITTED rows. */
static nitro_status fit_weights(auto_search *self)
{
    size_t width = self->num_parameters, count = 0, slow = 0;
    size_t num_rows = self->times.count;
    double values[MAX_FITTED], sorted[AUTO_MAX_ROWS], limit = INFINITY;
    uint16_t *indices = nitro_calloc(self->context, MAX_FITTED * width + 1, sizeof(*indices));
    if (!indices)
        return NITRO_ERR_NO_MEMORY;
    memcpy(sorted, self->values, num_rows * sizeof(*sorted));
    nitro_sort(sorted, num_rows);
    if (num_rows > MAX_FITTED)
        limit = sorted[MAX_FITTED / 2];
    size_t num_slow = num_rows > MAX_FITTED ? num_rows - MAX_FITTED / 2 : 1;
    for (size_t i = 0; i < num_rows && count < MAX_FITTED; i++) {
        if (self->values[i] >= limit) {
            slow++;
            if (slow * (MAX_FITTED / 2) / num_slow == (slow - 1) * (MAX_FITTED / 2) / num_slow)
                continue;
        }
        values[count] = self->values[i];
        nitro_space_indices(self->space, self->observations[self->rows[i]].configuration,
                            indices + count++ * width);
    }
    nitro_status status = search_lengths_fit(self->context, &self->lengths, indices, values, count);
    free(indices);
    return status;
}

static nitro_status add_neighbours(auto_search *self, uint64_t configuration)
{
    static const nitro_neighbourhood kinds[] = {NITRO_NEIGHBOURS_HAMMING,
                                                NITRO_NEIGHBOURS_ADJACENT};
    uint16_t indices[NITRO_MAX_PARAMETERS];
    nitro_status status = NITRO_OK;
    nitro_space_indices(self->space, configuration, indices);
    for (int k = 0; status == NITRO_OK && k < 2; k++) {
        uint64_t *neighbours;
        size_t count, room = SEARCH_MAX_ADDED / NUM_CENTRES / 2;
        status = nitro_space_neighbours(self->context, self->space, indices, kinds[k], &neighbours,
                                        &count);
        if (status == NITRO_ERR_UNSUPPORTED) { /* too many to list: those that were added do */
            nitro_context_clear_error(self->context);
            return NITRO_OK;
        }
        if (status != NITRO_OK)
            break;
        for (size_t i = 0; i < room && i < count; i++) {
            size_t other = i + nitro_random_below(&self->random, count - i);
            uint64_t taken = neighbours[other];
            neighbours[other] = neighbours[i];
            search_candidates_add(&self->candidates, taken);
        }
        free(neighbours);
    }
    return status;
}

/* In a space too large to list, the neighbours of the fastest join the candidates. */
static nitro_status renew_candidates(auto_search *self)
{
    double limit;
    nitro_status status = value_of_rank(self, NUM_CENTRES, &limit);
    self->candidates.count = self->candidates.num_listed;
    for (size_t i = 0; status == NITRO_OK && i < self->num_observations; i++)
        if (is_known(&self->observations[i]) && self->observations[i].value < limit)
            status = add_neighbours(self, self->observations[i].configuration);
    for (size_t c = 0; c < self->candidates.count; c++)
        self->done[c] =
            search_evaluated_find(&self->evaluated, self->candidates.configurations[c]) != NULL;
    search_gp_clear(&self->validity);
    self->num_judged = 0;
    return status;
}

static nitro_status rebuild(auto_search *self)
{
    nitro_status status = NITRO_OK;
    bool fits = self->num_valid >= self->next_fit;
    if (fits && !self->candidates.whole)
        status = renew_candidates(self);
    if (status == NITRO_OK && fits && self->times.count > 0) {
        squash_values(self);
        status = fit_weights(self);
        self->next_fit = (size_t)ceil(REFIT_GROWTH * (double)self->num_valid) + 1;
    }
    if (status != NITRO_OK)
        return status;
    search_lengths_apply(&self->lengths, &self->times);
    search_gp_clear(&self->times);
    self->stale = false;
    return choose_rows(self);
}

/* ---- The process of validity ----------------------------------------------------------------- */

static void judge_validity(auto_search *self)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    for (; self->num_invalid > 0 && self->num_judged < self->num_observations; self->num_judged++) {
        const auto_observation *observation = &self->observations[self->num_judged];
        if (observation->awaited)
            break;
        nitro_space_indices(self->space, observation->configuration, indices);
        search_gp_observe(&self->validity, indices, observation->valid);
    }
    search_gp_update(&self->validity);
}

static double validity_at(const auto_search *self, size_t candidate)
{
    double expected =
        ((double)self->num_valid + 1) / ((double)(self->num_valid + self->num_invalid) + 1);
    if (self->validity.count == 0)
        return 1;
    double value = expected + (double)self->validity.values_sum[candidate] -
                   expected * (double)self->validity.ones_sum[candidate];
    return fmin(fmax(value, LEAST_VALIDITY), 1);
}

/* ---- The choice ------------------------------------------------------------------------------ */

nitro_status auto_update(auto_search *self)
{
    nitro_status status = NITRO_OK;
    size_t rows = self->times.count;
    for (size_t i = self->num_seen; i < self->num_observations; i++)
        rows += self->observations[i].valid;
    bool full = rows > AUTO_MAX_ROWS;
    /* Rows first, so that the fit sees all of them. */
    for (; !full && self->num_seen < self->num_observations; self->num_seen++)
        add_row(self, self->num_seen);
    if (full || self->stale || self->num_valid >= self->next_fit)
        status = rebuild(self);
    if (status != NITRO_OK)
        return status;
    squash_values(self);
    search_gp_set_values(&self->times, self->values);
    judge_validity(self);
    return NITRO_OK;
}

/* A process's mean and scale, and the least value seen. */
typedef struct process_view {
    const search_gp *gp;
    double mean, scale, least;
} process_view;

static process_view view_process(const auto_search *self)
{
    const search_gp *gp = &self->times;
    process_view view = {.gp = gp, .least = INFINITY};
    double ones = 0, cross = 0, squares = 0;
    for (size_t i = 0; i < gp->count; i++) {
        ones += gp->solved_ones[i] * gp->solved_ones[i];
        cross += gp->solved_ones[i] * gp->solved_values[i];
        view.least = fmin(view.least, self->values[i]);
    }
    view.mean = cross / ones;
    for (size_t i = 0; i < gp->count; i++) {
        double off = gp->solved_values[i] - view.mean * gp->solved_ones[i];
        squares += off * off;
    }
    view.scale = sqrt(squares / (double)gp->count) + 1e-12;
    return view;
}

static double value_at(const process_view *view, size_t candidate)
{
    return view->mean + (double)view->gp->values_sum[candidate] -
           view->mean * (double)view->gp->ones_sum[candidate];
}

size_t auto_propose(const auto_search *self, double *expected)
{
    const process_view view = view_process(self);
    size_t best = NITRO_NONE;
    /* Deviations are at most the scale: below the cut nothing is better than what was found. */
    double greatest = -INFINITY, cut = -INFINITY;
    for (size_t c = 0; c < self->candidates.count; c++) {
        if (self->done[c])
            continue;
        double deviation = view.scale * sqrt(fmax((double)view.gp->variance[c], 1e-10));
        double z = (view.least - value_at(&view, c)) / deviation;
        if (z < cut)
            continue;
        double rating = search_improvement_rating(deviation, z);
        if (rating > 0)
            rating *= validity_at(self, c);
        if (rating > greatest) {
            greatest = rating;
            best = c;
            cut = search_improvement_cut(greatest, view.scale);
        }
    }
    if (best != NITRO_NONE)
        *expected = value_at(&view, best);
    return best;
}

/* One of the fastest, the faster the likelier. */
static size_t draw_elite(auto_search *self)
{
    double sorted[AUTO_MAX_ROWS];
    size_t count = self->times.count < NUM_ELITES ? self->times.count : NUM_ELITES;
    double beta = 1 - pow(1 - nitro_random_uniform(&self->random), 1 / 2.5);
    memcpy(sorted, self->values, self->times.count * sizeof(*sorted));
    nitro_sort(sorted, self->times.count);
    double value = sorted[(size_t)(beta * (double)count)];
    size_t row = 0;
    while (self->values[row] != value)
        row++;
    return row;
}

size_t auto_propose_near(auto_search *self)
{
    const search_candidates *candidates = &self->candidates;
    const uint16_t *levels = self->times.observed + draw_elite(self) * self->num_parameters;
    size_t drawn = NITRO_NONE, count = 0;
    for (size_t c = 0; c < candidates->count; c++) {
        size_t different = 0;
        if (self->done[c])
            continue;
        for (size_t p = 0; p < self->num_parameters && different < 2; p++)
            different += candidates->levels[p * candidates->capacity + c] != levels[p];
        if (different == 1 && validity_at(self, c) >= NEAR_VALIDITY &&
            nitro_random_below(&self->random, ++count) == 0)
            drawn = c;
    }
    return drawn;
}

uint64_t auto_draw(auto_search *self)
{
    uint64_t best = NITRO_NO_CONFIGURATION;
    double greatest = -1;
    for (int i = 0; i < NUM_DRAWN; i++) {
        uint64_t drawn = search_draw_unasked(&self->evaluated, self->space, &self->random);
        size_t candidate = search_candidates_find(&self->candidates, drawn);
        double validity = candidate == NITRO_NONE ? 0 : validity_at(self, candidate);
        if (validity > greatest) {
            greatest = validity;
            best = drawn;
        }
    }
    return best;
}

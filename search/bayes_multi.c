/* Portfolios of acquisition functions: multi and advanced multi. */
#include <math.h>
#include <stdlib.h>

#include "nitro/backend/statistics.h"
#include "search/bayes.h"

static size_t num_live(const bayes *self)
{
    size_t count = 0;
    for (size_t m = 0; m < BAYES_MEMBERS; m++)
        count += self->members[m].live;
    return count;
}

static nitro_status want_proposal(search_walk *walk, bayes *self, bayes_member *member,
                                  size_t candidate)
{
    uint64_t configuration = self->candidates.configurations[candidate];
    member->duplicates <<= 1;
    for (size_t i = 0; i < walk->count; i++)
        if (walk->batch[i] == configuration) {
            for (size_t m = 0; m < BAYES_MEMBERS; m++)
                if (&self->members[m] != member && self->members[m].live &&
                    self->members[m].proposal == i)
                    self->members[m].duplicates |= 1;
            member->duplicates |= 1;
            member->proposal = i;
            return NITRO_OK;
        }
    member->proposal = walk->count;
    return search_want(walk, configuration);
}

nitro_status search_bayes_want(search_walk *walk, bayes *self)
{
    bayes_view view = search_bayes_view(self, walk);
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < BAYES_MEMBERS; m++)
        self->members[m].proposal = NITRO_NONE;
    for (size_t m = 0; status == NITRO_OK && m < BAYES_MEMBERS; m++) {
        bayes_member *member = &self->members[m];
        size_t candidate =
            member->live ? search_bayes_propose(self, &view, member->kind) : NITRO_NONE;
        if (candidate == NITRO_NONE)
            continue;
        status = want_proposal(walk, self, member, candidate);
        if (self->portfolio == BAYES_MULTI_ADVANCED)
            self->done[candidate] = true; /* nobody else's */
    }
    return status;
}

/* What an invalid proposal counts as. */
static double invalid_ms(const bayes *self)
{
    if (self->portfolio == BAYES_MULTI)
        return self->initial_mean_ms;
    double *sorted = malloc(self->num_valid * sizeof(*sorted));
    if (!sorted)
        return self->initial_mean_ms;
    for (size_t i = 0; i < self->num_valid; i++)
        sorted[i] = self->times_ms[i];
    nitro_sort(sorted, self->num_valid);
    double median = (sorted[(self->num_valid - 1) / 2] + sorted[self->num_valid / 2]) / 2;
    free(sorted);
    return median;
}

static void judge_duplicates(bayes *self)
{
    uint32_t all = (UINT32_C(1) << self->patience) - 1;
    size_t best = NITRO_NONE, count = 0;
    for (size_t m = 0; m < BAYES_MEMBERS; m++) {
        const bayes_member *member = &self->members[m];
        if (!member->live || (member->duplicates & all) != all)
            continue;
        count++;
        if (best == NITRO_NONE || member->score < self->members[best].score)
            best = m;
    }
    if (count < 2)
        return;
    for (size_t m = 0; m < BAYES_MEMBERS; m++) {
        bayes_member *member = &self->members[m];
        if (member->live && (member->duplicates & all) == all)
            member->live = m == best;
        if (m == best)
            member->duplicates = 0;
    }
}

static void judge_scores(bayes *self)
{
    double mean = 0;
    size_t worst = NITRO_NONE, best = NITRO_NONE;
    for (size_t m = 0; m < BAYES_MEMBERS; m++)
        mean += self->members[m].live ? self->members[m].score / (double)num_live(self) : 0;
    for (size_t m = 0; m < BAYES_MEMBERS; m++) {
        bayes_member *member = &self->members[m];
        if (!member->live)
            continue;
        member->num_worse += member->score > (1 + self->margin) * mean;
        member->num_better += member->score < (1 - self->margin) * mean;
        const bayes_member *other = worst == NITRO_NONE ? NULL : &self->members[worst];
        if (member->num_worse >= self->patience &&
            (!other || member->num_worse > other->num_worse ||
             (member->num_worse == other->num_worse && member->score > other->score)))
            worst = m;
        other = best == NITRO_NONE ? NULL : &self->members[best];
        if (member->num_better >= self->patience &&
            (!other || member->num_better > other->num_better))
            best = m;
    }
    if (worst != NITRO_NONE) {
        self->members[worst].live = false;
        for (size_t m = 0; m < BAYES_MEMBERS; m++)
            self->members[m].num_worse = self->members[m].num_better = 0;
    } else if (best != NITRO_NONE)
        for (size_t m = 0; m < BAYES_MEMBERS; m++)
            self->members[m].live = m == best;
}

void search_bayes_judge(const search_walk *walk, bayes *self)
{
    if (num_live(self) < 2 || self->num_valid == 0)
        return;
    double invalid = invalid_ms(self);
    for (size_t m = 0; m < BAYES_MEMBERS; m++) {
        bayes_member *member = &self->members[m];
        if (!member->live || member->proposal == NITRO_NONE)
            continue;
        double time_ms = walk->times_ms[member->proposal];
        member->score = member->score * self->discount + (isinf(time_ms) ? invalid : time_ms);
    }
    if (self->portfolio == BAYES_MULTI)
        judge_duplicates(self);
    else
        judge_scores(self);
}

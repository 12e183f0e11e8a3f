/* Chooses a few configurations that serve many cases: inputs on devices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

/* Share of the best time that each configuration reaches in each case; 0 where it is invalid. */
typedef struct case_table {
    size_t num_cases;
    uint64_t size;
    const nitro_recording *const *cases;
    double *best_ms; /* shape [num_cases]; NaN: no configuration is valid */
    bool *counts;    /* shape [num_cases]: is the case one to be served? */
} case_table;

static double share(const case_table *table, size_t at, uint64_t configuration)
{
    const nitro_search_answer *answer = &table->cases[at]->answers[configuration];
    return answer->outcome == NITRO_OUTCOME_MEASURED ? table->best_ms[at] / answer->time_ms : 0;
}

/* What the members serve, summed over the cases; all but one (NITRO_NONE: all), and one besides. */
static double serve(const case_table *table, const uint64_t *members, size_t count, size_t without,
                    uint64_t besides)
{
    double sum = 0;
    for (size_t x = 0; x < table->num_cases; x++) {
        double most = besides == NITRO_NO_CONFIGURATION ? 0 : share(table, x, besides);
        for (size_t m = 0; m < count; m++)
            if (m != without)
                most = fmax(most, share(table, x, members[m]));
        sum += table->counts[x] ? most : 0;
    }
    return sum;
}

/* The configuration that serves best beside the members, all but one of them. */
static uint64_t best_beside(const case_table *table, const uint64_t *members, size_t count,
                            size_t without, double *served)
{
    uint64_t best = NITRO_NO_CONFIGURATION;
    *served = -1;
    for (uint64_t c = 0; c < table->size; c++) {
        double now = serve(table, members, count, without, c);
        if (now > *served) {
            *served = now;
            best = c;
        }
    }
    return best;
}

/* Greedy, which is within 1 - 1/e of the optimum; then swaps, while one serves better. */
static size_t choose(const case_table *table, size_t most, uint64_t *members)
{
    size_t count = 0;
    double served = 0, with;
    while (count < most) {
        uint64_t next = best_beside(table, members, count, NITRO_NONE, &with);
        if (!(with > served + 1e-12))
            break;
        members[count++] = next;
        served = with;
    }
    for (bool better = true; better;) {
        better = false;
        for (size_t m = 0; m < count; m++) {
            uint64_t other = best_beside(table, members, count, m, &with);
            if (with > served + 1e-9) {
                members[m] = other;
                served = with;
                better = true;
            }
        }
    }
    return count;
}

static nitro_status check_cases(nitro_context *context, const nitro_recording *const *cases,
                                size_t num_cases, size_t most)
{
    if (num_cases == 0 || most == 0 || most > NITRO_MAX_PORTFOLIO)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "a portfolio of %zu configurations for %zu cases: 1 to %d configurations "
                          "and at least one case are possible",
                          most, num_cases, NITRO_MAX_PORTFOLIO);
    for (size_t x = 1; x < num_cases; x++)
        if (nitro_space_size(cases[x]->space) != nitro_space_size(cases[0]->space) ||
            nitro_space_num_parameters(cases[x]->space) !=
                nitro_space_num_parameters(cases[0]->space))
            return nitro_fail(context, NITRO_ERR_MISMATCH,
                              "cases 1 and %zu are recordings of different spaces: read them with "
                              "one description",
                              x + 1);
    return NITRO_OK;
}

static void find_best_times(case_table *table)
{
    for (size_t x = 0; x < table->num_cases; x++) {
        table->best_ms[x] = (double)NAN;
        for (uint64_t c = 0; c < table->size; c++) {
            const nitro_search_answer *answer = &table->cases[x]->answers[c];
            if (answer->outcome == NITRO_OUTCOME_MEASURED &&
                !(answer->time_ms >= table->best_ms[x]))
                table->best_ms[x] = answer->time_ms;
        }
        table->counts[x] = !isnan(table->best_ms[x]);
    }
}

static void fill(case_table *table, size_t most, nitro_portfolio *made)
{
    made->num_configurations = choose(table, most, made->configurations);
    for (size_t x = 0; x < table->num_cases; x++) {
        uint64_t without[NITRO_MAX_PORTFOLIO];
        bool counts = table->counts[x];
        for (size_t m = 0; m < made->num_configurations; m++)
            made->quality[x] = fmax(made->quality[x], share(table, x, made->configurations[m]));
        table->counts[x] = false;
        size_t count = choose(table, most, without);
        for (size_t m = 0; m < count; m++)
            made->quality_left_out[x] =
                fmax(made->quality_left_out[x], share(table, x, without[m]));
        table->counts[x] = counts;
    }
}

nitro_status nitro_portfolio_choose(nitro_context *context, const nitro_recording *const *cases,
                                    size_t num_cases, size_t most, nitro_portfolio **portfolio)
{
    nitro_status status = check_cases(context, cases, num_cases, most);
    if (status != NITRO_OK)
        return status;
    case_table table = {.num_cases = num_cases,
                        .size = nitro_space_size(cases[0]->space),
                        .cases = cases,
                        .best_ms = nitro_calloc(context, num_cases, sizeof(*table.best_ms)),
                        .counts = nitro_calloc(context, num_cases, sizeof(*table.counts))};
    nitro_portfolio *made = nitro_calloc(context, 1, sizeof(*made));
    if (made) {
        made->quality = nitro_calloc(context, num_cases, sizeof(*made->quality));
        made->quality_left_out = nitro_calloc(context, num_cases, sizeof(*made->quality));
    }
    bool complete =
        table.best_ms && table.counts && made && made->quality && made->quality_left_out;
    if (complete) {
        find_best_times(&table);
        fill(&table, most, made);
        *portfolio = made;
    } else {
        nitro_portfolio_free(made);
    }
    free(table.best_ms);
    free(table.counts);
    return complete ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

void nitro_portfolio_free(nitro_portfolio *portfolio)
{
    if (!portfolio)
        return;
    free(portfolio->quality);
    free(portfolio->quality_left_out);
    free(portfolio);
}

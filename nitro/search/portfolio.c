/* Chooses a few configurations that serve many cases: inputs on devices. */
#include <math.h>
#include <stdlib.h>

#include "nitro/nitro_backend.h"

/* Weight of each row between the cases; a case weighs 1. Little, so that these decide
 * where configurations serve the cases about as well. */
#define BETWEEN_WEIGHT 0.1

/*
 * Share of the best time that each configuration reaches in each case; 0 where it is invalid.
 * An unknown device is likely to be between the known ones, so behind the cases there are made-up
 * ones: the geometric means of the times of all cases, and of all but each one.
 */
typedef struct case_table {
    size_t num_rows;
    uint64_t size;
    double *shares;  /* shape [num_rows x size] */
    double *weights; /* shape [num_rows]; 0: the row does not count */
    double *reached; /* shape [num_rows]: shares of the members, scratch */
} case_table;

static double share(const case_table *table, size_t row, uint64_t configuration)
{
    return table->shares[row * table->size + configuration];
}

/* The greatest share of the members, all but one of them (NITRO_NONE: all). */
static double best_share(const case_table *table, size_t row, const uint64_t *members, size_t count,
                         size_t without)
{
    double most = 0;
    for (size_t m = 0; m < count; m++)
        if (m != without)
            most = fmax(most, share(table, row, members[m]));
    return most;
}

/* The configuration that serves best beside the members, all but one of them; the sum over the
 * rows. */
static uint64_t best_beside(const case_table *table, const uint64_t *members, size_t count,
                            size_t without, double *served)
{
    uint64_t best = NITRO_NO_CONFIGURATION;
    *served = -1;
    for (size_t x = 0; x < table->num_rows; x++)
        table->reached[x] = best_share(table, x, members, count, without);
    for (uint64_t c = 0; c < table->size; c++) {
        double now = 0;
        for (size_t x = 0; x < table->num_rows; x++)
            now += table->weights[x] * fmax(share(table, x, c), table->reached[x]);
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

static double best_time(const nitro_recording *recording)
{
    double best = (double)NAN;
    for (uint64_t c = 0; c < nitro_space_size(recording->space); c++) {
        const nitro_search_answer *answer = &recording->answers[c];
        if (answer->outcome == NITRO_OUTCOME_MEASURED && !(answer->time_ms >= best))
            best = answer->time_ms;
    }
    return best;
}

static void fill_case(case_table *table, size_t row, const nitro_recording *recording)
{
    double best = best_time(recording);
    for (uint64_t c = 0; !isnan(best) && c < table->size; c++)
        if (recording->answers[c].outcome == NITRO_OUTCOME_MEASURED)
            table->shares[row * table->size + c] = (best / recording->answers[c].time_ms);
    table->weights[row] = isnan(best) ? 0 : 1;
}

/* The geometric mean of the cases that count, but one; over its own best. */
static void fill_between(case_table *table, size_t row, size_t num_cases, size_t without)
{
    double *shares = table->shares + row * table->size, most = 0;
    size_t count = 0;
    for (size_t x = 0; x < num_cases; x++)
        count += x != without && table->weights[x] > 0;
    table->weights[row] = count > 1 ? BETWEEN_WEIGHT : 0;
    for (uint64_t c = 0; c < table->size; c++) {
        double logs = 0;
        for (size_t x = 0; x < num_cases; x++)
            if (x != without && table->weights[x] > 0)
                logs += log(share(table, x, c)); /* of 0: it stays 0 */
        shares[c] = count > 1 ? exp(logs / (double)count) : 0;
        most = fmax(most, shares[c]);
    }
    for (uint64_t c = 0; most > 0 && c < table->size; c++)
        shares[c] /= most;
}

static void fill_all_between(case_table *table, size_t num_cases)
{
    for (size_t x = 0; x <= num_cases; x++) /* the last one: without none */
        fill_between(table, num_cases + x, num_cases, x);
}

static void fill(case_table *table, size_t num_cases, size_t most, nitro_portfolio *made)
{
    fill_all_between(table, num_cases);
    made->num_configurations = choose(table, most, made->configurations);
    for (size_t x = 0; x < num_cases; x++) {
        uint64_t without[NITRO_MAX_PORTFOLIO];
        double weight = table->weights[x];
        made->quality[x] =
            best_share(table, x, made->configurations, made->num_configurations, NITRO_NONE);
        table->weights[x] = 0;
        fill_all_between(table, num_cases);
        size_t count = choose(table, most, without);
        made->quality_left_out[x] = best_share(table, x, without, count, NITRO_NONE);
        table->weights[x] = weight;
    }
}

nitro_status nitro_portfolio_choose(nitro_context *context, const nitro_recording *const *cases,
                                    size_t num_cases, size_t most, nitro_portfolio **portfolio)
{
    nitro_status status = check_cases(context, cases, num_cases, most);
    if (status != NITRO_OK)
        return status;
    size_t num_rows = 2 * num_cases + 1;
    uint64_t size = nitro_space_size(cases[0]->space);
    case_table table = {.num_rows = num_rows,
                        .size = size,
                        .shares =
                            nitro_calloc(context, num_rows * (size_t)size, sizeof(*table.shares)),
                        .weights = nitro_calloc(context, num_rows, sizeof(*table.weights)),
                        .reached = nitro_calloc(context, num_rows, sizeof(*table.reached))};
    nitro_portfolio *made = nitro_calloc(context, 1, sizeof(*made));
    if (made) {
        made->quality = nitro_calloc(context, num_cases, sizeof(*made->quality));
        made->quality_left_out = nitro_calloc(context, num_cases, sizeof(*made->quality));
    }
    bool complete = table.shares && table.weights && table.reached && made && made->quality &&
                    made->quality_left_out;
    if (complete) {
        for (size_t x = 0; x < num_cases; x++)
            fill_case(&table, x, cases[x]);
        fill(&table, num_cases, most, made);
        *portfolio = made;
    } else {
        nitro_portfolio_free(made);
    }
    free(table.shares);
    free(table.weights);
    free(table.reached);
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

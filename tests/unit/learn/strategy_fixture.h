/* strategy_fixture.h - a training set whose truth is known, for every strategy that is built in. */
#ifndef NITRO_TESTS_UNIT_LEARN_STRATEGY_FIXTURE_H
#define NITRO_TESTS_UNIT_LEARN_STRATEGY_FIXTURE_H

#include <jansson.h>
#include <math.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/runtime/model/model.h"
#include "unit/unit.h"

enum { MAX_ROWS = 480, COLUMNS = 3, VARIANTS = 4 };

/* Rows in a cube; which of four variants is fastest, and by how much, depends on where. */
typedef struct fixture {
    nitro_context *context;
    double columns[MAX_ROWS * COLUMNS];
    double times_ms[MAX_ROWS * VARIANTS];
    size_t row_input[MAX_ROWS];
    size_t row_device[MAX_ROWS];
    nitro_training_set set;
} fixture;

static inline void true_times(const double *x, double *times)
{
    times[0] = exp(x[0] + 0.5 * x[1]);
    times[1] = exp(-x[0]);
    times[2] = exp(sin(3.0 * x[2]));
    times[3] = exp(0.3 + x[0] * x[1]);
}

static inline fixture *make_fixture(size_t num_rows, uint64_t seed)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    nitro_random random;
    nitro_random_seed(&random, seed);
    for (size_t row = 0; row < num_rows; row++) {
        double *x = f->columns + row * COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++)
            x[c] = 2.0 * nitro_random_uniform(&random) - 1.0;
        true_times(x, f->times_ms + row * VARIANTS);
        f->row_input[row] = row / 2;
        f->row_device[row] = row % 2;
    }
    f->set = (nitro_training_set){.num_rows = num_rows,
                                  .num_columns = COLUMNS,
                                  .num_variants = VARIANTS,
                                  .columns = f->columns,
                                  .times_ms = f->times_ms,
                                  .row_input = f->row_input,
                                  .row_device = f->row_device,
                                  .seed = 5,
                                  .num_threads = 2};
    return f;
}

static inline void free_fixture(fixture *f)
{
    nitro_context_free(f->context);
    free(f);
}

/* One trained predictor with its held-out scores. */
typedef struct trained {
    const nitro_strategy *strategy;
    void *predictor;
    double *held_out; /* shape [num_rows x num_variants] */
} trained;

static inline trained train(fixture *f, const nitro_strategy *strategy)
{
    trained made = {strategy, NULL, calloc(f->set.num_rows * f->set.num_variants, sizeof(double))};
    assert_non_null(made.held_out);
    assert_ok(f->context, strategy->train(f->context, &f->set, &made.predictor, made.held_out));
    assert_non_null(made.predictor);
    return made;
}

static inline void discard(trained *made)
{
    made->strategy->free(made->predictor);
    free(made->held_out);
}

/* Each test runs for every strategy. */
typedef void (*strategy_test)(const nitro_strategy *strategy);

static inline void for_each(strategy_test test)
{
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++) {
        print_message("  %s\n", (*s)->name);
        test(*s);
    }
}

static inline double *scores_of(const trained *made, const fixture *f)
{
    size_t num_variants = f->set.num_variants;
    double *scores = calloc(f->set.num_rows * num_variants, sizeof(double));
    assert_non_null(scores);
    for (size_t row = 0; row < f->set.num_rows; row++)
        made->strategy->score(made->predictor, f->set.columns + row * f->set.num_columns,
                              scores + row * num_variants);
    return scores;
}

static inline json_t *encode(fixture *f, const trained *made)
{
    json_t *json = NULL;
    assert_ok(f->context, made->strategy->encode(f->context, made->predictor, &json));
    assert_true(json_is_object(json));
    return json;
}

static inline char *text_of(fixture *f, const trained *made)
{
    json_t *json = encode(f, made);
    char *text = json_dumps(json, JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    assert_non_null(text);
    json_decref(json);
    return text;
}

#endif

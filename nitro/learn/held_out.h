/* held_out.h - how good a model's choices are on inputs that it did not see in training. Internal
 * to nitro/learn. */
#ifndef NITRO_LEARN_HELD_OUT_H
#define NITRO_LEARN_HELD_OUT_H

#include "nitro/learn/data/training_rows.h"

struct json_t;

/** A way to choose, over the held-out rows. */
typedef struct nitro_held_out_choice {
    double quality; /* mean, in percent */
    double time;    /* total time over that of the best variants */
} nitro_held_out_choice;

typedef struct nitro_held_out {
    size_t num_rows;
    nitro_held_out_choice model, best_fixed, usual; /* usual: the default variant */
    size_t fixed;                                   /* the variant of the least total time */
    nitro_held_out_choice replaced; /* of a model that this one, which always chooses `fixed`,
                                       stands for, since that took less time; zeros: none */
    double confident;               /* decisions from 0.9 on, in percent */
    double precision; /* of these, those within 5 % of the best, in percent; NaN: none */
} nitro_held_out;

/** The time of a row if one variant is wanted for all: the default one's, else the first one's,
 *  where it has none. @param[in] times_ms  shape [num_variants]; not all are NaN. */
double nitro_held_out_fixed_time(const double *times_ms, size_t wanted, size_t usual);

/**
 * Judge choices by held-out scores, among the variants that have a time: constraints exclude the
 * others at run time. Fixed variants: as in nitro_held_out_fixed_time.
 * @param[in] scores  shape [num_rows x num_variants]; rows of NaN are not held out.
 */
void nitro_held_out_judge(const nitro_training_rows *rows, const double *scores,
                          const nitro_model *model, nitro_held_out *found);

/**
 * The choice on a row, which has scores, among the variants that have a time, for so many uses.
 * @param[in]  costs     of preparing, as the model estimates them; NULL: it knows none.
 * @param[in]  uses      at least 1; INFINITY: preparing does not count.
 * @param[out] times_ms  shape [num_variants]: of one use, with its share of preparing; NaN: none.
 */
size_t nitro_held_out_choose_row(const nitro_training_rows *rows, size_t row,
                                 const double *held_out_scores, size_t num_variants,
                                 const nitro_prepare_costs *costs, double uses, double *times_ms);

/**
 * The choices among the variants that have a time, for so many uses of each row; preparing counts.
 * @param[in] uses  at least 1; INFINITY: preparing does not count.
 */
nitro_held_out_choice nitro_held_out_choose(const nitro_training_rows *rows, const double *scores,
                                            const nitro_model *model, double uses);

/** For a model's provenance; NULL where nothing was held out. */
struct json_t *nitro_held_out_json(const nitro_held_out *found, const nitro_schema *schema);

#endif

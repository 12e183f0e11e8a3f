/* explanation.h - why a model decides as it does for one input: what nitro explain prints. */
#ifndef NITRO_APPS_CLI_COMMANDS_EXPLANATION_H
#define NITRO_APPS_CLI_COMMANDS_EXPLANATION_H

#include "apps/cli/output.h"
#include "nitro/backend/explain.h"

enum {
    EXPLAIN_VOTERS = 20,   /* nearest measured inputs that are compared... */
    EXPLAIN_NEIGHBOURS = 8 /* ...and how many of them are shown */
};

/** How a variant did on the nearest measured inputs. */
typedef struct variant_record {
    size_t best;  /* inputs on which it is the fastest */
    size_t timed; /* inputs with a time of it and of the chosen variant */
    double ratio; /* geometric mean of its time over the chosen variant's, there; NaN: none */
} variant_record;

/** How the variants performed on a source's nearest inputs. */
typedef struct device_record {
    size_t device;     /* of the dataset */
    double similarity; /* of its features to the target's; NaN: the target's are not known */
    size_t inputs;     /* its inputs among the nearest */
    double distance;   /* the mean of theirs */
    size_t agree;      /* of those, where the chosen variant is within 5 % of the fastest */
    double runner_up;  /* geometric mean of runner-up's time over the chosen one's; NaN: none */
} device_record;

typedef struct explanation {
    const nitro_model *model;
    char *shipped; /* what a model that ships with Nitro was learnt from; NULL: it does not ship */
    nitro_call_options options;
    double features[NITRO_MAX_FEATURES];
    nitro_decision decision;
    size_t ranking[NITRO_MAX_VARIANTS];
    double scores[NITRO_MAX_VARIANTS];     /* with the cost of preparing where uses are limited */
    double run_scores[NITRO_MAX_VARIANTS]; /* without */
    bool prepares;                         /* the model knows what preparing costs */
    double preparing[NITRO_MAX_VARIANTS];  /* in runs of the fastest variant */
    size_t runner_up; /* the best ranked variant but the chosen one; NITRO_NONE: there is none */
    size_t num_columns;
    nitro_column columns[NITRO_EXPLAIN_MAX_COLUMNS];
    /* From a store, where one is given; the dataset is NULL otherwise. */
    nitro_dataset *dataset;
    bool is_changed;                   /* its samples are not those that the model was trained on */
    size_t places[NITRO_MAX_VARIANTS]; /* of the model's variants in it; NITRO_NONE: not there */
    size_t num_neighbours;
    nitro_neighbour neighbours[EXPLAIN_VOTERS];
    variant_record variants[NITRO_MAX_VARIANTS];
    device_record *devices; /* shape [dataset->num_devices], the most similar first */
} explanation;

/** Explain the decision for `features` and `options` (set before) from the model only. */
nitro_status explanation_make(explanation *self);
/** Add the samples of the model's sources. */
nitro_status explanation_add_store(nitro_store *store, explanation *self);
void explanation_free(explanation *self);

/** Time of one of the model's variants on a row of the dataset; NaN: none. */
double explanation_time(const explanation *self, size_t row, size_t variant);

/** The fastest of the dataset's variants on a row; NITRO_NONE: none has a time. */
size_t explanation_fastest(const explanation *self, size_t row);

/* explanation_print.c; exit codes. */
int explanation_print(const invocation *call, const explanation *self);
int explanation_print_json(const invocation *call, const explanation *self);

#endif

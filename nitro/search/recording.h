/* recording.h - recorded evaluations of any format become a recording. Internal to nitro/. */
#ifndef NITRO_SEARCH_RECORDING_H
#define NITRO_SEARCH_RECORDING_H

#include "nitro/nitro_backend.h"

/** A parameter's value in a file. */
typedef struct recorded_value {
    bool is_string, is_boolean;
    double number;    /* of what is no string */
    const char *text; /* of a string */
} recorded_value;

/** A counter's value in the evaluation of a row. */
typedef struct recorded_counter {
    size_t row, counter;
    double value;
} recorded_counter;

/** One evaluation in a file. */
typedef struct recorded_row {
    size_t line; /* or number of the record, from 1: for errors */
    bool profiled;
    nitro_search_answer answer; /* without its configuration */
} recorded_row;

/** The distinct values of a parameter, sorted: numbers before strings. */
typedef struct recorded_parameter {
    char *name;
    size_t count, capacity;
    struct recorded_distinct {
        recorded_value value; /* its text is owned */
        uint16_t id;          /* in the order of occurrence */
    } * values;
    size_t in_space; /* the space's parameter of this name, or NITRO_NONE */
} recorded_parameter;

/** A format's name of an outcome; lists end with a NULL name. */
typedef struct recorded_outcome {
    const char *name;
    nitro_outcome outcome;
} recorded_outcome;
/** Those of T4's `invalidity`. */
extern const recorded_outcome recorded_t4_outcomes[];
/** False: the list lacks the name, or it is NULL. */
bool recording_find_outcome(const recorded_outcome *known, const char *name,
                            nitro_outcome *outcome);

typedef struct recording_builder {
    nitro_context *context;
    const char *origin;
    const char *line_word;    /* "line" or "record": what rows are called in errors */
    const nitro_space *space; /* or NULL */
    bool merges;              /* several evaluations of a configuration become one */
    size_t num_parameters;
    recorded_parameter parameters[NITRO_MAX_PARAMETERS];
    size_t num_rows, row_capacity;
    recorded_row *rows;
    uint16_t *ids; /* shape [num_rows x num_parameters] */
    nitro_string_list counter_names;
    recorded_counter *counters;
    size_t num_counters, counter_capacity;
    char *device;
} recording_builder;

/** The parameters of the file, in its order; before the first row. */
nitro_status recording_add_parameter(recording_builder *builder, const char *name);
/** Append an evaluation. @param[in] values  shape [num_parameters]; copied. */
nitro_status recording_add_row(recording_builder *builder, const recorded_row *row,
                               const recorded_value *values);
/** A counter of the last row. */
nitro_status recording_add_counter(recording_builder *builder, const char *name, double value);

/** "ORIGIN: line 12: MESSAGE", as NITRO_ERR_FORMAT. */
nitro_status recording_fail(const recording_builder *builder, size_t line, const char *format, ...)
    NITRO_PRINTF(3, 4);

/** Readers: they add everything that the text holds. */
nitro_status recording_read_csv(recording_builder *builder, const char *text, size_t size);

nitro_status recording_finish(recording_builder *builder, nitro_recording **recording);
void recording_builder_free(recording_builder *builder);

#endif

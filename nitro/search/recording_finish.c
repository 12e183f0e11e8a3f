/* Makes a recording of collected evaluations: the space, where none was given, and an answer a
 * configuration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/search/recording.h"
#include "nitro/search/search.h"

typedef struct ranked_row {
    uint64_t configuration;
    size_t row;
    double time_ms; /* NaN where there is none */
    bool profiled;
} ranked_row;

/* ---- The space ------------------------------------------------------------------------------- */

static nitro_parameter_type type_of(const recorded_parameter *parameter)
{
    bool all_boolean = true, all_whole = true;
    for (size_t v = 0; v < parameter->count; v++) {
        const recorded_value *value = &parameter->values[v].value;
        if (value->is_string)
            return NITRO_PARAMETER_STRING;
        all_boolean &= value->is_boolean;
        all_whole &= value->number == nearbyint(value->number) && fabs(value->number) <= 0x1p53;
    }
    return all_boolean ? NITRO_PARAMETER_BOOLEAN
           : all_whole ? NITRO_PARAMETER_INTEGER
                       : NITRO_PARAMETER_REAL;
}

static nitro_status describe_parameter(nitro_context *context, const recorded_parameter *from,
                                       nitro_parameter *to)
{
    to->name = from->name;
    to->type = type_of(from);
    to->values = nitro_calloc(context, from->count, sizeof(*to->values));
    if (!to->values)
        return NITRO_ERR_NO_MEMORY;
    for (size_t v = 0; v < from->count; v++) {
        const recorded_value *value = &from->values[v].value;
        char text[32];
        nitro_format_number(value->number, text, sizeof(text));
        to->values[v].number = to->type == NITRO_PARAMETER_STRING ? (double)v : value->number;
        to->values[v].text = nitro_strdup(context, value->is_string ? value->text : text);
        if (!to->values[v].text)
            return NITRO_ERR_NO_MEMORY;
        to->num_values++;
    }
    return NITRO_OK;
}

/* Identifiers become value indices: positions in sorted order. */
static nitro_status sort_values(recording_builder *builder)
{
    uint16_t *positions = nitro_calloc(builder->context, UINT16_MAX + 1, sizeof(*positions));
    if (!positions)
        return NITRO_ERR_NO_MEMORY;
    for (size_t p = 0; p < builder->num_parameters; p++) {
        recorded_parameter *parameter = &builder->parameters[p];
        for (size_t v = 0; v < parameter->count; v++)
            positions[parameter->values[v].id] = (uint16_t)v;
        for (size_t r = 0; r < builder->num_rows; r++) {
            uint16_t *id = &builder->ids[r * builder->num_parameters + p];
            *id = positions[*id];
        }
    }
    free(positions);
    return NITRO_OK;
}

static int compare_ids(const void *a, const void *b, void *width)
{
    return memcmp(a, b, *(const size_t *)width * sizeof(uint16_t));
}

/* The distinct configurations of the file as a space. */
static nitro_status make_space(recording_builder *builder, nitro_space **space)
{
    size_t width = builder->num_parameters, count = 0;
    nitro_parameter parameters[NITRO_MAX_PARAMETERS] = {{0}};
    uint16_t *distinct =
        nitro_calloc(builder->context, builder->num_rows, width * sizeof(*distinct));
    nitro_status status = distinct ? sort_values(builder) : NITRO_ERR_NO_MEMORY;
    for (size_t p = 0; p < width && status == NITRO_OK; p++)
        status = describe_parameter(builder->context, &builder->parameters[p], &parameters[p]);
    if (status == NITRO_OK) {
        memcpy(distinct, builder->ids, builder->num_rows * width * sizeof(*distinct));
        qsort_r(distinct, builder->num_rows, width * sizeof(*distinct), compare_ids, &width);
        for (size_t r = 0; r < builder->num_rows; r++) {
            const uint16_t *row = distinct + r * width;
            if (count == 0 || compare_ids(row, distinct + (count - 1) * width, &width) != 0)
                memmove(distinct + count++ * width, row, width * sizeof(*row));
        }
        status = nitro_space_list(builder->context, parameters, width, distinct, count, space);
    }
    for (size_t p = 0; p < width; p++) {
        for (size_t v = 0; v < parameters[p].num_values; v++)
            free(parameters[p].values[v].text);
        free(parameters[p].values);
    }
    free(distinct);
    return status;
}

/* ---- Rows and configurations ----------------------------------------------------------------- */

/* Does the file have the space's varying parameters, and no others that vary? */
static nitro_status match_parameters(const recording_builder *builder, const nitro_space *space)
{
    for (size_t p = 0; p < nitro_space_num_parameters(space); p++) {
        const nitro_parameter *known = nitro_space_parameter(space, p);
        bool is_there = known->num_values == 1;
        for (size_t i = 0; i < builder->num_parameters && !is_there; i++)
            is_there = builder->parameters[i].in_space == p;
        if (!is_there)
            return nitro_fail(builder->context, NITRO_ERR_MISMATCH,
                              "%s: has no parameter '%s' of the space: is it of another space?",
                              builder->origin, known->name);
    }
    for (size_t i = 0; i < builder->num_parameters; i++)
        if (builder->parameters[i].in_space == NITRO_NONE && builder->parameters[i].count > 1)
            return nitro_fail(builder->context, NITRO_ERR_MISMATCH,
                              "%s: parameter '%s' varies, and the space has no such parameter: is "
                              "it of another space?",
                              builder->origin, builder->parameters[i].name);
    return NITRO_OK;
}

static void space_indices(const recording_builder *builder, const nitro_space *space, size_t row,
                          uint16_t *indices)
{
    memset(indices, 0, nitro_space_num_parameters(space) * sizeof(*indices));
    for (size_t p = 0; p < builder->num_parameters; p++) {
        size_t at = builder->space ? builder->parameters[p].in_space : p;
        if (at != NITRO_NONE)
            indices[at] = builder->ids[row * builder->num_parameters + p];
    }
}

static int compare_ranked(const void *a, const void *b)
{
    const ranked_row *left = a, *right = b;
    if (left->configuration != right->configuration)
        return left->configuration < right->configuration ? -1 : 1;
    bool left_timed = left->time_ms > 0, right_timed = right->time_ms > 0;
    if (left_timed != right_timed) /* those with a time first, of them those without a profile */
        return left_timed ? -1 : 1;
    if (left->profiled != right->profiled)
        return left->profiled ? 1 : -1;
    if (left->time_ms != right->time_ms && left_timed)
        return left->time_ms < right->time_ms ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);
}

static nitro_status rank_rows(const recording_builder *builder, const nitro_space *space,
                              ranked_row *ranked)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    for (size_t r = 0; r < builder->num_rows; r++) {
        const recorded_row *row = &builder->rows[r];
        space_indices(builder, space, r, indices);
        ranked[r] =
            (ranked_row){nitro_space_find(space, indices), r, row->answer.time_ms, row->profiled};
        if (ranked[r].configuration == NITRO_NO_CONFIGURATION)
            return recording_fail(builder, row->line,
                                  "the configuration violates the space's constraints: is the "
                                  "file of another space?");
    }
    qsort(ranked, builder->num_rows, sizeof(*ranked), compare_ranked);
    for (size_t r = 1; r < builder->num_rows && !builder->merges; r++)
        if (ranked[r - 1].configuration == ranked[r].configuration)
            return recording_fail(builder, builder->rows[ranked[r].row].line,
                                  "the configuration stands also in %s %zu", builder->line_word,
                                  builder->rows[ranked[r - 1].row].line);
    return NITRO_OK;
}

/* One answer of the rows of a configuration: the median of its times, those without a profile if
 * there are any. */
static nitro_search_answer merge_rows(const recording_builder *builder, const ranked_row *rows,
                                      size_t count)
{
    size_t timed = 0;
    while (timed < count && rows[timed].time_ms > 0 && rows[timed].profiled == rows[0].profiled)
        timed++;
    nitro_search_answer answer = builder->rows[rows[timed ? timed / 2 : 0].row].answer;
    if (timed > 1)
        answer.time_ms = (rows[(timed - 1) / 2].time_ms + rows[timed / 2].time_ms) / 2;
    answer.configuration = rows[0].configuration;
    return answer;
}

static nitro_status place_counters(const recording_builder *builder, const ranked_row *ranked,
                                   nitro_recording *recording)
{
    size_t width = builder->counter_names.count;
    uint64_t size = nitro_space_size(recording->space);
    if (width == 0)
        return NITRO_OK;
    recording->counters =
        size <= SIZE_MAX / 8 / width ? malloc(size * width * sizeof(*recording->counters)) : NULL;
    uint64_t *configuration_of =
        nitro_calloc(builder->context, builder->num_rows, sizeof(*configuration_of));
    if (!recording->counters || !configuration_of) {
        free(configuration_of);
        return nitro_fail(builder->context, NITRO_ERR_NO_MEMORY, "out of memory: counters");
    }
    for (size_t i = 0; i < size * width; i++)
        recording->counters[i] = (double)NAN;
    for (size_t r = 0; r < builder->num_rows; r++)
        configuration_of[ranked[r].row] = ranked[r].configuration;
    for (size_t i = 0; i < builder->num_counters; i++) {
        const recorded_counter *counter = &builder->counters[i];
        uint64_t at = configuration_of[counter->row];
        recording->counters[at * width + counter->counter] = counter->value;
        if (!isnan(counter->value))
            recording->answers[at].counters = recording->counters + at * width;
    }
    free(configuration_of);
    return NITRO_OK;
}

static nitro_status fill_recording(const recording_builder *builder, const ranked_row *ranked,
                                   nitro_recording *recording)
{
    uint64_t size = nitro_space_size(recording->space);
    recording->answers = size <= SIZE_MAX / sizeof(*recording->answers)
                             ? malloc(size * sizeof(*recording->answers))
                             : NULL;
    if (!recording->answers)
        return nitro_fail(builder->context, NITRO_ERR_NO_MEMORY,
                          "%s: out of memory for a space of %llu configurations", builder->origin,
                          (unsigned long long)size);
    for (uint64_t c = 0; c < size; c++)
        recording->answers[c] = nitro_search_unanswered(c);
    for (size_t r = 0, next; r < builder->num_rows; r = next) {
        for (next = r + 1;
             next < builder->num_rows && ranked[next].configuration == ranked[r].configuration;
             next++)
            ;
        recording->answers[ranked[r].configuration] = merge_rows(builder, ranked + r, next - r);
    }
    return place_counters(builder, ranked, recording);
}

static nitro_status build_recording(recording_builder *builder, nitro_recording *recording)
{
    nitro_status status;
    if (builder->space)
        status = nitro_space_copy(builder->context, builder->space, &recording->space);
    else
        status = make_space(builder, &recording->space);
    if (status == NITRO_OK && builder->space)
        status = match_parameters(builder, recording->space);
    if (status != NITRO_OK)
        return status;
    ranked_row *ranked = nitro_calloc(builder->context, builder->num_rows, sizeof(*ranked));
    status = ranked ? rank_rows(builder, recording->space, ranked) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = fill_recording(builder, ranked, recording);
    free(ranked);
    if (status != NITRO_OK)
        return status;
    recording->counter_names = builder->counter_names.items;
    recording->num_counters = builder->counter_names.count;
    recording->device = builder->device;
    builder->counter_names = (nitro_string_list){0};
    builder->device = NULL;
    return NITRO_OK;
}

nitro_status recording_finish(recording_builder *builder, nitro_recording **recording)
{
    if (builder->num_rows == 0 || builder->num_parameters == 0)
        return nitro_fail(builder->context, NITRO_ERR_FORMAT,
                          "%s: holds no evaluation of a tuning parameter's values",
                          builder->origin);
    nitro_recording *made = nitro_calloc(builder->context, 1, sizeof(*made));
    nitro_status status = made ? build_recording(builder, made) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        *recording = made;
    else
        nitro_recording_free(made);
    return status;
}

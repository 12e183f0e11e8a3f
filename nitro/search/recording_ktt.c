/* Reads KTT's output: a record a run, with hardware counters where it was profiled. */
#include <math.h>
#include <string.h>

#include "nitro/search/recording_json.h"

static nitro_status read_status(const recording_builder *builder, size_t line, const json_t *record,
                                nitro_outcome *outcome)
{
    static const recorded_outcome statuses[] = {{"Ok", NITRO_OUTCOME_MEASURED},
                                                {"CompilationFailed", NITRO_OUTCOME_FAILED},
                                                {"ComputationFailed", NITRO_OUTCOME_CRASHED},
                                                {"ValidationFailed", NITRO_OUTCOME_WRONG_RESULT},
                                                {"DeviceLimitsExceeded", NITRO_OUTCOME_NOT_ALLOWED},
                                                {NULL, NITRO_OUTCOME_MISSING}};
    const char *name = json_string_value(json_object_get(record, "Status"));
    if (recording_find_outcome(statuses, name, outcome))
        return NITRO_OK;
    return recording_fail(builder, line,
                          "Status '%s' is not among Ok, CompilationFailed, ComputationFailed, "
                          "ValidationFailed and DeviceLimitsExceeded",
                          name ? name : "(none)");
}

/* The configuration as an object by names. */
static nitro_status read_pairs(const recording_builder *builder, size_t line, const json_t *record,
                               json_t *configuration)
{
    const json_t *pair;
    size_t position;
    json_array_foreach(json_object_get(record, "Configuration"), position, pair)
    {
        const char *name = json_string_value(json_object_get(pair, "Name"));
        if (!name || json_object_get(configuration, name) ||
            json_object_set(configuration, name, json_object_get(pair, "Value")) != 0)
            return recording_fail(builder, line,
                                  "parameter %zu has no name or value, or a name "
                                  "that another one has",
                                  position + 1);
    }
    return NITRO_OK;
}

/* Sizes of the grid, in blocks, and of a block. */
static nitro_status add_sizes(recording_builder *builder, const json_t *computation, bool in_blocks)
{
    static const char *const axes[] = {"X", "Y", "Z"},
                             *const globals[] = {"global_x", "global_y", "global_z"},
                             *const locals[] = {"local_x", "local_y", "local_z"};
    nitro_status status = NITRO_OK;
    for (size_t axis = 0; axis < 3 && status == NITRO_OK; axis++) {
        double global = recording_number(json_object_get(computation, "GlobalSize"), axes[axis]);
        double local = recording_number(json_object_get(computation, "LocalSize"), axes[axis]);
        global = in_blocks ? global : global / local;
        if (!isfinite(global) || !isfinite(local))
            continue;
        status = recording_add_counter(builder, globals[axis], global);
        if (status == NITRO_OK)
            status = recording_add_counter(builder, locals[axis], local);
    }
    return status;
}

static nitro_status add_compilation(recording_builder *builder, const json_t *computation)
{
    static const struct {
        const char *member, *counter;
    } names[] = {{"RegistersCount", "regs"},
                 {"LocalMemorySize", "shared_bytes"},
                 {"PrivateMemorySize", "private_bytes"},
                 {"MaxWorkGroupSize", "max_local"},
                 {"ConstantMemorySize", "constant_bytes"}};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && status == NITRO_OK; i++) {
        double value =
            recording_number(json_object_get(computation, "CompilationData"), names[i].member);
        if (!isnan(value))
            status = recording_add_counter(builder, names[i].counter, value);
    }
    return status;
}

static const json_t *counters_of(const json_t *computation)
{
    return json_object_get(json_object_get(computation, "ProfilingData"), "Counters");
}

static nitro_status add_counters(recording_builder *builder, const json_t *computation,
                                 bool in_blocks)
{
    const json_t *counter;
    size_t position;
    nitro_status status = add_sizes(builder, computation, in_blocks);
    if (status == NITRO_OK)
        status = add_compilation(builder, computation);
    json_array_foreach(counters_of(computation), position, counter)
    {
        const char *name = json_string_value(json_object_get(counter, "Name"));
        double value = recording_number(counter, "Value");
        if (status == NITRO_OK && name && !isnan(value))
            status = recording_add_counter(builder, name, value);
    }
    return status;
}

static nitro_status read_record(recording_builder *builder, size_t line, const json_t *record,
                                double unit_ms, bool in_blocks)
{
    recorded_value values[NITRO_MAX_PARAMETERS];
    const json_t *computation = json_array_get(json_object_get(record, "ComputationResults"), 0);
    recorded_row row = {.line = line, .profiled = json_array_size(counters_of(computation)) > 0};
    json_t *configuration = json_object();
    if (!configuration)
        return nitro_fail(builder->context, NITRO_ERR_NO_MEMORY, "out of memory: %s",
                          builder->origin);
    nitro_status status = read_status(builder, line, record, &row.answer.outcome);
    if (status == NITRO_OK)
        status = read_pairs(builder, line, record, configuration);
    if (status == NITRO_OK)
        status = recording_read_configuration(builder, line, configuration, values);
    double duration = recording_number(record, "TotalDuration");
    row.answer.spread = (double)NAN;
    row.answer.time_ms =
        row.answer.outcome == NITRO_OUTCOME_MEASURED ? duration * unit_ms : (double)NAN;
    row.answer.cost_ms =
        (recording_number(record, "TotalOverhead") + (duration > 0 ? duration : 0)) * unit_ms;
    if (status == NITRO_OK)
        status = recording_add_row(builder, &row, values);
    if (status == NITRO_OK)
        status = add_counters(builder, computation, in_blocks);
    json_decref(configuration);
    return status;
}

nitro_status recording_read_ktt(recording_builder *builder, const json_t *top)
{
    const json_t *results = json_object_get(top, "Results"), *record;
    const json_t *metadata = json_object_get(top, "Metadata");
    const char *unit = json_string_value(json_object_get(metadata, "TimeUnit"));
    const char *sizes = json_string_value(json_object_get(metadata, "GlobalSizeType"));
    const char *device = json_string_value(json_object_get(metadata, "Device"));
    double unit_ms = recording_unit_ms(unit);
    size_t position;
    if (unit_ms == 0 || !json_is_array(results))
        return nitro_fail(builder->context, NITRO_ERR_FORMAT,
                          "%s: Metadata has the unknown TimeUnit '%s', or Results is no array",
                          builder->origin, unit ? unit : "(none)");
    builder->merges = true;
    builder->device = nitro_strdup(builder->context, device);
    if (device && !builder->device)
        return NITRO_ERR_NO_MEMORY;
    json_array_foreach(results, position, record)
    {
        nitro_status status = read_record(builder, position + 1, record, unit_ms,
                                          !sizes || strcmp(sizes, "OpenCL") != 0);
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}

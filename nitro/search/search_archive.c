/* Keeps the evaluations of searches in a store, as samples of one variant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/search/search.h"

#define VARIANT "run"

static nitro_status make_schema(const search_archive *archive, nitro_schema **schema)
{
    nitro_context *context = archive->context;
    nitro_status status = nitro_schema_create(context, archive->computation, schema);
    for (size_t p = 0; status == NITRO_OK && p < nitro_space_num_parameters(archive->space); p++) {
        const nitro_parameter *parameter = nitro_space_parameter(archive->space, p);
        if (parameter->num_values > 1)
            status =
                nitro_schema_add_feature(context, *schema, parameter->name, NULL, NITRO_SCALE_AUTO);
    }
    return status == NITRO_OK ? nitro_schema_add_variant(context, *schema, VARIANT) : status;
}

/* The configuration that a sample is of, or NITRO_NO_CONFIGURATION: the space has changed. */
static uint64_t configuration_of(const search_archive *archive, const nitro_sample *sample)
{
    uint16_t indices[NITRO_MAX_PARAMETERS] = {0};
    size_t feature = 0;
    for (size_t p = 0; p < nitro_space_num_parameters(archive->space); p++) {
        const nitro_parameter *parameter = nitro_space_parameter(archive->space, p);
        if (parameter->num_values == 1)
            continue;
        double number = feature < sample->num_features ? sample->features[feature] : (double)NAN;
        size_t v = 0;
        while (v < parameter->num_values && parameter->values[v].number != number)
            v++;
        if (v == parameter->num_values)
            return NITRO_NO_CONFIGURATION;
        indices[p] = (uint16_t)v;
        feature++;
    }
    return nitro_space_find(archive->space, indices);
}

/* The name of a configuration's sample, "block=16 layout=rows": parameters of one value too, and
 * strings, of which features have only the position. A digest where the text is no name. */
static char *name_sample(const search_archive *archive, uint64_t configuration)
{
    char *text = search_configuration_text(archive->context, archive->space, configuration, true);
    if (!text || nitro_input_name_is_valid(text))
        return text;
    char *digest = nitro_asprintf(archive->context, "configuration %016llx",
                                  (unsigned long long)nitro_hash(text, strlen(text), 0));
    free(text);
    return digest;
}

typedef struct archive_reading {
    const search_archive *archive;
    search_memo *memo;
} archive_reading;

static nitro_status read_sample(void *user, const nitro_sample *sample)
{
    const archive_reading *reading = user;
    const nitro_entry *entry = &sample->entries[0];
    nitro_search_answer answer = {.configuration = configuration_of(reading->archive, sample),
                                  .outcome = entry->outcome,
                                  .time_ms = entry->median_ms,
                                  .spread = entry->spread,
                                  .cost_ms = entry->prepare_ms};
    if (answer.configuration == NITRO_NO_CONFIGURATION || entry->outcome == NITRO_OUTCOME_MISSING ||
        !nitro_same_text(entry->version, reading->archive->version) ||
        search_memo_find(reading->memo, answer.configuration))
        return NITRO_OK;
    char *name = name_sample(reading->archive, answer.configuration);
    bool is_same = nitro_same_text(name, sample->input);
    nitro_status status = name ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    free(name);
    return is_same ? search_memo_add(reading->archive->context, reading->memo, &answer) : status;
}

static nitro_status read_archive(const search_archive *archive, search_memo *memo)
{
    archive_reading reading = {archive, memo};
    size_t count = 0;
    if (nitro_store_count_samples(archive->store, archive->computation, archive->device, &count) !=
            NITRO_OK ||
        count == 0)
        return NITRO_OK; /* nothing is stored yet */
    return nitro_store_each_sample(archive->store, archive->computation, archive->device,
                                   read_sample, &reading);
}

/* Another space of the same name has other parameters. */
static nitro_status put_schema(const search_archive *archive, const nitro_schema *schema)
{
    char message[1024];
    nitro_status status = nitro_store_put_schema(archive->store, schema);
    if (status != NITRO_ERR_MISMATCH)
        return status;
    nitro_context_last_error(archive->context, message, sizeof(message));
    return nitro_fail(archive->context, status,
                      "%s The store has evaluations of another space by this name: give this "
                      "search another one (--name)",
                      message);
}

nitro_status search_archive_open(nitro_context *context, const nitro_space *space,
                                 const nitro_search_options *options, search_archive *archive,
                                 search_memo *memo)
{
    *archive = (search_archive){.context = context, .space = space, .process = getpid()};
    if (!options->store)
        return NITRO_OK;
    if (!options->device || !options->name)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "a search whose evaluations are stored needs a device and a name");
    nitro_device *device = NULL;
    nitro_schema *schema = NULL;
    archive->store = options->store;
    archive->device = options->device->id;
    archive->version = options->version ? options->version : "1";
    archive->computation = nitro_asprintf(context, "%s.search", options->name);
    nitro_status status =
        archive->computation ? make_schema(archive, &schema) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = put_schema(archive, schema);
    if (status == NITRO_OK)
        status = nitro_device_copy(context, options->device, &device);
    if (status == NITRO_OK)
        status = nitro_store_update_device(archive->store, device);
    if (status == NITRO_OK)
        status = nitro_provenance_of_device(context, device, "measured", &archive->provenance);
    if (status == NITRO_OK)
        status = read_archive(archive, memo);
    nitro_device_free(device);
    nitro_schema_free(schema);
    if (status != NITRO_OK)
        search_archive_close(archive);
    return status;
}

nitro_status search_archive_put(const search_archive *archive, const nitro_search_answer *answer)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    nitro_sample *sample = NULL;
    size_t feature = 0, num_features = 0;
    if (!archive->store)
        return NITRO_OK;
    if (archive->process != getpid())
        return nitro_fail(archive->context, NITRO_ERR_UNSUPPORTED,
                          "%s: a forked child cannot use its parent's connection to a store: open "
                          "the store and create the tuner in the child",
                          archive->computation);
    char *input = name_sample(archive, answer->configuration);
    for (size_t p = 0; p < nitro_space_num_parameters(archive->space); p++)
        num_features += nitro_space_parameter(archive->space, p)->num_values > 1;
    nitro_status status =
        input ? nitro_sample_create(archive->context, input, num_features, 1, &sample)
              : NITRO_ERR_NO_MEMORY;
    free(input);
    if (status != NITRO_OK)
        return status;
    nitro_space_indices(archive->space, answer->configuration, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(archive->space); p++) {
        const nitro_parameter *parameter = nitro_space_parameter(archive->space, p);
        if (parameter->num_values > 1)
            sample->features[feature++] = parameter->values[indices[p]].number;
    }
    nitro_entry *entry = &sample->entries[0];
    entry->outcome = answer->outcome;
    entry->median_ms = answer->time_ms;
    entry->spread = answer->spread;
    entry->prepare_ms = answer->cost_ms;
    entry->version = nitro_strdup(archive->context, archive->version);
    status = entry->version ? nitro_provenance_copy(archive->context, &archive->provenance,
                                                    &sample->provenance)
                            : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_store_put_samples(archive->store, archive->computation, archive->device,
                                         (const nitro_sample *const[]){sample}, 1, true);
    nitro_sample_free(sample);
    return status;
}

void search_archive_close(search_archive *archive)
{
    free(archive->computation);
    nitro_provenance_clear(&archive->provenance);
    *archive = (search_archive){0};
}

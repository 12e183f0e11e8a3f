/* portfolio_store.c - portfolios as variants in a store, and searches that start from them. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/given_features.h"
#include "apps/cli/output.h"
#include "apps/cli/search/portfolio.h"

/* ---- Storing --------------------------------------------------------------------------------- */

typedef struct stored_portfolio {
    nitro_context *context;
    const char *name;
    const portfolio_cases *cases;
    const nitro_portfolio *portfolio;
    nitro_store *store;                  /* borrowed */
    char *versions[NITRO_MAX_PORTFOLIO]; /* of the variants: the configurations */
} stored_portfolio;

static nitro_status put_schema(stored_portfolio *self)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_schema_create(self->context, self->name, &schema);
    for (size_t f = 0; status == NITRO_OK && f < self->cases->num_features; f++)
        status = nitro_schema_add_feature(
            self->context, schema, self->cases->feature_names.items[f], NULL, NITRO_SCALE_AUTO);
    for (size_t m = 0; status == NITRO_OK && m < self->portfolio->num_configurations; m++) {
        char variant[80];
        snprintf(variant, sizeof(variant), "%s.%zu", self->name, m + 1);
        status = nitro_schema_add_variant(self->context, schema, variant);
        self->versions[m] = nitro_configuration_text(
            self->context, self->cases->recordings[0]->space, self->portfolio->configurations[m]);
        if (!self->versions[m])
            status = NITRO_ERR_NO_MEMORY;
    }
    if (status == NITRO_OK)
        status = nitro_store_put_schema(self->store, schema);
    nitro_schema_free(schema);
    return status;
}

/* The device as the store has it, else without features. */
static nitro_status find_device(const stored_portfolio *self, const char *id, nitro_device **device)
{
    nitro_status status = nitro_store_get_device(self->store, id, device);
    if (status != NITRO_ERR_NOT_FOUND)
        return status;
    nitro_log(self->context, NITRO_LOG_WARNING,
              "device %s has no device features, so models cannot relate it to an unmeasured one; "
              "add them first with 'nitro store import --devices FILE'",
              id);
    status = nitro_device_create(self->context, id, "recorded", device);
    return status == NITRO_OK ? nitro_store_update_device(self->store, *device) : status;
}

static nitro_status fill_sample(const stored_portfolio *self, size_t x, nitro_sample *sample)
{
    for (size_t f = 0; f < sample->num_features; f++)
        sample->features[f] = self->cases->features[x * sample->num_features + f];
    for (size_t m = 0; m < sample->num_entries; m++) {
        const nitro_search_answer *answer =
            &self->cases->recordings[x]->answers[self->portfolio->configurations[m]];
        nitro_entry *entry = &sample->entries[m];
        entry->outcome = answer->outcome;
        entry->median_ms = answer->time_ms;
        entry->spread = answer->spread;
        entry->version = nitro_strdup(self->context, self->versions[m]);
        if (!entry->version)
            return NITRO_ERR_NO_MEMORY;
    }
    return NITRO_OK;
}

static nitro_status put_case(const stored_portfolio *self, size_t x)
{
    nitro_device *device = NULL;
    nitro_sample *sample = NULL;
    const portfolio_cases *cases = self->cases;
    nitro_status status = find_device(self, cases->devices.items[x], &device);
    if (status == NITRO_OK)
        status = nitro_sample_create(self->context, cases->inputs.items[x], cases->num_features,
                                     self->portfolio->num_configurations, &sample);
    if (status == NITRO_OK)
        status = fill_sample(self, x, sample);
    if (status == NITRO_OK)
        status = nitro_provenance_of_device(self->context, device, "measured", &sample->provenance);
    if (status == NITRO_OK)
        status = nitro_store_put_samples(self->store, self->name, cases->devices.items[x],
                                         (const nitro_sample *const[]){sample}, 1, true);
    nitro_sample_free(sample);
    nitro_device_free(device);
    return status;
}

int portfolio_store(invocation *call, const portfolio_cases *cases,
                    const nitro_portfolio *portfolio)
{
    const evaluate_settings *given = call->settings;
    stored_portfolio self = {
        .context = call->context, .name = given->name, .cases = cases, .portfolio = portfolio};
    if (!nitro_name_is_valid(given->name) || strlen(given->name) > 60)
        return fail_usage(call, "--name: '%s' is not 1 to 60 of [A-Za-z0-9_.+-]", given->name);
    if (store_open(call, given->store, NITRO_STORE_WRITE) != EXIT_DONE)
        return EXIT_FAILED;
    self.store = call->store;
    nitro_status status = put_schema(&self);
    for (size_t x = 0; status == NITRO_OK && x < cases->count; x++)
        status = put_case(&self, x);
    for (size_t m = 0; m < portfolio->num_configurations; m++)
        free(self.versions[m]);
    if (status != NITRO_OK)
        return fail(call);
    note(call, "stored as the %zu variants of %s, with %zu samples", portfolio->num_configurations,
         given->name, cases->count);
    return EXIT_DONE;
}

/* ---- Starting from a model's ranking --------------------------------------------------------- */

/* The versions of a computation's variants, as samples have them. */
typedef struct variant_versions {
    nitro_context *context;
    char *texts[NITRO_MAX_VARIANTS];
} variant_versions;

static nitro_status note_versions(void *user, const nitro_sample *sample)
{
    variant_versions *versions = user;
    for (size_t v = 0; v < sample->num_entries && v < NITRO_MAX_VARIANTS; v++)
        if (!versions->texts[v] && sample->entries[v].version)
            versions->texts[v] = nitro_strdup(versions->context, sample->entries[v].version);
    return NITRO_OK;
}

static nitro_status read_versions(nitro_context *context, const char *url, const char *computation,
                                  variant_versions *versions)
{
    nitro_store *store = NULL;
    nitro_string_list devices = {0};
    nitro_status status = nitro_store_open(context, url, NITRO_STORE_READ, &store);
    if (status == NITRO_OK)
        status = nitro_store_list_devices(store, computation, &devices);
    for (size_t d = 0; status == NITRO_OK && d < devices.count; d++)
        status =
            nitro_store_each_sample(store, computation, devices.items[d], note_versions, versions);
    nitro_string_list_free(&devices);
    nitro_store_close(store);
    return status;
}

static nitro_status rank(nitro_context *context, const nitro_model *model, const double *features,
                         const variant_versions *versions, const nitro_space *space,
                         uint64_t *starts, size_t *count)
{
    size_t ranking[NITRO_MAX_VARIANTS];
    nitro_decision decision;
    nitro_status status = nitro_model_predict(model, features, &decision, ranking, NULL);
    *count = 0;
    for (size_t r = 0; status == NITRO_OK && r < nitro_model_num_ranked(model); r++) {
        size_t v = ranking[r];
        if (!versions->texts[v])
            return nitro_fail(context, NITRO_ERR_NO_DATA,
                              "the store has no configuration of variant %s: choose the portfolio "
                              "again with 'nitro evaluate --portfolio'",
                              nitro_model_variant_name(model, v));
        status = nitro_configuration_parse(context, space, versions->texts[v], &starts[*count]);
        *count += status == NITRO_OK;
    }
    return status;
}

int portfolio_starts(invocation *call, const char *store, const char *model_path,
                     const nitro_string_list *features, const nitro_space *space, uint64_t *starts,
                     size_t *count)
{
    double values[NITRO_MAX_FEATURES] = {0};
    variant_versions versions = {.context = call->context};
    nitro_model *model = NULL;
    if (nitro_model_load(call->context, model_path, &model) != NITRO_OK)
        return fail(call);
    int code = EXIT_DONE;
    if (nitro_model_num_features(model) > 0)
        code = features_check(call, features, NULL);
    if (code == EXIT_DONE && nitro_model_num_features(model) > 0)
        code = features_given(call, model, features, NULL, values);
    if (code == EXIT_DONE &&
        (read_versions(call->context, store, nitro_model_computation(model), &versions) !=
             NITRO_OK ||
         rank(call->context, model, values, &versions, space, starts, count) != NITRO_OK))
        code = fail(call);
    for (size_t v = 0; v < NITRO_MAX_VARIANTS; v++)
        free(versions.texts[v]);
    nitro_model_free(model);
    return code;
}

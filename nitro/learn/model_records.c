/* Does the store still hold a model's training samples? The model file has a digest of each source.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "nitro/runtime/model/model.h"

typedef struct record_check {
    const nitro_model *model;
    nitro_store *store;
    nitro_problem_function report;
    void *user;
    size_t num_problems;
} record_check;

static void report_source(record_check *self, const char *device, const char *problem)
{
    char message[1536];
    snprintf(message, sizeof message, "%s: %s", device, problem);
    self->num_problems++;
    if (self->report)
        self->report(self->user, message);
}

static void compare_records(record_check *self, const nitro_dataset *dataset, json_int_t samples,
                            const char *records, const char *state)
{
    char digest[NITRO_DIGEST_SIZE], problem[256];
    const char *device = dataset->devices[0]->id;
    snprintf(digest, sizeof digest, "%016" PRIx64, nitro_dataset_device_digest(dataset, 0));
    if ((json_int_t)dataset->num_rows != samples) {
        snprintf(problem, sizeof problem, "it had %lld usable samples and now has %zu",
                 (long long)samples, dataset->num_rows);
        report_source(self, device, problem);
    } else if (strcmp(digest, records) != 0) {
        report_source(self, device, "some of its samples have changed");
    }
    nitro_device_digest(dataset->devices[0], digest);
    if (state && strcmp(digest, state) != 0)
        report_source(self, device, "its device features have changed");
}

static nitro_status check_source(record_check *self, const json_t *source)
{
    const char *device = NULL, *records = NULL, *state = NULL;
    json_int_t samples = 0;
    nitro_context *context = self->model->context;
    if (json_unpack((json_t *)(uintptr_t)source, "{s:s, s:I, s:s, s?s}", "device", &device,
                    "samples", &samples, "records", &records, "device_digest", &state) != 0)
        return nitro_fail(context, NITRO_ERR_NO_DATA,
                          "the model of %s holds no digests of its samples, since an older Nitro "
                          "wrote it; train it again",
                          self->model->schema->computation);
    nitro_dataset *dataset = NULL;
    nitro_status status = nitro_dataset_load(self->store, self->model->schema->computation,
                                             (const char *const[]){device}, 1, &dataset);
    if (status == NITRO_OK) {
        compare_records(self, dataset, samples, records, state);
    } else if (status == NITRO_ERR_NOT_FOUND || status == NITRO_ERR_FORMAT) {
        char message[1024];
        nitro_context_last_error(context, message, sizeof message);
        report_source(self, device, message);
        status = NITRO_OK;
    }
    nitro_dataset_free(dataset);
    return status;
}

nitro_status nitro_model_check_records(const nitro_model *model, nitro_store *store,
                                       nitro_problem_function report, void *user)
{
    record_check self = {.model = model, .store = store, .report = report, .user = user};
    const json_t *sources = json_object_get(model->provenance, "sources");
    nitro_schema *schema = NULL; /* fails where the store lacks the computation */
    nitro_status status = nitro_store_get_schema(store, model->schema->computation, &schema);
    nitro_schema_free(schema);
    if (status == NITRO_OK && json_array_size(sources) == 0)
        status =
            nitro_fail(model->context, NITRO_ERR_NO_DATA,
                       "the model of %s does not name its sources", model->schema->computation);
    for (size_t i = 0; i < json_array_size(sources) && status == NITRO_OK; i++)
        status = check_source(&self, json_array_get(sources, i));
    if (status == NITRO_OK && self.num_problems > 0)
        status = nitro_fail(model->context, NITRO_ERR_MISMATCH,
                            "%s no longer holds the samples of the model of %s; train it again",
                            nitro_store_url(store), model->schema->computation);
    return status;
}

/* Verifying a Redis store: every record read, checked and compared with its checksum, and whether
 * names, records and indexes agree. It reads page by page while others write, so a row that is
 * removed meanwhile is no problem. */
#include <stdlib.h>
#include <string.h>

#include "store/record_json.h"
#include "store/redis_internal.h"

typedef struct verification {
    redis_store *store;
    nitro_problem_function report;
    void *user;
    const nitro_schema *schema; /* of the rows being read; NULL: proxies */
    uint64_t names_hash;
    const char *computation, *device;
    size_t num_problems;
} verification;

static void report_problem(verification *v, const char *problem)
{
    v->num_problems++;
    if (v->report)
        v->report(v->user, problem);
}

/* The last error as a problem; only a failure of server or machine ends the verification. */
static nitro_status report_failure(verification *v, nitro_status status)
{
    if (status != NITRO_ERR_FORMAT && status != NITRO_ERR_ARGUMENT && status != NITRO_ERR_EXISTS &&
        status != NITRO_ERR_MISMATCH && status != NITRO_ERR_NEWER)
        return status;
    char message[2048];
    nitro_context_last_error(v->store->context, message, sizeof(message));
    report_problem(v, message);
    return NITRO_OK;
}

static nitro_status verify_sample(void *user, const redis_row *row)
{
    verification *v = user;
    nitro_context *context = v->store->context;
    nitro_sample *sample = NULL;
    if (!row->record)
        return NITRO_OK;
    nitro_status status =
        nitro_record_read_sample(context, v->store->url->shown, v->schema, v->names_hash, v->device,
                                 strlen(row->name) == row->name_size ? row->name : "", row->record,
                                 row->record_size, &sample);
    if (status == NITRO_OK)
        status = nitro_store_check_sample(context, v->store->url->shown, v->schema, v->device,
                                          sample, NITRO_ERR_FORMAT);
    nitro_sample_free(sample);
    return status == NITRO_OK ? NITRO_OK : report_failure(v, status);
}

static nitro_status verify_profile(void *user, const redis_row *row)
{
    verification *v = user;
    nitro_profile *profile = NULL;
    if (!row->record)
        return NITRO_OK;
    nitro_status status =
        nitro_record_decode_profile(v->store->context, v->store->url->shown, v->schema, v->device,
                                    row->record, row->record_size, &profile);
    nitro_profile_free(profile);
    return status == NITRO_OK ? NITRO_OK : report_failure(v, status);
}

static nitro_status verify_table(verification *v, const char *records, const char *names,
                                 redis_row_function verify_row)
{
    redis_table table = {0};
    size_t num_names = 0, num_records = 0;
    nitro_status status =
        nitro_redis_table_of(v->store, v->computation, records, names, v->device, &table);
    if (status == NITRO_OK)
        status = nitro_redis_table_count(&table, &num_names, &num_records);
    if (status == NITRO_OK && num_names != num_records) {
        char message[512];
        snprintf(message, sizeof(message), "%s on %s: there are %zu names of %s, but %zu records",
                 v->computation, v->device, num_names, records, num_records);
        report_problem(v, message);
    }
    if (status == NITRO_OK)
        status = nitro_redis_table_each(&table, true, verify_row, v);
    nitro_redis_table_free(&table);
    return status == NITRO_OK ? NITRO_OK : report_failure(v, status);
}

static nitro_status count_rows(verification *v, size_t *count)
{
    redis_table samples = {0}, profiles = {0};
    size_t num_samples = 0, num_profiles = 0, ignored = 0;
    nitro_status status =
        nitro_redis_table_of(v->store, v->computation, "samples", "inputs", v->device, &samples);
    if (status == NITRO_OK)
        status = nitro_redis_table_of(v->store, v->computation, "profiles", "runs", v->device,
                                      &profiles);
    if (status == NITRO_OK)
        status = nitro_redis_table_count(&samples, &num_samples, &ignored);
    if (status == NITRO_OK)
        status = nitro_redis_table_count(&profiles, &num_profiles, &ignored);
    nitro_redis_table_free(&samples);
    nitro_redis_table_free(&profiles);
    *count = num_samples + num_profiles;
    return status;
}

/* Rows whose device nobody described. */
static nitro_status verify_owner(verification *v)
{
    size_t count = 0;
    bool exists = false;
    char *key = nitro_redis_key(v->store, NITRO_REDIS_TAG_DEVICES, "record", v->device);
    nitro_status status = key ? count_rows(v, &count) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_redis_exists(v->store, key, &exists);
    free(key);
    if (status == NITRO_OK && count > 0 && !exists) {
        char message[512];
        snprintf(message, sizeof(message),
                 "%s: there are samples or profiles of device %s, but "
                 "not the device",
                 v->computation, v->device);
        report_problem(v, message);
    }
    return status == NITRO_OK ? NITRO_OK : report_failure(v, status);
}

static nitro_status verify_devices_of(verification *v, const char *tag)
{
    nitro_string_list devices = {0};
    v->computation = tag;
    nitro_status status = nitro_redis_list_announced(v->store, tag, &devices);
    if (status != NITRO_OK)
        status = report_failure(v, status);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++) {
        v->device = devices.items[i];
        status = verify_owner(v);
        if (status == NITRO_OK && v->schema)
            status = verify_table(v, "samples", "inputs", verify_sample);
        if (status == NITRO_OK)
            status = verify_table(v, "profiles", "runs", verify_profile);
    }
    nitro_string_list_free(&devices);
    return status;
}

/* A computation without names: either it was removed, or its names were lost and rows are left. */
static nitro_status verify_removed(verification *v, const char *computation)
{
    nitro_string_list devices = {0};
    size_t total = 0;
    v->computation = computation;
    nitro_status status = nitro_redis_list_announced(v->store, computation, &devices);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++) {
        size_t count = 0;
        v->device = devices.items[i];
        status = count_rows(v, &count);
        total += count;
    }
    nitro_string_list_free(&devices);
    if (status == NITRO_OK && total > 0) {
        char message[512];
        snprintf(message, sizeof(message),
                 "%s: %zu samples and profiles belong to no computation: its names are gone",
                 computation, total);
        report_problem(v, message);
    }
    return status == NITRO_OK ? NITRO_OK : report_failure(v, status);
}

static nitro_status verify_computation(verification *v, const char *computation)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_redis_get_schema(v->store, computation, &schema);
    if (status == NITRO_ERR_NOT_FOUND)
        return verify_removed(v, computation);
    if (status != NITRO_OK)
        return report_failure(v, status);
    v->schema = schema;
    v->names_hash = nitro_record_names_hash(schema);
    status = verify_devices_of(v, computation);
    v->schema = NULL;
    nitro_schema_free(schema);
    return status;
}

static nitro_status verify_device(verification *v, const char *id)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_redis_get_device(v->store, id, &device);
    nitro_device_free(device);
    return status == NITRO_OK ? NITRO_OK : report_failure(v, status);
}

nitro_status nitro_redis_verify(void *state, nitro_problem_function report, void *user)
{
    verification v = {.store = state, .report = report, .user = user};
    nitro_string_list computations = {0}, devices = {0};
    nitro_status status = nitro_redis_index_read(v.store, NITRO_REDIS_TAG_COMPUTATIONS, "index",
                                                 nitro_name_is_clean, &computations);
    if (status == NITRO_OK)
        status = nitro_redis_list_devices(v.store, NULL, &devices);
    if (status != NITRO_OK)
        status = report_failure(&v, status);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++)
        status = verify_device(&v, devices.items[i]);
    for (size_t i = 0; i < computations.count && status == NITRO_OK; i++)
        status = verify_computation(&v, computations.items[i]);
    if (status == NITRO_OK)
        status = verify_devices_of(&v, NITRO_REDIS_TAG_PROXIES);
    nitro_string_list_free(&computations);
    nitro_string_list_free(&devices);
    if (status == NITRO_OK && v.num_problems > 0)
        status = nitro_fail(v.store->context, NITRO_ERR_FORMAT, "%s: %zu problem%s found",
                            v.store->url->shown, v.num_problems, v.num_problems == 1 ? "" : "s");
    return status;
}

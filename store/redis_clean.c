/* Taking out of Redis what is to be there no more: devices that nothing was measured on, records
 * that are damaged, names without records, rows that belong to no computation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/record_json.h"
#include "store/redis_internal.h"

/* ---- Devices ------------------------------------------------------------------------------- */

/* How many samples and profiles there are of a tag on a device. */
static nitro_status count_rows(redis_store *store, const char *tag, const char *device,
                               size_t *count)
{
    static const char *const sorts[][2] = {{"samples", "inputs"}, {"profiles", "runs"}};
    nitro_status status = NITRO_OK;
    *count = 0;
    for (size_t i = 0; i < 2 && status == NITRO_OK; i++) {
        redis_table table = {0};
        size_t num_names = 0, num_records = 0;
        status = nitro_redis_table_of(store, tag, sorts[i][0], sorts[i][1], device, &table);
        if (status == NITRO_OK)
            status = nitro_redis_table_count(&table, &num_names, &num_records);
        *count += num_names;
        nitro_redis_table_free(&table);
    }
    return status;
}

static nitro_status require_unused(redis_store *store, const char *id)
{
    nitro_string_list tags = {0};
    size_t count = 0;
    nitro_status status = nitro_redis_index_read(store, NITRO_REDIS_TAG_COMPUTATIONS, "index",
                                                 nitro_name_is_clean, &tags);
    if (status == NITRO_OK)
        status = nitro_string_list_add(store->context, &tags, NITRO_REDIS_TAG_PROXIES);
    for (size_t i = 0; i < tags.count && status == NITRO_OK && count == 0; i++)
        status = count_rows(store, tags.items[i], id, &count);
    nitro_string_list_free(&tags);
    if (status == NITRO_OK && count > 0)
        return nitro_fail(store->context, NITRO_ERR_EXISTS,
                          "%s: there are samples or profiles of device %s; remove those first",
                          store->url->shown, id);
    return status;
}

nitro_status nitro_redis_remove_device(void *state, const char *id)
{
    redis_store *store = state;
    redisReply *reply = NULL;
    char *key = nitro_redis_key(store, NITRO_REDIS_TAG_DEVICES, "record", id);
    nitro_status status = key ? require_unused(store, id) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_redis_ask(store, &reply, "UNLINK", key, (char *)NULL);
    if (status == NITRO_OK && reply->type == REDIS_REPLY_INTEGER && reply->integer == 0)
        status = NITRO_ERR_NOT_FOUND;
    nitro_redis_free_replies(&reply, 1);
    free(key);
    free(store->known_device); /* it may be this one */
    store->known_device = NULL;
    return status;
}

/* ---- Damaged records ----------------------------------------------------------------------- */

typedef struct cleaning {
    redis_store *store;
    bool dry_run;
    nitro_problem_function report;
    void *user;
    const nitro_schema *schema; /* of the rows being read; NULL: proxies */
    uint64_t names_hash;
    const char *tag, *device;
    redis_row *rows; /* to be removed from the table being read; name and record owned */
    size_t num_rows, capacity;
} cleaning;

static void report_row(const cleaning *self, const char *what)
{
    char message[1024];
    snprintf(message, sizeof(message), "%s on %s: %s", self->tag, self->device, what);
    self->report(self->user, message);
}

static void *copy_bytes(const void *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy && size > 0)
        memcpy(copy, bytes, size);
    if (copy)
        copy[size] = '\0';
    return copy;
}

static nitro_status note_row(cleaning *self, const redis_row *row)
{
    if (self->num_rows == self->capacity) {
        size_t capacity = self->capacity ? 2 * self->capacity : 64;
        redis_row *grown = realloc(self->rows, capacity * sizeof(*grown));
        if (!grown)
            return nitro_fail(self->store->context, NITRO_ERR_NO_MEMORY, "out of memory: rows");
        self->rows = grown;
        self->capacity = capacity;
    }
    redis_row copy = *row;
    copy.name = copy_bytes(row->name, row->name_size);
    copy.record = row->record ? copy_bytes(row->record, row->record_size) : NULL;
    self->rows[self->num_rows++] = copy;
    if (!copy.name || (row->record && !copy.record))
        return nitro_fail(self->store->context, NITRO_ERR_NO_MEMORY, "out of memory: rows");
    return NITRO_OK;
}

static void drop_rows(cleaning *self)
{
    while (self->num_rows > 0) {
        redis_row *row = &self->rows[--self->num_rows];
        free((char *)(uintptr_t)row->name);
        free((void *)(uintptr_t)row->record);
    }
}

/* What only a newer Nitro can read is no damage. */
static nitro_status judge(cleaning *self, const redis_row *row, nitro_status status)
{
    char message[2048];
    if (status != NITRO_ERR_FORMAT)
        return status == NITRO_ERR_NEWER ? NITRO_OK : status;
    nitro_context_last_error(self->store->context, message, sizeof(message));
    self->report(self->user, message);
    return note_row(self, row);
}

static nitro_status clean_sample(void *user, const redis_row *row)
{
    cleaning *self = user;
    nitro_context *context = self->store->context;
    const char *where = self->store->url->shown;
    nitro_sample *sample = NULL;
    if (!row->record) {
        report_row(self, "a sample's name has no sample");
        return note_row(self, row);
    }
    nitro_status status =
        nitro_record_read_sample(context, where, self->schema, self->names_hash, self->device,
                                 strlen(row->name) == row->name_size ? row->name : "", row->record,
                                 row->record_size, &sample);
    if (status == NITRO_OK)
        status = nitro_store_check_sample(context, where, self->schema, self->device, sample,
                                          NITRO_ERR_FORMAT);
    nitro_sample_free(sample);
    return judge(self, row, status);
}

static nitro_status clean_profile(void *user, const redis_row *row)
{
    cleaning *self = user;
    nitro_profile *profile = NULL;
    if (!row->record) {
        report_row(self, "a profile's name has no profile");
        return note_row(self, row);
    }
    nitro_status status =
        nitro_record_decode_profile(self->store->context, self->store->url->shown, self->schema,
                                    self->device, row->record, row->record_size, &profile);
    nitro_profile_free(profile);
    return judge(self, row, status);
}

static nitro_status clean_table(cleaning *self, const char *records, const char *names,
                                redis_row_function clean_row)
{
    redis_table table = {0};
    size_t removed = 0;
    nitro_status status =
        nitro_redis_table_of(self->store, self->tag, records, names, self->device, &table);
    if (status == NITRO_OK)
        status = nitro_redis_table_each(&table, true, clean_row, self);
    if (status == NITRO_OK && !self->dry_run)
        status = nitro_redis_table_remove(&table, self->rows, self->num_rows, &removed);
    drop_rows(self);
    nitro_redis_table_free(&table);
    return status;
}

/* All rows of a device that nobody described, or of a computation whose names are gone. */
static nitro_status remove_orphans(cleaning *self, const char *why)
{
    nitro_string_list devices = {0};
    size_t count = 0, removed = 0;
    char message[256];
    nitro_status status = count_rows(self->store, self->tag, self->device, &count);
    if (status != NITRO_OK || count == 0)
        return status;
    snprintf(message, sizeof(message), "%zu samples and profiles belong to no %s", count, why);
    report_row(self, message);
    if (self->dry_run)
        return NITRO_OK;
    status = nitro_string_list_add(self->store->context, &devices, self->device);
    if (status == NITRO_OK)
        status = nitro_redis_unlink(
            self->store, self->tag, &devices,
            (const char *const[]){"inputs", "samples", "runs", "profiles", NULL}, NULL, &removed);
    nitro_string_list_free(&devices);
    return status;
}

static nitro_status clean_device(cleaning *self, bool has_names)
{
    bool exists = false;
    char *key = nitro_redis_key(self->store, NITRO_REDIS_TAG_DEVICES, "record", self->device);
    nitro_status status = key ? nitro_redis_exists(self->store, key, &exists) : NITRO_ERR_NO_MEMORY;
    free(key);
    if (status != NITRO_OK)
        return status;
    if (!exists || !has_names)
        return remove_orphans(self, exists ? "computation" : "device");
    if (self->schema)
        status = clean_table(self, "samples", "inputs", clean_sample);
    return status == NITRO_OK ? clean_table(self, "profiles", "runs", clean_profile) : status;
}

static nitro_status clean_tag(cleaning *self, const char *tag, bool has_names)
{
    nitro_string_list devices = {0};
    self->tag = tag;
    nitro_status status = nitro_redis_list_announced(self->store, tag, &devices);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++) {
        self->device = devices.items[i];
        status = clean_device(self, has_names);
    }
    nitro_string_list_free(&devices);
    return status;
}

/* Where a computation's own names are damaged, its samples cannot be told from sound ones: they
 * stay. */
static nitro_status clean_computation(cleaning *self, const char *computation)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_redis_get_schema(self->store, computation, &schema);
    if (status == NITRO_ERR_FORMAT || status == NITRO_ERR_NEWER)
        return NITRO_OK;
    if (status != NITRO_OK && status != NITRO_ERR_NOT_FOUND)
        return status;
    self->schema = schema;
    self->names_hash = schema ? nitro_record_names_hash(schema) : 0;
    status = clean_tag(self, computation, schema != NULL);
    self->schema = NULL;
    nitro_schema_free(schema);
    return status;
}

nitro_status nitro_redis_remove_damaged(void *state, bool dry_run, nitro_problem_function report,
                                        void *user)
{
    cleaning self = {.store = state, .dry_run = dry_run, .report = report, .user = user};
    nitro_string_list computations = {0};
    nitro_status status = nitro_redis_index_read(self.store, NITRO_REDIS_TAG_COMPUTATIONS, "index",
                                                 nitro_name_is_clean, &computations);
    for (size_t i = 0; i < computations.count && status == NITRO_OK; i++)
        status = clean_computation(&self, computations.items[i]);
    if (status == NITRO_OK)
        status = clean_tag(&self, NITRO_REDIS_TAG_PROXIES, true);
    nitro_string_list_free(&computations);
    free(self.rows);
    return status;
}

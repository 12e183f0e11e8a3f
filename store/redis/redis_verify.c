/* Verifies a Redis store and removes damaged records: reads every record, and checks that
 * records and indexes agree. Other processes may write at the same time, so a row that disappears
 * is no problem. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

typedef struct inspection {
    redis_store *store;
    nitro_problem_function report;
    void *user;
    bool clean;              /* report and remove only what can be removed, and mend indexes */
    bool dry_run;            /* but change nothing */
    nitro_string_list known; /* devices that are in their index and have a record */
    /* The table being read: */
    const char *tag, *device;
    const nitro_schema *schema; /* NULL: proxies */
    redis_row *bad;             /* rows to remove; name and record owned */
    size_t num_bad, capacity;
} inspection;

/* Report the last error as a problem; any failure but damage ends the inspection. */
static nitro_status report_failure(inspection *i, nitro_status status)
{
    if (status != NITRO_ERR_FORMAT && status != NITRO_ERR_NEWER)
        return status;
    if (!i->clean)
        nitro_store_report_damage(i->store->context, i->report, i->user);
    return NITRO_OK;
}

static nitro_status keep_bad(inspection *i, const redis_row *row)
{
    if (!i->clean || i->dry_run)
        return NITRO_OK;
    redis_row *grown =
        nitro_grow(i->store->context, i->bad, i->num_bad, &i->capacity, sizeof(*grown), "rows");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    i->bad = grown;
    char *name = nitro_calloc(i->store->context, row->name_size + 1, 1);
    char *record = nitro_calloc(i->store->context, row->record_size + 1, 1);
    if (!name || !record) {
        free(name);
        free(record);
        return NITRO_ERR_NO_MEMORY;
    }
    memcpy(name, row->name, row->name_size);
    if (row->record_size > 0)
        memcpy(record, row->record, row->record_size);
    i->bad[i->num_bad++] = (redis_row){.name = name,
                                       .record = record,
                                       .name_size = row->name_size,
                                       .record_size = row->record_size};
    return NITRO_OK;
}

static nitro_status remove_bad(inspection *i, const redis_table *table, nitro_status status)
{
    size_t removed = 0;
    if (status == NITRO_OK && i->num_bad > 0)
        status = nitro_redis_table_remove(table, i->bad, i->num_bad, &removed);
    for (size_t row = 0; row < i->num_bad; row++) {
        free((char *)(uintptr_t)i->bad[row].name);
        free((void *)(uintptr_t)i->bad[row].record);
    }
    i->num_bad = 0;
    return status;
}

/* Records of a newer Nitro are reported by `verify`, but not removed. */
static nitro_status note_unreadable(void *user, const redis_row *row, nitro_status status)
{
    inspection *i = user;
    if (status == NITRO_ERR_NEWER && i->clean)
        return NITRO_OK;
    nitro_store_report_damage(i->store->context, i->report, i->user);
    return status == NITRO_ERR_NEWER ? NITRO_OK : keep_bad(i, row);
}

/* Shared parts stay behind when their samples are removed or replaced. */
static nitro_status tidy(inspection *i, const redis_table *table)
{
    char message[512];
    size_t num_unused = 0;
    if (!i->clean || !table->shared)
        return NITRO_OK;
    nitro_status status = nitro_redis_table_tidy(table, !i->dry_run, &num_unused);
    snprintf(message, sizeof(message), "%s on %s: %zu shared part%s to no sample", i->tag,
             i->device, num_unused, num_unused == 1 ? " belongs" : "s belong");
    if (status == NITRO_OK && num_unused > 0)
        i->report(i->user, message);
    return status;
}

static nitro_status inspect_rows(inspection *i, const redis_table *table)
{
    const redis_reader reader = {
        .schema = i->schema, .device = i->device, .unreadable = note_unreadable, .damaged_user = i};
    nitro_status status = remove_bad(i, table, nitro_redis_read(&reader, table));
    return status == NITRO_OK ? tidy(i, table) : status;
}

/* The table itself is damaged, as the last error says. */
static nitro_status inspect_damaged(inspection *i, const redis_table *table)
{
    nitro_store_report_damage(i->store->context, i->report, i->user);
    if (!i->clean || i->dry_run)
        return NITRO_OK;
    return nitro_redis_table_drop(table); /* nothing of it can be read */
}

static nitro_status inspect_table(inspection *i, bool of_profiles)
{
    redis_table table = {0};
    nitro_status status = nitro_redis_table_of(i->store, i->tag, of_profiles, i->device, &table);
    if (status == NITRO_OK)
        status = inspect_rows(i, &table);
    if (status == NITRO_ERR_FORMAT && table.records)
        status = inspect_damaged(i, &table);
    nitro_redis_table_free(&table);
    return report_failure(i, status);
}

/* Keys of wrong types have no rows to count. */
static nitro_status count_rows(inspection *i, size_t *count)
{
    nitro_status status = NITRO_OK;
    *count = 0;
    for (int of_profiles = 0; of_profiles < 2 && status == NITRO_OK; of_profiles++) {
        redis_table table = {0};
        size_t num_rows = 0;
        status = nitro_redis_table_of(i->store, i->tag, of_profiles != 0, i->device, &table);
        if (status == NITRO_OK)
            status = nitro_redis_table_count(&table, &num_rows);
        if (status == NITRO_ERR_FORMAT)
            status = NITRO_OK;
        nitro_redis_table_free(&table);
        *count += num_rows;
    }
    return status;
}

/* Rows of a device without a description, or of a computation without a schema. */
static nitro_status inspect_orphans(inspection *i, bool has_schema, size_t count)
{
    char message[512];
    snprintf(message, sizeof(message), "%s on %s: %zu sample%s, but %s", i->tag, i->device, count,
             count == 1 ? " or profile" : "s and profiles",
             has_schema ? "the device is missing or damaged"
                        : "the computation's schema is missing");
    i->report(i->user, message);
    if (!i->clean || i->dry_run)
        return NITRO_OK;
    return nitro_redis_unlink_orphans(i->store, i->tag, i->device, has_schema);
}

/* A damaged description, which is removed, counts as missing: a dry run names the rows that go with
 * it. */
static nitro_status is_described(inspection *i, bool *described)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_redis_get_device(i->store, i->device, &device);
    nitro_device_free(device);
    *described = status == NITRO_OK || status == NITRO_ERR_NEWER ||
                 (status == NITRO_ERR_FORMAT && !i->clean);
    return *described || status == NITRO_ERR_NOT_FOUND || status == NITRO_ERR_FORMAT ? NITRO_OK
                                                                                     : status;
}

/* No list shows what the index does not name: another program, or an earlier gc beside a writer,
 * has removed the name. It may also have come since the index was read. */
static nitro_status inspect_unlisted(inspection *i, const char *tag, const char *index)
{
    char message[512];
    nitro_string_list listed = {0};
    nitro_status status =
        nitro_redis_index_read(i->store, tag, index, nitro_device_id_is_valid, &listed);
    bool there = nitro_store_sorted_list_has(&listed, i->device);
    nitro_string_list_free(&listed);
    if (status != NITRO_OK || there)
        return report_failure(i, status);
    snprintf(message, sizeof(message),
             "%s: the index of %s lacks this device, so no list shows it; 'nitro store gc "
             "--quarantined --apply' adds it",
             i->device, tag[0] == '@' ? tag + 1 : tag);
    i->report(i->user, message);
    return i->clean && !i->dry_run ? nitro_redis_index_add(i->store, tag, index, i->device)
                                   : NITRO_OK;
}

/* Add known devices with rows that the index of the tag lacks to the list, which is sorted. */
static nitro_status find_unlisted(inspection *i, const char *tag, nitro_string_list *devices)
{
    nitro_string_list others = {0};
    nitro_status status = NITRO_OK;
    for (size_t d = 0; d < i->known.count && status == NITRO_OK; d++)
        if (!nitro_store_sorted_list_has(devices, i->known.items[d]))
            status = nitro_string_list_add(i->store->context, &others, i->known.items[d]);
    if (status == NITRO_OK)
        status = nitro_redis_index_filter(
            i->store, tag, (const char *const[]){"samples", "profiles", NULL}, &others);
    for (size_t d = 0; d < others.count && status == NITRO_OK; d++) {
        i->device = others.items[d];
        status = inspect_unlisted(i, tag, "devices");
        if (status == NITRO_OK)
            status = nitro_string_list_add(i->store->context, devices, others.items[d]);
    }
    nitro_string_list_free(&others);
    return status;
}

static nitro_status inspect_device_of(inspection *i, bool has_schema)
{
    size_t count = 0;
    bool described = false;
    nitro_status status = count_rows(i, &count);
    if (status == NITRO_OK)
        status = is_described(i, &described);
    if (status != NITRO_OK)
        return report_failure(i, status);
    if (count > 0 && (!has_schema || !described))
        return inspect_orphans(i, has_schema, count);
    if (described && !nitro_store_sorted_list_has(&i->known, i->device)) {
        status = inspect_unlisted(i, NITRO_REDIS_TAG_DEVICES, "index");
        if (status == NITRO_OK) /* once is enough */
            status = nitro_string_list_add(i->store->context, &i->known, i->device);
        nitro_string_list_sort(&i->known);
    }
    if (status == NITRO_OK && i->schema)
        status = inspect_table(i, false);
    if (status == NITRO_OK && has_schema)
        status = inspect_table(i, true);
    return status;
}

/* Remove a key that should be an index of devices and is of another type: these are added again. */
static nitro_status replace_index(inspection *i, const char *tag, const char *index)
{
    char message[512];
    redisReply *type = NULL;
    char *key = nitro_redis_key(i->store, tag, index, NULL);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (key)
        status = nitro_redis_query(i->store, &type, "TYPE", key, (char *)NULL);
    if (status == NITRO_OK && type->type != REDIS_REPLY_STATUS)
        status = nitro_redis_fail_reply(i->store, "TYPE", key);
    if (status == NITRO_OK && strcmp(type->str, "set") != 0 && strcmp(type->str, "none") != 0) {
        snprintf(message, sizeof(message), "%s is no index: it is of type %s", key, type->str);
        i->report(i->user, message);
        if (!i->dry_run)
            status = nitro_redis_query(i->store, NULL, "UNLINK", key, (char *)NULL);
    }
    nitro_redis_free_replies(&type, 1);
    free(key);
    return status;
}

/* Names in an index that are not valid, or that no record needs: anyone who may add samples may add
 * names. */
static nitro_status inspect_index(inspection *i, const char *tag, const char *index)
{
    size_t num_invalid = 0, num_unused = 0;
    char message[256];
    nitro_status status = NITRO_OK;
    if (i->clean && strcmp(tag, NITRO_REDIS_TAG_COMPUTATIONS) != 0)
        status = replace_index(i, tag, index);
    if (status == NITRO_OK)
        status = nitro_redis_index_prune(i->store, tag, index, i->clean && !i->dry_run,
                                         &num_invalid, &num_unused);
    const char *of = tag[0] == '@' ? tag + 1 : tag;
    snprintf(message, sizeof(message), "%zu name%s in the index of %s %s not valid", num_invalid,
             num_invalid == 1 ? "" : "s", of, num_invalid == 1 ? "is" : "are");
    if (status == NITRO_OK && num_invalid > 0)
        i->report(i->user, message);
    snprintf(message, sizeof(message), "%zu name%s in the index of %s %s of no device", num_unused,
             num_unused == 1 ? "" : "s", of, num_unused == 1 ? "is" : "are");
    if (status == NITRO_OK && num_unused > 0 && i->clean)
        i->report(i->user, message);
    return report_failure(i, status);
}

static nitro_status inspect_devices_of(inspection *i, const char *tag, bool has_schema)
{
    nitro_string_list devices = {0};
    i->tag = tag;
    nitro_status status = inspect_index(i, tag, "devices");
    if (status == NITRO_OK)
        status = nitro_redis_list_announced(i->store, tag, &devices);
    if (status == NITRO_OK)
        status = find_unlisted(i, tag, &devices);
    status = report_failure(i, status);
    for (size_t d = 0; d < devices.count && status == NITRO_OK; d++) {
        i->device = devices.items[d];
        status = inspect_device_of(i, has_schema);
    }
    nitro_string_list_free(&devices);
    return status;
}

/* If the schema itself is damaged, sound samples cannot be told from damaged ones: they stay. */
static nitro_status inspect_computation(inspection *i, const char *computation)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_redis_get_schema(i->store, computation, &schema);
    if (status != NITRO_OK && status != NITRO_ERR_NOT_FOUND)
        return report_failure(i, status);
    i->schema = schema;
    status = inspect_devices_of(i, computation, schema != NULL);
    i->schema = NULL;
    nitro_schema_free(schema);
    return status;
}

/* A damaged device goes with its samples, which no device describes. */
static nitro_status inspect_device(inspection *i, const char *id)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_redis_get_device(i->store, id, &device);
    nitro_device_free(device);
    if (status != NITRO_ERR_FORMAT || !i->clean)
        return status == NITRO_ERR_NOT_FOUND ? NITRO_OK : report_failure(i, status);
    nitro_store_report_damage(i->store->context, i->report, i->user);
    return i->dry_run ? NITRO_OK : nitro_redis_delete_device(i->store, id);
}

static nitro_status inspect_devices(inspection *i)
{
    nitro_status status = inspect_index(i, NITRO_REDIS_TAG_DEVICES, "index");
    if (status == NITRO_OK)
        status = report_failure(i, nitro_redis_list_devices(i->store, NULL, &i->known));
    for (size_t d = 0; d < i->known.count && status == NITRO_OK; d++)
        status = inspect_device(i, i->known.items[d]);
    return status;
}

static nitro_status list_computations(inspection *i, nitro_string_list *names)
{
    nitro_status status = inspect_index(i, NITRO_REDIS_TAG_COMPUTATIONS, "index");
    if (status == NITRO_OK)
        status = nitro_redis_index_read(i->store, NITRO_REDIS_TAG_COMPUTATIONS, "index",
                                        nitro_name_is_valid, names);
    return report_failure(i, status);
}

static nitro_status inspect_all(inspection *i)
{
    nitro_string_list computations = {0};
    nitro_status status = inspect_devices(i);
    if (status == NITRO_OK)
        status = list_computations(i, &computations);
    for (size_t c = 0; c < computations.count && status == NITRO_OK; c++)
        status = inspect_computation(i, computations.items[c]);
    if (status == NITRO_OK)
        status = inspect_devices_of(i, NITRO_REDIS_TAG_PROXIES, true);
    nitro_string_list_free(&computations);
    nitro_string_list_free(&i->known);
    free(i->bad);
    return status;
}

nitro_status nitro_redis_verify(void *state, nitro_problem_function report, void *user)
{
    inspection i = {.store = state, .report = report, .user = user};
    return inspect_all(&i);
}

nitro_status nitro_redis_remove_damaged(void *state, bool dry_run, nitro_problem_function report,
                                        void *user)
{
    inspection i = {
        .store = state, .report = report, .user = user, .clean = true, .dry_run = dry_run};
    return inspect_all(&i);
}

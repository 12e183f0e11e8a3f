/* Computations' names in SQLite: one row each, with features, variants and relative features in
 * declared order. */
#include "store/sqlite/sqlite_internal.h"

/* Run an INSERT of (owner, position, texts...), all texts bound. */
static nitro_status insert_named(sqlite_store *store, const char *sql, sqlite3_int64 owner,
                                 size_t position, const char *const *texts, int num_texts)
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take_of(store, sql, owner, &statement);
    if (status != NITRO_OK)
        return status;
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)position);
    for (int i = 0; i < num_texts; i++)
        nitro_sqlite_bind_text(statement, 3 + i, texts[i]);
    return nitro_sqlite_finish(store, statement);
}

static nitro_status insert_names(sqlite_store *store, const nitro_schema *schema, sqlite3_int64 id)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < schema->num_features && status == NITRO_OK; i++) {
        const nitro_feature_info *feature = &schema->features[i];
        const char *texts[] = {feature->name, feature->unit, nitro_scale_name(feature->scale)};
        status = insert_named(store, "INSERT INTO features VALUES (?1, ?2, ?3, ?4, ?5)", id, i,
                              texts, 3);
    }
    for (size_t i = 0; i < schema->num_variants && status == NITRO_OK; i++) {
        const char *texts[] = {schema->variants[i]};
        status = insert_named(store, "INSERT INTO variants VALUES (?1, ?2, ?3)", id, i, texts, 1);
    }
    for (size_t i = 0; i < schema->num_relative && status == NITRO_OK; i++) {
        const nitro_relative_info *relative = &schema->relative[i];
        const char *texts[] = {relative->name, relative->unit, nitro_scale_name(relative->scale),
                               relative->formula, relative->replaces};
        status =
            insert_named(store, "INSERT INTO relative_features VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                         id, i, texts, 5);
    }
    return status;
}

static void bind_default_and_checksum(sqlite3_stmt *statement, const nitro_schema *schema)
{
    if (schema->default_variant != NITRO_NONE)
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)schema->default_variant);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)nitro_store_schema_checksum(schema));
}

static nitro_status insert_schema(sqlite_store *store, const nitro_schema *schema)
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take(
        store, "INSERT INTO computations (name, default_variant, checksum) VALUES (?1, ?2, ?3)",
        &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, schema->computation);
    bind_default_and_checksum(statement, schema);
    status = nitro_sqlite_finish(store, statement);
    return status == NITRO_OK ? insert_names(store, schema, sqlite3_last_insert_rowid(store->db))
                              : status;
}

/* The computation keeps its row: samples hang on it. */
static nitro_status update_schema(sqlite_store *store, const nitro_schema *schema, sqlite3_int64 id)
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take_of(
        store, "UPDATE computations SET default_variant = ?2, checksum = ?3 WHERE id = ?1", id,
        &statement);
    if (status != NITRO_OK)
        return status;
    bind_default_and_checksum(statement, schema);
    status = nitro_sqlite_finish(store, statement);
    if (status == NITRO_OK)
        status = nitro_sqlite_run_of(store, "DELETE FROM features WHERE computation = ?1", id);
    if (status == NITRO_OK)
        status = nitro_sqlite_run_of(store, "DELETE FROM variants WHERE computation = ?1", id);
    if (status == NITRO_OK)
        status =
            nitro_sqlite_run_of(store, "DELETE FROM relative_features WHERE computation = ?1", id);
    return status == NITRO_OK ? insert_names(store, schema, id) : status;
}

nitro_status nitro_sqlite_write_schema(sqlite_store *store, const nitro_schema *schema)
{
    sqlite3_int64 id;
    nitro_status status =
        nitro_sqlite_find(store, NITRO_SQLITE_FIND_COMPUTATION, schema->computation, &id);
    if (status == NITRO_ERR_NOT_FOUND)
        return insert_schema(store, schema);
    nitro_schema *stored = NULL, *merged = NULL;
    if (status == NITRO_OK)
        status = nitro_sqlite_get_schema(store, schema->computation, &stored);
    if (status == NITRO_OK)
        status = nitro_store_merge_schema(store->context, stored, schema, &merged);
    if (status == NITRO_OK && merged)
        status = update_schema(store, merged, id);
    nitro_schema_free(merged);
    nitro_schema_free(stored);
    return status;
}

nitro_status nitro_sqlite_put_schema(void *state, const nitro_schema *schema)
{
    sqlite_store *store = state;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status == NITRO_OK)
        status = nitro_sqlite_end_write(store, nitro_sqlite_write_schema(store, schema));
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* A schema that grows by rows. */
typedef struct reading {
    sqlite_store *store;
    nitro_schema *schema;
} reading;

/* A name that a schema does not take was not written by us. */
static nitro_status as_damaged(const reading *job, nitro_status status)
{
    if (status == NITRO_OK || status == NITRO_ERR_NO_MEMORY)
        return status;
    return nitro_sqlite_fail_damaged(job->store, "computation", job->schema->computation);
}

static nitro_status add_feature_row(void *user, sqlite3_stmt *row)
{
    const reading *job = user;
    const char *name, *unit, *scale_name;
    nitro_scale scale;
    nitro_status status = NITRO_ERR_FORMAT;
    if (nitro_sqlite_text(row, 0, &name) && nitro_sqlite_text(row, 1, &unit) &&
        nitro_sqlite_text(row, 2, &scale_name) && nitro_scale_from_name(scale_name, &scale))
        status = nitro_schema_add_feature(job->store->context, job->schema, name, unit, scale);
    return as_damaged(job, status);
}

static nitro_status add_variant_row(void *user, sqlite3_stmt *row)
{
    const reading *job = user;
    const char *name;
    nitro_status status = NITRO_ERR_FORMAT;
    if (nitro_sqlite_text(row, 0, &name))
        status = nitro_schema_add_variant(job->store->context, job->schema, name);
    return as_damaged(job, status);
}

static nitro_status add_relative_row(void *user, sqlite3_stmt *row)
{
    const reading *job = user;
    nitro_relative_feature feature = {0};
    const char *scale_name;
    nitro_status status = NITRO_ERR_FORMAT;
    if (nitro_sqlite_text(row, 0, &feature.name) && nitro_sqlite_text(row, 1, &feature.unit) &&
        nitro_sqlite_text(row, 2, &scale_name) &&
        nitro_scale_from_name(scale_name, &feature.scale) &&
        nitro_sqlite_text(row, 3, &feature.formula) && nitro_sqlite_text(row, 4, &feature.replaces))
        status = nitro_schema_add_relative(job->store->context, job->schema, &feature);
    return as_damaged(job, status);
}

static nitro_status read_names(reading *job, const char *sql, sqlite3_int64 id,
                               nitro_status (*add)(void *, sqlite3_stmt *))
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take_of(job->store, sql, id, &statement);
    return status == NITRO_OK ? nitro_sqlite_each_row(job->store, statement, add, job) : status;
}

/* Id, default variant and checksum of a computation; NITRO_ERR_NOT_FOUND without a message. */
static nitro_status read_head(sqlite_store *store, const char *computation, sqlite3_int64 *id,
                              size_t *default_variant, uint64_t *checksum)
{
    sqlite3_stmt *statement;
    bool has_row = false;
    nitro_status status = nitro_sqlite_take(
        store, "SELECT id, ifnull(default_variant, -1), checksum FROM computations WHERE name = ?1",
        &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, computation);
    status = nitro_sqlite_step(store, statement, &has_row);
    if (status == NITRO_OK && has_row) {
        int64_t position = sqlite3_column_int64(statement, 1);
        *id = sqlite3_column_int64(statement, 0);
        *default_variant = position < 0 ? NITRO_NONE : (size_t)position;
        *checksum = (uint64_t)sqlite3_column_int64(statement, 2);
    }
    nitro_sqlite_give_back(store, statement);
    return status == NITRO_OK && !has_row ? NITRO_ERR_NOT_FOUND : status;
}

static nitro_status get_schema(sqlite_store *store, const char *computation, nitro_schema **schema)
{
    sqlite3_int64 id = 0;
    size_t default_variant = NITRO_NONE;
    uint64_t checksum = 0;
    reading job = {.store = store};
    nitro_status status = read_head(store, computation, &id, &default_variant, &checksum);
    if (status == NITRO_OK)
        status = nitro_schema_create(store->context, computation, &job.schema);
    if (status == NITRO_OK)
        status = read_names(&job,
                            "SELECT name, unit, scale FROM features WHERE computation = ?1 "
                            "ORDER BY position",
                            id, add_feature_row);
    if (status == NITRO_OK)
        status =
            read_names(&job, "SELECT name FROM variants WHERE computation = ?1 ORDER BY position",
                       id, add_variant_row);
    if (status == NITRO_OK)
        status = read_names(&job,
                            "SELECT name, unit, scale, formula, replaces FROM relative_features "
                            "WHERE computation = ?1 ORDER BY position",
                            id, add_relative_row);
    if (status == NITRO_OK) {
        job.schema->default_variant = default_variant;
        if (nitro_store_schema_checksum(job.schema) != checksum)
            status = nitro_sqlite_fail_damaged(store, "computation", computation);
    }
    if (status == NITRO_OK)
        *schema = job.schema;
    else
        nitro_schema_free(job.schema);
    return status;
}

nitro_status nitro_sqlite_get_schema(void *state, const char *computation, nitro_schema **schema)
{
    sqlite_store *store = state;
    nitro_schema *read = NULL;
    nitro_status status = nitro_sqlite_begin_read(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_end_read(store, get_schema(store, computation, &read));
    if (status == NITRO_OK)
        *schema = read;
    else
        nitro_schema_free(read);
    return status;
}

nitro_status nitro_sqlite_list_computations(void *state, nitro_string_list *computations)
{
    sqlite3_stmt *statement;
    nitro_status status =
        nitro_sqlite_take(state, "SELECT name FROM computations ORDER BY name", &statement);
    return status == NITRO_OK ? nitro_sqlite_list(state, statement, computations) : status;
}

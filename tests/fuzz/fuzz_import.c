/* Importing any bytes as samples into a store that is made for the purpose, twice: what went in
 * must verify, come out as a file that goes in again, and give the same file then. The first byte
 * chooses whether the computation is there already, under names of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/nitro_backend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_PATH = 96 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void put_names(nitro_store *store)
{
    nitro_context *context = nitro_store_context(store);
    nitro_schema *schema = NULL;
    require(nitro_schema_create(context, "fuzz", &schema) == NITRO_OK);
    require(nitro_schema_add_feature(context, schema, "rows", "1", NITRO_SCALE_LOG) == NITRO_OK);
    require(nitro_schema_add_feature(context, schema, "fill", "1", NITRO_SCALE_AUTO) == NITRO_OK);
    require(nitro_schema_add_variant(context, schema, "csr") == NITRO_OK);
    require(nitro_schema_add_variant(context, schema, "ell") == NITRO_OK);
    require(nitro_store_put_schema(store, schema) == NITRO_OK);
    nitro_schema_free(schema);
}

static nitro_status import_file(nitro_store *store, const char *path, bool replace)
{
    nitro_import_options options = {
        .computation = "fuzz", .device = "lab", .samples_path = path, .replace = replace};
    return nitro_store_import_csv(store, &options, NULL);
}

static void round_trip(nitro_store *store, const char *folder)
{
    nitro_context *context = nitro_store_context(store);
    char first[MAX_PATH], second[MAX_PATH], *texts[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    snprintf(first, sizeof(first), "%s/first.csv", folder);
    snprintf(second, sizeof(second), "%s/second.csv", folder);
    require(nitro_store_verify(store, NULL, NULL) == NITRO_OK);
    require(nitro_store_export_csv(store, "fuzz", "lab", first, NULL) == NITRO_OK);
    require(import_file(store, first, false) == NITRO_ERR_EXISTS);
    require(import_file(store, first, true) == NITRO_OK);
    require(nitro_store_export_csv(store, "fuzz", "lab", second, NULL) == NITRO_OK);
    require(nitro_file_read(context, first, SIZE_MAX, &texts[0], &sizes[0]) == NITRO_OK);
    require(nitro_file_read(context, second, SIZE_MAX, &texts[1], &sizes[1]) == NITRO_OK);
    require(sizes[0] == sizes[1] && memcmp(texts[0], texts[1], sizes[0]) == 0);
    free(texts[0]);
    free(texts[1]);
    unlink(first);
    unlink(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* In memory where there is such a folder: a store syncs to disk at every write. */
    char folder[] = "/dev/shm/nitro-fuzz-XXXXXX", elsewhere[] = "/tmp/nitro-fuzz-XXXXXX";
    char samples_path[MAX_PATH], store_path[MAX_PATH];
    nitro_context *context = NULL;
    nitro_store *store = NULL;
    if (size == 0)
        return 0;
    const char *made = mkdtemp(folder) ? folder : mkdtemp(elsewhere);
    if (!made)
        return 0;
    require(nitro_context_create(&context) == NITRO_OK);
    snprintf(samples_path, sizeof(samples_path), "%s/samples.csv", made);
    snprintf(store_path, sizeof(store_path), "%s/store", made);
    require(nitro_store_open(context, store_path, NITRO_STORE_WRITE, &store) == NITRO_OK);
    require(nitro_file_write(context, samples_path, (const char *)data + 1, size - 1) == NITRO_OK);
    if (data[0] & 1)
        put_names(store);
    if (import_file(store, samples_path, false) == NITRO_OK)
        round_trip(store, made);
    nitro_store_close(store);
    nitro_context_free(context);
    unlink(samples_path);
    unlink(store_path);
    rmdir(made);
    return 0;
}

/* fuzz_import.c - imports of any bytes as samples and as a table of devices into a new store:
 * imported records verify, and export and import again to the same files; a refused import stores
 * nothing. The first byte selects whether the computation exists with another schema; a line "%%"
 * separates samples from devices. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "nitro/nitro_backend.h"

enum { MAX_PATH = 96 };

typedef struct fuzzed {
    nitro_context *context;
    nitro_store *store;
    const char *folder;
    bool has_devices;
} fuzzed;

static const char *path_of(const fuzzed *f, const char *name)
{
    static char paths[4][MAX_PATH];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, MAX_PATH, "%s/%s", f->folder, name);
    return path;
}

static void put_names(const fuzzed *f)
{
    nitro_schema *schema = NULL;
    require(nitro_schema_create(f->context, "fuzz", &schema) == NITRO_OK);
    require(nitro_schema_add_feature(f->context, schema, "rows", "1", NITRO_SCALE_LOG) == NITRO_OK);
    require(nitro_schema_add_feature(f->context, schema, "fill", "1", NITRO_SCALE_AUTO) ==
            NITRO_OK);
    require(nitro_schema_add_variant(f->context, schema, "csr") == NITRO_OK);
    require(nitro_schema_add_variant(f->context, schema, "ell") == NITRO_OK);
    require(nitro_store_put_schema(f->store, schema) == NITRO_OK);
    nitro_schema_free(schema);
}

static nitro_status import_files(const fuzzed *f, const char *samples, const char *devices,
                                 bool replace)
{
    nitro_import_options options = {.computation = "fuzz",
                                    .device = "lab",
                                    .samples_path = path_of(f, samples),
                                    .devices_path = f->has_devices ? path_of(f, devices) : NULL,
                                    .replace = replace};
    return nitro_store_import_csv(f->store, &options, NULL);
}

static void export_files(const fuzzed *f, const char *samples, const char *devices)
{
    require(nitro_store_export_csv(f->store, "fuzz", "lab", path_of(f, samples),
                                   f->has_devices ? path_of(f, devices) : NULL) == NITRO_OK);
}

static void require_same(const fuzzed *f, const char *one, const char *other)
{
    char *texts[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    require(nitro_file_read(f->context, path_of(f, one), SIZE_MAX, &texts[0], &sizes[0]) ==
            NITRO_OK);
    require(nitro_file_read(f->context, path_of(f, other), SIZE_MAX, &texts[1], &sizes[1]) ==
            NITRO_OK);
    require(sizes[0] == sizes[1] && memcmp(texts[0], texts[1], sizes[0]) == 0);
    free(texts[0]);
    free(texts[1]);
}

static void round_trip(const fuzzed *f)
{
    require(nitro_store_verify(f->store, NULL, NULL) == NITRO_OK);
    export_files(f, "samples-1", "devices-1");
    require(import_files(f, "samples-1", "devices-1", false) == NITRO_ERR_EXISTS);
    require(import_files(f, "samples-1", "devices-1", true) == NITRO_OK);
    export_files(f, "samples-2", "devices-2");
    require_same(f, "samples-1", "samples-2");
    if (!f->has_devices)
        return;
    /* A label that looks like a number may have become one the first time; not any more. */
    require(import_files(f, "samples-2", "devices-2", true) == NITRO_OK);
    export_files(f, "samples-3", "devices-3");
    require_same(f, "devices-2", "devices-3");
}

static void require_nothing(const fuzzed *f)
{
    nitro_string_list names = {0};
    size_t count = 1;
    require(nitro_store_list_devices(f->store, NULL, &names) == NITRO_OK);
    require(names.count == 0);
    require(nitro_store_count_samples(f->store, "fuzz", "lab", &count) == NITRO_OK);
    require(count == 0);
}

static void write_files(fuzzed *f, const char *text, size_t size)
{
    static const char separator[] = "\n%%\n";
    const char *devices = size ? memmem(text, size, separator, strlen(separator)) : NULL;
    size_t samples_size = devices ? (size_t)(devices - text) + 1 : size;
    f->has_devices = devices != NULL;
    require(nitro_file_write(f->context, path_of(f, "samples"), text, samples_size) == NITRO_OK);
    if (!devices)
        return;
    devices += strlen(separator);
    require(nitro_file_write(f->context, path_of(f, "devices"), devices,
                             size - (size_t)(devices - text)) == NITRO_OK);
}

static void remove_files(const fuzzed *f)
{
    static const char *const names[] = {"samples", "samples-1", "samples-2", "samples-3", "store",
                                        "devices", "devices-1", "devices-2", "devices-3"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(path_of(f, names[i]));
    rmdir(f->folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* In memory where there is such a folder: a store syncs to disk at every write. */
    char folder[] = "/dev/shm/nitro-fuzz-XXXXXX", elsewhere[] = "/tmp/nitro-fuzz-XXXXXX";
    fuzzed f = {0};
    if (size == 0)
        return 0;
    f.folder = mkdtemp(folder) ? folder : mkdtemp(elsewhere);
    if (!f.folder)
        return 0;
    require(nitro_context_create(&f.context) == NITRO_OK);
    require(nitro_store_open(f.context, path_of(&f, "store"), NITRO_STORE_WRITE, &f.store) ==
            NITRO_OK);
    write_files(&f, (const char *)data + 1, size - 1);
    if (data[0] & 1)
        put_names(&f);
    if (import_files(&f, "samples", "devices", false) == NITRO_OK)
        round_trip(&f);
    else
        require_nothing(&f);
    nitro_store_close(f.store);
    nitro_context_free(f.context);
    remove_files(&f);
    return 0;
}

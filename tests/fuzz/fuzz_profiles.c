/* fuzz_profiles.c - imports of any bytes as profiles into a store with computation "calc" of
 * variants csr and ell: imported profiles verify, and export and import again to the same file; a
 * refused import stores nothing. The first byte selects the options: 'v' a variant's run, 'p' a
 * proxy's, else a device only. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "nitro/nitro_backend.h"

typedef struct fuzzed {
    nitro_context *context;
    nitro_store *store;
    const char *folder;
    char sort; /* of the run that the options name */
} fuzzed;

static const char *path_of(const fuzzed *f, const char *name)
{
    static char paths[4][96];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", f->folder, name);
    return path;
}

static void put_names(const fuzzed *f)
{
    nitro_schema *schema = NULL;
    require(nitro_schema_create(f->context, "calc", &schema) == NITRO_OK);
    require(nitro_schema_add_feature(f->context, schema, "rows", "1", NITRO_SCALE_LOG) == NITRO_OK);
    require(nitro_schema_add_variant(f->context, schema, "csr") == NITRO_OK);
    require(nitro_schema_add_variant(f->context, schema, "ell") == NITRO_OK);
    require(nitro_store_put_schema(f->store, schema) == NITRO_OK);
    nitro_schema_free(schema);
}

static nitro_status import(const fuzzed *f, const char *name, bool with_run, bool replace)
{
    nitro_profile_import_options options;
    nitro_profile_import_options_init(&options);
    options.path = path_of(f, name);
    options.device = "lab";
    options.replace = replace;
    if (with_run && f->sort == 'v') {
        options.computation = "calc";
        options.variant = "ell";
        options.input = "a";
    } else if (with_run && f->sort == 'p') {
        options.proxy = "MEM-BW";
        options.intensity = 3;
    }
    return nitro_store_import_profiles(f->store, &options, NULL);
}

static void export(const fuzzed *f, const char *name)
{
    size_t count = 0;
    require(nitro_store_export_profiles(f->store, NULL, NULL, path_of(f, name), &count) ==
            NITRO_OK);
    require(count > 0);
}

static size_t count_all(const fuzzed *f)
{
    size_t proxies = 0, variants = 0;
    require(nitro_store_count_profiles(f->store, NULL, NULL, &proxies) == NITRO_OK);
    require(nitro_store_count_profiles(f->store, NULL, "calc", &variants) == NITRO_OK);
    return proxies + variants;
}

static void round_trip(const fuzzed *f)
{
    char *texts[2];
    size_t sizes[2];
    require(count_all(f) > 0);
    require(nitro_store_verify(f->store, NULL, NULL) == NITRO_OK);
    export(f, "one");
    require(import(f, "one", false, false) == NITRO_ERR_EXISTS);
    require(import(f, "one", false, true) == NITRO_OK);
    export(f, "two");
    for (int i = 0; i < 2; i++)
        require(nitro_file_read(f->context, path_of(f, i ? "two" : "one"), SIZE_MAX, &texts[i],
                                &sizes[i]) == NITRO_OK);
    require(sizes[0] == sizes[1] && memcmp(texts[0], texts[1], sizes[0]) == 0);
    free(texts[0]);
    free(texts[1]);
}

static void remove_files(const fuzzed *f)
{
    static const char *const names[] = {"given", "one", "two", "store"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(path_of(f, names[i]));
    rmdir(f->folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* In memory where there is such a folder: a store syncs to disk at every write. */
    char folder[] = "/dev/shm/nitro-fuzz-XXXXXX", elsewhere[] = "/tmp/nitro-fuzz-XXXXXX";
    fuzzed f = {.sort = size ? (char)data[0] : '\0'};
    if (size == 0)
        return 0;
    f.folder = mkdtemp(folder) ? folder : mkdtemp(elsewhere);
    if (!f.folder)
        return 0;
    require(nitro_context_create(&f.context) == NITRO_OK);
    require(nitro_store_open(f.context, path_of(&f, "store"), NITRO_STORE_WRITE, &f.store) ==
            NITRO_OK);
    put_names(&f);
    require(nitro_file_write(f.context, path_of(&f, "given"), (const char *)data + 1, size - 1) ==
            NITRO_OK);
    if (import(&f, "given", true, false) == NITRO_OK)
        round_trip(&f);
    else
        require(count_all(&f) == 0);
    nitro_store_close(f.store);
    nitro_context_free(f.context);
    remove_files(&f);
    return 0;
}

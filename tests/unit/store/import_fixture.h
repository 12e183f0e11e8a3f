/* import_fixture.h - for tests of import and export: a store, two CSV tables, and imports with
 * options as on the command line. */
#ifndef NITRO_TESTS_UNIT_STORE_IMPORT_FIXTURE_H
#define NITRO_TESTS_UNIT_STORE_IMPORT_FIXTURE_H

#include <math.h>

#include "unit/store_records.h"
#include "unit/temporary.h"

static const char import_devices_text[] = "device,vendor,model,peak_gbps,shared_atomic\n"
                                          "K20,NVIDIA,\"Tesla \"\"K20\"\", 5 GB\",208,0.361\n"
                                          "K40,NVIDIA,Tesla K40,288.4,\n";

static const char import_samples_text[] = "input,rows,fill,time_ms:csr,time_ms:ell\n"
                                          "\"b, \"\"2\"\"\",10,1.5,0.25,\n"
                                          "a/1,20,,0.125,0.5\n"
                                          "c,1e6,-3,,\n";

typedef struct import_fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    const char *devices_path;
} import_fixture;

static inline int import_setup(void **state)
{
    import_fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    f->devices_path = strdup(temporary_write(&f->folder, "devices.csv", import_devices_text));
    f->store = temporary_store(f->context, &f->folder, "store");
    *state = f;
    return 0;
}

static inline int import_teardown(void **state)
{
    import_fixture *f = *state;
    nitro_store_close(f->store);
    free((char *)f->devices_path);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

typedef struct import_choice { /* options as the command line has them; NULL: not given */
    const char *device, *features, *variants, *logs;
    bool replace, without_devices;
} import_choice;

static inline nitro_status import_file(import_fixture *f, const char *path,
                                       const char *devices_path, import_choice chosen,
                                       nitro_import_report *report)
{
    nitro_string_list features = {0}, variants = {0}, logs = {0};
    nitro_import_options options = {.computation = "spmv",
                                    .device = chosen.device ? chosen.device : "K20",
                                    .samples_path = path,
                                    .devices_path = devices_path,
                                    .replace = chosen.replace};
    if (chosen.features) {
        assert_ok(f->context, nitro_string_list_split(f->context, &features, chosen.features));
        options.features = &features;
    }
    if (chosen.variants) {
        assert_ok(f->context, nitro_string_list_split(f->context, &variants, chosen.variants));
        options.variants = &variants;
    }
    if (chosen.logs) {
        assert_ok(f->context, nitro_string_list_split(f->context, &logs, chosen.logs));
        options.log_features = &logs;
    }
    nitro_status status = nitro_store_import_csv(f->store, &options, report);
    nitro_string_list_free(&features);
    nitro_string_list_free(&variants);
    nitro_string_list_free(&logs);
    return status;
}

static inline nitro_status import_text(import_fixture *f, const char *text, import_choice chosen,
                                       nitro_import_report *report)
{
    const char *path = temporary_write(&f->folder, "samples.csv", text);
    return import_file(f, path, chosen.without_devices ? NULL : f->devices_path, chosen, report);
}

static inline size_t import_count(import_fixture *f, const char *device)
{
    size_t count = 999;
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", device, &count));
    return count;
}

static inline void import_assert_nothing(import_fixture *f)
{
    nitro_string_list names = {0};
    assert_ok(f->context, nitro_store_list_computations(f->store, &names));
    assert_ok(f->context, nitro_store_list_devices(f->store, NULL, &names));
    assert_int_equal(names.count, 0);
}

#define IMPORT_TEST(name) cmocka_unit_test_setup_teardown(name, import_setup, import_teardown)

#endif

/* OpenCL devices: facts and their files, ids; with a device, also queries, clock, errors. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "features/device/opencl/opencl_kind.h"
#include "features/device/opencl/opencl_library.h"
#include "nitro/kernels.h"
#include "unit/opencl_here.h"

static nitro_facts made_up(const char *name, double index)
{
    nitro_facts facts;
    nitro_facts_init(&facts);
    snprintf(facts.texts[NITRO_OPENCL_NAME], NITRO_FACTS_TEXT_SIZE, "%s", name);
    strcpy(facts.texts[NITRO_OPENCL_TYPE], "gpu");
    facts.index = index;
    facts.values[NITRO_OPENCL_COMPUTE_UNITS] = 32;
    facts.values[NITRO_OPENCL_GLOBAL_MEM_BYTES] = 3.0 * 0x1p30;
    facts.values[NITRO_OPENCL_LOCAL_MEM_BYTES] = 32768;
    facts.measured[NITRO_OPENCL_COPY_GBPS] = 190.5;
    facts.spread[NITRO_OPENCL_COPY_GBPS] = 0.01;
    return facts;
}

static void facts_survive_a_file(void **state)
{
    nitro_context *context = unit_context();
    nitro_facts facts = made_up("Tahiti (TM) XT", 1);
    char *text;
    nitro_device *device;
    (void)state;
    assert_ok(context, nitro_facts_print(context, &nitro_opencl_kind, &facts, &text));
    assert_ok(context,
              nitro_device_kind_opencl.replay(context, "file", text, strlen(text), &device));
    assert_string_equal(device->id, "opencl:tahiti-xt");
    assert_string_equal(device->kind, "opencl");
    assert_string_equal(nitro_device_label(device, "type"), "gpu");
    assert_near(nitro_device_value(device, "sm_count"), 32, 0);
    assert_near(nitro_device_value(device, "global_mem"), 3, 0);
    assert_near(nitro_device_value(device, "shared_mem_per_block"), 32, 0);
    assert_near(nitro_device_value(device, "copy_gbps"), 190.5, 0);
    assert_true(isnan(nitro_device_value(device, "clock_rate")));
    nitro_device_free(device);
    free(text);
    nitro_context_free(context);
}

static void wrong_files_are_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{", "file: line 1, column 1: not JSON"},
        {"[]", "0 devices"},
        {"{\"format\": \"nitro-cuda-query\", \"version\": 1}", "recorded query of an OpenCL"},
        {"{\"format\": \"nitro-opencl-query\", \"version\": 1, \"index\": 0, "
         "\"facts\": {}, \"measured\": {}}",
         "name"},
        {"{\"format\": \"nitro-opencl-query\", \"version\": 1, \"name\": \"\", "
         "\"vendor\": \"\", \"opencl\": \"\", \"driver\": \"\", \"platform\": \"\", \"type\": "
         "\"\", \"index\": 0, \"facts\": {\"compute_units\": -1}, \"measured\": {}}",
         "facts.compute_units is -1"},
    };
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_device *device = NULL;
        assert_fails(context,
                     nitro_device_kind_opencl.replay(context, "file", cases[i].text,
                                                     strlen(cases[i].text), &device),
                     NITRO_ERR_FORMAT, cases[i].says);
        assert_null(device);
    }
    nitro_context_free(context);
}

static void ids_name_devices(void **state)
{
    static const char *const strangers[] = {"opencl:2", "opencl:", "opencl:-1", "host", "opencl:b"};
    const nitro_facts facts[] = {made_up("A", 0), made_up("B-2", 1)};
    (void)state;
    assert_int_equal(nitro_facts_find(&nitro_opencl_kind, facts, 2, "opencl"), 0);
    assert_int_equal(nitro_facts_find(&nitro_opencl_kind, facts, 2, "opencl:1"), 1);
    assert_int_equal(nitro_facts_find(&nitro_opencl_kind, facts, 2, "opencl:b-2"), 1);
    for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
        assert_int_equal(nitro_facts_find(&nitro_opencl_kind, facts, 2, strangers[i]), NITRO_NONE);
    assert_int_equal(nitro_facts_find(&nitro_opencl_kind, facts, 0, "opencl"), NITRO_NONE);
}

/* ---- With a device --------------------------------------------------------------------------- */

static void a_device_is_described_and_recorded(void **state)
{
    nitro_context *context = unit_context();
    nitro_device *described, *replayed;
    char *text;
    (void)state;
    assert_ok(context, nitro_device_kind_opencl.describe(context, "opencl", false, &described));
    assert_true(nitro_device_value(described, "sm_count") >= 1);
    assert_true(nitro_device_value(described, "shared_mem_per_block") > 0);
    assert_ok(context, nitro_device_kind_opencl.record(context, described->id, false, &text));
    assert_ok(context,
              nitro_device_kind_opencl.replay(context, "file", text, strlen(text), &replayed));
    assert_string_equal(replayed->id, described->id);
    assert_int_equal(replayed->num_features, described->num_features);
    assert_fails(context,
                 nitro_device_kind_opencl.describe(context, "opencl:99", false, &described),
                 NITRO_ERR_NOT_FOUND, "opencl:0 is opencl:");
    assert_fails(context, nitro_device_kind_opencl.describe(context, "host", false, &described),
                 NITRO_ERR_NOT_FOUND, "not an OpenCL device");
    free(text);
    nitro_device_free(described);
    nitro_device_free(replayed);
    nitro_context_free(context);
}

static void microbenchmarks_measure(void **state)
{
    static const char *const names[] = {"copy_gbps",
                                        "shared_atomic",
                                        "shared_atomic_spread",
                                        "global_atomic",
                                        "global_atomic_spread",
                                        "launch_us",
                                        "sp_gflops",
                                        "dp_gflops"};
    nitro_context *context = unit_context();
    nitro_device *device;
    (void)state;
    assert_ok(context, nitro_device_kind_opencl.describe(context, "opencl", true, &device));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_true(nitro_device_value(device, names[i]) > 0);
    bool has_cache = nitro_device_value(device, "l2_cache_size") > 1024;
    assert_true(nitro_device_value(device, "l2_gbps") > 0 || !has_cache);
    nitro_device_free(device);
    nitro_context_free(context);
}

static void the_clock_times_what_was_enqueued(void **state)
{
    const nitro_device_access *access = nitro_device_kind_opencl.access;
    nitro_context *context = unit_context();
    nitro_device_session *session = NULL;
    double elapsed_ms = -1;
    char text[64] = "?";
    (void)state;
    assert_fails(context, access->open(context, "opencl:99", &session), NITRO_ERR_NOT_FOUND,
                 "no OpenCL device");
    assert_ok(context, access->open(context, "opencl", &session));
    assert_ok(context, access->flush(session, NULL)); /* allocates */
    assert_ok(context, access->start(session, NULL));
    assert_ok(context, access->flush(session, NULL)); /* fills 32 MB or more */
    assert_ok(context, access->stop(session, NULL, &elapsed_ms));
    assert_true(elapsed_ms > 0);
    assert_ok(context, access->state(session, text, sizeof(text)));
    assert_string_equal(text, "");
    access->close(session);
    nitro_context_free(context);
}

static void memory_is_copied_and_filled(void **state)
{
    const int32_t numbers[] = {1, 2, 3};
    int32_t back[3] = {0};
    nitro_on_device on = {0};
    void *memory = NULL, *other = NULL, *none = &on;
    const nitro_device_memory *device = &nitro_opencl_memory;
    (void)state;
    assert_int_equal(device->may_prepare(&on, "this"), 0);
    assert_int_equal(device->need(&on, 12, "this"), 0);
    assert_int_equal(device->need(&on, UINT64_MAX, "this"), NITRO_ERR_NO_MEMORY);
    assert_non_null(strstr(on.problem, "this takes"));
    assert_int_equal(device->upload(&on, numbers, 3, 4, &memory), 0);
    assert_int_equal(device->allocate(&on, 3, 4, &other), 0);
    assert_int_equal(device->copy(&on, memory, 3, 4, other), 0);
    assert_int_equal(device->download(&on, other, 3, 4, back), 0);
    assert_memory_equal(back, numbers, sizeof(numbers));
    assert_int_equal(device->fill(&on, other, 3, 4, 0xFF), 0);
    assert_int_equal(device->download(&on, other, 3, 4, back), 0);
    assert_int_equal(back[2], -1);
    assert_int_equal(device->allocate(&on, 0, 4, &none), 0);
    assert_null(none);
    assert_int_not_equal(device->allocate(&on, INT64_MAX, 4, &none), 0);
    assert_int_equal(device->wait(&on), 0);
    device->free(memory);
    device->free(other);
    device->free(NULL);
}

static nitro_status load(nitro_context *context, const nitro_kernel_target *target,
                         const char *source, const char *entry)
{
    extern const nitro_kernel_backend nitro_kernel_backend_opencl;
    const nitro_kernel_backend *backend = &nitro_kernel_backend_opencl;
    void *image = NULL, *program, *function;
    size_t bytes;
    nitro_status status =
        backend->compile(context, target, "test.cl", source, "-DSIZE=4", &image, &bytes);
    if (status == NITRO_OK)
        status = backend->load(context, target, image, bytes, &entry, 1, &program, &function);
    if (status == NITRO_OK)
        backend->unload(program, &function, 1);
    free(image);
    return status;
}

static void what_does_not_compile_is_said(void **state)
{
    nitro_context *context = unit_context();
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("opencl");
    nitro_kernel_target target;
    char large[200];
    (void)state;
    assert_ok(context, backend->open(context, NULL, NULL, &target));
    assert_true(target.identity[0] && target.limits[0] >= 1 && target.limits[1] >= 1);
    assert_ok(context,
              load(context, &target, "__kernel void f(__global int *a) { *a = SIZE; }", "f"));
    assert_fails(context, load(context, &target, "__kernel void f() { missing(); }", "f"),
                 NITRO_ERR_FORMAT, "test.cl: does not compile");
    assert_fails(context, load(context, &target, "__kernel void f(__global int *a) {}", "g"),
                 NITRO_ERR_NOT_FOUND, "no function g");
    if (strstr(target.identity, "PoCL") && !strstr(target.identity, ", 3.")) {
        print_message("SKIPPED: local memory: PoCL later than 3 says that no kernel takes any\n");
        backend->close(&target);
        nitro_context_free(context);
        return;
    }
    snprintf(large, sizeof(large),
             "__kernel void f(__global int *a) { __local char b[%.0f]; "
             "b[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); *a = b[7]; }",
             target.limits[2] + 1);
    assert_fails(context, load(context, &target, large, "f"), NITRO_ERR_NO_MEMORY,
                 "bytes of local memory");
    backend->close(&target);
    nitro_context_free(context);
}

static void *ask_repeatedly(void *is_done)
{
    while (!atomic_load((atomic_bool *)is_done))
        nitro_opencl_queue(NULL);
    return NULL;
}

static void a_process_forked_while_a_thread_asks_for_the_queue_gets_it(void **state)
{
    enum { FORKS = 500 };
    atomic_bool is_done = false;
    pthread_t thread;
    int ended = 0;
    (void)state;
    assert_non_null(nitro_opencl_queue(NULL)); /* the device is open */
    assert_int_equal(pthread_create(&thread, NULL, ask_repeatedly, &is_done), 0);
    for (int i = 0; i < FORKS && ended == 0; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(10); /* it hangs */
            _exit(nitro_opencl_queue(NULL) == NULL);
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
    }
    atomic_store(&is_done, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(ended, 0);
}

int main(void)
{
    const struct CMUnitTest files[] = {
        cmocka_unit_test(facts_survive_a_file),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(ids_name_devices),
    };
    const struct CMUnitTest devices[] = {
        /* These ask child processes, so they come before this process asks for devices. */
        cmocka_unit_test(a_device_is_described_and_recorded),
        cmocka_unit_test(microbenchmarks_measure),
        cmocka_unit_test(the_clock_times_what_was_enqueued),
        cmocka_unit_test(memory_is_copied_and_filled),
        cmocka_unit_test(what_does_not_compile_is_said),
        cmocka_unit_test(a_process_forked_while_a_thread_asks_for_the_queue_gets_it),
    };
    int failed = cmocka_run_group_tests_name("opencl_files", files, NULL, NULL);
    if (failed)
        return failed;
    return opencl_here() ? cmocka_run_group_tests_name("opencl_devices", devices, NULL, NULL)
                         : opencl_skip();
}

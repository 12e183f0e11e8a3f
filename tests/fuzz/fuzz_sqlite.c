/* fuzz_sqlite.c - SQLite files of any bytes as stores: opened to read and to write, read whole,
 * verified, and repaired. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "fuzz.h"
#include "nitro/nitro_backend.h"

static nitro_status take_sample(void *user, const nitro_sample *sample)
{
    (void)user, (void)sample;
    return NITRO_OK;
}

static nitro_status take_profile(void *user, const char *device, const nitro_profile *profile)
{
    (void)user, (void)device, (void)profile;
    return NITRO_OK;
}

static void take_problem(void *user, const char *problem)
{
    (void)user, (void)problem;
}

static void read_computation(nitro_context *context, nitro_store *store, const char *computation)
{
    nitro_string_list devices = {0};
    nitro_schema *schema = NULL;
    nitro_store_get_schema(store, computation, &schema);
    nitro_schema_free(schema);
    nitro_store_list_devices(store, computation, &devices);
    for (size_t i = 0; i < devices.count; i++) {
        size_t count = 0;
        nitro_device *device = NULL;
        nitro_store_get_device(store, devices.items[i], &device);
        nitro_device_free(device);
        nitro_store_count_samples(store, computation, devices.items[i], &count);
        nitro_store_read_samples(store, computation, devices.items[i], take_sample, NULL,
                                 take_problem, NULL);
        nitro_store_each_profile(store, devices.items[i], computation, take_profile, NULL);
    }
    nitro_context_clear_error(context);
    nitro_string_list_free(&devices);
}

static void use(nitro_context *context, const char *path, nitro_store_mode mode)
{
    nitro_store *store = NULL;
    nitro_string_list computations = {0};
    if (nitro_store_open(context, path, mode, &store) != NITRO_OK)
        return;
    nitro_store_list_computations(store, &computations);
    for (size_t i = 0; i < computations.count; i++)
        read_computation(context, store, computations.items[i]);
    nitro_store_verify(store, take_problem, NULL);
    if (mode == NITRO_STORE_WRITE)
        nitro_store_remove_damaged(store, false, take_problem, NULL);
    nitro_string_list_free(&computations);
    nitro_store_close(store);
}

static void remove_file(const char *path)
{
    static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
    char name[96];
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        unlink(name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    char path[64];
    snprintf(path, sizeof path, "%s/nitro-fuzz-%ld.db",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    remove_file(path);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) != 0 ||
        nitro_context_create(&context) != NITRO_OK)
        abort();
    use(context, path, NITRO_STORE_READ);
    use(context, path, NITRO_STORE_WRITE);
    nitro_context_free(context);
    remove_file(path);
    return 0;
}

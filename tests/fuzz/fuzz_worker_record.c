/* Any bytes as the records of a worker that ran hostile code, and as the word that says where it
 * ended: the sample that the parent makes of them can be stored and read back, or the input failed.
 */
#include <string.h>

#include "fuzz.h"
#include "nitro/measure/receive_sample.h"

static int run_nothing(void *argument, void *user)
{
    (void)argument, (void)user;
    return 0;
}

static int evaluate_nothing(const void *argument, double *values, void *user)
{
    (void)argument, (void)user;
    values[0] = values[1] = 0;
    return 0;
}

static nitro_computation *make_computation(nitro_context *context)
{
    static const nitro_variant csr = {.name = "csr", .run = run_nothing};
    static const nitro_variant ell = {.name = "ell", .run = run_nothing};
    static const nitro_feature features[] = {{.name = "rows"}, {.name = "fill"}};
    nitro_computation *computation = NULL;
    require(nitro_computation_create(context, "spmv", &computation) == NITRO_OK);
    require(nitro_computation_add_variant(computation, &csr) == NITRO_OK);
    require(nitro_computation_add_variant(computation, &ell) == NITRO_OK);
    require(nitro_computation_add_features(computation, features, 2, evaluate_nothing, NULL) ==
            NITRO_OK);
    return computation;
}

static nitro_status name_profile(void *user, size_t variant, const char *kernel,
                                 nitro_profile **profile)
{
    static const char *const variants[] = {"csr", "ell"};
    require(variant < 2);
    return nitro_profile_create_of_variant(user, "spmv", variants[variant], "input", kernel,
                                           profile);
}

static void add_records(nitro_received_sample *received, const uint8_t *data, size_t size)
{
    for (size_t used = 0; used < size; used += sizeof(nitro_worker_record)) {
        nitro_worker_record record = {0};
        size_t part = size - used < sizeof(record) ? size - used : sizeof(record);
        memcpy(&record, data + used, part);
        record.kind %= NITRO_RECORD_UNAVAILABLE + 2; /* and one that does not exist */
        nitro_received_sample_add_record(received, &record);
    }
}

static void check_storable(const nitro_received_sample *received)
{
    nitro_context *context = received->context;
    nitro_record_bytes bytes = {0};
    nitro_sample *copy = NULL;
    require(nitro_record_encode_sample(context, NITRO_RECORD_COMPACT, "spmv", "host",
                                       received->sample, &bytes) == NITRO_OK);
    require(nitro_record_decode_sample(context, "fuzz", received->computation->schema, "host",
                                       "input", bytes.bytes, bytes.size, &copy) == NITRO_OK);
    nitro_sample_free(copy);
    nitro_record_bytes_free(&bytes);
}

static void check_place(const uint8_t *data, size_t size)
{
    uint64_t word = 0;
    char text[NITRO_WORKER_END_BYTES];
    nitro_measure_options options;
    memcpy(&word, data, size < sizeof(word) ? size : sizeof(word));
    nitro_measure_options_init(&options);
    nitro_worker_end end = {.ending = NITRO_ENDING_EXITED, .place = nitro_place_decode(word)};
    nitro_worker_end_describe(&end, &options, text, sizeof(text));
    require(nitro_text_is_valid(text, sizeof(text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    require(nitro_context_create(&context) == NITRO_OK);
    nitro_proxies proxies = {0};
    nitro_profiling profiling = {.proxies = &proxies, .device = "host"};
    nitro_received_profiles profiles = {
        .context = context, .profiling = &profiling, .name = name_profile, .name_user = context};
    nitro_received_sample received = {.computation = make_computation(context),
                                      .context = context,
                                      .todo = 3,
                                      .profiles = size > 0 && data[0] % 2 ? &profiles : NULL};
    require(nitro_string_list_add(context, &proxies.counters, "flop_count_sp") == NITRO_OK);
    require(nitro_sample_create(context, "input", 2, 2, &received.sample) == NITRO_OK);
    if (size > 0) {
        add_records(&received, data + 1, size - 1);
        check_place(data, size);
    }
    if (nitro_received_sample_set_conditions(&received, NITRO_CACHE_WARM) == NITRO_OK &&
        received.failure == NITRO_OK)
        check_storable(&received);
    nitro_received_profiles_clear(&profiles);
    nitro_string_list_free(&proxies.counters);
    nitro_sample_free(received.sample);
    nitro_computation_free(received.computation);
    nitro_context_free(context);
    return 0;
}

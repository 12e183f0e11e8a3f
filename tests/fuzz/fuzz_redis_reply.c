/* Any bytes as replies of a Redis server: hiredis and our reading of them give records or an error.
 * The first byte selects the operation; all replies come from the same bytes, then the connection
 * ends. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "store/redis/redis_internal.h"

enum { MAX_REPLY_BYTES = 1 << 16 };

static nitro_status take_sample(void *user, const nitro_sample *sample)
{
    (void)user;
    require(nitro_input_name_is_valid(sample->input));
    return NITRO_OK;
}

static nitro_status take_profile(void *user, const char *device, const nitro_profile *profile)
{
    (void)user;
    require(nitro_device_id_is_valid(device) && nitro_input_name_is_valid(profile->kernel));
    return NITRO_OK;
}

static void take_problem(void *user, const char *problem)
{
    (void)user;
    require(problem[0] != '\0');
}

static void put_samples(redis_store *store)
{
    nitro_sample *sample = NULL;
    require(nitro_sample_create(store->context, "input", 2, 2, &sample) == NITRO_OK);
    const nitro_sample *batch[] = {sample};
    nitro_redis_put_samples(store, "spmv", "K20", batch, 1, false);
    nitro_sample_free(sample);
}

static void query(redis_store *store, char what)
{
    nitro_string_list names = {0};
    nitro_schema *schema = NULL;
    nitro_device *device = NULL;
    nitro_sample *sample = NULL;
    size_t count = 0;
    if (what == 'c' && nitro_redis_get_schema(store, "spmv", &schema) == NITRO_OK)
        require(strcmp(schema->computation, "spmv") == 0);
    if (what == 'd' && nitro_redis_get_device(store, "K20", &device) == NITRO_OK)
        require(strcmp(device->id, "K20") == 0);
    if (what == 's')
        nitro_redis_each_sample(store, "spmv", "K20", take_sample, NULL, take_problem, NULL);
    if (what == 'p')
        nitro_redis_each_profile(store, "K20", "spmv", take_profile, NULL, take_problem, NULL);
    if (what == 'g')
        nitro_redis_get_sample(store, "spmv", "K20", "input-000", &sample);
    if (what == 'l')
        nitro_redis_list_computations(store, &names);
    if (what == 'i')
        nitro_redis_list_inputs(store, "spmv", "K20", &names);
    if (what == 'n')
        nitro_redis_count_samples(store, "spmv", "K20", &count);
    if (what == 'w')
        put_samples(store);
    if (what == 'v')
        nitro_redis_verify(store, take_problem, NULL);
    nitro_sample_free(sample);
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_string_list_free(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2];
    nitro_context *context = NULL;
    redis_store *store = calloc(1, sizeof(*store));
    if (size == 0 || size > MAX_REPLY_BYTES || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        free(store);
        return 0;
    }
    require(store && nitro_context_create(&context) == NITRO_OK);
    *store = (redis_store){.context = context, .mode = NITRO_STORE_WRITE, .num_nodes = 1};
    require(nitro_redis_url_parse(context, REDIS_OVER_UNIX, "///nowhere/socket?timeout=0.001",
                                  &store->url) == NITRO_OK);
    store->nodes[0] =
        (redis_node){.host = strdup("/nowhere/socket"), .connection = redisConnectFd(ends[0])};
    require(store->nodes[0].host && store->nodes[0].connection);
    nitro_redis_bound_replies(&store->nodes[0]);
    require(send(ends[1], data + 1, size - 1, MSG_NOSIGNAL) == (ssize_t)size - 1);
    shutdown(ends[1], SHUT_WR);
    query(store, (char)data[0]);
    nitro_redis_close(store);
    close(ends[1]);
    nitro_context_free(context);
    return 0;
}

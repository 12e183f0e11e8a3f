/*
 * Bench "store": bulk import and loading, in SQLite and in Redis (a redis-server of its own, on a
 * socket in /tmp), against the naive way: in SQLite one transaction a sample; in Redis one HSET or
 * HGET a sample, each waited for, without all else that a store must do. Both encode, decode and
 * check alike. Where each write is to be durable, as a store's shall be, Redis syncs its log for
 * each command (appendfsync always; it does not compact the log meanwhile); "in memory" it keeps
 * none. Samples are as a tune makes them: 15 features, 6 variants. Times are microseconds a sample;
 * the naive way is timed on fewer samples, in the same run, and so is the import in memory; of five
 * loads, and of five imports in memory, in turns, the fastest counts.
 *
 * NITRO_BENCH_SAMPLES changes how many samples are imported; a tenth of them is loaded.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "nitro/measure/round_sample.h"
#include "nitro/nitro_backend.h"

#define NUM_FEATURES 15
#define NUM_VARIANTS 6
#define BATCH        5000
#define NUM_NAIVE    2000
#define ROUNDS       5 /* the fastest counts: load only ever takes from it */

typedef struct setting {
    nitro_context *context;
    nitro_schema *schema;
    nitro_sample *batch[BATCH];
    size_t num_samples;
    char folder[32];
    pid_t server;
    char socket[64];
} setting;

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int fail(const setting *s, const char *doing)
{
    char message[1024];
    nitro_context_last_error(s->context, message, sizeof(message));
    return bench_fail("store: %s: %s", doing, message);
}

/* ---- Samples ---- */

static nitro_status make_schema(setting *s)
{
    nitro_status status = nitro_schema_create(s->context, "bench", &s->schema);
    for (size_t i = 0; i < NUM_FEATURES && status == NITRO_OK; i++) {
        char name[16];
        snprintf(name, sizeof(name), "feature%zu", i);
        status = nitro_schema_add_feature(s->context, s->schema, name, "1", NITRO_SCALE_LOG);
    }
    for (size_t i = 0; i < NUM_VARIANTS && status == NITRO_OK; i++) {
        char name[16];
        snprintf(name, sizeof(name), "variant%zu", i);
        status = nitro_schema_add_variant(s->context, s->schema, name);
    }
    return status;
}

static nitro_status make_batch(setting *s)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < BATCH && status == NITRO_OK; i++) {
        status = nitro_sample_create(s->context, "matrices/input-000000000.mtx", NUM_FEATURES,
                                     NUM_VARIANTS, &s->batch[i]);
        if (status != NITRO_OK)
            break;
        nitro_sample *sample = s->batch[i];
        sample->provenance = (nitro_provenance){.origin = strdup("measured"),
                                                .library = strdup("0.1.0"),
                                                .compiler = strdup("gcc 12.2.0"),
                                                .host = strdup("node-17.example.org"),
                                                .time_s = 1700000000};
        for (size_t v = 0; v < NUM_VARIANTS; v++)
            sample->entries[v] = (nitro_entry){.outcome = NITRO_OUTCOME_MEASURED,
                                               .prepare_ms = NAN,
                                               .count = 15,
                                               .version = strdup("1")};
    }
    return status;
}

/* The batch becomes samples number `first` and on. */
static void renew_batch(setting *s, size_t first)
{
    nitro_random random;
    nitro_random_seed(&random, first);
    for (size_t i = 0; i < BATCH; i++) {
        nitro_sample *sample = s->batch[i];
        snprintf(sample->input, 29, "matrices/input-%09zu.mtx", (first + i) % 1000000000);
        for (size_t k = 0; k < NUM_FEATURES; k++)
            sample->features[k] = 1e6 * nitro_random_uniform(&random);
        for (size_t v = 0; v < NUM_VARIANTS; v++) {
            sample->entries[v].median_ms = 0.01 + nitro_random_uniform(&random);
            sample->entries[v].spread = 0.1 * nitro_random_uniform(&random);
        }
        nitro_sample_round(sample);
    }
}

/* ---- The stores' own way ---- */

static nitro_status open_store(setting *s, const char *url, nitro_store **store)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_store_open(s->context, url, NITRO_STORE_WRITE, store);
    if (status == NITRO_OK)
        status = nitro_store_put_schema(*store, s->schema);
    if (status == NITRO_OK)
        status = nitro_device_create(s->context, "device", "recorded", &device);
    if (status == NITRO_OK)
        status = nitro_store_put_device(*store, device);
    nitro_device_free(device);
    return status;
}

static nitro_status import(setting *s, nitro_store *store, const char *device, size_t first,
                           size_t count, size_t batch)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i += batch) {
        if (i % BATCH == 0)
            renew_batch(s, first + i);
        status = nitro_store_put_samples(store, "bench", device,
                                         (const nitro_sample *const *)s->batch + i % BATCH, batch,
                                         false);
    }
    return status;
}

static nitro_status count_one(void *user, const nitro_sample *sample)
{
    (void)sample;
    ++*(size_t *)user;
    return NITRO_OK;
}

static nitro_status load_one_by_one(nitro_store *store, const char *device, size_t first,
                                    size_t count)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        char input[64];
        nitro_sample *sample = NULL;
        snprintf(input, sizeof(input), "matrices/input-%09zu.mtx", first + i);
        status = nitro_store_get_sample(store, "bench", device, input, &sample);
        nitro_sample_free(sample);
    }
    return status;
}

/* ---- The naive way to Redis: one command, one answer ---- */

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 && connect(descriptor, (struct sockaddr *)&address, sizeof(address)) != 0) {
        close(descriptor);
        descriptor = -1;
    }
    return descriptor;
}

/* Sends a command of three words, or of four with `record`; returns the size of the answer. */
static ssize_t query(int descriptor, const char *command, const char *key, const char *name,
                     const nitro_record_bytes *record, char *answer, size_t size)
{
    char words[4096];
    int length =
        snprintf(words, sizeof(words), "*%d\r\n$%zu\r\n%s\r\n$%zu\r\n%s\r\n$%zu\r\n%s\r\n",
                 record ? 4 : 3, strlen(command), command, strlen(key), key, strlen(name), name);
    if (record) {
        length +=
            snprintf(words + length, sizeof(words) - (size_t)length, "$%zu\r\n", record->size);
        memcpy(words + length, record->bytes, record->size);
        memcpy(words + (size_t)length + record->size, "\r\n", 2);
        length += (int)record->size + 2;
    }
    if (send(descriptor, words, (size_t)length, MSG_NOSIGNAL) != length)
        return -1;
    return recv(descriptor, answer, size, 0);
}

static bool set_durable(int descriptor)
{
    static const char commands[] = "CONFIG SET appendfsync always\r\nCONFIG SET appendonly yes\r\n";
    char answer[10];
    if (send(descriptor, commands, sizeof(commands) - 1, MSG_NOSIGNAL) < 0 ||
        recv(descriptor, answer, sizeof(answer), MSG_WAITALL) != (ssize_t)sizeof(answer))
        return false;
    return memcmp(answer, "+OK\r\n+OK\r\n", sizeof(answer)) == 0;
}

static int put_naively(setting *s, int descriptor)
{
    char answer[64];
    nitro_record_bytes record = {0};
    int failed = 0;
    for (size_t i = 0; i < NUM_NAIVE && !failed; i++) {
        if (i % BATCH == 0)
            renew_batch(s, i);
        record.size = 0;
        failed = nitro_record_encode_sample(s->context, NITRO_RECORD_COMPACT, "bench", "naive",
                                            s->batch[i % BATCH], &record) != NITRO_OK ||
                 query(descriptor, "HSET", "naive", s->batch[i % BATCH]->input, &record, answer,
                       sizeof(answer)) < 4 ||
                 answer[0] != ':';
    }
    nitro_record_bytes_free(&record);
    return failed ? fail(s, "HSET") : 0;
}

static int get_naively(setting *s, int descriptor)
{
    char answer[4096], input[64];
    for (size_t i = 0; i < NUM_NAIVE; i++) {
        nitro_sample *sample = NULL;
        snprintf(input, sizeof(input), "matrices/input-%09zu.mtx", i);
        ssize_t size = query(descriptor, "HGET", "naive", input, NULL, answer, sizeof(answer));
        const char *record =
            size > 4 && answer[0] == '$' ? memchr(answer, '\n', (size_t)size) : NULL;
        if (!record ||
            nitro_record_decode_sample(s->context, NULL, s->schema, "naive", input, record + 1,
                                       (size_t)(answer + size - record - 3), &sample) != NITRO_OK)
            return fail(s, "HGET");
        nitro_sample_free(sample);
    }
    return 0;
}

/* ---- Cases ---- */

static double peak_memory_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void add(bench_report *report, const char *what, const char *kind, double ours,
                double reference, const char *unit)
{
    char name[80];
    snprintf(name, sizeof(name), "%s: %s", kind, what);
    bench_add(report, name, ours, reference, unit, 0);
}

/* Redis without its log: what the round trips alone cost. */
static int measure_in_memory(setting *s, nitro_store *store, bench_report *report, int redis)
{
    size_t count = 10 * BATCH, removed = 0;
    double naive = INFINITY, ours = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_us();
        if (put_naively(s, redis) != 0)
            return 1;
        naive = fmin(naive, (now_us() - begin) / NUM_NAIVE);
        begin = now_us();
        if (import(s, store, "device", 0, count, BATCH) != NITRO_OK)
            return fail(s, "import");
        ours = fmin(ours, (now_us() - begin) / (double)count);
        if (nitro_store_remove(store, "bench", "device", &removed) != NITRO_OK || removed != count)
            return fail(s, "remove");
    }
    add(report, "import in memory", "Redis", ours, naive, "us");
    return set_durable(redis) ? 0 : bench_fail("store: redis-server cannot log its writes");
}

/* All samples but those of which a tenth is loaded go to "device"; those to "loaded". */
static int measure_store(setting *s, bench_report *report, const char *kind, const char *url,
                         int redis, double *bytes)
{
    nitro_store *store = NULL;
    nitro_device *device = NULL;
    size_t num_loaded = s->num_samples / 10 / BATCH * BATCH, count = 0;
    uint64_t size_bytes = 0;
    nitro_status status = open_store(s, url, &store);
    if (status == NITRO_OK)
        status = nitro_device_create(s->context, "loaded", "recorded", &device);
    if (status == NITRO_OK)
        status = nitro_store_put_device(store, device);
    nitro_device_free(device);
    if (status != NITRO_OK)
        return fail(s, url);
    if (redis >= 0 && measure_in_memory(s, store, report, redis) != 0)
        return 1;
    double begin = now_us();
    status = redis >= 0 ? (put_naively(s, redis) ? NITRO_ERR_IO : NITRO_OK)
                        : import(s, store, "device", 0, NUM_NAIVE, 1);
    double naive_put = (now_us() - begin) / NUM_NAIVE;
    begin = now_us();
    if (status == NITRO_OK)
        status = import(s, store, "device", NUM_NAIVE, s->num_samples - num_loaded, BATCH);
    if (status == NITRO_OK)
        status = import(s, store, "loaded", 0, num_loaded, BATCH);
    double put = (now_us() - begin) / (double)s->num_samples;
    double naive_get = INFINITY, get = INFINITY;
    for (int round = 0; round < ROUNDS && status == NITRO_OK; round++) {
        count = 0;
        begin = now_us();
        status = redis >= 0 ? (get_naively(s, redis) ? NITRO_ERR_IO : NITRO_OK)
                            : load_one_by_one(store, "loaded", 0, NUM_NAIVE);
        naive_get = fmin(naive_get, (now_us() - begin) / NUM_NAIVE);
        begin = now_us();
        if (status == NITRO_OK)
            status = nitro_store_each_sample(store, "bench", "loaded", count_one, &count);
        get = fmin(get, (now_us() - begin) / (double)num_loaded);
    }
    if (status == NITRO_OK)
        status = nitro_store_size_bytes(store, &size_bytes);
    nitro_store_close(store);
    if (status != NITRO_OK || count != num_loaded)
        return fail(s, url);
    add(report, "import", kind, put, naive_put, "us");
    add(report, "load", kind, get, naive_get, "us");
    *bytes = (double)size_bytes / (double)(s->num_samples + (redis >= 0 ? 0 : NUM_NAIVE));
    return 0;
}

/* ---- Begin and end ---- */

static void run_server(const setting *s)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", s->socket, "--save", "",
           "--dir", s->folder, "--logfile", "log", "--auto-aof-rewrite-percentage", "0",
           (char *)NULL);
    _exit(127);
}

/* A connection to a server that is up; -1 where there is none. */
static int begin_server(setting *s)
{
    snprintf(s->socket, sizeof(s->socket), "%s/socket", s->folder);
    s->server = fork();
    if (s->server == 0)
        run_server(s);
    for (int tries = 0; tries < 500 && s->server > 0; tries++) {
        int descriptor = connect_to(s->socket);
        if (descriptor >= 0)
            return descriptor;
        if (waitpid(s->server, NULL, WNOHANG) == s->server)
            s->server = 0;
        usleep(10000);
    }
    return -1;
}

static int begin(setting *s)
{
    const char *number = getenv("NITRO_BENCH_SAMPLES");
    s->num_samples = number ? (size_t)strtoul(number, NULL, 10) : 1000000;
    s->num_samples = (s->num_samples + 10 * BATCH - 1) / (10 * BATCH) * (10 * BATCH);
    strcpy(s->folder, "/tmp/nitro-bench-XXXXXX");
    if (nitro_context_create(&s->context) != NITRO_OK || !mkdtemp(s->folder))
        return bench_fail("store: cannot begin");
    return make_schema(s) == NITRO_OK && make_batch(s) == NITRO_OK ? 0 : fail(s, "samples");
}

static void end(setting *s)
{
    char command[64];
    if (s->server > 0) {
        kill(s->server, SIGKILL);
        waitpid(s->server, NULL, 0);
    }
    snprintf(command, sizeof(command), "rm -rf %s", s->folder);
    if (s->folder[0] == '/' && system(command) != 0)
        bench_fail("store: %s is left behind", s->folder);
    for (size_t i = 0; i < BATCH; i++)
        nitro_sample_free(s->batch[i]);
    nitro_schema_free(s->schema);
    nitro_context_free(s->context);
}

static int run(bench_report *report)
{
    setting s = {0};
    char url[128];
    double sqlite_bytes = 0, redis_bytes = 0;
    int failed = begin(&s);
    int redis = failed ? -1 : begin_server(&s);
    if (!failed && redis < 0)
        failed = bench_fail("store: no redis-server here (apt-get install redis-server)");
    snprintf(url, sizeof(url), "sqlite:%s/store", s.folder);
    if (!failed)
        failed = measure_store(&s, report, "SQLite", url, -1, &sqlite_bytes);
    snprintf(url, sizeof(url), "redis+unix://%s", s.socket);
    if (!failed)
        failed = measure_store(&s, report, "Redis", url, redis, &redis_bytes);
    if (!failed) {
        bench_add(report, "a sample in Redis, over one in SQLite", redis_bytes, sqlite_bytes,
                  "bytes", 0);
        bench_add(report, "the client's memory, over 200 MB", peak_memory_mb(), 200, "MB", 0);
    }
    if (redis >= 0)
        close(redis);
    end(&s);
    return failed;
}

const bench bench_store = {
    .name = "store",
    .description = "bulk import and loading, against one transaction or command a sample",
    .run = run,
};

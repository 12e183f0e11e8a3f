/* A user's computation as a shared object: the sum of the numbers in a text file, one a line.
 * Its variants are there to be told apart: one is right, one is right and slow, one is wrong when
 * the file holds a negative number, one crashes above 1000, one hangs above 2000. A feature crashes
 * above 3000, the loader on a file called so, and it ends the program on another. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/nitro.h"

#ifndef MODULE_VERSION
#define MODULE_VERSION NITRO_MODULE_VERSION
#endif

#ifndef DEVICE_KIND
#define DEVICE_KIND NULL
#endif

#ifndef SLOW_VERSION
#define SLOW_VERSION "1"
#endif

enum { MOST_NUMBERS = 1000 };

typedef struct numbers {
    size_t count;
    double values[MOST_NUMBERS];
    double sum, expected;
} numbers;

static double largest(const numbers *self)
{
    double most = 0;
    for (size_t i = 0; i < self->count; i++)
        most = self->values[i] > most ? self->values[i] : most;
    return most;
}

static int plain(void *argument, void *user)
{
    (void)user;
    numbers *self = argument;
    self->sum = 0;
    for (size_t i = 0; i < self->count; i++)
        self->sum += self->values[i];
    return 0;
}

static int slow(void *argument, void *user)
{
    usleep(3000);
    return plain(argument, user);
}

static int positive(void *argument, void *user)
{
    (void)user;
    numbers *self = argument;
    self->sum = 0;
    for (size_t i = 0; i < self->count; i++)
        self->sum += fabs(self->values[i]);
    return 0;
}

static int fragile(void *argument, void *user)
{
    numbers *self = argument;
    if (largest(self) > 2000)
        for (;;)
            pause();
    if (largest(self) > 1000)
        raise(SIGSEGV);
    return plain(argument, user);
}

static bool is_short(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[0] <= 4;
}

static int measure_features(const void *argument, double *values, void *user)
{
    (void)user;
    const numbers *self = argument;
    if (largest(self) > 3000)
        abort();
    values[0] = (double)self->count;
    values[1] = largest(self);
    return 0;
}

static int keep_reference(void *argument, void *user)
{
    (void)user;
    numbers *self = argument;
    self->expected = self->sum;
    return 0;
}

static int check_result(void *argument, char *why, size_t size, void *user)
{
    (void)user;
    const numbers *self = argument;
    if (self->sum == self->expected)
        return 0;
    snprintf(why, size, "the sum is %g instead of %g", self->sum, self->expected);
    return 1;
}

static nitro_status create(nitro_context *context, nitro_computation **computation)
{
    static const nitro_variant variants[] = {
        {.name = "plain", .run = plain, .time_source = NITRO_TIME_THREAD_CPU},
        {.name = "slow", .version = SLOW_VERSION, .run = slow, .time_source = NITRO_TIME_WALL},
        {.name = "positive", .run = positive, .time_source = NITRO_TIME_THREAD_CPU},
        {.name = "fragile", .run = fragile, .time_source = NITRO_TIME_THREAD_CPU},
        {.name = "short", .run = plain, .allows = is_short, .time_source = NITRO_TIME_THREAD_CPU},
    };
    static const nitro_feature features[] = {{.name = "count", .scale = NITRO_SCALE_LINEAR},
                                             {.name = "largest", .scale = NITRO_SCALE_SIGNED_LOG}};
    static const nitro_hooks hooks = {.keep_reference = keep_reference,
                                      .check_result = check_result};
    nitro_computation *made = NULL;
    nitro_status status = nitro_computation_create(context, "mine", &made);
    for (size_t v = 0; status == NITRO_OK && v < sizeof variants / sizeof variants[0]; v++)
        status = nitro_computation_add_variant(made, &variants[v]);
    if (status == NITRO_OK)
        status = nitro_computation_add_features(made, features, 2, measure_features, NULL);
    if (status == NITRO_OK)
        status = nitro_computation_set_hooks(made, &hooks);
    if (status == NITRO_OK)
        *computation = made;
    else
        nitro_computation_free(made);
    return status;
}

static nitro_status load(nitro_context *context, const char *path, void **argument)
{
    FILE *file = fopen(path, "r");
    if (strstr(path, "loud"))
        printf("loading %s\n", path);
    if (strstr(path, "crashes"))
        raise(SIGSEGV);
    if (strstr(path, "exits"))
        exit(3);
    if (!file && strstr(path, "mute"))
        return NITRO_ERR_IO;
    if (!file)
        return nitro_fail(context, NITRO_ERR_IO, "cannot open %s: %m", path);
    numbers *made = calloc(1, sizeof *made);
    nitro_status status = made ? NITRO_OK : nitro_fail(context, NITRO_ERR_NO_MEMORY, "no memory");
    char line[128];
    while (status == NITRO_OK && fgets(line, sizeof line, file)) {
        char *end = line;
        double value = strtod(line, &end);
        if (made->count == MOST_NUMBERS || end == line)
            status = nitro_fail(context, NITRO_ERR_FORMAT, "%s:%zu: not a number, or too many",
                                path, made->count + 1);
        else
            made->values[made->count++] = value;
    }
    fclose(file);
    if (status == NITRO_OK)
        *argument = made;
    else
        free(made);
    return status;
}

static nitro_status generate(nitro_context *context, uint64_t seed, size_t index, char *name,
                             size_t name_size, void **argument)
{
    bool alike = seed == 404; /* all have one name */
    snprintf(name, name_size, "numbers#%zu-seed%llu", alike ? 0 : index, (unsigned long long)seed);
    if (!argument)
        return NITRO_OK;
    numbers *made = calloc(1, sizeof *made);
    if (!made)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "no memory");
    made->count = 1 + index % MOST_NUMBERS;
    for (size_t i = 0; i < made->count; i++)
        made->values[i] = (double)((i + seed) % 10);
    *argument = made;
    return NITRO_OK;
}

static void describe(const void *argument, char *text, size_t size)
{
    const numbers *self = argument;
    snprintf(text, size, "%zu numbers", self->count);
}

#ifdef WITH_SUM
static const nitro_declaration sum = {
    .name = "sum",
    .variants = {{.name = "plain", .run = plain}, {.name = "positive", .run = positive}},
    .features = {{.name = "count"}, {.name = "largest"}},
    .evaluate = measure_features};
static const nitro_hooks sum_hooks = {.keep_reference = keep_reference,
                                      .check_result = check_result};
#endif

static const nitro_module modules[] = {{.version = MODULE_VERSION,
                                        .name = "mine",
                                        .device_kind = DEVICE_KIND,
                                        .description = "the sum of numbers",
                                        .create = create,
                                        .load = load,
                                        .generate = generate,
                                        .unload = free,
                                        .describe = describe},
#ifdef WITH_SUM
                                       {.version = MODULE_VERSION,
                                        .name = "sum",
                                        .description = "the sum, from a declaration",
                                        .declaration = &sum,
                                        .hooks = &sum_hooks,
                                        .load = load,
                                        .generate = generate,
                                        .unload = free},
#endif
                                       {0}};

#ifdef MODULE_ENTRY
NITRO_API const nitro_module *MODULE_ENTRY(void);
const nitro_module *MODULE_ENTRY(void)
#else
NITRO_API const nitro_module *nitro_module_get(void);
const nitro_module *nitro_module_get(void)
#endif
{
    return modules;
}

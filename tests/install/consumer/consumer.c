/* consumer.c - a program outside the tree: uses an installed Nitro and prints its version. */
#include <stdio.h>
#include <string.h>

#include <nitro/nitro.h>
#include <nitro/nitro_backend.h>

static int run_twice(void *argument, void *user)
{
    (void)user;
    *(int *)argument *= 2;
    return 0;
}

#ifdef CONSUMER_VERSION /* by nitro_source_version of the CMake package: 12 digits */
_Static_assert(sizeof CONSUMER_VERSION == 13, "a version of this file's bytes");
#else
#define CONSUMER_VERSION NULL
#endif

int main(void)
{
    const nitro_variant twice = {.name = "twice", .version = CONSUMER_VERSION, .run = run_twice};
    nitro_context *context = NULL;
    nitro_computation *computation = NULL;
    nitro_decision decision;
    int number = 21;
    int failed = 1;

    if (nitro_context_create(&context) != NITRO_OK)
        return 1;
    if (nitro_computation_create(context, "doubling", &computation) != NITRO_OK ||
        nitro_computation_add_variant(computation, &twice) != NITRO_OK ||
        nitro_run(computation, &number, &decision) != NITRO_OK) {
        char message[1024];
        nitro_context_last_error(context, message, sizeof message);
        fprintf(stderr, "consumer: %s\n", message);
    } else if (number != 42 || strcmp(decision.variant_name, "twice") != 0) {
        fprintf(stderr, "consumer: the variant did not run\n");
    } else if (!nitro_name_is_valid(decision.variant_name)) {
        fprintf(stderr, "consumer: nitro_backend.h's functions do not work\n");
    } else if (strcmp(nitro_version(), NITRO_VERSION_STRING) != 0) {
        fprintf(stderr, "consumer: header %s, library %s\n", NITRO_VERSION_STRING, nitro_version());
    } else {
        printf("%s\n", nitro_version());
        failed = 0;
    }
    nitro_computation_free(computation);
    nitro_context_free(context);
    return failed;
}

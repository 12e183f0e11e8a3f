/* vector_quick in a build without Highway: declared, so that samples of all builds have the same
 * variants, and allowed for no input. */
#include "variants/sort/sort.h"

static int refuse(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 1;
}

const nitro_variant nitro_sort_variant_vector_quick = {
    .name = "vector_quick", .run = refuse, .allows = nitro_kit_allows_nothing, .allows_reads = ""};

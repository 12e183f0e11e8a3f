/* Listings of any text: whatever the counts are, they are of instructions that were there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proxies/kernels/listing.h"

static nitro_status take(void *user, const nitro_listed_function *function)
{
    nitro_listed_counts counts;
    (void)user;
    if (strlen(function->name) >= NITRO_LISTING_NAME_SIZE)
        abort();
    for (unsigned kinds = 0; kinds < 32; kinds += 5)
        if (nitro_listing_count_loop(function, kinds, &counts) &&
            (counts.instructions + counts.padding > function->num_instructions ||
             counts.of_kind + counts.of_others > counts.instructions + counts.padding))
            abort();
    return NITRO_OK;
}

static void read_as(nitro_context *context, const nitro_listing_syntax *syntax, const uint8_t *data,
                    size_t size)
{
    nitro_listing listing = {.context = context, .syntax = syntax, .each = take};
    char *text = malloc(size + 1), *rest = NULL;
    if (!text)
        return;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *exact = strdup(line); /* reading past a line's end is seen */
        if (exact && nitro_listing_line(&listing, exact) != NITRO_OK)
            abort();
        free(exact);
    }
    nitro_listing_end(&listing);
    nitro_listing_free(&listing);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    if (nitro_context_create(&context) == NITRO_OK) {
        read_as(context, &nitro_listing_sass, data, size);
        read_as(context, &nitro_listing_x86, data, size);
    }
    nitro_context_free(context);
    return 0;
}

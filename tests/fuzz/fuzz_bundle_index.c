/* fuzz_bundle_index.c - indexes of published bundles of any bytes: refused with an error, or
 * printed again as the same bytes. */
#include <string.h>

#include "fuzz.h"
#include "store/bundle/bundle.h"

/* Every path that follows from an index stays in its folder. */
static void check_bundle(nitro_context *context, const nitro_bundle *bundle)
{
    char *path = nitro_bundle_path(context, "folder", bundle);
    require(path && !strstr(path, ".."));
    require(strspn(path + strlen("folder/bundles/"), "0123456789abcdef") == 64);
    require(nitro_device_id_is_valid(bundle->device));
    require(!bundle->computation || nitro_name_is_valid(bundle->computation));
    free(path);
}

static void print_again(nitro_context *context, const nitro_bundle_index *index)
{
    char *text = NULL, *again = NULL;
    size_t size = 0, again_size = 0;
    nitro_bundle_index *read = NULL;
    require(nitro_bundle_index_print(context, index, &text, &size) == NITRO_OK);
    require(nitro_bundle_index_parse(context, "printed", text, size, &read) == NITRO_OK);
    require(nitro_bundle_index_print(context, read, &again, &again_size) == NITRO_OK);
    require(size == again_size && memcmp(text, again, size) == 0);
    nitro_bundle_index_free(read);
    free(text);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_bundle_index *index = NULL;
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    if (nitro_bundle_index_parse(context, "fuzz", (const char *)data, size, &index) == NITRO_OK) {
        for (size_t i = 0; i < index->count; i++)
            check_bundle(context, &index->bundles[i]);
        print_again(context, index);
    }
    nitro_bundle_index_free(index);
    nitro_context_free(context);
    return 0;
}

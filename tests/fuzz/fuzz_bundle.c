/* fuzz_bundle.c - bundles of any bytes: the first byte selects whether the rest is the compressed
 * file, or lines that are compressed here, so that the fuzzer reaches the records. All visited
 * records are valid. */
#include <math.h>
#include <string.h>
#include <zstd.h>

#include "fuzz.h"
#include "store/bundle/bundle_hash.h"

typedef struct fuzzed {
    nitro_context *context;
    nitro_schema *schema;
    uint64_t samples, profiles;
} fuzzed;

static nitro_status check_schema(void *user, const nitro_schema *schema)
{
    fuzzed *f = user;
    require(!f->schema && strcmp(schema->computation, "spmv") == 0);
    return nitro_schema_copy(f->context, schema, &f->schema);
}

static nitro_status check_device(void *user, const nitro_device *device)
{
    (void)user;
    require(strcmp(device->id, "K20") == 0);
    return NITRO_OK;
}

static nitro_status check_sample(void *user, const nitro_sample *sample)
{
    fuzzed *f = user;
    f->samples++;
    require(nitro_store_check_sample(f->context, "fuzz", f->schema, "K20", sample,
                                     NITRO_ERR_FORMAT) == NITRO_OK);
    return NITRO_OK;
}

static nitro_status check_profile(void *user, const char *device, const nitro_profile *profile)
{
    fuzzed *f = user;
    f->profiles++;
    require(nitro_store_check_profile(f->context, "fuzz", f->schema, device, profile,
                                      NITRO_ERR_FORMAT) == NITRO_OK);
    return NITRO_OK;
}

static void read_file(nitro_context *context, void *bytes, size_t size, const nitro_bundle *bundle)
{
    fuzzed f = {.context = context};
    const nitro_bundle_visitor visitor = {check_schema, check_device, check_sample, check_profile,
                                          &f};
    FILE *file = fmemopen(bytes, size, "rb");
    require(file != NULL);
    if (nitro_bundle_read(context, file, "fuzz", bundle, &visitor) == NITRO_OK)
        require(f.schema && f.samples == bundle->samples && f.profiles == bundle->profiles);
    nitro_schema_free(f.schema);
    fclose(file);
}

/* An index that fits the lines, so that only the lines decide. */
static void read_lines(nitro_context *context, const uint8_t *data, size_t size,
                       nitro_bundle *bundle)
{
    crypto_hash_sha256_state hash;
    size_t room = ZSTD_compressBound(size);
    char *packed = malloc(room);
    require(packed != NULL);
    crypto_hash_sha256_init(&hash);
    crypto_hash_sha256_update(&hash, data, size);
    nitro_bundle_print_hash(&hash, bundle->content_sha256);
    bundle->content_bytes = size;
    const uint8_t *end = data + size;
    size_t num_lines = 0;
    for (const uint8_t *line = data; line && line < end; num_lines++) {
        bundle->profiles += (size_t)(end - line) > 12 && memcmp(line + 10, "pr", 2) == 0 ? 1 : 0;
        line = memchr(line, '\n', (size_t)(end - line));
        line = line ? line + 1 : NULL;
    }
    bundle->samples = num_lines > 3 + bundle->profiles ? num_lines - 3 - bundle->profiles : 0;
    size_t packed_size = ZSTD_compress(packed, room, data, size, 1);
    require(!ZSTD_isError(packed_size));
    read_file(context, packed, packed_size, bundle);
    free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_bundle bundle = {.computation = "spmv", .device = "K20", .content_bytes = 1 << 20};
    if (size < 2 || nitro_context_create(&context) != NITRO_OK)
        return 0;
    if (data[0] & 1) {
        read_lines(context, data + 1, size - 1, &bundle);
    } else {
        char *copy = malloc(size - 1);
        require(copy != NULL);
        memcpy(copy, data + 1, size - 1);
        read_file(context, copy, size - 1, &bundle);
        free(copy);
    }
    nitro_context_free(context);
    return 0;
}

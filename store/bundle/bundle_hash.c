/* bundle_hash.c - hashes files and compares them with what an index says of them. */
#include <errno.h>
#include <string.h>

#include "store/bundle/bundle_hash.h"

void nitro_bundle_print_hash(crypto_hash_sha256_state *state, char text[NITRO_SHA256_HEX_BYTES])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_final(state, hash);
    sodium_bin2hex(text, NITRO_SHA256_HEX_BYTES, hash, sizeof(hash));
}

typedef void (*part_function)(void *state, const unsigned char *part, size_t size);

static nitro_status each_part(nitro_context *context, const char *path, part_function function,
                              void *state)
{
    unsigned char part[1 << 14];
    size_t size;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return nitro_fail(context, errno == ENOENT ? NITRO_ERR_NOT_FOUND : NITRO_ERR_IO,
                          "%s: cannot open: %s", path, strerror(errno));
    nitro_status status = NITRO_OK;
    while ((size = fread(part, 1, sizeof(part), file)) > 0)
        function(state, part, size);
    if (ferror(file))
        status = nitro_fail(context, NITRO_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    fclose(file);
    return status;
}

static void add_blake2b(void *state, const unsigned char *part, size_t size)
{
    crypto_generichash_update(state, part, size);
}

nitro_status nitro_bundle_hash_blake2b(nitro_context *context, const char *path,
                                       unsigned char hash[NITRO_BLAKE2B_BYTES])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, NITRO_BLAKE2B_BYTES);
    nitro_status status = each_part(context, path, add_blake2b, &state);
    crypto_generichash_final(&state, hash, NITRO_BLAKE2B_BYTES);
    return status;
}

typedef struct sha256_state {
    crypto_hash_sha256_state hash;
    uint64_t bytes;
} sha256_state;

static void add_sha256(void *state, const unsigned char *part, size_t size)
{
    sha256_state *sum = state;
    crypto_hash_sha256_update(&sum->hash, part, size);
    sum->bytes += size;
}

nitro_status nitro_bundle_hash_file(nitro_context *context, const char *path,
                                    char sha256[NITRO_SHA256_HEX_BYTES], uint64_t *bytes)
{
    sha256_state sum = {.bytes = 0};
    crypto_hash_sha256_init(&sum.hash);
    nitro_status status = each_part(context, path, add_sha256, &sum);
    nitro_bundle_print_hash(&sum.hash, sha256);
    *bytes = sum.bytes;
    return status;
}

nitro_status nitro_bundle_check_file(nitro_context *context, const char *path,
                                     const nitro_bundle *bundle)
{
    char sha256[NITRO_SHA256_HEX_BYTES];
    uint64_t bytes;
    nitro_status status = nitro_bundle_hash_file(context, path, sha256, &bytes);
    if (status != NITRO_OK)
        return status;
    if (bytes != bundle->bytes)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s has %llu bytes, but %llu in the index",
                          path, (unsigned long long)bytes, (unsigned long long)bundle->bytes);
    if (strcmp(sha256, bundle->sha256) != 0)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: its checksum (SHA-256) differs from the index", path);
    return NITRO_OK;
}

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

/* Add a whole file to one of the hashes; the other is NULL. */
static nitro_status add_file(nitro_context *context, const char *path,
                             crypto_hash_sha256_state *sha256, crypto_generichash_state *blake2b,
                             uint64_t *bytes)
{
    unsigned char part[1 << 14];
    size_t size;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return nitro_fail(context, errno == ENOENT ? NITRO_ERR_NOT_FOUND : NITRO_ERR_IO,
                          "%s: cannot open: %s", path, strerror(errno));
    for (*bytes = 0; (size = fread(part, 1, sizeof(part), file)) > 0; *bytes += size) {
        if (sha256)
            crypto_hash_sha256_update(sha256, part, size);
        else
            crypto_generichash_update(blake2b, part, size);
    }
    nitro_status status = NITRO_OK;
    if (ferror(file))
        status = nitro_fail(context, NITRO_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    fclose(file);
    return status;
}

nitro_status nitro_bundle_hash_blake2b(nitro_context *context, const char *path,
                                       unsigned char hash[NITRO_BLAKE2B_BYTES])
{
    crypto_generichash_state state;
    uint64_t bytes;
    crypto_generichash_init(&state, NULL, 0, NITRO_BLAKE2B_BYTES);
    nitro_status status = add_file(context, path, NULL, &state, &bytes);
    crypto_generichash_final(&state, hash, NITRO_BLAKE2B_BYTES);
    return status;
}

nitro_status nitro_bundle_hash_file(nitro_context *context, const char *path,
                                    char sha256[NITRO_SHA256_HEX_BYTES], uint64_t *bytes)
{
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    nitro_status status = add_file(context, path, &state, NULL, bytes);
    nitro_bundle_print_hash(&state, sha256);
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

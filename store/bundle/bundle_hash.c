/* SHA-256 of bundles' files, and whether they are what an index says. */
#include <errno.h>
#include <string.h>

#include "store/bundle/bundle_hash.h"

void nitro_bundle_print_hash(crypto_hash_sha256_state *state, char text[NITRO_SHA256_HEX_BYTES])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_final(state, hash);
    sodium_bin2hex(text, NITRO_SHA256_HEX_BYTES, hash, sizeof(hash));
}

nitro_status nitro_bundle_hash_file(nitro_context *context, const char *path,
                                    char sha256[NITRO_SHA256_HEX_BYTES], uint64_t *bytes)
{
    unsigned char part[1 << 14];
    crypto_hash_sha256_state state;
    size_t size;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return nitro_fail(context, errno == ENOENT ? NITRO_ERR_NOT_FOUND : NITRO_ERR_IO,
                          "%s: cannot open: %s", path, strerror(errno));
    nitro_status status = NITRO_OK;
    crypto_hash_sha256_init(&state);
    *bytes = 0;
    while ((size = fread(part, 1, sizeof(part), file)) > 0) {
        crypto_hash_sha256_update(&state, part, size);
        *bytes += size;
    }
    if (ferror(file))
        status = nitro_fail(context, NITRO_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    fclose(file);
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
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "it has %llu bytes, not %llu as the index says",
                          (unsigned long long)bytes, (unsigned long long)bundle->bytes);
    if (strcmp(sha256, bundle->sha256) != 0)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "it does not have the checksum (SHA-256) that the index says");
    return NITRO_OK;
}

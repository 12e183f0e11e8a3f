/* bundle_hash.h - hashes of bundles by libsodium: SHA-256 names them, BLAKE2b is what is signed. */
#ifndef NITRO_STORE_BUNDLE_BUNDLE_HASH_H
#define NITRO_STORE_BUNDLE_BUNDLE_HASH_H

#include <sodium.h>

#include "store/bundle/bundle.h"

/** End the hash and print it in small hexadecimal digits. */
void nitro_bundle_print_hash(crypto_hash_sha256_state *state, char text[NITRO_SHA256_HEX_BYTES]);

#define NITRO_BLAKE2B_BYTES crypto_generichash_BYTES_MAX

/** BLAKE2b-512 of a whole file. */
nitro_status nitro_bundle_hash_blake2b(nitro_context *context, const char *path,
                                       unsigned char hash[NITRO_BLAKE2B_BYTES]);

#endif

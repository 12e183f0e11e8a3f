/* bundle_hash.h - SHA-256 of bundles, by libsodium: what names them and what signatures vouch for.
 */
#ifndef NITRO_STORE_BUNDLE_BUNDLE_HASH_H
#define NITRO_STORE_BUNDLE_BUNDLE_HASH_H

#include <sodium.h>

#include "store/bundle/bundle.h"

/** End the hash and print it in small hexadecimal digits. */
void nitro_bundle_print_hash(crypto_hash_sha256_state *state, char text[NITRO_SHA256_HEX_BYTES]);

#endif

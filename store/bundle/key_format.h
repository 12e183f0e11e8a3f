/* key_format.h - what the files of keys and signatures in minisign's formats are made of. Only
 * hashed signatures ("ED") are written and accepted: they sign a file's BLAKE2b-512, so a file of
 * any size is read in small parts.
 *
 *     NAME.key      untrusted comment: TEXT  base64 of secret_record
 *     NAME.key.pub  untrusted comment: TEXT  base64 of public_record
 *     FILE.minisig  untrusted comment: TEXT  base64 of signature_record
 *                   trusted comment: TEXT    base64 of a signature of proof and trusted comment
 */
#ifndef NITRO_STORE_BUNDLE_KEY_FORMAT_H
#define NITRO_STORE_BUNDLE_KEY_FORMAT_H

#include "store/bundle/bundle_hash.h"

#define UNTRUSTED "untrusted comment: "
#define TRUSTED   "trusted comment: "
#define EXPIRES   " expires:" /* ends the untrusted comment of a public key: the date YYYY-MM-DD */

#define BASE64       sodium_base64_VARIANT_ORIGINAL
#define BASE64_BYTES sodium_base64_ENCODED_LEN(sizeof(secret_record), BASE64)

typedef struct key_id {
    unsigned char bytes[8];
} key_id;

typedef struct public_record {
    unsigned char algorithm[2]; /* "Ed" */
    key_id id;
    unsigned char key[crypto_sign_PUBLICKEYBYTES];
} public_record;

typedef struct secret_record {
    unsigned char algorithm[2]; /* "Ed" */
    unsigned char kdf[2];       /* zeros: not encrypted; "Sc": scrypt */
    unsigned char checksum_algorithm[2];
    unsigned char kdf_salt[32], kdf_ops_limit[8], kdf_memory_limit[8];
    key_id id;
    unsigned char key[crypto_sign_SECRETKEYBYTES];
    unsigned char checksum[32]; /* zeros where it is not encrypted */
} secret_record;

typedef struct signature_record {
    unsigned char algorithm[2]; /* "ED"; "Ed": legacy, of the file's bytes */
    key_id id;
    unsigned char proof[crypto_sign_BYTES];
} signature_record;

_Static_assert(sizeof(public_record) == 42 && sizeof(secret_record) == 158 &&
                   sizeof(signature_record) == 74,
               "records have no padding");

struct nitro_signing_key {
    secret_record record;
};

/** Initialise libsodium. @return NITRO_OK; NITRO_ERR_IO. */
nitro_status nitro_key_require_library(nitro_context *context);
/** The next line, ended in place; NULL at the end of the text. */
char *nitro_key_next_line(char **rest);
/** What follows `label`; NULL where the line (may be NULL) does not begin with it. */
const char *nitro_key_comment_of(const char *line, const char *label);
/** Is the line (may be NULL) the base64 of exactly `size` bytes? */
bool nitro_key_decode(const char *line, void *bytes, size_t size);
/** @return `text` */
const char *nitro_key_encode(const void *bytes, size_t size, char text[BASE64_BYTES]);
/** As minisign shows it: a number of 64 bits, stored with its lowest byte first. @return `text` */
const char *nitro_key_print_id(const key_id *id, char text[17]);
/** Is the text a day of the calendar, YYYY-MM-DD? Such texts are in the order of the days. */
bool nitro_key_is_date(const char *text);
/** Is it over, the last day on which a key's signatures are accepted? NULL: a key without one. */
bool nitro_key_is_past(const char *expires);

/**
 * The trusted key that signed a file with this hash.
 * @param[in]  path    of the file, for errors.
 * @param[out] signer  its public key; borrowed from `keys`.
 * @param[out] name    its owner, the comment of the key; NULL: none; borrowed.
 * @return NITRO_OK; NITRO_ERR_MISMATCH (another key, another file, or a key that has expired or was
 *         revoked).
 */
nitro_status nitro_trusted_keys_find(nitro_context *context, const nitro_trusted_keys *keys,
                                     const char *path, const signature_record *record,
                                     const unsigned char hash[NITRO_BLAKE2B_BYTES],
                                     const public_record **signer, const char **name);

/** nitro_signature_check() of a file with this hash. */
nitro_status nitro_signature_check_hash(nitro_context *context, const nitro_trusted_keys *keys,
                                        const char *path,
                                        const unsigned char hash[NITRO_BLAKE2B_BYTES],
                                        const char *signature, size_t size, char **signer);

/** nitro_sign_file() of a file with this hash, which need not be there yet. */
nitro_status nitro_sign_hash(nitro_context *context, const nitro_signing_key *key, const char *path,
                             const unsigned char hash[NITRO_BLAKE2B_BYTES], const char *comment);

#endif

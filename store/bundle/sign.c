/* sign.c - signs files and checks signatures in the formats of minisign, with libsodium.
 * Only hashed signatures ("ED") are written and accepted: they sign a file's BLAKE2b-512, so a file
 * of any size is read in small parts.
 *
 *     NAME.key      untrusted comment: TEXT  base64 of secret_record
 *     NAME.key.pub  untrusted comment: TEXT  base64 of public_record
 *     FILE.minisig  untrusted comment: TEXT  base64 of signature_record
 *                   trusted comment: TEXT    base64 of a signature of proof and trusted comment
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/bundle/bundle_hash.h"

#define UNTRUSTED "untrusted comment: "
#define TRUSTED   "trusted comment: "

#define BASE64             sodium_base64_VARIANT_ORIGINAL
#define BASE64_BYTES       sodium_base64_ENCODED_LEN(sizeof(secret_record), BASE64)
#define MAX_KEY_FILE_BYTES (1 << 20)
#define MAX_SECRET_BYTES   2048
#define MAX_COMMENT_BYTES  8191 /* minisign's limit for a trusted comment */
#define JOINED_BYTES       (crypto_sign_BYTES + MAX_COMMENT_BYTES)

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

typedef struct trusted_key {
    public_record record;
    const char *name; /* its untrusted comment, in the text */
} trusted_key;

struct nitro_trusted_keys {
    char *origin, *text;
    trusted_key *keys; /* shape [count] */
    size_t count;
};

static nitro_status require_library(nitro_context *context)
{
    if (sodium_init() >= 0) /* thread-safe; 1 when it was done before */
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_IO, "libsodium cannot be used: no source of randomness");
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* The next line, ended in place; NULL at the end of the text. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (*line == '\0')
        return NULL;
    size_t length = strcspn(line, "\n");
    *rest = line + length + (line[length] == '\n');
    line[length] = '\0';
    if (length > 0 && line[length - 1] == '\r')
        line[length - 1] = '\0';
    return line;
}

/* What follows `label`; NULL where the line does not begin with it. */
static const char *comment_of(const char *line, const char *label)
{
    size_t length = strlen(label);
    return line && strncmp(line, label, length) == 0 ? line + length : NULL;
}

/* Is the line the base64 of exactly `size` bytes? */
static bool decode(const char *line, void *bytes, size_t size)
{
    size_t length = 0;
    const char *end = NULL;
    return line &&
           sodium_base642bin(bytes, size, line, strlen(line), NULL, &length, &end, BASE64) == 0 &&
           length == size && *end == '\0';
}

static const char *encode(const void *bytes, size_t size, char text[BASE64_BYTES])
{
    return sodium_bin2base64(text, BASE64_BYTES, bytes, size, BASE64);
}

/* As minisign shows it: a number of 64 bits, stored with its lowest byte first. */
static const char *print_id(const key_id *id, char text[17])
{
    for (size_t i = 0; i < sizeof(id->bytes); i++)
        snprintf(text + 2 * i, 3, "%02X", id->bytes[sizeof(id->bytes) - 1 - i]);
    return text;
}

/* ---- Secret keys ----------------------------------------------------------------------------- */

static nitro_status write_key_pair(nitro_context *context, const char *path, const char *name,
                                   const secret_record *secret, const public_record *public)
{
    char line[BASE64_BYTES], text[MAX_SECRET_BYTES];
    char *public_path = nitro_asprintf(context, "%s.pub", path);
    if (!public_path)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_OK;
    if (access(public_path, F_OK) == 0)
        status = nitro_fail(context, NITRO_ERR_EXISTS,
                            "%s exists, and a key is never overwritten: choose another file",
                            public_path);
    snprintf(text, sizeof(text), UNTRUSTED "secret key of %s, not encrypted\n%s\n", name,
             encode(secret, sizeof(*secret), line));
    if (status == NITRO_OK)
        status = nitro_file_create_private(context, path, text);
    sodium_memzero(text, sizeof(text));
    if (status == NITRO_OK) {
        snprintf(text, sizeof(text), UNTRUSTED "%s\n%s\n", name,
                 encode(public, sizeof(*public), line));
        status = nitro_file_write(context, public_path, text, strlen(text));
        if (status != NITRO_OK)
            unlink(path); /* half a pair is of no use */
    }
    sodium_memzero(line, sizeof(line));
    free(public_path);
    return status;
}

nitro_status nitro_signing_key_create(nitro_context *context, const char *path, const char *name)
{
    secret_record secret = {.algorithm = "Ed", .checksum_algorithm = "B2"};
    public_record public = {.algorithm = "Ed"};
    if (!nitro_device_id_is_valid(name))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "invalid key name '%.80s': use 1 to 63 letters, digits and _.+-:@, such "
                          "as a mail address",
                          name ? name : "(null)");
    nitro_status status = require_library(context);
    if (status != NITRO_OK)
        return status;
    randombytes_buf(&secret.id, sizeof(secret.id));
    public.id = secret.id;
    crypto_sign_keypair(public.key, secret.key);
    status = write_key_pair(context, path, name, &secret, &public);
    sodium_memzero(&secret, sizeof(secret));
    return status;
}

/* There is no checksum: the public half of the key shows whether it is damaged. */
static bool is_pair(const secret_record *record)
{
    unsigned char public[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
    crypto_sign_seed_keypair(public, secret, record->key);
    bool same = sodium_memcmp(secret, record->key, sizeof(secret)) == 0;
    sodium_memzero(secret, sizeof(secret));
    return same;
}

/* No error shows what is in the file. */
static nitro_status parse_secret_key(nitro_context *context, const char *path, char *text,
                                     secret_record *record)
{
    char *rest = text;
    const char *problem = NULL;
    if (!comment_of(next_line(&rest), UNTRUSTED) ||
        !decode(next_line(&rest), record, sizeof(*record)) || *rest != '\0' ||
        memcmp(record->algorithm, "Ed", 2) != 0)
        problem = "not a secret key in minisign's format; make one with 'nitro store keygen'";
    else if (memcmp(record->kdf, "Sc", 2) == 0)
        problem = "the secret key is encrypted with a password; remove the password from a copy "
                  "with 'minisign -C -W -s COPY' and sign with the copy";
    else if (record->kdf[0] != 0 || record->kdf[1] != 0 || !is_pair(record))
        problem = "the secret key is damaged, or of an unknown form";
    return problem ? nitro_fail(context, NITRO_ERR_FORMAT, "%s: %s", path, problem) : NITRO_OK;
}

nitro_status nitro_signing_key_read(nitro_context *context, const char *path,
                                    nitro_signing_key **key)
{
    char text[MAX_SECRET_BYTES];
    nitro_status status = require_library(context);
    if (status == NITRO_OK)
        status = nitro_file_read_private(context, path, text, sizeof(text));
    if (status != NITRO_OK)
        return status;
    nitro_signing_key *read = nitro_calloc(context, 1, sizeof(*read));
    status = read ? parse_secret_key(context, path, text, &read->record) : NITRO_ERR_NO_MEMORY;
    sodium_memzero(text, sizeof(text));
    if (status == NITRO_OK)
        *key = read;
    else
        nitro_signing_key_free(read);
    return status;
}

void nitro_signing_key_free(nitro_signing_key *key)
{
    if (key)
        sodium_memzero(key, sizeof(*key));
    free(key);
}

/* ---- Trusted keys ---------------------------------------------------------------------------- */

static nitro_status parse_trusted(nitro_context *context, nitro_trusted_keys *keys)
{
    char *rest = keys->text, *line;
    const char *name = "no comment";
    for (size_t number = 1; (line = next_line(&rest)); number++) {
        trusted_key *next = &keys->keys[keys->count];
        secret_record secret;
        if (comment_of(line, UNTRUSTED)) {
            name = comment_of(line, UNTRUSTED);
        } else if (decode(line, &next->record, sizeof(next->record)) &&
                   memcmp(next->record.algorithm, "Ed", 2) == 0) {
            next->name = name;
            keys->count++;
            name = "no comment";
        } else if (line[0] != '\0' && line[0] != '#') {
            return nitro_fail(context, NITRO_ERR_FORMAT,
                              decode(line, &secret, sizeof(secret))
                                  ? "%s:%zu: this is a secret key: keep it private, and trust the "
                                    "key in its .pub file"
                                  : "%s:%zu: not a public key of minisign or 'nitro store keygen'",
                              keys->origin, number);
        }
    }
    return keys->count > 0 ? NITRO_OK
                           : nitro_fail(context, NITRO_ERR_FORMAT,
                                        "%s: the file has no public key; append the .pub files of "
                                        "those to trust",
                                        keys->origin);
}

nitro_status nitro_trusted_keys_parse(nitro_context *context, const char *origin, const char *text,
                                      size_t size, nitro_trusted_keys **keys)
{
    nitro_status status = require_library(context);
    if (status != NITRO_OK)
        return status;
    if (memchr(text, '\0', size))
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: not text: it has a zero byte", origin);
    nitro_trusted_keys *read = nitro_calloc(context, 1, sizeof(*read));
    if (!read)
        return NITRO_ERR_NO_MEMORY;
    read->origin = nitro_strdup(context, origin);
    read->text = nitro_asprintf(context, "%.*s", (int)size, text);
    read->keys = nitro_calloc(context, size / sizeof(public_record) + 1, sizeof(*read->keys));
    status = read->origin && read->text && read->keys ? parse_trusted(context, read)
                                                      : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        *keys = read;
    else
        nitro_trusted_keys_free(read);
    return status;
}

nitro_status nitro_trusted_keys_read(nitro_context *context, const char *path,
                                     nitro_trusted_keys **keys)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read(context, path, MAX_KEY_FILE_BYTES, &text, &size);
    if (status == NITRO_OK)
        status = nitro_trusted_keys_parse(context, path, text, size, keys);
    free(text);
    return status;
}

/* By the XDG base directory rules. NULL: there is no such folder. */
static nitro_status default_keys_path(nitro_context *context, char **path)
{
    const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
    *path = NULL;
    if (config && config[0] == '/')
        *path = nitro_asprintf(context, "%s/nitro/trusted-keys", config);
    else if (home && home[0] == '/')
        *path = nitro_asprintf(context, "%s/.config/nitro/trusted-keys", home);
    else
        return NITRO_OK;
    return *path ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_trusted_keys_read_default(nitro_context *context, nitro_trusted_keys **keys)
{
    nitro_setting_value named;
    char *path = NULL;
    *keys = NULL;
    nitro_status status = nitro_setting_get(context, NULL, "trusted_keys", &named);
    if (status == NITRO_OK && named.text[0])
        return nitro_trusted_keys_read(context, named.text, keys);
    if (status == NITRO_OK)
        status = default_keys_path(context, &path);
    if (status == NITRO_OK && path) {
        status = nitro_trusted_keys_read(context, path, keys);
        if (status == NITRO_ERR_NOT_FOUND)
            status = NITRO_OK;
    }
    free(path);
    return status;
}

void nitro_trusted_keys_free(nitro_trusted_keys *keys)
{
    if (!keys)
        return;
    free(keys->keys);
    free(keys->text);
    free(keys->origin);
    free(keys);
}

/* ---- Signatures ------------------------------------------------------------------------------ */

/* What the second signature covers. @return its size */
static size_t join_comment(const signature_record *record, const char *comment,
                           unsigned char whole[JOINED_BYTES])
{
    size_t size = strlen(comment);
    memcpy(whole, record->proof, sizeof(record->proof));
    memcpy(whole + sizeof(record->proof), comment, size);
    return sizeof(record->proof) + size;
}

nitro_status nitro_sign_file(nitro_context *context, const nitro_signing_key *key, const char *path,
                             const char *comment)
{
    unsigned char hash[NITRO_BLAKE2B_BYTES], second[crypto_sign_BYTES], whole[JOINED_BYTES];
    char id[17], proof_line[BASE64_BYTES], second_line[BASE64_BYTES];
    signature_record record = {.algorithm = "ED", .id = key->record.id};
    nitro_status status = nitro_bundle_hash_blake2b(context, path, hash);
    if (status != NITRO_OK)
        return status;
    crypto_sign_detached(record.proof, NULL, hash, sizeof(hash), key->record.key);
    size_t size = join_comment(&record, comment, whole);
    crypto_sign_detached(second, NULL, whole, size, key->record.key);
    char *signature_path = nitro_asprintf(context, "%s" NITRO_SIGNATURE_SUFFIX, path);
    char *text =
        nitro_asprintf(context, UNTRUSTED "signed with key %s\n%s\n" TRUSTED "%s\n%s\n",
                       print_id(&record.id, id), encode(&record, sizeof(record), proof_line),
                       comment, encode(second, sizeof(second), second_line));
    status = signature_path && text ? nitro_file_write(context, signature_path, text, strlen(text))
                                    : NITRO_ERR_NO_MEMORY;
    free(signature_path);
    free(text);
    return status;
}

/* @param[out] comment  within `text`. */
static bool parse_signature(char *text, signature_record *record, const char **comment,
                            unsigned char second[crypto_sign_BYTES])
{
    char *rest = text;
    return comment_of(next_line(&rest), UNTRUSTED) &&
           decode(next_line(&rest), record, sizeof(*record)) &&
           (*comment = comment_of(next_line(&rest), TRUSTED)) &&
           strlen(*comment) <= MAX_COMMENT_BYTES &&
           decode(next_line(&rest), second, crypto_sign_BYTES) && *rest == '\0';
}

/* Two keys may have one id: anyone can choose it. */
static nitro_status find_signer(nitro_context *context, const nitro_trusted_keys *keys,
                                const char *path, const signature_record *record,
                                const trusted_key **signer)
{
    unsigned char hash[NITRO_BLAKE2B_BYTES];
    const trusted_key *known = NULL;
    char id[17];
    nitro_status status = nitro_bundle_hash_blake2b(context, path, hash);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < keys->count; i++) {
        if (memcmp(&keys->keys[i].record.id, &record->id, sizeof(record->id)) != 0)
            continue;
        known = *signer = &keys->keys[i];
        if (crypto_sign_verify_detached(record->proof, hash, sizeof(hash), known->record.key) == 0)
            return NITRO_OK;
    }
    if (known)
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "%s: does not match its signature by key %s (%.80s): the file was "
                          "altered or cut after it was signed",
                          path, print_id(&record->id, id), known->name);
    return nitro_fail(context, NITRO_ERR_MISMATCH,
                      "%s: signed with key %s, which is not among the %zu in %s; add it there only "
                      "if you know its owner",
                      path, print_id(&record->id, id), keys->count, keys->origin);
}

static nitro_status check(nitro_context *context, const nitro_trusted_keys *keys, const char *path,
                          char *signature)
{
    unsigned char second[crypto_sign_BYTES], whole[JOINED_BYTES];
    signature_record record;
    const char *comment, *problem = NULL;
    const trusted_key *signer = NULL;
    if (!parse_signature(signature, &record, &comment, second))
        problem = "is not in minisign's format (four lines)";
    else if (memcmp(record.algorithm, "Ed", 2) == 0)
        problem = "has minisign's legacy form, which does not hash the file; sign without -l";
    else if (memcmp(record.algorithm, "ED", 2) != 0)
        problem = "has an unknown algorithm; minisign's \"ED\" is accepted";
    if (problem)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: its signature %s", path, problem);
    nitro_status status = find_signer(context, keys, path, &record, &signer);
    if (status == NITRO_OK &&
        crypto_sign_verify_detached(second, whole, join_comment(&record, comment, whole),
                                    signer->record.key) != 0)
        status = nitro_fail(context, NITRO_ERR_MISMATCH,
                            "%s: the trusted comment of its signature was altered", path);
    return status;
}

nitro_status nitro_signature_check(nitro_context *context, const nitro_trusted_keys *keys,
                                   const char *path, const char *signature, size_t size)
{
    char *copy = nitro_asprintf(context, "%.*s", (int)size, signature);
    nitro_status status = copy ? check(context, keys, path, copy) : NITRO_ERR_NO_MEMORY;
    free(copy);
    return status;
}

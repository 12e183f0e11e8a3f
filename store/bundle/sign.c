/* Signing with Ed25519 (libsodium). Hides the library, and the forms of keys and signatures: lines
 * of text of three or four words, so that they can be mailed, pasted and read aloud.
 *
 *     nitro-secret-key-1 SEED            one line, in a file of mode 0600
 *     nitro-public-key-1 KEY NAME        one a line of a file of trusted keys; # starts a comment
 *     nitro-signature-1 KEY SIGNATURE    one line, beside what was signed
 *
 * Words in capitals but NAME are base64. The signature is plain Ed25519 (RFC 8032) over the bytes,
 * so that other tools can check it too. */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/nitro_backend.h"

#define SECRET_WORD    "nitro-secret-key-1"
#define PUBLIC_WORD    "nitro-public-key-1"
#define SIGNATURE_WORD "nitro-signature-1"

#define BASE64             sodium_base64_VARIANT_ORIGINAL
#define KEY_BASE64_BYTES   sodium_base64_ENCODED_LEN(crypto_sign_PUBLICKEYBYTES, BASE64)
#define SEED_BASE64_BYTES  sodium_base64_ENCODED_LEN(crypto_sign_SEEDBYTES, BASE64)
#define PROOF_BASE64_BYTES sodium_base64_ENCODED_LEN(crypto_sign_BYTES, BASE64)
#define MAX_KEY_FILE_BYTES (1 << 20)
#define MAX_KEYS           1024

struct nitro_signing_key {
    unsigned char public_key[crypto_sign_PUBLICKEYBYTES];
    unsigned char secret_key[crypto_sign_SECRETKEYBYTES];
};

typedef struct trusted_key {
    unsigned char key[crypto_sign_PUBLICKEYBYTES];
    char *name;
} trusted_key;

struct nitro_trusted_keys {
    char *origin;
    trusted_key *keys;
    size_t count;
};

static nitro_status require_library(nitro_context *context)
{
    if (sodium_init() >= 0) /* thread-safe, and 1 when it was done before */
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_IO, "libsodium cannot be used: no source of randomness");
}

/* ---- Words of a line ----------------------------------------------------------------------- */

/* The next word of the line, ended in place; NULL at its end. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t\r\n");
    if (*word == '\0')
        return NULL;
    char *end = word + strcspn(word, " \t\r\n");
    *rest = end;
    if (*end != '\0') {
        *end = '\0';
        *rest = end + 1;
    }
    return word;
}

/* Exactly `size` bytes of base64, and nothing beside. */
static bool decode_word(const char *word, unsigned char *bytes, size_t size)
{
    size_t length = 0;
    const char *end = NULL;
    if (!word || sodium_base642bin(bytes, size, word, strlen(word), NULL, &length, &end, BASE64))
        return false;
    return length == size && *end == '\0';
}

static void encode_word(const unsigned char *bytes, size_t size, char *word, size_t word_size)
{
    sodium_bin2base64(word, word_size, bytes, size, BASE64);
}

static char *print_public_key(nitro_context *context, const unsigned char *key, const char *name)
{
    char word[KEY_BASE64_BYTES];
    encode_word(key, crypto_sign_PUBLICKEYBYTES, word, sizeof(word));
    return nitro_asprintf(context, PUBLIC_WORD " %s %s\n", word, name);
}

/* ---- Secret keys --------------------------------------------------------------------------- */

static nitro_status write_key_pair(nitro_context *context, const char *path, const char *name,
                                   const unsigned char *seed, const unsigned char *public_key)
{
    char text[sizeof(SECRET_WORD) + SEED_BASE64_BYTES + 2], word[SEED_BASE64_BYTES];
    nitro_status status = NITRO_ERR_NO_MEMORY;
    char *public_path = nitro_asprintf(context, "%s.pub", path);
    char *line = print_public_key(context, public_key, name);
    if (!public_path || !line)
        goto free_texts;
    if (access(public_path, F_OK) == 0) {
        status = nitro_fail(context, NITRO_ERR_EXISTS,
                            "%s: it is there already, and a key is not overwritten: name another "
                            "file",
                            public_path);
        goto free_texts;
    }
    encode_word(seed, crypto_sign_SEEDBYTES, word, sizeof(word));
    snprintf(text, sizeof(text), SECRET_WORD " %s\n", word);
    status = nitro_file_create_private(context, path, text);
    if (status == NITRO_OK) {
        status = nitro_file_write(context, public_path, line, strlen(line));
        if (status != NITRO_OK)
            unlink(path); /* half a pair is of no use, and in the way of the next try */
    }
    sodium_memzero(text, sizeof(text));
    sodium_memzero(word, sizeof(word));
free_texts:
    free(line);
    free(public_path);
    return status;
}

nitro_status nitro_signing_key_create(nitro_context *context, const char *path, const char *name)
{
    if (!nitro_device_id_is_valid(name))
        return nitro_fail(
            context, NITRO_ERR_ARGUMENT,
            "'%.80s' is no name for a key: use 1 to 63 of letters, digits and _.+-:@, "
            "such as a mail address",
            name ? name : "(null)");
    nitro_status status = require_library(context);
    if (status != NITRO_OK)
        return status;
    unsigned char seed[crypto_sign_SEEDBYTES];
    nitro_signing_key pair;
    randombytes_buf(seed, sizeof(seed));
    crypto_sign_seed_keypair(pair.public_key, pair.secret_key, seed);
    status = write_key_pair(context, path, name, seed, pair.public_key);
    sodium_memzero(seed, sizeof(seed));
    sodium_memzero(&pair, sizeof(pair));
    return status;
}

static nitro_status parse_secret_key(nitro_context *context, const char *path, char *text,
                                     nitro_signing_key *key)
{
    unsigned char seed[crypto_sign_SEEDBYTES];
    char *rest = text, *word = next_word(&rest);
    bool known = word && strcmp(word, SECRET_WORD) == 0;
    bool whole = known && decode_word(next_word(&rest), seed, sizeof(seed)) && !next_word(&rest);
    if (whole)
        crypto_sign_seed_keypair(key->public_key, key->secret_key, seed);
    sodium_memzero(seed, sizeof(seed));
    if (whole)
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_FORMAT, /* of a secret, nothing is shown */
                      "%s: not a secret key as `nitro store keygen` writes it (one line, \"%s "
                      "...\")",
                      path, SECRET_WORD);
}

nitro_status nitro_signing_key_read(nitro_context *context, const char *path,
                                    nitro_signing_key **key)
{
    char text[1024];
    nitro_status status = require_library(context);
    if (status == NITRO_OK)
        status = nitro_file_read_private(context, path, text, sizeof(text));
    if (status != NITRO_OK)
        return status;
    nitro_signing_key *read = nitro_calloc(context, 1, sizeof(*read));
    status = read ? parse_secret_key(context, path, text, read) : NITRO_ERR_NO_MEMORY;
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

nitro_status nitro_sign(nitro_context *context, const nitro_signing_key *key, const void *data,
                        size_t size, char **signature)
{
    unsigned char proof[crypto_sign_BYTES];
    char key_word[KEY_BASE64_BYTES], proof_word[PROOF_BASE64_BYTES];
    crypto_sign_detached(proof, NULL, data, size, key->secret_key);
    encode_word(key->public_key, sizeof(key->public_key), key_word, sizeof(key_word));
    encode_word(proof, sizeof(proof), proof_word, sizeof(proof_word));
    char *line = nitro_asprintf(context, SIGNATURE_WORD " %s %s\n", key_word, proof_word);
    if (!line)
        return NITRO_ERR_NO_MEMORY;
    *signature = line;
    return NITRO_OK;
}

/* ---- Trusted keys -------------------------------------------------------------------------- */

static nitro_status add_trusted(nitro_context *context, nitro_trusted_keys *keys,
                                const unsigned char *key, const char *name)
{
    if (keys->count == MAX_KEYS)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: more than %d keys", keys->origin,
                          MAX_KEYS);
    trusted_key *grown = realloc(keys->keys, (keys->count + 1) * sizeof(*grown));
    if (!grown)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %zu keys", keys->count);
    keys->keys = grown;
    memcpy(grown[keys->count].key, key, sizeof(grown->key));
    grown[keys->count].name = nitro_strdup(context, name);
    return grown[keys->count++].name ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status parse_trusted_line(nitro_context *context, nitro_trusted_keys *keys,
                                       size_t number, char *line)
{
    unsigned char key[crypto_sign_PUBLICKEYBYTES];
    char *rest = line, *word = next_word(&rest);
    if (!word || word[0] == '#')
        return NITRO_OK;
    if (strcmp(word, SECRET_WORD) == 0)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s:%zu: this is a secret key: trust the one in its .pub file instead, "
                          "and keep the secret one to yourself",
                          keys->origin, number);
    bool known = strcmp(word, PUBLIC_WORD) == 0 && decode_word(next_word(&rest), key, sizeof(key));
    char *name = next_word(&rest);
    if (known && nitro_device_id_is_valid(name) && !next_word(&rest))
        return add_trusted(context, keys, key, name);
    return nitro_fail(context, NITRO_ERR_FORMAT,
                      "%s:%zu: not a public key (a line is \"%s KEY NAME\")", keys->origin, number,
                      PUBLIC_WORD);
}

static nitro_status parse_trusted(nitro_context *context, char *text, size_t size,
                                  nitro_trusted_keys *keys)
{
    nitro_status status = NITRO_OK;
    if (memchr(text, '\0', size))
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: not text: it holds a zero byte",
                          keys->origin);
    size_t number = 0;
    for (char *line = text; line && status == NITRO_OK;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        status = parse_trusted_line(context, keys, ++number, line);
        line = end ? end + 1 : NULL;
    }
    if (status == NITRO_OK && keys->count == 0)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: no public key in this file",
                          keys->origin);
    return status;
}

nitro_status nitro_trusted_keys_parse(nitro_context *context, const char *origin, const char *text,
                                      size_t size, nitro_trusted_keys **keys)
{
    nitro_trusted_keys *read = nitro_calloc(context, 1, sizeof(*read));
    char *copy = nitro_calloc(context, size + 1, 1);
    nitro_status status = require_library(context);
    if (status == NITRO_OK && (!read || !copy || !(read->origin = nitro_strdup(context, origin))))
        status = NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK) {
        memcpy(copy, text, size);
        status = parse_trusted(context, copy, size, read);
    }
    free(copy);
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
    if (status != NITRO_OK)
        return status;
    status = nitro_trusted_keys_parse(context, path, text, size, keys);
    free(text);
    return status;
}

void nitro_trusted_keys_free(nitro_trusted_keys *keys)
{
    if (!keys)
        return;
    for (size_t i = 0; i < keys->count; i++)
        free(keys->keys[i].name);
    free(keys->keys);
    free(keys->origin);
    free(keys);
}

static const trusted_key *find_trusted(const nitro_trusted_keys *keys, const unsigned char *key)
{
    for (size_t i = 0; i < keys->count; i++)
        if (memcmp(keys->keys[i].key, key, sizeof(keys->keys[i].key)) == 0)
            return &keys->keys[i];
    return NULL;
}

static bool parse_signature(const char *text, size_t size, unsigned char *key, unsigned char *proof)
{
    char line[sizeof(SIGNATURE_WORD) + KEY_BASE64_BYTES + PROOF_BASE64_BYTES + 8];
    if (size >= sizeof(line) || memchr(text, '\0', size))
        return false;
    memcpy(line, text, size);
    line[size] = '\0';
    char *rest = line, *word = next_word(&rest);
    return word && strcmp(word, SIGNATURE_WORD) == 0 &&
           decode_word(next_word(&rest), key, crypto_sign_PUBLICKEYBYTES) &&
           decode_word(next_word(&rest), proof, crypto_sign_BYTES) && !next_word(&rest);
}

nitro_status nitro_signature_check(nitro_context *context, const nitro_trusted_keys *keys,
                                   const char *origin, const void *data, size_t size,
                                   const char *signature, size_t signature_size,
                                   const char **signer)
{
    unsigned char key[crypto_sign_PUBLICKEYBYTES], proof[crypto_sign_BYTES];
    if (!parse_signature(signature, signature_size, key, proof))
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: its signature is not one that Nitro writes (\"%s KEY SIGNATURE\")",
                          origin, SIGNATURE_WORD);
    const trusted_key *trusted = find_trusted(keys, key);
    if (!trusted) {
        char word[KEY_BASE64_BYTES];
        encode_word(key, sizeof(key), word, sizeof(word));
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "%s: signed with the key %s, which is not among the %zu in %s; add it "
                          "there only when you know whose it is",
                          origin, word, keys->count, keys->origin);
    }
    if (crypto_sign_verify_detached(proof, data, size, key) != 0)
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "%s: the signature of %s is not of these bytes: the file was altered, or "
                          "cut, after it was signed",
                          origin, trusted->name);
    if (signer)
        *signer = trusted->name;
    return NITRO_OK;
}

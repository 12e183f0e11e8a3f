/* sign.c - signs files and checks signatures. */
#include <stdlib.h>
#include <string.h>

#include "store/bundle/key_format.h"

#define MAX_COMMENT_BYTES 8191 /* minisign's limit for a trusted comment */
#define JOINED_BYTES      (crypto_sign_BYTES + MAX_COMMENT_BYTES)

/* What the second signature covers. @return its size */
static size_t join_comment(const signature_record *record, const char *comment,
                           unsigned char whole[JOINED_BYTES])
{
    size_t size = strlen(comment);
    memcpy(whole, record->proof, sizeof(record->proof));
    memcpy(whole + sizeof(record->proof), comment, size);
    return sizeof(record->proof) + size;
}

nitro_status nitro_sign_hash(nitro_context *context, const nitro_signing_key *key, const char *path,
                             const unsigned char hash[NITRO_BLAKE2B_BYTES], const char *comment)
{
    unsigned char second[crypto_sign_BYTES], whole[JOINED_BYTES];
    char id[17], proof_line[BASE64_BYTES], second_line[BASE64_BYTES];
    signature_record record = {.algorithm = "ED", .id = key->record.id};
    if (strlen(comment) > MAX_COMMENT_BYTES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: a trusted comment of %zu bytes; minisign reads at most %d", path,
                          strlen(comment), MAX_COMMENT_BYTES);
    crypto_sign_detached(record.proof, NULL, hash, NITRO_BLAKE2B_BYTES, key->record.key);
    size_t size = join_comment(&record, comment, whole);
    crypto_sign_detached(second, NULL, whole, size, key->record.key);
    char *signature_path = nitro_asprintf(context, "%s" NITRO_SIGNATURE_SUFFIX, path);
    char *text = nitro_asprintf(context, UNTRUSTED "signed with key %s\n%s\n" TRUSTED "%s\n%s\n",
                                nitro_key_print_id(&record.id, id),
                                nitro_key_encode(&record, sizeof(record), proof_line), comment,
                                nitro_key_encode(second, sizeof(second), second_line));
    nitro_status status = signature_path && text
                              ? nitro_file_write(context, signature_path, text, strlen(text))
                              : NITRO_ERR_NO_MEMORY;
    free(signature_path);
    free(text);
    return status;
}

nitro_status nitro_sign_file(nitro_context *context, const nitro_signing_key *key, const char *path,
                             const char *comment)
{
    unsigned char hash[NITRO_BLAKE2B_BYTES];
    nitro_status status = nitro_bundle_hash_blake2b(context, path, hash);
    return status == NITRO_OK ? nitro_sign_hash(context, key, path, hash, comment) : status;
}

/* @param[out] comment  within `text`. */
static bool parse_signature(char *text, signature_record *record, const char **comment,
                            unsigned char second[crypto_sign_BYTES])
{
    char *rest = text;
    return nitro_key_comment_of(nitro_key_next_line(&rest), UNTRUSTED) &&
           nitro_key_decode(nitro_key_next_line(&rest), record, sizeof(*record)) &&
           (*comment = nitro_key_comment_of(nitro_key_next_line(&rest), TRUSTED)) &&
           strlen(*comment) <= MAX_COMMENT_BYTES &&
           nitro_key_decode(nitro_key_next_line(&rest), second, crypto_sign_BYTES) && *rest == '\0';
}

static nitro_status check(nitro_context *context, const nitro_trusted_keys *keys, const char *path,
                          const unsigned char hash[NITRO_BLAKE2B_BYTES], char *signature,
                          char **signer)
{
    unsigned char second[crypto_sign_BYTES], whole[JOINED_BYTES];
    signature_record record;
    const char *comment, *problem = NULL, *name = NULL;
    const public_record *key = NULL;
    char id[17];
    if (!parse_signature(signature, &record, &comment, second))
        problem = "is not in minisign's format (four lines)";
    else if (memcmp(record.algorithm, "Ed", 2) == 0)
        problem = "has minisign's legacy form, which does not hash the file; sign without -l";
    else if (memcmp(record.algorithm, "ED", 2) != 0)
        problem = "has an unknown algorithm; minisign's \"ED\" is accepted";
    if (problem)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: its signature %s", path, problem);
    nitro_status status = nitro_trusted_keys_find(context, keys, path, &record, hash, &key, &name);
    if (status == NITRO_OK &&
        crypto_sign_verify_detached(second, whole, join_comment(&record, comment, whole),
                                    key->key) != 0)
        status = nitro_fail(context, NITRO_ERR_MISMATCH,
                            "%s: the trusted comment of its signature was altered", path);
    if (status == NITRO_OK && signer) {
        *signer = nitro_strdup(context, name ? name : nitro_key_print_id(&record.id, id));
        status = *signer ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    return status;
}

nitro_status nitro_signature_check_hash(nitro_context *context, const nitro_trusted_keys *keys,
                                        const char *path,
                                        const unsigned char hash[NITRO_BLAKE2B_BYTES],
                                        const char *signature, size_t size, char **signer)
{
    char *copy = nitro_asprintf(context, "%.*s", (int)size, signature);
    nitro_status status =
        copy ? check(context, keys, path, hash, copy, signer) : NITRO_ERR_NO_MEMORY;
    free(copy);
    return status;
}

nitro_status nitro_signature_check(nitro_context *context, const nitro_trusted_keys *keys,
                                   const char *path, const char *signature, size_t size,
                                   char **signer)
{
    unsigned char hash[NITRO_BLAKE2B_BYTES];
    nitro_status status = nitro_bundle_hash_blake2b(context, path, hash);
    return status == NITRO_OK
               ? nitro_signature_check_hash(context, keys, path, hash, signature, size, signer)
               : status;
}

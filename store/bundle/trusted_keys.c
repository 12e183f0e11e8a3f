/* trusted_keys.c - public keys to trust, until they expire or a signed list revokes them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/bundle/key_format.h"

#define MAX_KEY_FILE_BYTES (1 << 20)
#define MAX_NAME_BYTES     80

typedef struct trusted_key {
    public_record record;
    const char *name;    /* its untrusted comment without the date, in the text; NULL: none */
    const char *expires; /* the last day of its signatures, in the text; NULL: never */
    bool revoked;
} trusted_key;

struct nitro_trusted_keys {
    char *origin, *text;
    char *revoked_by;  /* the list of revoked keys; NULL: none */
    trusted_key *keys; /* shape [count] */
    size_t count;
};

/* Split "NAME expires:DATE" in place. @return false: that is no date */
static bool parse_comment(char *comment, trusted_key *key)
{
    char *expires = strstr(comment, EXPIRES);
    if (expires) {
        *expires = '\0';
        key->expires = expires + strlen(EXPIRES);
    }
    if (strlen(comment) > MAX_NAME_BYTES)
        comment[MAX_NAME_BYTES] = '\0';
    nitro_text_clean(comment, "");
    key->name = *comment ? comment : NULL;
    return !expires || nitro_key_is_date(key->expires);
}

static nitro_status parse_trusted(nitro_context *context, nitro_trusted_keys *keys)
{
    char *rest = keys->text, *line;
    for (size_t number = 1; (line = nitro_key_next_line(&rest)); number++) {
        trusted_key *next = &keys->keys[keys->count];
        const char *comment = nitro_key_comment_of(line, UNTRUSTED), *problem = NULL;
        secret_record secret;
        if (comment) {
            *next = (trusted_key){0};
            if (!parse_comment(line + (comment - line), next))
                problem = "the key's date must be a day in the form expires:YYYY-MM-DD";
        } else if (nitro_key_decode(line, &next->record, sizeof(next->record)) &&
                   memcmp(next->record.algorithm, "Ed", 2) == 0) {
            keys->count++;
        } else if (nitro_key_decode(line, &secret, sizeof(secret))) {
            problem = "this is a secret key: keep it private, and use the key in its .pub file";
        } else if (line[0] != '\0' && line[0] != '#') {
            problem = "not a public key of minisign or 'nitro store keygen'";
        }
        if (problem)
            return nitro_fail(context, NITRO_ERR_FORMAT, "%s:%zu: %s", keys->origin, number,
                              problem);
    }
    return keys->count > 0
               ? NITRO_OK
               : nitro_fail(context, NITRO_ERR_FORMAT,
                            "%s: the file has no public key; append .pub files", keys->origin);
}

nitro_status nitro_trusted_keys_parse(nitro_context *context, const char *origin, const char *text,
                                      size_t size, nitro_trusted_keys **keys)
{
    nitro_status status = nitro_key_require_library(context);
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

/* ---- Revoked keys ---------------------------------------------------------------------------- */

/* Without this line, any signed file of public keys could be passed off as a list. */
#define REVOKED "# revoked keys of nitro\n"

/* @param[out] text  with a REVOKED line; free with free(). */
static nitro_status read_list(nitro_context *context, const char *path, char **text, size_t *size)
{
    char *read = NULL;
    nitro_status status = nitro_file_read(context, path, MAX_KEY_FILE_BYTES, &read, size);
    if (status == NITRO_OK && strncmp(read, REVOKED, strlen(REVOKED)) != 0)
        status = nitro_fail(context, NITRO_ERR_FORMAT,
                            "%s: not a list of revoked keys; 'nitro store revoke' makes one", path);
    if (status == NITRO_OK)
        *text = read;
    else
        free(read);
    return status;
}

static void hash_list(const char *text, size_t size, unsigned char hash[NITRO_BLAKE2B_BYTES])
{
    crypto_generichash(hash, NITRO_BLAKE2B_BYTES, (const unsigned char *)text, size, NULL, 0);
}

/* A trusted key must have signed the list. */
static nitro_status check_list(nitro_context *context, const nitro_trusted_keys *keys,
                               const char *path, const char *text, size_t size)
{
    unsigned char hash[NITRO_BLAKE2B_BYTES];
    char *signature_path = nitro_asprintf(context, "%s" NITRO_SIGNATURE_SUFFIX, path);
    char *signature = NULL;
    size_t signature_size = 0;
    hash_list(text, size, hash);
    nitro_status status = signature_path
                              ? nitro_file_read(context, signature_path, MAX_KEY_FILE_BYTES,
                                                &signature, &signature_size)
                              : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status =
            nitro_signature_check_hash(context, keys, path, hash, signature, signature_size, NULL);
    free(signature);
    free(signature_path);
    return status;
}

static void mark_revoked(nitro_trusted_keys *keys, const nitro_trusted_keys *revoked)
{
    for (size_t i = 0; i < keys->count; i++)
        for (size_t r = 0; r < revoked->count; r++)
            keys->keys[i].revoked |= memcmp(keys->keys[i].record.key, revoked->keys[r].record.key,
                                            sizeof(revoked->keys[r].record.key)) == 0;
}

/* A list that is missing is an error: who removes it must not revive a key. */
static nitro_status apply_revoked(nitro_context *context, nitro_trusted_keys *keys)
{
    nitro_setting_value list;
    nitro_trusted_keys *revoked = NULL;
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_setting_get(context, NULL, "revoked_keys", &list);
    if (status != NITRO_OK || !list.text[0])
        return status;
    status = read_list(context, list.text, &text, &size);
    if (status == NITRO_OK)
        status = check_list(context, keys, list.text, text, size);
    if (status == NITRO_ERR_NOT_FOUND)
        status = nitro_fail(context, NITRO_ERR_IO,
                            "%s: the setting revoked_keys names this list, and it or its .minisig "
                            "file is missing",
                            list.text);
    if (status == NITRO_OK)
        status = nitro_trusted_keys_parse(context, list.text, text, size, &revoked);
    if (status == NITRO_OK) {
        mark_revoked(keys, revoked);
        keys->revoked_by = nitro_strdup(context, list.text);
        status = keys->revoked_by ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    nitro_trusted_keys_free(revoked);
    free(text);
    return status;
}

/* The list as it is to become may have been signed by an earlier call that could not write it. */
static nitro_status check_either(nitro_context *context, const nitro_trusted_keys *keys,
                                 const char *path, const char *text, size_t size,
                                 const char *longer)
{
    return check_list(context, keys, path, longer, strlen(longer)) == NITRO_OK
               ? NITRO_OK
               : check_list(context, keys, path, text, size);
}

/* The signing key, or a key that this user trusts, must have signed the list so far: else the next
 * signature would cover what someone else wrote or removed. */
static nitro_status check_before_signing(nitro_context *context, const nitro_signing_key *signer,
                                         const char *path, const char *text, size_t size,
                                         const char *longer)
{
    trusted_key own = {.record = {.algorithm = "Ed", .id = signer->record.id}};
    nitro_trusted_keys own_keys = {.origin = "the signing key", .keys = &own, .count = 1};
    nitro_trusted_keys *others = NULL;
    char message[1024];
    crypto_sign_ed25519_sk_to_pk(own.record.key, signer->record.key);
    nitro_status status = check_either(context, &own_keys, path, text, size, longer);
    if (status == NITRO_OK)
        return NITRO_OK;
    nitro_context_last_error(context, message, sizeof(message));
    if (nitro_trusted_keys_read_default(context, &others) == NITRO_OK && others)
        status = check_either(context, others, path, text, size, longer);
    nitro_trusted_keys_free(others);
    if (status == NITRO_OK)
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_MISMATCH,
                      "%s: keys are added only to a list that the same key or one of the trusted "
                      "keys signed: fetch the list again with its .minisig file, or begin a new "
                      "one (%s)",
                      path, message);
}

/* @param[in,out] text  of the list; replaced. */
static nitro_status append_key(nitro_context *context, const char *path, char **text)
{
    nitro_trusted_keys *checked = NULL;
    char *own = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read(context, path, MAX_KEY_FILE_BYTES, &own, &size);
    if (status == NITRO_OK)
        status = nitro_trusted_keys_parse(context, path, own, size, &checked);
    nitro_trusted_keys_free(checked);
    if (status == NITRO_OK && !strstr(*text, own)) {
        char *longer =
            nitro_asprintf(context, "%s%s%s", *text, own, own[size - 1] == '\n' ? "" : "\n");
        status = longer ? NITRO_OK : NITRO_ERR_NO_MEMORY;
        if (longer) {
            free(*text);
            *text = longer;
        }
    }
    free(own);
    return status;
}

nitro_status nitro_revoked_keys_add(nitro_context *context, const char *path,
                                    const nitro_string_list *keys, const nitro_signing_key *signer)
{
    unsigned char hash[NITRO_BLAKE2B_BYTES];
    char *text = NULL, *longer = NULL;
    size_t size = 0;
    nitro_status status = read_list(context, path, &text, &size);
    if (status == NITRO_OK || status == NITRO_ERR_NOT_FOUND) {
        longer = nitro_strdup(context, text ? text : REVOKED);
        status = longer ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < keys->count && status == NITRO_OK; i++)
        status = append_key(context, keys->items[i], &longer);
    if (status == NITRO_OK && text)
        status = check_before_signing(context, signer, path, text, size, longer);
    if (status == NITRO_OK) {
        hash_list(longer, strlen(longer), hash);
        status = nitro_sign_hash(context, signer, path, hash, "nitro-revoked-keys");
    }
    if (status == NITRO_OK)
        status = nitro_file_write(context, path, longer, strlen(longer));
    free(longer);
    free(text);
    return status;
}

/* ---- Files of trusted keys ------------------------------------------------------------------- */

nitro_status nitro_trusted_keys_read(nitro_context *context, const char *path,
                                     nitro_trusted_keys **keys)
{
    nitro_trusted_keys *read = NULL;
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read(context, path, MAX_KEY_FILE_BYTES, &text, &size);
    if (status == NITRO_OK)
        status = nitro_trusted_keys_parse(context, path, text, size, &read);
    free(text);
    if (status == NITRO_OK)
        status = apply_revoked(context, read);
    if (status == NITRO_OK)
        *keys = read;
    else
        nitro_trusted_keys_free(read);
    return status;
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
        status = nitro_user_path(context, "XDG_CONFIG_HOME", ".config", "trusted-keys", &path);
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
    free(keys->revoked_by);
    free(keys);
}

/* ---- Signers --------------------------------------------------------------------------------- */

static nitro_status fail_with(nitro_context *context, const nitro_trusted_keys *keys,
                              const char *path, const trusted_key *known, const key_id *of)
{
    char id[17];
    const char *name = known && known->name ? known->name : "no comment";
    nitro_key_print_id(of, id);
    if (!known)
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "%s: signed with key %s, which is not among the %zu in %s; add it there "
                          "only if you know its owner",
                          path, id, keys->count, keys->origin);
    if (known->revoked)
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "%s: signed with key %s (%.80s), which is revoked by %s", path, id, name,
                          keys->revoked_by);
    if (nitro_key_is_past(known->expires))
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "%s: signed with key %s (%.80s), which expired on %s; ask its owner for "
                          "a newer one",
                          path, id, name, known->expires);
    return nitro_fail(context, NITRO_ERR_MISMATCH,
                      "%s: does not match its signature by key %s (%.80s): the file was "
                      "altered or cut after it was signed",
                      path, id, name);
}

/* Two keys may have one id, since anyone can choose it, and a key may be there again with a later
 * date. */
nitro_status nitro_trusted_keys_find(nitro_context *context, const nitro_trusted_keys *keys,
                                     const char *path, const signature_record *record,
                                     const unsigned char hash[NITRO_BLAKE2B_BYTES],
                                     const public_record **signer, const char **name)
{
    const trusted_key *known = NULL;
    for (size_t i = 0; i < keys->count; i++) {
        const trusted_key *key = &keys->keys[i];
        if (memcmp(&key->record.id, &record->id, sizeof(record->id)) != 0)
            continue;
        bool matches = crypto_sign_verify_detached(record->proof, hash, NITRO_BLAKE2B_BYTES,
                                                   key->record.key) == 0;
        if (matches && !key->revoked && !nitro_key_is_past(key->expires)) {
            *signer = &key->record;
            *name = key->name;
            return NITRO_OK;
        }
        if (matches || !known)
            known = key;
    }
    return fail_with(context, keys, path, known, &record->id);
}

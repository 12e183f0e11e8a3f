/* signing_key.c - secret keys: made with their public half, and read from private files. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/bundle/key_format.h"

#define MAX_SECRET_BYTES 2048

static nitro_status write_key_pair(nitro_context *context, const char *path, const char *name,
                                   const char *expires, const secret_record *secret,
                                   const public_record *public)
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
             nitro_key_encode(secret, sizeof(*secret), line));
    if (status == NITRO_OK)
        status = nitro_file_create_private(context, path, text);
    sodium_memzero(text, sizeof(text));
    if (status == NITRO_OK) {
        snprintf(text, sizeof(text), UNTRUSTED "%s%s%s\n%s\n", name, expires ? EXPIRES : "",
                 expires ? expires : "", nitro_key_encode(public, sizeof(*public), line));
        status = nitro_file_write(context, public_path, text, strlen(text));
        if (status != NITRO_OK)
            unlink(path); /* half a pair is of no use */
    }
    sodium_memzero(line, sizeof(line));
    free(public_path);
    return status;
}

nitro_status nitro_signing_key_create(nitro_context *context, const char *path, const char *name,
                                      const char *expires)
{
    secret_record secret = {.algorithm = "Ed", .checksum_algorithm = "B2"};
    public_record public = {.algorithm = "Ed"};
    if (!nitro_device_id_is_valid(name))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "invalid key name '%.80s': use 1 to 63 letters, digits and _.+-:@, such "
                          "as a mail address",
                          name ? name : "(null)");
    if (expires && !nitro_key_is_date(expires))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "invalid date '%.80s': give the key's last day as YYYY-MM-DD", expires);
    nitro_status status = nitro_key_require_library(context);
    if (status != NITRO_OK)
        return status;
    randombytes_buf(&secret.id, sizeof(secret.id));
    public.id = secret.id;
    crypto_sign_keypair(public.key, secret.key);
    status = write_key_pair(context, path, name, expires, &secret, &public);
    sodium_memzero(&secret, sizeof(secret));
    if (status == NITRO_OK && nitro_key_is_past(expires))
        nitro_log(context, NITRO_LOG_WARNING,
                  "%s: readers refuse what this key signs: its last day, %s, is over", path,
                  expires);
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
    if (!nitro_key_comment_of(nitro_key_next_line(&rest), UNTRUSTED) ||
        !nitro_key_decode(nitro_key_next_line(&rest), record, sizeof(*record)) || *rest != '\0' ||
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
    nitro_status status = nitro_key_require_library(context);
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

/* Signatures: what was signed is told from all else, keys are kept private, hostile text is
 * refused. */
#include <fcntl.h>
#include <sys/stat.h>

#include "unit/temporary.h"

static const char message[] = "what a lab publishes";

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    const char *path; /* of the secret key */
    nitro_signing_key *key;
    nitro_trusted_keys *trusted;
    char *signature;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    *state = f;
    f->path = strdup(temporary_path(&f->folder, "lab.key"));
    nitro_status status = nitro_signing_key_create(f->context, f->path, "lab@example.org");
    if (status == NITRO_ERR_NOT_BUILT) {
        print_message("SKIPPED: this build has no libsodium\n");
        return 0;
    }
    assert_ok(f->context, status);
    assert_ok(f->context, nitro_signing_key_read(f->context, f->path, &f->key));
    assert_ok(f->context, nitro_trusted_keys_read(
                              f->context, temporary_path(&f->folder, "lab.key.pub"), &f->trusted));
    assert_ok(f->context, nitro_sign(f->context, f->key, message, sizeof(message), &f->signature));
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_trusted_keys_free(f->trusted);
    nitro_signing_key_free(f->key);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f->signature);
    free((char *)f->path);
    free(f);
    return 0;
}

static fixture *built(void **state)
{
    fixture *f = *state;
    if (!f->key)
        skip();
    return f;
}

static nitro_status check(const fixture *f, const char *signature, const char **signer)
{
    return nitro_signature_check(f->context, f->trusted, "index", message, sizeof(message),
                                 signature, strlen(signature), signer);
}

static void test_a_signature_holds_and_says_whose_it_is(void **state)
{
    fixture *f = built(state);
    const char *signer = NULL;
    assert_ok(f->context, check(f, f->signature, &signer));
    assert_string_equal(signer, "lab@example.org");
    assert_ok(f->context,
              nitro_signature_check(f->context, f->trusted, "index", message, sizeof(message),
                                    f->signature, strlen(f->signature), NULL));
}

static void test_every_flipped_bit_is_found(void **state)
{
    fixture *f = built(state);
    char altered[sizeof(message)];
    for (size_t bit = 0; bit < 8 * sizeof(message); bit++) {
        memcpy(altered, message, sizeof(message));
        altered[bit / 8] = (char)(altered[bit / 8] ^ (1 << bit % 8));
        assert_fails(f->context,
                     nitro_signature_check(f->context, f->trusted, "index", altered,
                                           sizeof(altered), f->signature, strlen(f->signature),
                                           NULL),
                     NITRO_ERR_MISMATCH, "was altered");
    }
    assert_fails(f->context,
                 nitro_signature_check(f->context, f->trusted, "index", message,
                                       sizeof(message) - 1, f->signature, strlen(f->signature),
                                       NULL),
                 NITRO_ERR_MISMATCH, "index: the signature of lab@example.org is not of these");
}

/* Another line may still hold the same signature (a space more), but no other proof may pass. */
static void test_altered_signatures_are_refused(void **state)
{
    fixture *f = built(state);
    size_t size = strlen(f->signature);
    for (size_t i = 0; i < size; i++) {
        char *altered = strdup(f->signature);
        altered[i] = altered[i] == 'A' ? 'B' : 'A';
        if (altered[i] != f->signature[i] && i + 1 < size)
            assert_int_not_equal(check(f, altered, NULL), NITRO_OK);
        altered[i] = '\0';
        if (i + 1 < size)
            assert_fails(f->context, check(f, altered, NULL), NITRO_ERR_FORMAT,
                         "is not one that Nitro writes");
        free(altered);
    }
    assert_int_equal(nitro_signature_check(f->context, f->trusted, "index", message,
                                           sizeof(message), "a\0b", 3, NULL),
                     NITRO_ERR_FORMAT);
}

static void test_a_stranger_is_refused_and_shown(void **state)
{
    fixture *f = built(state);
    nitro_signing_key *stranger = NULL;
    char *signature = NULL;
    const char *path = temporary_path(&f->folder, "stranger.key");
    assert_ok(f->context, nitro_signing_key_create(f->context, path, "stranger"));
    assert_ok(f->context, nitro_signing_key_read(f->context, path, &stranger));
    assert_ok(f->context, nitro_sign(f->context, stranger, message, sizeof(message), &signature));
    assert_fails(f->context, check(f, signature, NULL), NITRO_ERR_MISMATCH,
                 "which is not among the 1 in");
    nitro_signing_key_free(stranger);
    free(signature);
}

static void test_no_key_is_overwritten(void **state)
{
    fixture *f = built(state);
    assert_fails(f->context, nitro_signing_key_create(f->context, f->path, "lab"), NITRO_ERR_EXISTS,
                 "lab.key.pub: it is there already");
    assert_int_equal(unlink(temporary_path(&f->folder, "lab.key.pub")), 0);
    assert_fails(f->context, nitro_signing_key_create(f->context, f->path, "lab"), NITRO_ERR_EXISTS,
                 "lab.key: it is there already");
    nitro_signing_key *again = NULL;
    assert_ok(f->context, nitro_signing_key_read(f->context, f->path, &again));
    nitro_signing_key_free(again);
}

static void test_a_secret_key_that_others_may_read_is_refused(void **state)
{
    fixture *f = built(state);
    static const mode_t modes[] = {0640, 0604, 0620, 0602, 0601, 0644, 0666};
    nitro_signing_key *key = NULL;
    struct stat file;
    assert_int_equal(stat(f->path, &file), 0);
    assert_int_equal(file.st_mode & 07777, 0600);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        assert_int_equal(chmod(f->path, modes[i]), 0);
        assert_fails(f->context, nitro_signing_key_read(f->context, f->path, &key), NITRO_ERR_IO,
                     "chmod 600");
        assert_null(key);
    }
    assert_int_equal(chmod(f->path, 0400), 0);
    assert_ok(f->context, nitro_signing_key_read(f->context, f->path, &key));
    nitro_signing_key_free(key);
}

static void write_private(const fixture *f, const char *name, const char *text, size_t size)
{
    int descriptor = open(temporary_path(&f->folder, name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, size), size);
    assert_int_equal(close(descriptor), 0);
}

static void test_what_is_no_secret_key_is_refused_and_not_shown(void **state)
{
    fixture *f = built(state);
    static const char *const texts[] = {
        "",
        "hunter2",
        "nitro-secret-key-1",
        "nitro-secret-key-1 hunter2",
        "nitro-secret-key-2 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "nitro-secret-key-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= hunter2",
        "nitro-secret-key-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    };
    nitro_signing_key *key = NULL;
    char error[1024];
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        write_private(f, "bad.key", texts[i], strlen(texts[i]));
        assert_fails(
            f->context,
            nitro_signing_key_read(f->context, temporary_path(&f->folder, "bad.key"), &key),
            NITRO_ERR_FORMAT, "not a secret key");
        nitro_context_last_error(f->context, error, sizeof(error));
        assert_null(strstr(error, "hunter2"));
    }
    char *large = calloc(1, 4096);
    memset(large, 'x', 4095);
    write_private(f, "bad.key", large, 4095);
    assert_fails(f->context,
                 nitro_signing_key_read(f->context, temporary_path(&f->folder, "bad.key"), &key),
                 NITRO_ERR_FORMAT, "longer than");
    write_private(f, "bad.key", "a\0b", 3);
    assert_fails(f->context,
                 nitro_signing_key_read(f->context, temporary_path(&f->folder, "bad.key"), &key),
                 NITRO_ERR_FORMAT, "zero byte");
    assert_fails(f->context, nitro_signing_key_read(f->context, f->folder.folder, &key),
                 NITRO_ERR_IO, "not a file");
    assert_fails(f->context, nitro_signing_key_read(f->context, "/no/such.key", &key),
                 NITRO_ERR_NOT_FOUND, "/no/such.key");
    free(large);
}

static void test_files_of_trusted_keys(void **state)
{
    fixture *f = built(state);
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"", "no public key"},
        {"# nothing\n\n", "no public key"},
        {"nitro-public-key-1\n", "keys:1: not a public key"},
        {"#\nnitro-public-key-1 AAAA lab\n", "keys:2: not a public key"},
        {"nitro-public-key-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", "keys:1"},
        {"nitro-public-key-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= a b\n", "keys:1"},
        {"nitro-public-key-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= a/b\n", "keys:1"},
        {"nitro-secret-key-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", "secret key"},
    };
    nitro_trusted_keys *keys = NULL;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_fails(
            f->context,
            nitro_trusted_keys_parse(f->context, "keys", bad[i].text, strlen(bad[i].text), &keys),
            NITRO_ERR_FORMAT, bad[i].error);
    assert_fails(f->context, nitro_trusted_keys_parse(f->context, "keys", "a\0b", 3, &keys),
                 NITRO_ERR_FORMAT, "zero byte");
    static const char good[] =
        "# two labs\r\n  nitro-public-key-1\tAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= one \n"
        "nitro-public-key-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= two";
    assert_ok(f->context, nitro_trusted_keys_parse(f->context, "keys", good, strlen(good), &keys));
    nitro_trusted_keys_free(keys);
}

/* RFC 8032, section 7.1, test 3: what other tools sign is checked, and the other way round. */
static void test_the_signature_is_plain_ed25519(void **state)
{
    fixture *f = built(state);
    static const char secret[] = "nitro-secret-key-1 xaqN9D+fg3vtt0QvMdy3sWbThTUHbwlLhc46LgtEWPc=";
    static const char expected[] = "nitro-signature-1 /FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU= "
                                   "YpHWV97sJAJIJ+acOr4BowzlSKKEdDpEXjaA19taw6wY/"
                                   "5tTjRbykK5n92CYTcZZSnwV6XFu0o3AJ77O6h7ECg==\n";
    static const unsigned char data[] = {0xaf, 0x82};
    nitro_signing_key *key = NULL;
    char *signature = NULL;
    write_private(f, "rfc.key", secret, strlen(secret));
    assert_ok(f->context,
              nitro_signing_key_read(f->context, temporary_path(&f->folder, "rfc.key"), &key));
    assert_ok(f->context, nitro_sign(f->context, key, data, sizeof(data), &signature));
    assert_string_equal(signature, expected);
    nitro_signing_key_free(key);
    free(signature);
}

int main(void)
{
#define SIGN_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        SIGN_TEST(test_a_signature_holds_and_says_whose_it_is),
        SIGN_TEST(test_every_flipped_bit_is_found),
        SIGN_TEST(test_altered_signatures_are_refused),
        SIGN_TEST(test_a_stranger_is_refused_and_shown),
        SIGN_TEST(test_no_key_is_overwritten),
        SIGN_TEST(test_a_secret_key_that_others_may_read_is_refused),
        SIGN_TEST(test_what_is_no_secret_key_is_refused_and_not_shown),
        SIGN_TEST(test_files_of_trusted_keys),
        SIGN_TEST(test_the_signature_is_plain_ed25519),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

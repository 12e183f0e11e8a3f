/* test_sign.c - keys and signatures in minisign's formats: altered files and signatures are
 * refused, secret keys are kept private, and minisign itself accepts what we write and the reverse.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "store/bundle/bundle.h"
#include "store/bundle/key_format.h"
#include "unit/temporary.h"

static const char message[] = "measurements of a lab";

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    const char *path; /* of the secret key */
    nitro_signing_key *key;
    nitro_trusted_keys *trusted;
    const char *file;
    char *signature;
} fixture;

static char *read_text(const fixture *f, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    assert_ok(f->context,
              nitro_file_read(f->context, temporary_path(&f->folder, name), 1 << 16, &text, &size));
    return text;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    *state = f;
    f->path = strdup(temporary_path(&f->folder, "lab.key"));
    f->file = strdup(temporary_write(&f->folder, "data", message));
    assert_ok(f->context, nitro_signing_key_create(f->context, f->path, "lab@example.org", NULL));
    assert_ok(f->context, nitro_signing_key_read(f->context, f->path, &f->key));
    assert_ok(f->context, nitro_trusted_keys_read(
                              f->context, temporary_path(&f->folder, "lab.key.pub"), &f->trusted));
    assert_ok(f->context, nitro_sign_file(f->context, f->key, f->file, "computation:spmv"));
    f->signature = read_text(f, "data.minisig");
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
    free((char *)f->file);
    free(f);
    return 0;
}

static nitro_status check(const fixture *f, const char *signature)
{
    return nitro_signature_check(f->context, f->trusted, f->file, signature, strlen(signature),
                                 NULL);
}

static void test_a_signature_is_checked_and_reproducible(void **state)
{
    fixture *f = *state;
    assert_ok(f->context, check(f, f->signature));
    assert_ok(f->context, nitro_sign_file(f->context, f->key, f->file, "computation:spmv"));
    char *again = read_text(f, "data.minisig");
    assert_string_equal(again, f->signature);
    free(again);
    assert_fails(f->context, nitro_sign_file(f->context, f->key, "/no/such.file", "x"),
                 NITRO_ERR_NOT_FOUND, "/no/such.file");
}

static void test_every_flipped_bit_is_found(void **state)
{
    fixture *f = *state;
    char altered[sizeof(message)];
    for (size_t bit = 0; bit < 7 * (sizeof(message) - 1); bit++) {
        memcpy(altered, message, sizeof(message));
        altered[bit / 7] = (char)(altered[bit / 7] ^ (1 << bit % 7));
        temporary_write(&f->folder, "data", altered);
        assert_fails(f->context, check(f, f->signature), NITRO_ERR_MISMATCH, "was altered");
    }
    temporary_write(&f->folder, "data", "measurements of a la");
    assert_fails(f->context, check(f, f->signature), NITRO_ERR_MISMATCH,
                 "data: does not match its signature by key");
}

/* Any change but in the untrusted comment, which nothing covers. */
static void test_altered_signatures_are_refused(void **state)
{
    fixture *f = *state;
    size_t size = strlen(f->signature), first = strcspn(f->signature, "\n");
    for (size_t i = first; i < size; i++) {
        char *altered = strdup(f->signature);
        altered[i] = altered[i] == 'A' ? 'B' : 'A';
        if (i + 1 < size) /* the last line feed may be missing */
            assert_int_not_equal(check(f, altered), NITRO_OK);
        altered[i] = '\0';
        if (i + 1 < size)
            assert_int_equal(check(f, altered), NITRO_ERR_FORMAT);
        free(altered);
    }
    char *longer = nitro_asprintf(f->context, "%smore\n", f->signature);
    assert_fails(f->context, check(f, longer), NITRO_ERR_FORMAT, "minisign's format");
    free(longer);
    char *comment = strstr(f->signature, ":spmv");
    memcpy(comment, ":sort", 5);
    assert_fails(f->context, check(f, f->signature), NITRO_ERR_MISMATCH, "trusted comment");
}

/* As long a trusted comment as minisign allows. */
static void test_long_trusted_comments(void **state)
{
    fixture *f = *state;
    char *comment = calloc(1, 8193);
    memset(comment, 'x', 8191);
    assert_ok(f->context, nitro_sign_file(f->context, f->key, f->file, comment));
    char *signature = read_text(f, "data.minisig");
    assert_ok(f->context, check(f, signature));
    char *longer = nitro_asprintf(f->context, "%.*sx%s", (int)(strrchr(signature, 'x') - signature),
                                  signature, strrchr(signature, 'x'));
    assert_fails(f->context, check(f, longer), NITRO_ERR_FORMAT, "minisign's format");
    free(longer);
    free(signature);
    comment[8191] = 'x';
    assert_fails(f->context, nitro_sign_file(f->context, f->key, f->file, comment),
                 NITRO_ERR_ARGUMENT, "8192 bytes");
    free(comment);
}

static void test_an_unknown_key_is_refused_and_shown(void **state)
{
    fixture *f = *state;
    nitro_signing_key *stranger = NULL;
    const char *path = temporary_path(&f->folder, "stranger.key");
    assert_ok(f->context, nitro_signing_key_create(f->context, path, "stranger", NULL));
    assert_ok(f->context, nitro_signing_key_read(f->context, path, &stranger));
    assert_ok(f->context, nitro_sign_file(f->context, stranger, f->file, "x"));
    char *signature = read_text(f, "data.minisig");
    assert_fails(f->context, check(f, signature), NITRO_ERR_MISMATCH, "not among the 1 in");
    nitro_signing_key_free(stranger);
    free(signature);
}

static void test_no_key_is_overwritten(void **state)
{
    fixture *f = *state;
    assert_fails(f->context, nitro_signing_key_create(f->context, f->path, "lab", NULL),
                 NITRO_ERR_EXISTS, "lab.key.pub exists");
    assert_int_equal(unlink(temporary_path(&f->folder, "lab.key.pub")), 0);
    assert_fails(f->context, nitro_signing_key_create(f->context, f->path, "lab", NULL),
                 NITRO_ERR_EXISTS, "lab.key: already exists");
    nitro_signing_key *again = NULL;
    assert_ok(f->context, nitro_signing_key_read(f->context, f->path, &again));
    nitro_signing_key_free(again);
}

static void test_a_secret_key_that_others_may_read_is_refused(void **state)
{
    fixture *f = *state;
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

static void test_other_files_are_no_secret_keys_and_not_shown(void **state)
{
    fixture *f = *state;
    static const char *const texts[] = {
        "",
        "hunter2",
        "untrusted comment: x\n",
        "untrusted comment: x\nhunter2\n",
        "untrusted comment: x\nRWR86qX3KD84shaYYDGiX9j2bfuKUEk8gykJS3fyqKzTH+fTuJKZqGM5\n",
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
                 NITRO_ERR_IO, "not a regular file");
    assert_fails(f->context, nitro_signing_key_read(f->context, "/no/such.key", &key),
                 NITRO_ERR_NOT_FOUND, "/no/such.key");
    free(large);
}

/* Each damage to a key is told: nothing is signed with another key than the one in the file. */
static void test_damaged_secret_keys_are_refused(void **state)
{
    fixture *f = *state;
    nitro_signing_key *key = NULL;
    char *text = read_text(f, "lab.key"), *line = strchr(text, '\n') + 1;
    for (size_t i = 83; i < 168; i++) { /* the characters that hold key bytes alone */
        char before = line[i];
        line[i] = before == 'A' ? 'B' : 'A';
        write_private(f, "bad.key", text, strlen(text));
        assert_fails(
            f->context,
            nitro_signing_key_read(f->context, temporary_path(&f->folder, "bad.key"), &key),
            NITRO_ERR_FORMAT, "damaged");
        line[i] = before;
    }
    static const struct {
        const char *head, *error;
    } heads[] = {{"RXgAAEIy", "not a secret key"}, /* "Ex", no key function, "B2" */
                 {"RWRTAEIy", "unknown form"},     /* "Ed", half a key function */
                 {"RWQAY0Iy", "unknown form"}};    /* the other half */
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        memcpy(line, heads[i].head, 8);
        write_private(f, "bad.key", text, strlen(text));
        assert_fails(
            f->context,
            nitro_signing_key_read(f->context, temporary_path(&f->folder, "bad.key"), &key),
            NITRO_ERR_FORMAT, heads[i].error);
    }
    memcpy(line, "RWRTY0Iy", 8); /* "EdScB2" */
    write_private(f, "bad.key", text, strlen(text));
    assert_fails(f->context,
                 nitro_signing_key_read(f->context, temporary_path(&f->folder, "bad.key"), &key),
                 NITRO_ERR_FORMAT, "minisign -C -W");
    free(text);
}

#define PUBLIC "RWR86qX3KD84shaYYDGiX9j2bfuKUEk8gykJS3fyqKzTH+fTuJKZqGM5"

static void test_files_of_trusted_keys(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"", "no public key"},
        {"# nothing\n\n", "no public key"},
        {"untrusted comment: lab\n", "no public key"},
        {"untrusted comment: lab\nAAAA\n", "keys:2: not a public key"},
        {"#\n" PUBLIC " lab\n", "keys:2: not a public key"},
        {PUBLIC "\nED" PUBLIC "\n", "keys:2: not a public key"},
    };
    nitro_trusted_keys *keys = NULL;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_fails(
            f->context,
            nitro_trusted_keys_parse(f->context, "keys", bad[i].text, strlen(bad[i].text), &keys),
            NITRO_ERR_FORMAT, bad[i].error);
    assert_fails(f->context, nitro_trusted_keys_parse(f->context, "keys", "a\0b", 3, &keys),
                 NITRO_ERR_FORMAT, "zero byte");
    char *secret = read_text(f, "lab.key");
    assert_fails(f->context,
                 nitro_trusted_keys_parse(f->context, "keys", secret, strlen(secret), &keys),
                 NITRO_ERR_FORMAT, "keys:2: this is a secret key");
    free(secret);
    static const char good[] = "# two labs\r\nuntrusted comment: one\r\n" PUBLIC "\r\n\n" PUBLIC;
    assert_ok(f->context, nitro_trusted_keys_parse(f->context, "keys", good, strlen(good), &keys));
    nitro_trusted_keys_free(keys);
}

/* ---- Expiry and revocation ------------------------------------------------------------------- */

/* The lab's public key under another comment. */
static char *with_comment(const fixture *f, const char *comment)
{
    char *text = read_text(f, "lab.key.pub");
    char *changed =
        nitro_asprintf(f->context, "untrusted comment: %s%s", comment, text + strcspn(text, "\n"));
    free(text);
    return changed;
}

static nitro_status check_by(const fixture *f, const char *keys_text, char **signer)
{
    nitro_trusted_keys *keys = NULL;
    nitro_status status =
        nitro_trusted_keys_parse(f->context, "keys", keys_text, strlen(keys_text), &keys);
    if (status == NITRO_OK)
        status = nitro_signature_check(f->context, keys, f->file, f->signature,
                                       strlen(f->signature), signer);
    nitro_trusted_keys_free(keys);
    return status;
}

static void test_an_expired_key_signs_nothing(void **state)
{
    fixture *f = *state;
    char *old = with_comment(f, "lab expires:2001-02-03");
    char *now = with_comment(f, "lab expires:9999-12-31"), *signer = NULL;
    assert_fails(f->context, check_by(f, old, NULL), NITRO_ERR_MISMATCH,
                 "(lab), which expired on 2001-02-03");
    assert_ok(f->context, check_by(f, now, &signer));
    assert_string_equal(signer, "lab");
    free(signer);
    char *renewed = nitro_asprintf(f->context, "%s%s", old, now);
    assert_ok(f->context, check_by(f, renewed, NULL));
    temporary_write(&f->folder, "data", "another text");
    assert_fails(f->context, check_by(f, now, NULL), NITRO_ERR_MISMATCH, "was altered");
    free(renewed);
    free(now);
    free(old);
}

static void print_day(time_t time_s, char text[11])
{
    struct tm day;
    assert_non_null(gmtime_r(&time_s, &day));
    assert_int_equal(strftime(text, 11, "%Y-%m-%d", &day), 10);
}

/* The last day is the key's, whichever part of the day it is. */
static void test_a_key_signs_on_its_last_day(void **state)
{
    fixture *f = *state;
    char today[11], yesterday[11], still[11];
    nitro_status on_last_day, after;
    do {
        time_t now = time(NULL);
        print_day(now, today);
        print_day(now - 24 * 60 * 60, yesterday);
        char *comments[] = {nitro_asprintf(f->context, "lab expires:%s", today),
                            nitro_asprintf(f->context, "lab expires:%s", yesterday)};
        char *keys[] = {with_comment(f, comments[0]), with_comment(f, comments[1])};
        on_last_day = check_by(f, keys[0], NULL);
        after = check_by(f, keys[1], NULL);
        for (size_t i = 0; i < 2; i++) {
            free(comments[i]);
            free(keys[i]);
        }
        print_day(time(NULL), still);
    } while (strcmp(today, still) != 0); /* midnight passed */
    assert_int_equal(on_last_day, NITRO_OK);
    assert_int_equal(after, NITRO_ERR_MISMATCH);
}

static void test_parts_of_key_files(void **state)
{
    (void)state;
    const key_id id = {{1, 2, 3, 4, 5, 6, 7, 0xE8}};
    char printed[17], text[] = "first\r\n\r\n\nlast", *rest = text;
    assert_string_equal(nitro_key_print_id(&id, printed), "E807060504030201");
    assert_string_equal(nitro_key_next_line(&rest), "first");
    assert_string_equal(nitro_key_next_line(&rest), "");
    assert_string_equal(nitro_key_next_line(&rest), "");
    assert_string_equal(nitro_key_next_line(&rest), "last");
    assert_null(nitro_key_next_line(&rest));
    static const char *const days[] = {"2027-01-01", "2027-12-31", "1999-10-09", "2028-02-29",
                                       "2000-02-29"};
    for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++)
        assert_true(nitro_key_is_date(days[i]));
}

static void test_dates_of_keys(void **state)
{
    fixture *f = *state;
    static const char *const bad[] = {"",           "2027",       "2027-13-01", "2027-00-01",
                                      "2027-01-00", "2027-01-32", "2027-1-1",   "2027-01-011",
                                      "20270101",   "2027-01-0x", "x027-01-01", "2027/01/01",
                                      "2030-02-30", "2027-02-29", "2100-02-29", "2027-04-31"};
    char path[256];
    snprintf(path, sizeof(path), "%s/dated.key", f->folder.folder);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *comment = nitro_asprintf(f->context, "lab expires:%s", bad[i]);
        char *text = with_comment(f, comment);
        assert_fails(f->context, check_by(f, text, NULL), NITRO_ERR_FORMAT, "keys:1: the key's");
        assert_fails(f->context, nitro_signing_key_create(f->context, path, "lab", bad[i]),
                     NITRO_ERR_ARGUMENT, "YYYY-MM-DD");
        free(comment);
        free(text);
    }
    assert_ok(f->context, nitro_signing_key_create(f->context, path, "lab", "2027-12-31"));
    char *public = read_text(f, "dated.key.pub");
    assert_non_null(strstr(public, "lab expires:2027-12-31\n"));
    free(public);
}

static void test_a_signer_without_comment_is_its_id(void **state)
{
    fixture *f = *state;
    char *text = with_comment(f, ""), *signer = NULL;
    assert_ok(f->context, check_by(f, text, &signer));
    assert_int_equal(strspn(signer, "0123456789ABCDEF"), 16);
    free(signer);
    free(text);
}

static void test_a_long_comment_is_cut(void **state)
{
    fixture *f = *state;
    char comment[121], *signer = NULL;
    memset(comment, 'x', sizeof(comment));
    comment[120] = '\0';
    char *text = with_comment(f, comment);
    assert_ok(f->context, check_by(f, text, &signer));
    assert_int_equal(strspn(signer, "x"), 80);
    assert_int_equal(strlen(signer), 80);
    free(signer);
    free(text);
}

/* Are there default keys in this environment? */
static bool has_default(fixture *f)
{
    nitro_trusted_keys *keys = NULL;
    assert_ok(f->context, nitro_trusted_keys_read_default(f->context, &keys));
    bool found = keys != NULL;
    nitro_trusted_keys_free(keys);
    return found;
}

static void test_where_the_default_keys_are(void **state)
{
    fixture *f = *state;
    char command[512];
    nitro_trusted_keys *keys = NULL;
    snprintf(command, sizeof(command),
             "cd %s && mkdir -p config/nitro home/.config/nitro && cp lab.key.pub "
             "config/nitro/trusted-keys && cp lab.key.pub home/.config/nitro/trusted-keys",
             f->folder.folder);
    assert_int_equal(system(command), 0);
    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    setenv("XDG_CONFIG_HOME", temporary_path(&f->folder, "config"), 1);
    unsetenv("HOME");
    assert_true(has_default(f));
    setenv("XDG_CONFIG_HOME", f->folder.folder, 1); /* no such file */
    assert_false(has_default(f));
    setenv("XDG_CONFIG_HOME", "relative", 1);
    assert_false(has_default(f));
    setenv("HOME", temporary_path(&f->folder, "home"), 1);
    assert_true(has_default(f));
    unsetenv("XDG_CONFIG_HOME");
    assert_true(has_default(f));
    setenv("HOME", "home", 1);
    assert_false(has_default(f));
    setenv("NITRO_TRUSTED_KEYS", f->path, 1); /* the secret key, which is no public one */
    assert_fails(f->context, nitro_trusted_keys_read_default(f->context, &keys), NITRO_ERR_FORMAT,
                 "this is a secret key");
    setenv("NITRO_TRUSTED_KEYS", "none", 1);
    assert_fails(f->context, nitro_trusted_keys_read_default(f->context, &keys),
                 NITRO_ERR_NOT_FOUND, "none");
    unsetenv("NITRO_TRUSTED_KEYS");
    if (home)
        setenv("HOME", home, 1);
    free(home);
}

/* A second key, and a file of both. */
static void add_stranger(fixture *f, nitro_signing_key **stranger)
{
    const char *path = temporary_path(&f->folder, "stranger.key");
    assert_ok(f->context, nitro_signing_key_create(f->context, path, "stranger", NULL));
    assert_ok(f->context, nitro_signing_key_read(f->context, path, stranger));
    char *lab = read_text(f, "lab.key.pub"), *other = read_text(f, "stranger.key.pub");
    char *both = nitro_asprintf(f->context, "%s%s", lab, other);
    temporary_write(&f->folder, "both", both);
    free(both);
    free(other);
    free(lab);
}

static nitro_status read_both(fixture *f)
{
    nitro_trusted_keys_free(f->trusted);
    f->trusted = NULL;
    return nitro_trusted_keys_read(f->context, temporary_path(&f->folder, "both"), &f->trusted);
}

static nitro_status revoke_key(fixture *f, const char *key, const nitro_signing_key *signer)
{
    char path[256];
    nitro_string_list keys = {0};
    snprintf(path, sizeof(path), "%s/%s", f->folder.folder, key);
    assert_ok(f->context, nitro_string_list_add(f->context, &keys, path));
    nitro_status status =
        nitro_revoked_keys_add(f->context, temporary_path(&f->folder, "revoked"), &keys, signer);
    nitro_string_list_free(&keys);
    return status;
}

static void test_a_revoked_key_signs_nothing(void **state)
{
    fixture *f = *state;
    nitro_signing_key *stranger = NULL;
    add_stranger(f, &stranger);
    setenv("NITRO_REVOKED_KEYS", temporary_path(&f->folder, "revoked"), 1);
    assert_ok(f->context, revoke_key(f, "stranger.key.pub", f->key));
    assert_ok(f->context, read_both(f));
    assert_ok(f->context, check(f, f->signature));
    assert_ok(f->context, nitro_sign_file(f->context, stranger, f->file, "x"));
    char *theirs = read_text(f, "data.minisig");
    assert_fails(f->context, check(f, theirs), NITRO_ERR_MISMATCH, "(stranger), which is revoked");
    /* The list grows, also by a file without a last line feed; a key may revoke itself. */
    char *public = read_text(f, "stranger.key.pub");
    public[strlen(public) - 1] = '\0';
    public[strlen("untrusted comment: ")] = 'S';
    temporary_write(&f->folder, "cut.pub", public);
    free(public);
    assert_ok(f->context, revoke_key(f, "cut.pub", f->key));
    assert_ok(f->context, revoke_key(f, "lab.key.pub", f->key));
    assert_ok(f->context, revoke_key(f, "lab.key.pub", f->key));
    assert_ok(f->context, read_both(f));
    assert_fails(f->context, check(f, f->signature), NITRO_ERR_MISMATCH, "which is revoked by");
    assert_fails(f->context, check(f, theirs), NITRO_ERR_MISMATCH, "which is revoked by");
    char *list = read_text(f, "revoked");
    assert_null(strstr(strstr(list, "lab@example.org") + 1, "lab@example.org"));
    assert_null(strstr(list, "\n\n"));
    assert_fails(f->context, revoke_key(f, "data", f->key), NITRO_ERR_FORMAT, "not a public key");
    assert_fails(f->context, revoke_key(f, "none.pub", f->key), NITRO_ERR_NOT_FOUND, "none.pub");
    unsetenv("NITRO_REVOKED_KEYS");
    nitro_signing_key_free(stranger);
    free(list);
    free(theirs);
}

/* Who tampers with the list, or removes it, does not revive a key. */
static void test_lists_that_are_not_signed(void **state)
{
    fixture *f = *state;
    nitro_signing_key *stranger = NULL, *unknown = NULL;
    add_stranger(f, &stranger);
    const char *path = temporary_path(&f->folder, "unknown.key");
    assert_ok(f->context, nitro_signing_key_create(f->context, path, "unknown", NULL));
    assert_ok(f->context, nitro_signing_key_read(f->context, path, &unknown));
    setenv("NITRO_REVOKED_KEYS", temporary_path(&f->folder, "revoked"), 1);
    assert_fails(f->context, read_both(f), NITRO_ERR_IO, "revoked_keys names this list");
    assert_ok(f->context, revoke_key(f, "lab.key.pub", unknown));
    assert_fails(f->context, read_both(f), NITRO_ERR_MISMATCH, "not among the 2 in");
    assert_int_equal(unlink(temporary_path(&f->folder, "revoked")), 0);
    assert_ok(f->context, revoke_key(f, "lab.key.pub", stranger));
    assert_ok(f->context, read_both(f));
    char *list = read_text(f, "revoked");
    list[strlen(list) - 1] = '\0';
    temporary_write(&f->folder, "revoked", list);
    assert_fails(f->context, read_both(f), NITRO_ERR_MISMATCH, "was altered");
    temporary_write(&f->folder, "revoked", "untrusted comment: a signed .pub file\n");
    assert_fails(f->context, read_both(f), NITRO_ERR_FORMAT, "not a list of revoked keys");
    assert_int_equal(unlink(temporary_path(&f->folder, "revoked.minisig")), 0);
    list[strlen(list)] = '\n';
    temporary_write(&f->folder, "revoked", list);
    assert_fails(f->context, read_both(f), NITRO_ERR_IO, ".minisig");
    unsetenv("NITRO_REVOKED_KEYS");
    nitro_signing_key_free(stranger);
    nitro_signing_key_free(unknown);
    free(list);
}

/* A list that someone else wrote, or took a key from, is not signed again with the next key. */
static void test_altered_lists_are_not_signed_again(void **state)
{
    fixture *f = *state;
    nitro_signing_key *stranger = NULL;
    add_stranger(f, &stranger);
    assert_ok(f->context, revoke_key(f, "stranger.key.pub", f->key));
    char *list = read_text(f, "revoked");
    assert_fails(f->context, revoke_key(f, "lab.key.pub", stranger), NITRO_ERR_MISMATCH,
                 "the same key or one of the trusted keys");
    setenv("NITRO_TRUSTED_KEYS", temporary_path(&f->folder, "both"), 1);
    assert_ok(f->context, revoke_key(f, "lab.key.pub", stranger));
    temporary_write(&f->folder, "revoked", list); /* without the last key */
    assert_fails(f->context, revoke_key(f, "stranger.key.pub", stranger), NITRO_ERR_MISMATCH,
                 "was altered");
    unsetenv("NITRO_TRUSTED_KEYS");
    assert_fails(f->context, revoke_key(f, "stranger.key.pub", stranger), NITRO_ERR_MISMATCH,
                 "was altered");
    assert_int_equal(unlink(temporary_path(&f->folder, "revoked.minisig")), 0);
    assert_fails(f->context, revoke_key(f, "stranger.key.pub", stranger), NITRO_ERR_MISMATCH,
                 "revoked.minisig");
    char *kept = read_text(f, "revoked");
    assert_string_equal(kept, list);
    nitro_signing_key_free(stranger);
    free(kept);
    free(list);
}

/* What fails between the signature and the list is completed by the same call. */
static void test_revoking_that_failed_is_repeated(void **state)
{
    fixture *f = *state;
    nitro_signing_key *stranger = NULL;
    add_stranger(f, &stranger);
    const char *signature = temporary_path(&f->folder, "revoked.minisig");
    assert_int_equal(mkdir(signature, 0700), 0);
    assert_int_equal(revoke_key(f, "stranger.key.pub", f->key), NITRO_ERR_IO);
    assert_int_equal(rmdir(temporary_path(&f->folder, "revoked.minisig")), 0);
    assert_ok(f->context, revoke_key(f, "stranger.key.pub", f->key));
    char *list = read_text(f, "revoked");
    assert_ok(f->context, revoke_key(f, "lab.key.pub", f->key));
    char *longer = read_text(f, "revoked");
    temporary_write(&f->folder, "revoked", list); /* as if only the signature had been written */
    assert_fails(f->context, revoke_key(f, "stranger.key.pub", f->key), NITRO_ERR_MISMATCH,
                 "was altered");
    assert_ok(f->context, revoke_key(f, "lab.key.pub", f->key));
    char *repeated = read_text(f, "revoked");
    assert_string_equal(repeated, longer);
    setenv("NITRO_REVOKED_KEYS", temporary_path(&f->folder, "revoked"), 1);
    assert_ok(f->context, read_both(f));
    unsetenv("NITRO_REVOKED_KEYS");
    nitro_signing_key_free(stranger);
    free(repeated);
    free(longer);
    free(list);
}

/* Does this command, run in the folder, succeed? */
static bool run(const fixture *f, const char *command)
{
    char line[512];
    snprintf(line, sizeof(line), "cd %s && %s >out.txt 2>&1", f->folder.folder, command);
    return system(line) == 0;
}

static void require_minisign(const fixture *f)
{
    if (run(f, "command -v minisign"))
        return;
    print_message("SKIPPED: minisign is not installed (Debian package minisign)\n");
    skip();
}

static void test_minisign_verifies_ours(void **state)
{
    fixture *f = *state;
    require_minisign(f);
    assert_true(run(f, "minisign -V -H -p lab.key.pub -m data"));
    char *output = read_text(f, "out.txt");
    assert_non_null(strstr(output, "Trusted comment: computation:spmv"));
    free(output);
    assert_true(run(f, "minisign -S -s lab.key -m data </dev/null"));
    assert_true(run(f, "minisign -V -p lab.key.pub -m data"));
    assert_true(run(f, "minisign -R -s lab.key -p again.pub"));
    assert_true(run(f, "tail -1 lab.key.pub >a && tail -1 again.pub >b && cmp a b"));
}

static void test_ours_verifies_minisign(void **state)
{
    fixture *f = *state;
    require_minisign(f);
    nitro_trusted_keys *keys = NULL;
    nitro_signing_key *key = NULL;
    assert_true(run(f, "minisign -G -W -s their.key -p their.pub"));
    assert_true(run(f, "minisign -S -s their.key -m data -t 'a trusted comment'"));
    assert_ok(f->context,
              nitro_trusted_keys_read(f->context, temporary_path(&f->folder, "their.pub"), &keys));
    char *signature = read_text(f, "data.minisig");
    assert_ok(f->context,
              nitro_signature_check(f->context, keys, f->file, signature, strlen(signature), NULL));
    assert_fails(f->context, check(f, signature), NITRO_ERR_MISMATCH, "not among the 1 in");
    free(signature);
    assert_true(run(f, "minisign -S -l -s their.key -m data"));
    signature = read_text(f, "data.minisig");
    assert_fails(
        f->context,
        nitro_signature_check(f->context, keys, f->file, signature, strlen(signature), NULL),
        NITRO_ERR_FORMAT, "legacy form");
    free(signature);
    assert_ok(f->context,
              nitro_signing_key_read(f->context, temporary_path(&f->folder, "their.key"), &key));
    assert_ok(f->context, nitro_sign_file(f->context, key, f->file, "by nitro"));
    assert_true(run(f, "minisign -V -p their.pub -m data"));
    nitro_signing_key_free(key);
    nitro_trusted_keys_free(keys);
}

int main(void)
{
#define SIGN_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        SIGN_TEST(test_a_signature_is_checked_and_reproducible),
        SIGN_TEST(test_every_flipped_bit_is_found),
        SIGN_TEST(test_altered_signatures_are_refused),
        SIGN_TEST(test_long_trusted_comments),
        SIGN_TEST(test_an_unknown_key_is_refused_and_shown),
        SIGN_TEST(test_no_key_is_overwritten),
        SIGN_TEST(test_a_secret_key_that_others_may_read_is_refused),
        SIGN_TEST(test_other_files_are_no_secret_keys_and_not_shown),
        SIGN_TEST(test_damaged_secret_keys_are_refused),
        SIGN_TEST(test_files_of_trusted_keys),
        SIGN_TEST(test_an_expired_key_signs_nothing),
        SIGN_TEST(test_a_key_signs_on_its_last_day),
        SIGN_TEST(test_parts_of_key_files),
        SIGN_TEST(test_dates_of_keys),
        SIGN_TEST(test_a_signer_without_comment_is_its_id),
        SIGN_TEST(test_a_long_comment_is_cut),
        SIGN_TEST(test_where_the_default_keys_are),
        SIGN_TEST(test_a_revoked_key_signs_nothing),
        SIGN_TEST(test_revoking_that_failed_is_repeated),
        SIGN_TEST(test_lists_that_are_not_signed),
        SIGN_TEST(test_altered_lists_are_not_signed_again),
        SIGN_TEST(test_minisign_verifies_ours),
        SIGN_TEST(test_ours_verifies_minisign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

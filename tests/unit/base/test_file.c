/* test_file.c - files that Nitro writes: their permissions, and what another user may have put in
 * their place. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/temporary.h"

static temporary folder;
static nitro_context *context;

static int set_up(void **state)
{
    (void)state;
    folder = temporary_make();
    context = unit_context();
    umask(022);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    umask(022);
    temporary_remove(&folder);
    nitro_context_free(context);
    return 0;
}

static mode_t mode_of(const char *path)
{
    struct stat file;
    assert_int_equal(lstat(path, &file), 0);
    return file.st_mode & 07777;
}

static const char *write_file(const char *name)
{
    const char *path = temporary_path(&folder, name);
    assert_ok(context, nitro_file_write(context, path, "new", 3));
    return path;
}

static void test_permissions(void **state)
{
    (void)state;
    assert_int_equal(mode_of(write_file("usual")), 0644);
    umask(077);
    assert_int_equal(mode_of(write_file("private")), 0600);
    umask(022);
    const char *path = temporary_write(&folder, "program", "old");
    chmod(path, 06751);
    write_file("program");
    assert_int_equal(mode_of(path), 0751);
    chmod(path, 0600);
    write_file("program");
    assert_int_equal(mode_of(path), 0600);
}

/* A file that another user made in a shared folder says nothing about ours. */
static void test_file_of_another_user(void **state)
{
    (void)state;
    const char *path = temporary_write(&folder, "trap", "old");
    chmod(path, 0666);
    if (chown(path, 65534, (gid_t)-1) != 0) {
        print_message("SKIPPED: only root can give a file away\n");
        skip();
    }
    write_file("trap");
    assert_int_equal(mode_of(path), 0644);
}

/* Such as a model's path that leads to where a library looks for it. */
static void test_symbolic_link(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    const char *model = temporary_write(&folder, "model", "old");
    chmod(model, 0640);
    assert_int_equal(symlink(model, temporary_path(&folder, "own link")), 0);
    assert_int_equal(mode_of(write_file("own link")), 0777); /* of a link */
    assert_int_equal(mode_of(model), 0640);
    assert_ok(context, nitro_file_read(context, model, 100, &text, &size));
    assert_string_equal(text, "new");
    free(text);
}

static void test_symbolic_link_of_another_user(void **state)
{
    (void)state;
    const char *victim = temporary_write(&folder, "victim", "old");
    chmod(victim, 0666);
    assert_int_equal(symlink(victim, temporary_path(&folder, "link")), 0);
    if (lchown(temporary_path(&folder, "link"), 65534, (gid_t)-1) != 0) {
        print_message("SKIPPED: only root can give a link away\n");
        skip();
    }
    assert_int_equal(mode_of(write_file("link")), 0644);
    char *text = NULL;
    size_t size = 0;
    assert_ok(context, nitro_file_read(context, victim, 100, &text, &size));
    assert_string_equal(text, "old");
    free(text);
}

/* Such as `--samples /dev/stdout >>file`. */
static void test_open_file_keeps_its_name(void **state)
{
    (void)state;
    char name[32], *text = NULL;
    size_t size = 0;
    const char *path = temporary_write(&folder, "open", "old, ");
    int descriptor = open(path, O_RDWR);
    assert_true(descriptor >= 0);
    snprintf(name, sizeof(name), "/dev/fd/%d", descriptor);
    assert_ok(context, nitro_file_write(context, name, "new", 3));
    close(descriptor);
    assert_ok(context, nitro_file_read(context, path, 100, &text, &size));
    assert_string_equal(text, "old, new");
    free(text);
    assert_fails(context, nitro_file_write(context, name, "new", 3), NITRO_ERR_IO,
                 ": cannot write: No such file"); /* closed: nothing is made beside it */
}

static void test_temporary_names_differ(void **state)
{
    (void)state;
    char *names[2];
    for (size_t i = 0; i < 2; i++) {
        int descriptor = -1;
        assert_ok(context, nitro_file_create_beside(context, temporary_path(&folder, "model"),
                                                    &names[i], &descriptor));
        close(descriptor);
    }
    assert_string_not_equal(names[0], names[1]);
    free(names[0]);
    free(names[1]);
}

static void test_text_for_terminals(void **state)
{
    static const char *const cases[][2] = {
        {"plain \xc3\xa9", "plain \xc3\xa9"},
        {"\x1b[31mred", "?[31mred"},
        {"cut \xe2\x82", "cut ??"},
        {"c1 \xc2\x9b"
         "31m",
         "c1 ??31m"},
        {"a\nb\tc\r", "a\nb\tc?"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[32];
        snprintf(text, sizeof(text), "%s", cases[i][0]);
        nitro_text_clean(text, "\n\t");
        assert_string_equal(text, cases[i][1]);
    }
}

static void assert_refused(const char *path, const char *says)
{
    char *text = NULL;
    size_t size = 0;
    assert_fails(context, nitro_file_read_regular(context, path, 1 << 20, &text, &size),
                 NITRO_ERR_IO, says);
}

/* A pipe to which nobody writes would be waited for, and a device may have no end. */
static void test_what_is_not_a_file(void **state)
{
    (void)state;
    const char *path = temporary_path(&folder, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(path, "pipe: cannot read: it is a pipe or a device, not a file");
    assert_refused("/dev/zero", "/dev/zero: cannot read: it is a pipe or a device, not a file");
    assert_refused(folder.folder, "it is a folder; name a file in it");
}

/* As of a shell's <(command). */
static void test_a_pipe_that_is_open(void **state)
{
    (void)state;
    int ends[2];
    char path[64], *text = NULL;
    size_t size = 0;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_ok(context, nitro_file_read_regular(context, path, 1 << 20, &text, &size));
    assert_string_equal(text, "piped");
    free(text);
    close(ends[0]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_permissions),
        TEST(test_file_of_another_user),
        TEST(test_symbolic_link),
        TEST(test_symbolic_link_of_another_user),
        TEST(test_open_file_keeps_its_name),
        TEST(test_temporary_names_differ),
        TEST(test_text_for_terminals),
        TEST(test_what_is_not_a_file),
        TEST(test_a_pipe_that_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

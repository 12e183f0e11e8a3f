/* The SQLite backend when the machine fails: read-only files, a full disk, a writer killed halfway;
 * and how much of the file is read.
 * What changes the whole process is tested in a child. */
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "unit/store_records.h"
#include "unit/temporary.h"

/* A child's results for its parent. */
typedef struct outcome {
    bool cannot_tell; /* privileges cannot be dropped on this machine */
    nitro_status status;
    char message[4096];
    size_t count;
} outcome;

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    char path[128];
    outcome *shared;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    nitro_store *store = NULL;
    f->context = unit_context();
    f->folder = temporary_make();
    f->shared =
        mmap(NULL, sizeof(*f->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(f->shared != MAP_FAILED);
    snprintf(f->path, sizeof(f->path), "%s/store", f->folder.folder);
    assert_ok(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store));
    records_put_names(store, "spmv", "K20");
    assert_ok(f->context, records_put_samples(store, "spmv", "K20", 0, 40, false));
    nitro_store_close(store);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    chmod(f->folder.folder, 0700);
    temporary_remove(&f->folder);
    munmap(f->shared, sizeof(*f->shared));
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void assert_store_holds(fixture *f, size_t expected)
{
    nitro_store *store = NULL;
    size_t count = 0;
    assert_ok(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_READ, &store));
    assert_ok(f->context,
              nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count));
    assert_int_equal(count, expected);
    records_assert_sound(store);
    nitro_store_close(store);
}

/* Run in a child, which writes its results to f->shared. */
static void in_child(fixture *f, nitro_status (*run)(fixture *f))
{
    *f->shared = (outcome){0};
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        f->shared->status = run(f);
        nitro_context_last_error(f->context, f->shared->message, sizeof(f->shared->message));
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void assert_child_failed(const fixture *f, nitro_status status, const char *text)
{
    const outcome *told = f->shared;
    if (told->cannot_tell) {
        print_message("SKIPPED: cannot become a user without rights here\n");
        skip();
    }
    if (told->status != status || !strstr(told->message, text))
        fail_msg("'%s' (%s) instead of '%s' (... %s ...)", nitro_status_name(told->status),
                 told->message, nitro_status_name(status), text);
}

/* Root may write everything, so the child becomes the user nobody. */
static bool lose_rights(fixture *f)
{
    const uid_t nobody = 65534;
    bool lost = geteuid() != 0 || (setgroups(0, NULL) == 0 && setgid(nobody) == 0 &&
                                   setuid(nobody) == 0 && access("/", W_OK) != 0);
    f->shared->cannot_tell = !lost;
    return lost;
}

static nitro_status open_and_close(fixture *f, nitro_store_mode mode)
{
    nitro_store *store = NULL;
    size_t count = 0;
    if (!lose_rights(f))
        return NITRO_OK;
    nitro_status status = nitro_store_open(f->context, f->path, mode, &store);
    if (status == NITRO_OK)
        status = nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count);
    f->shared->count = count;
    nitro_store_close(store);
    return status;
}

static nitro_status read_as_nobody(fixture *f)
{
    return open_and_close(f, NITRO_STORE_READ);
}

static nitro_status open_for_writing_as_nobody(fixture *f)
{
    return open_and_close(f, NITRO_STORE_WRITE);
}

static nitro_status put_as_nobody(fixture *f)
{
    nitro_store *store = NULL;
    if (!lose_rights(f))
        return NITRO_OK;
    nitro_status status = nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store);
    if (status == NITRO_OK)
        status = records_put_samples(store, "spmv", "K20", 40, 1, false);
    nitro_store_close(store);
    return status;
}

static void set_modes(const fixture *f, mode_t file, mode_t folder)
{
    assert_int_equal(chmod(f->path, file), 0);
    assert_int_equal(chmod(f->folder.folder, folder), 0);
}

static void test_a_read_only_file_is_read_and_not_written(void **state)
{
    fixture *f = *state;
    set_modes(f, 0444, 0777);
    in_child(f, read_as_nobody);
    assert_child_failed(f, NITRO_OK, "");
    assert_int_equal(f->shared->count, 40);
    in_child(f, open_for_writing_as_nobody);
    assert_child_failed(f, NITRO_ERR_IO, "the file may not be written");
    assert_store_holds(f, 40);
}

static void test_a_store_in_a_read_only_folder_is_read_and_not_written(void **state)
{
    fixture *f = *state;
    set_modes(f, 0666, 0555);
    in_child(f, read_as_nobody);
    assert_child_failed(f, NITRO_OK, "");
    assert_int_equal(f->shared->count, 40);
    in_child(f, put_as_nobody);
    assert_child_failed(f, NITRO_ERR_IO, "cannot write in the folder");
    assert_store_holds(f, 40);
}

static void test_a_file_that_may_not_be_read(void **state)
{
    fixture *f = *state;
    set_modes(f, 0000, 0777);
    in_child(f, read_as_nobody);
    assert_child_failed(f, NITRO_ERR_IO, "Permission denied");
    in_child(f, open_for_writing_as_nobody);
    assert_child_failed(f, NITRO_ERR_IO, "Permission denied");
    set_modes(f, 0666, 0666); /* a folder that may not be entered */
    in_child(f, open_for_writing_as_nobody);
    assert_child_failed(f, NITRO_ERR_IO, "Permission denied");
    in_child(f, read_as_nobody);
    assert_child_failed(f, NITRO_ERR_IO, "Permission denied");
}

static nitro_status make_in_folder_as_nobody(fixture *f)
{
    nitro_store *store = NULL;
    char path[160];
    snprintf(path, sizeof(path), "%s/new", f->folder.folder);
    if (!lose_rights(f))
        return NITRO_OK;
    nitro_status status = nitro_store_open(f->context, path, NITRO_STORE_WRITE, &store);
    nitro_store_close(store);
    return status;
}

static void test_no_store_is_made_in_a_read_only_folder(void **state)
{
    fixture *f = *state;
    set_modes(f, 0666, 0555);
    in_child(f, make_in_folder_as_nobody);
    assert_child_failed(f, NITRO_ERR_IO, "cannot write in the folder");
    assert_child_failed(f, NITRO_ERR_IO, "Permission denied");
}

static void limit_file_size(rlim_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(3);
    limit.rlim_cur = size;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(3);
}

/* One sample per transaction until the "disk" is full; then make room and continue. */
static nitro_status fill_disk(fixture *f)
{
    nitro_store *store = NULL;
    struct stat file;
    nitro_status status = NITRO_OK;
    signal(SIGXFSZ, SIG_IGN);
    if (stat(f->path, &file) != 0 ||
        nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store) != NITRO_OK)
        _exit(1);
    size_t count = 40;
    limit_file_size((rlim_t)file.st_size + 12345);
    while (count < 900 &&
           (status = records_put_samples(store, "spmv", "K20", count, 1, false)) == NITRO_OK)
        count++;
    f->shared->count = count;
    size_t read = 0;
    char message[2048];
    nitro_context_last_error(f->context, message, sizeof(message));
    if (nitro_store_each_sample(store, "spmv", "K20", records_count_same, &read) != NITRO_OK ||
        read != count)
        _exit(4);
    limit_file_size(RLIM_INFINITY);
    if (records_put_samples(store, "spmv", "K20", count, 2, false) != NITRO_OK)
        _exit(5);
    nitro_store_close(store);
    return nitro_fail(f->context, status, "%s", message);
}

static void test_a_full_disk_costs_nothing_that_was_stored(void **state)
{
    fixture *f = *state;
    in_child(f, fill_disk);
    assert_child_failed(f, NITRO_ERR_IO, "the failed write was undone");
    assert_in_range(f->shared->count, 41, 899);
    assert_store_holds(f, f->shared->count + 2);
}

/* No room for even the tables of a new store. */
static nitro_status make_on_full_disk(fixture *f)
{
    nitro_store *store = NULL;
    char path[160];
    snprintf(path, sizeof(path), "%s/new", f->folder.folder);
    signal(SIGXFSZ, SIG_IGN);
    limit_file_size(1000);
    nitro_status status = nitro_store_open(f->context, path, NITRO_STORE_WRITE, &store);
    nitro_device *device = NULL;
    if (status == NITRO_OK)
        status = nitro_device_create(f->context, "K20", "recorded", &device);
    if (status == NITRO_OK)
        status = nitro_store_put_device(store, device);
    nitro_device_free(device);
    nitro_store_close(store);
    return status;
}

static void test_a_new_store_on_a_full_disk(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    in_child(f, make_on_full_disk);
    assert_child_failed(f, NITRO_ERR_IO, "check the disk, its free space and your quota");
    /* The remains of it are no obstacle once there is room. */
    store = temporary_store(f->context, &f->folder, "new");
    records_assert_sound(store);
    nitro_store_close(store);
}

/* Change every row, with so little cache that pages reach the file before the commit; then die. */
static nitro_status die_writing(fixture *f)
{
    sqlite3 *db = NULL;
    if (sqlite3_open(f->path, &db) != SQLITE_OK ||
        sqlite3_exec(db,
                     "PRAGMA cache_size = 2; BEGIN; UPDATE samples SET record = "
                     "CAST(printf('%.500c', 'x') AS BLOB);",
                     NULL, NULL, NULL) != SQLITE_OK)
        _exit(1);
    kill(getpid(), SIGKILL);
    return NITRO_OK;
}

static size_t size_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (size_t)file.st_size : 0;
}

static void leave_hot_journal(fixture *f)
{
    char *before, *after;
    size_t size_before, size_after;
    char journal[160];
    assert_ok(f->context, nitro_file_read(f->context, f->path, 1 << 24, &before, &size_before));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        die_writing(f);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    /* Half a transaction is in the file by now. */
    assert_ok(f->context, nitro_file_read(f->context, f->path, 1 << 24, &after, &size_after));
    assert_true(size_after != size_before || memcmp(before, after, size_before) != 0);
    snprintf(journal, sizeof(journal), "%s-journal", f->path);
    assert_true(size_of(journal) > 0);
    free(before);
    free(after);
}

static void test_a_killed_writers_journal_is_rolled_back_when_reading(void **state)
{
    fixture *f = *state;
    leave_hot_journal(f);
    assert_store_holds(f, 40);
    assert_int_equal(size_of(temporary_path(&f->folder, "store-journal")), 0);
}

/* A reader without permission to roll back must not read half a transaction. */
static void test_a_journal_that_may_not_be_rolled_back_is_an_error(void **state)
{
    fixture *f = *state;
    leave_hot_journal(f);
    set_modes(f, 0444, 0555);
    in_child(f, read_as_nobody);
    assert_child_failed(f, NITRO_ERR_IO, "may not be written");
    assert_int_equal(f->shared->count, 0);
    set_modes(f, 0666, 0555);
    in_child(f, read_as_nobody);
    assert_child_failed(f, NITRO_ERR_IO, "Permission denied");
    assert_int_equal(f->shared->count, 0);
    set_modes(f, 0644, 0755);
    assert_store_holds(f, 40);
}

static size_t readable; /* bytes at the beginning of the file, before what the disk cannot read */

static ssize_t read_of_failing_disk(int file, void *bytes, size_t size, off_t offset)
{
    if ((size_t)offset >= readable) {
        errno = EIO;
        return -1;
    }
    return pread(file, bytes, size, offset);
}

static void read_by(ssize_t (*reader)(int file, void *bytes, size_t size, off_t offset))
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    for (int i = 0; i < 2; i++)
        if (vfs->xSetSystemCall(vfs, i ? "pread64" : "pread", (sqlite3_syscall_ptr)reader) !=
            SQLITE_OK)
            _exit(3);
}

/* Where the disk cannot read a page, no record there counts as damaged, and none is removed. */
static nitro_status remove_damaged_from_failing_disk(fixture *f)
{
    nitro_store *store = NULL;
    nitro_status status = nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store);
    if (status != NITRO_OK)
        _exit(1);
    readable = 4096;
    read_by(read_of_failing_disk);
    status = nitro_store_remove_damaged(store, false, NULL, NULL);
    nitro_store_close(store);
    return status;
}

static void test_a_failing_disk_is_no_damage(void **state)
{
    fixture *f = *state;
    in_child(f, remove_damaged_from_failing_disk);
    assert_child_failed(f, NITRO_ERR_IO, "the disk failed");
    assert_child_failed(f, NITRO_ERR_IO, "Input/output error");
    assert_store_holds(f, 40);
}

static size_t num_reads;

static ssize_t count_reads(int file, void *bytes, size_t size, off_t offset)
{
    num_reads++;
    return pread(file, bytes, size, offset);
}

/* Where one device has many samples, others are counted and removed without reading these. */
static nitro_status count_and_remove_others(fixture *f)
{
    nitro_store *store = NULL;
    size_t count = 0;
    nitro_status status = nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store);
    read_by(count_reads);
    for (size_t i = 0; i < 2 && status == NITRO_OK; i++)
        status = nitro_store_count_samples(store, "spmv", i ? "P100" : "V100", &count);
    if (status == NITRO_OK)
        status = nitro_store_remove(store, "spmv", "V100", &count);
    if (status == NITRO_OK)
        status = nitro_store_remove_device(store, "P100");
    nitro_store_close(store);
    f->shared->count = num_reads;
    return status;
}

static void test_other_devices_samples_are_not_read(void **state)
{
    fixture *f = *state;
    nitro_store *store = temporary_store(f->context, &f->folder, "store");
    records_put_names(store, "spmv", "P100");
    records_put_names(store, "spmv", "V100");
    assert_ok(f->context, records_put_samples(store, "spmv", "V100", 0, 1, false));
    for (size_t first = 40; first < 12040; first += 60)
        assert_ok(f->context, records_put_samples(store, "spmv", "K20", first, 60, false));
    nitro_store_close(store);
    in_child(f, count_and_remove_others);
    assert_child_failed(f, NITRO_OK, "");
    assert_in_range(f->shared->count, 1, 40); /* the index has 64 pages */
    assert_store_holds(f, 12040);
}

int main(void)
{
#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_a_read_only_file_is_read_and_not_written),
        STORE_TEST(test_a_store_in_a_read_only_folder_is_read_and_not_written),
        STORE_TEST(test_a_file_that_may_not_be_read),
        STORE_TEST(test_no_store_is_made_in_a_read_only_folder),
        STORE_TEST(test_a_full_disk_costs_nothing_that_was_stored),
        STORE_TEST(test_a_new_store_on_a_full_disk),
        STORE_TEST(test_a_failing_disk_is_no_damage),
        STORE_TEST(test_other_devices_samples_are_not_read),
        STORE_TEST(test_a_killed_writers_journal_is_rolled_back_when_reading),
        STORE_TEST(test_a_journal_that_may_not_be_rolled_back_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

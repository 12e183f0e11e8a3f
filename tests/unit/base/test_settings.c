/* Settings from outside: which of several places counts, what is malformed, and what they do. */
#include <sys/auxv.h>
#include <sys/wait.h>

#include "nitro/base/settings_lookup.h"
#include "unit/temporary.h"

/** No setting of whoever runs the test may count. */
static int forget_environment(void **state)
{
    (void)state;
    for (const nitro_setting *each = nitro_setting_table(); each->name; each++)
        assert_int_equal(unsetenv(each->environment), 0);
    assert_int_equal(setenv("NITRO_CONFIG", "/dev/null", 1), 0);
    return 0;
}

static const char *look_up(nitro_context *context, const char *computation, const char *setting)
{
    static nitro_setting_value value;
    assert_ok(context, nitro_setting_get(context, computation, setting, &value));
    return value.text;
}

static void test_each_place_covers_the_next(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    assert_string_equal(look_up(context, NULL, "log"), "off");
    const char *path = temporary_write(&folder, "nitro.conf", "log = warning\n");
    assert_int_equal(setenv("NITRO_CONFIG", path, 1), 0);
    assert_string_equal(look_up(context, NULL, "log"), "warning");
    assert_int_equal(setenv("NITRO_LOG", "info", 1), 0);
    assert_string_equal(look_up(context, NULL, "log"), "info");
    assert_ok(context, nitro_context_set(context, NULL, "log", "debug"));
    assert_string_equal(look_up(context, NULL, "log"), "debug");
    temporary_remove(&folder);
    nitro_context_free(context);
}

static void test_a_user_without_a_file_is_no_error(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    char message[256];
    assert_int_equal(unsetenv("NITRO_CONFIG"), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder.folder, 1), 0);
    assert_string_equal(look_up(context, NULL, "log"), "off");
    nitro_context_last_error(context, message, sizeof message);
    assert_string_equal(message, "");
    assert_int_equal(setenv("XDG_CONFIG_HOME", "/dev/null", 1),
                     0); /* as the home of some daemons */
    assert_string_equal(look_up(context, NULL, "log"), "off");
    assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
    temporary_remove(&folder);
    nitro_context_free(context);
}

static void test_a_value_is_not_cut(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_setting_value value;
    char text[NITRO_SETTING_MAX_BYTES + 20];
    memset(text, 'a', sizeof text);
    memcpy(text, "sum=", 4);
    text[NITRO_SETTING_MAX_BYTES + 4] = '\0';
    assert_int_equal(setenv("NITRO_MODEL", text, 1), 0);
    assert_fails(context, nitro_setting_get(context, "sum", "model", &value), NITRO_ERR_FORMAT,
                 "NITRO_MODEL: model: the value is not UTF-8 text of under 4096 bytes");
    text[NITRO_SETTING_MAX_BYTES + 3] = '\0';
    assert_int_equal(setenv("NITRO_MODEL", text, 1), 0);
    assert_int_equal(strlen(look_up(context, "sum", "model")), NITRO_SETTING_MAX_BYTES - 1);
    nitro_context_free(context);
}

static void test_a_computations_own_setting_covers_that_for_all(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    const char *path = temporary_write(&folder, "nitro.conf",
                                       "# for all\nforce = sort\n\n[spmv]\r\nforce =  ell \r\n"
                                       "[histogram]\nmodel = /m=1/h.json\n");
    assert_int_equal(setenv("NITRO_CONFIG", path, 1), 0);
    assert_string_equal(look_up(context, "spmv", "force"), "ell");
    assert_string_equal(look_up(context, "histogram", "force"), "sort");
    assert_string_equal(look_up(context, "histogram", "model"), "/m=1/h.json");
    assert_string_equal(look_up(context, "spmv", "model"), "");
    assert_int_equal(setenv("NITRO_FORCE", "spmv=csr,histogram=shared", 1), 0);
    assert_string_equal(look_up(context, "spmv", "force"), "csr");
    assert_string_equal(look_up(context, "histogram", "force"), "shared");
    assert_string_equal(look_up(context, "stencil", "force"), "sort");
    assert_int_equal(setenv("NITRO_FORCE", "blocked,spmv=csr", 1), 0);
    assert_string_equal(look_up(context, "stencil", "force"), "blocked");
    nitro_setting_value value;
    assert_int_equal(setenv("NITRO_FORCE", "spmv=csr,,=x", 1), 0);
    assert_fails(context, nitro_setting_get(context, "spmv", "force", &value), NITRO_ERR_FORMAT,
                 "NITRO_FORCE: 2 items of the list name no computation");
    assert_int_equal(setenv("NITRO_MODEL", "/m=1/one.json,two", 1), 0);
    assert_string_equal(look_up(context, "spmv", "model"), "/m=1/one.json,two");
    temporary_remove(&folder);
    nitro_context_free(context);
}

static void test_says_where_a_value_comes_from(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_setting_value value;
    const char *path = temporary_write(&folder, "nitro.conf", "\nexplain = 1\n");
    assert_int_equal(setenv("NITRO_CONFIG", path, 1), 0);
    assert_ok(context, nitro_setting_get(context, NULL, "explain", &value));
    assert_int_equal(value.origin, NITRO_SETTING_FILE);
    assert_memory_equal(value.where, path, strlen(path));
    assert_string_equal(value.where + strlen(path), ":2");
    temporary_remove(&folder);
    nitro_context_free(context);
}

static void test_malformed_settings_are_named(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"log = loud", "conf:1: log: the value is not off, warning, info or debug"},
        {"\n\nlogg = info", "conf:3: unknown setting; did you mean 'log'?"},
        {"memo_size = -1", "conf:1: memo_size: the value is not a whole number in [0, 16777216]"},
        {"memo_size = 1.5", "conf:1: memo_size: the value is not a whole number in [0, 16777216]"},
        {"memo_size = 0x10", "conf:1: memo_size: the value is not a whole number in [0, 16777216]"},
        {"monitor = 0.5", "conf:1: monitor: the value is not a whole number in [0, 1000000000]"},
        {"adapt = 0x1", "conf:1: adapt: the value is not a number in [0, 100]"},
        {"min_confidence = 2", "conf:1: min_confidence: the value is not a number in [0, 1]"},
        {"min_confidence = nan", "not a number"},
        {"just words", "conf:1: the line is not of the form"},
        {"[not a name]", "conf:1: invalid section"},
        {"[spmv", "conf:1: invalid section"},
        {"[", "conf:1: invalid section"},
        {"model = a\x01z", "conf:1: model: the value is not UTF-8 text"},
        {"SECRET words", "conf:1: the line is not of the form"},
        {"SECRET = 1", "conf:1: unknown setting; 'nitro config' lists them"},
        {"log = SECRET", "conf:1: log: the value is not off, warning, info or debug"},
        {"[SECRET words", "conf:1: invalid section"},
    };
    (void)state;
    char error[1024];
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nitro_setting_entries entries = {0};
        nitro_status status =
            nitro_settings_parse(context, "conf", cases[i].text, strlen(cases[i].text), &entries);
        assert_fails(context, status, NITRO_ERR_FORMAT, cases[i].message);
        nitro_context_last_error(context, error, sizeof error);
        assert_null(strstr(error, "SECRET")); /* of another's file */
        nitro_setting_entries_free(&entries);
    }
    assert_int_equal(setenv("NITRO_EXPLAIN", "yes", 1), 0);
    nitro_setting_value value;
    assert_fails(context, nitro_setting_get(context, NULL, "explain", &value), NITRO_ERR_FORMAT,
                 "NITRO_EXPLAIN: explain: the value is not 0 or 1");
    assert_fails(context, nitro_context_set(context, NULL, "log", "loud"), NITRO_ERR_ARGUMENT,
                 "the program: log: the value is not off, warning, info or debug");
    assert_int_equal(setenv("NITRO_CONFIG", "/no/such/nitro.conf", 1), 0);
    assert_fails(context, nitro_setting_get(context, NULL, "log", &value), NITRO_ERR_NOT_FOUND,
                 "/no/such/nitro.conf");
    nitro_context_free(context);
}

static bool is_positive(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[0] > 0;
}

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = *(const double *)argument;
    return 0;
}

static nitro_computation *declare(nitro_context *context)
{
    const nitro_variant first = {.name = "first", .run = run_nothing};
    const nitro_variant picky = {.name = "picky", .run = run_nothing, .allows = is_positive};
    const nitro_feature value = {.name = "value", .scale = NITRO_SCALE_LINEAR};
    nitro_computation *made = NULL;
    assert_ok(context, nitro_computation_create(context, "settings", &made));
    assert_ok(context, nitro_computation_add_variant(made, &first));
    assert_ok(context, nitro_computation_add_variant(made, &picky));
    assert_ok(context, nitro_computation_add_features(made, &value, 1, evaluate, NULL));
    return made;
}

static void test_a_forced_variant_is_taken_wherever_it_accepts_the_input(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_computation *computation = declare(context);
    nitro_decision decision;
    const double good = 1, bad = -1;
    assert_int_equal(setenv("NITRO_FORCE", "settings=picky", 1), 0);
    assert_ok(context, nitro_select(computation, &good, &decision));
    assert_string_equal(decision.variant_name, "first"); /* nobody asked for settings yet */
    assert_ok(context, nitro_computation_configure(computation));
    assert_ok(context, nitro_select(computation, &good, &decision));
    assert_string_equal(decision.variant_name, "picky");
    assert_int_equal(decision.reason, NITRO_REASON_FORCED);
    assert_ok(context, nitro_select(computation, &bad, &decision));
    assert_string_equal(decision.variant_name, "first");
    assert_ok(context, nitro_computation_force(computation, NULL));
    assert_ok(context, nitro_select(computation, &good, &decision));
    assert_string_equal(decision.variant_name, "first");
    assert_int_equal(setenv("NITRO_FORCE", "nosuch", 1), 0);
    assert_fails(context, nitro_computation_configure(computation), NITRO_ERR_NOT_FOUND,
                 "NITRO_FORCE: settings: no variant 'nosuch'; declared: first");
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void test_the_memo_is_as_large_as_asked_for(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_computation *computation = declare(context);
    nitro_memo_statistics counts;
    assert_int_equal(setenv("NITRO_MEMO_SIZE", "settings=64", 1), 0);
    assert_ok(context, nitro_computation_configure(computation));
    nitro_computation_memo_statistics(computation, &counts);
    assert_int_equal(counts.num_entries, 64);
    assert_int_equal(setenv("NITRO_MEMO_SIZE", "0", 1), 0);
    assert_ok(context, nitro_computation_configure(computation));
    nitro_computation_memo_statistics(computation, &counts);
    assert_int_equal(counts.num_entries, 0);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void test_a_model_that_is_not_there(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_computation *computation = declare(context);
    temporary folder = temporary_make();
    assert_int_equal(setenv("NITRO_MODEL", "/no/such/model.json", 1), 0);
    assert_fails(context, nitro_computation_configure(computation), NITRO_ERR_NOT_FOUND,
                 "NITRO_MODEL: /no/such/model.json");
    assert_int_equal(setenv("NITRO_MODEL", folder.folder, 1), 0);
    assert_ok(context, nitro_computation_configure(computation)); /* a folder may lack it... */
    temporary_write(&folder, "settings.json", "{}");
    assert_fails(context, nitro_computation_configure(computation), NITRO_ERR_FORMAT,
                 "settings.json"); /* ...but what is there must be good */
    temporary_remove(&folder);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

/** What a function prints on standard error. */
static void capture(void (*function)(nitro_computation *), nitro_computation *computation,
                    char *text, size_t size)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(saved >= 0);
    fflush(stderr);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    function(computation);
    fflush(stderr);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void select_some(nitro_computation *computation)
{
    static const double values[] = {1, 2, 1, -1, 2, 1};
    nitro_decision decision;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_int_equal(nitro_select(computation, &values[i], &decision), NITRO_OK);
}

static void test_each_kind_of_decision_is_logged_once(void **state)
{
    (void)state;
    char text[4096];
    nitro_context *context = unit_context();
    nitro_computation *computation = declare(context);
    capture(select_some, computation, text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(setenv("NITRO_EXPLAIN", "1", 1), 0);
    assert_ok(context, nitro_computation_configure(computation));
    capture(select_some, computation, text, sizeof text);
    assert_string_equal(
        text, "nitro: settings: first, the default: no model is attached; value=1\n"
              "nitro: settings: first, the only variant that accepts this input; value=-1\n");
    capture(nitro_computation_free, computation, text, sizeof text);
    assert_string_equal(
        text, "nitro: settings: in total first 5 times, the default: no model is attached\n"
              "nitro: settings: in total first 1 time, the only variant that accepts this input\n");
    nitro_context_free(context);
}

static void test_the_setting_names_the_store(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_store *store = NULL;
    nitro_device *device = NULL;
    assert_int_equal(setenv("NITRO_STORE", temporary_path(&folder, "mine.db"), 1), 0);
    assert_ok(context, nitro_store_open(context, NULL, NITRO_STORE_WRITE, &store));
    assert_ok(context, nitro_device_create(context, "gpu", "recorded", &device));
    assert_ok(context, nitro_store_put_device(store, device));
    nitro_store_close(store);
    nitro_device_free(device);
    assert_int_equal(access(temporary_path(&folder, "mine.db"), F_OK), 0);
    temporary_remove(&folder);
    nitro_context_free(context);
}

/* What a program of root that an ordinary user runs sees of the user's environment: this program,
 * with SHOW_LOG as its argument, exits with SEES_LOG if NITRO_LOG reached it, and IS_SECURE if it
 * got its file's owner. */
#define SHOW_LOG "show-log"
enum { SEES_LOG = 1, IS_SECURE = 2 };

static int show_log(void)
{
    nitro_context *context = unit_context();
    bool seen = strcmp(look_up(context, NULL, "log"), "debug") == 0;
    nitro_context_free(context);
    return (seen ? SEES_LOG : 0) | (getauxval(AT_SECURE) ? IS_SECURE : 0);
}

/* @return the exit code of a copy of this program with these permissions, run by nobody. */
static int run_as_nobody(const char *path, mode_t mode)
{
    enum { NOBODY = 65534 };
    int status = 0;
    assert_int_equal(chmod(path, mode), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)
            execl(path, path, SHOW_LOG, (char *)NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static void test_a_setuid_program_does_not_ask_its_caller(void **state)
{
    (void)state;
    temporary folder = temporary_make();
    const char *path = temporary_path(&folder, "program");
    char command[512], itself[256];
    ssize_t length = readlink("/proc/self/exe", itself, sizeof(itself) - 1);
    assert_true(length > 0);
    itself[length] = '\0';
    snprintf(command, sizeof(command), "cp '%s' '%s'", itself, path);
    assert_int_equal(system(command), 0);
    assert_int_equal(chmod(folder.folder, 0755), 0);
    const char *const given[][2] = {
        {"NITRO_LOG", "debug"},
        {"NITRO_CONFIG", temporary_write(&folder, "conf", "log = debug\n")}};
    bool can_try = geteuid() == 0;
    int seen = 0;
    for (size_t i = 0; i < 2 && can_try; i++) {
        assert_int_equal(setenv(given[i][0], given[i][1], 1), 0);
        can_try = run_as_nobody(path, 0755) == SEES_LOG;
        seen |= can_try ? run_as_nobody(path, 04755) : 0;
        assert_int_equal(unsetenv(given[i][0]), 0);
        can_try = can_try && (seen & IS_SECURE);
    }
    temporary_remove(&folder);
    if (!can_try) {
        print_message("SKIPPED: no setuid programs here: they need root, a folder that is not "
                      "mounted nosuid, and libraries that all may read\n");
        skip();
    }
    assert_int_equal(seen, IS_SECURE);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], SHOW_LOG) == 0)
        return show_log();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_each_place_covers_the_next, forget_environment),
        cmocka_unit_test_setup(test_a_user_without_a_file_is_no_error, forget_environment),
        cmocka_unit_test_setup(test_a_value_is_not_cut, forget_environment),
        cmocka_unit_test_setup(test_a_computations_own_setting_covers_that_for_all,
                               forget_environment),
        cmocka_unit_test_setup(test_says_where_a_value_comes_from, forget_environment),
        cmocka_unit_test_setup(test_malformed_settings_are_named, forget_environment),
        cmocka_unit_test_setup(test_a_forced_variant_is_taken_wherever_it_accepts_the_input,
                               forget_environment),
        cmocka_unit_test_setup(test_the_memo_is_as_large_as_asked_for, forget_environment),
        cmocka_unit_test_setup(test_a_model_that_is_not_there, forget_environment),
        cmocka_unit_test_setup(test_each_kind_of_decision_is_logged_once, forget_environment),
        cmocka_unit_test_setup(test_the_setting_names_the_store, forget_environment),
        cmocka_unit_test_setup(test_a_setuid_program_does_not_ask_its_caller, forget_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

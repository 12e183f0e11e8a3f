/* Where nitro_computation_configure finds models: the user's, beside the code, the system's; by
 * device, then for any. What does not fit is a warning. Also models from memory. */
#include <sys/resource.h>
#include <unistd.h>

#include "nitro/models/model_file.h"
#include "unit/runtime/made_up_model.h"

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = *(const double *)argument;
    return 0;
}

static const nitro_declaration toy = {
    .name = "toy",
    .variants = {{.name = "first", .run = run_nothing}, {.name = "second", .run = run_nothing}},
    .features = {{.name = "size"}},
    .evaluate = evaluate};

/* The second variant is the faster one beyond 10. */
static void fill(const void *user, size_t index, double *features, double *times_ms)
{
    (void)user;
    features[0] = (double)index;
    times_ms[0] = 1 + (double)index;
    times_ms[1] = 11;
}

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    char log[UNIT_LOG_BYTES];
    char host[64];
} fixture;

static const char *in(const fixture *f, const char *name)
{
    return temporary_path(&f->folder, name);
}

static nitro_context *learning;
static nitro_model *model; /* learnt once */

static int learn(void **state)
{
    nitro_computation *computation = NULL;
    (void)state;
    learning = unit_context();
    assert_ok(learning, nitro_computation_declare(learning, &toy, &computation));
    model = made_up_learn(learning, computation, 1, 30, fill, NULL);
    nitro_computation_free(computation);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    nitro_model_free(model);
    nitro_context_free(learning);
    return 0;
}

static void save_at(const fixture *f, const char *name)
{
    bool is_binary = strstr(name, ".bin") != NULL;
    assert_ok(learning, is_binary ? nitro_model_export(model, NITRO_EXPORT_BINARY, in(f, name))
                                  : nitro_model_save(model, in(f, name)));
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->context = unit_context();
    f->folder = temporary_make();
    nitro_context_set_log(f->context, NITRO_LOG_INFO, unit_keep_log, f->log);
    assert_true(nitro_model_device_here(f->context, "host", f->host));
    for (const char *const *name =
             (const char *const[]){"user", "user/nitro", "user/nitro/models", "system",
                                   "system/nitro", "system/nitro/models", "named", NULL};
         *name; name++)
        assert_int_equal(mkdir(in(f, *name), 0777), 0);
    setenv("XDG_DATA_HOME", in(f, "user"), 1);
    setenv("XDG_DATA_DIRS", in(f, "system"), 1);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    nitro_context_free(f->context);
    temporary_remove(&f->folder);
    unsetenv("XDG_DATA_HOME");
    unsetenv("XDG_DATA_DIRS");
    free(f);
    return 0;
}

/* Configure a new computation; was a model attached, and does the log hold the text? */
static void assert_configured(fixture *f, const nitro_declaration *declaration, bool has_model,
                              const char *text)
{
    nitro_computation *computation = NULL;
    nitro_decision decision;
    f->log[0] = '\0';
    assert_ok(f->context, nitro_computation_declare(f->context, declaration, &computation));
    assert_ok(f->context, nitro_computation_configure(computation));
    assert_ok(f->context, nitro_select(computation, &(double){25}, &decision));
    assert_int_equal(decision.reason == NITRO_REASON_NO_MODEL, !has_model);
    if (has_model)
        assert_string_equal(decision.variant_name, "second");
    if (!strstr(f->log, text))
        fail_msg("the log does not say '%s': %s", text, f->log);
    nitro_computation_free(computation);
}

static void test_the_users_models_precede_the_systems(void **state)
{
    fixture *f = *state;
    char name[160];
    assert_configured(f, &toy, false, "");
    save_at(f, "system/nitro/models/toy.bin");
    assert_configured(f, &toy, true, "system/nitro/models/toy.bin");
    snprintf(name, sizeof name, "system/nitro/models/toy@%s.json", f->host);
    save_at(f, name);
    assert_configured(f, &toy, true, name);
    save_at(f, "user/nitro/models/toy@another.json"); /* another device's */
    assert_configured(f, &toy, true, name);
    save_at(f, "user/nitro/models/toy.json");
    assert_configured(f, &toy, true, "user/nitro/models/toy.json");
    snprintf(name, sizeof name, "user/nitro/models/toy@%s.bin", f->host);
    save_at(f, name);
    assert_configured(f, &toy, true, name);
}

/* Of a kind that Nitro cannot describe, the one device's model is used, but none of several. */
static void test_a_device_that_is_unknown(void **state)
{
    fixture *f = *state;
    nitro_declaration on_board = toy;
    on_board.device_kind = "board";
    save_at(f, "user/nitro/models/toy@host:another.json"); /* of another kind */
    assert_configured(f, &on_board, false, "");
    save_at(f, "user/nitro/models/toy@board:x1.json");
    save_at(f, "user/nitro/models/toy@board:x1.bin");
    assert_configured(f, &on_board, true, "user/nitro/models/toy@board:x1.json");
    save_at(f, "user/nitro/models/toy@board:x10.json");
    assert_configured(f, &on_board, false, "models has models for several devices");
    assert_int_equal(unlink(in(f, "user/nitro/models/toy@board:x10.json")), 0);
    save_at(f, "user/nitro/models/toy@board:x10.bin");
    assert_configured(f, &on_board, false, "models has models for several devices");
    save_at(f, "user/nitro/models/toy@board.json");
    assert_configured(f, &on_board, true, "user/nitro/models/toy@board.json");
}

static void test_a_library_has_models_beside_itself(void **state)
{
    fixture *f = *state;
    nitro_string_list folders = {0};
    nitro_computation *computation = NULL;
    char here[4096];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    assert_true(length > 0);
    here[length] = '\0';
    *strrchr(here, '/') = '\0';
    assert_ok(f->context, nitro_computation_declare(f->context, &toy, &computation));
    assert_ok(f->context,
              nitro_model_folders(f->context, nitro_computation_code(computation), &folders));
    assert_int_equal(folders.count, 3);
    assert_string_equal(folders.items[0], in(f, "user/nitro/models"));
    assert_true(strstr(folders.items[1], strrchr(here, '/')) != NULL);
    assert_string_equal(folders.items[2], in(f, "system/nitro/models"));
    nitro_string_list_free(&folders);
    nitro_computation_free(computation);
}

static void test_too_many_open_files_hide_no_folder(void **state)
{
    fixture *f = *state;
    const nitro_model_wanted wanted = {.computation = "toy"};
    nitro_string_list folders = {0}, paths = {0};
    struct rlimit before, none;
    save_at(f, "user/nitro/models/toy.json");
    assert_ok(f->context, nitro_string_list_add(f->context, &folders, in(f, "missing")));
    assert_ok(f->context, nitro_model_files(f->context, &wanted, &folders, &paths));
    assert_string_equal(f->log, "");
    assert_ok(f->context, nitro_string_list_add(f->context, &folders, in(f, "user/nitro/models")));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    nitro_status status = nitro_model_files(f->context, &wanted, &folders, &paths);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_fails(f->context, status, NITRO_ERR_NO_MEMORY,
                 "cannot read the folder: Too many open files");
    nitro_string_list_free(&folders);
    nitro_string_list_free(&paths);
}

static void test_what_does_not_fit_is_a_warning(void **state)
{
    fixture *f = *state;
    nitro_declaration larger = toy, other = toy;
    larger.variants[2] = (nitro_variant){.name = "third", .run = run_nothing};
    other.features[0].name = "length";
    save_at(f, "user/nitro/models/toy.json");
    assert_configured(f, &larger, true, "which never chooses them; tune again: third");
    assert_configured(f, &other, false, "this model is not used: tune again");
    temporary_write(&f->folder, "user/nitro/models/toy.json", "{");
    save_at(f, "system/nitro/models/toy.json");
    assert_configured(f, &toy, true, "line 1, column 1: not JSON: string or '}' expected");
    assert_int_equal(unlink(in(f, "user/nitro/models/toy.json")), 0);
    assert_int_equal(mkfifo(in(f, "user/nitro/models/toy.json"), 0600), 0); /* nobody writes */
    assert_configured(f, &toy, true, "toy.json: cannot read: it is a pipe or a device");
}

static void test_a_named_folder_is_searched(void **state)
{
    fixture *f = *state;
    save_at(f, "user/nitro/models/toy.json");
    assert_ok(f->context, nitro_context_set(f->context, NULL, "model", in(f, "named")));
    assert_configured(f, &toy, false, "looked for toy@DEVICE.json");
    save_at(f, "named/toy.json");
    assert_configured(f, &toy, true, "");
    assert_ok(f->context, nitro_context_set(f->context, NULL, "model", ""));
    assert_configured(f, &toy, false, ""); /* no model at all */
}

static void assert_from_memory(fixture *f, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    nitro_decision decision;
    nitro_computation *computation = NULL;
    save_at(f, name);
    assert_ok(f->context, nitro_file_read(f->context, in(f, name), 1 << 24, &text, &size));
    char *odd = malloc(size + 1); /* any alignment */
    memcpy(odd + 1, text, size);
    assert_ok(f->context, nitro_computation_declare(f->context, &toy, &computation));
    assert_fails(f->context, nitro_computation_load_model_memory(computation, odd + 1, size - 1),
                 NITRO_ERR_FORMAT, "the model in memory");
    assert_ok(f->context, nitro_computation_load_model_memory(computation, odd + 1, size));
    memset(odd, 0, size + 1); /* it is not borrowed any more */
    assert_ok(f->context, nitro_select(computation, &(double){25}, &decision));
    assert_string_equal(decision.variant_name, "second");
    free(odd);
    free(text);
    nitro_computation_free(computation);
}

static void test_models_come_from_memory(void **state)
{
    assert_from_memory(*state, "named/any.json");
    assert_from_memory(*state, "named/any.bin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_users_models_precede_the_systems, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_device_that_is_unknown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_library_has_models_beside_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_open_files_hide_no_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_does_not_fit_is_a_warning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_named_folder_is_searched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_models_come_from_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, learn, forget);
}

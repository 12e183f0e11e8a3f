/* Models that are written where memory runs out: whole, or not at all. Sanitizers have a malloc of
 * their own. */
#include "nitro/backend/memory_stream.h"
#include "nitro/backend/model_places.h"
#include "nitro/models/binary.h"
#include "nitro/models/c_export.h"
#include "nitro/models/model_file.h"
#include "unit/failing_malloc.h"
#include "unit/model_fixture.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

typedef nitro_status format_function(const nitro_model *model, char **text, size_t *size);

/* Let each allocation fail in turn, until none is left to fail. */
static void assert_whole_or_nothing(const fixture *f, format_function *format)
{
    char *whole = NULL;
    size_t whole_size = 0, num_failed = 0;
    assert_ok(f->context, format(f->model, &whole, &whole_size));
    for (bool has_failed = true; has_failed; num_failed += has_failed) {
        char *text = NULL;
        size_t size = 0;
        num_left = num_failed;
        nitro_status status = format(f->model, &text, &size);
        has_failed = num_left == SIZE_MAX;
        num_left = SIZE_MAX;
        if (status == NITRO_OK) {
            assert_int_equal(size, whole_size);
            assert_memory_equal(text, whole, size);
        } else {
            assert_int_equal(status, NITRO_ERR_NO_MEMORY);
        }
        free(text);
    }
    assert_true(num_failed > 0);
    free(whole);
}

/* With what is optional, too. */
static int setup_model(void **state)
{
    setup_small(state);
    fixture *f = *state;
    nitro_model *model = f->model;
    model->ends = calloc(2 * SYNTHETIC_FEATURES + 1, sizeof *model->ends);
    assert_non_null(model->ends);
    assert_ok(f->context, nitro_prepare_costs_create(f->context, model->num_seen,
                                                     SYNTHETIC_VARIANTS, &model->prepare_costs));
    model->prepare_costs->prepared = 5;
    model->prepare_costs->num_few = 2;
    model->prepare_costs->few_feature = 0;
    for (size_t i = 0; i < 2; i++)
        model->prepare_costs->few[i] = (nitro_few_uses){10.5, 2.0, 2, 0.5};
    model->untried = 2;
    return 0;
}

static void test_json_is_whole(void **state)
{
    assert_whole_or_nothing(*state, nitro_model_format);
}

static void test_binary_is_whole(void **state)
{
    assert_whole_or_nothing(*state, nitro_binary_format);
}

static void test_c_is_whole(void **state)
{
    assert_whole_or_nothing(*state, nitro_source_format);
}

/* As reports and messages are written: lines that do not look whether there is memory for them. */
static nitro_status write_lines(const nitro_model *model, char **text, size_t *size)
{
    FILE *file = nitro_memory_stream(text, size);
    for (int i = 0; file && i < 10000; i++)
        fprintf(file, "line %d of %s\n", i, nitro_model_target(model));
    return nitro_memory_stream_end(file, text) ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static void test_lines_are_whole(void **state)
{
    assert_whole_or_nothing(*state, write_lines);
}

/* The folders where a program looks for models: all of them, or none. */
static nitro_status list_folders(const nitro_model *model, char **text, size_t *size)
{
    nitro_string_list folders = {0};
    char *list = NULL;
    nitro_status status =
        nitro_model_folders(model->context, (const void *)assert_whole_or_nothing, &folders);
    if (status == NITRO_OK)
        list = nitro_strdup(model->context, "");
    for (size_t i = 0; i < folders.count && list; i++) {
        char *longer = nitro_asprintf(model->context, "%s%s\n", list, folders.items[i]);
        free(list);
        list = longer;
    }
    nitro_string_list_free(&folders);
    if (!list)
        return NITRO_ERR_NO_MEMORY;
    *text = list;
    *size = strlen(list);
    return NITRO_OK;
}

static void test_folders_are_complete(void **state)
{
    assert_whole_or_nothing(*state, list_folders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_json_is_whole, setup_model, teardown),
        cmocka_unit_test_setup_teardown(test_binary_is_whole, setup_model, teardown),
        cmocka_unit_test_setup_teardown(test_c_is_whole, setup_model, teardown),
        cmocka_unit_test_setup_teardown(test_lines_are_whole, setup_model, teardown),
        cmocka_unit_test_setup_teardown(test_folders_are_complete, setup_model, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif

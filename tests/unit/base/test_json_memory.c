/* JSON where memory runs out: an error that says so when it is read, whole or not at all when it is
 * written. Sanitizers have a malloc of their own. */
#include <jansson.h>

#include "features/device/cuda/cuda_kind.h"
#include "nitro/kernels/kernel.h"
#include "nitro/search/recording.h"
#include "unit/dfs_work.h"
#include "unit/failing_malloc.h"
#include "unit/store_records.h"
#include "unit/temporary.h"
#include "unit/unit.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/* Calls `attempt`, which says whether it was whole, with each allocation failing in turn. */
static void let_each_fail(bool (*attempt)(nitro_context *, void *), void *user)
{
    nitro_context *context = unit_context();
    size_t num_failed = 0;
    for (bool has_failed = true; has_failed; num_failed += has_failed) {
        num_left = num_failed;
        bool is_whole = attempt(context, user);
        has_failed = num_left == SIZE_MAX;
        num_left = SIZE_MAX;
        assert_true(is_whole || has_failed);
    }
    assert_true(num_failed > 0);
    nitro_context_free(context);
}

static bool read_values(nitro_context *context, void *text)
{
    json_t *value = NULL;
    nitro_status status = nitro_json_read(context, "x.json", text, strlen(text), &value);
    json_decref(value);
    if (status == NITRO_OK)
        return true;
    assert_int_equal(status, NITRO_ERR_NO_MEMORY);
    return false;
}

static void reading_tells_of_memory(void **state)
{
    char values[] = "{\"a\": [1, 2.5, \"text\", true, {}, []], \"long\": {\"b\": \"c\"},\n"
                    " \"and\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, \"twelve\"]}";
    (void)state;
    let_each_fail(read_values, values);
}

static void what_is_no_json_is_malformed(void **state)
{
    static const char *const texts[] = {
        "",         "{",           "{\"a\"",       "{\"a\" \"b\"}", "[\"a\" \"b\"]", "\"a\"",
        "{} \"a\"", "[\"\\u12\"]", "{\"a\":1 \"b", "[\"\\x\"]",     "{1: 2}",        "[nothing]",
    };
    nitro_context *context = unit_context();
    json_t *value = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_fails(context,
                     nitro_json_read(context, "x.json", texts[i], strlen(texts[i]), &value),
                     NITRO_ERR_FORMAT, "x.json: line 1, column ");
    assert_null(value);
    nitro_context_free(context);
}

#define NUM_ANSWERS 3

typedef struct written {
    nitro_evaluations evaluations;
    nitro_evaluations_format format;
    char path[128];
    char *whole; /* NULL: not known yet */
} written;

/* One of the values makes keys longer than any buffer of a fixed size. */
static nitro_space *make_space(nitro_context *context)
{
    char *value = calloc(1, 10001), *text = NULL;
    nitro_space *space = NULL;
    memset(value, 'v', 10000);
    text = nitro_asprintf(context,
                          "{\"ConfigurationSpace\": {\"TuningParameters\": ["
                          "{\"Name\": \"s\", \"Type\": \"string\", \"Values\": \"['%s']\"},"
                          "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[1, 2, 4]\"}]}}",
                          value);
    assert_ok(context, nitro_space_parse(context, "s", text, strlen(text), &space));
    assert_int_equal(nitro_space_size(space), NUM_ANSWERS);
    free(text);
    free(value);
    return space;
}

static char *contents(const char *path)
{
    char *text = NULL;
    size_t size;
    nitro_context *context = unit_context();
    assert_ok(context, nitro_file_read(context, path, 1 << 20, &text, &size));
    nitro_context_free(context);
    return text;
}

static bool write_evaluations(nitro_context *context, void *user)
{
    written *w = user;
    remove(w->path);
    nitro_status status = nitro_evaluations_write(context, w->path, w->format, &w->evaluations);
    const size_t left = num_left;
    num_left = SIZE_MAX;
    if (status == NITRO_OK) {
        char *text = contents(w->path);
        assert_string_equal(text, w->whole);
        free(text);
    }
    num_left = left;
    return status == NITRO_OK;
}

static void evaluations_are_written_whole(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_space *space = make_space(context);
    static double counters[NUM_ANSWERS] = {1, 2, 3};
    static const char *const names[] = {"dram__bytes.sum"};
    const nitro_search_answer answers[NUM_ANSWERS] = {
        {.configuration = 0,
         .outcome = NITRO_OUTCOME_MEASURED,
         .time_ms = 2,
         .cost_ms = 3,
         .counters = &counters[0]},
        {.configuration = 1, .outcome = NITRO_OUTCOME_FAILED, .time_ms = (double)NAN},
        {.configuration = 2, .outcome = NITRO_OUTCOME_MEASURED, .time_ms = 4, .cost_ms = 5},
    };
    written w = {.evaluations = {.space = space,
                                 .answers = answers,
                                 .num_answers = NUM_ANSWERS,
                                 .name = "k",
                                 .device = "X",
                                 .counter_names = names,
                                 .num_counters = 1}};
    snprintf(w.path, sizeof(w.path), "%s/file", folder.folder);
    for (int format = 0; format < 2; format++) {
        nitro_recording *again = NULL;
        w.format = (nitro_evaluations_format)format;
        assert_ok(context, nitro_evaluations_write(context, w.path, w.format, &w.evaluations));
        w.whole = contents(w.path);
        assert_ok(context, nitro_recording_read(context, w.path, space, &again));
        for (size_t i = 0; i < NUM_ANSWERS; i++)
            assert_int_equal(again->answers[i].outcome, answers[i].outcome);
        nitro_recording_free(again);
        let_each_fail(write_evaluations, &w);
        free(w.whole);
    }
    nitro_space_free(space);
    temporary_remove(&folder);
    nitro_context_free(context);
}

/* A text that is printed is the one that was printed first. */
typedef struct printed {
    nitro_status (*print)(nitro_context *context, const void *user, char **text);
    const void *user;
    char *whole;
} printed;

static bool print_text(nitro_context *context, void *user)
{
    printed *self = user;
    char *text = NULL;
    nitro_status status = self->print(context, self->user, &text);
    const size_t left = num_left;
    num_left = SIZE_MAX;
    if (status != NITRO_OK)
        assert_int_equal(status, NITRO_ERR_NO_MEMORY);
    else if (self->whole)
        assert_string_equal(text, self->whole);
    if (status == NITRO_OK && !self->whole)
        self->whole = text;
    else
        free(text);
    num_left = left;
    return status == NITRO_OK;
}

static void assert_whole(nitro_status (*print)(nitro_context *, const void *, char **),
                         const void *user)
{
    nitro_context *context = unit_context();
    printed text = {print, user, NULL};
    assert_true(print_text(context, &text));
    let_each_fail(print_text, &text);
    free(text.whole);
    nitro_context_free(context);
}

static nitro_status print_space(nitro_context *context, const void *user, char **text)
{
    static const double limits[KERNEL_NUM_LIMITS] = {1024, 49152, 64};
    static const nitro_kernel kernel = {
        .origin = "k",
        .parameters = {{.name = "a_parameter_of_a_long_name", .values = "[1, 2, 4, 8, 16, 32]"},
                       {.name = "b", .values = "['left', 'right']"}},
        .where = {"a_parameter_of_a_long_name <= max_threads", "b != 'left'"}};
    (void)user;
    return nitro_kernel_space_text(context, &kernel, limits, text);
}

static void spaces_of_kernels_are_whole(void **state)
{
    (void)state;
    assert_whole(print_space, NULL);
}

static nitro_status print_facts(nitro_context *context, const void *facts, char **text)
{
    return nitro_facts_print_all(context, &nitro_cuda_kind, facts, 1, text);
}

static void facts_of_devices_are_whole(void **state)
{
    nitro_facts facts;
    (void)state;
    nitro_facts_init(&facts);
    snprintf(facts.texts[NITRO_CUDA_NAME], NITRO_FACTS_TEXT_SIZE, "a card");
    facts.values[0] = 1.5;
    facts.measured[0] = 2.5;
    facts.spread[0] = 0.5;
    assert_whole(print_facts, &facts);
}

static nitro_status print_sample(nitro_context *context, const void *sample, char **text)
{
    nitro_record_bytes record = {0};
    nitro_status status =
        nitro_record_encode_sample(context, NITRO_RECORD_JSON, "spmv", "gpu1", sample, &record);
    if (status == NITRO_OK)
        status = nitro_record_bytes_append(context, &record, "", 1);
    if (status == NITRO_OK)
        *text = record.bytes;
    else
        nitro_record_bytes_free(&record);
    return status;
}

static void records_are_whole(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_sample *sample = records_sample(context, "x");
    assert_whole(print_sample, sample);
    nitro_sample_free(sample);
    nitro_context_free(context);
}

static nitro_status print_report(nitro_context *context, const void *task, char **text)
{
    const nitro_dfs_kind *kind = NULL;
    nitro_string_list chosen = {0};
    json_t *report = NULL;
    nitro_status status = nitro_dfs_find(context, "profile", &kind);
    if (status == NITRO_OK)
        status = kind->select(context, task, &chosen, &report);
    if (status == NITRO_OK && !(*text = nitro_json_print(report, JSON_COMPACT)))
        status = NITRO_ERR_NO_MEMORY;
    json_decref(report);
    nitro_string_list_free(&chosen);
    return status;
}

static void reports_of_selections_are_whole(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_string_list candidates = {0};
    nitro_dataset *sources = dfs_work_dataset(context, 1, 3, 4, 3);
    assert_non_null(sources);
    dfs_work_candidates(context, 4, &candidates);
    const nitro_dfs_task task = {.sources = sources,
                                 .target = sources->devices[0],
                                 .candidates = &candidates,
                                 .max_subset = 1,
                                 .k = 1};
    assert_whole(print_report, &task);
    nitro_string_list_free(&candidates);
    nitro_dataset_free(sources);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_tells_of_memory),
        cmocka_unit_test(what_is_no_json_is_malformed),
        cmocka_unit_test(evaluations_are_written_whole),
        cmocka_unit_test(spaces_of_kernels_are_whole),
        cmocka_unit_test(facts_of_devices_are_whole),
        cmocka_unit_test(records_are_whole),
        cmocka_unit_test(reports_of_selections_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif

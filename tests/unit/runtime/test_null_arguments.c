/* Every function of runtime.h and tune.h refuses NULL where it is not documented as optional. The
 * calls are made from the headers. Also the last error of each thread. */
#include <pthread.h>

#include "unit/runtime/made_up_model.h"

static int evaluate(const void *argument, double *values, void *user)
{
    (void)argument;
    (void)user;
    values[0] = 1;
    return 0;
}

static const char *problem(const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return NULL;
}

static void keep_log(void *user, nitro_log_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

static const nitro_declaration declaration = {
    .name = "toy",
    .variants = {{.name = "first", .run = run_nothing}, {.name = "second", .run = run_nothing}},
    .features = {{.name = "size"}},
    .evaluate = evaluate};

static void fill(const void *user, size_t index, double *features, double *times_ms)
{
    (void)user;
    features[0] = (double)index;
    times_ms[0] = 1 + (double)index;
    times_ms[1] = 11;
}

/* The status and, where a context is known, the message. */
static void refuses(nitro_context *context, nitro_status status, const char *call, const char *text)
{
    char message[1024];
    nitro_context_last_error(context, message, sizeof message);
    nitro_context_clear_error(context);
    if (status != NITRO_ERR_ARGUMENT)
        fail_msg("%s: '%s' instead of 'bad argument' (%s)", call, nitro_status_name(status),
                 message);
    if (message[0] && !strstr(message, text))
        fail_msg("%s: the error does not say '%s': %s", call, text, message);
}
#define REFUSES(call, text) refuses(context, (call), #call, text)

static void test_null_is_refused(void **state)
{
    (void)state;
    char text[64] = "";
    void *place[1024] = {0};
    temporary folder = temporary_make();
    nitro_context *context = unit_context();
    nitro_store *store = temporary_store(context, &folder, "store.db");
    nitro_computation *computation = NULL;
    nitro_ticket ticket;
    memset(&ticket, 0, sizeof ticket);
    assert_ok(context, nitro_computation_declare(context, &declaration, &computation));
    nitro_model *model = made_up_learn(context, computation, 1, 30, fill, NULL);
#include "null_calls.h"
    nitro_model_free(model);
    nitro_computation_free(computation);
    nitro_store_close(store);
    nitro_context_free(context);
    temporary_remove(&folder);
}

/* ---- The last error of each thread --------------------------------------------------------- */

enum { NUM_THREADS = 80 }; /* more than are kept */

typedef struct failing {
    nitro_context *context;
    int number;
    bool is_right;
} failing;

static void *fail_often(void *any)
{
    failing *mine = any;
    char message[64], expected[64];
    snprintf(expected, sizeof expected, "thread %d failed", mine->number);
    nitro_context_last_error(mine->context, message, sizeof message);
    mine->is_right = message[0] == '\0'; /* not another thread's */
    for (int i = 0; i < 200; i++) {
        nitro_fail(mine->context, NITRO_ERR_IO, "thread %d failed", mine->number);
        nitro_context_last_error(mine->context, message, sizeof message);
        mine->is_right = mine->is_right && strcmp(message, expected) == 0;
    }
    return NULL;
}

static void test_each_thread_has_its_last_error(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    failing all[NUM_THREADS];
    pthread_t threads[NUM_THREADS];
    char message[64];
    nitro_fail(context, NITRO_ERR_IO, "the first");
    for (int i = 0; i < 8; i++) { /* at once */
        all[i] = (failing){.context = context, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, fail_often, &all[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        assert_true(all[i].is_right);
    }
    nitro_context_last_error(context, message, sizeof message);
    assert_string_equal(message, "the first");
    for (int i = 0; i < NUM_THREADS; i++) { /* one after another: the oldest errors give way */
        all[i] = (failing){.context = context, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, fail_often, &all[i]), 0);
        pthread_join(threads[i], NULL);
        assert_true(all[i].is_right);
    }
    nitro_context_last_error(context, message, sizeof message);
    assert_string_equal(message, "");
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_is_refused),
        cmocka_unit_test(test_each_thread_has_its_last_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

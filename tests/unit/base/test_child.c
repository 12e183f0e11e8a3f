/* Functions in child processes: their answers, their errors, and every way not to answer. */
#include <omp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nitro/base/context.h"
#include "unit/unit.h"

#define LIMIT_MS 20000.0

static int calls; /* in this process */

static nitro_status answer_long(nitro_context *context, void *state, char **answer)
{
    size_t length = *(const size_t *)state;
    calls++;
    char *text = nitro_calloc(context, length + 1, 1);
    if (!text)
        return NITRO_ERR_NO_MEMORY;
    memset(text, 'x', length);
    *answer = text;
    return NITRO_OK;
}

static void test_answers(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 4093, 4094, 4095, 4096, 1000000};
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        size_t length = lengths[i];
        char *answer = NULL;
        assert_ok(context,
                  nitro_child_run(context, "counting", LIMIT_MS, answer_long, &length, &answer));
        assert_int_equal(strlen(answer), length);
        assert_int_equal(strspn(answer, "x"), length);
        free(answer);
    }
    assert_int_equal(calls, 0);
    size_t too_long = (size_t)17 << 20;
    char *none = NULL;
    assert_fails(context,
                 nitro_child_run(context, "counting", LIMIT_MS, answer_long, &too_long, &none),
                 NITRO_ERR_IO, "counting: the answer exceeds");
    assert_null(none);
    nitro_context_free(context);
}

static nitro_status refuse(nitro_context *context, void *state, char **answer)
{
    (void)answer;
    return nitro_fail(context, NITRO_ERR_NO_DATA, "no %s here", (const char *)state);
}

static nitro_status crash(nitro_context *context, void *state, char **answer)
{
    (void)context;
    (void)answer;
    raise(*(const int *)state);
    return NITRO_OK;
}

static nitro_status leave(nitro_context *context, void *state, char **answer)
{
    (void)context;
    (void)answer;
    exit(*(const int *)state);
    return NITRO_OK;
}

static nitro_status hang(nitro_context *context, void *state, char **answer)
{
    (void)context;
    (void)state;
    (void)answer;
    while (pause() == -1)
        ;
    return NITRO_OK;
}

static void test_no_answer(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    char *answer = NULL, none[] = "tea";
    assert_fails(context, nitro_child_run(context, "asking", LIMIT_MS, refuse, none, &answer),
                 NITRO_ERR_NO_DATA, "no tea here");
    int number = SIGBUS;
    assert_fails(context, nitro_child_run(context, "asking", LIMIT_MS, crash, &number, &answer),
                 NITRO_ERR_IO, "asking crashed: signal 7 (Bus error)");
    int code = 0;
    assert_fails(context, nitro_child_run(context, "asking", LIMIT_MS, leave, &code, &answer),
                 NITRO_ERR_IO, "asking exited without an answer (exit status 0)");
    assert_fails(context, nitro_child_run(context, "asking", 100, hang, NULL, &answer),
                 NITRO_ERR_IO, "asking took longer than 0.1 s and was stopped");
    assert_null(answer);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
    nitro_context_free(context);
}

static void test_without_descriptors(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    struct rlimit before, none;
    char *answer = NULL;
    size_t length = 1;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    nitro_status status =
        nitro_child_run(context, "asking", LIMIT_MS, answer_long, &length, &answer);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_fails(context, status, NITRO_ERR_NO_MEMORY, "asking: cannot create a pipe");
    assert_null(answer);
    nitro_context_free(context);
}

static nitro_status answer_and_print(nitro_context *context, void *state, char **answer)
{
    (void)state;
    dprintf(STDOUT_FILENO, "what a driver prints");
    *answer = nitro_strdup(context, "the answer");
    return *answer ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

/* A daemon may have closed any of them. */
static void test_without_standard_descriptors(void **state)
{
    (void)state;
    for (int closed = 0; closed < 8; closed++) {
        pid_t daemon = fork();
        if (daemon == 0) {
            nitro_context *context = unit_context();
            char *answer = NULL;
            for (int number = 0; number < 3; number++)
                if (closed >> number & 1)
                    close(number);
            nitro_status status =
                nitro_child_run(context, "asking", LIMIT_MS, answer_and_print, NULL, &answer);
            _exit(status == NITRO_OK && strcmp(answer, "the answer") == 0 ? 0 : 1);
        }
        int ending = -1;
        assert_int_equal(waitpid(daemon, &ending, 0), daemon);
        assert_int_equal(ending, 0);
    }
}

#ifndef __SANITIZE_THREAD__ /* it does not know OpenMP's barriers */
static int count_threads(void)
{
    int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
    count++;
    return count;
}

static nitro_status answer_with_threads(nitro_context *context, void *state, char **answer)
{
    (void)state;
    if (!(*answer = nitro_calloc(context, 16, 1)))
        return NITRO_ERR_NO_MEMORY;
    snprintf(*answer, 16, "%d", count_threads());
    return NITRO_OK;
}

/* OpenMP's threads of the parent do not exist in the child: it must not wait for them. */
static void test_both_processes_have_threads(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    for (int round = 0; round < 3; round++) {
        char *answer = NULL;
        assert_int_equal(count_threads(), 3);
        assert_ok(context, nitro_child_run(context, "threads", LIMIT_MS, answer_with_threads, NULL,
                                           &answer));
        assert_string_equal(answer, "3");
        free(answer);
    }
    nitro_context_free(context);
}
#endif

/* A thread was recording an error when the program forked: its lock is not the child's. */
static void test_fork_of_a_threaded_program(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_lock_acquire(&context->error_lock);
    pid_t child = fork();
    if (child == 0) {
        char error[64];
        alarm(10); /* it hangs */
        nitro_fail(context, NITRO_ERR_NO_DATA, "in the child");
        nitro_context_last_error(context, error, sizeof(error));
        _exit(strcmp(error, "in the child") == 0 ? 0 : 1);
    }
    nitro_lock_release(&context->error_lock);
    int ending = -1;
    assert_int_equal(waitpid(child, &ending, 0), child);
    assert_true(WIFEXITED(ending));
    assert_int_equal(WEXITSTATUS(ending), 0);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_no_answer),
        cmocka_unit_test(test_without_descriptors),
        cmocka_unit_test(test_without_standard_descriptors),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(test_both_processes_have_threads),
#endif
        cmocka_unit_test(test_fork_of_a_threaded_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

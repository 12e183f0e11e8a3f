/* The decision log names the feature that lies outside, and counts at exit if nothing is freed. */
#include <sys/wait.h>
#include <unistd.h>

#include "unit/runtime/made_up_model.h"

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    memcpy(values, argument, 2 * sizeof *values);
    return 0;
}

static const nitro_declaration toy = {
    .name = "toy",
    .variants = {{.name = "first", .run = run_nothing}, {.name = "second", .run = run_nothing}},
    .features = {{.name = "size"}, {.name = "width"}},
    .evaluate = evaluate};

static void fill(const void *user, size_t index, double *features, double *times_ms)
{
    (void)user;
    features[0] = (double)(index % 6);
    features[1] = (double)index;
    times_ms[0] = 1 + (double)index;
    times_ms[1] = 11 + (double)(index % 6);
}

/* A program that explains its decisions, and ends without freeing anything. */
static void explain_and_exit(int output)
{
    nitro_context *context = unit_context();
    nitro_computation *computation = NULL;
    nitro_decision decision;
    dup2(output, STDERR_FILENO);
    assert_ok(context, nitro_computation_declare(context, &toy, &computation));
    made_up_attach(context, computation, 1, 30, fill, NULL);
    assert_ok(context, nitro_context_set(context, NULL, "explain", "1"));
    assert_ok(context, nitro_computation_configure(computation));
    for (int i = 0; i < 3; i++)
        assert_ok(context, nitro_select(computation, (double[]){3, 1e6}, &decision));
    assert_ok(context, nitro_computation_force(computation, "first")); /* wherever the input is */
    assert_ok(context, nitro_select(computation, (double[]){3, 1e6}, &decision));
    exit(0);
}

static void test_the_feature_outside_is_named_and_decisions_are_counted(void **state)
{
    (void)state;
    char text[4096] = "";
    int ends[2], code = -1;
    size_t used = 0;
    ssize_t got;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        explain_and_exit(ends[1]);
    close(ends[1]);
    while (used < sizeof text - 1 && (got = read(ends[0], text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)got;
    close(ends[0]);
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    const char *first = strstr(text, "outside the training range in width");
    const char *count = strstr(text, " 3 times, ");
    const char *values = strstr(text, "width=1e+06");
    const char *forced = strstr(text, "first, forced by a setting; size=3 width=1e+06\n");
    if (!first || !values || !count || values > count || !forced ||
        strstr(values + 1, "width=") != strstr(forced, "width="))
        fail_msg("not one line that names width, one without, then the counts: %s", text);
}

static nitro_computation *last;

/** A process that is forked while the counts are printed at exit has no thread that goes on. */
static ssize_t fork_and_free(void *user, const char *text, size_t size)
{
    (void)user;
    (void)text;
    int code = -1;
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        nitro_computation_free(last);
        _exit(0);
    }
    if (waitpid(child, &code, 0) != child || code != 0)
        _exit(1);
    return (ssize_t)size;
}

static void test_a_child_forked_while_counts_are_printed_does_not_wait(void **state)
{
    (void)state;
    int code = -1;
    pid_t child = fork();
    if (child == 0) {
        nitro_context *context = unit_context();
        nitro_decision decision;
        assert_ok(context, nitro_computation_declare(context, &toy, &last));
        assert_ok(context, nitro_context_set(context, NULL, "explain", "1"));
        assert_ok(context, nitro_computation_configure(last));
        assert_ok(context, nitro_select(last, (double[]){3, 4}, &decision));
        stderr = fopencookie(NULL, "w", (cookie_io_functions_t){.write = fork_and_free});
        setvbuf(stderr, NULL, _IONBF, 0);
        exit(0);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_feature_outside_is_named_and_decisions_are_counted),
        cmocka_unit_test(test_a_child_forked_while_counts_are_printed_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

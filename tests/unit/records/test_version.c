/* Versions with and without digests of code, and digests of functions of this program. */
#include "nitro/measure/code_digest.h"
#include "unit/unit.h"

#define CODE "+0123456789abcdef"

static void test_versions_are_compared_as_far_as_both_are_known(void **state)
{
    (void)state;
    assert_true(nitro_version_has_digest("1" CODE));
    assert_false(nitro_version_has_digest(CODE)); /* nothing is declared */
    assert_false(nitro_version_has_digest("1.0+git"));
    assert_false(nitro_version_has_digest("1+0123456789ABCDEF"));
    assert_false(nitro_version_is_other("1", "1"));
    assert_false(nitro_version_is_other("1" CODE, "1"));
    assert_false(nitro_version_is_other("1", "1" CODE));
    assert_true(nitro_version_is_other("1" CODE, "2"));
    assert_true(nitro_version_is_other("1" CODE, "1+0123456789abcde0"));
    assert_true(nitro_version_is_other("1", "10"));
    assert_false(nitro_version_is_declared_other("1" CODE, "1+0123456789abcde0"));
    assert_true(nitro_version_is_declared_other("1" CODE, "2" CODE));
}

static int add(const int *a)
{
    return a[0] + 7 * a[1];
}

static int subtract(const int *a)
{
    return a[0] - 9 * a[1];
}

static void test_functions_have_digests_of_their_own(void **state)
{
    uint64_t first = 0, second = 0, again = 0;
    int (*functions[])(const int *) = {add, subtract};
    const void *places[2];
    (void)state;
    memcpy(places, functions, sizeof places);
#if !defined(__x86_64__) && !defined(__aarch64__)
    assert_false(nitro_code_digest(places[0], &first));
    skip();
#endif
    assert_true(nitro_code_digest(places[0], &first));
    assert_true(nitro_code_digest(places[1], &second));
    assert_true(nitro_code_digest(places[0], &again));
    assert_true(first == again && first != second);
    assert_false(nitro_code_digest((const char *)places[0] + 1, &again)); /* no function's begin */
    assert_false(nitro_code_digest(&first, &again));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions_are_compared_as_far_as_both_are_known),
        cmocka_unit_test(test_functions_have_digests_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

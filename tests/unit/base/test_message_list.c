/* Lists for messages: whole where there is room, else they say that something was left out. */
#include "unit/unit.h"

static void test_a_list_that_fits_is_whole(void **state)
{
    char text[64] = "";
    (void)state;
    nitro_message_list_add(text, sizeof text, "%s", "a");
    assert_string_equal(text, "a");
    nitro_message_list_add(text, sizeof text, "%s %.0f %%", "b", 5.0);
    nitro_message_list_add(text, sizeof text, "%s", "c");
    assert_string_equal(text, "a, b 5 %, c");
}

static void test_a_list_that_does_not_fit_says_so(void **state)
{
    (void)state;
    for (size_t size = 8; size < 40; size++) {
        char text[41], whole[64] = "";
        memset(text, 'x', sizeof text);
        text[0] = '\0';
        for (int i = 0; i < 8; i++) {
            nitro_message_list_add(text, size, "n%d", i);
            nitro_message_list_add(whole, sizeof whole, "n%d", i);
        }
        size_t length = strlen(text);
        assert_true(length < size);
        assert_int_equal(text[size], 'x');
        if (strcmp(text, whole) == 0)
            continue;
        assert_string_equal(text + length - 5, ", ...");
        assert_memory_equal(text, whole, length - 5); /* no item is cut */
        assert_memory_equal(whole + length - 5, ", ", 2);
    }
    char text[8] = "";
    nitro_message_list_add(text, sizeof text, "%s", "longer than that");
    assert_string_equal(text, "...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_list_that_fits_is_whole),
        cmocka_unit_test(test_a_list_that_does_not_fit_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Preloaded into the program by test_numbers.sh: it starts in a locale with a decimal comma (where
 * NITRO_TEST_LOCALE names one) and rounds upward, as a program that uses the library may. */
#include <fenv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void change_numbers(void)
{
    const char *name = getenv("NITRO_TEST_LOCALE");
    if (name && (!setlocale(LC_ALL, name) || localeconv()->decimal_point[0] != ',')) {
        fprintf(stderr, "no locale with a decimal comma: %s\n", name);
        exit(1);
    }
    fesetround(FE_UPWARD);
}

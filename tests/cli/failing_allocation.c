/* failing_allocation.c - loaded before a program, lets one of its allocations fail: the one whose
 * number is in FAILING_ALLOCATION. Without it, their number is written to stderr at the end. */
#include <stdio.h>

#include "tests/unit/failing_malloc.h"

static size_t num_at_first;

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAILING_ALLOCATION");
    num_left = num_at_first = number ? strtoul(number, NULL, 10) - 1 : SIZE_MAX - 1;
}

__attribute__((destructor)) static void end(void)
{
    if (num_at_first == SIZE_MAX - 1)
        fprintf(stderr, "%zu\n", num_at_first - num_left);
}

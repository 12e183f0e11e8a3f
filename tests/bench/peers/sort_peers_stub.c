/* Without a C++ compiler: the C library's qsort. */
#include <stdbool.h>
#include <stdlib.h>

#include "bench/peers/sort_peers.h"

static int compare_floats(const void *a, const void *b)
{
    return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

static int compare_doubles(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void sort_c(void *keys, int64_t count, bool is_wide)
{
    qsort(keys, (size_t)count, is_wide ? sizeof(double) : sizeof(float),
          is_wide ? compare_doubles : compare_floats);
}

const sort_peer sort_peers[] = {{"qsort", sort_c}, {NULL, NULL}};

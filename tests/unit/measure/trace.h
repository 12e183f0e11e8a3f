/* trace.h - marks that forked processes leave in memory that they share with the test. */
#ifndef NITRO_TESTS_UNIT_MEASURE_TRACE_H
#define NITRO_TESTS_UNIT_MEASURE_TRACE_H

#include <stdatomic.h>
#include <sys/mman.h>

#include "unit/unit.h"

typedef struct trace {
    _Atomic size_t length;
    char marks[1 << 16]; /* ended by a zero */
} trace;

static inline trace *trace_open(void)
{
    trace *opened =
        mmap(NULL, sizeof(*opened), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(opened != MAP_FAILED);
    return opened;
}

static inline void trace_close(trace **opened)
{
    if (*opened)
        munmap(*opened, sizeof(**opened));
    *opened = NULL;
}

/* NULL: nothing is traced. */
static inline void trace_add(trace *to, char mark)
{
    size_t at = to ? atomic_fetch_add(&to->length, 1) : SIZE_MAX;
    if (to && at < sizeof(to->marks) - 1)
        to->marks[at] = mark;
}

static inline size_t trace_count(const trace *of, char mark)
{
    size_t count = 0;
    for (const char *at = of->marks; *at; at++)
        count += *at == mark;
    return count;
}

#endif

/* Code with tuning parameters, for `nitro search examples/tunable/triad.json`: each configuration
 * is compiled with -DBLOCK=..., -DUNROLL=... and -DRESTRICT=... */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT (1 << 18)

#if RESTRICT
#define ALIAS restrict
#else
#define ALIAS
#endif

#define PRAGMA(text)     _Pragma(#text)
#define UNROLL_BY(times) PRAGMA(GCC unroll times)

typedef struct triad_argument {
    double a[COUNT], b[COUNT], c[COUNT];
} triad_argument;

/* What a search calls first: inputs and outputs. */
void *triad_create(void)
{
    triad_argument *made = malloc(sizeof(*made));
    for (size_t i = 0; made && i < COUNT; i++) {
        made->a[i] = 0;
        made->b[i] = (double)i;
        made->c[i] = 1.0 / (double)(i + 1);
    }
    return made;
}

static void triad_block(double *ALIAS a, const double *ALIAS b, const double *ALIAS c)
{
    UNROLL_BY(UNROLL)
    for (size_t i = 0; i < BLOCK; i++)
        a[i] = b[i] + 3 * c[i];
}

/* What is timed. */
int triad(void *place)
{
    triad_argument *argument = place;
    for (size_t start = 0; start < COUNT; start += BLOCK)
        triad_block(argument->a + start, argument->b + start, argument->c + start);
    return 0;
}

/* Is the last result right? */
int triad_check(void *place, char *why, size_t size)
{
    const triad_argument *argument = place;
    for (size_t i = 0; i < COUNT; i++)
        if (fabs(argument->a[i] - (argument->b[i] + 3 * argument->c[i])) > 1e-9) {
            snprintf(why, size, "element %zu is %g", i, argument->a[i]);
            return 1;
        }
    return 0;
}

void triad_free(void *place)
{
    free(place);
}

/* sorting.h - the computation of the tutorial: sort unsigned keys, by one of three algorithms. */
#ifndef SORTING_H
#define SORTING_H

#include <nitro/nitro.h>

/** One call: what every variant reads and writes. Calls share nothing, so threads may overlap. */
typedef struct sort_call {
    const unsigned *keys; /* shape [length], each below `bound`; not changed */
    size_t length;
    unsigned bound;
    unsigned *sorted;   /* shape [length]: the result */
    unsigned *expected; /* shape [length], to check results while measuring; NULL: not checked */
} sort_call;

extern const nitro_declaration sorting;
/** For measuring: results are compared with those of the default variant. */
extern const nitro_hooks sorting_hooks;

#endif

/* Stands in for vector_quick in libnitro.so: declaring sort loads it from its plug-in, for Highway
 * takes 3 ms to initialise itself. */
#include "variants/sort/sort.h"

const nitro_variant nitro_sort_variant_vector_quick = {.name = "vector_quick"};

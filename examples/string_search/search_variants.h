/* search_variants.h - all occurrences of a pattern in a text: the argument and its variants. */
#ifndef SEARCH_VARIANTS_H
#define SEARCH_VARIANTS_H

#include <nitro/computation_kit.h>

typedef struct search_call { /* zeroed before its use */
    int64_t text_bytes, pattern_bytes;
    const unsigned char *text;    /* shape [text_bytes] */
    const unsigned char *pattern; /* shape [pattern_bytes], at least 1 byte */
    int64_t *found;               /* shape [2]: how many places, which may overlap; their sum */
    nitro_kept *kept;             /* for the kit */
} search_call;

#define SEARCH_NUM_VARIANTS 6
/** The first one is the default. */
extern const nitro_variant *const search_variants[SEARCH_NUM_VARIANTS];

#endif

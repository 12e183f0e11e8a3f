/* Turns vendors' product names into parts of device ids. */
#include "features/device/slug.h"

#include <ctype.h>
#include <string.h>

size_t nitro_slug_append(char *slug, size_t max_length, size_t used, const char *word,
                         size_t length)
{
    if (used > 0 && used < max_length)
        slug[used++] = '-';
    for (size_t i = 0; i < length && used < max_length; i++) {
        if (word[i] == '(') { /* (R), (TM) */
            const char *end = memchr(word + i, ')', length - i);
            i = end ? (size_t)(end - word) : length;
        } else if (isalnum((unsigned char)word[i])) {
            slug[used++] = (char)tolower((unsigned char)word[i]);
        } else if (used > 0 && slug[used - 1] != '-') {
            slug[used++] = '-';
        }
    }
    while (used > 0 && slug[used - 1] == '-')
        used--;
    return used;
}
